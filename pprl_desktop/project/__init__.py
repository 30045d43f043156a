"""The steward's state and nothing else.

The way through it: `choices` are all that was chosen, `steps` say what is done, ready or stale, `project` changes
them with named undo, `store` is the file. May import: every room above it.
"""
