"""PPRL Desktop: link the records of two organisations without showing each other the rest."""

__version__ = "0.1.0"
