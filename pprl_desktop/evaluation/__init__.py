"""Both parties in one process: figures, forecasts, sweeps.

The way through it: `play` plays a recipe on two tables, `figures` counts against the truth, `synthetic` makes pairs
from one table for a forecast, `tables` compares methods and epsilons; `blind` plays that protocol. May import:
rehearsal and the rooms above it.
"""
