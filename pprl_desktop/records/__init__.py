"""CSV -> Table: reading, cleaning, profiling, duplicates."""
