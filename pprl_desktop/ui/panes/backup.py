"""The key backup: 48 words to print and lock away, shown only on demand."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QGridLayout, QVBoxLayout, QWidget

from pprl_desktop.ui.desk import Desk
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import button, label, row

COLUMNS = 4


def show_backup(parent: QWidget, desk: Desk) -> QDialog | None:
    from pprl_desktop.exchange import identity

    own = desk.identity()
    if own is None:
        return None
    words = identity.backup_words(own)
    dialog = QDialog(parent.window())
    dialog.setWindowTitle(tr("Back up the key"))
    layout = QVBoxLayout(dialog)
    layout.setContentsMargins(3 * GRID, 3 * GRID, 3 * GRID, 2 * GRID)
    layout.setSpacing(2 * GRID)
    layout.addWidget(label(tr("Print or write down these 48 words and lock them away"), "heading"))
    layout.addWidget(
        label(tr("Whoever has them has your key; no passphrase is needed. They are not saved anywhere."), "warm")
    )
    grid = QGridLayout()
    grid.setHorizontalSpacing(3 * GRID)
    lines = -(-len(words) // COLUMNS)
    for number, word in enumerate(words):
        grid.addWidget(label(f"{number + 1:2d}  {word}", "mono", wrap=False), number % lines, number // lines)
    layout.addLayout(grid)
    copy = button(tr("Copy"), lambda: QApplication.clipboard().setText(" ".join(words)), icon="copy")
    layout.addLayout(row(copy, None, button(tr("Close"), dialog.accept, kind="primary")))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog
