"""How a cleaned table becomes numbers: Algorithm 1 (smash) of every method.

The way through it: `recipe` builds every Settings and Recipe. `base` has what all methods share and the one REGISTRY;
each method is one file with one descriptor: `split` and `split_svm` (over `distances` and `mapping`), `simhash`,
`bloom`, `dp_nn`, `plain`, `blind` (its keys in keys/). `tokens` say equality, `qgrams` cut values into pieces;
`corrupt` makes slips for training, `decoys` people who do not exist. May import: compute, records, reference.
"""
