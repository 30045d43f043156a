"""Which pairs are one person."""
