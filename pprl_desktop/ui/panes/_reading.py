"""Dialogs of the page Data: the layout of fixed widths, and columns joined or split, shown before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QPlainTextEdit, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.records.column_steps import AppliedStep, Step
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.widgets.basics import boxed, button, column, label, row
from pprl_desktop.ui.widgets.inputs import combo, labelled, pick

if TYPE_CHECKING:
    from pprl_desktop.job.own_table import Seen

SHOWN = 5  # examples
GUESS, WIDTHS = "", "widths"  # of the separator: found out, or there is none


class WidthsDialog(QDialog):
    """Which characters of a line make up which column."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Fixed widths"))
        self.setMinimumWidth(460)
        self.edit = QPlainTextEdit(text.replace(", ", "\n").replace(",", "\n"))
        self.edit.setPlaceholderText("id 1-6\nlast_name 7-26\nfirst_name 27-41\nborn 42-49")
        self.edit.setAccessibleName(tr("Columns and their characters"))
        self.edit.setTabChangesFocus(True)
        buttons = row(
            None, button(tr("Cancel"), self.reject), button(tr("&Read it like this"), self.accept, kind="primary")
        )
        self.setLayout(
            column(
                label(tr("One column per line: its name, the first and the last character, counted from 1."), "muted"),
                labelled(tr("&Columns and their characters"), self.edit),
                buttons, gap=1.5, margin=2.5,
            )
        )  # fmt: skip

    def widths(self) -> str:
        return ", ".join(line.strip() for line in self.edit.toPlainText().splitlines() if line.strip())


class MadeDialog(QDialog):
    """A step that makes columns of others; what it does to the own table is seen before it is taken."""

    def __init__(
        self, names: Sequence[str], tried: Callable[[str], AppliedStep], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._tried = tried
        self.setWindowTitle(tr("Join or split columns"))
        self.setMinimumWidth(560)
        self.how = combo(
            tr("What to do"),
            [
                (tr("Year, month and day to one date"), "date"),
                (tr("A full name to first and last name"), "name"),
                (tr("Join columns, with a blank between"), "join"),
                (tr("Split a column at a sign"), "split"),
            ],
            lambda _data: self._show(),
        )
        given = [(tr("choose …"), ""), *((name, name) for name in names)]
        self.sources = [combo(tr("Column {n}", n=n), given, lambda _data: self._show()) for n in (1, 2, 3)]
        self.sign = QLineEdit(",")
        self.sign.setMaximumWidth(60)
        self.sign.setAccessibleName(tr("Sign"))
        self.into = QLineEdit()
        self.sign.textChanged.connect(lambda _t: self._show())
        self.into.textChanged.connect(lambda _t: self._show())
        self.shown = label("", "small")
        self.take = button(tr("&Make these columns"), self.accept, kind="primary")
        buttons = row(None, button(tr("Cancel"), self.reject), self.take)
        self._sign_line = boxed(labelled(tr("&Sign"), self.sign))
        self._of = boxed(row(*self.sources, None))
        self.setLayout(
            column(
                label(tr("On your side only: nothing of it is sent or agreed."), "muted"),
                labelled(tr("&What to do"), self.how),
                labelled(tr("Out of"), self._of),
                self._sign_line,
                labelled(tr("&New columns"), self.into, tr("Names with commas between.")),
                self.shown, 1, buttons, gap=1.5, margin=2.5,
            )
        )  # fmt: skip
        self._usual()
        self.how.activated.connect(lambda _at: self._usual())

    def _usual(self) -> None:
        """Names that are understood on the next page."""
        usual = {"date": "birth_date", "name": "first_name, last_name", "join": "joined", "split": "part_1, part_2"}
        self.into.setText(usual[str(self.how.currentData())])
        self._show()

    def step(self) -> str:
        how = str(self.how.currentData())
        wanted = {"date": 3, "join": 3}.get(how, 1)
        of = [str(box.currentData()) for box in self.sources[:wanted] if box.currentData()]
        into = [name.strip() for name in self.into.text().split(",") if name.strip()]
        return Step.written(how, into, of, self.sign.text())

    def _show(self) -> None:
        how = str(self.how.currentData())
        for place, box in enumerate(self.sources):
            box.setVisible(place < {"date": 3, "join": 3}.get(how, 1))
        self._sign_line.setVisible(how == "split")
        problem = ""
        try:
            made = self._tried(self.step())
        except Problem as found:
            chosen = any(box.currentData() for box in self._visible())
            problem = tr_core(found.sentence()) if chosen else tr("Choose the columns.")
            self.shown.setText(problem)
        else:
            self.shown.setText(shown_examples(made))
        self.take.setEnabled(not problem)

    def _visible(self) -> list[QComboBox]:
        return [box for box in self.sources if box.isVisibleTo(self)]


def shown_examples(made: AppliedStep) -> str:
    """What became of a few own rows, and how many there are. For the own steward's eyes only."""
    lines = [tr_core(made.said())]
    lines += [f"{' | '.join(before)}  →  {' | '.join(after)}" for before, after in made.examples[:SHOWN]]
    return "\n".join(lines)


class ReadingChoices:
    """What the page Data does with the choices of how a table is read; DataPane has everything it uses."""

    def _reread(self: Any, _data: object) -> None:
        seen: Seen | None = self.seen
        if seen is None:
            return
        line = self.header.currentData()
        options = replace(
            self.choices,
            encoding=self.encoding.currentData(),
            separator=self._chosen_separator(),
            header_line=None if line == -1 else line,
            sheet=str(self.sheet.currentData() or ""),
            labels=bool(self.labels.currentData()),
        )
        self._load(Path(seen.path), options)

    def _set_sheet(self: Any, data: object) -> None:
        self._read_with(sheet=str(data), header_line=None)  # the names may stand in another line of it

    def _chosen_separator(self: Any) -> str:
        return GUESS if self.separator.currentData() == WIDTHS else str(self.separator.currentData())

    def _set_separator(self: Any, data: object) -> None:
        if data != WIDTHS:
            self._read_with(widths="", separator=str(data))
            return
        dialog = WidthsDialog(self.choices.widths, self)
        dialog.accepted.connect(lambda: self._read_with(widths=dialog.widths(), separator="", header_line=None))
        dialog.rejected.connect(lambda: pick(self.separator, WIDTHS if self.choices.widths else GUESS))
        dialog.open()

    def _read_with(self: Any, **how: Any) -> None:
        if self.seen is not None:
            self._load(Path(self.seen.path), replace(self.choices, **how))

    def _tell_rules(self: Any) -> None:
        """The declared rules, in the words of the terminal."""
        if self.seen is not None:
            self.say("info", tr("How cells became text"), " ".join(tr_core(rule) for rule in self.seen.rules))

    def _make_columns(self: Any) -> None:
        if self.seen is None:
            return
        dialog = MadeDialog(self.seen.columns, self.table.tried, self)
        dialog.accepted.connect(lambda: self._with_steps((*self.choices.made, dialog.step())))
        dialog.open()

    def _without_step(self: Any, made: AppliedStep) -> None:
        self._with_steps(tuple(one for one in self.choices.made if one != made.step.text))

    def _with_steps(self: Any, steps: tuple[str, ...]) -> None:
        """New columns bring new suggestions, as a new table does."""
        if self.seen is not None:
            self._load(Path(self.seen.path), replace(self.choices, made=steps), suggest=True)
