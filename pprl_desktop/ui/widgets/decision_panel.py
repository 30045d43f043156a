"""The choice panel: six points from different to same, cannot tell, and a note."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QWidget

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.widgets.basics import button, column, label, row
from pprl_desktop.ui.widgets.reflow import flow

LETTERS = {1: "H", 2: "M", 3: "L", 4: "L", 5: "M", 6: "H"}


def point_words(point: int) -> str:
    return {
        0: tr("cannot tell"),
        1: tr("different, surely"),
        2: tr("different, probably"),
        3: tr("different, perhaps"),
        4: tr("same, perhaps"),
        5: tr("same, probably"),
        6: tr("same, surely"),
    }[point]


class DecisionPanel(QWidget):
    decided = Signal(int)
    note_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Your decision"))
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self.points = {}
        for point, letter in LETTERS.items():
            made = button(letter, lambda p=point: self._click(p), kind="choice", tip=f"{point_words(point)} ({point})")
            made.setAccessibleName(point_words(point))
            made.setAccessibleDescription(tr("key {key}", key=point))
            made.setCheckable(True)
            self._group.addButton(made, point)
            self.points[point] = made
        divider = QFrame()
        divider.setFixedWidth(1)
        divider.setMinimumHeight(36)
        divider.setProperty("card", "soft")
        self.unsure = button(tr("Cannot tell"), lambda: self._click(0), tip=tr("Cannot tell ({key})", key="0"))
        self.unsure.setCheckable(True)
        self.note = button(tr("Add note"), self.note_asked.emit, tip=tr("Add a note ({key})", key="N"), icon="note")
        line = flow(
            row(label(tr("Different"), "strong", wrap=False), *(self.points[n] for n in (1, 2, 3)), divider, gap=1.25),
            row(*(self.points[n] for n in (4, 5, 6)), label(tr("Same"), "strong", wrap=False), 2, gap=1.25),
            row(self.unsure, self.note, gap=1.25),
            gap=1.25,
            centred=True,
        )
        self.keys = label(
            tr(
                "keys 1 2 3 | 4 5 6 decide and go on · 0 cannot tell · arrows move · Space opens · "
                "U takes a decision back · ? legend"
            ),
            "small",
        )
        self.keys.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setLayout(column(line, self.keys, gap=1))

    def _click(self, point: int) -> None:
        self.show_decision(None)
        self.decided.emit(point)

    def show_decision(self, point: int | None, note: str = "") -> None:
        for number, made in self.points.items():
            made.setChecked(number == point)
        self.unsure.setChecked(point == 0)
        self.note.setText(tr("Edit note") if note else tr("Add note"))
        self.note.setAccessibleName(self.note.text())
