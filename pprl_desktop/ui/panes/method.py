"""Method: the ways to compare side by side, what each finds, what the partner could name, and which to use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QProgressBar, QWidget

from pprl_desktop.codes.base import method
from pprl_desktop.job import kept, preview, ways
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import number, tr, tr_core, tr_n
from pprl_desktop.ui.kit.jobs import Job, time_words
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import count, hundredths, of_100, percent, range_of_100, size
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.method_expert import ExpertSettings
from pprl_desktop.ui.plots.tradeoff import Spot, TradeOff
from pprl_desktop.ui.widgets.basics import (
    Brief,
    boxed,
    button,
    column,
    icon_label,
    label,
    row,
    row_button,
)
from pprl_desktop.ui.widgets.facts import tag
from pprl_desktop.ui.widgets.meter import ShareBar
from pprl_desktop.ui.widgets.numbers import BigNumber
from pprl_desktop.ui.widgets.reflow import columns
from pprl_desktop.ui.widgets.rows import Head, Rows

if TYPE_CHECKING:
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.job.ways import Way
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.rehearsal.rehearse import Rehearsal

KEEP = (5, 10, 20)  # of 100 that may be named at most: what the recommendation goes by


class MethodPane(Pane):
    NAME = "method"
    NEEDS = ("fields", "columns", "reference")
    GIVES = ("method", "settings")
    MESSAGES = {"forecast": "A forecast on synthetic pairs of your own records, not a promise."}  # noqa: RUF012

    def build(self) -> None:
        self.head(tr("Choose how to compare"), "")
        self._ways: dict[Any, Way] = {}  # measured, by what they are about
        self._detailed: set[Any] = set()  # ways whose forecast and rehearsal the part for experts can show
        self._measuring: Way | None = None
        self._bar: QProgressBar | None = None
        self._asked: object = None
        self._keep = 10
        self.found = BigNumber(tr("found"), "accent")
        self.named = BigNumber(tr("could be named"), "warm")
        self.why = label("")
        self.chart = TradeOff(tr("Found against could be named"))
        self.chart.picked.connect(self._use)
        left = column(columns(self.found, self.named, least=130), self.why, self._build_dial(), None, gap=1.5)
        heads = (
            Head(tr("Way"), 1),
            Head(tr("Found, of 100"), 0, right=True, least=82),
            Head(tr("Could be named"), 0, right=True, least=96),
            Head(tr("Time and size"), 0, right=True, least=96, spare=True),
            Head("", right=True, least=88),
        )
        self.table = Rows(tr("Ways to compare"), heads, high=44)
        self.expert_switch = button(tr("E&xpert settings"), self._toggle_expert, kind="link")
        self.expert = ExpertSettings()
        self.expert.settled.connect(lambda values: self._settings(**values))
        self.expert.chosen.connect(self._choose)
        self.expert.setVisible(False)
        self.body.setSpacing(16)
        self.body.addLayout(columns(left, self.chart, least=300, gap=3))
        self.body.addWidget(self.table)
        note = label(tr("Noise, decision, direction, decoys, and what each field gives away"), "small")
        line = row(self.expert_switch, note, gap=1)
        line.setStretch(1, 1)
        self.body.addLayout(line)
        self.body.addWidget(self.expert)
        self.body.addStretch(1)
        self.desk.jobs.progressed.connect(self._progressed)

    def _build_dial(self) -> QWidget:
        """How many may be named at most: the recommendation follows it."""
        self.dial = QButtonGroup(self)
        line: list[QWidget] = [label(tr("Keep under"), "muted", wrap=False)]
        for most in KEEP:
            made = row_button(str(most))
            made.setCheckable(True)
            made.setProperty("segment", True)
            made.setAccessibleName(tr("Keep under {n} of 100", n=most))
            made.setChecked(most == self._keep)
            self.dial.addButton(made, most)
            line.append(made)
        line.append(label(tr("of 100"), "muted", wrap=False))
        self.dial.idClicked.connect(self._set_keep)
        return boxed(row(*line, None, gap=0.75))

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        choices = self.project.choices
        self.sentence.setText(
            tr("Measured on your own {n} records. Nothing leaves this computer on this page.", n=count(choices.rows))
        )
        self._show()
        self._ask()
        self.say_agreed()

    def _about(self, way: Way) -> Any:
        choices = self.project.choices
        return choices.table_sha256, choices.fields, choices.columns, choices.reference, way.key

    def _offered(self) -> list[Way]:
        """With the figures that are known."""
        return [self._known(one) for one in ways.offered(self.project.choices)]

    def _known(self, way: Way) -> Way:
        """With its figures, from this session or kept with the project."""
        about = self._about(way)
        if about not in self._ways:
            self._ways[about] = ways.recalled(self.project, self.project.choices, way)
        return self._ways[about]

    def _used(self) -> Way:
        choices = self.project.choices
        return next(one for one in self._offered() if one.key == (choices.method, choices.settings))

    def _show(self) -> None:
        self.expert.show_choices(self.project.choices)
        self._show_ways()

    def _show_ways(self) -> None:
        offered, used = self._offered(), self._used()
        whole = all(one.measured for one in offered)  # a recommendation before that could be wrong the next moment
        best, why = ways.recommended(offered, self._keep / 100) if whole else (None, None)
        self._show_numbers(used)
        if best is not None and why is not None:
            mine = best.key == used.key
            head = tr("Why this one:") if mine else tr("Recommended: {way}.", way=self._title(best))
            self.why.setText(f"<b>{head}</b> {tr_core(why)}")
        else:
            self.why.setText(self._meanwhile(used, offered))
        self.chart.show_spots(
            [
                Spot(one.key, self._title(one), one.found.share, one.named.share, one.key == used.key)
                for one in offered
                if one.found is not None and one.named is not None
            ]
        )
        self.table.clear()
        self._bar = None
        bad = self._too_many(used)
        for one in offered:
            self._add_way(one, used=one.key == used.key, best=best is not None and one.key == best.key, bad=bad)
        self.changed.emit()

    def _too_many(self, way: Way) -> bool:
        return way.named is not None and way.named.share > self._keep / 100

    def _meanwhile(self, used: Way, offered: list[Way]) -> str:
        """Before all ways are measured: a bad number already has its way out."""
        wait = tr("The other ways are being measured; then one is recommended.")
        if not self._too_many(used):
            return wait
        best, _why = ways.recommended(offered, self._keep / 100)
        head = tr("Too many could be named.")
        if best is None or best.found is None or best.named is None or self._too_many(best):
            return f"<b>{head}</b> {wait}"
        so_far = tr(
            "So far {way} is better: {named} could be named, {found} found. The others are being measured.",
            way=self._title(best),
            named=hundredths(best.named.share),
            found=hundredths(best.found.share),
        )
        return f"<b>{head}</b> {so_far}"

    def _show_numbers(self, used: Way) -> None:
        if used.found is not None:
            note = tr("{range} by chance", range=range_of_100(used.found.low, used.found.high))
            if used.wrong is not None:
                note += "\n" + tr("{wrong} links wrong", wrong=of_100(used.wrong))
            self.found.show_number(hundredths(used.found.share), tr("of 100"), note, percent(used.found.share, 2))
        else:
            self.found.show_number("…", "", tr("Measuring on synthetic pairs of your own records …"))
        if used.named is not None:
            note = tr("or more, by a partner\nwho breaks the rules")
            self.named.show_number(hundredths(used.named.share), tr("of 100"), note, percent(used.named.share, 2))
        else:
            self.named.show_number("…", "", tr("Playing the partner against your own records …"))
        self.named.set_tint("warm" if used.named is None or used.named.share > 0 else "muted")

    def _title(self, way: Way) -> str:
        """As the steward calls it; two settings of one method are told apart by their noise."""
        name = tr_core(method(way.method).title)
        alike = [one for one in ways.offered(self.project.choices) if one.method == way.method]
        if len(alike) < 2:
            return name
        if way.settings.epsilon is None:
            return tr("{way}, no noise", way=name)
        return tr("{way}, noise {epsilon}", way=name, epsilon=number(way.settings.epsilon, 1))

    def _add_way(self, way: Way, *, used: bool, best: bool, bad: bool) -> None:
        """`bad`: the number of the way in use is; then the recommended one is what the page asks to press."""
        about = method(way.method)
        sentence = Brief("tiny")
        sentence.setText(tr_core(way.problem.what if way.problem is not None else about.brief or about.sentence))
        if way.problem is None:
            set_tip(sentence, tr_core(about.sentence))
            sentence.setAccessibleName(tr_core(about.sentence))
        name = label(self._title(way), "strong", wrap=not best)
        top = row(name, tag(tr("recommended"), "accent"), None, gap=1) if best else row(name)
        what = boxed(column(top, sentence, gap=0.25))
        action: QWidget
        if used:
            chosen = label(tr("In use"), "strong", wrap=False)
            chosen.setProperty("tint", "accent")
            action = boxed(row(icon_label("check", "accent_text", 16), chosen, gap=0.5))
        else:
            action = row_button(tr("Use this"), lambda: self._use(way.key), kind="primary" if best and bad else "")
            action.setAccessibleName(tr("Use {way}", way=self._title(way)))
            action.setEnabled(way.problem is None)
        shares = [
            ShareBar(figure.share if figure is not None else None, token)
            for figure, token in ((way.found, "accent"), (way.named, "warm"))
        ]
        shares[0].setAccessibleName(tr("Found: {n}", n=of_100(way.found.share) if way.found else tr("not measured")))
        named = of_100(way.named.share) if way.named else tr("not measured")
        shares[1].setAccessibleName(tr("Could be named: {n}", n=named))
        self.table.add(what, shares[0], shares[1], self._takes(way), action, chosen=used)

    def _takes(self, way: Way) -> QWidget:
        if self._measuring is not None and self._measuring.key == way.key and not way.measured:
            self._bar = QProgressBar()
            self._bar.setRange(0, 1000)
            self._bar.setTextVisible(False)
            self._bar.setAccessibleName(tr("Measuring {way}", way=self._title(way)))
            self._bar.setFixedHeight(4)
            made = column(label(tr("measuring"), "tiny", wrap=False), self._bar, gap=0.25)
            return boxed(made)
        files = label(
            " · ".join(([size(way.size)] if way.size else []) + [tr_n("{n} file", "{n} files", way.files)]),
            "tiny",
            wrap=False,
        )
        shown = label(time_words(way.seconds) if way.seconds else "", "small", wrap=False)
        for one in (shown, files):
            one.setAlignment(Qt.AlignmentFlag.AlignRight)
        return boxed(column(shown, files, gap=0.25))

    # forecast and rehearsal -----------------------------------------------------------------------

    def _ask(self) -> None:
        """The way in use first; then the others, one after the other, in the background."""
        self.messages.clear()
        choices, place = self.project.choices, self.desk.own_table
        if self.project.problems("method") or self.project.problems("fields"):
            return
        used = self._used()
        shown = self.expert.isHidden() or self._about(used) in self._detailed
        if (used.measured and shown) or not method(used.method).smashes:
            self._measure_next()
            return
        wanted = self._about(used)
        if wanted == self._asked:
            return
        self._asked = wanted
        self.found.dim(True)
        self.named.dim(True)
        self.run(
            tr("Forecast"), lambda progress: preview.forecast(place, choices, progress=progress),
            lambda made: self._show_forecast(choices, made), key="method.forecast", quiet=True, keeps=True,
            problem=lambda problem: self._cannot(choices, problem),
        )  # fmt: skip
        self.run(
            tr("Rehearsal"), lambda progress: preview.rehearse(place, choices, progress=progress, changes=False),
            lambda found: self._show_rehearsal(choices, found), key="method.rehearse", quiet=True, keeps=True,
            problem=lambda problem: self._cannot(choices, problem),
        )  # fmt: skip

    def _way_of(self, choices: Choices) -> Way:
        return self._known(ways.Way(choices.method, choices.settings))

    def _know(self, way: Way, of: Choices | None = None) -> None:
        """`of`: the choices it was measured under; the present ones."""
        self._ways[self._about(way)] = way
        self._detailed.add(self._about(way))
        ways.keep(self.project, of or self.project.choices, way)

    def _cannot(self, choices: Choices, problem: Problem) -> None:
        self._know(replace(self._way_of(choices), problem=problem), choices)
        self.show_problem(problem)
        self._show_ways()

    def _show_forecast(self, choices: Choices, made: Forecast) -> None:
        kept.keep_forecast(self.project, choices, made)
        self._know(ways.with_forecast(self._way_of(choices), made, choices.rows), choices)
        self.expert.show_forecast(made)
        self._show_ways()
        self._measure_next()

    def _show_rehearsal(self, choices: Choices, found: Rehearsal) -> None:
        kept.keep_rehearsal(self.project, choices, found)
        self._know(ways.with_rehearsal(self._way_of(choices), found), choices)
        self.expert.show_rehearsal(found)
        self._show_ways()
        self._measure_next()

    def _measure_next(self) -> None:
        """The first way without figures; the one in use has its own, better measurement."""
        if self._measuring is not None or self.project.problems("fields"):
            return
        used = self._used()
        left = [
            one
            for one in self._offered()
            if not one.measured and (one.key != used.key or not method(one.method).smashes)
        ]
        if not left:
            return
        way, choices, place = left[0], self.project.choices, self.desk.own_table
        about = self._about(way)
        self._measuring = way

        def done(found: Way) -> None:
            self._measuring = None
            self._ways[about] = found
            ways.keep(self.project, choices, found)
            self._show_ways()
            self._measure_next()

        def stopped() -> None:
            self._measuring = None

        self.run(
            tr("Measuring {way}", way=self._title(way)),
            lambda progress: ways.measure(place, choices, way, progress),
            done, key="method.way", quiet=True, keeps=True, problem=lambda _problem: stopped(), cancelled=stopped,
        )  # fmt: skip
        self._show_ways()

    def _progressed(self, job: Job) -> None:
        if job.key == "method.way" and self._bar is not None:
            self._bar.setValue(round(1000 * job.fraction))

    # what the steward does ------------------------------------------------------------------------

    def _toggle_expert(self) -> None:
        self.expert.setVisible(self.expert.isHidden())
        self._ask()  # what experts see of the way in use is not kept

    def _set_keep(self, most: int) -> None:
        self._keep = most
        self._show_ways()

    def _use(self, key: object) -> None:
        way = next((one for one in self._offered() if one.key == key), None)
        if way is not None and way.problem is None:
            self.change("Choose method", method=way.method, settings=way.settings)
            self._show()
            self._ask()

    def _choose(self, name: str) -> None:
        changed = self.project.choices.with_method(name)
        self.change("Choose method", method=changed.method, settings=changed.settings)
        self._show()
        self._ask()

    def _settings(self, **values: Any) -> None:
        self.change("Change settings", settings=self.project.choices.with_settings(**values).settings)
        self._show()
        self._ask()

    # moving on ------------------------------------------------------------------------------------

    def reason(self) -> str:
        found = self.project.problems("method")
        return tr_core(found[0].sentence()) if found else ""

    def next_text(self) -> str:
        return tr("Next: agreement")

    def status(self) -> str:
        offered = self._offered()
        left = [one for one in offered if not one.measured]
        used = self._title(self._used())
        if not left:
            return tr("{way} · measured", way=used)
        return tr("{way} in use · {n} of {all} ways being measured", way=used, n=len(left), all=len(offered))

    def go_on(self, done: Callable[[], None]) -> None:
        self.desk.confirm("method")
        done()
