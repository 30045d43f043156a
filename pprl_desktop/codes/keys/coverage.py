"""Coverage: which share of the own records a lying partner reaches who may guess so many keys of each type.

The partner guesses best first: by the product of what it holds likely of each atom. How many products lie above a bar
is counted by convolving histograms of log-probabilities; the bar is where the count reaches the budget. A record is
reached if its own likeliest product lies above the bar. Only the partner's *order* takes the parts of a key for
independent; who is reached is counted on the records. Fields that tell each other (see `dependent`) are one part: the
partner guesses only combinations that occur, as often as they occur in the own table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.keys.atoms import ANY, BOTH, FORMS, Atom, AtomColumn, Texts
from pprl_desktop.codes.keys.recipe import Columns, Key, Rows, lines_of
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.names import dictionary

FITS = 1.5  # nats: a public list that describes the column worse than its own frequencies by more is no help
UNLISTED = np.log(1e-7)  # what a value outside the list costs it
LISTED = 0.5  # share of the records whose value a list must hold
COARSE, FINE = 0.1, 0.01  # nats: width of a bin while choosing, and in what is told
DEEPEST = 30.0  # nats below certainty; nobody guesses what is rarer
TELLS = 0.4  # share of a field's information that another field gives: above it they are one to a guesser
DEPENDENCE_ROWS = 20_000
CALENDAR = "calendar"
ALIKE = 10.0  # records per day of the year that speak for all days being alike
OUTSTANDING, LEAST_OUTSTANDING = 8.0, 4  # times as often as its year and its day allow, and records, of a stopgap

Numbers = npt.NDArray[np.float64]
Part = tuple[Atom, ...]
Knowledge = Literal["public", "own"]


@dataclass(frozen=True, eq=False)
class Odds:
    """What a guesser holds likely of one atom."""

    log_share: Numbers = field(repr=False)  # of every text it may guess, rising or not
    best: Numbers = field(repr=False)  # per own row: its likeliest text; -inf where it cannot be guessed or is missing
    _counted: dict[float, npt.NDArray[np.int64]] = field(default_factory=dict, repr=False)

    def counts(self, width: float, most: float) -> Numbers:
        """Texts per bin of -log share, none above `most` (more cannot matter to a budget of that size)."""
        if width not in self._counted:  # asked for by every key that has this atom
            self._counted[width] = np.bincount(_bins(self.log_share, width), minlength=int(DEEPEST / width) + 1)
        return np.minimum(self._counted[width][: int(DEEPEST / width) + 1], most).astype(np.float64)


def _bins(log_share: Numbers, width: float) -> npt.NDArray[np.int64]:
    known = log_share[np.isfinite(log_share)]
    return np.clip(np.rint(-known / width), 0, int(DEEPEST / width)).astype(np.int64)


class Guesser:
    """A partner with public lists of names, and a calendar, where they fit, and the own frequencies of the rest."""

    def __init__(self, columns: Columns, knowledge: Knowledge) -> None:
        self.columns = columns
        self.knowledge = knowledge
        self.telling = dependent(columns.table)
        self._odds: dict[Part, Odds] = {}
        self._lists: dict[str, str] = {}
        self._calendars: dict[str, Mapping[str, float]] = {}
        if knowledge == "public":
            names = [one.name for one in columns.table.fields if one.kind == "name"]
            self._lists = {name: found for name in names if (found := fitting_list(columns.table, name))}
            dates = [one.name for one in columns.table.fields if one.kind == "date"]
            self._calendars = {name: days for name in dates if (days := fitting_calendar(columns.table.column(name)))}
            self._lists |= dict.fromkeys(self._calendars, CALENDAR)

    def lists(self) -> Mapping[str, str]:
        """Field -> public list used for it."""
        return self._lists

    def odds(self, part: Part) -> Odds:
        if part not in self._odds:
            self._odds[part] = self._made(part[0]) if len(part) == 1 else self._joint_odds(part)
        return self._odds[part]

    def of_key(self, key: Key) -> list[Odds]:
        """One per part."""
        return [self.odds(part) for part in self.parts(key)]

    def parts(self, key: Key) -> list[Part]:
        """Atoms that are guessed together because their fields tell each other; two names in any order are guessed as
        two names."""
        made: list[Part] = []
        for atom in expanded(key):
            told = [part for part in made if self._tell(part, atom)]
            made = [part for part in made if part not in told]
            made.append((*(one for part in told for one in part), atom))
        return made

    def _tell(self, part: Part, atom: Atom) -> bool:
        return any(
            frozenset((name, other)) in self.telling for one in part for name in one.fields for other in atom.fields
        )

    def _joint(self, part: Part) -> tuple[Rows, npt.NDArray[np.int32], npt.NDArray[np.int64], Numbers]:
        """Row of every combination of texts in the own table, the distinct combinations, which each row's is, and the
        share of the rows that hold it."""
        rows, chosen = lines_of(self.columns, Key(part))
        distinct, which = np.unique(chosen, axis=0, return_inverse=True)
        share = np.bincount(which.reshape(-1), minlength=len(distinct)) / max(len(np.unique(rows)), 1)
        return rows, distinct, which.reshape(-1), share

    def _joint_odds(self, part: Part) -> Odds:
        rows, _, which, share = self._joint(part)
        best = np.full(self.columns.table.rows, -np.inf)
        np.maximum.at(best, rows, np.log(share[which]))
        return Odds(np.log(share), best)

    def texts(self, part: Part) -> tuple[list[tuple[str, ...]], Numbers]:
        """All that the guesser may try for a part, a text per atom, likeliest first, and the log of its share."""
        if len(part) > 1:
            _, distinct, _, share = self._joint(part)
            order = np.argsort(-share, kind="stable")
            known = [self.columns[atom].texts for atom in part]
            combined = [
                tuple(texts[at] for texts, at in zip(known, row, strict=True)) for row in distinct[order].tolist()
            ]
            return combined, np.log(share[order])
        one, log_share = self._texts(part[0])
        return [(text,) for text in one], log_share

    def _texts(self, atom: Atom) -> tuple[tuple[str, ...], Numbers]:
        column = self.columns[atom]
        if (listed := self._listed(atom)) is not None:
            known, share = list(listed), np.array(list(listed.values()))
        else:
            known, share = list(column.texts), column.holders() / max(int((column.units >= 0).sum()), 1)
        order = np.argsort(-share, kind="stable")
        order = order[share[order] > 0]
        return tuple(known[place] for place in order.tolist()), np.log(share[order])

    def _listed(self, atom: Atom) -> Mapping[str, float] | None:
        """What is public of an atom: text -> share of the people; None where no list fits."""
        if not all(name in self._lists for name in atom.fields):
            return None
        if (days := self._calendars.get(atom.fields[0])) is not None:
            return _as_form(days, FORMS["date"][atom.form])
        return _any_listed(tuple(self._lists[name] for name in atom.fields), atom.form)

    def _made(self, atom: Atom) -> Odds:
        column = self.columns[atom]
        if (listed := self._listed(atom)) is not None:
            shares = np.array([listed.get(text, 0.0) for text in column.texts] or [0.0])
            everything = np.log(np.array(list(listed.values())))
        else:
            rows = max(int((column.units >= 0).sum()), 1)
            shares = column.holders() / rows if len(column.texts) else np.zeros(1)
            everything = np.log(np.maximum(shares[shares > 0], 1e-12))
        with np.errstate(divide="ignore"):
            log_share = np.log(shares)
        return Odds(everything, _best(column, log_share))


def expanded(key: Key) -> list[Atom]:
    """The atoms of a key, with two names in any order as two."""
    return [one for atom in key.atoms for one in _expanded(atom)]


def _expanded(atom: Atom) -> tuple[Atom, ...]:
    return tuple(Atom((name,), "whole") for name in atom.fields) if atom.form == BOTH else (atom,)


@lru_cache(maxsize=32)
def _any_listed(lists: tuple[str, ...], form: str) -> Mapping[str, float]:
    """As `_listed`; of "either of two names" the text may come from both lists."""
    if form != ANY:
        return _listed(lists[0], form)
    made: dict[str, float] = {}
    for which in lists:
        for text, share in _listed(which, "whole").items():
            made[text] = made.get(text, 0.0) + share
    return made


def _best(column: AtomColumn, log_share: Numbers) -> Numbers:
    units = len(column.start) - 1
    best = np.full(units + 1, -np.inf)  # index -1 reads the last: missing
    if len(column.items):
        here = np.flatnonzero(column.sizes > 0)
        best[here] = np.maximum.reduceat(log_share[column.items], column.start[here])
    return np.asarray(best[column.units])


@lru_cache(maxsize=32)
def _listed(which: str, form: str) -> Mapping[str, float]:
    """Text -> share of the people of the list that hold it."""
    names = dictionary("first" if which == "first" else "last")
    return _as_form(dict(zip(names.values, names.shares.tolist(), strict=True)), FORMS["name"][form])


def _as_form(shares: Mapping[str, float], make: Callable[[str], Texts]) -> Mapping[str, float]:
    made: dict[str, float] = {}
    for value, share in shares.items():
        for text in make(value):
            made[text] = made.get(text, 0.0) + share
    return made


def fitting_list(table: CleanTable, name: str) -> str:
    """The public list that describes this column about as well as the column itself; '' where none does."""
    column = table.column(name)
    counts = column.counts().astype(np.float64)
    total = counts.sum()
    if not total:
        return ""
    used = counts > 0
    share = counts[used] / total
    own = _true_entropy(counts[used])
    found, best = "", own + FITS
    for which in ("first", "last"):
        listed = _listed(which, "whole")
        known = np.array([listed.get(str(value), 0.0) for value in column.values[used]])
        cost = float(-(share * np.log(np.maximum(known, np.exp(UNLISTED)))).sum())
        if cost <= best and float(share[known > 0].sum()) >= LISTED:
            found, best = which, cost
    return found


def fitting_calendar(column: Column) -> Mapping[str, float]:
    """Day -> share of the people, by what anybody knows of dates of birth: how many were born in each year, and that
    the days of a year are nearly alike. The very days that occur in a table are no public knowledge, but stopgaps are,
    such as the first of January 1900: they stand as often as they do. Empty where dates are not spread like that."""
    counts = column.counts()
    held = {str(value): int(count) for value, count in zip(column.values, counts, strict=True) if count}
    total = sum(held.values())
    whole = {day: count for day, count in held.items() if len(day) == 8 and day.isdigit() and day[4:] in _DAYS}
    full = sum(whole.values())
    if not full or full < LISTED * total:
        return {}
    years: dict[str, float] = {}
    of_year = dict.fromkeys(_DAYS, ALIKE)
    for day, count in whole.items():
        years[day[:4]] = years.get(day[:4], 0.0) + count / total
        of_year[day[4:]] += count
    known = full + ALIKE * len(_DAYS)
    made = {year + day: share * weight / known for year, share in years.items() for day, weight in of_year.items()}
    for day, count in held.items():
        share = count / total
        if day not in made or (count >= LEAST_OUTSTANDING and share > OUTSTANDING * made[day]):
            made[day] = share
    cost = -sum(count / total * np.log(made[day]) for day, count in held.items())
    return made if cost <= _true_entropy(np.array(list(held.values()), dtype=np.float64)) + FITS else {}


_DAYS = tuple(
    f"{month:02}{day:02}" for month, days in enumerate((31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), start=1)
    for day in range(1, days + 1)
)  # fmt: skip


def _true_entropy(counts: Numbers) -> float:
    """Of the people behind a sample, with those not seen yet (Chao and Shen 2003): plain shares look too telling."""
    total = counts.sum()
    seen = max(1.0 - float((counts == 1).sum()) / total, 1.0 / total)  # Good and Turing: share of what was seen
    share = seen * counts / total
    return float(-(share * np.log(share) / (1.0 - (1.0 - share) ** total)).sum())


# ---- how far a budget reaches


@dataclass(frozen=True, eq=False)
class Bar:
    """Bin of -log probability where a budget ends, and the part of that bin that it still pays for."""

    bin: int
    part: float
    width: float

    def hits(self, cost: Numbers) -> Numbers:
        """Per row the chance to be reached, from -log probability (inf: cannot be guessed)."""
        at = np.where(np.isfinite(cost), np.rint(np.minimum(cost, 1e6) / self.width), np.inf)
        return np.where(at < self.bin, 1.0, np.where(at == self.bin, self.part, 0.0))


def bar(histograms: Sequence[Numbers], budget: float, width: float) -> Bar:
    """Where best-first guessing ends, from the histograms of a key's atoms."""
    total = histograms[0]
    for one in histograms[1:]:
        total = np.minimum(np.convolve(total, one), 4 * budget)
    return cut(total, budget, width)


