"""How the page Data reads a table: its choices, the layout of fixed widths, and columns joined or split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QComboBox, QDialog, QGridLayout, QLineEdit, QPlainTextEdit, QWidget

from pprl_desktop.job.own_table import first_lines
from pprl_desktop.problem import Problem
from pprl_desktop.records.column_steps import AppliedStep, Step
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.panes._work import separator_words
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, label, row
from pprl_desktop.ui.widgets.inputs import combo, ending, labelled, pick

if TYPE_CHECKING:
    from pprl_desktop.job.own_table import Seen

SHOWN = 5  # examples
NEEDED = {"date": 3, "join": 2}  # columns that a step is made of; the others take one
LINES = 4  # of a file whose columns stand at fixed places
GUESS, WIDTHS = "", "widths"  # of the separator: found out, or there is none
ENCODINGS = ("utf-8", "utf-16", "cp1252", "latin-1")
HEADERS = 8  # lines offered as the header


class WidthsDialog(QDialog):
    """Which characters of a line make up which column."""

    def __init__(self, text: str, lines: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Fixed widths"))
        self.setMinimumWidth(640)
        ruler = "".join(f"{number:>10}" for number in range(10, max(map(len, lines), default=0) + 10, 10))
        self.lines = QPlainTextEdit("\n".join([ruler, "    .    |" * (len(ruler) // 10), *lines]))
        self.lines.setReadOnly(True)
        self.lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.lines.setFont(theme.font("small", mono=True))
        self.lines.setFixedHeight((len(lines) + 3) * self.lines.fontMetrics().height() + 24)
        self.lines.setAccessibleName(tr("First lines of the file"))
        self.lines.setTabChangesFocus(True)
        self.lines.setVisible(bool(lines))
        self.edit = QPlainTextEdit(text.replace(", ", "\n").replace(",", "\n"))
        self.edit.setPlaceholderText("id 1-6\nlast_name 7-26\nfirst_name 27-41\nborn 42-49")
        self.edit.setAccessibleName(tr("Columns and their characters"))
        self.edit.setTabChangesFocus(True)
        buttons = ending(button(tr("&Read it like this"), self.accept, kind="primary"), self.reject)
        self.setLayout(
            column(
                label(tr("One column per line: its name, the first and the last character, counted from 1."), "muted"),
                self.lines,
                labelled(tr("&Columns and their characters"), self.edit),
                buttons, gap=1.5, margin=2.5,
            )
        )  # fmt: skip
        self.edit.setFocus()

    def widths(self) -> str:
        return ", ".join(line.strip() for line in self.edit.toPlainText().splitlines() if line.strip())


class SheetDialog(QDialog):
    """Which sheet of a workbook is meant, where it has several."""

    def __init__(self, sheets: Sequence[str], usual: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Choose the sheet"))
        self.setMinimumWidth(400)
        self.sheet = combo(tr("Sheet"), [(name, name) for name in sheets])
        pick(self.sheet, usual)
        buttons = ending(button(tr("&Take this sheet"), self.accept, kind="primary"), self.reject)
        words = label(tr("The workbook has several; the first with a table is chosen already."), "muted")
        self.setLayout(column(words, labelled(tr("&Sheet"), self.sheet), buttons, gap=1.5, margin=2.5))


class JoinColumnsDialog(QDialog):
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
        buttons = ending(self.take, self.reject)
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
            problem = self._lacking() or tr_core(found.sentence())
            self.shown.setText(problem)
        else:
            self.shown.setText(shown_examples(made))
        self.take.setEnabled(not problem)

    def _lacking(self) -> str:
        """What is not chosen yet, in words of this dialog: how a step is written is for the terminal."""
        how = str(self.how.currentData())
        if sum(bool(box.currentData()) for box in self.sources if box.isVisibleTo(self)) < NEEDED.get(how, 1):
            return tr("Choose the columns.")
        names = len([name for name in self.into.text().split(",") if name.strip()])
        if how == "split":
            return tr("Give two new columns or more, and a sign.") if names < 2 or not self.sign.text() else ""
        if how == "name":
            return tr("Give two new columns.") if names != 2 else ""
        return tr("Give one new column.") if names != 1 else ""


def shown_examples(made: AppliedStep) -> str:
    """What became of a few own rows, and how many there are. For the own steward's eyes only."""
    lines = [tr_core(made.said())]
    lines += [f"{' | '.join(before)}  →  {' | '.join(after)}" for before, after in made.examples[:SHOWN]]
    return "\n".join(lines)


