"""Attacks (b) and (c): an outsider without the secret, and whoever holds two releases of the same people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, Part, Recipe, Smashed
from pprl_desktop.compute.threads import one_blas_thread
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.noise import leaving
from pprl_desktop.privacy.statements import secret_reference
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.distinct import factorise_rows
from pprl_desktop.records.table import CleanTable
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.graph import by_landmarks, clustered, landmarks
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.rehearsal.target import Target, smashed_guesses

SHADOW = b"a secret of the outsider's own  "
Texts = npt.NDArray[np.object_]
PATTERN = 8  # bytes that mark an empty part when rows are compared: a pattern of empty fields links, too


def read_without_secret(
    whole: CleanTable, recipe: Recipe, guesses: Sequence[Guesses], seed: int, progress: Progress = NO_PROGRESS
) -> dict[str, list[Texts]]:
    """What an outsider who broke the encryption would guess for every row and field, by each attack that applies.

    Always the most frequent value. Where equal codes can be counted, the k-th most frequent name for the k-th most
    frequent code. Where codes can be compared, by similarity: fields of one kind and key are attacked together, names
    recognised in one are landmarks in all. One code for the whole record and noise on distances leave only the first.
    """
    sent = leaving(whole, recipe, Keystream.repeatable(seed, "rehearsed release 0"), progress.part(0.0, 0.1))
    found = {one.field.name: [_likeliest(whole, one)] for one in guesses}
    groups: dict[object, list[Guesses]] = {}
    for one in guesses:
        parts = _value_parts(sent, one.field.name)
        if parts and sent.epsilon is None:
            found[one.field.name].append(_by_frequency(_codes(sent, one.field.name), one))
        if parts and one.role != "other" and (sent.epsilon is None or parts[0].kind == "bits"):
            comparable = one.field.kind if parts[0].kind == "bits" else tuple(_attribute(part) for part in parts)
            groups.setdefault(comparable, []).append(one)
    shadow = _shadow(recipe)
    for number, some in enumerate(groups.values()):
        share = progress.part(0.1 + 0.9 * number / len(groups), 0.1 + 0.9 * (number + 1) / len(groups))
        with one_blas_thread():  # small products: a second thread would only wait for the first
            read = _by_similarity(sent, shadow, sorted(some, key=len), share)
        for name, texts in read.items():
            found[name].append(texts)
    return found


def _by_frequency(codes: _Codes, guesses: Guesses) -> Texts:
    theirs = np.argsort(-guesses.shares, kind="stable")
    taken = np.full(len(codes.values) + 1, "", dtype=object)
    ranks = min(len(codes.values), len(theirs))
    taken[np.argsort(-codes.counts, kind="stable")[:ranks]] = guesses.values[theirs[:ranks]]
    return np.asarray(taken[codes.rows], dtype=object)


def _by_similarity(sent: Smashed, shadow: Recipe, guesses: Sequence[Guesses], progress: Progress) -> dict[str, Texts]:
    """Landmarks from the field with the shortest list, where frequencies tell most; the others are read by them."""
    own = [_codes(sent, one.field.name) for one in guesses]
    lists = [_shadows(shadow, one, own[place].parts) for place, one in enumerate(guesses)]
    first, bits = own[0], own[0].bits
    known = landmarks(first.values, first.counts, lists[0], guesses[0].shares, bits, progress.part(0.0, 0.5))
    if known is None:
        return {}
    found = {}
    for place, one in enumerate(guesses):
        part = progress.part(0.5 + 0.5 * place / len(guesses), 0.5 + 0.5 * (place + 1) / len(guesses))
        names = by_landmarks(known, own[place].values, lists[place], bits, part)
        found[one.field.name] = np.append(one.values[names], "")[own[place].rows]
    return found


@dataclass(frozen=True, eq=False)
class _Codes:
    """The distinct codes of a field, and which of them each row has (-1: none)."""

    parts: tuple[str, ...]
    bits: bool
    values: Bytes
    rows: npt.NDArray[np.int64]

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        return np.bincount(self.rows[self.rows >= 0], minlength=len(self.values)).astype(np.int64)


def _codes(sent: Smashed, name: str) -> _Codes:
    parts = _value_parts(sent, name)
    present = np.logical_and.reduce([part.rows >= 0 for part in parts])
    side = np.hstack([part.values[part.rows[present]] for part in parts])
    rows = np.full(sent.rows, -1, dtype=np.int64)
    if sent.epsilon is None:
        first, rows[present] = factorise_rows(side)
        values = side[first]
    else:
        values, back = clustered(side, sent.epsilon)
        rows[present] = back
    return _Codes(tuple(part.name for part in parts), parts[0].kind == "bits", values, rows)


def _shadow(recipe: Recipe) -> Recipe:
    """The recipe with a secret of the outsider's own: similarities do not depend on it."""
    quiet = replace(recipe, secret=SHADOW, settings=replace(recipe.settings, epsilon=1.0))  # no tokens are needed
    if recipe.reference is None or not secret_reference(recipe):
        return quiet
    from pprl_desktop.reference.load import reference_set

    return replace(quiet, reference=reference_set(recipe.reference.name, SHADOW))


def _shadows(shadow: Recipe, guesses: Guesses, parts: tuple[str, ...]) -> Bytes:
    target = Target(CleanTable((), ()), shadow, (), (guesses,))
    entries = smashed_guesses(target, guesses)
    return np.hstack([entries[name].values for name in parts])


def _value_parts(sent: Smashed, name: str) -> list[Part]:
    return [part for part in sent.of_field(name) if part.kind in ("bits", "distances")]


def _attribute(part: Part) -> str:
    return part.name.partition(".")[2]


def _likeliest(whole: CleanTable, guesses: Guesses) -> Texts:
    present = whole.column(guesses.field.name).codes >= 0
    return np.where(present, guesses.values[guesses.likeliest], "").astype(object)


def linked(first: Smashed, second: Smashed, progress: Progress = NO_PROGRESS) -> Share:
    """Rows whose nearest row in the second release is their own: no secret is needed for that.

    Without noise equal records cannot be told apart; of several equal rows one counts.
    """
    rows = np.arange(first.rows)
    mine, theirs = _side_by_side(first), _side_by_side(second)
    if first.epsilon is None:
        return Share(len(factorise_rows(mine)[0]), first.rows)
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
