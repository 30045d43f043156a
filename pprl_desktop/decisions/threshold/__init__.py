"""One threshold on record-level bits."""
