"""The bottom of a page: what there is to know in a line, why Next is not yet possible, further verbs, Back and Next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QSizePolicy

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.widgets.basics import Brief, button, row, set_kind

STATUS_LEAST = 110  # px, at the usual text size, for a word about the state


def mnemonic(text: str) -> str:
    """Alt and the first letter press it; a text that names another letter keeps it."""
    return text if "&" in text or not text else f"&{text}"


class BottomBar(QFrame):
    def __init__(self, go_back: Callable[[], object], go_next: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("side", "bottom")
        self.status = Brief(whole=True)
        self.reason = Brief()
        self.reason.hide()
        self._extra = QHBoxLayout()
        self._extra.setSpacing(GRID)
        self.back = button(tr("&Back"), go_back)
        self.next = button(tr("&Next"), go_next, kind="primary")
        said = row(self.status, self.reason, self._extra, gap=1.5)
        said.setStretch(0, 1)
        said.setStretch(1, 1)
        # beside the button, whose own shortcut is Alt and its letter: it can have one only
        anywhere = QShortcut(QKeySequence("Ctrl+Return"), self)
        anywhere.activated.connect(self._press_next)
        self._moves = row(None, self.back, self.next, gap=1)
        self._bar = row(said, self._moves, gap=1.5)
        self._bar.setContentsMargins(4 * GRID, 9, 4 * GRID, 10)
        self._bar.setStretch(0, 1)
        self.setLayout(self._bar)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _press_next(self) -> None:
        if self.next.isVisible():
            self.next.click()

    def say(self, status: str, reason: str) -> None:
        """One quiet line: what is missing before Next, else what there is to know."""
        self.status.setText(status)
        self.reason.setText(reason)
        self.reason.setVisible(bool(reason))
        self.status.setVisible(not reason)

    def tell(self, news: str) -> None:
        """What just happened; until the page says something else."""
        self.status.setText(news)
        self.status.show()
        self.reason.hide()

    def show_next(self, text: str, reason: str, possible: bool) -> None:
        """`text` '': this page leads nowhere."""
        self.next.setVisible(bool(text))
        self.next.setEnabled(possible)
        if self.next.text() != mnemonic(text):
            self.next.setText(mnemonic(text))
        self.next.setAccessibleName(text.replace("&", ""))
        self.next.setAccessibleDescription(reason)
        set_tip(self.next, reason or tr("Ctrl+Enter works in every field"))

    def blue(self, next_is: bool) -> None:
        """One blue button on the screen: Next, unless the page has one of its own to press first."""
        set_kind(self.next, "primary" if next_is else "")

    def show_extra(self, wanted: Sequence[QPushButton]) -> None:
        if list(wanted) == [self._extra.itemAt(i).widget() for i in range(self._extra.count())]:
            return
        while self._extra.count():
            item = self._extra.takeAt(0)
            if item.widget() is not None:
                item.widget().hide()  # in words: a layout shows what was put into it a turn later, without a parent too
                item.widget().setParent(None)
        for one in wanted:
            self._extra.addWidget(one)
            one.show()

    def fit(self, room: int) -> None:
        """One line where everything has room, else the two ways onward in a line of their own."""
        words = STATUS_LEAST * theme.zoom()
        if self.reason.text():  # it is why one cannot go on: two lines of it have room
            words = max(words, min(0.6 * self.reason.fontMetrics().horizontalAdvance(self.reason.text()), 2 * words))
        needed = words + self._extra.minimumSize().width() + self._moves.minimumSize().width() + 9 * GRID
        beside = needed <= room
        self._bar.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
        self.status.setVisible(not self.reason.text() and (beside or bool(self.status.text())))
