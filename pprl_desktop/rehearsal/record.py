"""Attack (a) on record-level bits (CLK, PSH): all fields of a record are in one row, so they are decoded together.

The attacker knows one field at a time. What the bits of a known part of the record say about the whole row is
learned by smashing made-up people: a = P(bit set | set in the known part), b = P(bit set | not set there),
then blurred by the noise. That gives a log-likelihood linear in the bits in common for every method that
makes bits. Likely values of one field are extended by likely values of the next; the best
combinations are smashed together and weighed exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes
from pprl_desktop.privacy.mechanisms import flip_probability
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.distinct import factorise_rows
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.target import Target, alone, smashed_guesses
from pprl_desktop.said import Said

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]

MADE_UP = 1500  # people smashed to learn what a part of a record says about the whole
SHORTLIST = 200  # values of a field that are considered for a row
COMBINED = 200  # combinations of values that are smashed and weighed per row and field
AT_ONCE = 64  # rows whose combinations are sorted at a time
SURE = 1e-4  # no bit is trusted more than that: other fields and unlisted values also set bits


@dataclass(frozen=True)
class Weights:
    """Log-likelihood of a row given a known part: gain * (ones in common) + per_one * (ones of the part)."""

    gain: float
    per_one: float


def decode_record(target: Target, seed: int, progress: Progress = NO_PROGRESS) -> dict[str, npt.NDArray[np.object_]]:
    """The attacker's guess of every listed field for every row; '' where the row is empty."""
    from pprl_desktop.rehearsal.attack_kernels import top_bits

    rows = target.field_rows("", ("bits",))
    wanted = sorted(target.guesses, key=len)  # short lists first: they are read most surely and narrow the rest
    wanted = [one for one in wanted if one.field.name not in dict(target.fixed)]
    if not rows or not wanted:
        return {}
    part = next(iter(rows.values()))
    present = np.flatnonzero(part.present)
    mine = part.values[present]
    people = _made_up(target, np.random.default_rng(seed))
    whole = _bits_of(target, people, NO_PROGRESS)
    beam = _Beam.empty(len(mine))
    for step, guesses in enumerate(wanted):
        share = progress.part(step / len(wanted), (step + 1) / len(wanted))
        share.at(0.0, Said("Looking up {field}", field=guesses.field.name))
        entries = smashed_guesses(target, guesses, share.part(0.0, 0.3))
        theirs = next(iter(entries.values())).values
        weights = _learned(target, people, whole, [guesses])
        ones = np.bitwise_count(theirs).sum(axis=1, dtype=np.int64).astype(np.float32)
        copies = len(target.releases)
        bias = guesses.log_prior + np.float32(weights.per_one * copies) * ones
        listed, scores = top_bits(
            mine, np.tile(theirs, (1, copies)), weights.gain, bias, SHORTLIST, share.part(0.3, 0.6)
        )
        beam = beam.extended(guesses, listed, scores, COMBINED)
        if len(beam.guesses) > 1:
            joint = _learned(target, people, whole, beam.guesses)
            beam = _weighed(target, beam, mine, joint, share.part(0.6, 1.0))
    found = {}
    for place, guesses in enumerate(beam.guesses):
        texts = np.empty(target.rows, dtype=object)
        texts[:] = ""
        texts[present] = guesses.values[beam.chosen[:, 0, place]]
        found[guesses.field.name] = texts
    return found


@dataclass(frozen=True, eq=False)
class _Beam:
    """The best combinations per row, best first: chosen[row, rank, field] is a place in the field's list."""

    guesses: tuple[Guesses, ...]
    chosen: Ints
    scores: Floats

    @classmethod
    def empty(cls, rows: int) -> _Beam:
        return cls((), np.zeros((rows, 1, 0), np.int32), np.zeros((rows, 1), np.float32))

    def extended(self, guesses: Guesses, listed: Ints, scores: Floats, keep: int) -> _Beam:
        """Each combination with each listed value; the sums of the scores choose which are kept."""
        rows, width = len(self.scores), listed.shape[1]
        keep = min(keep, self.scores.shape[1] * width)
        order = np.empty((rows, keep), np.int64)
        best = np.empty((rows, keep), np.float32)
        scores = np.where(listed >= 0, scores, -np.inf).astype(np.float32)
        for start in range(0, rows, AT_ONCE):  # all rows at once would take hundreds of megabytes
            part = slice(start, start + AT_ONCE)
            sums = (self.scores[part, :, None] + scores[part, None, :]).reshape(-1, self.scores.shape[1] * width)
            some = np.argpartition(-sums, keep - 1, axis=1)[:, :keep]
            found = np.take_along_axis(sums, some, axis=1)
            ranked = np.lexsort((some, -found), axis=1)  # ties as they stand in the lists
            order[part] = np.take_along_axis(some, ranked, axis=1)
            best[part] = np.take_along_axis(found, ranked, axis=1)
        before, value = order // width, order % width
        chosen = np.concatenate(
            [
                np.take_along_axis(self.chosen, before[:, :, None], axis=1),
                np.take_along_axis(np.maximum(listed, 0), value, axis=1)[:, :, None],
            ],
            axis=2,
        )
        return _Beam((*self.guesses, guesses), chosen, best)


def _weighed(target: Target, beam: _Beam, mine: Bytes, weights: Weights, progress: Progress) -> _Beam:
    """Smash every combination as one record and put the exact posterior in place of the sum."""
    rows, width, _ = beam.chosen.shape
    flat = beam.chosen.reshape(rows * width, -1)
    first, back = factorise_rows(flat)
    distinct = flat[first]
    columns = {guesses.field.name: _compact(guesses, distinct[:, place]) for place, guesses in enumerate(beam.guesses)}
    smashed = _bits_of(target, alone(target, columns, len(distinct)), progress)
    ones = np.bitwise_count(smashed).sum(axis=1, dtype=np.int64)
    prior = sum(guesses.log_prior[distinct[:, place]] for place, guesses in enumerate(beam.guesses))
    copies = len(target.releases)
    fixed = (prior + weights.per_one * copies * ones).astype(np.float32)
    back = back.reshape(rows, width)
    scores = np.empty((rows, width), dtype=np.float32)
    wide = mine.reshape(rows, copies, -1)
    for rank in range(width):
        known = smashed[back[:, rank]]
        shared = np.bitwise_count(wide & known[:, None, :]).sum(axis=(1, 2), dtype=np.int64)
        scores[:, rank] = weights.gain * shared + fixed[back[:, rank]]
    scores[~np.isfinite(beam.scores)] = -np.inf
    order = np.argsort(-scores, axis=1, kind="stable")
    return replace(
        beam,
        chosen=np.take_along_axis(beam.chosen, order[:, :, None], axis=1),
        scores=np.take_along_axis(scores, order, axis=1),
    )


# ---- what a part of a record says about the whole -----------------------------------------------


def _made_up(target: Target, rng: np.random.Generator) -> CleanTable:
    """People drawn from the attacker's lists; fields without a list look like the own ones (a worst case)."""
    columns = []
    for one in target.recipe.fields:
        guesses = target.guess(one.name)
        fixed = dict(target.fixed).get(one.name)
        if fixed is not None:
            columns.append(Column.of(one.name, [fixed] * MADE_UP))
        elif guesses is not None:
            drawn = rng.choice(len(guesses), MADE_UP, p=guesses.shares / guesses.shares.sum())
            columns.append(_compact(guesses, drawn))
        else:
            own = target.table.column(one.name)
            columns.append(Column(one.name, own.values, own.codes[rng.integers(0, len(own), MADE_UP)]))
    return CleanTable(target.recipe.fields, tuple(columns))


def _learned(target: Target, people: CleanTable, whole: Bytes, known: Sequence[Guesses]) -> Weights:
    names = {guesses.field.name for guesses in known}
    columns: Mapping[str, Column] = {column.name: column for column in people.columns if column.name in names}
    part = np.unpackbits(_bits_of(target, alone(target, columns, people.rows), NO_PROGRESS), axis=1).astype(bool)
    record = np.unpackbits(whole, axis=1).astype(bool)
    a, b = float(record[part].mean()), float(record[~part].mean())
    flip = float(flip_probability(target.epsilon)) if target.epsilon is not None else 0.0
    a, b = (min(max(p * (1 - flip) + (1 - p) * flip, SURE), 1 - SURE) for p in (a, b))
    against = np.log((1 - a) / (1 - b))  # a one of the part that is not in the row
    return Weights(float(np.log(a / b) - against), float(against))


def _bits_of(target: Target, table: CleanTable, progress: Progress) -> Bytes:
    part = target.smash(table, progress).parts[0]
    values: Bytes = part.values[np.maximum(part.rows, 0)]
    return values


def _compact(guesses: Guesses, places: npt.NDArray[np.integer]) -> Column:
    """A column of the given places that holds only the values it uses: smashing works on distinct values."""
    used, codes = np.unique(places, return_inverse=True)
    return Column(guesses.field.name, guesses.values[used], codes.reshape(-1).astype(np.int32))
