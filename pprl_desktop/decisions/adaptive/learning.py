"""The steps of the adaptive decision, each a function: find candidates, learn the weights, hold them to the files.

Nothing here is changed once made: every step takes what is believed so far and gives back what is believed after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Smashed
from pprl_desktop.compute.threads import interruptible
from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import crossing as adaptive_cross
from pprl_desktop.decisions.adaptive import dependence, listed_scan
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.check import Strangers, strangers, surplus
from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL, LEVELS, MISSING, FieldLevels, Levels, pair_levels
from pprl_desktop.decisions.adaptive.model import Model
from pprl_desktop.decisions.adaptive.repeats import Labels, groups, joined, of_people, same_person
from pprl_desktop.decisions.adaptive.strangers import People
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import MatchOptions, Numbers, Rows
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

BYTES_PER_PAIR = 400  # working memory per candidate and some fields

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Files:
    """Two smashed files laid side by side: what no step changes."""

    smashed: tuple[Smashed, Smashed]
    fields: tuple[FieldLevels, ...]
    seen: tuple[Numbers, ...]  # random pairs per level, by field
    sampled: int  # random pairs in all
    sizes: em.Sizes
    within: adaptive_null.Within
    people: tuple[Labels, Labels]  # the person of each row: the first row that is theirs
    once: bool  # whether the rows that are counted hold nobody twice
    apart: tuple[int, ...]  # fields left out because they are written otherwise on the two sides
    made_of: tuple[int, ...]  # fields left out because they are made of others
    index: listed_scan.Index | None  # None: small files, all pairs are compared
    options: MatchOptions
    tuning: Tuning

    @property
    def all_pairs(self) -> float:
        return float(self.sizes.own) * self.sizes.partner

    @property
    def repeated(self) -> float:
        """Pairs of one person's records that were found in the files, for each pair of people there."""
        found, pairs = 0.0, 1.0
        for label in self.people:
            records = np.unique(label, return_counts=True)[1].astype(np.float64)
            found += float((records * (records - 1) / 2).sum())
            pairs += len(records) * (len(records) - 1) / 2
        return found / pairs

    @property
    def few_repeated(self) -> bool:
        """Whether so few are held twice that nobody who was not found matters: then people compete for each other."""
        most = self.tuning.few_repeated
        return all(1 - len(np.unique(label)) / len(label) <= most for label in self.people)


@dataclass(frozen=True, eq=False)
class Belief:
    """What is believed between two steps."""

    model: Model
    log_u: tuple[Floats, ...]  # per field [own values, levels]
    people: People | None = None  # known once matches are, where a person has many records


@dataclass(frozen=True, eq=False)
class Pairs:
    """Candidates."""

    own: Rows
    partner: Rows
    levels: Levels  # [pairs, fields]
    bar: float  # pairs below this were not kept
    examined: int
    scan: listed_scan.Scan | None
    warnings: tuple[Said, ...]

    def some(self, kept: npt.NDArray[np.int64]) -> Pairs:
        return replace(self, own=self.own[kept], partner=self.partner[kept], levels=self.levels[kept])


@dataclass(frozen=True, eq=False)
class Learned:
    """Candidates with what EM makes of them."""

    belief: Belief
    pairs: Pairs
    levels: Levels  # [pairs, fields and crossings]
    log_u: Floats  # the same shape
    lifts: Floats  # [pairs, fields] log of what dependent fields say twice
    surplus: Numbers  # [pairs] log of how much likelier strangers are than the weights believe
    doubt: Numbers  # [pairs] log odds by which the second opinion is lower
    fit: em.Fit

    @property
    def model(self) -> Model:
        return self.belief.model


