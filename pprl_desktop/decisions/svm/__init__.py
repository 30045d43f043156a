"""Algorithms 2 and 3 of the split-learning paper (Karakasidis et al.).

Algorithm 2, training at each party alone: `training` -> `rule`. Algorithm 3, matching: `join`, which gives the pairs of
the paper's double loop by an exact search (`search`, `bounds`, `vectors`, `kernels`); `border` calibrates.
"""
