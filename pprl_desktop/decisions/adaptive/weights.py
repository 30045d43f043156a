"""Fellegi-Sunter weights by expectation and maximisation, aware that a record has at most one counterpart.

u (what strangers agree on) is known beforehand; m (what counterparts agree on) and the number of matches are learned
from the candidates. One-to-one is not forced on the pairs but built into their probabilities: the set of matches is a
matching of the candidate graph, and its marginals come from belief propagation (exact on trees, near it elsewhere).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.threads import interruptible
from pprl_desktop.decisions.adaptive.levels import (
    DIFFERS,
    EQUAL,
    GROUPS,
    INITIAL,
    LEVELS,
    MISSING,
    NEAR,
    OTHER_INITIAL,
    SHIFTED,
    WORD,
    FieldLevels,
)
from pprl_desktop.decisions.adaptive.patterns import told_apart
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.unseen import below
from pprl_desktop.decisions.base import Numbers
from pprl_desktop.progress import NO_PROGRESS, Progress

LARGE = 60.0  # log odds beyond which a pair is as certain as can be

Levels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sizes:
    own: int
    partner: int
    one_to_one: bool
    free: float  # share of the smaller file that is taken to be without counterpart at least

    def odds(self, matches: float) -> float:
        """Prior odds of one pair, given the number of matches: how many more ways one further match can be placed."""
        if not self.one_to_one:
            return (matches + 0.5) / (float(self.own) * self.partner)
        least = self.free * min(self.own, self.partner) + 1.0
        return (matches + 0.5) / (max(self.own - matches, least) * max(self.partner - matches, least))


@dataclass(frozen=True, eq=False)
class Fit:
    m: Numbers  # [fields, levels]
    matches: float  # expected number, those included whose pairs show too little
    log_odds: Numbers  # per pair, before the competition of other pairs
    probability: Numbers  # per pair, with it
    rounds: int


@dataclass(frozen=True, eq=False)
class Candidates:
    own: npt.NDArray[np.integer[Any]]  # row, or the person it belongs to
    partner: npt.NDArray[np.integer[Any]]
    levels: Levels  # [pairs, fields]
    log_u: Floats  # [pairs, fields], 0 where missing
    extra: Floats  # [pairs] log u of what the fields have in common, to be divided out
    sizes: Sizes


def prior_m(fields: Sequence[FieldLevels], tuning: Tuning) -> Numbers:
    """What counterparts usually agree on, before any pair was seen; only a handful of pairs' worth."""
    m = np.zeros((len(fields), LEVELS))
    for row, one in enumerate(fields):
        m[row, DIFFERS] = tuning.prior_differs
        m[row, NEAR:EQUAL] = tuning.prior_near
        m[row, EQUAL] = tuning.prior_equal
        m[row, WORD] = tuning.prior_word
        m[row, SHIFTED] = tuning.prior_shifted
        if not one.exact:  # equal values are the most similar ones, wherever noise has put them
            m[row, NEAR:EQUAL] = tuning.noisy_near
            m[row, EQUAL] = tuning.noisy_equal
            m[row, WORD] = m[row, SHIFTED] = 1e-6
        m[row, INITIAL], m[row, OTHER_INITIAL] = tuning.prior_initial
    return m


def tables(m: Numbers, log_u: Sequence[Floats]) -> list[Floats]:
    """Per field [own values, levels]: log m/u, the weight of each level with each own value."""
    return [
        (np.log(np.maximum(row, 1e-12))[None, :] - table).astype(np.float32)
        for row, table in zip(m, log_u, strict=True)
    ]


