"""How records become numbers, and which rule decides: one file per method."""
