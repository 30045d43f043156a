"""The sample project: two invented hospitals, one folder, ready to be walked through."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop import resources
from pprl_desktop.ui.kit.i18n import tr

if TYPE_CHECKING:
    from pprl_desktop.ui.desk import Desk

OWN_TABLE = ("samples", "hospital_a.csv")


def free_path(folder: Path, stem: str) -> Path:
    """A name that is not taken yet, so that trying again never overwrites."""
    for number in range(1, 1000):
        path = folder / f"{stem}{'' if number == 1 else f' {number}'}.pprlproject"
        if not path.exists():
            return path
    return folder / f"{stem} {number}.pprlproject"


def open_sample(desk: Desk, folder: Path) -> None:
    table = resources.find(*OWN_TABLE)
    desk.create_project(free_path(folder, tr("Sample project")), tr("Sample project"))
    desk.change("Open the sample", table_path=str(table))
    desk.go_to.emit("data")
