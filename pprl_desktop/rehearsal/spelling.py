"""Names read out of a record's filter piece by piece, listed or not, where there is no noise.

A record's filter holds the pairs of letters of its names, each field under a key of its own that the partner derives.
So every pair of letters is tried: all its bits are set, or it is not in the name. The pairs that are set are strung
together from the beginning of a value to its end. Where fields share few bits, pairs are set by chance and no string
uses all of them: then what the lists gave is left as it is. Folding mixes the bits and closes this
way, not the search of unlisted.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import product

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import qgrams
from pprl_desktop.codes.base import method
from pprl_desktop.codes.bloom import record_filler, unbalanced
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.letters import LONGEST, letters_of
from pprl_desktop.rehearsal.target import Target

MOST_PIECES = 2 * LONGEST  # pairs of letters that a name can have; with more, they are set by chance
TRIED = 4000  # beginnings of strings looked at for one value
OFTEN = 2  # times that a pair may stand in a name
STRINGS = 8  # that use all pairs, and are compared by how likely they are

Texts = npt.NDArray[np.object_]


def can_be_spelt(target: Target) -> bool:
    recipe = target.recipe
    piecewise = recipe.settings.layout == "record" and method(recipe.method).fills_pieces
    return piecewise and target.epsilon is None and not recipe.settings.fold


def spelt(target: Target, listed: Mapping[str, Texts], progress: Progress = NO_PROGRESS) -> dict[str, Texts]:
    """What the lists gave, with every name in place of it that can be read letter by letter."""
    (part,) = target.field_rows("", ("bits",)).values()
    width = target.recipe.settings.bits
    bits = unbalanced(np.unpackbits(part.values, axis=1), target.recipe)[:, :width] > 0
    salt = next((value for name, value in target.fixed if name == target.recipe.settings.salt_field), "")
    found = dict(listed)
    names = [one for one in target.guesses if one.role != "other" and one.field.name in listed]
    for place, guesses in enumerate(names):
        progress.at(place / len(names))
        found[guesses.field.name] = _field(target, guesses, bits & part.present[:, None], salt, found, progress)
    return found


def _field(
    target: Target, guesses: Guesses, bits: npt.NDArray[np.bool_], salt: str, found: Mapping[str, Texts],
    progress: Progress,
) -> Texts:  # fmt: skip
    name = guesses.field.name
    signs = [qgrams.PAD, *letters_of(guesses)]
    pairs = [one + other for one, other in product(signs, signs) if one + other != 2 * qgrams.PAD]
    filler = record_filler(target.recipe, target.recipe.fields, name, salt)
    places = np.stack([filler.places(pair) for pair in pairs])
    read = found[name].copy()
    known: dict[frozenset[str], list[str]] = {}
    for row in range(len(bits)):
        if row % 100 == 0:
            progress.check()
        held = np.flatnonzero(bits[row][places].all(axis=1))
        if not held.size or held.size > MOST_PIECES:
            continue
        mine = frozenset(pairs[at] for at in held.tolist())
        if mine not in known:
            known[mine] = strings(mine)
        if known[mine] and read[row] not in known[mine]:
            read[row] = max(known[mine], key=lambda text: _share(guesses, text))  # the shortest, where none is listed
    return read


def _share(guesses: Guesses, text: str) -> float:
    return float(guesses.shares[guesses.index[text]]) if text in guesses.index else 0.0


def strings(pairs: frozenset[str]) -> list[str]:
    """Strings made of exactly these pairs of letters, shortest first."""
    after: dict[str, list[str]] = {}
    for pair in sorted(pairs):
        after.setdefault(pair[0], []).append(pair[1])
    made: list[str] = []
    waiting = deque([qgrams.PAD])
    for _ in range(TRIED):
        if not waiting or len(made) == STRINGS:
            break
        begun = waiting.popleft()
        for sign in after.get(begun[-1], ()):
            text = begun + sign
            used = [text[at : at + 2] for at in range(len(text) - 1)]
            if sign == qgrams.PAD:
                if set(used) == pairs:
                    made.append(text.strip(qgrams.PAD))
            elif used.count(used[-1]) <= OFTEN and len(text) <= LONGEST + 1:
                waiting.append(text)
    return made
