"""About: version, what is inside with its licences, and the bill of materials to keep.

The two files are made when the program is built (packaging/inventory.py); a source tree may have none.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QFileDialog, QPlainTextEdit, QVBoxLayout, QWidget

from pprl_desktop import __version__, resources
from pprl_desktop.ui.kit import icons, theme
from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.widgets.basics import button, column, follow, label, row
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

PROGRAM = "PPRL Desktop"
BILL, LICENCES = "sbom.cdx.json", "licences.txt"
_TITLE = re.compile(r"^(?P<title>[^\n]+)\n\n=+\n", re.MULTILINE)


@dataclass(frozen=True)
class Component:
    name: str
    version: str
    licence: str
    text: str


def components() -> list[Component]:
    """What this program is made of; empty in a source tree that was never built."""
    folder = resources.root() / "about"
    if not (folder / BILL).is_file() or not (folder / LICENCES).is_file():
        return []
    texts = licence_texts((folder / LICENCES).read_text(encoding="utf-8"))
    bill = json.loads((folder / BILL).read_text(encoding="utf-8"))
    found = []
    for part in bill["components"]:
        licence = part["licenses"][0]["license"]["name"]
        version = part.get("version", "")
        title = f"{part['name']} {version}".strip() + f" — {licence}"
        found.append(Component(part["name"], version, licence, texts.get(title, "")))
    return found


def licence_texts(text: str) -> dict[str, str]:
    """Title -> text, of a file of titles underlined with =."""
    titles = [match for match in _TITLE.finditer(text) if len(match["title"]) == match[0].count("=")]
    ends = [match.start() for match in titles[1:]] + [len(text)]
    return {match["title"]: text[match.end() : end].strip() for match, end in zip(titles, ends, strict=True)}


class AboutDialog(QDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About PPRL Desktop"))
        picture = label("", wrap=False)
        picture.setPixmap(icons.app_icon().pixmap(64, 64))
        picture.setAccessibleName(tr("The program's icon"))
        head = column(
            label(PROGRAM, "title"),
            label(tr("Version {version} · Qt {qt}", version=__version__, qt=qVersion()), "muted", selectable=True),
            label(tr("Find out which records two organisations share, without showing each other the rest.")),
            gap=0.5,
        )
        top = row(picture, head, gap=2)
        top.setStretch(1, 1)
        self.parts = components()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
        layout.setSpacing(2 * GRID)
        layout.addLayout(top)
        close = button(tr("Close"), self.accept, kind="primary")
        if self.parts:
            self.resize(760, 600)
        else:
            layout.addWidget(
                label(tr("The list of components is part of the installed program; this is a source tree."), "muted")
            )
            layout.addLayout(row(None, close))
            return
        layout.addWidget(label(tr_n("{n} component", "{n} components and their licences", len(self.parts)), "heading"))
        self.table = DataTable(
            tr("Components"),
            [ColumnSpec(tr("Component")), ColumnSpec(tr("Version")), ColumnSpec(tr("Licence"))],
            filter_line=True,
        )
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Licence text"))
        self.text.setTabChangesFocus(True)
        self._fonts()
        follow(self, self._fonts)
        self.table.selected.connect(self._show)
        self.table.show_rows([(part.name, part.version, part.licence) for part in self.parts])
        layout.addWidget(self.table, 3)
        layout.addWidget(self.text, 2)
        self._show(0)
        save = button(tr("Save the &bill of materials …"), self.ask_and_save, icon="save")
        set_tip(save, tr("A CycloneDX file for your IT department: every component with version and licence."))
        layout.addLayout(row(save, None, close))

    def _fonts(self) -> None:
        self.text.setFont(theme.font("small", mono=True))

    def _show(self, number: int) -> None:
        if 0 <= number < len(self.parts):
            self.text.setPlainText(self.parts[number].text or tr("The licence text is at the component's makers."))

    def ask_and_save(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, tr("Save the bill of materials"), f"pprl-desktop-{__version__}.cdx.json", "CycloneDX (*.json)"
        )
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        shutil.copyfile(resources.find("about", BILL), path)


def show(parent: QWidget) -> AboutDialog:
    dialog = AboutDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
