"""Attacks (b) and (c): an outsider without the secret, and whoever holds two releases of the same people."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import PartKind, Smashed
from pprl_desktop.privacy.statements import secret_reference
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.lookup import Texts, decode_field
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.rehearsal.target import Target

PATTERN = 8  # bytes that mark an empty part when rows are compared: a pattern of empty fields links, too


def decode_without_secret(
    target: Target, whole: CleanTable, guesses: Guesses, progress: Progress = NO_PROGRESS
) -> Texts:
    """What an outsider who broke the encryption would guess for a field.

    Distances to a public reference set need no secret: they are looked up like the partner's. Otherwise equal
    values can be counted, and the k-th most frequent one is taken for the k-th most frequent name. With noise
    every row is different, so only the most frequent name is left to guess.
    """
    name = guesses.field.name
    parts = {part.kind for part in target.releases[0].of_field(name)}
    if "distances" in parts and not secret_reference(target.recipe):
        distances: tuple[PartKind, ...] = ("distances",)
        return decode_field(target, guesses, distances, progress)
    found = np.empty(target.rows, dtype=object)
    column = target.table.column(name)
    present = column.codes >= 0
    if target.epsilon is not None or not parts:
        found[:] = np.where(present, guesses.values[guesses.likeliest], "")
        return found
    counts = whole.column(name).counts()  # the sample shares its codes with the whole table
    theirs = np.argsort(-guesses.shares, kind="stable")
    taken = np.full(len(counts) + 1, "", dtype=object)
    ranks = min(len(counts), len(theirs))
    taken[np.argsort(-counts, kind="stable")[:ranks]] = guesses.values[theirs[:ranks]]
    found[:] = taken[column.codes]
    return found


def linked(first: Smashed, second: Smashed, progress: Progress = NO_PROGRESS) -> Share:
    """Rows whose nearest row in the second release is their own: no secret is needed for that.

    Without noise equal records cannot be told apart; of several equal rows one counts.
    """
    rows = np.arange(first.rows)
    mine, theirs = _side_by_side(first), _side_by_side(second)
    if first.epsilon is None:
        return Share(len(np.unique(mine, axis=0)), first.rows)
    from pprl_desktop.rehearsal.attack_kernels import top_bits, top_distances

    kinds = {part.kind for part in first.parts}
    flat = np.zeros(len(theirs), dtype=np.float32)
    if "bits" in kinds:
        ones = np.bitwise_count(theirs).sum(axis=1, dtype=np.int64).astype(np.float32)
        best, _ = top_bits(mine, theirs, 2.0, -ones, 1, progress)
    else:
        best, _ = top_distances(mine, theirs, first.epsilon, flat, 1, progress)
    return Share(int((best[:, 0] == rows).sum()), first.rows)


def _side_by_side(smashed: Smashed) -> npt.NDArray[np.uint8]:
    columns = []
    for part in smashed.parts:
        values = np.zeros((smashed.rows, part.width + PATTERN), dtype=np.uint8)
        present = part.rows >= 0
        values[present, : part.width] = part.values[part.rows[present]]
        values[~present, part.width :] = 255
        columns.append(values)
    return np.ascontiguousarray(np.hstack(columns)) if columns else np.zeros((smashed.rows, 1), np.uint8)
