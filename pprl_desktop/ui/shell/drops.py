"""What to do with a file from outside: by its ending, and in words when it is none of ours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr

if TYPE_CHECKING:
    from pprl_desktop.ui.shell.main_window import MainWindow

PROJECT = ".pprlproject"
TABLES = (".csv", ".tsv", ".tab", ".txt")
CARD = ".pprlcard"
EXCHANGE = (".pprl", ".age")  # every sealed file of the partner


def take(window: MainWindow, path: Path) -> None:
    suffix = path.suffix.lower()
    if not path.is_file():
        raise Problem(tr("This file is not there any more."), do=tr("Choose it where it is now."))
    if suffix == PROJECT:
        window.desk.open_project(path)
        return
    if window.pane().accepts(suffix):
        window.pane().take_file(str(path))
        return
    target = _target(suffix)
    if not target:
        raise Problem(
            tr("A file of this kind ({ending}) is not used here.", ending=suffix or tr("without ending")),
            tr("Accepted are tables (.csv, .tsv, .txt), contact cards, sealed files from the partner, and projects."),
            tr("From a spreadsheet, save the sheet as CSV first.") if suffix in (".xlsx", ".xls", ".ods") else "",
            place="file",
        )
    if window.desk.project is None and target not in ("contacts",):
        window.show_pane("welcome")
        window.pane().take_file(str(path))
        return
    window.show_pane(target)
    window.pane().take_file(str(path))


def _target(suffix: str) -> str:
    if suffix in TABLES:
        return "data"
    if suffix == CARD:
        return "contacts"
    if suffix in EXCHANGE:
        return "partner"
    return ""
