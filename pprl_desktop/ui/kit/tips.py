"""Tooltips and questions show a text as it stands.

Qt guesses from a text whether it is HTML, and would then draw what a partner, a table's heading or a file's name says
to draw: a picture from the disk, a heading, words in another colour.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMessageBox, QWidget


def plain(text: str) -> str:
    """What to give to Qt so that it shows this text, sign by sign. Most texts are given as they are."""
    if "<" not in text and "&lt;" not in text:  # Qt takes no other text for HTML
        return text
    shown = escape(text).replace("\n", "<br>")
    return f"<qt>{shown}</qt>"


def set_tip(of: QWidget | QAction, text: str) -> None:
    """The one way to set a tooltip."""
    of.setToolTip(plain(text))


def question(parent: QWidget | None, icon: QMessageBox.Icon, text: str, more: str = "") -> QMessageBox:
    """The one way to make a box of the program: buttons are the caller's."""
    box = QMessageBox(parent)
    box.setIcon(icon)
    box.setWindowTitle("PPRL Desktop")
    box.setText(text)
    box.setInformativeText(more)
    for words in box.findChildren(QLabel):  # the format of the box is that of its first text only
        words.setTextFormat(Qt.TextFormat.PlainText)
    return box
