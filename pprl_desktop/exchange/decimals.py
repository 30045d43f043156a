"""A number as the one text that stands for it in signed documents, where JSON holds integers and strings only."""

from __future__ import annotations


def decimal(value: float | None) -> str:
    """The shortest text that gives the same number back; nothing for no number."""
    return "" if value is None else repr(float(value)).removesuffix(".0")
