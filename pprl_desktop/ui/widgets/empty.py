"""What a pane shows before there is anything to show: one line, one button, and a few short facts; never taller."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import button, column, icon_label, label, row
from pprl_desktop.ui.widgets.reflow import columns, flow

Act = tuple[str, Callable[[], object]]


class EmptyState(QFrame):
    """With `drops`, a dashed edge says that something can be dropped here; the window takes the drop itself."""

    def __init__(
        self,
        icon: str,
        title: str,
        sentence: str,
        actions: Sequence[Act] = (),
        *,
        drops: bool = False,
        flat: bool = False,
    ) -> None:
        """`flat`: in one line, where it is one way among several and not what the page is about."""
        super().__init__()
        if drops:
            self.setProperty("card", "drop")
        picture = icon_label(icon, "accent_text", 20 if flat else 32)
        self.heading = heading = label(title, "strong" if flat else "second")
        self.text = text = label(sentence, "muted")
        self.buttons = [button(name, act, kind="primary" if i == 0 else "") for i, (name, act) in enumerate(actions)]
        self.note = label("", "small")  # something to know before the button is pressed
        self.note.hide()
        if flat:
            told = column(heading, text, self.note, gap=0.25)
            line = row(picture, told, *self.buttons, gap=1.5, margin=1.5)
            line.setStretch(1, 1)
            self.setLayout(line)
            return
        for one in (heading, text, self.note):
            one.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        inner = column(row(None, picture, None), heading, text, gap=0.75, margin=3 if drops else 1)
        if self.buttons:
            inner.addSpacing(GRID)
            inner.addLayout(flow(*self.buttons, centred=True))
        inner.addWidget(self.note)
        self.setLayout(inner)

    def tell(self, title: str, sentence: str) -> None:
        self.heading.setText(title)
        self.text.setText(sentence)

    def say(self, text: str) -> None:
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def hover(self, over: bool) -> None:
        """A file is being dragged over the window."""
        if self.property("card"):
            theme.set_role(self, "card", "drop-hover" if over else "drop")


def short_facts(*facts: tuple[str, str, str]) -> QWidget:
    """Icon, a few bold words and a sentence, side by side below an empty state."""
    made = []
    for icon, title, sentence in facts:
        top = row(icon_label(icon, "accent_text", 18), label(title, "strong"), gap=1)
        top.setStretch(1, 1)
        made.append(column(top, label(sentence, "small"), None, gap=0.5))
    place = QWidget()
    layout = columns(*made, least=200, gap=3)
    layout.setContentsMargins(0, 0, 0, 0)
    place.setLayout(layout)
    return place


def copies(event: QDragEnterEvent | QDragMoveEvent | QDropEvent) -> bool:
    """Take a dragged file as a copy only: a move would let the file manager delete the steward's original."""
    if not event.mimeData().hasUrls() or not event.possibleActions() & Qt.DropAction.CopyAction:
        return False
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
    return True
