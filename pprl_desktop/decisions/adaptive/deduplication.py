"""Who is held twice in one file, before there is a partner: the same levels, weights and second opinion as between two.

Nothing leaves: the smashed data is that of the own table, without noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pprl_desktop.codes.base import Smashed
from pprl_desktop.compute.threads import interruptible, one_blas_thread
from pprl_desktop.decisions.adaptive import check, strangers
from pprl_desktop.decisions.adaptive.levels import MISSING, FieldLevels
from pprl_desktop.decisions.adaptive.model import Model
from pprl_desktop.decisions.adaptive.repeats import (
    Judged,
    Labels,
    first_model,
    groups,
    judged,
    repeats,
    said_once,
)
from pprl_desktop.decisions.adaptive.strangers import File
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Scored
from pprl_desktop.decisions.rules import AdaptiveRule
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.hints import is_of_household


@dataclass(frozen=True, eq=False)
class HeldTwice:
    people: Labels  # the person of each row: the first row that is theirs
    expected: float  # pairs of one person's records, by their probabilities, exact copies not counted

    @property
    def repeated(self) -> int:
        """Records beyond the first of their person."""
        return len(self.people) - len(np.unique(self.people))

    def sizes(self) -> dict[int, int]:
        """How many people have how many records."""
        _, records = np.unique(self.people, return_counts=True)
        count, people = np.unique(records, return_counts=True)
        return dict(zip(count.tolist(), people.tolist(), strict=True))


def held_twice(
    file: Smashed, rule: AdaptiveRule, threads: int = 0, seed: int = 0, progress: Progress = NO_PROGRESS
) -> HeldTwice:
    """All records of the file are compared with each other: up to some tens of thousands are a matter of seconds."""
    if file.rows < 2 or not rule.comparisons:
        return HeldTwice(np.arange(file.rows, dtype=np.int64), 0.0)
    with one_blas_thread():
        laid = _laid_out(file, rule, seed, progress.part(0.0, 0.2))
        found = repeats(laid.without_copies, laid.originals, laid.tuning, threads, progress.part(0.2, 1.0))
    return HeldTwice(found.people, found.pairs)


@dataclass(frozen=True, eq=False)
class _LaidOut:
    fields: tuple[FieldLevels, ...]  # of all records
    originals: Labels  # the row of which each is an exact copy: itself, mostly
    without_copies: File
    tuning: Tuning


def _laid_out(file: Smashed, rule: AdaptiveRule, seed: int, progress: Progress) -> _LaidOut:
    tuning = replace(rule.tuning, within_rows=max(file.rows, rule.tuning.within_rows))
    random = np.random.default_rng(seed)
    null = strangers.random_pairs(file.rows, file.rows, random, tuning)
    different = null.own != null.partner
    null = strangers.Null(null.own[different], null.partner[different])
    fields, _ = strangers.build(file, file, replace(rule, tuning=tuning), null, progress)
    copies = interruptible(progress, strangers.originals, [one.own.codes for one in fields], tuning.copy_fields)
    still = progress.part(1.0, 1.0)
    within = strangers.within(file, file, fields, tuning, random, still)
    within, said_again = said_once(within, tuning, still)
    return _LaidOut(
        tuple(one.nobody() if f in said_again else one for f, one in enumerate(fields)), copies, within.files[0], tuning
    )


def scored_within(
    file: Smashed, rule: AdaptiveRule, threads: int = 0, seed: int = 0, progress: Progress = NO_PROGRESS
) -> Scored:
    """Pairs of records of one file that may be one person, scored like pairs between two; the earlier row comes first.

    What one person's records agree on is not learned from the pairs: on made-up populations that linked as well, but
    twice as many links were wrong, and the forecast did not say so.
    """
    names = tuple(one.field for one in rule.comparisons)
    none = np.zeros(0, np.int32)
    if file.rows < 2 or not names:
        return Scored(none, none, np.zeros(0), np.zeros(0), np.zeros((0, len(names)), np.float32), names, 0.0, 0)
    with one_blas_thread():
        laid = _laid_out(file, rule, seed, progress.part(0.0, 0.2))
        part, tuning = laid.without_copies, laid.tuning
        model = first_model(part, tuning, progress.part(0.2, 0.2))
        bar = tuning.lowest_held - tuning.held_margin - model.prior
        near = check.strangers(part, model, bar, threads, progress.part(0.2, 0.9))
        found = interruptible(progress, judged, near, model, bar)
        return _scored(laid, model, near, found, names)


def _scored(laid: _LaidOut, model: Model, near: check.Strangers, found: Judged, names: tuple[str, ...]) -> Scored:
    rows = laid.without_copies.rows
    copies = np.flatnonzero(laid.originals != np.arange(len(laid.originals)))
    own = np.concatenate([rows[near.own], laid.originals[copies]]).astype(np.int32)
    partner = np.concatenate([rows[near.partner], copies]).astype(np.int32)
    sure = np.full(len(copies), laid.tuning.copy)
    probability = np.clip(np.concatenate([found.probability, sure]), 1e-12, 1 - 1e-12)
    weighed = check.weigh(laid.fields, model, own, partner)
    likely = probability > 0.5
    people = groups(len(laid.originals), own[likely], partner[likely]).astype(np.int32)
    return Scored(
        own,
        partner,
        np.log(probability) - np.log1p(-probability),
        probability,
        np.where(weighed.levels == MISSING, np.float32(np.nan), weighed.evidence),
        names,
        0.0,
        len(laid.originals) * (len(laid.originals) - 1) // 2,
        notes={
            **model.shown(),
            "expected_matches": float(probability.sum()),
            "views_asked": found.asked,
            "households": all(map(is_of_household, names)),
            "candidates": len(own),
            "copies": len(copies),
            "model": model.to_plain(),
        },
        people=(people, people),
        second=np.concatenate([found.by_views, sure]),
        strangers=np.concatenate([found.by_weights, sure]),
    )
