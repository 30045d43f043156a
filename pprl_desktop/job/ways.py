"""The ways to compare, side by side on the own records: what each finds, what the partner could name, what it takes.

A bad number must not stand without a way out: every way is measured by the same forecast and the same rehearsal, or,
for `blind`, by its own meter, and one of them is recommended with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pprl_desktop.job import kept
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.project import Project
    from pprl_desktop.rehearsal.findings import Rehearsal

ROWS = 1000  # records of a forecast for the table of ways; the chosen way is measured on more
SAMPLE = 200  # records that the partner is played against
SIZED = 500  # records by which the size of a bundle is estimated
NOISE = 2.0  # epsilon per bit at which filters and hashes are offered with noise: below it they find little
FEW = 0.02  # of the people: what is found by so much more is worth nothing against being named less
Keep = Literal[5, 10, 20]  # of 100 that may be named at most


@dataclass(frozen=True)
class Figure:
    """A share of one, with its 95 % range."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Way:
    """A method with its settings; figures are None until they are measured."""

    method: str
    settings: Settings
    found: Figure | None = None
    wrong: float | None = None  # of the pairs that would be shown as matches
    named: Figure | None = None
    size: int = 0  # bytes of what one side sends, about; 0: not known
    seconds: float = 0.0  # to compare tables of the own size, about; 0: not known
    files: int = 2  # that pass between the two sides before the results
    problem: Problem | None = None  # why it cannot be used here

    @property
    def key(self) -> tuple[str, Settings]:
        return self.method, self.settings

    @property
    def measured(self) -> bool:
        return self.problem is not None or (self.found is not None and self.named is not None)


def offered(choices: Choices) -> tuple[Way, ...]:
    """Those worth comparing, the chosen one among them; `blind` first, then the least that a partner could look up."""
    from pprl_desktop.codes.base import REGISTRY, method
    from pprl_desktop.codes.recipe import changed

    made: list[Way] = []
    direction, decoys = choices.settings.direction, choices.settings.decoys
    shown = [method(name) for name in REGISTRY if method(name).page == "card"]
    for one in sorted(shown, key=lambda known: (known.smashes, not known.both_layouts)):
        settings = one.defaults()
        if not one.smashes:
            made.append(Way(one.name, changed(one.name, settings, direction=direction), files=3))
            continue
        settings = changed(one.name, settings, direction=direction, decoys=decoys)
        made.append(Way(one.name, changed(one.name, settings, epsilon=NOISE) if one.both_layouts else settings))
    if (choices.method, choices.settings) not in [one.key for one in made]:
        made.append(Way(choices.method, choices.settings))
    return tuple(made)


def measure(own: OwnTable, choices: Choices, way: Way, progress: Progress = NO_PROGRESS) -> Way:
    """One way with its figures; where it does not apply to these fields, the reason."""
    try:
        from pprl_desktop.codes.base import method

        if not method(way.method).smashes:
            return _blind(own, choices, way, progress)
        from pprl_desktop.job import preview

        tried = choices.changed(method=way.method, settings=way.settings)
        wrong = _problems(tried)
        if wrong:
            raise wrong[0]
        forecast = preview.forecast(own, tried, most=ROWS, progress=progress.part(0.0, 0.5))
        found = with_forecast(way, forecast, choices.rows)
        rehearsal = preview.rehearse(own, tried, sample=SAMPLE, changes=False, progress=progress.part(0.5, 0.95))
        return replace(with_rehearsal(found, rehearsal), size=_size(own, tried, progress.part(0.95, 1.0)))
    except Problem as problem:
        return replace(way, problem=problem)


def keep(project: Project, choices: Choices, way: Way) -> None:
    """With the project, so that nothing is measured again after a restart."""
    if way.found is None or way.named is None or way.problem is not None:
        return
    figures: dict[str, object] = {"wrong": way.wrong, "size": way.size, "seconds": way.seconds, "files": way.files}
    for name, one in (("found", way.found), ("named", way.named)):
        figures[name] = [float(one.share), float(one.low), float(one.high)]
    kept.keep_figures(project, choices.changed(method=way.method, settings=way.settings), figures)


