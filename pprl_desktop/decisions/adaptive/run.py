"""The adaptive decision: field by field on smashed data, weights learned from the real candidates without labels.

ARCHITECTURE 4.5. Levels at null quantiles (levels.py), value-specific u (strangers.py), candidates (candidates.py,
listed_scan.py), EM (weights.py), values in another field (crossing.py), dependent fields (dependence.py). The steps
that use them are in learning.py, what they learn in model.py; here is their order, and what is told at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Rule, Smashed
from pprl_desktop.compute.threads import interruptible, one_blas_thread
from pprl_desktop.decisions.adaptive import candidate_recall, listed_scan
from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import outlook as adaptive_outlook
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.check import SelfLinkage, Strangers, held_twice
from pprl_desktop.decisions.adaptive.learning import (
    BYTES_PER_PAIR,
    Files,
    Learned,
    edges,
    find,
    first_belief,
    first_matches,
    held,
    learn,
    most_candidates,
    narrowed,
    near_within,
)
from pprl_desktop.decisions.adaptive.levels import MISSING, Codes
from pprl_desktop.decisions.base import MatchOptions, Numbers, Outlook, Scored
from pprl_desktop.decisions.rules import AdaptiveRule, FieldComparison
from pprl_desktop.decisions.thresholds import from_probabilities
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

SMALL = 4_000_000  # pairs of records that are compared without a trial
SIMILARITIES = 160 << 20  # bytes, of sampled pairs

Floats = npt.NDArray[np.float32]


def run(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress) -> Scored:
    assert isinstance(rule, AdaptiveRule)
    names = tuple(comparison.field for comparison in rule.comparisons)
    if not own.rows or not partner.rows or not names:
        return _nothing(names)
    with one_blas_thread():
        return _run(own, partner, rule, options, progress)


def _run(own: Smashed, partner: Smashed, rule: AdaptiveRule, options: MatchOptions, progress: Progress) -> Scored:
    random = np.random.default_rng(options.seed)
    files = lay_side_by_side(own, partner, rule, options, random, progress)
    belief = first_belief(files, progress)
    told = _copies_told(files, progress)
    rounds, holds = rule.tuning.rounds, rule.tuning.holds
    for place in range(rounds):
        low, high = 0.25 + 0.58 * place / rounds, 0.25 + 0.58 * (place + 1) / rounds
        if place and not options.one_to_one:  # how often one person's records are equal is known by now
            belief = replace(belief, model=replace(belief.model, edges=edges(files, belief.model.m, progress)))
        pairs = find(files, belief, random, progress.part(low, (low + high) / 2))
        learned = learn(files, belief, pairs, np.zeros(len(pairs.own)), progress.part((low + high) / 2, high))
        belief = learned.belief
    learned = narrowed(learned)
    near = near_within(files, learned.model, progress.part(0.83, 0.85))
    for place in range(holds if options.one_to_one else 0):
        part = progress.part(0.85 + 0.12 * place / holds, 0.85 + 0.12 * (place + 1) / holds)
        learned = held(files, learned, near, part)
    return _scored(files, learned, near, told, random, progress.part(0.97, 1.0))


def lay_side_by_side(
    own: Smashed,
    partner: Smashed,
    rule: AdaptiveRule,
    options: MatchOptions,
    random: np.random.Generator,
    progress: Progress,
) -> Files:
    null = adaptive_null.random_pairs(own.rows, partner.rows, random, rule.tuning)
    fields, seen = adaptive_null.build(own, partner, rule, null, progress.part(0.0, 0.1))
    index = None
    if listed_scan.wanted(own.rows, partner.rows):
        index = listed_scan.build(fields, rule.tuning, options.threads, progress.part(0.1, 0.25))
    else:
        blocking.prepare(fields, options.threads, progress.part(0.1, 0.25))
    progress.at(0.25, "Comparing the records of one file")
    within = adaptive_null.within(own, partner, fields, rule.tuning, random, progress)
    sizes = em.Sizes(own.rows, partner.rows, options.one_to_one, rule.tuning.free)
    return Files(tuple(fields), tuple(seen), len(null.own), sizes, within, index, options, rule.tuning)


def outlook(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> Outlook:
    """Memory beside the smashed data, and time; small files are not worth a trial."""
    assert isinstance(rule, AdaptiveRule)
    sizes = em.Sizes(own.rows, partner.rows, options.one_to_one, rule.tuning.free)
    most = most_candidates(sizes, options, rule.tuning)
    if float(own.rows) * partner.rows <= SMALL or not rule.comparisons:
        cells = sum(_cells(own, partner, one) for one in rule.comparisons)
        blocks = 12 * 4 * min(blocking.BLOCK_PAIRS, own.rows * partner.rows)
        return Outlook(min(cells, blocking.TABLE_CELLS) + most * BYTES_PER_PAIR + blocks + SIMILARITIES)
    start = adaptive_outlook.Start(
        rule.tuning.lowest - float(np.log(sizes.odds(first_matches(sizes, rule.tuning)))),
        most,
        BYTES_PER_PAIR,
    )
    found = adaptive_outlook.outlook(own, partner, rule, start, options.threads)
    return replace(found, bytes=found.bytes + SIMILARITIES)


def _cells(own: Smashed, partner: Smashed, comparison: FieldComparison) -> int:
    a, b = (max((len(part.values) for part in side.of_field(comparison.field)), default=0) for side in (own, partner))
    return a * b


def _nothing(names: tuple[str, ...]) -> Scored:
    none = np.zeros(0, np.int32)
    return Scored(none, none, np.zeros(0), np.zeros(0), np.zeros((0, len(names)), np.float32), names, 0.0, 0)


def _copies_told(files: Files, progress: Progress) -> list[Said]:
    def copies(codes: list[Codes]) -> int:
        return int(interruptible(progress, adaptive_null.copies, codes, files.tuning.copy_fields).sum())

    if not files.options.one_to_one:
        return []
    return [
        Said(
            "{count} records of the {side} file are copies of others in all fields: remove the duplicates "
            "first, or link one-to-many.",
            count=count,
            side=side,
        )
        for side, count in (
            (Said("own"), copies([one.own.codes for one in files.fields])),
            (Said("partner's"), copies([one.partner.codes for one in files.fields])),
        )
        if count
    ]


def _scored(
    files: Files,
    learned: Learned,
    near: Sequence[Strangers],
    told: Sequence[Said],
    random: np.random.Generator,
    progress: Progress,
) -> Scored:
    pairs, fit = learned.pairs, learned.fit
    probability = np.clip(fit.probability, 1e-12, 1 - 1e-12)
    score = np.log(probability) - np.log1p(-probability)
    best = from_probabilities(score, probability)
    # a little below even odds may serve F1; where little is to be found, the best F1 is made of long shots
    threshold = min(best.score, 0.0) if best.f1 >= files.tuning.worthwhile else 0.0
    check = _self_linkage(files, learned, near[0], probability[score >= threshold], progress)
    twice = []
    if files.options.one_to_one:
        twice = held_twice(pairs.own, pairs.partner, fit.log_odds + learned.surplus, files.tuning)
    warning = check.warning(files.tuning)
    return Scored(
        pairs.own,
        pairs.partner,
        score,
        probability,
        _evidence(learned, len(files.fields), progress),
        learned.model.fields,
        threshold,
        pairs.examined,
        (*told, *twice, *pairs.warnings, *([warning] if warning else [])),
        {
            **_candidate_recall(learned, random),
            **learned.model.shown(),
            "candidates": len(pairs.own),
            "em_rounds": fit.rounds,
            "self_linkage": {"precision": check.precision, "pairs": check.pairs, "false": check.false},
            "model": learned.model.to_plain(),
        },
    )


def _self_linkage(
    files: Files, learned: Learned, near: Strangers, accepted: Numbers, progress: Progress
) -> SelfLinkage:
    sizes, model = files.sizes, learned.model
    ratios = interruptible(progress, near.ratios, model)
    pairs, out_of = int((ratios >= -model.prior).sum()), near.out_of
    left = float(sizes.own), float(sizes.partner)
    if files.options.one_to_one:  # a record with a true counterpart is not free for a false one
        left = sizes.own - model.matches, sizes.partner - model.matches
    elif out_of:  # records that share a counterpart are one person, and expected
        shared = np.bincount(learned.pairs.partner, learned.fit.probability)
        same = float((shared * np.maximum(shared - 1, 0)).sum()) / 2
        every = sizes.own * (sizes.own - 1) / 2
        pairs = max(pairs - round(same * out_of / max(every, 1.0)), 0)
    false = pairs * max(left[0], 0.0) * max(left[1], 0.0) / out_of if out_of else 0.0
    return SelfLinkage(pairs, false, float((1 - accepted).sum()), len(accepted))


def _evidence(learned: Learned, fields: int, progress: Progress) -> Floats:
    """[pairs, fields] what each field says; what is found in another field counts for the own one."""
    levels, log_u = learned.levels, learned.log_u
    made = np.full((len(levels), fields), np.nan, dtype=np.float32)
    for f in range(fields):
        progress.check()
        here = np.flatnonzero(levels[:, f] != MISSING)
        made[here, f] = np.log(np.maximum(learned.fit.m[f], 1e-12))[levels[here, f]] - log_u[here, f]
    for at, crossing in enumerate(learned.model.crossings, fields):
        here = np.flatnonzero(levels[:, at] != MISSING)
        weight = np.log(np.maximum(learned.fit.m[at], 1e-12))[levels[here, at]] - log_u[here, at]
        made[here, crossing.own] = np.nan_to_num(made[here, crossing.own]) + weight
    return made - learned.lifts


def _candidate_recall(learned: Learned, random: np.random.Generator) -> dict[str, Any]:
    """Told where not all pairs were compared."""
    pairs = learned.pairs
    if pairs.scan is None:
        return {}
    bound = candidate_recall.lower_bound(
        pairs.scan, pairs.bar, pairs.levels, learned.fit.probability, learned.model.tuning, random
    )
    return {"candidate_recall": bound}
