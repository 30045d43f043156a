"""The program's log: events by name with whitelisted fields, so that no personal value can reach a file.

Free text is never logged. A field that is not on the whitelist, or whose value is not of its declared
form, is replaced by a mark that says so.
"""

from __future__ import annotations

import json
import logging
import logging.handlers
import re
from pathlib import Path

from pprl_desktop import __version__, files

KEEP_BYTES, KEEP_FILES = 512_000, 3
_WORD = re.compile(r"[a-z][a-z0-9_.-]{0,39}")
_HASH = re.compile(r"[0-9a-f]{8,64}")
_PLACE = re.compile(r"[a-z_]{1,40}\.py:\d{1,6}")
_VERSION = re.compile(r"\d+(\.\d+){1,3}")

# what may be said, and in which form
FIELDS: dict[str, type[int] | type[float] | re.Pattern[str]] = {
    "step": _WORD,
    "verb": _WORD,
    "method": _WORD,
    "state": _WORD,
    "kind": _WORD,
    "error": re.compile(r"[A-Za-z_]{1,60}"),
    "place": _PLACE,
    "hash": _HASH,
    "version": _VERSION,
    "rows": int,
    "columns": int,
    "pairs": int,
    "bytes": int,
    "seconds": float,
}

_logger = logging.getLogger("pprl_desktop")
_logger.addHandler(logging.NullHandler())
_logger.propagate = False


def start(folder: Path) -> None:
    """Write the log into a folder of the project. Called once by the window or a verb that wants it."""
    files.make_folder(folder)
    stop()
    handler = logging.handlers.RotatingFileHandler(
        folder / "pprl-desktop.log", maxBytes=KEEP_BYTES, backupCount=KEEP_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    _logger.addHandler(handler)
    _logger.setLevel(logging.INFO)
    event("start", version=__version__)


def stop() -> None:
    for handler in list(_logger.handlers):
        if not isinstance(handler, logging.NullHandler):
            _logger.removeHandler(handler)
            handler.close()


def event(name: str, /, **fields: object) -> None:
    safe = {key: _checked(key, value) for key, value in fields.items() if key in FIELDS}
    if len(safe) < len(fields):
        safe["withheld"] = len(fields) - len(safe)
    _logger.info("%s %s", name if _WORD.fullmatch(name) else "event", json.dumps(safe, sort_keys=True))


def _checked(key: str, value: object) -> object:
    form = FIELDS[key]
    if isinstance(form, re.Pattern):
        return value if isinstance(value, str) and form.fullmatch(value) else "withheld"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "withheld"
    return round(form(value), 3)
