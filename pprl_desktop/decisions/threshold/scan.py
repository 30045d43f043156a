"""Record-level bits of two parties: an exact scan (banded LSH when it would take too long), then probabilities.

The similarity is corrected for the noise each side has put in (Smashed.epsilon): one-sided noise leaves the own side
clean. What a similarity is worth is learned without labels: see bits_scan_probability.py.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Part, Rule, Smashed
from pprl_desktop.compute import bits as kernels
from pprl_desktop.compute.bits import Pairs, Similarity
from pprl_desktop.decisions.base import SLIPS_ONLY, Evidence, Explain, MatchOptions, Scored
from pprl_desktop.decisions.namesakes import most_equal_pairs
from pprl_desktop.decisions.rules import BitsRule
from pprl_desktop.decisions.threshold import lsh
from pprl_desktop.decisions.threshold.learning import between, flip_rate
from pprl_desktop.decisions.threshold.probability import probabilities
from pprl_desktop.decisions.threshold.record_evidence import FieldEvidence
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

BYTES_PER_PAIR = 150  # rows, score, probability, evidence and what the assignment needs
BUFFERS = 4 << 20  # bytes: pairs of the blocks under way
PER_ROW_NOISY = 20  # pairs kept per own row when all of them would not fit
RECORD = ("record",)  # the only evidence of a rule that knows no fields

Ints = npt.NDArray[np.int64]


def run(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress) -> Scored:
    assert isinstance(rule, BitsRule)
    mine, theirs = own.part(rule.part), partner.part(rule.part)
    own_rows, partner_rows = np.flatnonzero(mine.rows >= 0), np.flatnonzero(theirs.rows >= 0)
    examined = len(own_rows) * len(partner_rows)
    if not examined or mine.width != theirs.width:
        return nothing(rule)
    flips = flip_rate(own.epsilon), flip_rate(partner.epsilon)
    similarity = between(rule.measure, 8 * mine.width, *flips)
    floor = _floor(rule, len(own_rows), len(partner_rows))
    room = max(int(options.memory // BYTES_PER_PAIR), 1)
    needed = _memory(mine, theirs, len(own_rows), len(partner_rows), rule)
    progress.at(0.0, Said("Comparing signatures, about {needed} MB of memory", needed=max(needed >> 20, 1)))
    notes: dict[str, Any] = {
        "similarity_floor": floor,
        "forecast_threshold": rule.threshold,
        "memory_estimate_mb": max(needed >> 20, 1),
        "assumption": SLIPS_ONLY,
        "tuning": rule.tuning.to_plain(),
    }
    pairs, warnings = _pairs(mine, theirs, similarity, floor, room, rule, options, notes, progress.part(0.0, 0.9))
    either = flips[0] + flips[1] - 2 * flips[0] * flips[1]
    noise = math.sqrt(either * (1 - either) / (8 * mine.width)) / max(1 - 2 * either, 1e-9)
    kept = probabilities(pairs, rule, len(own_rows), len(partner_rows), options.one_to_one, noise, progress)
    notes["expected_matches"] = kept.matches
    notes["similarity_at_half"] = kept.similarity_at_half
    progress.at(1.0, "Weighing pairs")
    order = np.lexsort((pairs.partner, pairs.own))
    return Scored(
        own=pairs.own[order],
        partner=pairs.partner[order],
        score=kept.score[order],
        probability=kept.probability[order],
        evidence=np.empty((0, len(rule.why.names)), np.float32)
        if rule.why
        else kept.log_ratio[order, None].astype(np.float32),
        fields=rule.why.names if rule.why else RECORD,
        threshold=0.0,
        examined=examined,
        warnings=warnings,
        notes=notes,
        explain=explanation(rule.why, theirs, flips[1]),
    )


def explanation(why: FieldEvidence | None, theirs: Part, flip: float) -> Explain | None:
    """Evidence per field for pairs of rows, from the own values behind `why` and the codes of the partner's rows."""
    if why is None:
        return None

    def explain(own: Ints, partner: Ints, progress: Progress) -> Evidence:
        return why.of_pairs(own, theirs.values, theirs.rows[partner].astype(np.int64), flip, progress)

    return explain