def fit(
    candidates: Candidates,
    prior: Numbers,
    strength: Numbers,
    start: Numbers,
    matches: float,
    alike: int,
    one_to_one: bool,
    tuning: Tuning,
    progress: Progress,
) -> Fit:
    """`prior` [fields, levels] with `strength` pseudo-matches per field; EM starts at `start` and `matches`.

    The first `alike` fields learn from each other: how often counterparts differ tells most about who wrote the files,
    so what the other fields show comes on top of the prior before a field's own matches are looked at.

    Once that has settled, matches that no pair shows are put back (unseen.py), a few times only: where hardly anybody
    is shared, each further time would believe in more of them, and in weights that tell counterparts from nobody.
    """
    m = start.copy()
    fields = range(candidates.levels.shape[1])
    first, pattern = interruptible(progress, told_apart, candidates.levels)
    looks = candidates.levels[first]  # of the pairs of each pattern
    usual_u = np.stack([_mean_by_level(candidates, f) for f in fields])
    gone = np.zeros((len(fields), MISSING + 1))  # levels of the matches that no pair shows
    base = -candidates.log_u.sum(axis=1, dtype=np.float64) - candidates.extra
    graph = interruptible(progress, Graph, candidates.own, candidates.partner) if one_to_one else None
    odds, probability, rounds, left = base, np.zeros(len(base)), 0, tuning.unseen_rounds
    for rounds in range(1, tuning.em_rounds + 1):
        progress.at(rounds / tuning.em_rounds, "Learning the weights")
        says = np.sum([_lookup(m[f])[looks[:, f]] for f in fields], axis=0)
        ratio = base + says[pattern]
        odds = np.where(ratio > tuning.least_evidence, ratio + np.log(candidates.sizes.odds(matches)), -LARGE)
        probability = (
            graph.marginals(odds, progress, tuning.messages) if graph else 1.0 / (1.0 + np.exp(-np.clip(odds, -60, 60)))
        )
        seen = graph.count(probability) if graph else float(probability.sum())
        before = m
        believed = np.bincount(pattern, probability, len(looks))
        whole = np.stack([np.bincount(looks[:, f], believed, MISSING + 1) for f in fields])
        if left < tuning.unseen_rounds:
            gone = _unseen(m, usual_u, whole + gone, seen, tuning)
        matches = seen + float(gone[0].sum())
        count = (whole + gone)[:, :LEVELS]
        expected = prior * strength[:, None]
        expected[:alike] += count[:alike].sum(axis=0) - count[:alike]
        m = np.stack([_learned(count[f], expected[f], strength[f]) for f in fields])
        settled = float(np.abs(m - before).max(initial=0.0)) < tuning.settled
        left -= settled or left < tuning.unseen_rounds
        if left < 0:
            break
    return Fit(m, matches, odds, probability, rounds)


def _mean_by_level(candidates: Candidates, f: int) -> Numbers:
    """log u of a pair at each level, on average; 0 where no pair is."""
    levels = candidates.levels[:, f]
    pairs = np.bincount(levels, minlength=MISSING + 1)
    return np.asarray(np.bincount(levels, candidates.log_u[:, f], MISSING + 1) / np.maximum(pairs, 1))


def _unseen(m: Numbers, log_u: Numbers, known: Numbers, matches: float, tuning: Tuning) -> Numbers:
    """[fields, levels] expected counts of the matches below `least_evidence`; see unseen.py.

    known   counts by level of all matches that are known of so far
    """
    share = np.zeros_like(known)
    for group in (*map(list, GROUPS), [MISSING]):
        among = m[:, group] if group != [MISSING] else np.ones((len(m), 1))
        among = among / np.maximum(among.sum(axis=1, keepdims=True), 1e-12)
        share[:, group] = known[:, group].sum(axis=1, keepdims=True) * among
    total = share.sum(axis=1, keepdims=True)
    share = np.divide(share, total, out=np.zeros_like(share), where=total > 0)
    share[:, MISSING] += 1 - share.sum(axis=1)  # a field of which nothing is known says nothing
    ratio = np.zeros_like(share)
    ratio[:, :LEVELS] = np.log(np.maximum(m, 1e-12)) - log_u[:, :LEVELS]
    under = below(share, ratio, tuning.least_evidence)
    part = min(float(under[0].sum()), tuning.most_unseen)
    return np.asarray(under / max(float(under[0].sum()), 1e-12) * matches * part / (1 - part))


