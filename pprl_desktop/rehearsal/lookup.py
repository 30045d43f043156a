"""Attack (a), field by field: smash a dictionary and find each field of each record in it.

Without noise equal values have equal bytes, so a hash look-up finds them. With noise the entry with the largest
posterior is taken: the likelihood of the noisy row times the value's frequency. What no entry explains is searched
letter by letter (letters.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, PartKind
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.letters import (
    NOISY_PATIENCE,
    STARTS,
    SURPRISING,
    Spelling,
    distance,
    expected_misfit,
    letters_of,
    proof,
    search,
    side_by_side,
    smasher,
)
from pprl_desktop.rehearsal.target import Entries, PartRows, Target, smashed_guesses

Texts = npt.NDArray[np.object_]
ALL: tuple[PartKind, ...] = ("distances", "bits", "token")
NOISY: tuple[PartKind, ...] = ("distances", "bits")
NEAREST = 1.0  # per bit or distance: how fast likelihood falls with distance when no noise sets the scale


def decode_field(
    target: Target, guesses: Guesses, kinds: tuple[PartKind, ...] = ALL, progress: Progress = NO_PROGRESS
) -> Texts:
    """The attacker's guess for every row; '' where the field is missing or nothing can be said."""
    name = guesses.field.name
    rows = target.field_rows(name, kinds if target.epsilon is None else NOISY)
    entries = smashed_guesses(target, guesses, progress.part(0.0, 0.4))
    if not rows or not len(guesses):
        return _nothing(target.rows)
    rest = progress.part(0.4, 1.0)
    if target.epsilon is not None:
        return _most_likely(target, guesses, rows, entries, target.epsilon, rest)
    found = _by_hash(guesses, rows, entries)
    _by_words(name, found, guesses, rows, entries)
    open_ = np.flatnonzero((found == "") & np.logical_or.reduce([part.present for part in rows.values()]))
    if open_.size:
        some = {name: part.take(open_) for name, part in rows.items()}
        found[open_] = _unlisted(target, guesses, some, entries, rest)
    return found


def _most_likely(
    target: Target,
    guesses: Guesses,
    rows: Entries,
    entries: Entries,
    epsilon: float,
    progress: Progress,
) -> Texts:
    found = _nothing(target.rows)
    present = np.flatnonzero(np.logical_and.reduce([part.present for part in rows.values()]))
    some = {name: part.take(present) for name, part in rows.items()}
    theirs = np.hstack([np.tile(entries[name].values, (1, len(target.releases))) for name in rows])
    mine = np.hstack([part.values for part in some.values()])
    bits = next(iter(rows.values())).kind == "bits"
    best = _top(mine, theirs, bits, epsilon, guesses.log_prior, STARTS, progress.part(0.0, 0.5))
    read = np.asarray(guesses.values[best[:, 0]], dtype=object)
    mean, spread = expected_misfit(theirs[best[:, 0]], bits, epsilon)
    apart = distance(mine, theirs[best[:, 0]], bits)
    doubted = np.flatnonzero(apart > mean + SURPRISING * spread)
    if doubted.size and guesses.role != "other":
        starts = [guesses.values[best[row][best[row] >= 0]].tolist() for row in doubted]
        smash = smasher(target, guesses, list(rows), len(target.releases))
        rest = progress.part(0.5, 1.0)
        made = search(mine[doubted], bits, starts, smash, letters_of(guesses), NOISY_PATIENCE, progress=rest)
        spelling = Spelling(guesses)
        listed = guesses.log_prior[best[doubted, 0]]
        unlisted = np.array([spelling.log_prior(str(text)) for text in made.texts])
        better = epsilon * (apart[doubted] - made.apart) + unlisted > listed
        read[doubted[better]] = made.texts[better]
    found[present] = read
    return found


def _top(
    mine: Bytes, theirs: Bytes, bits: bool, epsilon: float, prior: npt.NDArray[np.float32], k: int, progress: Progress
) -> npt.NDArray[np.int32]:
    """The k likeliest entries of each row: under randomised response -epsilon per differing bit, else per step."""
    from pprl_desktop.rehearsal.attack_kernels import top_bits, top_distances

    if not bits:
        return top_distances(mine, theirs, epsilon, prior, k, progress)[0]
    ones = np.bitwise_count(theirs).sum(axis=1, dtype=np.int64).astype(np.float32)
    return top_bits(mine, theirs, 2 * epsilon, prior - np.float32(epsilon) * ones, k, progress)[0]


def _by_hash(guesses: Guesses, rows: Entries, entries: Entries) -> Texts:
    """Equal bytes in every part both have. Where several entries are equal the most frequent is taken."""
    common = [part for part in rows if part in entries]
    known: dict[bytes, int] = {}
    order = np.argsort(-guesses.shares, kind="stable")
    theirs = _keys([entries[part] for part in common])
    for place in order.tolist():
        known.setdefault(theirs[place].tobytes(), place)
    mine = _keys([rows[part] for part in common])
    found = _nothing(len(mine))
    empty = bytes(mine.shape[1])
    for row in range(len(mine)):
        key = mine[row].tobytes()
        place = known.get(key, -1) if key != empty else -1
        if place >= 0:
            found[row] = guesses.values[place]
    return found


def _keys(parts: list[PartRows]) -> Bytes:
    columns = [np.hstack([part.values, part.present[:, None].astype(np.uint8)]) for part in parts]
    return np.ascontiguousarray(np.hstack(columns))


def _by_words(
    name: str,
    found: Texts,
    guesses: Guesses,
    rows: Entries,
    entries: Entries,
) -> None:
    """A value of several words has a token per word, under the key of whole values: each word can be looked up."""
    words = [rows[part] for part in sorted(rows) if part.startswith(f"{name}.word")]
    equal = entries.get(f"{name}.equal")
    if not words or equal is None:
        return
    known = {key.tobytes(): place for place, key in enumerate(equal.values)}
    for row in np.flatnonzero(found == "").tolist():
        places = [known.get(part.values[row].tobytes(), -1) for part in words if part.present[row]]
        if len(places) > 1 and min(places) >= 0:
            found[row] = " ".join(str(guesses.values[place]) for place in places)


def _unlisted(target: Target, guesses: Guesses, rows: Entries, entries: Entries, progress: Progress) -> Texts:
    """Values in no list, over distinct rows: searched letter by letter from the nearest entries."""
    parts = [part for part in rows if part in entries and rows[part].kind != "token"]  # tokens have no nearness
    count = len(next(iter(rows.values())).values)
    if not parts:
        return _nothing(count)
    distinct, first, back = np.unique(side_by_side(rows, parts), axis=0, return_index=True, return_inverse=True)
    theirs = side_by_side(entries, parts)
    bits = rows[parts[0]].kind == "bits"
    best = _top(distinct, theirs, bits, NEAREST, guesses.log_prior, STARTS, progress.part(0.0, 0.3))
    found = np.asarray(guesses.values[best[:, 0]], dtype=object)
    if guesses.role != "other":
        starts = [guesses.values[near[near >= 0]].tolist() for near in best]
        smash, rest = smasher(target, guesses, parts), progress.part(0.3, 1.0)
        equal = rows.get(f"{guesses.field.name}.equal")
        proofs = [proof(target, guesses, equal.values[row]) for row in first] if equal is not None else []
        found = search(distinct, bits, starts, smash, letters_of(guesses), proofs=proofs, progress=rest).texts
    return np.asarray(found[back.reshape(-1)], dtype=object)


def _nothing(rows: int) -> Texts:
    found = np.empty(rows, dtype=object)
    found[:] = ""
    return found
