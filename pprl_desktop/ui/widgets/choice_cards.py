"""Cards of which one is chosen (methods, starting points): a radio group with a sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QGridLayout, QRadioButton, QVBoxLayout, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import follow, label
from pprl_desktop.ui.widgets.reflow import columns


@dataclass(frozen=True)
class Choice:
    name: str
    title: str
    sentence: str
    note: str = ""  # a short mark: "main method", "only for comparison"
    enabled: bool = True


class ChoiceCard(QFrame):
    def __init__(self, choice: Choice) -> None:
        super().__init__()
        self.choice = choice
        self.setProperty("card", "true")
        self.radio = QRadioButton(choice.title)
        self.radio.setFont(theme.font(strong=True))
        self.radio.setAccessibleName(choice.title)
        self.radio.setAccessibleDescription(" ".join(part for part in (choice.sentence, choice.note) if part))
        self.radio.setEnabled(choice.enabled)
        self.title = label(choice.title, "heading")
        self.radio.setText("")
        self._fit()
        follow(self, self._fit)
        head = QGridLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setHorizontalSpacing(GRID)
        head.addWidget(self.radio, 0, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.title, 0, 1)
        head.setColumnStretch(1, 1)
        inner = QVBoxLayout(self)
        inner.setContentsMargins(round(1.5 * GRID), round(1.5 * GRID), round(1.5 * GRID), round(1.5 * GRID))
        inner.setSpacing(6)
        inner.addLayout(head)
        inner.addWidget(label(choice.sentence, "muted"))
        inner.addStretch(1)
        if choice.note:
            inner.addWidget(label(choice.note, "small"))
        self.radio.toggled.connect(lambda on: theme.set_role(self, "card", "chosen" if on else "true"))
        self.setCursor(Qt.CursorShape.PointingHandCursor if choice.enabled else Qt.CursorShape.ArrowCursor)

    def _fit(self) -> None:
        self.radio.setFixedWidth(theme.grown(16) + GRID)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.choice.enabled:
            self.radio.setFocus(Qt.FocusReason.MouseFocusReason)
            self.radio.click()
        event.accept()


class ChoiceCards(QWidget):
    """Arrow keys move between the cards, as between radio buttons."""

    chosen = Signal(str)

    def __init__(self, name: str, choices: Sequence[Choice], least: int = 160) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self.cards: dict[str, ChoiceCard] = {}
        for number, choice in enumerate(choices):
            card = ChoiceCard(choice)
            self.cards[choice.name] = card
            self._group.addButton(card.radio, number)
        self.setLayout(columns(*self.cards.values(), least=least, gap=1.5))
        self._names = [choice.name for choice in choices]
        self._group.idClicked.connect(lambda number: self.chosen.emit(self._names[number]))

    def choose(self, name: str) -> None:
        """Show a choice without telling anyone."""
        if name in self.cards:
            self._group.blockSignals(True)
            self.cards[name].radio.setChecked(True)
            self._group.blockSignals(False)

    def current(self) -> str:
        number = self._group.checkedId()
        return self._names[number] if number >= 0 else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}.get(
            Qt.Key(event.key())
        )
        usable = [n for n in self._names if self.cards[n].choice.enabled]
        if step is None or self.current() not in usable:
            super().keyPressEvent(event)
            return
        name = usable[(usable.index(self.current()) + step) % len(usable)]
        self.cards[name].radio.setFocus(Qt.FocusReason.TabFocusReason)
        self.cards[name].radio.click()
