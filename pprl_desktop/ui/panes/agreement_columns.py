"""Which own column is meant by each field of a proposal: guessed, checked beside the field, corrected by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel

from pprl_desktop.job import offers
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.panes._work import kind_words
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, label
from pprl_desktop.ui.widgets.inputs import combo, pick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pprl_desktop.job.offers import Misfit
    from pprl_desktop.job.own_table import Seen
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.records.fields import Field


class ColumnChoice(Section):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__(tr("Your column for each field"), tr("The partner never sees the names of your columns."))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(2 * GRID)
        self._grid.setVerticalSpacing(GRID)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(2, 1)
        self.add(self._grid)
        self._fields: tuple[Field, ...] = ()
        self._seen: Seen | None = None
        self.boxes: dict[str, QComboBox] = {}
        self.remarks: dict[str, QLabel] = {}

    def show_fields(self, fields: Sequence[Field], seen: Seen | None, choices: Choices) -> None:
        """Columns chosen before stay, as long as it is the same proposal and the same table."""
        if tuple(fields) == self._fields and seen is self._seen:
            return
        self._fields, self._seen = tuple(fields), seen
        clear(self._grid)
        self.boxes, self.remarks = {}, {}
        if seen is None:
            return
        guessed = offers.guess_columns(fields, seen.profile, dict(choices.columns))
        named = [*seen.columns, *(one.name for one in seen.profile.joined)]
        for number, one in enumerate(fields):
            box = combo(
                tr("Your column for {field}", field=one.name),
                [(tr("choose …"), ""), *((name, name) for name in named if name not in choices.sensitive)],
                lambda _data: self._check(tell=True),
            )
            pick(box, guessed.get(one.name, ""))
            self.boxes[one.name], self.remarks[one.name] = box, label("", "warm")
            self._grid.addWidget(label(f"<b>{one.name}</b> · {kind_words()[one.kind]}"), number, 0)
            self._grid.addWidget(box, number, 1)
            self._grid.addWidget(self.remarks[one.name], number, 2)
        self._check(tell=False)

    def columns(self) -> tuple[tuple[str, str], ...]:
        return tuple((one.name, str(self.boxes[one.name].currentData() or "") if one.name in self.boxes else "")
                     for one in self._fields)  # fmt: skip

    def problem(self) -> str:
        """Why this cannot be signed yet; what is only odd stands beside its field."""
        chosen = dict(self.columns())
        missing = [name for name, column in chosen.items() if not column]
        if missing:
            return tr("Choose your column for: {names}", names=", ".join(missing))
        hard = [one.said for one in self._misfits() if one.hard]
        return tr_core(hard[0]) if hard else ""

    def _misfits(self) -> tuple[Misfit, ...]:
        if self._seen is None:
            return ()
        return offers.misfits(self._fields, dict(self.columns()), self._seen.profile)

    def _check(self, *, tell: bool) -> None:
        found = {one.field: tr_core(one.said) for one in self._misfits()}
        for name, remark in self.remarks.items():
            remark.setText(found.get(name, ""))
        if tell:
            self.changed.emit()
