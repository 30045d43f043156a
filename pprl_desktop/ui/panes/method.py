"""Method and privacy: how records become numbers, how much noise, what is found and what the partner learns."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtWidgets import QCheckBox, QSizePolicy, QTabWidget, QWidget

from pprl_desktop.codes.base import REGISTRY, method
from pprl_desktop.job import preview
from pprl_desktop.privacy.claims import UNITS
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import number, tr, tr_core
from pprl_desktop.ui.kit.turns import Later
from pprl_desktop.ui.kit.wheel import wheel_scrolls_the_page
from pprl_desktop.ui.kit.words import count, of_100, percent, range_of_100
from pprl_desktop.ui.panes._work import decision_words, layout_words
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.plots.precision_recall import Curve, PrecisionRecallPlot
from pprl_desktop.ui.plots.sweep import EpsilonSweepPlot, FrontierPlot, SweepPoint
from pprl_desktop.ui.widgets.banner import Banner, clear
from pprl_desktop.ui.widgets.basics import Section, button, column, combo, label, labelled, least_height, pick, row
from pprl_desktop.ui.widgets.choice_cards import Choice, ChoiceCards
from pprl_desktop.ui.widgets.epsilon import EpsilonSlider
from pprl_desktop.ui.widgets.meter import Bar
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.rehearsal.rehearse import Rehearsal

Points = TypeVar("Points", EpsilonSweepPlot, FrontierPlot)


def _card(name: str) -> Choice:
    known = method(name)
    return Choice(name, tr_core(known.title), tr_core(known.sentence), tr_core(known.mark))


class MethodPane(Pane):
    NAME = "method"
    NEEDS = ("fields", "columns", "reference")
    GIVES = ("method", "settings")
    MESSAGES = {"forecast": "A forecast on synthetic pairs of your own records, not a promise."}  # noqa: RUF012

    def build(self) -> None:
        self.head(tr("Choose how to compare, and how much noise to add"), "")
        self.cards = ChoiceCards(tr("Methods"), [_card(name) for name in REGISTRY if method(name).page == "card"])
        self.cards.chosen.connect(self._choose)
        self.slider = EpsilonSlider()
        self.slider.moved.connect(lambda _e: self._describe())
        self.slider.settled.connect(self._set_epsilon)
        self.noise = Section()
        self.expert = self._build_expert()
        self.expert_switch = QCheckBox(tr("E&xpert settings"))
        self.expert_switch.toggled.connect(self.expert.setVisible)
        self.expert.setVisible(False)
        self.noise.add(columns(self.slider, self.expert_switch, least=170, shares=(3, 1), gap=3))

        self.found = Section(tr("What you would find"), " ")
        self.curve = PrecisionRecallPlot(height=210)
        self._sweep = Later(lambda: self._picking(EpsilonSweepPlot(height=210)))
        self._frontier = Later(lambda: self._picking(FrontierPlot(height=210)))
        self.tabs = QTabWidget()
        wheel_scrolls_the_page(self.tabs.tabBar())
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Plots"))
        self.tabs.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        least_height(self.tabs, 300)
        self.tabs.addTab(self.curve, tr("Now"))
        self.tabs.addTab(self._sweep, tr("Other noise"))
        self.tabs.addTab(self._frontier, tr("Trade-off"))
        self.tabs.currentChanged.connect(lambda place: self._ask_sweep() if place else None)
        self.found.add(self.tabs)

        self.learn = Section(tr("What the partner could learn"), " ")
        self.headline = label("", "figure", wrap=False)
        self.headline_note = label("", "muted")
        self.bars = column(gap=0.5)
        self.stronger = column(gap=0.5)
        self.learn.add(self.headline, self.headline_note, self.bars, None, self.stronger)
        both = columns(self.found, self.learn, least=320)
        self.changing = Banner(
            "warning",
            tr("This decision knows slips of the pen only."),
            tr(
                "A field that changes altogether, as when people move or marry, makes it miss them; the forecast below "
                "does not see that. Leave such fields out, or use the usual decision."
            ),
            act=(tr("Choose the fields"), lambda: self.desk.go_to.emit("fields")),
        )
        self.body.addWidget(self.cards)
        self.body.addWidget(self.changing)
        self.body.addWidget(self.noise)
        self.body.addWidget(self.expert)
        self.body.addLayout(both, 1)
        self._asked: object = None

    def _picking(self, plot: Points) -> Points:
        plot.picked.connect(self._pick)
        return plot

    @property
    def sweep(self) -> EpsilonSweepPlot:
        return self._sweep.widget()

    @property
    def frontier(self) -> FrontierPlot:
        return self._frontier.widget()

    def _build_expert(self) -> QWidget:
        card = Section()
        self.decision = combo(
            tr("Decision"),
            [(decision_words()[name], name) for name in ("adaptive", "threshold", "svm")],
            lambda data: self._settings(decision=str(data)),
        )
        self.layout_of = combo(
            tr("Layout"),
            [(words, name) for name, words in layout_words().items()],
            lambda data: self._settings(layout=str(data)),
        )
        self.kernel = combo(
            tr("Kernel"),
            [(tr("linear"), "linear"), (tr("radial (RBF)"), "rbf")],
            lambda d: self._settings(kernel=str(d)),
        )
        self.sides = combo(
            tr("Noise on"),
            [(tr("what each side sends (one-sided)"), "one-sided"), (tr("both sides of the comparison"), "two-sided")],
            lambda data: self._settings(noise=str(data)),
        )
        self.direction = combo(
            tr("A person occurs"),
            [
                (tr("once in each table"), "one-to-one"),
                (tr("perhaps several times in the partner's"), "one-to-many"),
                (tr("perhaps several times in the own"), "many-to-one"),
                (tr("perhaps several times in both"), "many-to-many"),
            ],
            lambda data: self._settings(direction=str(data)),
        )
        self.decoys = combo(
            tr("Decoys"),
            [(tr("none"), 0), *((count(n), n) for n in (100, 500, 1000, 5000))],
            lambda data: self._settings(decoys=int(str(data))),
        )
        self.others = [
            button(tr("Use {method}", method=tr_core(method(name).title)), partial(self._choose, name), kind="link")
            for name in REGISTRY
            if method(name).page == "expert"
        ]
        first = columns(
            labelled(tr("Decision"), self.decision), labelled(tr("Layout"), self.layout_of),
            labelled(tr("Kernel"), self.kernel), least=200,
        )  # fmt: skip
        second = columns(
            labelled(tr("Noise on"), self.sides), labelled(tr("A person occurs"), self.direction),
            labelled(tr("Records that do not exist, added to the bundle"), self.decoys), least=200,
        )  # fmt: skip
        card.add(first, second, row(*self.others, None))
        return card

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        choices = self.project.choices
        self.sentence.setText(
            tr(
                "Nothing leaves this computer on this page. Both pictures are measured on your own {n} records.",
                n=count(choices.rows),
            )
        )
        self._show()
        self._ask()
        self.say_agreed()

    def leave(self) -> None:
        """Forecast and rehearsal go on: the agreement, the export page and the report tell what they find."""
        self.desk.jobs.cancel_key("method.sweep")

    def _show(self) -> None:
        choices = self.project.choices
        settings = choices.settings
        self.cards.choose(choices.method)
        self.slider.set_epsilon(settings.epsilon)
        for control, value in (
            (self.decision, settings.decision), (self.layout_of, settings.layout), (self.kernel, settings.kernel),
            (self.sides, settings.noise), (self.direction, settings.direction), (self.decoys, settings.decoys),
        ):  # fmt: skip
            pick(control, value)
        self.kernel.setEnabled("kernel" in method(choices.method).reads)
        self.changing.setVisible(settings.decision == "svm")
        coded = method(choices.method).both_layouts
        self.decision.setEnabled(coded)
        self.layout_of.setEnabled(coded)
        self._describe()
        self.changed.emit()

    def _describe(self) -> None:
        """The unit of epsilon and what it means for a whole record; both come from the privacy statement."""
        from pprl_desktop.codes.recipe import changed

        choices = self.project.choices
        settings = changed(choices.method, choices.settings, epsilon=self.slider.epsilon())
        try:
            said = preview.statement(choices, settings)
        except Problem as problem:
            self.slider.describe(tr("per bit"), tr_core(problem.what))
            return
        record = next(
            (one for one in said.numbers if one.per == "per record" and not one.of and one.bound == "worst case"), None
        )
        words = tr("at worst {n} for a whole record", n=record.value) if record is not None else ""
        if not said.epsilon:
            words = tr("ε unlimited: only the rehearsal tells")
        self.slider.describe(tr_core(UNITS[said.unit or "per bit"]), words)
        self.slider.setToolTip("\n".join(tr_core(one) for one in said.sentences))

    # forecast and rehearsal -----------------------------------------------------------------------

    def _ask(self) -> None:
        """In the background, replaced as the slider moves; what is shown meanwhile says that it is old."""
        self.messages.clear()
        choices, place = self.project.choices, self.desk.own_table
        wanted = (
            choices.table_sha256,
            choices.fields,
            choices.columns,
            choices.reference,
            choices.method,
            choices.settings,
        )
        if self.project.problems("method") or self.project.problems("fields") or wanted == self._asked:
            return
        self._asked = wanted
        self.found.say(tr("Measuring on synthetic pairs of your own records …"))
        self.learn.say(tr("Playing the partner against your own records …"))
        self.run(
            tr("Forecast"), lambda progress: preview.forecast(place, choices, progress=progress),
            lambda made: self._show_forecast(choices, made),
            key="method.forecast", quiet=True, keeps=True,
            problem=lambda problem: self.found.say(tr_core(problem.sentence())),
        )  # fmt: skip
        self.run(
            tr("Rehearsal"), lambda progress: preview.rehearse(place, choices, progress=progress, changes=False),
            lambda found: self._show_rehearsal(choices, found), key="method.rehearse", quiet=True, keeps=True,
            problem=lambda problem: self.learn.say(tr_core(problem.sentence())),
        )  # fmt: skip
        self.run(
            tr("Stronger settings"), lambda progress: preview.rehearse(place, choices, progress=progress),
            lambda found: self._show_changes(choices, found), key="method.changes", quiet=True, keeps=True,
            problem=lambda _p: None,
        )  # fmt: skip

    def _show_forecast(self, choices: Choices, made: Forecast) -> None:
        from pprl_desktop.job.kept import keep_forecast

        keep_forecast(self.project, choices, made)
        figures = made.figures
        self.found.say(
            tr(
                "About {found} shared people would be found; about {wrong} shown matches would be wrong ({range}). "
                "A forecast on {n} of your records, half of them shared and with slips; it cannot know of "
                "people who changed their name or moved.",
                n=count(made.rows),
                found=of_100(figures.recall),
                wrong=of_100(1 - figures.precision),
                range=range_of_100(1 - made.precision_interval[1], 1 - made.precision_interval[0]),
            )
        )
        shown = made.curve
        self.curve.show_curve(
            Curve(shown.recall, shown.precision, shown.threshold, (figures.recall, figures.precision))
        )
        self.changed.emit()

    def _show_rehearsal(self, choices: Choices, found: Rehearsal) -> None:
        from pprl_desktop.job.kept import keep_rehearsal

        keep_rehearsal(self.project, choices, found)
        named = found.partner.named
        self.learn.say(
            tr(
                "We played the partner, who holds the shared secret and a dictionary, against {n} of your records.",
                n=count(found.sampled),
            )
        )
        self.headline.setText(tr("at least {figure}", figure=of_100(named.share)))
        self.headline.setToolTip(percent(named.share, 2))
        self.headline_note.setText(
            tr(
                "people could be named ({low} to {high} % by these attacks, more by better ones; by guessing the most "
                "frequent names: {guess})",
                low=number(100 * named.low, 0),
                high=number(100 * named.high, 0),
                guess=of_100(found.guessing.named.share),
            )
        )
        clear(self.bars)
        for one in found.fields:
            bar = Bar(one.field, one.recovered.share, percent(one.recovered.share, 0), token="warm")
            bar.setToolTip(
                tr(
                    "{field}: {share} of the values recovered with a list of {entries} entries",
                    field=one.field,
                    share=percent(one.recovered.share),
                    entries=count(one.entries),
                )
            )
            self.bars.addWidget(bar)
        clear(self.stronger)
        self.stronger.addWidget(
            Banner("warning", tr("Encryption protects the file on its way, not from the partner."), "")
        )
        self.changed.emit()

    def _show_changes(self, choices: Choices, found: Rehearsal) -> None:
        self._show_rehearsal(choices, found)
        text = " ".join(tr_core(change.sentence) for change in found.changes)
        if text:
            clear(self.stronger)
            warning = tr("Encryption protects the file on its way, not from the partner.")
            self.stronger.addWidget(Banner("warning", warning, text))

    def _ask_sweep(self) -> None:
        choices, place = self.project.choices, self.desk.own_table
        if self.project.problems("method"):
            return
        self.run(
            tr("Trying other noise"), lambda progress: preview.sweep(place, choices, progress=progress),
            self._show_sweep, key="method.sweep", quiet=True, problem=lambda problem: self.show_problem(problem),
        )  # fmt: skip

    def _show_sweep(self, rows: tuple[Any, ...]) -> None:
        points = [
            SweepPoint(
                row.epsilon,
                row.recall,
                row.precision,
                math.nan if row.recovered is None else row.recovered,
                tr_core(method(row.method).title),
            )
            for row in rows
            if not row.problem
        ]
        now = next((p for p in points if p.epsilon == self.project.choices.settings.epsilon), None)
        if rows:
            self.sweep.set_unit(tr_core(UNITS[rows[0].unit or "per bit"]))
        self.sweep.show_points(points, now)
        self.frontier.show_points(points, now)

    # what the steward does ------------------------------------------------------------------------

    def _choose(self, name: str) -> None:
        changed = self.project.choices.with_method(name)
        self.change("Choose method", method=changed.method, settings=changed.settings)
        self._show()
        self._ask()

    def _set_epsilon(self, epsilon: object) -> None:
        self._settings(epsilon=epsilon if epsilon is None else float(str(epsilon)))

    def _pick(self, epsilon: object) -> None:
        self._set_epsilon(epsilon)

    def _settings(self, **values: Any) -> None:
        from pprl_desktop.codes.recipe import changed

        choices = self.project.choices
        settings = changed(choices.method, choices.settings, **values)
        self.change("Change settings", settings=settings)
        self._show()
        self._ask()

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        found = self.project.problems("method")
        return tr_core(found[0].sentence()) if found else ""

    def next_text(self) -> str:
        return tr("Next: agreement")

    def status(self) -> str:
        return tr("Forecast and rehearsal run in the background") if not self.desk.jobs.idle() else ""

    def go_on(self, done: Callable[[], None]) -> None:
        self.desk.confirm("method")
        done()
