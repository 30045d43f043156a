"""Noise on smashed data, before they leave: one fresh noisy row per record.

Without noise a part holds one row per distinct value, and equal values share it. With noise that would
be wrong: everyone named SMITH would carry the same noise, and equality alone would give the name's
frequency away. So every record gets its own row.

What is then claimed, and what is not:
bits       each bit is randomised response: epsilon per bit.
distances  each distance gets discrete Laplace noise of scale 1/epsilon. One edit of a value changes each
           of its distances by at most one (triangle inequality), so this is epsilon per edit and
           distance. The sum is clipped to a byte; that happens after the noise and costs nothing.
token      dropped. A keyed hash allows an exact look-up, which would undo the noise on the rest.
missing    stays visible: that a field is empty, and how many records there are, is outside the claim.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Part, PartKind, Recipe, Smashed, method
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.mechanisms import add_laplace, checked_epsilon, flip_bits
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable

Mechanism = Callable[[npt.NDArray[np.uint8], float, Keystream], None]
MECHANISMS: dict[PartKind, Mechanism] = {"bits": flip_bits, "distances": add_laplace}
CHUNK_BYTES = 1 << 22  # rows are copied and noised in pieces of about this size


def bundle_epsilon(recipe: Recipe) -> float | None:
    """The noise of the bundle itself: none where the agreed noise is in the answers (nearest neighbour)."""
    return None if recipe.settings.decision == "nearest" else recipe.settings.epsilon


def leaving(table: CleanTable, recipe: Recipe, source: Keystream, progress: Progress = NO_PROGRESS) -> Smashed:
    """A table exactly as it would leave under this recipe: smashed, then noised."""
    smashed = method(recipe.method).smash(table, recipe, progress.part(0.0, 0.8))
    return noised(smashed, bundle_epsilon(recipe), source, progress.part(0.8, 1.0))


def noised(smashed: Smashed, epsilon: float | None, source: Keystream, progress: Progress = NO_PROGRESS) -> Smashed:
    """The smashed data as they leave. Without epsilon they are returned as they are."""
    if epsilon is None:
        return smashed
    checked_epsilon(epsilon)
    if smashed.epsilon is not None:
        raise Problem(
            "These smashed data carry noise already.",
            "A second noise would make the stated epsilon wrong.",
            "Start from the table again.",
            place="epsilon",
        )
    kept = [part for part in smashed.parts if part.kind in MECHANISMS]
    if smashed.parts and not kept:
        raise Problem(
            "This method's smashed data cannot carry noise.",
            "They consist of keyed hashes only, and a hash with noise matches nothing.",
            "Leave the noise off or choose another method.",
            place="epsilon",
        )
    total = sum(int((part.rows >= 0).sum()) * part.width for part in kept) or 1
    done, made = 0, []
    for part in kept:
        size = int((part.rows >= 0).sum()) * part.width
        made.append(_noised_part(part, epsilon, source, progress.part(done / total, (done + size) / total)))
        done += size
    return replace(smashed, parts=tuple(made), epsilon=epsilon)


def _noised_part(part: Part, epsilon: float, source: Keystream, progress: Progress) -> Part:
    mechanism = MECHANISMS[part.kind]
    present = np.flatnonzero(part.rows >= 0)
    rows = np.full(len(part.rows), -1, dtype=np.int32)
    rows[present] = np.arange(present.size, dtype=np.int32)
    values = np.empty((present.size, part.width), dtype=np.uint8)
    step = max(1, CHUNK_BYTES // max(1, part.width))
    for start in range(0, present.size, step):
        piece = values[start : start + step]
        np.take(part.values, part.rows[present[start : start + step]], axis=0, out=piece)
        mechanism(piece, epsilon, source)
        progress.at((start + len(piece)) / present.size, "Adding noise")
    return replace(part, rows=rows, values=values)