def _lookup(m: Numbers) -> Numbers:
    """log m by level code; a missing value adds nothing."""
    table = np.zeros(MISSING + 1)
    table[:LEVELS] = np.log(np.maximum(m, 1e-12))
    return table


def _learned(count: Numbers, expected: Numbers, strength: float) -> Numbers:
    """m by level, within each group of levels that exclude each other; what is expected is worth `strength` matches."""
    m = np.zeros(LEVELS)
    for group in map(list, GROUPS):
        share = expected[group] / max(expected[group].sum(), 1e-12)
        total = count[group] + strength * share
        m[group] = total / max(total.sum(), 1e-12)
    return m


class Graph:
    """Belief propagation for the matchings of a bipartite graph (Zdeborova and Mezard 2006; Bayati et al. 2011).

    Several pairs between the same two nodes (people, where one has several records) are one edge, as likely as the
    best of them.
    """

    def __init__(self, own: npt.NDArray[np.integer[Any]], partner: npt.NDArray[np.integer[Any]]) -> None:
        width = int(partner.max(initial=0)) + 1
        key = own.astype(np.int64) * width + partner
        known, which = np.unique(key, return_inverse=True)
        self._edge: _End | None = None
        if len(known) < len(key):
            self._edge = _End(which)
            own, partner = known // width, known % width
        self._own, self._partner = _End(own), _End(partner)
        self._free_a = np.ones(len(own))  # chance that the own row is not taken by another pair
        self._free_b = np.ones(len(own))

    def marginals(self, log_odds: Numbers, progress: Progress = NO_PROGRESS, rounds: int = Tuning.messages) -> Numbers:
        if self._edge is not None and len(log_odds):
            return self._edge.spread(self._marginals(self._edge.largest(log_odds), progress, rounds))
        return self._marginals(log_odds, progress, rounds)

    def count(self, probability: Numbers, times: Numbers | float = 1.0) -> float:
        """The expected number of edges that hold, each counted so many times."""
        worth = probability * times
        if self._edge is not None and len(probability):
            return float(self._edge.largest(worth).sum())
        return float(worth.sum())

    def _marginals(self, log_odds: Numbers, progress: Progress, rounds: int) -> Numbers:
        odds = np.exp(np.clip(log_odds, -LARGE, LARGE))
        for _ in range(rounds):
            progress.check()
            self._free_a = self._own.free(odds, self._free_b)
            progress.check()
            self._free_b = self._partner.free(odds, self._free_a)
        joint = odds * self._free_a * self._free_b
        return np.asarray(joint / (1.0 + joint))


class _End:
    """One side of the graph: the pairs that meet at each row."""

    def __init__(self, rows: npt.NDArray[np.integer[Any]]) -> None:
        self._order = np.argsort(rows, kind="stable").astype(np.int32)
        ranked = rows[self._order]
        first = np.ones(len(rows), dtype=np.bool_)
        first[1:] = ranked[1:] != ranked[:-1]
        self._starts = np.flatnonzero(first)
        self._ends = np.append(self._starts, len(rows))
        self._node = np.cumsum(first) - 1

    def free(self, odds: Numbers, beyond: Numbers) -> Numbers:
        """1 / (1 + pull of the other pairs at this end); a pair pulls by its odds, as far as its other end is free."""
        from pprl_desktop.decisions.adaptive.kernels import free

        made = np.empty(len(odds))
        free(self._order, self._ends, odds * beyond, made)
        return made

    def largest(self, values: Numbers) -> Numbers:
        """Of the pairs that meet at each row, row by row."""
        return np.asarray(np.maximum.reduceat(values[self._order], self._starts))

    def spread(self, values: Numbers) -> Numbers:
        """The value of its row for each pair."""
        made = np.empty(len(self._order))
        made[self._order] = values[self._node]
        return made
