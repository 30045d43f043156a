"""What is open of every pair, and how many records of the data set it still fits: the counting half of the gate.

Holds the clear values on behalf of the gate and gives them to nobody else; it neither charges nor writes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction

from pprl_desktop.review.classes import told
from pprl_desktop.review.fitting import Fitting
from pprl_desktop.review.graphemes import graphemes
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.kapr import NOTHING, Constraint, Row, Value, constraint, disclosed
from pprl_desktop.review.marks import Level, Mask
from pprl_desktop.review.masking import mask_pair
from pprl_desktop.review.plan import Review

Constraints = tuple[Constraint | None, ...]


@dataclass
class PairState:
    """The clear side of one pair; never leaves the gate."""

    values: tuple[tuple[str, ...], tuple[str, ...]]
    codes: tuple[tuple[Value, ...], tuple[Value, ...]]
    masks: tuple[Mask, ...]
    levels: list[Level]
    rows: tuple[Row, Row]


class OpenCells:
    def __init__(self, review: Review, crowd: Crowd) -> None:
        self._review = review
        self._policy = review.policy
        self._people = review.people
        self._crowd = crowd
        self._picture = review.policy.picture()
        self._types = tuple(f.type for f in review.policy.fields)
        caps = tuple(f.cap for f in review.policy.fields)
        self._fitting = Fitting(crowd, caps, self._picture.date_swap)
        self._states: dict[int, PairState] = {}
        self._appears: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, pair in enumerate(review.pairs):
            self._appears[pair.a].append((number, 0))
            self._appears[pair.b].append((number, 1))

    def levels(self, pair: int) -> tuple[Level, ...]:
        return tuple(self._states[pair].levels) if pair in self._states else (Level.MASKED,) * len(self._types)

    def appearances(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For every record, the pairs it stands in, with the row."""
        return tuple(tuple(places) for places in self._appears.values())

    def state(self, pair: int) -> PairState:
        if pair not in self._states:
            found = self._review.pairs[pair]
            fields = range(len(self._types))
            values = tuple(tuple(self._people.value(j, record) for j in fields) for record in (found.a, found.b))
            codes = tuple(
                tuple(Value(graphemes(values[row][j]), int(self._people.columns[j].codes[record])) for j in fields)
                for row, record in enumerate((found.a, found.b))
            )
            closed = Row(len(self._people), (NOTHING,) * len(self._types))
            self._states[pair] = PairState(
                (values[0], values[1]),
                (codes[0], codes[1]),
                mask_pair(self._types, values[0], values[1], self._picture),
                [Level.MASKED] * len(self._types),
                (closed, closed),
            )
        return self._states[pair]

    def _constraint(self, state: PairState, j: int, level: Level, row: int) -> Constraint | None:
        return constraint(state.masks[j], state.codes[row][j], level, self._policy.fields[j].cap, row)

    def now(self, state: PairState, row: int) -> Constraints:
        return tuple(self._constraint(state, j, level, row) for j, level in enumerate(state.levels))

    def constraints(self, state: PairState, goals: list[Level | None], row: int) -> Constraints:
        return tuple(None if goal is None else self._constraint(state, j, goal, row) for j, goal in enumerate(goals))

    def recounted(self, state: PairState, goals: dict[int, Level]) -> tuple[Row, Row]:
        """Both rows with some cells opened further."""
        levels = [goals.get(j, level) for j, level in enumerate(state.levels)]
        made = []
        for row in (0, 1):
            wanted = tuple(self._constraint(state, j, level, row) for j, level in enumerate(levels))
            made.append(self._row(state, levels, row, self._crowd.count(wanted), self._shares(state, levels, row)))
        return made[0], made[1]

    def _row(self, state: PairState, levels: list[Level], row: int, k: int, p: tuple[Fraction, ...]) -> Row:
        opened = (
            self._fitting.bounds(j, state.masks[j], level, row)
            for j, (level, share) in enumerate(zip(levels, p, strict=True))
            if share
        )
        return Row(k, p, told(k, opened, self._policy.kappa))

    def _shares(self, state: PairState, levels: list[Level], row: int) -> tuple[Fraction, ...]:
        return tuple(
            disclosed(state.masks[j], level, self._policy.fields[j].cap, row) for j, level in enumerate(levels)
        )

    def rows_after(self, state: PairState, field: int, goal: Level, k: tuple[int, int]) -> tuple[Row, Row]:
        made = []
        levels = [goal if j == field else level for j, level in enumerate(state.levels)]
        for row in (0, 1):
            share = disclosed(state.masks[field], goal, self._policy.fields[field].cap, row)
            p = tuple(share if j == field else old for j, old in enumerate(state.rows[row].p))
            made.append(self._row(state, levels, row, k[row], p))
        return made[0], made[1]

    def charge_by_fields(self) -> Fraction:
        """Of all that is open, as the second version charged it: by the classes of each field, whatever the mask."""
        total = NOTHING
        for row in (row for state in self._states.values() for row in state.rows):
            opened = (bounds for bounds, share in zip(self._fitting.every, row.p, strict=True) if share)
            total += replace(row, told=told(row.k, opened, self._policy.kappa)).charge
        return total

    # --- a record in all its pairs ---------------------------------------------------------------------------------

    def union(self, place: tuple[int, int], goals: dict[int, Level]) -> Constraints:
        """Everything shown of a record, with some cells of this pair opened further."""
        pair, row = place
        record = (self._review.pairs[pair].a, self._review.pairs[pair].b)[row]
        merged: list[Constraint | None] = [None] * len(self._types)
        for other, side in self._appears[record]:
            if other not in self._states:
                continue
            state = self._states[other]
            for j, level in enumerate(state.levels):
                reached = max(level, goals.get(j, level)) if other == pair else level
                each = self._constraint(state, j, reached, side)
                merged[j] = each.merged(merged[j]) if each is not None else merged[j]
        return tuple(merged)

    def together_count(self, pair: int, goals: dict[int, Level]) -> int:
        return min(self._crowd.count(self.union((pair, row), goals)) for row in (0, 1))

    def together_previews(self, pair: int, after: tuple[Constraints, ...]) -> list[int]:
        """Smallest crowd of the two records after each next click; only the floor (kappa) needs it."""
        smallest = [len(self._people)] * len(self._types)
        if self._policy.kappa == 1:
            return smallest
        for row in (0, 1):
            now = self.union((pair, row), {})
            merged = tuple(a.merged(b) if a is not None else None for a, b in zip(after[row], now, strict=True))
            counts = self._crowd.previews(now, merged)[1]
            smallest = [min(pair_of) for pair_of in zip(smallest, counts, strict=True)]
        return smallest
