"""Terms of the method blind before signing: who asks, what travels, how far a liar could reach, which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import number, tr, tr_core
from pprl_desktop.ui.kit.words import count, of_100, percent
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.basics import Section, boxed, column, label
from pprl_desktop.ui.widgets.blind_pictures import Reach, Travels
from pprl_desktop.ui.widgets.inputs import combo, labelled, spin
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.rows import Head, Rows

if TYPE_CHECKING:
    from pprl_desktop.exchange.contacts import Contact
    from pprl_desktop.exchange.terms import Terms
    from pprl_desktop.job.blind import Prepared, Weighed
    from pprl_desktop.progress import Progress
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.ui.kit.jobs import Job

MOST_KEYS = 5  # shown one by one
WORK = "agreement.blind.terms"  # key of the job


class BlindTermsView(QWidget):
    """`prepared` for who proposes, `weighed` for who accepts; neither is signed before it was counted here."""

    changed = Signal()

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self.pane = pane
        self.prepared: Prepared | None = None
        self.weighed: Weighed | None = None
        self.why_not = ""
        self._of: object = None
        self.rows = spin(tr("Records of the partner"), 0, 100_000_000, 0)
        self.rows.setSpecialValueText(tr("how many?"))  # in place of a nought, which nobody has said
        self.rows.setGroupSeparatorShown(True)
        self.rows.editingFinished.connect(self.changed)
        self.asks = combo(
            tr("Who asks"),
            [(tr("I ask, the partner answers"), "me"), (tr("The partner asks, I answer"), "partner")],
            lambda _data: self.changed.emit(),
        )
        self.bound = combo(
            tr("Keep under"),
            [(tr("the usual limit"), None), *((of_100(share), share) for share in (0.05, 0.1, 0.2, 0.3))],
            lambda _data: self.changed.emit(),
        )
        self.form = boxed(
            columns(
                column(labelled(tr("Records of the partner"), self.rows, tr("The true number; ask for it.")), None),
                column(labelled(tr("Who asks"), self.asks, tr("The less sensitive list should answer.")), None),
                column(labelled(tr("Keep under"), self.bound, tr("What a partner who lies may reach.")), None),
                least=180,
                shares=(5, 7, 6),
            )
        )
        self.travels, self.reach = Travels(), Reach()
        self.number = BigNumber(tr("of your records within reach of a liar"), "warm")
        self.state = label("", "muted")
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        self.bar.setFixedHeight(4)
        pane.desk.jobs.progressed.connect(self._progressed)
        self.keys = Rows(
            tr("Keys"),
            (Head(tr("Keys, the same on both sides"), 1), Head(tr("Finds"), right=True),
             Head(tr("Within reach, of 100"), right=True)),
            high=30, indent=0,
        )  # fmt: skip
        self.learns = label("", "small")
        self.measured = boxed(
            column(columns(self.number, self.reach, least=220, gap=3), Section().add(self.keys), self.learns, gap=1.5)
        )
        self.setLayout(column(self.form, self.travels, column(self.state, self.bar), self.measured, gap=2))
        self.measured.hide()
        self.bar.hide()

    # proposing ------------------------------------------------------------------------------------

    def prepare(self, choices: Choices, contact: Contact) -> None:
        """Keys and limits on the own table, in the background; again when the steward decides otherwise."""
        from pprl_desktop.job.blind import Wish, asked_so_far, prepare_own

        me, partner = tr("You"), contact.name
        asks: Any = self.asks.currentData()
        self.form.show()
        self.travels.show_path(me, partner, asks=asks == "me")
        wanted = (
            contact.id,
            choices.table_sha256,
            choices.fields,
            choices.columns,
            self.rows.value(),
            asks,
            self.bound.currentData(),
        )
        if not self.rows.value():
            self._tell(tr("Say how many records the partner has; then the keys are chosen on your own table."))
            return
        if wanted == self._of:
            return
        self._of, self.prepared = wanted, None
        self.measured.hide()
        self._tell(tr("Choosing keys on your own table …"), works=True)
        wish, place = Wish(self.rows.value(), self.bound.currentData(), asks), self.pane.desk.own_table
        home, key = self.pane.desk.home, contact.card.party.sign

        def work(progress: Progress) -> Prepared:
            return prepare_own(place, choices, wish, asked_so_far(home, key), progress)

        def done(made: Prepared) -> None:
            self.prepared = made
            self._show(made.weighed, partner)
            self.changed.emit()

        self.pane.run(
            tr("Choosing the keys"),
            work,
            done,
            key=WORK,
            quiet=True,
            keeps=True,
            problem=self._refused,
        )

    # accepting ------------------------------------------------------------------------------------

    def weigh(self, terms: Terms, choices: Choices) -> None:
        """What the proposal means for the own table, before it is signed."""
        from pprl_desktop.job.blind import asked_so_far, weigh_own

        blind = terms.blind
        assert blind is not None
        self.form.hide()
        self.travels.show_path(tr("You"), terms.proposer.name, asks=blind.asked_by("accepter") is not None)
        wanted = (blind.session, choices.table_sha256, choices.columns)
        if wanted == self._of:
            return
        self._of, self.weighed, self.why_not = wanted, None, ""
        self.measured.hide()
        self._tell(tr("Counting on your own table how far a liar could reach …"), works=True)
        place, home, key = self.pane.desk.own_table, self.pane.desk.home, terms.proposer.party.sign

        def done(made: Weighed) -> None:
            self.weighed = made
            self.why_not = tr_core(made.problem.sentence()) if made.problem is not None else ""
            self._show(made, terms.proposer.name)
            self.changed.emit()

        self.pane.run(
            tr("Counting"),
            lambda progress: weigh_own(place, choices, blind, "accepter", asked_so_far(home, key), progress),
            done, key=WORK, quiet=True, keeps=True, problem=self._refused,
        )  # fmt: skip

    def reason(self) -> str:
        """Why the proposal cannot be signed yet."""
        return self.why_not or ("" if self.weighed is not None else tr("Being counted on your own table."))

    def not_prepared(self) -> str:
        """Why nothing can be proposed yet."""
        if not self.rows.value():
            return tr("Say how many records the partner has.")
        return self.why_not or tr("The keys are being chosen on your table …")

    def _refused(self, problem: Problem) -> None:
        self.why_not = tr_core(problem.sentence())
        self._tell(self.why_not)
        self.changed.emit()

    # shown ----------------------------------------------------------------------------------------

    def _show(self, weighed: Weighed, partner: str) -> None:
        meter = weighed.meter
        low, high = meter.recall_range()
        exact = percent(meter.coverage, 2)
        self.number.show_number(number(100 * meter.coverage, 1), tr("of 100"), tr("counted on your own table"), exact)
        self.reach.show_reach(meter.coverage, meter.coverage_10n, weighed.bound)
        self.keys.clear()
        for one in meter.keys[:MOST_KEYS]:
            self.keys.add(tr_core(one.words), count(round(100 * one.finds)), number(100 * one.alone, 1))
        if len(meter.keys) > MOST_KEYS:
            self.keys.add(tr("{n|one more key|{n} more keys}", n=len(meter.keys) - MOST_KEYS), "", "")
        said = [
            tr_core(weighed.careful()),
            tr("Of 100 people held on both sides, {low} to {high} share a key.", low=count(round(100 * low)),
               high=count(round(100 * high))),
            tr("{partner} learns how many questions there are and which records are linked.", partner=partner),
            *(tr_core(one) for one in (weighed.before.sentences() if weighed.before is not None else ())),
            *(tr_core(one) for one in weighed.warnings),
        ]  # fmt: skip
        self.learns.setText(" ".join(said))
        self._tell(self.why_not)
        self.measured.show()

    def _progressed(self, job: Job) -> None:
        if job.key == WORK:
            self.bar.setValue(max(round(1000 * job.fraction), self.bar.value()))

    def _tell(self, words: str, *, works: bool = False) -> None:
        self.bar.setValue(0)
        self.bar.setVisible(works)
        self.state.setText(words)
        self.state.setVisible(bool(words))
