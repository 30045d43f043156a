"""Algorithm 2 of the split-learning paper (training, at each party alone), mended where it falls short.

As printed, one random non-match per record gives a precision of .19 at 50,000 records, because among 50,000^2 pairs the
near-namesakes outnumber the matches. So the non-matches are mined: the nearest other records in the whole own table.
What the own table's non-matching pairs score is kept in the rule; the threshold is chosen against it once the
partner's pairs are there (decisions/svm/border.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Kernel, Recipe, Smashed
from pprl_desktop.codes.corrupt import Rates, corrupt
from pprl_desktop.codes.distances import distance_parts
from pprl_desktop.decisions.svm import machines as svm
from pprl_desktop.decisions.svm.rule import UNIT, Null, Rbf, SplitRule, Weights, cells_of
from pprl_desktop.decisions.svm.search import Costs, Join
from pprl_desktop.decisions.svm.training_noise import as_released
from pprl_desktop.decisions.svm.tuning import Tuning
from pprl_desktop.decisions.svm.vectors import Shape, Vectors, records_of, shape_and_vectors, some_rows
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.sets import ReferenceSet

# Slips that leave a value recognisable. Initials, swapped fields and missing values are left out: no weighted sum of
# field distances can follow them, and as outliers they only bend it (the adaptive decision is there for those).
TRAINING = Rates(touched=1.0, further=0.25, initial=0.0, swap=0.0, missing=0.0)
USUAL = Tuning()

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Training pairs: rows of the corrupted copy and of the own table."""

    copy: Ints
    own: Ints
    is_match: Flags


@dataclass(frozen=True, eq=False)
class NullCosts:
    join: Join
    left: Ints  # rows of the strangers' side
    right: Ints  # rows of the own table
    cost: Ints
    budget: int  # up to which the list is complete


