"""Export bundle: what leaves, what does not; the sealed file, and what to do with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.exchange.disclosures import CLEAR
from pprl_desktop.job import preview
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.words import count, size
from pprl_desktop.ui.panes._files import out_path
from pprl_desktop.ui.panes._keyed import KeyedPane
from pprl_desktop.ui.widgets.banner import Banner, clear
from pprl_desktop.ui.widgets.basics import Section, button, column, label, row, set_kind
from pprl_desktop.ui.widgets.facts import fact
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.exchange.bundles import Exported, Plan
    from pprl_desktop.progress import Progress


class ExportPane(KeyedPane):
    NAME = "export"
    NEEDS = ("agreement", "table_path", "columns")
    GIVES = ("bundle_path",)

    def build(self) -> None:
        self.head(
            tr("Write the sealed bundle"),
            tr("With it, numbers about all your records leave. The partner alone can open it."),
        )
        self.leaves = Section(tr("What leaves"))
        self.stays = Section(tr("What this file does not hold"))
        self.remains = Section(tr("What nothing here hides"))
        both = columns(column(self.leaves, self.stays, gap=2), self.remains, least=290)
        self.make = Section(tr("Create the bundle"))
        self.earlier = column(gap=1)
        self.create_button = button(tr("&Create bundle …"), self._create, kind="primary", icon="lock")
        self.make.add(self.earlier, row(self.create_button, None))
        self.done = Section(tr("Done"))
        self.body.addWidget(self.identity)
        self.body.addLayout(both)
        self.body.addWidget(self.make)
        self.body.addWidget(self.done)
        self.body.addStretch(1)

    # what is shown --------------------------------------------------------------------------------

    def show_state(self) -> None:
        set_kind(self.create_button, "" if self.project.choices.bundle_path else "primary")
        own, choices = self.desk.identity(), self.project.choices
        self.identity.setVisible(own is None)
        self.make.setVisible(own is not None)
        self.done.setVisible(bool(choices.bundle_path))
        if choices.agreement and self.desk.home.has_agreement(choices.agreement):
            self._tell()
        if choices.bundle_path and self.done.body.count() == 0:
            self._show_done(Path(choices.bundle_path), None)
        self.changed.emit()

    def _tell(self) -> None:
        from pprl_desktop.job.kept import rehearsal_of

        choices = self.project.choices
        terms = self.desk.home.agreement(choices.agreement).terms
        try:
            said = preview.statement(choices)
        except Problem as problem:
            self.show_problem(problem)
            return
        decoys = terms.settings.decoys
        rows = tr_n("{n} record", "{n} records", choices.rows)
        leaves = [
            tr("{rows} as numbers, under random names, in random order", rows=rows),
            tr("Fields: {names}", names=", ".join(one.name for one in terms.fields)),
            tr_core(said.summary),
            *([tr("and {n} records that do not exist", n=count(decoys))] if decoys else []),
        ]
        in_clear = [
            one
            for one in self.desk.home.ledger().disclosures()
            if one.agreement == choices.agreement and one.what == CLEAR and not one.received
        ]
        stays = [
            tr("Your table but for the cells sent in clear, and the names of its columns")
            if in_clear
            else tr("Your table, and the names of its columns"),
            tr("Sensitive columns: {names}", names=", ".join(choices.sensitive) or tr("none marked")),
            tr("Your record numbers, and which random name belongs to which row"),
            tr("Your passphrase and your private key"),
        ]
        self._list(self.leaves, "send", leaves)
        self._list(self.stays, "lock", stays)
        self._list(self.remains, "review", [tr_core(text) for text in said.leaves_open])
        clear(self.earlier)
        rehearsal = rehearsal_of(self.project)
        if rehearsal is not None:
            self.earlier.addWidget(
                Banner("warning", tr_core(rehearsal.headline), tr("As measured on the page before."))
            )
        for disclosed in in_clear:
            self.earlier.addWidget(
                Banner(
                    "info",
                    tr_n(
                        "The cells of {n} record were sent in clear on {day}, for the review.",
                        "The cells of {n} records were sent in clear on {day}, for the review.",
                        disclosed.records,
                        day=disclosed.time[:10],
                    ),
                    tr("They stand in the record of releases."),
                )
            )
        for release in self.desk.home.ledger().releases():
            if release.agreement == choices.agreement:
                self.earlier.addWidget(
                    Banner(
                        "info",
                        tr("A table was released under this agreement on {day}.", day=release.time[:10]),
                        tr(
                            "The very same table again gives the same bytes. With one changed row every row gets fresh "
                            "noise: then the sums are shown and you are asked first."
                        ),
                    )
                )

    def _list(self, card: Section, icon: str, lines: list[str]) -> None:
        clear(card.body)
        for text in lines:
            card.body.addLayout(fact(icon, text))
        card.body.addStretch(1)

    def _show_done(self, path: Path, made: Exported | None) -> None:
        clear(self.done.body)
        partner = self.desk.home.agreement(self.project.choices.agreement).partner_side.name
        if made is not None:
            again = tr("the same bytes as before") if made.resent else tr("entered in the record of releases")
            self.done.add(label(tr("{size}, {again}.", size=size(made.bytes), again=again), "muted"))
            for note in made.notes:
                self.done.add(label(tr_core(note), "muted"))
        self.done.add(
            label(tr("Send {file} to {partner}, by any way you like.", file=path.name, partner=partner), "strong"),
            label(str(path), "small", selectable=True),
            label(tr("Never send: your table, your project, the folder with your keys, or your passphrase."), "warm"),
        )

    # what the steward does ------------------------------------------------------------------------

    def _create(self) -> None:
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        if partnership is None:
            return
        out = out_path(self, tr("Create bundle"), "bundle.pprl")
        if out is None:
            return
        self.messages.clear()

        def planned(plan: Plan) -> None:
            if plan.asks:
                again = (tr("&Release it all the same"), lambda: self._write(out, plan.confirm()))
                self.show_problem(plan.question(), again)
            else:
                self._write(out, plan)

        self.run(
            tr("Adding up earlier releases"), lambda progress: partnership.plan(own_table, choices, progress), planned
        )

    def _write(self, out: Path, plan: Plan) -> None:
        partnership, choices, own_table = self.desk.partnership(), self.project.choices, self.desk.own_table
        if partnership is None:
            return
        self.messages.clear()

        def done(made: Exported) -> None:
            self.change("Create bundle", bundle_path=str(out))
            self.show_state()
            self._show_done(out, made)
            self.say("good", tr("The bundle is sealed."), tr_core(made.statement))

        def work(progress: Progress) -> Exported:
            return partnership.export(own_table, choices, out, progress, seen=plan)

        self.run(tr("Creating the bundle"), work, done)

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        return self.key_reason() or ("" if self.project.choices.bundle_path else tr("Create the bundle first."))

    def next_text(self) -> str:
        return tr("Next: partner's bundle")

    def go_on(self, done: Callable[[], None]) -> None:
        self.desk.confirm("export")
        done()
