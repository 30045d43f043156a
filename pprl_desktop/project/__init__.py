"""The steward's choices: steps and staleness, store, export, report."""
