"""The time as it stands in signed files."""

from __future__ import annotations

import re
from datetime import UTC, datetime

_WRITTEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_written(text: str) -> bool:
    """A date and time in UTC, as we write it."""
    return _WRITTEN.fullmatch(text) is not None
