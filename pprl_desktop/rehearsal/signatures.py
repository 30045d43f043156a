"""Attack (a) on record signatures (SimHash): all fields of a record are added up before the signs are taken.

What a value adds to the sums is known to whoever holds the secret, so the sums of several values can be formed without
smashing anything. A bit says something about a value by how far its sum is from zero, seen against what the fields not
yet known add (a normal law) and against the noise: the log-likelihood of a bit is nearly linear in its sum up to a
limit, and is taken as that. Every field is shortlisted alone, hundreds of values of one field are joined with hundreds
of the next, and at the end each field is looked up once more in its whole list, given all the others.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.codes.simhash import FIELD_WEIGHT, SCALE, Weighted, weighted_fields
from pprl_desktop.compute.threads import in_blocks, one_blas_thread
from pprl_desktop.privacy.mechanisms import flip_probability
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.rehearsal.dictionaries import Guesses
from pprl_desktop.rehearsal.target import Target, alone, list_key
from pprl_desktop.said import Said

FINER = 16  # sums are divided by this, so that those of a dozen fields fit into 16 bits
LISTED = 300  # values of a field that are joined with what is known of the others
KEPT = 300  # combinations that are kept for the next field
AGAIN = 2  # of them that are looked at once more, field by field
ANEW = 100  # values of the field that fit what the others leave open
ROUNDS = 1
KEPT_LISTS = 8  # some 10 MB each
LIMIT = 1.25  # standard deviations of the unknown rest: beyond, a bit says no more
SURE = 1e-3  # no bit is trusted more than that: unlisted values are in the sums, too
EMPTY = 0.05  # share of records that lack a field, before anything is seen

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Sums = npt.NDArray[np.int16]


@dataclass(frozen=True, eq=False)
class _List:
    """A field's list with what each value adds: the last place stands for an empty field."""

    guesses: Guesses
    made: Weighted
    signs: Floats  # [pieces, bits]
    weight: Floats
    log_prior: Floats
    spread: float  # standard deviation of what it adds to a bit

    def sums(self, places: Ints) -> Sums:
        from pprl_desktop.codes.signatures import add_up

        made, out = self.made, np.zeros((len(places), self.made.signs.shape[1]), np.int32)
        values = np.where(places < len(self.guesses), places, -1).astype(np.int32)
        add_up(values, made.starts, made.piece, made.weight, made.signs, out)
        return (out // FINER).astype(np.int16)


@dataclass(frozen=True, eq=False)
class _Row:
    """The best combinations for one row, best first: chosen[rank, field] is a place in the field's list."""

    chosen: Ints
    scores: Floats


def decode_signatures(target: Target, progress: Progress = NO_PROGRESS) -> dict[str, npt.NDArray[np.object_]]:
    """The attacker's guess of every listed field for every row; '' where the row is empty."""
    (part,) = target.field_rows("", ("bits",)).values()
    present = np.flatnonzero(part.present)
    copies = len(target.releases)
    flags = np.unpackbits(part.values[present].reshape(len(present) * copies, -1), axis=1).astype(np.int8)
    seen = (2 * flags - 1).reshape(len(present), -1)
    lists = [_listed(target, one) for one in sorted(target.guesses, key=len)]
    lists.sort(key=lambda one: -one.spread)  # the loudest first, short lists first among equals
    attack = _Attack(lists, _unlisted_spread(target), target.epsilon, copies)
    progress.at(0.0, "Comparing the bits with every value alone")
    shortlists = [
        attack.alone(place, seen, progress.part(0.3 * place / len(lists), 0.3 * (place + 1) / len(lists)))
        for place in range(len(lists))
    ]

    def work(row: int) -> Ints:
        return attack.read(seen[row], [listed[row] for listed in shortlists])

    rest = progress.part(0.3, 1.0)
    with one_blas_thread():
        read = list(in_blocks(work, range(len(seen)), 0, rest, Said("Joining values of all fields")))
    found = {}
    for place, one in enumerate(lists):
        texts = np.full(target.rows, "", dtype=object)
        values = np.append(one.guesses.values, "")
        texts[present] = values[[chosen[place] for chosen in read]] if read else ""
        found[one.guesses.field.name] = texts
    return found


def signed(recipe: Recipe) -> bool:
    """The record's bits are signs of sums of its fields, with no field told apart."""
    return recipe.settings.layout == "record" and method(recipe.method).signs_of_sums


class _Attack:
    def __init__(self, lists: Sequence[_List], unlisted: float, epsilon: float | None, copies: int) -> None:
        self.lists = lists
        self.unlisted = unlisted
        flip = max(SURE, float(flip_probability(epsilon)) if epsilon is not None else 0.0)
        self.step = float(np.log((1 - flip) / flip)) / 2  # what a bit says at most, either way
        self.copies = copies

    def limit(self, known: Sequence[int]) -> int:
        """Where a sum says no more, when these fields are in it."""
        rest = [one.spread**2 for place, one in enumerate(self.lists) if place not in known]
        return max(1, round(LIMIT * float(np.sqrt(sum(rest) + self.unlisted**2))))

    def alone(self, place: int, seen: npt.NDArray[np.int8], progress: Progress) -> Ints:
        """The likeliest values of one field, nothing else known."""
        from pprl_desktop.rehearsal.attack_kernels import top_sums

        one = self.lists[place]
        pull = self._pull(place, seen.astype(np.float32), self.limit([place]))
        return top_sums(pull, one.made.starts, one.made.piece, one.weight, one.log_prior[:-1], LISTED, progress)

    def read(self, seen: npt.NDArray[np.int8], shortlists: Sequence[Ints]) -> Ints:
        """The likeliest combination for one row."""
        beam = _Row(np.zeros((1, 0), np.int32), np.zeros(1, np.float32))
        known: list[int] = []
        for place, listed in enumerate(shortlists):
            beam = self._joined(beam, known, place, seen, self._with_empty(place, listed), KEPT)
            known.append(place)
        beam = _Row(beam.chosen[:AGAIN], beam.scores[:AGAIN])
        for _ in range(ROUNDS):
            for place in range(len(self.lists)):
                beam = self._again(beam, place, seen)
        best: Ints = beam.chosen[0]
        return best

    def _joined(
        self, beam: _Row, known: Sequence[int], place: int, seen: npt.NDArray[np.int8], listed: Ints, keep: int
    ) -> _Row:
        from pprl_desktop.rehearsal.attack_kernels import top_joint

        before = self._sums(beam.chosen, known)
        mine, more = self._signed(before, seen), self._signed(self.lists[place].sums(listed), seen)
        prior = self._prior(beam.chosen, known)
        limit = self.limit([*known, place])
        ids, scores = top_joint(mine, more, limit, self.step / limit, prior, self.lists[place].log_prior[listed], keep)
        one, other = ids // len(listed), ids % len(listed)
        return _Row(np.column_stack([beam.chosen[one], listed[other]]).astype(np.int32), scores)

    def _again(self, beam: _Row, place: int, seen: npt.NDArray[np.int8]) -> _Row:
        """Each of the best combinations with this field's value looked up anew, given all the others."""
        from pprl_desktop.rehearsal.attack_kernels import few_top_sums

        one = self.lists[place]
        others = [other for other in range(len(self.lists)) if other != place]
        rest = np.unique(beam.chosen[:, others], axis=0).astype(np.int32)
        sums = self._sums(rest, others)
        # a bit tells of this field where the others leave it near the border
        open_ = np.exp(-(sums.astype(np.float32) ** 2) / (2 * (one.spread**2 + self.unlisted**2 + 1)))
        pull = self._pull(place, np.tile(open_, (1, self.copies)) * seen[None].astype(np.float32), 1)
        strength = np.float32(self.step / max(one.spread, 1.0))
        listed = few_top_sums(pull * strength, one.made.starts, one.made.piece, one.weight, one.log_prior[:-1], ANEW)
        found = []
        for row in range(len(rest)):
            single = _Row(rest[row : row + 1], np.zeros(1, np.float32))
            wanted = np.unique(np.append(listed[row], beam.chosen[:, place])).astype(np.int32)
            made = self._joined(single, others, place, seen, self._with_empty(place, wanted), AGAIN)
            chosen = np.empty_like(made.chosen)
            chosen[:, [*others, place]] = made.chosen
            found.append(_Row(chosen, made.scores))
        order = np.argsort(-np.concatenate([row.scores for row in found]), kind="stable")[:AGAIN]
        return _Row(
            np.concatenate([row.chosen for row in found])[order], np.concatenate([row.scores for row in found])[order]
        )

    def _pull(self, place: int, seen: Floats, limit: int) -> Floats:
        """How much each piece of a field's values is pulled for by the bits."""
        signs = self.lists[place].signs
        width = signs.shape[1]
        added = sum(seen[:, at : at + width] for at in range(0, seen.shape[1], width))
        return np.ascontiguousarray((added @ signs.T) * np.float32(self.step / limit / FINER), dtype=np.float32)

    def _sums(self, chosen: Ints, known: Sequence[int]) -> Sums:
        width = self.lists[0].made.signs.shape[1]
        total = np.zeros((len(chosen), width), np.int16)
        for column, place in enumerate(known):
            total += self.lists[place].sums(np.ascontiguousarray(chosen[:, column]))
        return total

    def _signed(self, sums: Sums, seen: npt.NDArray[np.int8]) -> Sums:
        return np.ascontiguousarray(np.tile(sums, (1, self.copies)) * seen[None].astype(np.int16))

    def _prior(self, chosen: Ints, known: Sequence[int]) -> Floats:
        total = np.zeros(len(chosen), np.float32)
        for column, place in enumerate(known):
            total += self.lists[place].log_prior[chosen[:, column]]
        return total

    def _with_empty(self, place: int, listed: Ints) -> Ints:
        return np.append(listed[listed >= 0], len(self.lists[place].guesses)).astype(np.int32)


_kept: OrderedDict[str, _List] = OrderedDict()
_lock = threading.Lock()


def _listed(target: Target, guesses: Guesses) -> _List:
    """Kept: the same list is asked for again under other noise."""
    key = list_key(target, guesses)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    made = _made(target, guesses)
    with _lock:
        _kept[key] = made
        while len(_kept) > KEPT_LISTS:
            _kept.popitem(last=False)
    return made


def _made(target: Target, guesses: Guesses) -> _List:
    table = alone(target, {guesses.field.name: guesses.column()}, len(guesses))
    names = [one.name for one in target.recipe.fields]
    fields, _ = weighted_fields(table, target.recipe, NO_PROGRESS)
    made = fields[names.index(guesses.field.name)]
    prior = np.append(guesses.log_prior + np.float32(np.log(1 - EMPTY)), np.float32(np.log(EMPTY)))
    spread = SCALE * FIELD_WEIGHT[guesses.field.kind] / FINER
    weight, signs = made.weight.astype(np.float32), made.signs.astype(np.float32)
    return _List(guesses, made, signs, weight, prior.astype(np.float32), spread)


def _unlisted_spread(target: Target) -> float:
    """What fields without a list add to a bit."""
    known = {one.field.name for one in target.guesses}
    weights = [FIELD_WEIGHT[one.kind] for one in target.recipe.fields if one.name not in known]
    return float(SCALE / FINER * np.sqrt(sum(weight**2 for weight in weights)))
