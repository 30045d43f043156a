"""Synthetic pairs, precision and recall, epsilon sweep, comparison of methods."""
