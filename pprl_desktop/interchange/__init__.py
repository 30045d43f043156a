"""Formats of other tools: read, written and matched here so that their users can work with ours.

clk_schema.py   a linkage schema of version 3, as clkhash reads it -> Schema
clk_fitting.py  case and dates brought into the form of a schema, and said
clk_encode.py   a table and a schema -> CLKs, equal to the package's to the bit
clk_match.py    CLKs against CLKs
clk_files.py    CLK JSON, with or without blocks, and the zip of the CODI tools
link_tokens.py  Open Link Token rules T1 to T5, their HMAC step
pairs.py        pairs with probability and evidence, for Splink's users and R

What these formats give away to whoever holds the secret is said beside them and measured by the rehearsal. May import:
matching and what is below it.
"""
