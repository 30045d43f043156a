"""The window. Nothing outside this room imports Qt."""
