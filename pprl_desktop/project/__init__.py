"""The steward's state and nothing else: choices, steps and staleness, the project file."""
