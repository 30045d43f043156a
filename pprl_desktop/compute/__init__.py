"""Threads, attended work and kernels over arrays: knows nothing of records.

The way through it: `attended` runs long work that hears Cancel at any moment, `threads` cuts it into blocks; `bits` and
`bit_planes` compare packed bits, `assignment` finds the best one-to-one pairs of a sparse graph. May import: no room.
"""
