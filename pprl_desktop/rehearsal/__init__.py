"""Attacks on what would leave, played before it leaves.

The way through it: `rehearse` sets a `stage` with `dictionaries`, reads a `target` value by value (`lookup`,
`letters`) or record by record (`record`), tries other settings (`changes`) and counts in `shares`; `others` are those
without the secret. What is found is in `findings`. May import: blind, matching and the rooms above them.
"""