def cut(total: Numbers, budget: float, width: float) -> Bar:
    reached = np.cumsum(total)
    end = int(np.searchsorted(reached, budget, side="right"))
    if end >= len(total):
        return Bar(len(total), 1.0, width)
    before = float(reached[end - 1]) if end else 0.0
    return Bar(end, float((budget - before) / max(total[end], 1e-12)), width)


def hits(guesser: Guesser, key: Key, budget: float, width: float = FINE) -> Numbers:
    """Per own row the chance that a partner who guesses best-first reaches it through this type of key."""
    odds = guesser.of_key(key)
    end = bar([one.counts(width, 4 * budget) for one in odds], budget, width)
    return end.hits(-np.sum([one.best for one in odds], axis=0))


def guesses(guesser: Guesser, key: Key, budget: int) -> list[tuple[str, ...]]:
    """The likeliest products of texts of a key, as many as the budget pays for: what a lying partner would ask."""
    parts = guesser.parts(key)
    lists = [guesser.texts(part) for part in parts]
    atoms = [atom for part in parts for atom in part]
    order = [atoms.index(atom) for atom in expanded(key)]
    end = bar([one.counts(FINE, 4 * budget) for one in guesser.of_key(key)], budget, FINE)
    lowest = -(end.bin + 1) * FINE
    reach = np.zeros(1)  # log share of each beginning
    chosen = np.zeros((1, 0), dtype=np.int64)
    for place, (_, share) in enumerate(lists):
        rest = sum(float(other[1][0]) for other in lists[place + 1 :] if len(other[1]))
        counts = np.searchsorted(-share, -(lowest - rest - reach), side="right")  # shares fall
        at = np.repeat(np.arange(len(reach)), counts)
        item = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts)
        reach, chosen = reach[at] + share[item], np.column_stack([chosen[at], item])
    best = np.argsort(-reach, kind="stable")[:budget]
    made = []
    for row in chosen[best].tolist():
        texts = [text for k, item in enumerate(row) for text in lists[k][0][item]]
        made.append(_as_key(key, [texts[place] for place in order]))
    return made


