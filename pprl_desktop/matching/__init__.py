"""match(): score, assignment, bands; and what both sides make of it.

The way through it: `match` runs a rule, `decide` assigns one to one where agreed and sorts into `bands`; `reconcile`
compares the two sides, `groups` puts several parties together. May import: decisions and the rooms above it.
"""
