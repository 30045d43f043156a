"""Public records that values are measured against, and lists of names.

The way through it: `sets` is a reference set, `load` finds one by name or file, `derived` makes one from the shared
secret, `overlap` says how well it suits a table; `names` are lists with counts. May import: compute, records.
"""
