"""The job, once, for window, terminal, demo and tests.

May import every room but verbs and ui, which show what it gives.
"""
