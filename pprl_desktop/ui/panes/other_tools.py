"""Files of other tools: CLKs for clkhash and anonlink, Open Link Tokens. What they give away is said and measured."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog, QGridLayout, QLineEdit

from pprl_desktop.exchange.names import MAX_NAME
from pprl_desktop.job import other_tools
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.words import count
from pprl_desktop.ui.panes._files import TABLES
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, button, column, label, row
from pprl_desktop.ui.widgets.inputs import combo, labelled, pick
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.slip import ReleaseSlip, Slip

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.job.other_tools import OwnFile, SchemaSeen, Written
    from pprl_desktop.rehearsal.formats import FormatRehearsal

CLKS, TOKENS = "clks", "tokens"


class OtherToolsPane(Pane):
    NAME = "other_tools"
    GIVES = ("CLKs or tokens for a partner with another tool",)
    MESSAGES = {"written": "The file is written and stands in the ledger."}  # noqa: RUF012

    def build(self) -> None:
        self.head(
            tr("A partner who uses another tool"),
            tr("Files of clkhash, anonlink, the CODI tools and Open Link Token. They carry no noise and no seal."),
        )
        self._own: OwnFile | None = None
        self._schema: Path | None = None
        self._seen: SchemaSeen | None = None
        self._secret: Path | None = None
        self._match: Match | None = None
        self._pairs: dict[tuple[str, str], tuple[str, ...]] = {}
        self._read: FormatRehearsal | None = None
        self._columns: dict[str, Any] = {}
        self.format = combo(
            tr("Kind of file"),
            [(tr("CLKs (clkhash, anonlink, CODI)"), CLKS), (tr("Open Link Tokens T1 to T5"), TOKENS)],
            lambda _data: self._changed_format(),
        )
        self.table_path, self.schema_path, self.secret_path = (label("", "small") for _ in range(3))
        self.choose_table = button(tr("Your &table …"), self._choose_table)
        self.choose_schema = button(tr("Partner's &schema …"), self._choose_schema)
        self.choose_secret = button(tr("File with the se&cret …"), self._choose_secret)
        self.to = QLineEdit()
        self.to.setMaxLength(MAX_NAME)
        self.to.setPlaceholderText(tr("who gets the file"))
        self.to.textChanged.connect(lambda _text: self._show())
        given = QGridLayout()
        given.setHorizontalSpacing(2 * GRID)
        given.setColumnStretch(1, 1)
        lines = ((self.choose_table, self.table_path), (self.choose_schema, self.schema_path),
                 (self.choose_secret, self.secret_path))  # fmt: skip
        for place, (act, path) in enumerate(lines):
            given.addWidget(act, place, 0)
            given.addWidget(path, place, 1)
        left = Section().add(
            columns(labelled(tr("&Kind of file"), self.format), labelled(tr("To &whom"), self.to), least=180, gap=2),
            given,
            None,
        )
        self.mapping = Section(tr("Your columns"))
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self.mapping.body.addLayout(self._grid)
        self.mapping.add(None)
        self.why = label("", "small")
        self.measure = button(tr("&Measure what it gives away"), self._rehearse, kind="primary", icon="shield")
        self.write = button(tr("W&rite the file …"), self._write, icon="send")
        self.match = button(tr("M&atch with the partner's file …"), self._match_with, icon="match")
        self.slip = ReleaseSlip()
        self.found = Section(tr("Found"))
        self.found_text = label("", "strong")
        self.save = button(tr("Save the &pairs …"), self._save_pairs, icon="save")
        self.found.add(self.found_text, row(self.save, None))
        self.body.addLayout(columns(left, self.mapping, least=290, gap=3))
        self.read = label("", "second")
        self.body.addLayout(column(flow(self.measure, self.write, self.match), self.why, self.read, gap=1))
        self.body.addWidget(self.found)
        self.leaves = Section(tr("What would leave")).add(self.slip)
        self.body.addWidget(self.leaves)
        self.body.addStretch(1)

    def enter(self) -> None:
        project = self.desk.project
        if self._own is None and project is not None and project.choices.table_path:
            self._load(Path(project.choices.table_path))
        self._show()

    # what is shown --------------------------------------------------------------------------------

    @property
    def _clks(self) -> bool:
        return str(self.format.currentData()) == CLKS

    def _wanted(self) -> tuple[str, ...]:
        if not self._clks:
            return other_tools.attributes()
        return self._seen.features if self._seen is not None else ()

    def _mapped(self) -> dict[str, str]:
        return {name: box.currentData() for name, box in self._columns.items() if box.currentData()}

    def _missing(self) -> str:
        """Why nothing can be done yet; '' when all is there."""
        if self._own is None:
            return tr("Choose your table.")
        if self._clks and self._seen is None:
            return tr("Choose the partner's schema.")
        if self._secret is None:
            return tr("Choose the file with the shared secret.")
        if self._clks and set(self._wanted()) - self._mapped().keys():
            return tr("Say which of your columns holds each feature.")
        return ""

    def _show(self) -> None:
        own = self._own
        rows = tr_n("{n} record", "{n} records", own.rows) if own is not None else ""
        self.table_path.setText(f"{own.path.name}, {rows}" if own is not None else tr("not chosen yet"))
        for one in (self.choose_schema, self.schema_path):
            one.setVisible(self._clks)
        seen = self._seen
        self.schema_path.setText(
            tr("{file}: {n} features, {bits} bits", file=self._schema.name, n=count(len(seen.features)),
               bits=count(seen.bits))
            if seen is not None and self._schema is not None else tr("not chosen yet")
        )  # fmt: skip
        self.secret_path.setText(self._secret.name if self._secret is not None else tr("not chosen yet"))
        self.mapping.setVisible(own is not None and bool(self._wanted()))
        missing = self._missing()
        receiver = self.to.text().strip()
        for made in (self.measure, self.match):
            made.setEnabled(not missing)
        self.write.setEnabled(not missing and bool(receiver))
        self.why.setText(missing or ("" if receiver else tr("To write it, say who gets the file.")))
        self.why.setVisible(bool(self.why.text()))
        self.leaves.setVisible(not missing)
        self.read.setVisible(not missing and self._read is not None)
        if not missing:
            self._show_slip(receiver)
        self.found.setVisible(self._match is not None or bool(self._pairs))
        self.changed.emit()

    def _show_slip(self, receiver: str) -> None:
        assert self._own is not None
        names = ", ".join(self._mapped())
        gives = other_tools.CLK_GIVES_AWAY if self._clks else other_tools.TOKENS_GIVE_AWAY
        read = self._read
        self.read.setText(tr_core(read.headline) if read is not None else "")
        self.read.setVisible(read is not None)
        notes = [escape(tr_core(one)) for one in read.sentences()[1:]] if read is not None else []
        what = tr("<b>CLKs</b> made of {names}", names=escape(names)) if self._clks else tr(
            "<b>Tokens</b> made of {names}", names=escape(names)
        )  # fmt: skip
        self.slip.show_slip(
            Slip(
                what=what,
                to_whom=receiver or tr("not said yet"),
                form="smashed",
                how_many=tr_n("{n} record", "{n} records", self._own.rows),
                learn=" ".join([*notes, f"<b>{escape(tr_core(gives))}</b>"]),
                adds_up=tr("Without noise nothing adds up: one file gives all of this away. It stands in the ledger."),
                verified=False,
            )
        )

    def _map(self) -> None:
        """A box for each feature, filled with the best guess."""
        clear(self._grid)
        self._columns = {}
        if self._own is None:
            return
        known = self._own.guessed(self._wanted())
        for place, name in enumerate(self._wanted()):
            choices: list[tuple[str, object]] = [(tr("none"), ""), *((one, one) for one in self._own.columns)]
            box = combo(tr("Column of {name}", name=name), choices, lambda _data: self._stale())
            pick(box, known.get(name, ""))
            words = label(name, wrap=False)
            words.setBuddy(box)
            self._grid.addWidget(words, place, 0)
            self._grid.addWidget(box, place, 1)
            self._columns[name] = box

    def _stale(self) -> None:
        self._read = self._match = None
        self._pairs = {}
        self._show()

    def _changed_format(self) -> None:
        self._map()
        self._stale()

    # what is chosen -------------------------------------------------------------------------------

    def _choose_table(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Your table"), "", "")
        if name:
            self._load(Path(name))

    def _load(self, path: Path) -> None:
        self.messages.clear()

        def done(own: OwnFile) -> None:
            self._own = own
            self._say_odd()
            self._map()
            self._stale()

        self.run(tr("Reading the table"), lambda progress: other_tools.OwnFile(path, progress), done)

    def accepts(self, suffix: str) -> bool:
        return suffix in (*TABLES, ".json")

    def take_file(self, path: str) -> None:
        if path.lower().endswith(".json"):
            self._take_schema(Path(path))
        else:
            self._load(Path(path))

    def _choose_schema(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Partner's schema"), "", f"{tr('Linkage schemas')} (*.json)")
        if name:
            self._take_schema(Path(name))

    def _take_schema(self, path: Path) -> None:
        self.messages.clear()
        try:
            seen = other_tools.look_at_schema(path)
        except Problem as problem:
            self.show_problem(problem)
            return
        self._schema, self._seen = path, seen
        self._say_odd()
        self._map()
        self._stale()

    def _say_odd(self) -> None:
        """What is odd about the partner's schema stays in sight while it is used."""
        for one in self._seen.warnings if self._seen is not None else ():
            self.say("warning", tr_core(one))

    def _choose_secret(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("File with the secret"), "", "")
        if name:
            self._take_secret(Path(name))

    def _take_secret(self, path: Path) -> None:
        self.messages.clear()
        try:
            other_tools.read_secret(path)  # looked at now, read again when it is used: it is not kept in the window
        except Problem as problem:
            self.show_problem(problem)
            return
        self._secret = path
        self._say_odd()
        self._stale()

    # what is done ---------------------------------------------------------------------------------

    def _rehearse(self) -> None:
        own, columns_, clks, schema, secret = self._given()

        def work(progress: Progress) -> FormatRehearsal:
            if clks:
                return own.rehearse_clks(schema, other_tools.read_secret(secret), columns_, progress)
            return own.rehearse_tokens(columns_, progress)

        def done(read: FormatRehearsal) -> None:
            self._read = read
            self._show()

        self.messages.clear()
        self.run(tr("Playing whoever holds the secret"), work, done)

    def _write(self) -> None:
        ending = "json" if self._clks else "csv"
        kinds = f"CLKs (*.json);;{tr('Zip of the CODI tools')} (*.zip)" if self._clks else "*.csv"
        name, _ = QFileDialog.getSaveFileName(
            self, tr("Write the file"), f"{self.format.currentData()}.{ending}", kinds
        )
        if name:
            self.write_to(Path(name))

    def write_to(self, out: Path) -> None:
        own, columns_, clks, schema, secret = self._given()
        home, to = self.desk.home, self.to.text().strip()

        def work(progress: Progress) -> Written:
            key = other_tools.read_secret(secret)
            if clks:
                write = own.write_codi if out.suffix.lower() == ".zip" else own.write_clks
                return write(home, schema, key, columns_, to, out, progress)
            return own.write_tokens(home, columns_, key, to, out, progress)

        def done(made: Written) -> None:
            more = " ".join(tr_core(one) for one in (*made.notes, made.gives_away))
            self.say("good", tr_n("{n} record written to {file}; entry {entry} of the ledger.",
                                  "{n} records written to {file}; entry {entry} of the ledger.", made.records,
                                  file=out.name, entry=count(made.entry)), more)  # fmt: skip

        self.messages.clear()
        self.run(tr("Writing the file"), work, done)

    def _match_with(self) -> None:
        kinds = "*.json *.zip" if self._clks else "*.csv"
        name, _ = QFileDialog.getOpenFileName(self, tr("The partner's file"), "", f"{tr('Files')} ({kinds})")
        if name:
            self.match_with(Path(name))

    def match_with(self, partner: Path) -> None:
        own, columns_, clks, schema, secret = self._given()

        def work(progress: Progress) -> object:
            key = other_tools.read_secret(secret)
            if clks:
                return own.match_clks(schema, key, columns_, partner, progress)
            return own.match_tokens(columns_, key, partner, progress)

        def done(made: Any) -> None:
            self._match, self._pairs = (made, {}) if clks else (None, made)
            if clks:
                text = tr("{accepted|one pair|{accepted} pairs} accepted, {review} to review.",
                          accepted=len(made.accepted()), review=count(len(made.to_review())))  # fmt: skip
            else:
                text = tr_n("{n} pair shares a token.", "{n} pairs share a token.", len(made))
            self.found_text.setText(text)
            self._show()

        self.messages.clear()
        self.run(tr("Matching"), work, done)

    def _save_pairs(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self, tr("Save the pairs"), "pairs.csv", "*.csv")
        if name:
            self.save_to(Path(name))

    def save_to(self, out: Path) -> None:
        match, pairs = self._match, self._pairs

        def work(progress: Progress) -> int:
            if match is not None:
                return other_tools.write_pairs(out, match, None, progress)
            other_tools.write_token_pairs(out, pairs)
            return len(pairs)

        def done(n: int) -> None:
            self.say("good", tr_n("{n} pair written to {file}.", "{n} pairs written to {file}.", n, file=out.name),
                     tr("Splink's users and R read it; the help lists its columns."))  # fmt: skip

        self.run(tr("Writing the pairs"), work, done)

    def _given(self) -> tuple[OwnFile, dict[str, str], bool, Path, Path]:
        assert self._own is not None
        assert self._secret is not None
        return self._own, self._mapped(), self._clks, self._schema or Path(), self._secret
