"""Algorithms 2 and 3 of the split-learning paper: training at each party alone, and the join."""
