"""Where sealed files come from and go to: one folder per project that the steward can change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from pprl_desktop import files
from pprl_desktop.records.formats import ENDINGS
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.panes.base import Pane

if TYPE_CHECKING:
    from pprl_desktop.project.project import Project

PLACES = "post places"  # artefact: paths of files written for the partner
TABLES = (".csv", ".tsv", ".tab", ".txt", ".dat", ".asc", ".gz", ".zip", *ENDINGS)


def table_filter() -> str:
    """Of a dialog that asks for a table of any kind."""
    return f"{tr('Tables')} ({' '.join(f'*{ending}' for ending in TABLES)});;* (*)"


def post(pane: Pane) -> Path:
    """Beside the project: what was written for the partner."""
    folder = pane.project.folder / "post"
    files.make_folder(folder)
    return folder


def next_path(pane: Pane, stem: str) -> Path:
    """A name in that folder that is not taken: result.pprl, result-2.pprl."""
    folder = post(pane)
    names = (f"{stem}.pprl", *(f"{stem}-{number}.pprl" for number in range(2, 10_000)))
    return next(path for path in (folder / name for name in names) if not path.exists())


def out_path(pane: Pane, title: str, name: str) -> Path | None:
    """Asked for; a name that is free is offered, because what was written before may have been sent."""
    free = next_path(pane, Path(name).stem)
    chosen, _ = QFileDialog.getSaveFileName(pane, title, str(free), f"{tr('Sealed files')} (*.pprl)")
    if not chosen:
        return None
    path = Path(chosen)
    path = path if path.suffix else path.with_suffix(".pprl")
    kept = [one for one in places(pane.project) if one != str(path)]
    pane.project.keep(PLACES, json.dumps([*kept, str(path)]).encode())
    return path


def places(project: Project) -> list[str]:
    """Where the steward had files for the partner written, so that Post finds them there."""
    return kept_texts(project, PLACES)


def kept_texts(project: Project, name: str) -> list[str]:
    """A list that a page keeps in the project file; what is none was changed by somebody else and is left alone."""
    kept = project.artefact(name)
    try:
        plain = json.loads(kept) if kept else []
    except ValueError:
        return []
    return [one for one in plain if isinstance(one, str)] if isinstance(plain, list) else []


def show_in_folder(pane: Pane, path: Path) -> None:
    """The folder in the file manager; where there is none, its path in words."""
    folder = path if path.is_dir() else path.parent
    if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
        pane.say("info", tr("It lies here: {path}", path=str(path)))


def choose_sealed(pane: Pane) -> str:
    chosen, _ = QFileDialog.getOpenFileName(
        pane, tr("Open a file from the partner"), str(post(pane)), f"{tr('Sealed files')} (*.pprl *.age)"
    )
    return chosen
