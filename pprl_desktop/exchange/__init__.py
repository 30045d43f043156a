"""Identity, agreement, container, seal, results: everything that passes between two stewards."""
