"""Files people have -> Table -> CleanTable.

The way through it: `encoding` and `dialect` say how a file is written, `parsing` and `cutting` take it apart, `reading`
puts them together and refuses what it cannot read exactly. `table` keeps a column as distinct values and codes.
`cleaning` brings fields to the agreed form with `normalise` and `dates`. `profile` says what was understood; `hints`
and `roles` are the one list of what a heading means, `redundancy` finds columns that others determine, `date_parts`
and `name_parts` dates in three columns and names in one, `duplicates` records held twice. May import: compute.
"""
