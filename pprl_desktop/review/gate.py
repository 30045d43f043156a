"""The gate: the only giver of cells. It holds the clear values, masks, charges, refuses, and writes before it answers.

Every answer is made of `Cell`s: pictures that hold no more characters than were opened. A disclosure is an entry in
the ledger first and a picture second; after a kill the ledger alone says what is open.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.review.cells import Cell, Disclosure, Meter, Preview, RecordTrace
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.kapr import NOTHING, Row, Scale
from pprl_desktop.review.ledger import Journal
from pprl_desktop.review.limits import Asked, FieldUse, refusal
from pprl_desktop.review.marks import Level, MaskKind
from pprl_desktop.review.masking import (
    allowed,
    character_count,
    draw,
    frequency_class,
    mask,
    next_level,
    shown,
)
from pprl_desktop.review.opened import OpenCells, PairState
from pprl_desktop.review.plan import Review
from pprl_desktop.review.speech import next_words, spoken
from pprl_desktop.said import NOTHING as NO_WORDS
from pprl_desktop.said import Said

LETTERS = {Level.MASKED: "M", Level.PARTIAL: "P", Level.FULL: "F"}
LEVELS = {letter: level for level, letter in LETTERS.items()}
FIRST_LOOK: tuple[MaskKind, ...] = ("aligned", "swapped", "different", "category", "missing", "identical")


class Gate:
    def __init__(
        self, review: Review, ledger: Journal, who: str, crowd: Crowd | None = None, progress: Progress = NO_PROGRESS
    ) -> None:
        self._review = review
        self._policy = review.policy
        self._people = review.people
        self._ledger = ledger
        self._who = who
        self._crowd = crowd or Crowd(review.people.columns, progress=progress)
        self._types = tuple(f.type for f in review.policy.fields)
        self._scale = Scale(2 * len(review.pairs), len(self._types), review.policy.kappa)
        self._opened = OpenCells(review, self._crowd)
        self._terms = NOTHING
        self._risk = NOTHING
        self._charges = NOTHING
        self._field_terms = [NOTHING] * len(self._types)
        self._field_charges = [NOTHING] * len(self._types)
        self._open_characters = 0
        self._open_cells = 0
        self._started: set[int] = set()
        self._all_characters = self._count_characters()
        self._replay()

    # --- what the window may ask -----------------------------------------------------------------------------------

    def open(self, pair: int) -> tuple[Cell, ...]:
        """The cells of a pair. The first time, the start mode is charged (and written) before anything is shown."""
        if pair not in self._started:
            self._start(pair)
        return self.cells(pair)

    def cells(self, pair: int) -> tuple[Cell, ...]:
        """The pair as it stands; a pair that was never opened shows nothing beyond its masks."""
        return tuple(self._cell(pair, number) for number in range(len(self._types)))

    def previews(self, pair: int) -> tuple[Preview | None, ...]:
        """The next click of every cell, its crowd in classes; None where there is nothing more to open."""
        state = self._opened.state(pair)
        goals = [self._next(state, number) for number in range(len(self._types))]
        after = tuple(self._opened.constraints(state, goals, row) for row in (0, 1))
        counts = [self._crowd.previews(self._opened.now(state, row), after[row])[1] for row in (0, 1)]
        together = self._opened.together_previews(pair, after)
        found: list[Preview | None] = []
        for number, goal in enumerate(goals):
            if goal is None:
                found.append(None)
                continue
            rows = self._opened.rows_after(state, number, goal, (counts[0][number], counts[1][number]))
            crowd = min(together[number], counts[0][number], counts[1][number])
            found.append(self._preview(pair, number, goal, rows, crowd))
        return tuple(found)

    def reveal(self, pair: int, field: int, level: Level | None = None) -> Disclosure:
        """Opens a cell by one level (or up to `level`). Raises the Problem that says why not; then nothing changed."""
        self.open(pair)
        state = self._opened.state(pair)
        cap = self._policy.fields[field].cap
        goal = self._next(state, field) if level is None else allowed(state.masks[field], level, cap)
        if goal is None or goal <= state.levels[field]:
            raise self._nothing_more(state, field)
        rows = self._opened.recounted(state, {field: goal})
        crowd = min(rows[0].k, rows[1].k, self._opened.together_count(pair, {field: goal}))
        preview = self._preview(pair, field, goal, rows, crowd)
        entry = {"pair": self._review.pairs[pair].id, "field": self._policy.fields[field].name, "level": goal.word}
        if preview.refusal is not None:
            self._ledger.append({"what": "refuse", "who": self._who, "reason": preview.refusal.place, **entry})
            raise preview.refusal
        self._write("reveal", entry, preview.cost, rows)
        self._apply(pair, {field: goal}, rows)
        return Disclosure(self._cell(pair, field), preview.cost, self.meter(pair))

    def grant(self, pair: int, levels: tuple[Level, ...]) -> tuple[Cell, ...]:
        """For the manager: shows a pair at the union of what its reviewers opened. Written and counted, not refused."""
        self.open(pair)
        state = self._opened.state(pair)
        wanted = {j: allowed(state.masks[j], level, self._policy.fields[j].cap) for j, level in enumerate(levels)}
        goals = {j: level for j, level in wanted.items() if level > state.levels[j]}
        if goals:
            rows = self._opened.recounted(state, goals)
            self._write_levels(pair, goals, self._judge(pair, rows, self._policy.kappa)[0], rows)
        return self.cells(pair)

    def meter(self, pair: int | None = None) -> Meter:
        pair_risk, smallest, together = NOTHING, len(self._people), len(self._people)
        if pair is not None:
            state = self._opened.state(pair)
            pair_risk = self._scale.of_pair(state.rows[0].term + state.rows[1].term)
            smallest = min(row.k for row in state.rows)
            together = self._opened.together_count(pair, {})
        return Meter(
            self.risk,
            self.charged,
            min(self._policy.reviewer_budget, self._policy.review_budget),
            Fraction(self._open_characters, self._all_characters) if self._all_characters else NOTHING,
            pair_risk,
            smallest,
            together,
            self._open_cells,
        )

    @property
    def risk(self) -> Fraction:
        """KAPR of what is open."""
        return self._risk

    @property
    def charged(self) -> Fraction:
        """What all openings were charged together: never less than the risk."""
        return self._scale.risk(self._charges)

    def field_risks(self) -> dict[str, Fraction]:
        """Each field's own part, 0 to 1; the risk is their mean."""
        names = (f.name for f in self._policy.fields)
        return {name: self._scale.of_field(terms) for name, terms in zip(names, self._field_terms, strict=True)}

    def rank(self, pair: int, field: int) -> int:
        """For ordering by a field: pairs that differ there come first. Says no more than the masks do."""
        found = self._review.pairs[pair]
        a, b = (self._people.value(field, record) for record in (found.a, found.b))
        return FIRST_LOOK.index(mask(self._types[field], a, b).kind)

    def levels(self, pair: int) -> tuple[Level, ...]:
        return self._opened.levels(pair)

    def traces(self) -> tuple[RecordTrace, ...]:
        """The cross-pair ledger: every record of which something is open, and how many it could still be."""
        found = []
        for places in self._opened.appearances():
            opened = [(pair, row) for pair, row in places if any(self.levels(pair))]
            if opened:
                cells = sum(sum(level > Level.MASKED for level in self.levels(pair)) for pair, _ in opened)
                found.append(RecordTrace(len(opened), cells, self._crowd.count(self._opened.union(opened[0], {}))))
        return tuple(found)

    # --- state -----------------------------------------------------------------------------------------------------

    def _replay(self) -> None:
        """Brings back what the ledger says is open. Only the last levels of each pair matter: order is free."""
        numbers = {pair.id: i for i, pair in enumerate(self._review.pairs)}
        reached: dict[int, dict[int, Level]] = defaultdict(dict)
        total = ""
        for entry in self._ledger.entries:
            if entry.what == "begin" and entry.body["plan"] != self._review.fingerprint():
                raise self._foreign()
            if entry.what not in ("start", "reveal"):
                continue
            if entry.body["pair"] not in numbers:
                raise self._foreign()
            pair = numbers[entry.body["pair"]]
            self._started.add(pair)
            total = entry.body["total"]
            if entry.what == "reveal":
                reached[pair][self._policy.number(entry.body["field"])] = Level[entry.body["level"].upper()]
            else:
                for j, letter in enumerate(entry.body["levels"]):
                    reached[pair][j] = max(LEVELS[letter], reached[pair].get(j, Level.MASKED))
        for pair, levels in reached.items():
            goals = {j: level for j, level in levels.items() if level > Level.MASKED}
            self._apply(pair, goals, self._opened.recounted(self._opened.state(pair), goals))
        if total and not self._is_counted_as(total):
            raise self._foreign()

    def _is_counted_as(self, total: str) -> bool:
        """By today's rule, or by that of a version before: from here on today's counts."""
        if total in (_decimal(self.charged), _decimal(self.risk)):  # the first version charged the exact risk
            return True
        return total == _decimal(self._scale.risk(self._opened.charge_by_fields()))

    def _foreign(self) -> Problem:
        return Problem(
            "The ledger does not belong to this review.",
            "It was kept under another plan or over other records.",
            "Open the files that were made together.",
            place="ledger",
        )

    def _count_characters(self) -> int:
        known: dict[tuple[int, int], int] = {}
        total = 0
        for pair in self._review.pairs:
            for record in (pair.a, pair.b):
                for j, kind in enumerate(self._types):
                    code = int(self._people.columns[j].codes[record])
                    if (j, code) not in known:
                        known[j, code] = character_count(kind, self._people.value(j, record))
                    total += known[j, code]
        return total

    def _apply(self, pair: int, goals: dict[int, Level], rows: tuple[Row, Row]) -> None:
        state = self._opened.state(pair)
        for row in (0, 1):
            self._terms += rows[row].term - state.rows[row].term
            self._charges += rows[row].charge - state.rows[row].charge
            for sums, now, then in (
                (self._field_terms, rows[row].field_terms(), state.rows[row].field_terms()),
                (self._field_charges, rows[row].field_charges(), state.rows[row].field_charges()),
            ):
                for j, (after, before) in enumerate(zip(now, then, strict=True)):
                    sums[j] += after - before
        for j, goal in goals.items():
            cap = self._policy.fields[j].cap
            for row in (0, 1):
                self._open_characters += len(shown(state.masks[j], goal, cap, row))
                self._open_characters -= len(shown(state.masks[j], state.levels[j], cap, row))
            self._open_cells += state.levels[j] == Level.MASKED
            state.levels[j] = goal
        state.rows = rows
        self._risk = self._scale.risk(self._terms)

    def _start(self, pair: int) -> None:
        """The start mode: every cell as far as its type and cap allow; too dear or too narrow, and it stays masked."""
        if self._policy.start == Level.MASKED:  # masks are free: there is nothing to charge and nothing to write
            self._started.add(pair)
            return
        state = self._opened.state(pair)
        goals = {j: allowed(state.masks[j], self._policy.start, f.cap) for j, f in enumerate(self._policy.fields)}
        goals = {j: level for j, level in goals.items() if level > Level.MASKED}
        rows = self._opened.recounted(state, goals)
        crowd = min(rows[0].k, rows[1].k, self._opened.together_count(pair, goals)) if goals else len(self._people)
        cost, no = self._judge(pair, rows, crowd)
        if no is not None:
            goals, rows, cost = {}, state.rows, NOTHING
        self._write_levels(pair, goals, cost, rows)

    def _write_levels(self, pair: int, goals: dict[int, Level], cost: Fraction, rows: tuple[Row, Row]) -> None:
        levels = "".join(LETTERS[goals.get(j, Level.MASKED)] for j in range(len(self._types)))
        self._write("start", {"pair": self._review.pairs[pair].id, "levels": levels}, cost, rows)
        self._started.add(pair)
        self._apply(pair, goals, rows)

    def _write(self, what: str, entry: dict[str, str], cost: Fraction, rows: tuple[Row, Row]) -> None:
        total = _decimal(self.charged + cost)
        crowd = f"{rows[0].k} {rows[1].k}"
        self._ledger.append({"what": what, "who": self._who, **entry, "cost": str(cost), "total": total, "k": crowd})

    # --- allowing --------------------------------------------------------------------------------------------------

    def _next(self, state: PairState, field: int) -> Level | None:
        return next_level(state.masks[field], state.levels[field], self._policy.fields[field].cap)

    def _preview(self, pair: int, field: int, goal: Level, rows: tuple[Row, Row], crowd: int) -> Preview:
        cost, no = self._judge(pair, rows, crowd)
        each = self._policy.fields[field]
        found = self._opened.state(pair).masks[field]
        # how long a whole value is would be told for free: only the marked characters are counted
        above, below = (len(shown(found, goal, each.cap, row)) if goal == Level.PARTIAL else 0 for row in (0, 1))
        shows = next_words(found, goal, each.cap)
        return Preview(each.name, goal, cost, (rows[0].told, rows[1].told), (above, below), shows, no)

    def _judge(self, pair: int, rows: tuple[Row, Row], crowd: int) -> tuple[Fraction, Problem | None]:
        """The cost of bringing a pair to these rows, and the reason why it may not be paid."""
        before = self._opened.state(pair).rows
        after = rows[0].charge + rows[1].charge
        cost = self._scale.risk(after - before[0].charge - before[1].charge)
        asked = Asked(self.charged, cost, self._scale.of_pair(after), self._field_uses(before, rows), crowd)
        return cost, refusal(self._policy, asked)

    def _field_uses(self, before: tuple[Row, Row], after: tuple[Row, Row]) -> tuple[FieldUse, ...]:
        """Of the fields with a budget of their own."""
        found = []
        for j, each in enumerate(self._policy.fields):
            if each.limit is not None:
                grown = sum((after[row].field_charges()[j] - before[row].field_charges()[j] for row in (0, 1)), NOTHING)
                so_far = self._scale.of_field(self._field_charges[j])
                found.append(FieldUse(each.name, each.limit, so_far, self._scale.of_field(grown)))
        return tuple(found)

    def _nothing_more(self, state: PairState, field: int) -> Problem:
        each = self._policy.fields[field]
        return Problem(
            Said("There is nothing more to open in '{name}'.", name=each.name),
            self._closed(state, field) or "What was asked for is open already.",
            "Decide with what is open, or open another cell.",
            place=each.name,
        )

    def _closed(self, state: PairState, field: int) -> Said:
        """Why a cell has no next level, in words; empty where it has one."""
        if self._next(state, field) is not None:
            return NO_WORDS
        cap = self._policy.fields[field].cap
        if cap == "never":
            return Said("The manager allows no characters of this field.")
        if all(state.masks[field].missing):
            return Said("The value is missing on both sides.")
        if cap == "partial":
            return Said("The manager allows only the differing characters of this field.")
        if cap == "last4":
            return Said("The manager allows only the last 4 characters of this field.")
        return Said("Everything is open.")

    def _cell(self, pair: int, field: int) -> Cell:
        state = self._opened.state(pair)
        each = self._policy.fields[field]
        found, level = state.masks[field], state.levels[field]
        drawing = draw(found, state.values[0][field], state.values[1][field], level, each.cap)
        how_common = (self._frequency(state, field, 0), self._frequency(state, field, 1))
        return Cell(
            self._review.pairs[pair].id,
            each.name,
            each.type,
            found.kind,
            level,
            drawing,
            how_common,
            self._next(state, field),
            self._closed(state, field),
            spoken(each.name, found.kind, drawing, how_common),
        )

    def _frequency(self, state: PairState, field: int, row: int) -> str:
        if not self._policy.fields[field].frequency or state.masks[field].missing[row]:
            return ""
        counts = self._people.counts
        known = counts[field].get(state.values[row][field]) if counts else None
        return frequency_class(known or self._crowd.frequency(field, state.codes[row][field].code))


def _decimal(risk: Fraction) -> str:
    """Twelve decimals, rounded in integers, so that the same total always reads the same."""
    scaled = (2 * risk.numerator * 10**12 + risk.denominator) // (2 * risk.denominator)
    return f"{scaled // 10**12}.{scaled % 10**12:012d}"
