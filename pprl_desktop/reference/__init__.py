"""Reference sets: built in, from a CSV, derived from the shared secret; overlap check."""
