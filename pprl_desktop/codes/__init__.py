"""How a cleaned table becomes numbers: one file per method."""