def _as_key(key: Key, texts: list[str]) -> tuple[str, ...]:
    """One text per atom, as `column_of` makes it of a record."""
    made, place = [], 0
    for atom in key.atoms:
        some = texts[place : place + len(_expanded(atom))]
        place += len(some)
        made.append("\x1f".join(sorted(some)) if atom.form == BOTH else some[0])
    return tuple(made)


def union(reached: Sequence[Numbers]) -> float:
    """Share of the rows reached through any type."""
    if not reached:
        return 0.0
    missed = np.ones_like(reached[0])
    for one in reached:
        missed = missed * (1.0 - one)
    return float(1.0 - missed.mean()) if len(missed) else 0.0


# ---- fields that tell each other


def dependent(table: CleanTable, seed: int = 0) -> frozenset[frozenset[str]]:
    """Pairs of fields of which one tells much of the other: a guesser who knows that needs fewer guesses.

    Mutual information over the smaller entropy, less what the same counts give when one column is shuffled.
    """
    random = np.random.default_rng(seed)
    rows = np.arange(table.rows)
    if table.rows > DEPENDENCE_ROWS:
        rows = random.choice(table.rows, DEPENDENCE_ROWS, replace=False)
    found = set()
    for place, one in enumerate(table.columns):
        for other in table.columns[place + 1 :]:
            a, b = one.codes[rows], other.codes[rows]
            both = (a >= 0) & (b >= 0)
            a, b = a[both], b[both]
            if len(a) < 50:
                continue
            least = min(_entropy(a), _entropy(b))
            told = _entropy(a) + _entropy(b) - _entropy(_joint(a, b))
            by_chance = _entropy(a) + _entropy(b) - _entropy(_joint(a, random.permutation(b)))
            if least > 0 and (told - by_chance) / max(least - by_chance, 0.05 * least) > TELLS:
                found.add(frozenset((one.name, other.name)))
    return frozenset(found)


def _joint(a: npt.NDArray[np.int32], b: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    return a.astype(np.int64) * (int(b.max()) + 1) + b


def _entropy(codes: npt.NDArray[np.integer]) -> float:
    _, counts = np.unique(codes, return_counts=True)
    share = counts / counts.sum()
    return float(-(share * np.log(share)).sum())
