"""Plots fed with plain data, coloured by the theme, each with a text summary and a table twin."""
