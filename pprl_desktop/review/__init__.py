"""Masked review of uncertain pairs: what a reviewer sees, what it costs, and who decided.

The way through it: `sources` and `plan` make a review; `gate` is the only giver of cells: it draws them (`masking`,
`marks`), counts the crowd (`index`), charges (`kapr`), writes the `ledger` and only then answers. `session` is one
reviewer's work, `desk` the manager's, with shares and votes (`share`, `roles`) and its folder (`desk_files`); `partner`
reviews with the cells of a partner, `estimates` and `report` say what came of it. May import: exchange and the rooms
above it.
"""
