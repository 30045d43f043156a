"""Keys of the method blind: several fields, whole or in part, that together name a person (ARCHITECTURE 4.6).

The way through it: atoms (a field in part) -> recipe (which keys, in words) -> worlds (what damage keys survive) and
coverage (what guessing reaches) -> choose (which keys, on the own table alone).
"""
