"""Expert settings of the page Method: noise, decision, direction, decoys, and what each field gives away."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal

from pprl_desktop.codes.base import REGISTRY, method
from pprl_desktop.job import preview
from pprl_desktop.privacy.claims import UNITS
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import count, percent
from pprl_desktop.ui.panes._work import decision_words, layout_words
from pprl_desktop.ui.plots.precision_recall import Curve, PrecisionRecallPlot
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, button, column, least_height, row
from pprl_desktop.ui.widgets.epsilon import EpsilonSlider
from pprl_desktop.ui.widgets.inputs import combo, labelled, pick
from pprl_desktop.ui.widgets.meter import Bar
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.rehearsal.rehearse import Rehearsal


class ExpertSettings(Section):
    settled = Signal(object)  # values of the settings that were chosen
    chosen = Signal(str)  # a method that is not in the table of ways

    def __init__(self) -> None:
        super().__init__()
        self._choices: Choices | None = None
        self.slider = EpsilonSlider()
        self.slider.moved.connect(lambda _e: self._describe())
        self.slider.settled.connect(self._settle_epsilon)
        self.decision = combo(
            tr("Decision"),
            [(decision_words()[name], name) for name in ("adaptive", "threshold", "svm")],
            lambda data: self._settle(decision=str(data)),
        )
        self.layout_of = combo(
            tr("Layout"),
            [(words, name) for name, words in layout_words().items()],
            lambda data: self._settle(layout=str(data)),
        )
        self.kernel = combo(
            tr("Kernel"),
            [(tr("linear"), "linear"), (tr("radial (RBF)"), "rbf")],
            lambda d: self._settle(kernel=str(d)),
        )
        self.sides = combo(
            tr("Noise on"),
            [(tr("what each side sends (one-sided)"), "one-sided"), (tr("both sides of the comparison"), "two-sided")],
            lambda data: self._settle(noise=str(data)),
        )
        self.direction = combo(
            tr("A person occurs"),
            [
                (tr("once in each table"), "one-to-one"),
                (tr("perhaps several times in the partner's"), "one-to-many"),
                (tr("perhaps several times in the own"), "many-to-one"),
                (tr("perhaps several times in both"), "many-to-many"),
            ],
            lambda data: self._settle(direction=str(data)),
        )
        self.decoys = combo(
            tr("Decoys"),
            [(tr("none"), 0), *((count(n), n) for n in (100, 500, 1000, 5000))],
            lambda data: self._settle(decoys=int(str(data))),
        )
        self.others = [
            button(tr("Use {method}", method=tr_core(method(name).title)), partial(self.chosen.emit, name), kind="link")
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
        self.bars = column(gap=0.5)
        self.curve = PrecisionRecallPlot(height=180)
        least_height(self.curve, 220)
        gives = Section(tr("What each field gives away"), tr("Values that the partner recovered in the rehearsal."))
        gives.body.addLayout(self.bars)
        gives.add(None)
        right = Section(tr("Right and found"), tr("At each line that could be drawn, on synthetic pairs.")).add(
            self.curve
        )
        self.add(self.slider, first, second, row(*self.others, None), columns(right, gives, least=300, gap=3))

    def show_choices(self, choices: Choices) -> None:
        self._choices = choices
        settings = choices.settings
        self.slider.set_epsilon(settings.epsilon)
        for control, value in (
            (self.decision, settings.decision), (self.layout_of, settings.layout), (self.kernel, settings.kernel),
            (self.sides, settings.noise), (self.direction, settings.direction), (self.decoys, settings.decoys),
        ):  # fmt: skip
            pick(control, value)
        self.kernel.setEnabled("kernel" in method(choices.method).reads)
        coded = method(choices.method).both_layouts
        self.decision.setEnabled(coded)
        self.layout_of.setEnabled(coded)
        self._describe()

    def show_forecast(self, made: Forecast) -> None:
        shown, figures = made.curve, made.figures
        self.curve.show_curve(
            Curve(shown.recall, shown.precision, shown.threshold, (figures.recall, figures.precision))
        )

    def show_rehearsal(self, found: Rehearsal) -> None:
        clear(self.bars)
        for one in found.fields:
            bar = Bar(one.field, one.recovered.share, percent(one.recovered.share, 0), token="warm")
            set_tip(
                bar,
                tr(
                    "{field}: {share} of the values recovered with a list of {entries} entries",
                    field=one.field,
                    share=percent(one.recovered.share),
                    entries=count(one.entries),
                ),
            )
            self.bars.addWidget(bar)

    def _settle(self, **values: Any) -> None:
        self.settled.emit(values)

    def _settle_epsilon(self, epsilon: object) -> None:
        self._settle(epsilon=epsilon if epsilon is None else float(str(epsilon)))

    def _describe(self) -> None:
        """The unit of epsilon and what it means for a whole record; both come from the privacy statement."""
        choices = self._choices
        if choices is None:
            return
        settings = choices.with_settings(epsilon=self.slider.epsilon()).settings
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
        set_tip(self.slider, "\n".join(tr_core(one) for one in said.sentences))