class Training:
    """One party's training: the own table, a corrupted copy of a sample of it, and what is learned from both."""

    def __init__(
        self,
        table: CleanTable,
        own: Smashed,
        recipe: Recipe,
        seed: int,
        progress: Progress,
        tuning: Tuning = USUAL,
    ) -> None:
        assert recipe.reference is not None
        self.tuning = tuning
        self.rng = np.random.default_rng(seed)
        self.recipe, self.seed, self.progress, self.done = recipe, seed, progress, 0.1
        names = [tuple(p.name for p in own.of_field(f.name) if p.kind == "distances") for f in table.fields]
        self.fields = tuple(f.name for f, parts in zip(table.fields, names, strict=True) if parts)
        self.parts = tuple(parts for parts in names if parts)
        rows = distinct_rows(table)
        if len(rows) < self.tuning.fewest:
            table = with_public_records(table.take(rows), recipe, self.tuning.fewest, self.rng)
            own = Smashed(own.method, table.rows, distance_parts(table, recipe))
            rows = np.arange(table.rows)
        self.rows = rows  # each distinct own record once: Algorithm 2 starts from a deduplicated table
        self.sample = np.sort(self.rng.choice(rows, size=min(self.tuning.sample, len(rows)), replace=False))
        # Algorithm 2, line 1: the corrupted copy; then the distances of its values (Algorithm 1)
        copy_table = corrupt(table.take(self.sample), seed, TRAINING)
        copy = Smashed(own.method, len(self.sample), distance_parts(copy_table, recipe, progress.part(0.0, 0.1)))
        copy = as_released(copy, recipe.settings, self.rng)
        self.blurred = recipe.settings.epsilon is not None
        # the rows that play strangers; with noise they carry what a bundle would carry
        self.strangers = np.sort(self.rng.choice(rows, size=min(self.tuning.null_sample, len(rows)), replace=False))
        sides = [own, copy]
        if self.blurred:
            sides.append(as_released(some_rows(own, self.strangers), recipe.settings, self.rng))
        self.shape: Shape
        self.shape, (self.own, self.copy, *noisy) = shape_and_vectors(self.parts, self.fields, sides, progress)
        self.noisy = noisy[0] if noisy else None

    def at(self, done: float, what: str = "Training") -> None:
        self.done = done
        self.progress.at(done, what)

    def here(self) -> Progress:
        """For a search within training: the bar stands, Cancel works."""
        return self.progress.part(self.done, self.done)

    # -- features ----------------------------------------------------------------------------------

    def features(self, left: Vectors, right: Vectors, i: Ints, j: Ints) -> Numbers:
        """[pairs, 2 * attributes of all fields]: cosine distance and largest difference; 0 where a field is missing."""
        from pprl_desktop.decisions.svm.kernels import GRID, pair_features

        s, columns = self.shape, []
        for f in range(len(self.fields)):
            a, b = left.codes[f][i].astype(np.int64), right.codes[f][j].astype(np.int64)
            there = (a < left.distinct[f]) & (b < right.distinct[f])
            self.progress.check()
            groups = int(s.groups[f])
            cosine = np.zeros((len(i), groups), dtype=np.int64)
            largest = np.zeros((len(i), groups), dtype=np.int64)
            found, most = np.empty((int(there.sum()), groups), np.int64), np.empty((int(there.sum()), groups), np.int64)
            pair_features(a[there], b[there], f, left.flat, right.flat, s.plain, found, most)
            cosine[there], largest[there] = found, most
            columns += [cosine / GRID, largest.astype(np.float64) * (0.0 if self.blurred else 1.0)]
        return np.concatenate(columns, axis=1) if columns else np.zeros((len(i), 0))

    def as_weights(self, weights: Numbers, neutral: Ints, budget: Numbers | float) -> Weights:
        """Whole-number weights in which `budget` (in units of the features) costs UNIT."""
        from pprl_desktop.decisions.svm.kernels import GRID

        most = self.shape.ends.shape[1]
        cosine = np.zeros((len(self.fields), most), dtype=np.int64)
        largest = np.zeros((len(self.fields), most), dtype=np.int64)
        at = 0
        scale = UNIT / max(float(budget), 1e-12)
        for f in range(len(self.fields)):
            groups = int(self.shape.groups[f])
            cosine[f, :groups] = np.round(weights[at : at + groups] * scale / GRID)
            largest[f, :groups] = np.round(weights[at + groups : at + 2 * groups] * scale)
            at += 2 * groups
        return Weights(cosine, largest, neutral, UNIT)

    # -- mining ------------------------------------------------------------------------------------

    def random_features(self, number: int = 60_000) -> Numbers:
        i = self.rng.integers(0, self.copy.rows, number)
        j = self.rows[self.rng.integers(0, len(self.rows), number)]
        keep = self.sample[i] != j
        return self.features(self.copy, self.own, i[keep], j[keep])

    def mined(self, weights: Numbers, random: Numbers) -> Pairs:
        """Algorithm 2, lines 2-6: (i, i') is a match; for non-matches (i, k') the k nearest to i in the whole table."""
        level = min(max(self.tuning.near / len(self.rows), 3.0 / len(random)), 1.0)
        budget = float(np.quantile(random @ weights, level)) if len(random) else 1.0
        made = self.as_weights(weights, np.zeros(len(self.fields), dtype=np.int64), max(budget, 1e-9))
        join = Join(self.shape, self.copy, self.own, made, self.seed, self.progress)
        records = records_of(self.copy, join.order)
        found = join.search(records, made.budget, 4 * self.tuning.near * self.copy.rows, 0, self.here())
        copy = records.members[records.member_at[found.own]]  # one row speaks for its equals
        other = join.partner_records.members[join.partner_records.member_at[found.partner]]
        # the record itself and its exact namesakes are no non-matches
        same = (self.own.codes[:, self.sample[copy]] == self.own.codes[:, other]).all(axis=0)
        copy, other, cost = copy[~same].astype(np.int64), other[~same].astype(np.int64), found.cost[~same]
        by = np.lexsort((other, cost, copy))
        copy, other = copy[by], other[by]
        nearest = rank_within(copy) < self.tuning.negatives
        everyone = np.arange(self.copy.rows)
        far = self.rows[self.rng.integers(0, len(self.rows), len(everyone))]
        away = far != self.sample
        return Pairs(
            np.concatenate([everyone, copy[nearest], everyone[away]]),
            np.concatenate([self.sample, other[nearest], far[away]]),
            np.concatenate([np.ones(len(everyone), bool), np.zeros(int(nearest.sum()) + int(away.sum()), bool)]),
        )

    # -- non-matches at the real class balance -----------------------------------------------------

    def null_costs(self, weights: Weights, number: int, per_row: float) -> NullCosts:
        """The first `number` strangers against the whole own table, without themselves."""
        left = self.own if self.noisy is None else self.noisy
        rows = self.strangers if self.noisy is None else np.arange(len(self.strangers))
        join = Join(self.shape, left, self.own, weights, self.seed, self.progress, number)
        records = records_of(left, join.order, rows[:number])
        room = 2 * (number + max(int(per_row * number), 500))  # each finds itself; a full room is halved
        found = join.search(records, weights.budget, room, 0, self.here())
        i = records.members[records.member_at[found.own]].astype(np.int64)
        j = join.partner_records.members[join.partner_records.member_at[found.partner]].astype(np.int64)
        self_ = i if self.noisy is None else self.strangers[i]
        other = (self.own.codes[:, self_] != self.own.codes[:, j]).any(axis=0)
        return NullCosts(join, i[other], j[other], found.cost[other], found.budget)

    # -- the rule ----------------------------------------------------------------------------------

    def rule(self, kernel: Kernel) -> SplitRule:
        if not self.fields:
            return never()
        random = self.random_features()
        start = 1.0 / np.maximum(random.mean(axis=0), 1e-9) * (random.std(axis=0) > 0)
        pairs = self.mined(start, random)
        self.at(0.3)
        weights = svm.linear(
            self.features(self.copy, self.own, pairs.copy, pairs.own), pairs.is_match, self.tuning.linear_c, self.seed
        )
        weights = weights if weights.any() else start
        pairs = self.mined(weights, random)
        features = self.features(self.copy, self.own, pairs.copy, pairs.own)
        again = svm.linear(features, pairs.is_match, self.tuning.linear_c, self.seed)
        weights = again if again.any() else weights
        self.at(0.5)
        matches = features[pairs.is_match] @ weights
        made = self.as_weights(
            weights, np.zeros(len(self.fields), np.int64), float(np.quantile(matches, self.tuning.floor_recall))
        )
        made = self._with_neutral(made, pairs)
        self.at(0.8)
        return self._finished(kernel, made, pairs)

    def _costs(self, join: Costs, left: Vectors, right: Vectors, i: Ints, j: Ints) -> Ints:
        out = np.empty((len(i), len(self.fields)), dtype=np.int64)
        for f in range(len(self.fields)):
            out[:, f] = join.field_costs(f, left.codes[f][i], right.codes[f][j])
        return out

    def _with_neutral(self, made: Weights, pairs: Pairs) -> Weights:
        """What a missing field costs: so much that as many strangers come near as with the field (same precision)."""
        few = min(len(self.strangers), 600)
        null = self.null_costs(made, few, self.tuning.floor_pairs)
        costs, budget = null.cost, null.budget
        matches = self._costs(
            Costs(self.shape, self.copy, self.own, made), self.copy, self.own,
            pairs.copy[pairs.is_match], pairs.own[pairs.is_match],
        ).sum(axis=1)  # fmt: skip
        target = operating_point(np.sort(matches), np.sort(costs), few, budget, self.tuning.overlap)
        allowed = max(int((costs <= target).sum()), 1)
        neutral = np.zeros(len(self.fields), dtype=np.int64)
        for f in range(len(self.fields)):
            blind = self.null_costs(made.without(f).with_budget(target), few, 4 * allowed / few)
            # the cost up to which no more strangers come near without this field than `target` lets in with it
            here = int(np.sort(blind.cost)[allowed]) if len(blind.cost) > allowed else blind.budget
            neutral[f] = max(target - here, target // 8)
        floor = max(min(int(budget), int(self.tuning.floor_reach * target)), target)
        if neutral.sum() <= floor:  # a record with nothing to compare must never be linked
            neutral = np.ceil(neutral * ((floor + 1) / max(int(neutral.sum()), 1))).astype(np.int64) + 1
        return Weights(made.cosine, made.largest, neutral, floor)

    def _finished(self, kernel: Kernel, weights: Weights, pairs: Pairs) -> SplitRule:
        null = self.null_costs(weights, len(self.strangers), self.tuning.floor_pairs)
        weights = weights.with_budget(max(null.budget, 1))
        strangers = self._costs(null.join, null.join.own, self.own, null.left, null.right)
        train = Costs(self.shape, self.copy, self.own, weights)
        costs = self._costs(train, self.copy, self.own, pairs.copy, pairs.own)
        rbf = self._radial(costs, pairs, weights) if kernel == "rbf" else None
        empty = Null(np.zeros(0), np.zeros(0), 0, 0)
        rule = SplitRule(
            kernel, self.fields, self.parts, weights, 1.0, empty, np.zeros(0), rbf,
            one_to_one=self.recipe.settings.one_to_one, tuning=self.tuning,
        )  # fmt: skip
        slope = svm.log_odds_slope(rule.scores(costs), pairs.is_match)
        matches = np.sort(slope * rule.scores(costs[pairs.is_match]))
        scores = slope * rule.scores(strangers)
        best = np.full(null.join.own.rows, -np.inf)
        np.maximum.at(best, null.left, scores)
        seen = Null(np.sort(scores), np.sort(best[np.isfinite(best)]), len(self.strangers), len(self.rows))
        seen = self._with_namesakes(seen, float(slope * rule.scores(np.zeros((1, len(self.fields)), np.int64))[0]))
        floor = (
            -np.inf if rbf is None or not len(matches) else float(np.quantile(matches, 1 - self.tuning.floor_recall))
        )
        self.at(1.0)
        return replace(rule, slope=slope, null=seen, matches=matches, rbf=rbf, floor=floor)

    def _with_namesakes(self, null: Null, top: float) -> Null:
        """Where each person occurs once, equal records are namesakes: strangers with the highest score there is."""
        if not self.recipe.settings.one_to_one or not len(self.own.codes):
            return null
        _, sizes = np.unique(self.own.codes, axis=1, return_counts=True)
        share = null.rows / max(int(sizes.sum()), 1)
        rows, pairs = int(share * sizes[sizes > 1].sum()), int(share * (sizes * (sizes - 1)).sum())
        scores = np.append(null.scores, np.full(min(pairs, 20 * null.rows), top))
        return Null(scores, np.sort(np.append(null.best, np.full(rows, top))), null.rows, null.table)

    def _radial(self, costs: Ints, pairs: Pairs, weights: Weights) -> Rbf:
        points = cells_of(costs, weights.neutral, self.tuning) / self.tuning.rbf_cells
        near = costs.sum(axis=1) <= 2 * weights.budget  # far pairs teach a local machine nothing
        chosen = np.flatnonzero(near | pairs.is_match)
        if len(chosen) > self.tuning.radial_sample:
            chosen = np.sort(self.rng.choice(chosen, self.tuning.radial_sample, replace=False))
        if len(set(pairs.is_match[chosen].tolist())) < 2:
            chosen = np.arange(len(costs))
        return Rbf(*svm.radial(points[chosen], pairs.is_match[chosen], self.tuning.rbf_c))


def never() -> SplitRule:
    """The rule of a table without a field that could be compared: nothing is ever linked."""
    nothing = np.zeros((0, 1), dtype=np.int64)
    empty = Null(np.zeros(0), np.zeros(0), 0, 0)
    weights = Weights(nothing, nothing, np.zeros(0, dtype=np.int64), 0)
    return SplitRule("linear", (), (), weights, 1.0, empty, np.zeros(0))


def operating_point(matches: Ints, strangers: Ints, rows: int, budget: int, overlap: float) -> int:
    """The cost with the best expected F1, were `overlap` of the records at the partner."""
    cuts = np.unique(np.minimum(np.quantile(matches, np.linspace(0.05, 1.0, 96)).astype(np.int64), budget))
    found = overlap * np.searchsorted(matches, cuts, side="right") / max(len(matches), 1)
    false = (1 - overlap) * np.searchsorted(strangers, cuts, side="right") / max(rows, 1)
    return max(int(cuts[np.argmax(2 * found / (found + false + overlap))]), 1)


def rank_within(groups: Ints) -> Ints:
    """0, 1, 2 ... within each run of equal numbers."""
    starts = np.flatnonzero(np.append(True, groups[1:] != groups[:-1])) if len(groups) else np.zeros(0, np.int64)
    sizes = np.diff(np.append(starts, len(groups)))
    ranks: Ints = np.arange(len(groups)) - np.repeat(starts, sizes)
    return ranks


def distinct_rows(table: CleanTable) -> Ints:
    """The first row of each distinct record with at least one value."""
    codes = np.stack([column.codes for column in table.columns]) if table.columns else np.zeros((0, 0), np.int32)
    some = np.flatnonzero((codes >= 0).any(axis=0))
    if not len(some):
        return np.zeros(0, dtype=np.int64)
    by = some[np.lexsort(codes[:, some])]  # stable: the first row of equal ones comes first
    new = np.append(True, (codes[:, by[1:]] != codes[:, by[:-1]]).any(axis=0))
    rows: Ints = np.sort(by[new]).astype(np.int64)
    return rows


def with_public_records(table: CleanTable, recipe: Recipe, number: int, rng: np.random.Generator) -> CleanTable:
    """A small table filled up with public reference records, so that even one record can be matched sensibly."""
    from pprl_desktop.codes.distances import mapped

    reference: ReferenceSet | None = recipe.reference
    assert reference is not None
    columns = []
    for field, attributes in mapped(table.fields, recipe):
        column = table.column(field.name)
        public = reference.attribute(attributes[0])
        drawn = [public[k] for k in rng.integers(0, len(public), max(number - table.rows, 0))]
        columns.append(Column.of(field.name, [*column.cells(), *drawn]))
        if "" in columns[-1].values:
            columns[-1] = _missing_apart(columns[-1])
    return CleanTable(table.fields, tuple(columns))


def _missing_apart(column: Column) -> Column:
    empty = int(np.flatnonzero(column.values == "")[0])
    codes = np.where(column.codes == empty, -1, column.codes - (column.codes > empty)).astype(np.int32)
    return Column(column.name, np.delete(column.values, empty), codes)
