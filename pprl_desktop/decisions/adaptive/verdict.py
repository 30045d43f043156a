"""The last word on every candidate: the weights, the second opinion and strangers within the files, the lowest of them.

Strangers are counted, not assumed: however high the weights of a pair, it is believed no more than the number of pairs
of strangers within either file that reach the same weight allows (null), nor more than any view that was left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pprl_desktop.compute.intervals import wilson
from pprl_desktop.compute.threads import interruptible
from pprl_desktop.decisions.adaptive import opinion as second
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.check import Strangers
from pprl_desktop.decisions.adaptive.held_out import Held, Linked, held_out
from pprl_desktop.decisions.adaptive.learning import Files, Floats, Learned, Pairs, learn, near_bar
from pprl_desktop.decisions.adaptive.levels import MISSING, FieldLevels
from pprl_desktop.decisions.adaptive.model import Model
from pprl_desktop.decisions.adaptive.nobody import somebody
from pprl_desktop.decisions.adaptive.repeats import sigmoid
from pprl_desktop.decisions.adaptive.rivals import Rivals, nobody_met, rivals
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.views import Views, Weighed, changed_together, seen, views
from pprl_desktop.decisions.base import Numbers
from pprl_desktop.progress import Progress
from pprl_desktop.records.hints import is_age, is_birth
from pprl_desktop.records.roles import role


@dataclass(frozen=True, eq=False)
class Verdict:
    probability: Numbers  # [pairs]
    findable: float  # pairs that a result of this direction can hold, expected
    by_views: Numbers  # [pairs] what the second opinion alone makes of them; NaN where nobody could be asked
    by_strangers: Numbers  # [pairs] what strangers within the files alone leave of them
    opinion: second.Opinion
    views: Views
    anybody: float  # the probability that anybody is shared
    held_out: Held | None  # how many counterparts there are, by pairs found without a view; None: nobody to ask
    relatives: bool  # many of the surest pairs, found without the first name, differ in it, and links may too
    generations: bool  # the same of the birth


def verdict(files: Files, learned: Learned, near: Sequence[Strangers], evidence: Floats, progress: Progress) -> Verdict:
    """`evidence` [pairs, fields], NaN: missing."""
    model, tuning, pairs = learned.model, files.tuning, learned.pairs
    plain = _plain_prior(files, learned)
    found = _views(files, learned, evidence)
    within = [_as_seen(file, learned, found, plain) for file in near if len(file.own)]
    shown, total, bar = _shown(files, learned, found, evidence)
    opinion = _opinion(files, learned, shown, total, bar, within, progress)
    alone = learned.fit.log_odds + learned.doubt  # the second opinion is asked anew
    compete = files.options.one_to_one or files.few_repeated
    certain = np.minimum(alone, opinion.log_odds + model.prior - plain)
    met = rivals(files, pairs, certain, near) if compete else nobody_met(len(certain))
    null = strangers_leave(
        _ratio(evidence), near, _repeated(files), met, learned, files.all_pairs, plain, tuning, progress
    )
    lowest = np.minimum(alone, np.minimum(opinion.log_odds, null) + model.prior - plain)
    if compete:
        graph = interruptible(progress, em.Graph, files.people[0][pairs.own], files.people[1][pairs.partner])
        probability = graph.marginals(lowest, progress, 4 * tuning.messages)
    else:
        probability = sigmoid(lowest)
    anybody = _somebody(files, pairs, _ratio(evidence), probability, near, learned.model, progress)
    probability = probability * anybody
    findable = float(probability.sum())
    if files.options.one_to_one:
        findable = graph.count(probability, _fewer_records(files, pairs))
    asked = np.where(np.isfinite(opinion.log_odds), sigmoid(opinion.log_odds), np.nan)
    people = files.people[0][pairs.own].astype(np.int64), files.people[1][pairs.partner].astype(np.int64)
    times = files.all_pairs / max(sum(file.out_of for file in near), 1.0)
    left_out = held_out(shown, opinion, Linked(people, total, probability), bar, within, times, tuning)
    firsts = [role(one.comparison.field) == "first" for one in files.fields]
    births = [_is_birth(one) for one in files.fields]
    asked_of = opinion, found, shown, probability
    return Verdict(
        probability, findable, asked, sigmoid(null), opinion, found, anybody, left_out,
        _differ(firsts, *asked_of, tuning.same_first, tuning), _differ(births, *asked_of, tuning.same_birth, tuning),
    )  # fmt: skip


def _differ(
    lasting: Sequence[bool],
    opinion: second.Opinion,
    found: Views,
    shown: second.ViewedPairs,
    probability: Numbers,
    least: float,
    tuning: Tuning,
) -> bool:
    """Whether fewer than `least` of the surest pairs agree on `lasting` fields or nearly, and many may be linked.

    The surest are those that were found without these fields. Counterparts change nearly everything in the course of a
    life but the first name and the birth: pairs that agree on all else are twins, people of one household, or father
    and son of one name. Where many links show that the fields themselves keep them apart, nothing is to be told.
    """
    for one in opinion.asked:
        luck = (one.found * (1 - one.found) / max(one.best, 1.0)) ** 0.5
        few = one.alike < least and one.found + tuning.opinion_sigma * luck < least
        if not few or not all(lasting[f] for f in found[one.view]):
            continue
        believed = (probability >= tuning.worthwhile / 2) & shown.known[:, one.view]  # the border lies no lower
        differ = believed & ~shown.agrees[:, one.view] & (shown.weights[:, one.view] <= tuning.speaks)
        pairs = int(believed.sum())
        if not pairs or wilson(float(differ.sum()) / pairs, pairs)[1] > tuning.believed_differ:
            return True
    return False


def _is_birth(one: FieldLevels) -> bool:
    name = one.comparison.field
    return one.comparison.kind in ("date", "number") and (is_birth(name) or is_age(name))


def _somebody(
    files: Files,
    pairs: Pairs,
    ratio: Numbers,
    probability: Numbers,
    near: Sequence[Strangers],
    model: Model,
    progress: Progress,
) -> float:
    """The probability that anybody is shared, by the pairs believed and by strangers within the files."""
    at = np.flatnonzero(probability >= 0.5)
    labels = np.stack([files.people[0][pairs.own[at]], files.people[1][pairs.partner[at]]], axis=1)
    _, first = np.unique(labels[np.argsort(-ratio[at], kind="stable")], axis=0, return_index=True)
    best = np.sort(ratio[at])[::-1][first] if len(at) else ratio[at]
    reached = [interruptible(progress, file.ratios, model) for file in near]
    return somebody(
        best,
        np.concatenate(reached) if reached else np.zeros(0),
        np.concatenate([1 - file.same for file in near]) if near else np.zeros(0),
        sum(file.out_of for file in near),
        files.all_pairs,
        min(files.sizes.own, files.sizes.partner),
        files.tuning,
    )


def _fewer_records(files: Files, pairs: Pairs) -> Numbers:
    """[pairs] of the two people of a pair, the number of records of the one who has fewer."""
    own, partner = (np.bincount(label)[label] for label in files.people)
    return np.minimum(own[pairs.own], partner[pairs.partner]).astype(np.float64)


def reconsidered(files: Files, learned: Learned, progress: Progress) -> Learned:
    """Learn again without believing what the second opinion does not: weights must not feed on pairs of strangers."""
    tuning = files.tuning
    for place in range(tuning.opinions):
        part = progress.part(place / tuning.opinions, (place + 1) / tuning.opinions)
        evidence = by_field(learned, len(files.fields), part)
        found = _views(files, learned, evidence)
        opinion = _opinion(files, learned, *_shown(files, learned, found, evidence), (), part)
        alone = learned.fit.log_odds + learned.doubt
        most = opinion.log_odds + learned.model.prior - _plain_prior(files, learned)
        doubt = np.maximum(alone - most, 0.0)
        believed, left = float(sigmoid(learned.fit.log_odds).sum()), float(sigmoid(alone - doubt).sum())
        if left > (1 - tuning.opinion_agrees) * believed:
            break
        learned = learn(files, learned.belief, learned.pairs, learned.surplus, doubt, part)
    return learned


def by_field(learned: Learned, fields: int, progress: Progress) -> Floats:
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


def _views(files: Files, learned: Learned, evidence: Floats) -> Views:
    believed, prior = learned.fit.probability, _plain_prior(files, learned)
    changed = changed_together(learned.pairs.levels, evidence, believed, prior, files.tuning)
    return views(learned.model.edges, len(files.fields), files.tuning, changed)


def _plain_prior(files: Files, learned: Learned) -> float:
    """Log odds of any pair, without the competition of one-to-one."""
    return float(np.log((learned.model.matches + 0.5) / files.all_pairs))


def _ratio(evidence: Floats) -> Numbers:
    return np.asarray(np.nansum(evidence, axis=1, dtype=np.float64))


def _shown(files: Files, learned: Learned, found: Views, evidence: Floats) -> tuple[second.ViewedPairs, Numbers, float]:
    """The pairs as the views see them, their log odds, and the bar below which pairs were not kept."""
    model, tuning, pairs, belief = learned.model, files.tuning, learned.pairs, learned.belief
    plain = _plain_prior(files, learned)
    weighed = Weighed(
        pairs.own, pairs.levels, belief.log_u, evidence, learned.lifts, files.fields, pairs.own, belief.people
    )
    shown = seen(files.fields, found, model.edges, model.u, weighed, tuning)
    bar = max(pairs.bar + plain, tuning.lowest + plain - model.prior)
    return shown, _ratio(evidence) + plain, bar


def _opinion(
    files: Files,
    learned: Learned,
    shown: second.ViewedPairs,
    total: Numbers,
    bar: float,
    within: Sequence[second.Strangers],
    progress: Progress,
) -> second.Opinion:
    expected, near = float(learned.fit.probability.sum()), near_bar(learned.model) + _plain_prior(files, learned)
    return interruptible(progress, second.second_opinion, shown, total, bar, expected, files.tuning, within, near)


def _repeated(files: Files) -> list[int]:
    """Pairs of one person's records that were found in each file."""
    made = []
    for label in files.people[: len(files.within.files)]:
        records = np.unique(label, return_counts=True)[1]
        made.append(int((records * (records - 1) // 2).sum()))
    return made


def _looks_of_counterparts(ratio: Numbers, learned: Learned, low: float, step: float, size: int) -> Numbers:
    """[steps] counterparts of such weights for each one that is beyond doubt."""
    bins = np.clip(((ratio - low) / step).astype(np.int64), 0, size - 1)
    found = np.bincount(bins, learned.fit.probability, minlength=size)
    sure = float(learned.fit.probability[ratio >= -learned.model.prior + learned.model.tuning.certain].sum())
    return np.asarray(found / max(sure, 1.0))


def _as_seen(near: Strangers, learned: Learned, found: Views, prior: float) -> second.Strangers:
    model = learned.model
    weighed = near.weighed(model)
    shown = seen(near.file.fields, found, model.edges, model.u, weighed, model.tuning)
    return second.Strangers(shown, weighed.evidence.sum(axis=1, dtype=np.float64) + prior, 1 - near.same)


def strangers_leave(
    ratio: Numbers,
    near: Sequence[Strangers],
    repeated_pairs: Sequence[int],
    met: Rivals,
    learned: Learned,
    all_pairs: float,
    prior: float,
    tuning: Tuning,
    progress: Progress,
) -> Numbers:
    """Log odds of pairs by how many pairs of strangers have such weights; inf where none was seen.

    Strangers are those within the files and the rivals of certain counterparts, counted together. Pairs compete
    afterwards, and rivals lose then: the question is how many strangers are left among the others.

    `repeated_pairs`: of one person's records that were found in each file. Some are so unlike each other that they were
    not found; their weights are those of counterparts between the files, so about how many there are is known.
    """
    low, step = near_bar(learned.model), tuning.opinion_step
    out_of = sum(file.out_of for file in near)
    reached = [interruptible(progress, file.ratios, learned.model) for file in near]

    def strangers(size: int) -> Numbers:
        within = np.zeros(size)
        looks = _looks_of_counterparts(ratio, learned, low, step, size)
        for file, repeated, ratios in zip(near, repeated_pairs, reached, strict=True):
            counted = second.by_step(ratios, 1 - file.same, low, size, tuning)
            within += counted - np.minimum(repeated * looks, (1 - tuning.least_strangers) * counted)
        between = second.by_step(ratio, met.weight, low, size, tuning)
        every = (within + between) / (out_of / all_pairs + met.share)
        return every * met.left

    if not out_of:
        return np.full(len(ratio), np.inf)
    return second.left_by_strangers(ratio, 1.0 - met.explained, low, strangers, prior, tuning)
