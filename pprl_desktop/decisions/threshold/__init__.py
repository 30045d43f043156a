"""One threshold on record-level bits, as CLK and PSH are published.

The way through it: `learning` knows similarities of matches and strangers from the own table (`likelihood`); `scan`
finds the pairs, all of them or by `lsh`, and gives them a `probability`; `record_evidence` says why, field by field.
"""
