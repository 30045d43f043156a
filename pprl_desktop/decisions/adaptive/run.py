"""The adaptive decision: field by field on smashed data, weights learned from the real candidates without labels.

ARCHITECTURE 4.5. Levels at null quantiles (levels.py), value-specific u (strangers.py), candidates (candidates.py,
listed_scan.py), EM (weights.py), values in another field (crossing.py), dependent fields (dependence.py). The steps
that use them are in learning.py, what they learn in model.py; here is their order, and what is told at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Rule, Smashed
from pprl_desktop.compute.threads import interruptible, one_blas_thread
from pprl_desktop.decisions.adaptive import apart as adaptive_apart
from pprl_desktop.decisions.adaptive import candidate_recall, listed_scan
from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import outlook as adaptive_outlook
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.check import Strangers, held_twice
from pprl_desktop.decisions.adaptive.learning import (
    Files,
    Learned,
    find,
    first_belief,
    first_matches,
    held,
    learn,
    most_candidates,
    narrowed,
    near_within,
    told_apart,
)
from pprl_desktop.decisions.adaptive.levels import Codes, FieldLevels
from pprl_desktop.decisions.adaptive.repeats import Repeats, of_people, repeats, said_once
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.verdict import Verdict, by_field, reconsidered, verdict
from pprl_desktop.decisions.base import MatchOptions, Outlook, Scored
from pprl_desktop.decisions.rules import AdaptiveRule
from pprl_desktop.decisions.thresholds import from_probabilities
from pprl_desktop.progress import Progress
from pprl_desktop.records.hints import is_of_household
from pprl_desktop.said import Said

SMALL = 4_000_000  # pairs of records that are compared without a trial

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
    learned: Learned | None = None
    for place in range(rounds):
        low, high = 0.25 + 0.58 * place / rounds, 0.25 + 0.58 * (place + 1) / rounds
        if learned is not None:
            files, belief = told_apart(files, learned, progress)
        pairs = find(files, belief, random, progress.part(low, (low + high) / 2))
        none = np.zeros(len(pairs.own))
        learned = learn(files, belief, pairs, none, none, progress.part((low + high) / 2, high))
        learned = reconsidered(files, learned, progress.part(high, high))
        belief = learned.belief
    assert learned is not None
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
    tuning = rule.tuning
    null = adaptive_null.random_pairs(own.rows, partner.rows, random, tuning)
    fields, seen = adaptive_null.build(own, partner, rule, null, progress.part(0.0, 0.1), options.threads)
    progress.at(0.1, "Comparing the records of one file")
    inside = progress.part(0.1, 0.1)
    apart = _written_otherwise(own, partner, fields, options, tuning, inside)
    fields = [one.nobody() if gone else one for one, gone in zip(fields, apart, strict=True)]
    within = adaptive_null.within(own, partner, fields, tuning, random, inside, options.threads)
    within, said_again = said_once(within, tuning, inside)
    fields = [one.nobody() if f in said_again else one for f, one in enumerate(fields)]
    left_out = {*np.flatnonzero(apart).tolist(), *said_again}
    seen = [np.zeros_like(count) if f in left_out else count for f, count in enumerate(seen)]
    twice = _repeats(fields, within, rule.tuning, options, inside)
    people = twice[0].people, twice[1].people
    fields = list(of_people(fields, people))
    index = None
    if listed_scan.wanted(own.rows, partner.rows):
        index = listed_scan.build(fields, rule.tuning, options.threads, progress.part(0.1, 0.25))
    else:
        blocking.prepare(fields, options.threads, progress.part(0.1, 0.25))
    held = [len(np.unique(label)) if options.one_to_one else len(label) for label in people]
    sizes = em.Sizes(held[0], held[1], options.one_to_one, rule.tuning.free)
    within = adaptive_null.Within(tuple(one.file for one in twice[: len(within.files)]))
    once_only = options.one_to_one or all(file.whole for file in within.files)
    return Files(
        (own, partner), tuple(fields), tuple(seen), len(null.own), sizes, within, people, once_only,
        tuple(np.flatnonzero(apart).tolist()), said_again, index, options,
        rule.tuning,
    )  # fmt: skip


def _written_otherwise(
    own: Smashed,
    partner: Smashed,
    fields: Sequence[FieldLevels],
    options: MatchOptions,
    tuning: Tuning,
    progress: Progress,
) -> list[bool]:
    """Fields in which the two sides write the same otherwise, as it seems at first and once people count once."""
    found = [adaptive_apart.apart(one, tuning) for one in fields]
    if not any(found):
        return found
    random = np.random.default_rng(options.seed)
    within = adaptive_null.within(own, partner, fields, tuning, random, progress, options.threads)
    if len(within.files) < 2:
        return found
    a, b = (
        one.file.fields for one in _repeats(fields, said_once(within, tuning, progress)[0], tuning, options, progress)
    )
    people = [(x.own, y.own) for x, y in zip(a, b, strict=True)]
    return [
        gone and adaptive_apart.apart(one, tuning, two) for one, gone, two in zip(fields, found, people, strict=True)
    ]


def _repeats(
    fields: Sequence[FieldLevels],
    within: adaptive_null.Within,
    tuning: Tuning,
    options: MatchOptions,
    progress: Progress,
) -> tuple[Repeats, Repeats]:
    """Who is held twice in the own file and in the partner's; of a file that was left out, nothing is known."""
    made = []
    for side in (0, 1):
        views = [one.partner if side else one.own for one in fields]
        originals = interruptible(progress, adaptive_null.originals, [one.codes for one in views], tuning.copy_fields)
        file = within.files[min(side, len(within.files) - 1)]
        if side < len(within.files):
            made.append(repeats(file, originals, tuning, options.threads, progress))
        else:
            made.append(Repeats(originals, 0.0, file))
    return made[0], made[1]


