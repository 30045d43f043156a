"""The adaptive decision: field by field on smashed data, weights learned from the real candidates without labels.

DESIGN 4.5. Levels at null quantiles (levels.py), value-specific u (adaptive_null.py), candidates (blocking.py), EM
(em.py), values in another field (adaptive_cross.py), dependent fields (adaptive_dependence.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Rule, Smashed
from pprl_desktop.compute.threads import interruptible, one_blas_thread
from pprl_desktop.decisions.adaptive import candidate_recall, listed_scan
from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import crossing as adaptive_cross
from pprl_desktop.decisions.adaptive import dependence as adaptive_dependence
from pprl_desktop.decisions.adaptive import outlook as adaptive_outlook
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.check import SelfLinkage, Strangers, Weights, held_twice, strangers, surplus
from pprl_desktop.decisions.adaptive.levels import (
    DIFFERS,
    EQUAL,
    LEVELS,
    MISSING,
    Codes,
    FieldLevels,
)
from pprl_desktop.decisions.adaptive.levels import NAMES as LEVEL_NAMES
from pprl_desktop.decisions.base import MatchOptions, Numbers, Outlook, Rows, Scored
from pprl_desktop.decisions.rules import AdaptiveRule, FieldComparison
from pprl_desktop.decisions.thresholds import from_probabilities
from pprl_desktop.progress import Progress

ROUNDS = 2  # the second looks for candidates with the weights learned in the first
HOLDS = 6  # times the weights are held to what pairs within a file show, and learned again
LOWEST_HELD = -4.0  # log odds from which pairs are held to it
MOST_HELD = 4.0  # log of the largest factor by which that makes strangers likelier
LOWEST = -9.0  # log odds below which a pair is no candidate
WORTH_TELLING = -3.0  # log odds of the weakest kept pair above which leaving pairs out is told
PER_ROW = 60  # candidates per row of both files, on average, that EM looks at
BYTES_PER_PAIR = 400  # working memory per candidate and some fields
SMALL = 4_000_000  # pairs of records that are compared without a trial
SIMILARITIES = 160 << 20  # bytes, of sampled pairs
STRENGTH = 25.0  # matches worth of trust in the prior of m
CROSS_STRENGTH = 20.0
WORTHWHILE = 0.5  # expected F1 from which the border may lie below even odds: at half of it, so never under 1 in 4
OVERLAP = 0.3  # share of the smaller file first taken to have a counterpart

Floats = npt.NDArray[np.float32]


def run(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress) -> Scored:
    assert isinstance(rule, AdaptiveRule)
    names = tuple(comparison.field for comparison in rule.comparisons)
    if not own.rows or not partner.rows or not names:
        return _nothing(names)
    with one_blas_thread():
        return _run(own, partner, rule, options, progress)


def _run(own: Smashed, partner: Smashed, rule: AdaptiveRule, options: MatchOptions, progress: Progress) -> Scored:
    names = tuple(comparison.field for comparison in rule.comparisons)
    random = np.random.default_rng(options.seed)
    null = adaptive_null.random_pairs(own.rows, partner.rows, random)
    fields, seen = adaptive_null.build(own, partner, rule, null, progress.part(0.0, 0.1))
    index = None
    if listed_scan.wanted(own.rows, partner.rows):
        index = listed_scan.build(fields, options.threads, progress.part(0.1, 0.25))
    else:
        blocking.prepare(fields, options.threads, progress.part(0.1, 0.25))
    progress.at(0.25, "Comparing the records of one file")
    within = adaptive_null.within(own, partner, fields, random, progress)
    sizes = em.Sizes(own.rows, partner.rows, options.one_to_one)
    job = _Job(fields, seen, len(null.own), sizes, options, random, within, index, progress)
    for place in range(ROUNDS):
        low, high = 0.25 + 0.58 * place / ROUNDS, 0.25 + 0.58 * (place + 1) / ROUNDS
        if place and not options.one_to_one:
            job.edges = job._edges()  # how often one person's records are equal is known by now
        job.find(progress.part(low, (low + high) / 2))
        job.learn(progress.part((low + high) / 2, high))
    job.compare_within(progress.part(0.83, 0.85))
    for place in range(HOLDS if options.one_to_one else 0):
        job.hold(progress.part(0.85 + 0.12 * place / HOLDS, 0.85 + 0.12 * (place + 1) / HOLDS))
    return job.scored(names, progress.part(0.97, 1.0))


def outlook(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> Outlook:
    """Memory beside the smashed data, and time; small files are not worth a trial."""
    assert isinstance(rule, AdaptiveRule)
    sizes = em.Sizes(own.rows, partner.rows, options.one_to_one)
    most = _most(sizes, options)
    if float(own.rows) * partner.rows <= SMALL or not rule.comparisons:
        cells = sum(_cells(own, partner, one) for one in rule.comparisons)
        blocks = 12 * 4 * min(blocking.BLOCK_PAIRS, own.rows * partner.rows)
        return Outlook(min(cells, blocking.TABLE_CELLS) + most * BYTES_PER_PAIR + blocks + SIMILARITIES)
    start = adaptive_outlook.Start(
        em.prior_m,
        LOWEST - float(np.log(sizes.odds(OVERLAP * min(sizes.own, sizes.partner)))),
        most,
        BYTES_PER_PAIR,
    )
    found = adaptive_outlook.outlook(own, partner, rule, start, options.threads)
    return replace(found, bytes=found.bytes + SIMILARITIES)


def _cells(own: Smashed, partner: Smashed, comparison: FieldComparison) -> int:
    a, b = (max((len(part.values) for part in side.of_field(comparison.field)), default=0) for side in (own, partner))
    return a * b


def _most(sizes: em.Sizes, options: MatchOptions) -> int:
    """Candidates that may be held."""
    every = min(PER_ROW * (sizes.own + sizes.partner), sizes.own * sizes.partner)
    return min(every, options.memory // BYTES_PER_PAIR)


def _nothing(names: tuple[str, ...]) -> Scored:
    none = np.zeros(0, np.int32)
    return Scored(none, none, np.zeros(0), np.zeros(0), np.zeros((0, len(names)), np.float32), names, 0.0, 0)


@dataclass(eq=False)
class _Job:
    fields: list[FieldLevels]
    seen: list[Numbers]  # random pairs per level and field
    sampled: int
    sizes: em.Sizes
    options: MatchOptions
    random: np.random.Generator
    within: adaptive_null.Within
    index: listed_scan.Index | None  # None: small files, all pairs are compared
    progress: Progress  # asked between steps whether to go on

    def __post_init__(self) -> None:
        self.prior = em.prior_m(self.fields)
        self.m = self.prior.copy()
        self.u = [adaptive_null.shares(one) for one in self.seen]
        self.log_u = [adaptive_null.log_u(one, u) for one, u in zip(self.fields, self.u, strict=True)]
        self.matches = OVERLAP * min(self.sizes.own, self.sizes.partner)
        self.crossings = adaptive_cross.crossings(self.fields)
        self.cross_m = np.full(len(self.crossings), 0.02)
        self.edges = self._edges()
        self.surplus = np.zeros(0)
        self.people: adaptive_null.People | None = None  # known once matches are, where a person has many records
        self.warnings: list[str] = []
        self.told = [
            f"{count:,} records of the {side} file are copies of others in all fields: remove the duplicates first, or "
            "link one-to-many."
            for side, count in (
                ("own", self._copies([one.own.codes for one in self.fields])),
                ("partner's", self._copies([one.partner.codes for one in self.fields])),
            )
            if count and self.options.one_to_one
        ]
        self.examined = 0

    def _copies(self, codes: list[Codes]) -> int:
        return int(interruptible(self.progress, adaptive_null.copies, codes).sum())

    def _edges(self) -> tuple[adaptive_dependence.Edge, ...]:
        return adaptive_dependence.edges(
            self.fields, self.within.levels, self.options.one_to_one, self.m[:, EQUAL], self.progress
        )

    # ---- candidates

    def find(self, progress: Progress) -> None:
        weights = [
            (np.log(np.maximum(self.m[f], 1e-12))[None, :] - self.log_u[f]).astype(np.float32)
            for f in range(len(self.fields))
        ]
        prior = float(np.log(self.sizes.odds(self.matches)))
        lowest = LOWEST - prior
        most = _most(self.sizes, self.options)
        if self.index is None:
            bar, passing = blocking.place_bar(self.fields, weights, lowest, most, self.random, progress)
            found = blocking.scan(self.fields, weights, bar, most, self.options.threads, progress)
        else:
            self.scan = interruptible(progress, listed_scan.under, self.index, weights, self.m)
            bar, passing = listed_scan.place_bar(self.scan, lowest, most, self.random, progress)
            found = listed_scan.run(self.scan, bar, most, self.options.threads, progress)
        self.warnings = []
        by_hand = [border for border in (self.options.accept, self.options.review) if border is not None]
        if found.bar + prior > min(WORTH_TELLING, *by_hand, WORTH_TELLING) and passing > len(found.own):
            self.warnings.append(
                f"About {passing:,} pairs are alike enough to be compared closely, {len(found.own):,} fit: the weakest "
                f"{passing - len(found.own):,} were left out. Add a field that tells people apart or allow more memory."
            )
        self.own, self.partner, self.examined, self.bar = found.own, found.partner, found.examined, found.bar
        self.levels = self._levels(self.own, self.partner) if found.levels is None else found.levels
        self.surplus = np.zeros(len(self.own))

    def _levels(self, own: Rows, partner: Rows) -> npt.NDArray[np.uint8]:
        made = np.full((len(own), len(self.fields)), MISSING, dtype=np.uint8)
        for f, one in enumerate(self.fields):
            self.progress.check()
            a, b = one.own.codes[own], one.partner.codes[partner]
            present = np.flatnonzero((a >= 0) & (b >= 0))
            made[present, f] = one.pairs(a[present], b[present], progress=self.progress)
        return made

    # ---- weights

    def learn(self, progress: Progress) -> None:
        levels, log_u = self._columns()
        self.lifts = adaptive_dependence.corrections(
            self.fields, self.edges, self.own, self.levels, self.people, self.progress
        )
        extra = self.lifts.sum(axis=1) + self.surplus
        candidates = em.Candidates(self.own, self.partner, levels, log_u, extra, self.sizes)
        cross = np.zeros((len(self.crossings), LEVELS))
        cross[:, DIFFERS], cross[:, EQUAL] = 1 - self.cross_m, self.cross_m
        cross_prior = np.zeros((len(self.crossings), LEVELS))
        cross_prior[:, DIFFERS], cross_prior[:, EQUAL] = 0.98, 0.02
        prior = np.concatenate([self.prior, cross_prior])
        strength = np.array([STRENGTH] * len(self.fields) + [CROSS_STRENGTH] * len(self.crossings))
        self.fit = em.fit(
            candidates,
            prior,
            strength,
            np.concatenate([self.m, cross]),
            self.matches,
            len(self.fields),
            self.options.one_to_one,
            progress,
        )
        self.columns = levels, log_u
        self.m = self.fit.m[: len(self.fields)]
        self.cross_m = self.fit.m[len(self.fields) :, EQUAL]
        self.matches = self.fit.matches
        self._take_matches_out()

    def compare_within(self, progress: Progress) -> None:
        """Pairs within either file that the weights take for matches, or nearly."""
        self._narrow()
        bar = LOWEST_HELD - 2.0 - float(np.log(self.sizes.odds(self.matches)))
        self.strangers: list[Strangers] = [
            strangers(fields, self._weights(), bar, self.options.threads, progress) for fields in self.within.files
        ]

    def _narrow(self) -> None:
        """Leave out the candidates that their learned weights have made hopeless: most of a large file's."""
        kept = np.flatnonzero(self.fit.log_odds >= LOWEST)
        self.own, self.partner, self.levels = self.own[kept], self.partner[kept], self.levels[kept]
        self.lifts, self.surplus = self.lifts[kept], self.surplus[kept]
        self.columns = self.columns[0][kept], self.columns[1][kept]
        self.fit = replace(self.fit, log_odds=self.fit.log_odds[kept], probability=self.fit.probability[kept])

    def hold(self, progress: Progress) -> None:
        """Learn again, with strangers as likely to look like this pair as they are within the files."""
        prior = float(np.log(self.sizes.odds(self.matches)))
        out_of = sum(file.out_of for file in self.strangers)
        ratios = np.concatenate(
            [interruptible(progress, file.ratios, self._weights())[~file.copies] for file in self.strangers]
        )
        plain = self.fit.log_odds - prior + self.surplus
        at = np.flatnonzero(plain >= LOWEST_HELD - prior)
        wrong, all_pairs = 1 - self.fit.probability[at], float(self.sizes.own) * self.sizes.partner
        more = surplus(ratios, out_of, plain[at], wrong, all_pairs)
        self.surplus[at] = np.clip(self.surplus[at] + more, 0.0, MOST_HELD)
        self.learn(progress)

    def _weights(self) -> Weights:
        return Weights(self.m, self.u, self.cross_m, self.crossings, self.edges)

    def _columns(self) -> tuple[npt.NDArray[np.uint8], Floats]:
        pairs, width = len(self.own), len(self.fields) + len(self.crossings)
        levels = np.full((pairs, width), MISSING, dtype=np.uint8)
        log_u = np.zeros((pairs, width), dtype=np.float32)
        for f, one in enumerate(self.fields):
            self.progress.check()
            levels[:, f] = self.levels[:, f]
            here = np.flatnonzero(self.levels[:, f] != MISSING)
            log_u[here, f] = self.log_u[f][one.own.codes[self.own[here]], self.levels[here, f]]
        for c, crossing in enumerate(self.crossings):
            at = len(self.fields) + c
            levels[:, at], log_u[:, at] = interruptible(
                self.progress, adaptive_cross.compare, self.fields, crossing, self.own, self.partner, self.levels
            )
        return levels, log_u

    def _take_matches_out(self) -> None:
        all_pairs = float(self.sizes.own) * self.sizes.partner
        if not self.options.one_to_one:
            sizes = self.sizes.own, self.sizes.partner
            self.people = adaptive_null.People.of(self.own, self.partner, self.fit.probability, sizes)
        for f, one in enumerate(self.fields):
            self.progress.check()
            weighed = np.bincount(self.levels[:, f], weights=self.fit.probability, minlength=MISSING + 1)
            matched = np.asarray(weighed[:LEVELS], dtype=np.float64)
            seen = adaptive_null.without_matches(self.seen[f], self.sampled, all_pairs, matched)
            self.u[f] = adaptive_null.shares(seen)
            self.log_u[f] = adaptive_null.log_u(one, self.u[f], self.people)

    # ---- answer

    def scored(self, names: tuple[str, ...], progress: Progress) -> Scored:
        probability = np.clip(self.fit.probability, 1e-12, 1 - 1e-12)
        score = np.log(probability) - np.log1p(-probability)
        best = from_probabilities(score, probability)
        # a little below even odds may serve F1; where little is to be found, the best F1 is made of long shots
        threshold = min(best.score, 0.0) if best.f1 >= WORTHWHILE else 0.0
        check = self._self_linkage(probability[score >= threshold], progress)
        twice = held_twice(self.own, self.partner, self.fit.log_odds + self.surplus) if self.options.one_to_one else []
        warning = check.warning()
        return Scored(
            self.own,
            self.partner,
            score,
            probability,
            self._evidence(),
            names,
            threshold,
            self.examined,
            (*self.told, *twice, *self.warnings, *([warning] if warning else [])),
            {
                **self._notes(),
                "self_linkage": {"precision": check.precision, "pairs": check.pairs, "false": check.false},
            },
        )

    def _self_linkage(self, accepted: Numbers, progress: Progress) -> SelfLinkage:
        border = -float(np.log(self.sizes.odds(self.matches)))
        file = self.strangers[0]
        ratios = interruptible(progress, file.ratios, self._weights())
        pairs, out_of = int((ratios >= border).sum()), file.out_of
        left = float(self.sizes.own), float(self.sizes.partner)
        if self.options.one_to_one:  # a record with a true counterpart is not free for a false one
            left = self.sizes.own - self.matches, self.sizes.partner - self.matches
        elif out_of:  # records that share a counterpart are one person, and expected
            shared = np.bincount(self.partner, self.fit.probability)
            same = float((shared * np.maximum(shared - 1, 0)).sum()) / 2
            every = self.sizes.own * (self.sizes.own - 1) / 2
            pairs = max(pairs - round(same * out_of / max(every, 1.0)), 0)
        false = pairs * max(left[0], 0.0) * max(left[1], 0.0) / out_of if out_of else 0.0
        return SelfLinkage(pairs, false, float((1 - accepted).sum()), len(accepted))

    def _evidence(self) -> Floats:
        levels, log_u = self.columns
        made = np.full((len(self.own), len(self.fields)), np.nan, dtype=np.float32)
        for f in range(len(self.fields)):
            self.progress.check()
            here = np.flatnonzero(levels[:, f] != MISSING)
            made[here, f] = np.log(np.maximum(self.fit.m[f], 1e-12))[levels[here, f]] - log_u[here, f]
        for c, crossing in enumerate(self.crossings):
            at = len(self.fields) + c
            here = np.flatnonzero(levels[:, at] != MISSING)
            weight = np.log(np.maximum(self.fit.m[at], 1e-12))[levels[here, at]] - log_u[here, at]
            made[here, crossing.own] = np.nan_to_num(made[here, crossing.own]) + weight
        return made - self.lifts

    def _notes(self) -> dict[str, Any]:
        weights = {}
        for f, one in enumerate(self.fields):
            weights[one.comparison.field] = [
                {"level": LEVEL_NAMES[level], "m": float(self.m[f, level]), "u": float(self.u[f][level])}
                for level in range(LEVELS)
            ]
        named = [one.comparison.field for one in self.fields]
        met = {}
        if self.index is not None:
            recall = candidate_recall.lower_bound(self.scan, self.bar, self.levels, self.fit.probability, self.random)
            met = {"candidate_recall": recall}
        return {
            **met,
            "levels": weights,
            "expected_matches": float(self.fit.matches),
            "match_rate": float(self.fit.matches) / max(min(self.sizes.own, self.sizes.partner), 1),
            "crossings": [
                {"own": named[c.own], "partner": named[c.partner], "m": float(m)}
                for c, m in zip(self.crossings, self.cross_m, strict=True)
            ],
            "dependent": [
                {"fields": [named[edge.first], named[edge.second]], "lift": edge.overall}
                for edge in adaptive_dependence.tree(self.edges)
            ],
            "candidates": len(self.own),
            "em_rounds": self.fit.rounds,
        }
