"""The steward's preferences for the window, kept outside any project. Nothing personal: names of files only."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QStandardPaths

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit import theme

RECENT = 40  # projects remembered
FOLDER_VARIABLE = "PPRL_DESKTOP_SETTINGS"  # a folder; for tests and for portable installations


@dataclass(frozen=True)
class Known:
    """What the start page tells of a project without opening it, as it was when it was last left."""

    path: str
    title: str
    partner: str = ""  # the name on the partner's card
    contact: str = ""  # id of that card
    agreement: str = ""
    step: str = ""  # title of the step it stands at; "" when finished
    number: int = 0
    steps: int = 10
    waits: str = ""  # for whom, where the project waits
    since: str = ""
    opened: float = 0.0  # seconds since the epoch
    archived: bool = False
    kind: str = "partner"  # or of the own files only


@dataclass(frozen=True)
class Preferences:
    theme: theme.Mode = "system"
    language: str = "system"
    zoom: float = 1.0
    help_panel: bool = True
    expert: bool = False
    recent: tuple[str, ...] = field(default=())
    known: tuple[Known, ...] = field(default=())  # newest first
    reopen: bool = True  # continue with the last project
    organisation: str = ""  # the name on the own card, for the start page
    window: tuple[int, int, bool] = (0, 0, False)  # width, height, maximised; 0: not opened yet
    engine: str = "threads"  # or the address of the organisation's cluster, with what it takes to connect
    tls_ca: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    cluster_folder: str = ""


def folder() -> Path:
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppConfigLocation))


def load() -> Preferences:
    try:
        plain: dict[str, Any] = json.loads((folder() / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Preferences()
    known = {f.name for f in fields(Preferences)}
    values = {name: value for name, value in plain.items() if name in known}
    values["recent"] = tuple(str(path) for path in values.get("recent", ()))
    values["known"] = tuple(filter(None, map(_known, values.get("known", ()))))
    values["window"] = _size(values.get("window"))
    if values.get("theme") not in theme.MODES:
        values["theme"] = "system"
    try:
        values["zoom"] = min(2.0, max(0.8, float(values.get("zoom", 1.0))))
        return Preferences(**values)
    except (TypeError, ValueError):
        return Preferences()


def _known(plain: Any) -> Known | None:
    """A line that an older or a newer version wrote differently is left out; the project itself is not touched."""
    try:
        made = Known(**plain)
    except TypeError:
        return None
    fits = all(type(getattr(made, f.name)) is type(f.default) for f in fields(Known) if f.name not in ("path", "title"))
    return made if fits and isinstance(made.path, str) and isinstance(made.title, str) else None


def _size(value: Any) -> tuple[int, int, bool]:
    if not isinstance(value, list) or len(value) != 3 or not all(isinstance(one, int) for one in value):
        return 0, 0, False
    return max(value[0], 0), max(value[1], 0), bool(value[2])


def save(preferences: Preferences) -> None:
    """Best effort: a read-only home must not stop the work."""
    target = folder() / "settings.json"
    with contextlib.suppress(OSError, Problem):
        files.make_folder(target.parent)
        files.write_text(target, json.dumps(asdict(preferences), indent=1))


def remember(preferences: Preferences, path: Path) -> Preferences:
    text = str(path.resolve())
    return replace(preferences, recent=(text, *(p for p in preferences.recent if p != text))[:RECENT])


def note(preferences: Preferences, one: Known) -> Preferences:
    """What is known of a project now, in place of what was; it goes to the top."""
    others = tuple(other for other in preferences.known if other.path != one.path)
    return replace(preferences, known=(one, *others)[:RECENT])