def most_candidates(sizes: em.Sizes, options: MatchOptions, tuning: Tuning) -> int:
    """Candidates that may be held."""
    every = min(tuning.per_row * (sizes.own + sizes.partner), sizes.own * sizes.partner)
    return min(every, options.memory // BYTES_PER_PAIR)


def first_matches(sizes: em.Sizes, tuning: Tuning) -> float:
    """The number of matches before any pair was seen."""
    return tuning.overlap * min(sizes.own, sizes.partner)


def first_belief(files: Files, progress: Progress) -> Belief:
    m = em.prior_m(files.fields, files.tuning)
    u = np.stack([adaptive_null.shares(count, files.tuning.unseen) for count in files.seen])
    crossings = adaptive_cross.crossings(files.fields, files.tuning.crossings)
    model = Model(
        tuple(one.comparison.field for one in files.fields),
        m,
        u,
        crossings,
        np.full(len(crossings), files.tuning.prior_cross),
        edges(files, m, progress),
        first_matches(files.sizes, files.tuning),
        files.sizes,
        files.tuning,
    )
    return Belief(model, tuple(adaptive_null.log_u(one, row) for one, row in zip(files.fields, u, strict=True)))


def edges(files: Files, m: Numbers, progress: Progress) -> tuple[dependence.Edge, ...]:
    repeated = 0.0 if files.few_repeated else files.repeated
    return dependence.edges(files.fields, files.within.patterns, files.once, m, files.tuning, progress, repeated)


def told_apart(files: Files, learned: Learned, progress: Progress) -> tuple[Files, Belief]:
    """What counterparts agree on is known by now: so is who else is held twice, and what strangers have in common."""
    made, people = [], list(files.people)
    belief, model = learned.belief, learned.model
    bar = near_bar(model)
    for side, file in enumerate(files.within.files):
        first = people[side] == np.arange(len(people[side]))
        if 1 - first.mean() > files.tuning.few_repeated:  # else nobody is held twice, and nothing is to be found
            near = strangers(file, model, bar, files.options.threads, progress)
            same = interruptible(progress, same_person, near, model, bar)
            people[side], file = joined(file, people[side], near, same)
        if not file.whole:
            people[side] = sharing(files, learned, side, progress)[people[side]]
            file = file.some(people[side][file.rows] == file.rows)
        made.append(file)
    labels = people[0], people[1]
    fields = of_people(files.fields, labels)
    files = replace(files, fields=fields, people=labels, within=adaptive_null.Within(tuple(made)))
    return files, replace(belief, model=replace(model, edges=edges(files, model.m, progress)))


def sharing(files: Files, learned: Learned, side: int, progress: Progress) -> Labels:
    """The first row of the person of each row of a large file, of which only a sample was compared with itself.

    Two people who look like the same third one in the other file are compared: they are one person, or relatives.
    """
    own, partner = learned.pairs.own, learned.pairs.partner
    rows, others = (partner, own) if side else (own, partner)
    label, log_odds = files.people[side], learned.fit.log_odds + learned.doubt
    if not all(one.exact for one in files.fields):
        return np.arange(len(label))
    at = np.flatnonzero(log_odds >= 0.0)
    at = at[np.lexsort((-log_odds[at], others[at]))]
    first = np.flatnonzero(np.diff(others[at], prepend=-1))
    best = np.repeat(rows[at[first]], np.diff(np.append(first, len(at))))
    pairs = np.unique(np.sort(np.stack([label[best], label[rows[at]]], axis=1), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if not len(pairs):
        return np.arange(len(label))
    among = np.unique(pairs)
    one, other = (np.searchsorted(among, pairs[:, end]).astype(np.int32) for end in (0, 1))
    file = adaptive_null.of_rows(files.smashed[side], among.astype(np.int32), files.fields, files.tuning, progress)
    file = file.counted(files.fields, side)
    near = Strangers(file, one, other, len(label) * (len(label) - 1) / 2, np.zeros(len(pairs)))
    same = interruptible(progress, same_person, near, learned.model, near_bar(learned.model)) > 0.5
    return groups(len(label), pairs[same, 0].astype(np.int32), pairs[same, 1].astype(np.int32))


def find(files: Files, belief: Belief, random: np.random.Generator, progress: Progress) -> Pairs:
    """The pairs that the weights believed so far make candidates."""
    model, options, tuning = belief.model, files.options, files.tuning
    weights = em.tables(model.m, belief.log_u)
    lowest = tuning.lowest - model.prior
    most = most_candidates(files.sizes, options, tuning)
    scan = None
    if files.index is None:
        bar, passing = blocking.place_bar(files.fields, weights, lowest, most, random, progress)
        found = blocking.scan(files.fields, weights, bar, most, options.threads, progress)
    else:
        scan = interruptible(progress, listed_scan.under, files.index, weights, model.m)
        bar, passing = listed_scan.place_bar(scan, lowest, most, random, progress)
        found = listed_scan.run(scan, bar, most, options.threads, progress)
    warnings = []
    by_hand = [border for border in (options.accept, options.review) if border is not None]
    if found.bar + model.prior > min(tuning.worth_telling, *by_hand, tuning.worth_telling) and passing > len(found.own):
        warnings.append(
            Said(
                "About {passing} pairs are alike enough to be compared closely, {own} fit: the weakest "
                "{passing2} were left out. Add a field that tells people apart or allow more memory.",
                passing=passing,
                own=len(found.own),
                passing2=passing - len(found.own),
            )
        )
    levels = found.levels
    if levels is None:
        levels = pair_levels(files.fields, found.own, found.partner, progress)
    return Pairs(found.own, found.partner, levels, found.bar, found.examined, scan, tuple(warnings))


def learn(files: Files, belief: Belief, pairs: Pairs, surplus: Numbers, doubt: Numbers, progress: Progress) -> Learned:
    """EM over the candidates, started at what is believed; then what strangers agree on, without the matches found."""
    model, tuning, fields = belief.model, files.tuning, len(files.fields)
    levels, log_u = _columns(files, belief, pairs, progress)
    lifts = dependence.corrections(files.fields, model.edges, pairs.own, pairs.levels, tuning, belief.people, progress)
    people = files.people[0][pairs.own], files.people[1][pairs.partner]
    candidates = em.Candidates(*people, levels, log_u, lifts.sum(axis=1) + surplus + doubt, files.sizes)
    fit = em.fit(
        candidates,
        np.concatenate([em.prior_m(files.fields, tuning), _crossed(np.full(len(model.crossings), tuning.prior_cross))]),
        np.array([tuning.strength] * fields + [tuning.cross_strength] * len(model.crossings)),
        np.concatenate([model.m, _crossed(model.cross_m)]),
        model.matches,
        fields,
        files.options.one_to_one,
        tuning,
        progress,
    )
    after = replace(model, m=fit.m[:fields], cross_m=fit.m[fields:, EQUAL], matches=fit.matches)
    return Learned(
        _without_matches(files, after, pairs, fit, progress), pairs, levels, log_u, lifts, surplus, doubt, fit
    )


def _crossed(m: Numbers) -> Numbers:
    """[crossings, levels] of the share with a value in the other field."""
    made = np.zeros((len(m), LEVELS))
    made[:, DIFFERS], made[:, EQUAL] = 1 - m, m
    return made


def _columns(files: Files, belief: Belief, pairs: Pairs, progress: Progress) -> tuple[Levels, Floats]:
    """Levels and log u of every pair in every field, then in every crossing."""
    width = len(files.fields) + len(belief.model.crossings)
    levels = np.full((len(pairs.own), width), MISSING, dtype=np.uint8)
    log_u = np.zeros((len(pairs.own), width), dtype=np.float32)
    for f, one in enumerate(files.fields):
        progress.check()
        levels[:, f] = pairs.levels[:, f]
        here = np.flatnonzero(pairs.levels[:, f] != MISSING)
        log_u[here, f] = belief.log_u[f][one.own.codes[pairs.own[here]], pairs.levels[here, f]]
    for at, crossing in enumerate(belief.model.crossings, len(files.fields)):
        levels[:, at], log_u[:, at] = interruptible(
            progress, adaptive_cross.compare, files.fields, crossing, pairs.own, pairs.partner, pairs.levels
        )
    return levels, log_u


def _without_matches(files: Files, model: Model, pairs: Pairs, fit: em.Fit, progress: Progress) -> Belief:
    people = None
    if not files.options.one_to_one:
        sizes = files.sizes.own, files.sizes.partner
        people = People.of(pairs.own, pairs.partner, fit.probability, sizes)
    u, tables = [], []
    for f, one in enumerate(files.fields):
        progress.check()
        weighed = np.bincount(pairs.levels[:, f], weights=fit.probability, minlength=MISSING + 1)
        matched = np.asarray(weighed[:LEVELS], dtype=np.float64)
        seen = adaptive_null.without_matches(files.seen[f], files.sampled, files.all_pairs, matched)
        u.append(adaptive_null.shares(seen, files.tuning.unseen))
        tables.append(adaptive_null.log_u(one, u[f], people))
    return Belief(replace(model, u=np.stack(u)), tuple(tables), people)


def narrowed(learned: Learned) -> Learned:
    """Without the candidates that their learned weights have made hopeless: most of a large file's."""
    kept = np.flatnonzero(learned.fit.log_odds + learned.doubt >= learned.model.tuning.lowest)
    fit = learned.fit
    return replace(
        learned,
        pairs=learned.pairs.some(kept),
        levels=learned.levels[kept],
        log_u=learned.log_u[kept],
        lifts=learned.lifts[kept],
        surplus=learned.surplus[kept],
        doubt=learned.doubt[kept],
        fit=replace(fit, log_odds=fit.log_odds[kept], probability=fit.probability[kept]),
    )


def near_within(files: Files, model: Model, progress: Progress) -> list[Strangers]:
    """Pairs within either file that the weights take for matches, or nearly, and whether they are one person."""
    bar = near_bar(model)
    made, count = [], len(files.within.files)
    for place, file in enumerate(files.within.files):
        part = progress.part(place / count, (place + 1) / count)
        near = strangers(file.counted(files.fields, place), model, bar, files.options.threads, part)
        same = interruptible(part, same_person, replace(near, file=file), model, bar)
        made.append(replace(near, same=same))
    return made


def near_bar(model: Model) -> float:
    """The log likelihood ratio from which pairs within a file are looked at."""
    return model.tuning.lowest_held - model.tuning.held_margin - model.prior


def held(files: Files, learned: Learned, near: Sequence[Strangers], progress: Progress) -> Learned:
    """Learn again, with strangers as likely to look like this pair as they are within the files."""
    model, prior = learned.model, learned.model.prior
    ratios = np.concatenate([interruptible(progress, file.ratios, model)[file.same < 0.5] for file in near])
    plain = learned.fit.log_odds - prior + learned.surplus + learned.doubt
    at = np.flatnonzero(plain >= files.tuning.lowest_held - prior)
    wrong = 1 - learned.fit.probability[at]
    more = surplus(ratios, sum(file.out_of for file in near), plain[at], wrong, files.all_pairs, files.tuning)
    so_far = learned.surplus.copy()
    so_far[at] = np.clip(so_far[at] + more, 0.0, files.tuning.most_held)
    return learn(files, learned.belief, learned.pairs, so_far, learned.doubt, progress)