def recalled(project: Project, choices: Choices, way: Way) -> Way:
    """The way with the figures that were kept under these choices, if any were; nothing in the file is believed."""
    plain = kept.figures_under(project, choices.changed(method=way.method, settings=way.settings))
    found, named = kept.as_range(plain.get("found")), kept.as_range(plain.get("named"))
    if found is None or named is None:
        return way
    wrong, bytes_, seconds, files = (plain.get(name) for name in ("wrong", "size", "seconds", "files"))
    return replace(
        way, found=Figure(*found), named=Figure(*named),
        wrong=wrong if type(wrong) is float and 0 <= wrong <= 1 else None,
        size=bytes_ if type(bytes_) is int and bytes_ >= 0 else 0,
        seconds=seconds if type(seconds) is float and 0 <= seconds < 1e9 else 0.0,
        files=files if type(files) is int and 0 < files < 10 else way.files,
    )  # fmt: skip


def _problems(choices: Choices) -> Sequence[Problem]:
    from pprl_desktop.codes.base import method

    return method(choices.method).problems(choices.recipe())


def with_forecast(way: Way, made: Forecast, rows: int) -> Way:
    low, high = made.recall_interval
    seconds = made.seconds * max(rows / max(made.rows, 1), 1.0)
    found = Figure(made.figures.recall, low, high)
    return replace(way, found=found, wrong=1 - made.figures.precision, seconds=seconds)


def with_rehearsal(way: Way, made: Rehearsal) -> Way:
    named = made.partner.named
    return replace(way, named=Figure(named.share, named.low, named.high))


def _size(own: OwnTable, choices: Choices, progress: Progress) -> int:
    """Of the bundle: smashed for some records, and as much for each of the others; repeated values make it smaller."""
    import numpy as np

    from pprl_desktop.codes.base import method

    table = own.clean(choices, progress)
    some = table.take(np.arange(min(SIZED, table.rows)))
    made = method(choices.method).smash(some, choices.recipe(), NO_PROGRESS)
    return round(made.nbytes() * table.rows / max(some.rows, 1))


def _blind(own: OwnTable, choices: Choices, way: Way, progress: Progress) -> Way:
    """By its keys, chosen on the own table against a partner of the same size who lies in every question.

    Within the limit that the agreement proposes unless told otherwise, so that both pages tell the same."""
    from pprl_desktop.codes.keys.choose import choose, room_for_partner
    from pprl_desktop.job.blind import usual_bound

    table = own.clean(choices, progress.part(0.0, 0.2))
    room = room_for_partner(usual_bound(table), table.rows, table.rows)
    choice = choose(table, table.rows, room, progress=progress.part(0.2, 1.0))
    low, high = choice.recall_range()
    found = Figure((low + high) / 2, low, high)
    named = Figure(choice.coverage, choice.coverage, choice.coverage)
    return replace(way, found=found, named=named, size=round(64 * choice.values * table.rows), files=3)


def recommended(ways: Sequence[Way], keep: float) -> tuple[Way | None, Said | None]:
    """Of those that keep the share who could be named low enough, the one that finds most; and why."""
    from pprl_desktop.codes.base import method

    known = [one for one in ways if one.problem is None and one.found is not None and one.named is not None]
    if not known:
        return None, None
    most = max(_found(one) for one in known)
    fine = [one for one in known if _named(one) <= keep]
    if not fine:
        best = min(known, key=lambda one: (round(_named(one), 2), -_found(one)))
        return best, Said(
            "No way keeps it under {most:count} of 100 on these fields; this one lets the partner name the fewest. "
            "Fewer fields give away less.",
            most=100 * keep,
        )
    blind = next((one for one in fine if not method(one.method).smashes), None)
    best = max(fine, key=lambda one: (_found(one), -_named(one)))
    if blind is not None and _found(blind) >= _found(best) - 5 * FEW:
        return blind, Said(
            "The others hand over a file that can be compared with a telephone book at leisure. This one cannot."
        )
    if _found(best) >= most - FEW:
        return best, Said("It finds as many as any other way, and the partner could name fewer.")
    return best, Said("Of the ways that stay under {most:count} of 100, it finds the most.", most=100 * keep)


def _found(way: Way) -> float:
    assert way.found is not None
    return way.found.share


def _named(way: Way) -> float:
    assert way.named is not None
    return way.named.share