def estimated_memory(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> int:
    """Bytes the scan will take beside the smashed data, told before it starts."""
    assert isinstance(rule, BitsRule)
    mine, theirs = own.part(rule.part), partner.part(rule.part)
    namesakes = min(most_equal_pairs(own, partner) * BYTES_PER_PAIR, options.memory)
    return _memory(mine, theirs, own.rows, partner.rows, rule) + namesakes


def _memory(mine: Part, theirs: Part, own: int, partner: int, rule: BitsRule) -> int:
    """Bytes the scan will take: words of both sides, bit planes of the partner's, and the pairs expected."""
    pairs = int((rule.tuning.per_row + 1) * max(own, partner)) * BYTES_PER_PAIR
    return BUFFERS + mine.values.nbytes + 3 * theirs.values.nbytes + pairs


def nothing(rule: BitsRule) -> Scored:
    """No pair at all: an empty side, or no usable record."""
    empty = np.empty(0)
    rows = np.empty(0, np.int32)
    fields = rule.why.names if rule.why else RECORD
    return Scored(rows, rows, empty, empty, np.empty((0, len(fields)), np.float32), fields, 0.0, 0)


def _floor(rule: BitsRule, own: int, partner: int) -> float:
    """The similarity above which some non-matches per row are expected; lower pairs cannot be matches."""
    if not len(rule.others) or not rule.others_of:
        return -math.inf if own * partner <= 1 << 16 else 0.5
    wanted = rule.tuning.per_row * max(own, partner) / (float(own) * partner)  # share of all pairs
    rank = int(wanted * rule.others_of)
    if rank < len(rule.others):
        return float(rule.others[len(rule.others) - 1 - rank])
    return float(np.quantile(rule.bulk, max(1 - wanted, 0.0))) if len(rule.bulk) and wanted < 1 else -math.inf


def _pairs(
    mine: Part,
    theirs: Part,
    similarity: Similarity,
    floor: float,
    room: int,
    rule: BitsRule,
    options: MatchOptions,
    notes: dict[str, Any],
    progress: Progress,
) -> tuple[Pairs, tuple[Said, ...]]:
    """Pairs of rows at or above the floor, by distinct values; at most `room` of them, with a warning."""
    warnings: list[Said] = []
    fill = float(np.unpackbits(theirs.values[:1000], axis=1).mean())
    plan = lsh.plan(len(mine.values), len(theirs.values), 8 * mine.width, similarity, rule, fill)
    if plan is None:
        prepared = kernels.prepare(theirs.values, progress)
        found = kernels.above(mine.values, prepared, similarity, floor, room, options.threads, progress.part(0.0, 0.8))
        notes["candidates"] = "all pairs"
    else:
        found, skipped = lsh.scan(mine.values, theirs.values, similarity, plan, floor, room, options, progress)
        notes.update(plan.notes(), skipped_in_crowded_bands=skipped)
        if skipped:
            warnings.append(
                Said(
                    "{skipped} comparisons among records that are nearly all alike were left out; matches among them "
                    "may be missing. More fields would tell the records apart.",
                    skipped=skipped,
                )
            )
    rows_found = _rows_found(found, mine, theirs, exact=len(found.own) == found.found)
    if rows_found <= room and len(found.own) == found.found:
        return _by_rows(found, mine, theirs), tuple(warnings)
    k = max(1, min(PER_ROW_NOISY, room // max(len(mine.values), 1)))
    if plan is None:
        found = kernels.top(mine.values, prepared, similarity, k, floor, options.threads, progress.part(0.8, 1.0))
    kept = _by_rows(found, mine, theirs, k)
    warnings.append(
        Said(
            "{rows_found} pairs are alike enough to be looked at, more than fit into the memory allowed; the "
            "best {k} of each own record were kept ({own} pairs). More fields would tell the records apart.",
            rows_found=rows_found,
            k=k,
            own=len(kept.own),
        )
    )
    return kept, tuple(warnings)


def _rows_found(found: Pairs, mine: Part, theirs: Part, *, exact: bool) -> int:
    if not exact:
        return found.found
    own, partner = _bearers(mine), _bearers(theirs)
    return int((own[found.own] * partner[found.partner]).sum())


def _bearers(part: Part) -> Any:
    return np.bincount(part.rows[part.rows >= 0], minlength=len(part.values))


def _by_rows(found: Pairs, mine: Part, theirs: Part, most: int = 0) -> Pairs:
    """Pairs of distinct values become pairs of rows; with `most`, that many for each own row, spread over namesakes."""
    own, partner = _bearers(mine), _bearers(theirs)
    own_first, partner_first = (np.concatenate([[0], np.cumsum(each)]) for each in (own, partner))
    own_sorted = np.argsort(mine.rows, kind="stable")[int((mine.rows < 0).sum()) :]
    partner_sorted = np.argsort(theirs.rows, kind="stable")[int((theirs.rows < 0).sum()) :]
    across = partner[found.partner] if not most else np.minimum(partner[found.partner], most)
    size = own[found.own] * across
    pair = np.repeat(np.arange(len(size)), size)
    inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    a, b = np.divmod(inside, across[pair])
    # bearer a of a value starts with bearer a of the partner's, so that namesakes do not all compete for the same few
    b = (a + b) % partner[found.partner[pair]]
    own_rows = own_sorted[own_first[found.own[pair]] + a].astype(np.int32)
    partner_rows = partner_sorted[partner_first[found.partner[pair]] + b].astype(np.int32)
    return Pairs(own_rows, partner_rows, found.score[pair], found.found)
