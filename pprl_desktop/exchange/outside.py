"""The end of the release ledger, noted once more outside the home folder, so that a whole folder put back is noticed.

Everything inside the folder is as old as the copy that it was put back from, and agrees with itself. This note lies in
another folder of the same account: who puts both back, or works with the folder on another computer, is not noticed.
It holds a number and a hash. Only the steward's usual home folder has one.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from pprl_desktop import files
from pprl_desktop.exchange import refusals, strict
from pprl_desktop.exchange.agreement import Anchor
from pprl_desktop.problem import Problem

MAX_NOTE = 1024  # bytes


def folder() -> Path:
    """PPRL_STATE, or the platform's folder for what a program remembers; never inside the home folder."""
    given = os.environ.get("PPRL_STATE")
    return Path(given) if given else files.platform_folder("state")


def noted(home: Path, key: str) -> Anchor:
    """`key`: fingerprint of the signing key. A note that cannot be read is none: it only ever adds to the others."""
    try:
        plain = strict.loads(files.read_bytes(_path(home, key), MAX_NOTE, refusals.damaged()), "note")
        events = strict.integer(plain, "events", 0, 1 << 31)
        return Anchor(events, strict.hexes(plain, "head", 32 if events else 0))
    except (Problem, OSError):
        return Anchor()


def note(home: Path, key: str, anchor: Anchor) -> None:
    path = _path(home, key)
    try:
        files.make_folder(path.parent)
        files.write_bytes(path, strict.dumps({"events": anchor.events, "head": anchor.head}))
    except (Problem, OSError):  # nothing depends on it: what the folder itself notes still holds
        return


def _path(home: Path, key: str) -> Path:
    name = hashlib.sha256(f"pprl-outside/v1\0{home.resolve()}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()
    return folder() / "ledger-ends" / f"{name[:32]}.json"
