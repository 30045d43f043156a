"""match(): score, assignment, bands; and what both sides make of it.

The way through it: `party` has the order of smash, learn and match; `match` runs a rule, `decide` assigns one to one
where agreed and sorts into `bands`; `reconcile` compares the two sides, `groups` and `persons` make groups and people
of links. May import: decisions and the rooms above it.
"""
