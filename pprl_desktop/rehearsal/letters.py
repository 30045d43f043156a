"""Values in no list: the partner holds the secret, smashes any string it likes, and searches letter by letter.

Best-first hill climbing over strings. From the nearest listed values, every string one edit away is smashed and
compared with the code; the nearest is taken up next, until a code is equal (without noise) or nothing comes nearer.
Nearness of codes follows nearness of spelling, or the codes could not serve to match misspelt names: so the search
cannot be closed without closing the method.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import tokens
from pprl_desktop.codes.base import Bytes, Recipe, derive, method
from pprl_desktop.privacy.mechanisms import flip_probability
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import Column
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.target import Entries, Target, alone

STARTS = 6  # nearest listed values a search starts from; pairs of them are tried as double names
OPENED = 30  # strings of a search whose neighbours are smashed, at most
PATIENCE, NOISY_PATIENCE = 8, 2  # of them without coming nearer; noise blurs what lies farther than that
KEPT = 6  # neighbours remembered per step
AT_ONCE = 200  # searches that go on side by side: their strings are smashed together
ALWAYS = " -'"  # signs in names that a list of single names lacks
SHORTER = 0.001  # per letter: of strings with the same code the shortest is taken
LONGEST = 40  # letters: no name is longer
EQUAL = 2 * SHORTER * LONGEST  # less apart than one bit or one step
SURPRISING = 2.5  # standard deviations of the noise: a listed value that fits worse is doubted
UNLISTED = 0.05  # share of values that stand in no list, before anything is seen

Texts = npt.NDArray[np.object_]
Floats = npt.NDArray[np.float64]
Smash = Callable[[list[str]], Bytes]
Proof = Callable[[str], bool]


@dataclass(frozen=True)
class Searched:
    texts: Texts  # the nearest string found for each code
    apart: Floats  # how far its code is: differing bits, or the sum of the differences of distances


def search(
    codes: Bytes, bits: bool, starts: Sequence[Sequence[str]], smash: Smash, letters: str, patience: int = PATIENCE,
    proofs: Sequence[Proof] = (), progress: Progress = NO_PROGRESS,
) -> Searched:  # fmt: skip
    """For each code the string whose code is nearest, looked for until the codes are equal.

    `proofs` tells of a string whether it is the one, where a keyed token beside the code can be tried.
    """
    climbers = [
        _Climber(codes[row], list(dict.fromkeys(starts[row])), patience, proofs[row] if proofs else None)
        for row in range(len(codes))
    ]
    for first in range(0, len(climbers), AT_ONCE):
        progress.at(first / len(climbers))
        active = climbers[first : first + AT_ONCE]
        asked = [_first_strings(one.opened) for one in active]
        while active:
            progress.check()
            _compare(active, asked, bits, smash)
            active = [one for one in active if one.goes_on()]
            asked = [one.next_strings(letters) for one in active]
    texts = np.empty(len(climbers), dtype=object)
    texts[:] = [one.best_text for one in climbers]
    return Searched(texts, np.array([one.best for one in climbers], dtype=np.float64))


class _Climber:
    """The search for one code."""

    def __init__(self, code: Bytes, starts: list[str], patience: int, proof: Proof | None) -> None:
        self.code, self.patience, self.proof = code, patience, proof
        self.proven = False
        self.opened = starts
        self.seen: set[str] = set()
        self.waiting: list[tuple[float, str]] = []
        self.best, self.best_text = np.inf, ""
        self.steps = self.idle = 0

    def take(self, texts: list[str], apart: Floats) -> None:
        order = np.argsort(apart, kind="stable")[:KEPT]
        self.waiting += [(float(apart[at]), texts[at]) for at in order]
        self.waiting.sort(key=lambda pair: pair[0])
        nearest, text = (float(apart[order[0]]), texts[order[0]]) if len(order) else (np.inf, "")
        self.idle = 0 if nearest < self.best else self.idle + 1
        if nearest < self.best:
            self.best, self.best_text = nearest, text
        self.steps += 1
        if self.proof is not None and nearest < EQUAL:
            right = next((texts[at] for at in np.flatnonzero(apart < EQUAL) if self.proof(texts[at])), None)
            if right is not None:
                self.best_text, self.proven = right, True

    def goes_on(self) -> bool:
        if self.proven:
            return False
        if self.best < EQUAL and self.proof is None:
            return self.idle == 0  # the shortest of the strings with this code is wanted
        return self.steps <= OPENED and self.idle < self.patience and bool(self.waiting)

    def next_strings(self, letters: str) -> list[str]:
        if self.best < EQUAL and self.proof is None:
            return list(_shorter(self.best_text))
        _, text = self.waiting.pop(0)
        return [one for one in dict.fromkeys(one_edit_away(text, letters)) if one not in self.seen]


def _first_strings(starts: Sequence[str]) -> list[str]:
    """The nearest listed values, and two of them as a double name."""
    pairs = [f"{one} {other}" for one, other in permutations(starts[:STARTS], 2)]
    return [*starts, *pairs]


def one_edit_away(text: str, letters: str) -> Iterator[str]:
    for at in range(len(text) + 1):
        head, tail = text[:at], text[at:]
        if tail:
            yield head + tail[1:]
            for letter in letters:
                yield head + letter + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        if len(text) < LONGEST:
            for letter in letters:
                yield head + letter + tail
    yield from _shorter(text)


def _shorter(text: str) -> Iterator[str]:
    """Without some letters in a row: a detour the climb has taken, or a pair of letters it went through twice."""
    for length in range(2, len(text) - 1):
        for at in range(len(text) - length + 1):
            yield text[:at] + text[at + length :]


def _compare(active: list[_Climber], asked: list[list[str]], bits: bool, smash: Smash) -> None:
    distinct = {text: place for place, text in enumerate(dict.fromkeys(text for some in asked for text in some))}
    if not distinct:
        for one in active:
            one.take([], np.zeros(0))
        return
    smashed = smash(list(distinct))
    for one, texts in zip(active, asked, strict=True):
        places = np.array([distinct[text] for text in texts], dtype=np.int64)
        one.seen.update(texts)
        lengths = np.array([len(text) for text in texts])
        one.take(texts, distance(one.code[None], smashed[places], bits) + SHORTER * lengths)


def distance(codes: Bytes, others: Bytes, bits: bool) -> Floats:
    """Row by row: differing bits, or the sum of the differences of distances."""
    if bits:
        apart = np.bitwise_count(codes ^ others)
    else:
        apart = np.abs(codes.astype(np.int16) - others.astype(np.int16))
    return np.asarray(apart.sum(axis=1, dtype=np.int64), dtype=np.float64)


# ---- what the search is given -------------------------------------------------------------------


def letters_of(guesses: Guesses) -> str:
    """The letters of the list, most frequent first, and the signs of double names."""
    counts = Counter(letter for value in guesses.values for letter in str(value))
    return "".join(dict.fromkeys([*(letter for letter, _ in counts.most_common()), *ALWAYS]))


def smasher(target: Target, guesses: Guesses, parts: Sequence[str], copies: int = 1) -> Smash:
    """How the partner smashes strings of one field; tokens are left out, they have no nearness."""
    name = guesses.field.name
    recipe: Recipe = replace(target.recipe, settings=replace(target.recipe.settings, epsilon=1.0))
    quiet = replace(target, recipe=recipe)

    def smash(texts: list[str]) -> Bytes:
        values = np.empty(len(texts), dtype=object)
        values[:] = texts
        table = alone(quiet, {name: Column(name, values, np.arange(len(texts), dtype=np.int32))}, len(texts))
        made = method(recipe.method).smash(table, recipe, NO_PROGRESS)
        found = [made.part(part) for part in parts]
        return np.hstack([np.tile(one.values[one.rows], (1, copies)) for one in found])

    return smash


def proof(target: Target, guesses: Guesses, seen: Bytes) -> Proof:
    """Whether a string has the token of a whole value that was sent beside the code."""
    key, wanted = derive(target.recipe.secret, f"token/{guesses.field.kind}"), seen.tobytes()
    return lambda text: tokens.token(key, text).tobytes() == wanted


def expected_misfit(entries: Bytes, bits: bool, epsilon: float) -> tuple[Floats, Floats]:
    """How far a noisy row is from the code it was made of: mean and standard deviation, per code."""
    if bits:
        flip, width = float(flip_probability(epsilon)), 8 * entries.shape[1]
        return np.full(len(entries), width * flip), np.full(len(entries), np.sqrt(width * flip * (1 - flip)))
    steps = np.arange(1, 256)
    q = np.exp(-epsilon)
    weight = (1 - q) / (1 + q) * q**steps  # of +k and of -k, discrete Laplace
    down = np.minimum(steps[None], np.arange(256)[:, None])  # a distance is cut at 0
    means = (weight * (steps + down)).sum(axis=1)
    spread = (weight * (steps**2 + down**2)).sum(axis=1) - means**2
    return means[entries].sum(axis=1), np.sqrt(np.maximum(spread[entries], 0).sum(axis=1))


class Spelling:
    """How likely a string is as a name that stands in no list: letters given the two before, as in the list."""

    def __init__(self, guesses: Guesses) -> None:
        self.three: Counter[str] = Counter()
        self.two: Counter[str] = Counter()
        for value in guesses.values:
            padded = f"^^{value}$"
            for at in range(2, len(padded)):
                self.three[padded[at - 2 : at + 1]] += 1
                self.two[padded[at - 2 : at]] += 1

    def log_prior(self, text: str) -> float:
        padded = f"^^{text}$"
        chances = [
            (self.three[padded[at - 2 : at + 1]] + 0.5) / (self.two[padded[at - 2 : at]] + 20)
            for at in range(2, len(padded))
        ]
        return float(np.log(UNLISTED) + np.log(chances).sum())


def side_by_side(parts: Entries, names: Sequence[str]) -> Bytes:
    return np.hstack([parts[name].values for name in names])
