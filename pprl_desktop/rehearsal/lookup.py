"""Attack (a), field by field: smash a dictionary and find each field of each record in it.

Without noise equal values have equal bytes, so a hash look-up finds them, and what is not listed gets its
nearest entry. With noise the entry with the largest posterior is taken: the likelihood of the noisy row times the
value's frequency.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, PartKind
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.rehearsal.dictionaries import Guesses
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
        found[open_] = _nearest(guesses, some, entries, rest)
    return found


def _most_likely(
    target: Target,
    guesses: Guesses,
    rows: Entries,
    entries: Entries,
    epsilon: float,
    progress: Progress,
) -> Texts:
    from pprl_desktop.rehearsal.attack_kernels import top_bits, top_distances

    found = _nothing(target.rows)
    present = np.flatnonzero(np.logical_and.reduce([part.present for part in rows.values()]))
    mine = np.hstack([part.values[present] for part in rows.values()])
    theirs = np.hstack([np.tile(entries[name].values, (1, len(target.releases))) for name in rows])
    if next(iter(rows.values())).kind == "bits":
        # log-likelihood under randomised response: -epsilon per differing bit
        ones = np.bitwise_count(theirs).sum(axis=1, dtype=np.int64)
        bias = guesses.log_prior - np.float32(epsilon) * ones.astype(np.float32)
        best, _ = top_bits(mine, theirs, 2 * epsilon, bias, 1, progress)
    else:
        best, _ = top_distances(mine, theirs, epsilon, guesses.log_prior, 1, progress)
    found[present] = guesses.values[best[:, 0]]
    return found


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


def _nearest(
    guesses: Guesses,
    rows: Entries,
    entries: Entries,
    progress: Progress,
) -> Texts:
    """Nearest-entry decoding of values that are not listed, over distinct rows."""
    from pprl_desktop.rehearsal.attack_kernels import top_bits, top_distances

    parts = [part for part in rows if part in entries and rows[part].kind != "token"]  # tokens have no nearness
    count = len(next(iter(rows.values())).values)
    if not parts:
        return _nothing(count)
    mine = np.hstack([rows[part].values for part in parts])
    distinct, back = np.unique(mine, axis=0, return_inverse=True)
    theirs = np.hstack([entries[part].values for part in parts])
    if rows[parts[0]].kind == "bits":
        ones = np.bitwise_count(theirs).sum(axis=1, dtype=np.int64).astype(np.float32)
        best, _ = top_bits(distinct, theirs, 2 * NEAREST, guesses.log_prior - NEAREST * ones, 1, progress)
    else:
        best, _ = top_distances(distinct, theirs, NEAREST, guesses.log_prior, 1, progress)
    return np.asarray(guesses.values[best[:, 0]][back.reshape(-1)], dtype=object)


def _nothing(rows: int) -> Texts:
    found = np.empty(rows, dtype=object)
    found[:] = ""
    return found
