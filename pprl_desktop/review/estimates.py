"""Precision and recall estimated from the reviewed pairs, with intervals; agreement of reviewers; enough or not.

The reviewed pairs are a sample per stratum (band of scores). What was not reviewed is drawn from the posterior of
its stratum (Jeffreys prior), so a stratum nobody looked at widens the interval instead of vanishing from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from pprl_desktop.review.plan import Pair, Stratum
from pprl_desktop.said import Said

DRAWS = 20_000
LEVEL = 0.95
ENOUGH = 0.05  # half width of the interval at which more review changes little
_SEED = 20190603  # estimates of the same decisions are the same figures every time


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def as_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class StratumCount:
    stratum: Stratum
    reviewed: int  # with a clear decision
    same: int


@dataclass(frozen=True)
class Estimate:
    """Of the match as it stands (`match`), and of the links after the review's decisions (`reviewed`)."""

    precision: Interval
    recall: Interval  # among the candidate pairs the match looked at
    precision_after: Interval
    recall_after: Interval
    strata: tuple[StratumCount, ...]
    enough: bool
    more: int  # about this many further pairs until it is
    sentence: Said


def count(strata: Sequence[Stratum], pairs: Sequence[Pair], outcome: Mapping[str, bool | None]) -> list[StratumCount]:
    found = []
    for stratum in strata:
        inside = [pair for pair in pairs if _stratum_of(pair, strata) == stratum]
        clear = [outcome[pair.id] for pair in inside if outcome.get(pair.id) is not None]
        found.append(StratumCount(stratum, len(clear), sum(bool(same) for same in clear)))
    return found


def _stratum_of(pair: Pair, strata: Sequence[Stratum]) -> Stratum | None:
    """By band first (its name leads the stratum's), then by score."""
    of_band = [s for s in strata if s.name.split(" ")[0] == pair.band] or list(strata)
    if pair.score is None:
        return of_band[0] if of_band else None
    for stratum in of_band:
        if stratum.low <= pair.score <= stratum.high:
            return stratum
    return min(of_band, key=lambda s: min(abs(s.low - pair.score), abs(s.high - pair.score)), default=None)  # type: ignore[operator]


def estimate(counts: Sequence[StratumCount]) -> Estimate:
    source = np.random.default_rng(_SEED)
    true = np.zeros((len(counts), DRAWS))
    for i, each in enumerate(counts):
        rate = source.beta(each.same + 0.5, each.reviewed - each.same + 0.5, DRAWS)
        unseen = max(each.stratum.population - each.reviewed, 0)
        true[i] = each.same + source.binomial(unseen, rate)
    sizes = np.array([max(each.stratum.population, each.reviewed) for each in counts], dtype=float)
    accepted = np.array([each.stratum.accepted for each in counts], dtype=bool)
    seen_same = np.array([each.same for each in counts], dtype=float)
    seen = np.array([each.reviewed for each in counts], dtype=float)
    everyone = true.sum(axis=0) if len(counts) else np.zeros(DRAWS)
    hit = true[accepted].sum(axis=0)
    linked = float(sizes[accepted].sum())
    # after the review: accepted pairs found different are dropped, reviewed pairs found the same are added
    added = float(seen_same[~accepted].sum())
    dropped = float((seen - seen_same)[accepted].sum())
    precision, recall = _interval(hit, linked), _interval(hit, everyone)
    after = _interval(hit + added, linked - dropped + added), _interval(hit + added, everyone)
    widest = max(after[0].half_width, after[1].half_width)
    reviewed = int(seen.sum())
    enough = widest <= ENOUGH and reviewed > 0
    more = 0 if enough else max(10, ceil(max(reviewed, 10) * ((widest / ENOUGH) ** 2 - 1)))
    left = int((sizes - seen).sum())
    return Estimate(
        precision, recall, *after, tuple(counts), enough, min(more, left), _advice(enough, more, left, widest)
    )


