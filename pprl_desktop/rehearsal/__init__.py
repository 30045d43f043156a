"""Attacks on what would leave, played before it leaves."""
