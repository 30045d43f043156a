"""One fact per line: an icon and a sentence."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout

from pprl_desktop.ui.widgets.basics import icon_label, label, row


def fact(icon: str, text: str, token: str = "muted", size: int = 16) -> QHBoxLayout:
    """An icon and what it stands for; the icon keeps to the first line of a long text."""
    picture = icon_label(icon, token, size)
    line = row(picture, label(text, "muted"), gap=1 if size <= 16 else 1.5)
    line.setAlignment(picture, Qt.AlignmentFlag.AlignTop)
    line.setStretch(1, 1)
    return line