def _advice(enough: bool, more: int, left: int, widest: float) -> Said:
    if enough:
        return Said(
            "Enough was reviewed: the estimates are known to within {widest:percent 1}. More review would "
            "change little.",
            widest=widest,
        )
    if left == 0:
        return Said("Everything was reviewed; the estimates are known to within {widest:percent 1}.", widest=widest)
    return Said(
        "The estimates are known to within {widest:percent 1} only. About {more|one more pair, also an accepted "
        "or rejected one, brings|{more} more pairs, also of the accepted and rejected ones, bring} them to within"
        " {enough:percent}.",
        widest=widest,
        more=min(more, left),
        enough=ENOUGH,
    )


def _interval(part: np.ndarray, whole: np.ndarray | float) -> Interval:
    share = np.divide(part, whole, out=np.ones_like(part, dtype=float), where=np.asarray(whole) > 0)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(share, [tail, 1 - tail]) if len(share) else (0.0, 1.0)
    return Interval(float(share.mean()), float(low), float(high))


@dataclass(frozen=True)
class Agreement:
    """Cohen's kappa of two reviewers over the pairs both decided."""

    pairs: int
    observed: float
    kappa: float
    low: float
    high: float

    @property
    def words(self) -> Said:
        """Landis and Koch 1977."""
        for least, word in (
            (0.81, Said("almost perfect")),
            (0.61, Said("substantial")),
            (0.41, Said("moderate")),
            (0.21, Said("fair")),
        ):
            if self.kappa >= least:
                return word
        return Said("slight") if self.kappa >= 0 else Said("worse than chance")


def cohens_kappa(first: Sequence[object], second: Sequence[object]) -> Agreement:
    """Any categories; the interval uses the large-sample standard error (Fleiss, Cohen, Everitt 1969, simple form)."""
    n = len(first)
    if n == 0:
        return Agreement(0, 0.0, 0.0, -1.0, 1.0)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    kinds = {*first, *second}
    chance = sum((list(first).count(k) / n) * (list(second).count(k) / n) for k in kinds)
    if chance == 1.0:
        return Agreement(n, observed, 1.0, 1.0, 1.0)
    kappa = (observed - chance) / (1 - chance)
    error = sqrt(observed * (1 - observed) / n) / (1 - chance)
    return Agreement(n, observed, kappa, max(-1.0, kappa - 1.96 * error), min(1.0, kappa + 1.96 * error))


@dataclass(frozen=True)
class Threshold:
    """A score from which pairs are accepted, learned from reviewed pairs; goes into MatchOptions(accept=...)."""

    score: float
    precision: float
    recall: float
    f1: float
    labels: int


def threshold_from_labels(
    pairs: Sequence[Pair], outcome: Mapping[str, bool | None], strata: Sequence[Stratum] = ()
) -> Threshold | None:
    """The threshold with the best F1 over the reviewed pairs, each standing for as many as its stratum holds."""
    labelled = [
        (pair, outcome[pair.id]) for pair in pairs if outcome.get(pair.id) is not None and pair.score is not None
    ]
    if len({bool(same) for _, same in labelled}) < 2:
        return None
    per_stratum = {each.stratum.name: each for each in count(strata, pairs, outcome)}
    rows = []
    for pair, same in labelled:
        stratum = _stratum_of(pair, strata)
        each = per_stratum.get(stratum.name) if stratum else None
        weight = each.stratum.population / each.reviewed if each and each.reviewed else 1.0
        rows.append((pair.score or 0.0, bool(same), weight))
    rows.sort(key=lambda row: -row[0])
    everyone = sum(weight for _, same, weight in rows if same)
    best: Threshold | None = None
    hit = taken = 0.0
    for i, (score, same, weight) in enumerate(rows):
        hit, taken = hit + weight * same, taken + weight
        if i + 1 < len(rows) and rows[i + 1][0] == score:
            continue  # pairs of one score are accepted together
        precision, recall = hit / taken, hit / everyone
        f1 = 2 * precision * recall / (precision + recall) if hit else 0.0
        if best is None or f1 > best.f1:
            best = Threshold(score, precision, recall, f1, len(rows))
    return best
