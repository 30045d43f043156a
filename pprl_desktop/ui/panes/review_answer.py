"""Answering the partner's request: what would leave in clear, to whom and why; a confirmation; the sealed file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._files import out_path
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.banner import Banner, clear
from pprl_desktop.ui.widgets.basics import Brief, Section, boxed, button, column, label, line, row
from pprl_desktop.ui.widgets.facts import tag
from pprl_desktop.ui.widgets.inputs import check_line
from pprl_desktop.ui.widgets.meter import Bar
from pprl_desktop.ui.widgets.pair_view import field_title
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.slip import ReleaseSlip, Slip

if TYPE_CHECKING:
    from pprl_desktop.exchange.clear_cells import InClear, SentInClear


class AnswerInClear(QWidget):
    """Shaped like Export: nothing is written before it was shown, counted on this computer and confirmed."""

    titled = Signal(str, str)
    ended = Signal()

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self.pane = pane
        self.planned: InClear | None = None
        self.shown = column(gap=2)
        self.known = QCheckBox()
        self.write = button("", self._write, kind="clear")  # stands in the bottom bar: always in sight
        self.setLayout(self.shown)

    def reset(self) -> None:
        """Another request, another project: what was shown holds no longer."""
        self.planned = None
        self.write.setEnabled(False)
        clear(self.shown)

    def possible(self) -> bool:
        """Whether there is an answer that may be written."""
        return self.planned is not None and self.planned.blocked is None

    def look(self) -> None:
        """Counted on the own table; nothing leaves by looking."""
        partnership, own_table = self.pane.desk.partnership(), self.pane.desk.own_table
        if partnership is None:
            return
        choices = self.pane.project.choices
        self.pane.messages.clear()
        self.reset()
        self.pane.run(
            tr("Counting what would leave"),
            lambda progress: partnership.would_leave(own_table, choices, progress),
            self.show_planned,
        )

    def show_planned(self, planned: InClear) -> None:
        clear(self.shown)
        self.planned = planned
        cells = sum(one.filled for one in planned.fields)
        self.titled.emit(
            tr_n("{partner} asks to review {n} pair with you", "{partner} asks to review {n} pairs with you",
                 planned.asked, partner=planned.partner),
            tr("Signed by {partner}, under your agreement. It says it is unsure of them.", partner=planned.partner),
        )  # fmt: skip
        self.shown.addWidget(self._alarm(planned, cells))
        self.shown.addLayout(
            columns(self._slip(planned, cells), self._fields(planned), least=300, shares=(3, 2), gap=3)
        )
        self.write.setText(tr_n("Write {n} value in clear …", "Write {n} values in clear …", cells))
        self.write.setAccessibleName(self.write.text())
        self.write.setEnabled(False)
        self.pane.changed.emit()
        if planned.blocked is not None:
            self.shown.addWidget(Banner.of(planned.blocked, kind="warning"))
            return
        self.known = QCheckBox()
        self.known.toggled.connect(self.write.setEnabled)
        words = tr("I may give these values to {partner} in clear. It cannot be taken back.", partner=planned.partner)
        self.shown.addWidget(line())
        self.shown.addWidget(check_line(self.known, words))

    def _alarm(self, planned: InClear, cells: int) -> QWidget:
        """In words that nobody overlooks."""
        records = tr_n("{n} record", "{n} records", planned.records)
        fields = tr_n("{n} field", "{n} fields", len(planned.fields))
        made = Banner(
            "problem",
            tr("{records} × {fields} leave IN CLEAR", records=records, fields=fields),
            tr("Its program shows them masked, but the file holds the values: {partner} could read all {n}.",
               partner=planned.partner, n=count(cells)),
        )  # fmt: skip
        made.what.setProperty("role", "second")
        return made

    def _slip(self, planned: InClear, cells: int) -> QWidget:
        names = ", ".join(field_title(one.name) for one in planned.fields)
        slip = ReleaseSlip()
        before = tr("{n} sent in clear before", n=count(planned.before))
        if planned.elsewhere:
            before = tr("{before}, {n} under other agreements", before=before, n=count(planned.elsewhere))
        elif not planned.before:
            before = tr("nothing in clear before")
        slip.show_slip(
            Slip(
                tr("{names} of <b>{n|one person|{n} people}</b>", names=names, n=planned.records),
                planned.partner, "clear",
                tr("{n} of your {all} records, {cells|one value|{cells} values}", n=planned.records,
                   all=count(planned.of), cells=cells),
                tr("who {n|this person is|these {n} people are}; they can keep and copy the values", n=planned.records),
                tr("{before}; agreed {most|is at most one record|are at most {most} records}",
                   before=before, most=planned.most),
            )
        )  # fmt: skip
        made = Section(tr("What leaves"))
        made.add(slip)
        why = [tr_core(planned.why())]
        if planned.withheld and planned.proved:
            why.append(
                tr_n(
                    "{n} pair they asked about is not answered: their own result does not name it",
                    "{n} pairs they asked about are not answered: their own result does not name them",
                    planned.withheld,
                )
            )
        elif planned.withheld:
            why.append(
                tr_n(
                    "{n} pair they asked about is not answered: your match does not share it",
                    "{n} pairs they asked about are not answered: your match does not share them",
                    planned.withheld,
                )
            )
        made.add(label(" ".join(why), "small"))
        return made

    def _fields(self, planned: InClear) -> QWidget:
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(2, 1)
        for place, text in enumerate((tr("Field"), tr("Values"), tr("Form"))):
            grid.addWidget(label(text, "column", wrap=False), 0, place)
        for number, one in enumerate(planned.fields, start=1):
            grid.addWidget(label(field_title(one.name), "strong", wrap=False), number, 0)
            grid.addWidget(label(count(one.filled), wrap=False), number, 1)
            form = Brief("mono")
            form.setText(one.forms[0] if one.forms else "")
            form.setMinimumWidth(56)
            set_tip(form, tr("such as {forms}", forms=", ".join(one.forms)) if one.forms else "")
            beside = row(tag(tr("in clear"), "danger"), form, gap=1)
            beside.setStretch(1, 1)
            grid.addLayout(beside, number, 2)
        used = planned.before + planned.fresh
        budget = Bar(
            tr("Agreed budget in clear"), used / max(planned.most, 1),
            tr("{n} of {most}", n=count(used), most=planned.most), token="danger",
        )  # fmt: skip
        return boxed(column(grid, budget, None, gap=1.5))

    def _write(self) -> None:
        partnership, planned = self.pane.desk.partnership(), self.planned
        if partnership is None or planned is None or not self.known.isChecked():
            return
        out = out_path(self.pane, tr("Write the answer in clear"), "review-answer.pprl")
        if out is None:
            return
        choices, own_table = self.pane.project.choices, self.pane.desk.own_table
        self.pane.messages.clear()

        def done(_sent: SentInClear) -> None:
            self.reset()
            self.ended.emit()  # the page it leads to shows the file to send

        self.pane.run(
            tr("Writing the answer"),
            lambda progress: partnership.answer(own_table, choices, out, planned, progress),
            done,
        )
