"""Plays both parties in one process, through the same smash, noise, learn and match as the two-party flow."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field, replace

import numpy as np

from pprl_desktop.codes.base import Recipe, Smashed
from pprl_desktop.codes.directions import turned
from pprl_desktop.compute.attended import stage
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.matching.party import comparison, smash
from pprl_desktop.matching.reconcile import DEFAULT_RULE, Pairs, Reconciled, ReconcileRule, as_pairs, reconcile
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable


@dataclass(frozen=True, eq=False)
class Side:
    """What one party came to, in its own view: own row, partner's row."""

    match: Match
    pairs: Pairs  # accepted


@dataclass(frozen=True, eq=False)
class Play:
    a: Side
    b: Side
    reconciled: Reconciled  # in the view of a
    seconds: dict[str, float] = field(default_factory=dict)
    memory: int = 0  # bytes that matching was expected to take at most, before it started

    @property
    def linked(self) -> Pairs:
        return self.reconciled.linked


class _Clock:
    def __init__(self) -> None:
        self.seconds = {"smash": 0.0, "learn": 0.0, "match": 0.0}
        self._since = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage] += now - self._since
        self._since = now


@stage
def play(
    a: CleanTable,
    b: CleanTable,
    recipe: Recipe,
    options: MatchOptions,
    *,
    seed: int = 0,
    rule: ReconcileRule = DEFAULT_RULE,
    progress: Progress = NO_PROGRESS,
) -> Play:
    """Each party smashes, adds its noise, sends; learns alone from its own table; matches; then both reconcile."""
    clock = _Clock()
    own = [smash(a, recipe, progress.part(0.0, 0.15)), smash(b, recipe, progress.part(0.15, 0.3))]
    sent = [released(one, recipe, seed, side) for side, one in enumerate(own)]
    clock.lap("smash")
    sides, memory = [], 0
    for side, table in enumerate((a, b)):
        part = progress.part(0.3 + 0.35 * side, 0.65 + 0.35 * side)
        known = sent[side] if recipe.settings.noise == "two-sided" else own[side]
        seen = replace(options, direction=turned(options.direction) if side else options.direction)
        seen = _repeatable(seen, recipe, seed, side)
        ready = comparison(table, known, sent[1 - side], recipe, seen, seed + side, part.part(0.0, 0.4))
        clock.lap("learn")
        memory = max(memory, ready.outlook.bytes)
        found = ready.match(part.part(0.4, 1.0))
        clock.lap("match")
        accepted = found.accepted()
        sides.append(Side(found, as_pairs(found.scored.own[accepted], found.scored.partner[accepted])))
    merged = reconcile(sides[0].pairs, sides[1].pairs[:, ::-1], rule, direction=options.direction)
    return Play(sides[0], sides[1], merged, clock.seconds, memory)


def released(smashed: Smashed, recipe: Recipe, seed: int, side: int) -> Smashed:
    from pprl_desktop.privacy.keystream import Keystream
    from pprl_desktop.privacy.noise import bundle_epsilon, noised

    return noised(smashed, bundle_epsilon(recipe), Keystream.repeatable(seed, f"side {side}"))


def _repeatable(options: MatchOptions, recipe: Recipe, seed: int, side: int) -> MatchOptions:
    """Same seed, same figures: where the noise is in the answers, they come from a repeatable stream here."""
    if recipe.settings.decision != "nearest":
        return options
    from pprl_desktop.privacy.keystream import Keystream

    stream = Keystream.repeatable(seed, f"answers of side {side}")
    return replace(options, random_bytes=lambda count: stream.words(-(-count // 8)).tobytes()[:count])


def pairs_of_ids(own: list[str], partner: list[str], truth: list[tuple[str, str]]) -> Pairs:
    """Truth given by ids as pairs of rows; an id that occurs several times stands for all its rows."""
    rows_a, rows_b = _rows_by_id(own), _rows_by_id(partner)
    found = [(i, j) for id_a, id_b in truth for i in rows_a.get(id_a, ()) for j in rows_b.get(id_b, ())]
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _rows_by_id(ids: list[str]) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, one in enumerate(ids):
        rows.setdefault(one, []).append(row)
    return rows


def peak_memory_mb() -> float:
    """The most memory this process held at once, in MB; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return _peak_windows()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)


def _peak_windows() -> float:
    import ctypes

    counters = (ctypes.c_size_t * 10)()
    counters[0] = ctypes.sizeof(counters)
    library = getattr(ctypes, "windll", None)
    if library is None:
        return 0.0
    process = library.kernel32.GetCurrentProcess()
    if not library.psapi.GetProcessMemoryInfo(process, ctypes.byref(counters), ctypes.sizeof(counters)):
        return 0.0
    return round(int(counters[1]) / (1 << 20), 1)  # PeakWorkingSetSize follows two 32-bit numbers
