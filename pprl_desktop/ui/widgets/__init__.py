"""Building blocks of the panes; none of them knows the project."""
