"""Names in no list, out of codes of whole records: noisy, folded or signed, where nothing can be read piece by piece.

The lists have given each row its best combination of listed values. Where the row lies farther from it than noise
explains, a value of it stands in no list. Then every string one edit away from each of its names is smashed with the
others as one record, the nearest is taken up, and so on: nearness of codes follows nearness of spelling in whole
records as in single fields.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import MISSING, Column
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.letters import (
    SHORTER,
    SURPRISING,
    Spelling,
    distance,
    expected_misfit,
    letters_of,
    one_edit_away,
)
from pprl_desktop.rehearsal.signatures import EMPTY
from pprl_desktop.rehearsal.target import Target, alone

STEPS = 16  # edits that a search goes, at most
AT_ONCE = 16  # rows whose strings are smashed together
BEGINNINGS = 500  # listed values that a search begins with where the lists say that there is no value
PAIRS = 150  # of letters, put in together where no single letter helps
COMMON = 30  # letters tried, most frequent first: whoever searches does not begin with the rare ones

Texts = npt.NDArray[np.object_]
Decoded = Mapping[str, Texts]


def searched(target: Target, listed: Decoded, progress: Progress = NO_PROGRESS) -> dict[str, Texts]:
    """What the lists gave, with every name in place of it that explains its row better."""
    found = {name: texts.copy() for name, texts in listed.items()}
    names = [one for one in target.guesses if one.role != "other" and one.field.name in found]
    known = {*found, *(name for name, _ in target.fixed)}
    if not names or any(one.name not in known for one in target.recipe.fields):
        return found  # what an unknown field adds cannot be told from a name that is not listed
    (part,) = target.field_rows("", ("bits",)).values()
    present = np.flatnonzero(part.present)
    search = _Search(target, part.values, names, found)
    apart = search.apart(present, [{} for _ in present])
    doubted = present[apart > search.explained]
    before = dict(zip(present.tolist(), apart.tolist(), strict=True))
    for start in range(0, len(doubted), AT_ONCE):
        progress.at(start / len(doubted))
        rows = doubted[start : start + AT_ONCE]
        for row, (texts, nearer) in zip(rows.tolist(), search.climbed(rows, before, progress), strict=True):
            if texts and search.is_likelier(row, texts, before[row] - nearer):
                for name, text in texts.items():
                    found[name][row] = text
    return found


@dataclass(eq=False)
class _Climber:
    """The search for one row: the names changed so far, and how far its code is from them."""

    row: int
    apart: float
    texts: dict[str, str] = field(default_factory=dict)
    wide: bool = False  # nothing one edit away came nearer
    asked: int = 0  # strings in this step
    done: bool = False


class _Search:
    def __init__(self, target: Target, mine: Bytes, names: Sequence[Guesses], found: Decoded) -> None:
        self.target, self.mine, self.names, self.found = target, mine, names, found
        self.copies = len(target.releases)
        self.letters = {one.field.name: letters_of(one)[:COMMON] for one in names}
        self.pairs = {one.field.name: _pairs(one) for one in names}
        self.frequent = {one.field.name: one.most_frequent(BEGINNINGS).values.tolist() for one in names}
        self.spelling = {one.field.name: Spelling(one) for one in names}
        self.explained, self.mean = 0.0, 0.0  # differing bits that noise explains at most, and as a rule
        if target.epsilon is not None:
            means, spreads = expected_misfit(mine[:1], True, target.epsilon)
            self.mean = float(means[0])
            self.explained = self.mean + SURPRISING * float(spreads[0])

    def climbed(
        self, rows: npt.NDArray[np.int64], before: Mapping[int, float], progress: Progress
    ) -> list[tuple[dict[str, str], float]]:
        """For each row the names that were changed, and how far its code is from them."""
        climbers = [_Climber(row, before[row]) for row in rows.tolist()]
        for _ in range(STEPS):
            progress.check()
            active = [one for one in climbers if not one.done]
            tried = [(one, changed) for one in active for changed in self._neighbours(one)]
            if not tried:
                break
            changes = [changed for _, changed in tried]
            apart = self.apart(np.array([one.row for one, _ in tried]), changes)
            apart += SHORTER * np.array([sum(map(len, changed.values())) for changed in changes])
            start = 0
            for one in active:
                best = start + int(np.argmin(apart[start : start + one.asked]))
                self._take(one, changes[best], float(apart[best]))
                start += one.asked
        return [(one.texts, one.apart) for one in climbers]

    def _take(self, one: _Climber, changed: dict[str, str], apart: float) -> None:
        """Takes the nearest string up; where none is nearer, pairs of letters are tried once, and then no more."""
        if apart < one.apart or self._empty(one):
            one.texts, one.apart, one.wide = changed, apart, False
            one.done = apart <= self.mean + 0.5
        else:
            one.done, one.wide = one.wide, True

    def _neighbours(self, one: _Climber) -> list[dict[str, str]]:
        empty = self._empty(one)
        if empty:
            made = [{**one.texts, empty: other} for other in self.frequent[empty]]
        else:
            made = [
                {**one.texts, name: other}
                for name in self.letters
                for other in dict.fromkeys(
                    self._near(name, one.texts.get(name, str(self.found[name][one.row])), one.wide)
                )
                if other
            ]
        one.asked = len(made)
        return made

    def _near(self, name: str, text: str, wide: bool) -> Iterator[str]:
        if not wide:
            return one_edit_away(text, self.letters[name])
        return (text[:at] + pair + text[at:] for at in range(len(text) + 1) for pair in self.pairs[name])

    def _empty(self, one: _Climber) -> str:
        """A name that the lists leave out, because none of theirs is better than none."""
        return next((name for name in self.letters if not (self.found[name][one.row] or one.texts.get(name))), "")

    def apart(self, rows: npt.NDArray[np.int64], changes: Sequence[Mapping[str, str]]) -> npt.NDArray[np.float64]:
        """Differing bits between rows as they left and their combinations, with some names changed, smashed alone."""
        columns = {}
        for name, texts in self.found.items():
            cells = [changed.get(name, text) for changed, text in zip(changes, texts[rows].tolist(), strict=True)]
            columns[name] = _column(name, cells)
        part = self.target.smash(alone(self.target, columns, len(rows))).parts[0]
        theirs = np.tile(part.values[np.maximum(part.rows, 0)], (1, self.copies))
        return distance(self.mine[rows], theirs, True)

    def is_likelier(self, row: int, texts: Mapping[str, str], nearer: float) -> bool:
        """Against the listed names: under randomised response a differing bit costs epsilon."""
        epsilon = self.target.epsilon
        if epsilon is None:
            return nearer > 0
        gain = epsilon * nearer
        for one in self.names:
            name = one.field.name
            if name in texts:
                gain += self._prior(one, texts[name]) - self._prior(one, str(self.found[name][row]))
        return gain > 0

    def _prior(self, guesses: Guesses, text: str) -> float:
        place = guesses.index.get(text)
        if not text:
            return float(np.log(EMPTY))
        return self.spelling[guesses.field.name].log_prior(text) if place is None else float(guesses.log_prior[place])


def _pairs(guesses: Guesses) -> list[str]:
    """Pairs of letters that names hold most often."""
    counts = Counter(str(value)[at : at + 2] for value in guesses.values for at in range(len(value) - 1))
    return [pair for pair, _ in counts.most_common(PAIRS)]


def _column(name: str, cells: Sequence[str]) -> Column:
    seen: dict[str, int] = {}
    codes = [seen.setdefault(cell, len(seen)) if cell else MISSING for cell in cells]
    values = np.empty(len(seen), dtype=object)
    values[:] = list(seen)
    return Column(name, values, np.array(codes, dtype=np.int32))
