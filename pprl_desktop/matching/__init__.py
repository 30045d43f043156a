"""Candidates, scoring, thresholds and bands, one-to-one assignment."""
