"""The plain yardstick learned: a linear SVM on edit distances of own records against corrupted copies of them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Rule
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.decisions.plain_tuning import Tuning
from pprl_desktop.decisions.svm.training import distinct_rows
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable

AT_ONCE = 50  # copies compared between two looks at Cancel: some 20 ms
USUAL = Tuning()

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlainRule(Rule):
    """score = base + sum over the fields both have of weight * (neutral - edits); a match at 0 or above."""

    fields: tuple[str, ...]
    base: float
    weight: Numbers
    neutral: Numbers  # edits that speak neither for nor against a match
    tuning: Tuning = field(default_factory=Tuning)


def edits(one: list[str], other: list[str], cap: int) -> npt.NDArray[np.uint8]:
    """Edit distances (a transposition is one edit) of all pairs, capped."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cdist

    made = cdist(one, other, scorer=OSA.distance, score_cutoff=cap, dtype=np.uint8)
    return np.asarray(np.minimum(made, cap), np.uint8)


def _distances(
    table: CleanTable, other: CleanTable, a: npt.NDArray[np.int64], b: npt.NDArray[np.int64], cap: int
) -> Numbers:
    """Edits per field of listed pairs of rows; NaN where a value is missing."""
    from rapidfuzz.distance import OSA

    made = np.full((len(a), len(table.columns)), np.nan)
    for place, (mine, theirs) in enumerate(zip(table.columns, other.columns, strict=True)):
        x, y = mine.codes[a], theirs.codes[b]
        for pair in np.flatnonzero((x >= 0) & (y >= 0)):
            made[pair, place] = min(OSA.distance(str(mine.values[x[pair]]), str(theirs.values[y[pair]])), cap)
    return made


def learn_plain(table: CleanTable, seed: int, progress: Progress, tuning: Tuning = USUAL) -> PlainRule:
    random = np.random.default_rng(seed)
    names = tuple(field.name for field in table.fields)
    count = len(names)
    everyone = distinct_rows(table)  # equal records are no non-matches of each other
    if len(everyone) < tuning.few:
        return PlainRule(
            names,
            tuning.plain_weight * tuning.plain_edits,
            np.full(count, tuning.plain_weight),
            np.zeros(count),
            tuning,
        )
    picked = np.sort(random.choice(everyone, size=min(tuning.sample, len(everyone)), replace=False))
    against = np.sort(random.choice(everyone, size=min(tuning.against, len(everyone)), replace=False))
    copy = corrupt(table.take(picked), seed)
    rows = np.arange(len(picked))
    progress.at(0.2)
    near = _look_alikes(copy, picked, table, against, tuning, progress)
    other_copy = np.concatenate([np.repeat(rows, near.shape[1]), rows])
    other_own = np.concatenate([near.ravel(), random.choice(against, len(rows))])
    kept = picked[other_copy] != other_own
    matches = _distances(copy, table, rows, picked, tuning.cap)
    others = _distances(copy, table, other_copy[kept], other_own[kept], tuning.cap)
    progress.at(0.7)
    return _fit(names, matches, others, tuning)


def _look_alikes(
    copy: CleanTable,
    picked: npt.NDArray[np.int64],
    table: CleanTable,
    against: npt.NDArray[np.int64],
    tuning: Tuning,
    progress: Progress,
) -> npt.NDArray[np.int64]:
    """For each copy the other own records with the fewest edits in all."""
    theirs = []
    for column in table.columns:
        codes, at = np.unique(column.codes[against], return_inverse=True)
        theirs.append((codes, [str(column.values[code]) for code in codes], at.reshape(-1)))
    nearest = []
    for start in range(0, copy.rows, AT_ONCE):
        progress.check()
        rows = slice(start, start + AT_ONCE)
        total = np.zeros((len(picked[rows]), len(against)), np.float32)
        for one, (b, texts_b, y) in zip(copy.columns, theirs, strict=True):
            a, x = np.unique(one.codes[rows], return_inverse=True)
            made = edits([str(one.values[code]) for code in a], texts_b, tuning.cap).astype(np.float32)
            made[a < 0, :] = tuning.cap / 2
            made[:, b < 0] = tuning.cap / 2
            total += made[x.reshape(-1)][:, y]
        total[picked[rows][:, None] == against] = np.inf
        nearest.append(against[np.argpartition(total, min(tuning.hard, len(against) - 1), axis=1)[:, : tuning.hard]])
    return np.concatenate(nearest)


def _fit(names: tuple[str, ...], matches: Numbers, others: Numbers, tuning: Tuning) -> PlainRule:
    """Missing values are put at the neutral number of edits, so that they weigh nothing in the training either."""
    from sklearn.svm import LinearSVC

    neutral = np.array([_middle(matches[:, place], others[:, place]) for place in range(len(names))])
    pairs = np.concatenate([matches, others])
    lack = neutral - np.where(np.isnan(pairs), neutral, pairs)
    label = np.concatenate([np.ones(len(matches)), np.zeros(len(others))])
    model = LinearSVC(C=tuning.c, dual=False, max_iter=2000)
    model.fit(lack, label)
    weight = np.maximum(model.coef_[0], 0.0)
    if not weight.any():
        weight[:] = tuning.plain_weight
    return PlainRule(names, float(model.intercept_[0]), weight, neutral, tuning)


def _middle(matches: Numbers, others: Numbers) -> float:
    """Half way between the usual match and the usual look-alike."""
    known = [float(np.nanmean(each)) for each in (matches, others) if np.isfinite(each).any()]
    return float(np.mean(known)) if known else 0.0