def outlook(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> Outlook:
    """Memory beside the smashed data, and time; small files are not worth a trial."""
    assert isinstance(rule, AdaptiveRule)
    sizes = em.Sizes(own.rows, partner.rows, options.one_to_one, rule.tuning.free)
    most = most_candidates(sizes, options, rule.tuning)
    if float(own.rows) * partner.rows <= SMALL or not rule.comparisons:
        return Outlook(adaptive_outlook.untried(own, partner, rule, most, options.threads))
    start = adaptive_outlook.Start(
        rule.tuning.lowest - float(np.log(sizes.odds(first_matches(sizes, rule.tuning)))),
        most,
    )
    return adaptive_outlook.outlook(own, partner, rule, start, options.threads)


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
            "{count|One record of the {side} file is a copy|{count} records of the {side} file are copies} of "
            "others in all fields: remove the duplicates first, or link one-to-many.",
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
    evidence = by_field(learned, len(files.fields), progress)
    judged = verdict(files, learned, near, evidence, progress)
    probability = np.clip(judged.probability, 1e-12, 1 - 1e-12)
    score = np.log(probability) - np.log1p(-probability)
    best = from_probabilities(score, probability)
    # a little below even odds may serve F1; where little is to be found, the best F1 is made of long shots
    threshold = min(best.score, 0.0) if best.f1 >= files.tuning.worthwhile else 0.0
    if judged.anybody < files.tuning.anybody and len(score):  # all of them stand or fall together: to be reviewed
        threshold = float(score.max()) + 1.0
    twice = []
    if files.options.one_to_one:
        twice = held_twice(pairs.own, pairs.partner, fit.log_odds + learned.surplus, files.tuning)
    return Scored(
        pairs.own,
        pairs.partner,
        score,
        probability,
        evidence,
        learned.model.fields,
        threshold,
        pairs.examined,
        (*_left_out(files), *told, *twice, *pairs.warnings),
        {
            **_candidate_recall(learned, random),
            **learned.model.shown(),
            "findable": judged.findable,
            "views": [[learned.model.fields[f] for f in one] for one in judged.views],
            "views_asked": len(judged.opinion.asked),
            "anybody": judged.anybody,
            **_held_out(judged),
            "households": all(is_of_household(one.comparison.field) for one in files.fields),
            "relatives": judged.relatives,
            "generations": judged.generations,
            "namesakes": _namesakes(files),
            "noisy": not all(one.exact for one in files.fields),
            "candidates": len(pairs.own),
            "em_rounds": fit.rounds,
            "model": learned.model.to_plain(),
        },
        people=(files.people[0].astype(np.int32), files.people[1].astype(np.int32)),
        second=judged.by_views,
        strangers=judged.by_strangers,
    )


def _namesakes(files: Files) -> bool:
    """Whether too many are held twice by name and household alone: two people of one name would look so too."""
    if not all(
        one.comparison.kind in ("name", "category") or is_of_household(one.comparison.field) for one in files.fields
    ):
        return False
    return any(1 - len(np.unique(label)) / len(label) > files.tuning.namesakes for label in files.people)


def _held_out(judged: Verdict) -> dict[str, Any]:
    """Shared pairs by the second opinion, where there is one: as likely, at least, at most."""
    told = judged.held_out
    return {"findable_second": [judged.findable * one for one in (told.times, told.low, told.high)]} if told else {}


def _left_out(files: Files) -> list[Said]:
    """Which fields were no evidence, and why."""
    apart, made_of = ([files.fields[f].comparison.field for f in which] for which in (files.apart, files.made_of))
    told = []
    if apart:
        told.append(
            Said(
                "Left out: {fields:and}. Hardly a value occurs in both files: the two sides may write it differently.",
                fields=apart,
            )
        )
    if made_of:
        told.append(Said("Left out: {fields:and}. Other fields say the same already.", fields=made_of))
    return told


def _candidate_recall(learned: Learned, random: np.random.Generator) -> dict[str, Any]:
    """Told where not all pairs were compared."""
    pairs = learned.pairs
    if pairs.scan is None:
        return {}
    bound = candidate_recall.lower_bound(
        pairs.scan, pairs.bar, pairs.levels, learned.fit.probability, learned.model.tuning, random
    )
    return {"candidate_recall": bound}
