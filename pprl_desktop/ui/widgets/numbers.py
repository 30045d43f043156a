"""The large number of a page: "97 of 100", what it counts in bold below, range and second opinion tiny below that."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGraphicsOpacityEffect, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.widgets.basics import column, label, row

Tint = Literal["", "accent", "warm", "danger", "muted"]
OLD = 0.45  # opacity of a number that is being measured again


def together(what: str) -> str:
    """A sign stays in the line of the word that it marks."""
    sign, _, rest = what.partition(" ")
    return f"{sign}\N{NO-BREAK SPACE}{rest}" if rest and len(sign) == 1 and not sign.isalnum() else what


class BigNumber(QWidget):
    """`size` is "figure" for the one number of the page, "second" for those beside it."""

    def __init__(self, what: str = "", tint: Tint = "", size: Literal["figure", "second"] = "figure") -> None:
        super().__init__()
        self.value = label("–", size, wrap=False)
        self.unit = label("", "second" if size == "figure" else "strong", wrap=False)
        self.what = label(together(what), "strong")
        self.note = label("", "tiny")
        self.note.hide()
        for one in (self.value, self.unit):
            one.setProperty("tint", tint)
        top = row(self.value, self.unit, None, gap=0.5)
        top.setAlignment(self.value, Qt.AlignmentFlag.AlignBottom)
        top.setAlignment(self.unit, Qt.AlignmentFlag.AlignBottom)
        self.unit.setContentsMargins(0, 0, 0, 5 if size == "figure" else 1)  # on the line of the large digits
        layout = column(top, self.what, self.note, None, gap=0.25)
        layout.setContentsMargins(0, 0, 0, 0)
        self.setLayout(layout)
        self._effect: QGraphicsOpacityEffect | None = None

    def show_number(self, value: str, unit: str = "", note: str = "", exact: str = "") -> None:
        """The number in the reader's form ("97"), its unit ("of 100"), and the exact value on hover."""
        self.value.setText(value)
        self.unit.setText(unit)
        self.unit.setVisible(bool(unit))
        self.note.setText(note)
        self.note.setVisible(bool(note))
        set_tip(self, exact)
        self.setAccessibleName(" ".join(part for part in (value, unit, self.what.text(), note) if part))
        self.dim(False)

    def say(self, what: str) -> None:
        self.what.setText(together(what))

    def set_tint(self, tint: Tint) -> None:
        for one in (self.value, self.unit):
            theme.set_role(one, "tint", tint)

    def dim(self, old: bool) -> None:
        """While it is measured again the old number stays, faint."""
        if old == (self._effect is not None):
            return
        self._effect = QGraphicsOpacityEffect(self) if old else None
        if self._effect is not None:
            self._effect.setOpacity(OLD)
        self.setGraphicsEffect(self._effect)  # type: ignore[arg-type]
