"""Engines: where the blocks of a match run when one workstation is too small.

Threads of this computer are the default and need nothing from here. `cluster` reads what the steward configured and
opens `dask`, the only module of the program that may load a network module; `store` keeps packed arrays and finished
blocks in a folder that the workers share, `remote` is what a worker runs. May import: compute, and no other room.
"""
