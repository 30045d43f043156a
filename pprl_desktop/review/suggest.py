"""Which next cell is expected to settle the pair for the least KAPR. Shown, never forced.

It reads only what is on the screen (marks, levels, costs) and how often a cell of this kind was the last one opened
before a decision. It never looks at a hidden character, so following it says nothing about one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pprl_desktop.review.cells import Cell, Preview
from pprl_desktop.review.ledger import Entry
from pprl_desktop.review.marks import Level, MaskKind
from pprl_desktop.said import Said

# Before anything was reviewed: how often opening such a cell settles a pair, and how many cases that guess is worth.
# Differing characters tell a slip from another person; a missing cell adds little.
GUESS: Mapping[tuple[MaskKind, Level], float] = {
    ("aligned", Level.PARTIAL): 0.6,
    ("aligned", Level.FULL): 0.4,
    ("different", Level.FULL): 0.5,
    ("swapped", Level.FULL): 0.3,
    ("category", Level.FULL): 0.3,
    ("missing", Level.FULL): 0.05,
}
GUESS_CASES = 4
FREE = Fraction(1, 10**9)  # keeps a cell that costs nothing comparable


@dataclass(frozen=True)
class Suggestion:
    field: str
    level: Level
    cost: Fraction
    settles: float  # expected share of such pairs that this opening settles
    cases: int  # own cases behind it; 0: only the built-in guess

    @property
    def sentence(self) -> Said:
        often = Said("settles about {times} of 10 pairs like this one", times=round(10 * self.settles))
        cost = f"{100 * float(self.cost):.3g}"
        if not self.cases:
            return Said(
                "{field}: {often} (a first guess, before experience), costs {cost} %.",
                field=self.field,
                often=often,
                cost=cost,
            )
        return Said("{field}: {often}, costs {cost} %.", field=self.field, often=often, cost=cost)


Experience = Mapping[tuple[str, str], tuple[int, int]]  # (field, level) -> (settled, opened)


def experience(entries: Iterable[Entry]) -> Experience:
    """How often a cell was the last one opened before a clear decision on its pair."""
    last: dict[str, tuple[str, str]] = {}
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for entry in entries:
        if entry.what == "reveal":
            key = (entry.body["field"], entry.body["level"])
            settled, opened = found.get(key, (0, 0))
            found[key] = (settled, opened + 1)
            last[entry.body["pair"]] = key
        elif entry.what == "decide" and entry.body["point"] != "0" and entry.body["pair"] in last:
            key = last.pop(entry.body["pair"])
            settled, opened = found[key]
            found[key] = (settled + 1, opened)
    return found


def suggest(cells: Sequence[Cell], previews: Sequence[Preview | None], known: Experience) -> Suggestion | None:
    """The cell with the smallest expected cost per settled pair, among those the gate would allow."""
    best: tuple[float, Suggestion] | None = None
    for cell, preview in zip(cells, previews, strict=True):
        if preview is None or preview.refusal is not None or cell.kind == "identical":
            continue  # what is the same on both sides settles nothing by being read
        settled, opened = known.get((cell.field, preview.level.word), (0, 0))
        guess = GUESS.get((cell.kind, preview.level), 0.1)
        rate = (settled + GUESS_CASES * guess) / (opened + GUESS_CASES)
        price = float(max(preview.cost, FREE)) / rate
        if best is None or price < best[0]:
            best = (price, Suggestion(cell.field, preview.level, preview.cost, rate, opened))
    return best[1] if best else None
