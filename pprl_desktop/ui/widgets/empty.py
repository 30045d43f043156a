"""What a pane shows before there is anything to show: why it is empty, and the button that fills it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from pprl_desktop.ui.widgets.basics import button, column, icon_label, label, row


class EmptyState(QWidget):
    def __init__(
        self, icon: str, title: str, sentence: str, actions: tuple[tuple[str, Callable[[], object]], ...] = ()
    ) -> None:
        super().__init__()
        picture = icon_label(icon, "muted", 40)
        heading = label(title, "heading")
        text = label(sentence, "muted")
        text.setMaximumWidth(460)
        for one in (heading, text):
            one.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.buttons = [button(name, act, kind="primary" if i == 0 else "") for i, (name, act) in enumerate(actions)]
        inner = column(row(None, picture, None), heading, row(None, text, None), gap=1)
        text.setMinimumWidth(320)
        if self.buttons:
            inner.addSpacing(8)
            inner.addLayout(row(None, *self.buttons, None))
        self.note = label("", "small")  # something to know before the button is pressed
        self.note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.note.hide()
        inner.addWidget(self.note)
        self.setLayout(column(None, inner, None, margin=2))

    def say(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))
