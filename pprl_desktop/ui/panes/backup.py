"""The key backup: 48 words to print and lock away, shown only on demand."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QGridLayout, QVBoxLayout, QWidget

from pprl_desktop.ui.desk import Desk
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import button, label, row

COLUMNS = 4
SHORT = 60_000  # ms that copied words stay in the clipboard
# marks by which programs that keep a history of the clipboard know what not to keep (KDE, Windows)
SECRET = {"x-kde-passwordManagerHint": b"secret", "ExcludeClipboardContentFromMonitorProcessing": b"1"}


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
    copy = button(tr("Copy"), lambda: copy_for_a_while(" ".join(words)), icon="copy")
    hint = label(tr("Copied words are cleared from the clipboard after a minute."), "muted")
    layout.addLayout(row(copy, hint, None, button(tr("Close"), dialog.accept, kind="primary")))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def copy_for_a_while(text: str) -> None:
    """Into the clipboard, and out of it again after a short time or with the program, if it is still there."""
    board, app = QApplication.clipboard(), QApplication.instance()
    assert app is not None
    data = QMimeData()
    data.setText(text)
    for kind, value in SECRET.items():
        data.setData(kind, value)
    board.setMimeData(data)

    def clear() -> None:
        if board.text() == text:
            board.clear()

    QTimer.singleShot(SHORT, app, clear)
    app.aboutToQuit.connect(clear)
