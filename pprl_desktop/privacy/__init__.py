"""What may be said about privacy, and the noise it rests on.

The way through it: `statements` says what holds for a recipe, as a value of `claims`, from the `shape` of what leaves
and from `composition`; `blind` does so for the method that asks. `noise` is the one place that adds noise to codes that
leave, by the exact samplers of `mechanisms` on a `keystream`. May import: compute, records, reference, codes.
"""