class ReadingChoices:
    """What the page Data does with the choices of how a table is read; DataPane has everything it uses."""

    def _build_reading(self: Any) -> Section:
        self.encoding = combo(
            tr("Encoding"), [(tr("found out"), GUESS), *((name.upper(), name) for name in ENCODINGS)], self._reread
        )
        separators = [(tr("found out"), GUESS), *((words, sign) for sign, words in separator_words().items())]
        self.separator = combo(tr("Separator"), [*separators, (tr("fixed widths …"), WIDTHS)], self._set_separator)
        self.sheet = combo(tr("Sheet of the workbook"), [], self._set_sheet)
        values = [(tr("labels"), True), (tr("codes"), False)]
        self.labels = combo(tr("Labels or codes of coded values"), values, self._reread)
        lines = [(tr("found out"), -1), (tr("there is none"), 0)]
        lines += [(tr("line {n}", n=n), n) for n in range(1, HEADERS + 1)]
        self.header = combo(tr("Line with the names of the columns"), lines, self._reread)
        self.id_column = combo(tr("Column with your own record number"), [], self._set_id)
        reading = Section(tr("Read as"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        self._lines: dict[QComboBox, QWidget] = {}
        for place, (text, box) in enumerate(
            (
                (tr("Sheet"), self.sheet),
                (tr("Values"), self.labels),
                (tr("Encoding"), self.encoding),
                (tr("Separator"), self.separator),
                (tr("Names in"), self.header),
                (tr("Record no."), self.id_column),
            )
        ):
            name = label(text, "muted", wrap=False)
            name.setBuddy(box)
            grid.addWidget(name, place, 0)
            grid.addWidget(box, place, 1)
            self._lines[box] = name
        grid.setColumnStretch(1, 1)
        reading.body.addLayout(grid)
        self.how_text = button(tr("How cells became text"), self._tell_rules, kind="link")
        self.join = button(tr("Join or split columns …"), self._make_columns, kind="link")
        reading.add(column(row(self.how_text, None), row(self.join, None), gap=0), None)
        return reading

    def _show_reading(self: Any, seen: Seen) -> None:
        choices, words = self.choices, separator_words()
        pick(self.encoding, choices.encoding if choices.encoding in ENCODINGS else GUESS)
        pick(self.separator, WIDTHS if seen.widths else choices.separator if choices.separator in words else GUESS)
        self.sheet.clear()
        for one in seen.sheets:
            self.sheet.addItem(one, one)
        pick(self.sheet, seen.sheet)
        pick(self.labels, seen.labels)
        plain = not seen.rules or bool(seen.widths)
        for box, shown in (
            (self.sheet, len(seen.sheets) > 1), (self.labels, bool(seen.labelled)), (self.encoding, plain),
            (self.separator, plain),
        ):  # fmt: skip
            box.setVisible(shown)
            self._lines[box].setVisible(shown)
        self.how_text.setVisible(bool(seen.rules))
        pick(self.header, -1 if choices.header_line is None else choices.header_line)
        self.id_column.clear()
        for text, data in [(tr("none"), ""), *((name, name) for name in seen.columns)]:
            self.id_column.addItem(text, data)
        pick(self.id_column, choices.id_column)

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
        if self.seen is not None:
            dialog = self._ask_widths(Path(self.seen.path), self.choices.widths)
            dialog.rejected.connect(lambda: pick(self.separator, WIDTHS if self.choices.widths else GUESS))

    def _ask_widths(self: Any, path: Path, widths: str) -> WidthsDialog:
        dialog = WidthsDialog(widths, first_lines(path, LINES), self)

        def read() -> None:
            how: dict[str, Any] = {"sheet": "", "separator": "", "header_line": None, "widths": dialog.widths()}
            if str(path) != self.choices.table_path:
                how |= {"encoding": "", "made": (), "drop_copies": False}
            self._load(path, replace(self.choices, **how))

        dialog.accepted.connect(read)
        dialog.open()
        return dialog

    def _not_read(self: Any, path: Path, widths: str, problem: Problem) -> None:
        """Where a file of fixed widths cannot be read without them, they are asked for in place."""
        act = (tr("Say where the columns stand …"), lambda: self._ask_widths(path, widths))
        self.show_problem(problem, act if problem.place == "widths" else None)

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
        dialog = JoinColumnsDialog(self.seen.columns, self.table.tried, self)
        dialog.accepted.connect(lambda: self._with_steps((*self.choices.made, dialog.step())))
        dialog.open()

    def _without_step(self: Any, made: AppliedStep) -> None:
        self._with_steps(tuple(one for one in self.choices.made if one != made.step.text))

    def _with_steps(self: Any, steps: tuple[str, ...]) -> None:
        """New columns bring new suggestions, as a new table does."""
        if self.seen is not None:
            self._load(Path(self.seen.path), replace(self.choices, made=steps), suggest=True)

    def _one_question(self: Any) -> bool:
        """With blind an agreement allows one question: another table needs another agreement."""
        agreement, home = self.choices.agreement, self.desk.home
        return bool(agreement) and home.has_agreement(agreement) and home.agreement(agreement).terms.blind is not None

    def _say_new_run(self: Any) -> None:
        self.say(
            "info",
            tr("With blind each delivery is a run of its own: propose the terms again."),
            tr(
                "One agreement allows one question. The guesses of the new run are added to those of the earlier ones, "
                "and links get new ids: record numbers tell at home who was linked before."
            ),
        )
