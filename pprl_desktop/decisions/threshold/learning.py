"""What one party can know of record-level similarities before the partner's bundle is there.

Matches: own records against a corrupted copy of them. Non-matches: the same copies against all the other own records,
so that the rare look-alikes among n x n pairs are seen as often as they really come. Both with the noise in force,
played with numpy's generator: this is training, nothing of it leaves. The probabilities of real pairs are worked out
when they are there (decisions/threshold/scan.py); the threshold here is the forecast for the usual overlap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, Measure, Method, Recipe, RecordFields, Smashed
from pprl_desktop.codes.corrupt import corrupt
from pprl_desktop.compute import bits as kernels
from pprl_desktop.compute.bits import Similarity
from pprl_desktop.decisions.rules import BitsRule
from pprl_desktop.decisions.threshold import likelihood
from pprl_desktop.decisions.threshold.record_evidence import learn_evidence
from pprl_desktop.decisions.threshold.tuning import Tuning
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable

USUAL = Tuning()
Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def flip_rate(epsilon: float | None) -> float:
    """Randomised response: each bit is flipped with this probability (ARCHITECTURE 4.2)."""
    return 0.0 if epsilon is None else 1.0 / (math.exp(epsilon) + 1.0)


def between(measure: Measure, bits: int, flip_own: float, flip_partner: float) -> Similarity:
    make = Similarity.dice if measure == "dice" else Similarity.hamming
    return make(bits, flip_own, flip_partner)


@dataclass(frozen=True, eq=False)
class Copies:
    """Own records with a corrupted copy each, which stand for the same people at the partner."""

    rows: npt.NDArray[np.int64]  # of the own table
    codes: Bytes  # record codes of the copies, without noise


def synthetic_matches(
    method: Method,
    table: CleanTable,
    own: Smashed,
    recipe: Recipe,
    random: np.random.Generator,
    seed: int,
    progress: Progress,
    tuning: Tuning,
) -> Copies:
    usable = np.flatnonzero(own.part("record").rows >= 0)
    picked = np.sort(random.choice(usable, size=min(tuning.sample, len(usable)), replace=False))
    copies = method.smash(corrupt(table.take(picked), seed), recipe, progress).part("record")
    there = np.flatnonzero(copies.rows >= 0)  # a copy may have lost its last field
    return Copies(picked[there], copies.values[copies.rows[there]])


def learn_bits(
    method: Method,
    table: CleanTable,
    own: Smashed,
    recipe: Recipe,
    measure: Measure,
    fields: RecordFields,
    seed: int,
    progress: Progress,
    tuning: Tuning = USUAL,
) -> BitsRule:
    """From the own table and its record-level part, as they will be compared with the partner's bundle."""
    random = np.random.default_rng(seed)
    part = own.part("record")
    usable = np.flatnonzero(part.rows >= 0)
    copies = synthetic_matches(method, table, own, recipe, random, seed, progress.part(0.0, 0.4), tuning)
    picked, theirs, mine = copies.rows, flip_rate(recipe.settings.epsilon), flip_rate(own.epsilon)
    sent = _flipped(copies.codes, theirs, random, progress)
    if len(picked) < 2:
        nothing = np.empty(0)
        why = learn_evidence(fields, picked, sent, theirs, random, tuning)
        return BitsRule(measure, math.inf, nothing, nothing, why=why, tuning=tuning)
    against = (
        usable if len(usable) <= tuning.against else np.sort(random.choice(usable, size=tuning.against, replace=False))
    )
    kept, original = part.values[part.rows[against]], part.values[part.rows[picked]]
    if own.epsilon is None and recipe.settings.noise == "two-sided":
        mine = theirs
        kept, original = (_flipped(each, mine, random, progress) for each in (kept, original))

    similarity = between(measure, 8 * part.width, theirs, mine)
    matches = np.sort(similarity.of_rows(sent, original, progress))
    a, b = random.integers(len(sent), size=tuning.bulk), random.integers(len(against), size=tuning.bulk)
    a, b = a[picked[a] != against[b]], b[picked[a] != against[b]]
    bulk = np.sort(_of_pairs(similarity, sent, kept, a, b, progress))
    floor = float(np.quantile(bulk, 1 - min(tuning.per_record / len(against), 1.0))) if len(bulk) else -math.inf
    room = 4 * tuning.per_record * len(sent)
    found = kernels.above(sent, kernels.prepare(kept, progress), similarity, floor, room, 0, progress.part(0.4, 1.0))
    others = np.sort(found.score[picked[found.own] != against[found.partner]])
    pairs = len(sent) * len(against) * len(found.own) // max(found.found, 1)  # fewer where the room was too small
    why = learn_evidence(fields, picked, sent, theirs, random, tuning)
    return replace(_forecast(measure, matches, others, pairs, bulk, len(usable), tuning), why=why)


def _forecast(
    measure: Measure, matches: Numbers, others: Numbers, pairs: int, bulk: Numbers, rows: int, tuning: Tuning
) -> BitsRule:
    """Probability of a pair of that similarity among rows x rows pairs, overlap x rows of them matches."""
    on = likelihood.axis(matches, others, bulk, tuning)
    same = likelihood.match_mass(on, on.count(matches), likelihood.spread_of(matches), tuning)
    ratio = likelihood.log_ratio(same, likelihood.other_mass(on, others, pairs, bulk, tuning=tuning))
    chance = 1.0 / (1.0 + np.exp(-np.clip(ratio + math.log(tuning.overlap / max(rows, 1)), -500, 500)))
    likely = np.flatnonzero(chance >= 0.5)
    threshold = float(on.middle()[likely[0]]) if len(likely) else math.inf
    return BitsRule(
        measure,
        threshold,
        on.middle(),
        chance,
        matches=matches,
        others=others,
        others_of=pairs,
        bulk=bulk[::20],
        tuning=tuning,
    )


def _of_pairs(similarity: Similarity, sent: Bytes, kept: Bytes, a: Rows, b: Rows, progress: Progress) -> Numbers:
    """Similarities of listed pairs of rows, a piece at a time: all rows of the pairs at once would be much memory."""
    step = kernels.ROWS_AT_ONCE
    pieces = [slice(start, start + step) for start in range(0, len(a), step)]
    made = [similarity.of_rows(sent[a[piece]], kept[b[piece]], progress) for piece in pieces]
    return np.concatenate(made) if made else np.empty(0)


def _flipped(values: Bytes, rate: float, random: np.random.Generator, progress: Progress) -> Bytes:
    """Noise as the partner would add it, for training only; what leaves is noised by privacy/."""
    if not rate:
        return values
    out = values.copy()
    for start in range(0, len(out), 4096):
        progress.check()
        here = out[start : start + 4096]
        here ^= np.packbits(random.random((len(here), 8 * out.shape[1]), dtype=np.float32) < rate, axis=1)
    return out
