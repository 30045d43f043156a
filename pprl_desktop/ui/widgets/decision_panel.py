"""The choice panel: six points from different to same, cannot tell, and a note."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QWidget

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.widgets.basics import button, column, label, row


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
    """Six decisions in words with their keys, and one for not knowing."""

    decided = Signal(int)
    note_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Your decision"))
        self._group = QButtonGroup(self)
        self._group.setExclusive(False)
        self.points = {}
        surely, probably, perhaps = tr("surely"), tr("probably"), tr("perhaps")
        for point, word in ((1, surely), (2, probably), (3, perhaps), (0, tr("cannot tell")), (4, perhaps),
                            (5, probably), (6, surely)):  # fmt: skip
            made = button(f"{word}\n{point}", lambda p=point: self._click(p), kind="decision",
                          tip=f"{point_words(point)} ({point})")  # fmt: skip
            made.setAccessibleName(point_words(point))
            made.setAccessibleDescription(tr("key {key}", key=point))
            made.setCheckable(True)
            made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._group.addButton(made, point)
            self.points[point] = made
        self.note = button(tr("Add note"), self.note_asked.emit, tip=tr("Add a note ({key})", key="N"), kind="link")
        ends = row(
            label(tr("Different people"), "column", wrap=False), None,
            label(tr("The same person"), "column", wrap=False),
        )  # fmt: skip
        self.keys = label(
            tr(
                "A key decides and goes on. U takes the last decision back; what was opened stays opened. "
                "? explains the marks."
            ),
            "tiny",
        )
        foot = row(self.keys, self.note, gap=1)
        foot.setStretch(0, 1)
        self.setLayout(column(ends, row(*self.points.values(), gap=1), foot, gap=0.5))

    def _click(self, point: int) -> None:
        self.show_decision(None)
        self.decided.emit(point)

    def show_decision(self, point: int | None, note: str = "") -> None:
        for number, made in self.points.items():
            made.setChecked(number == point)
        self.note.setText(tr("Edit note") if note else tr("Add note"))
        self.note.setAccessibleName(self.note.text())
