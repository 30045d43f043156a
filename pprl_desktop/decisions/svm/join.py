"""Algorithm 3 of the split-learning paper: decides about own and partner records by their smashed data alone.

Returns the same pairs as its double loop over all records (tests/decisions/svm/test_join.py holds the loop), without
ever running it: see decisions/svm/search.py.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Part, Rule, Smashed
from pprl_desktop.decisions.base import SLIPS_ONLY, MatchOptions, Scored
from pprl_desktop.decisions.namesakes import most_equal_pairs
from pprl_desktop.decisions.svm.border import border
from pprl_desktop.decisions.svm.bounds import bytes_per_value
from pprl_desktop.decisions.svm.rule import SplitRule
from pprl_desktop.decisions.svm.search import REMEMBERED, Join, NearPairs
from pprl_desktop.decisions.svm.vectors import Records, records_of, shape_and_vectors
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

SMALLEST_ROOM = 1000  # pairs held at least, whatever the memory cap
PER_PAIR = 130  # bytes while a pair is found, scored and sorted, without its evidence
COPIES = 2.5  # of the distances, while they are laid out for the search
BUFFERS = 8 << 20  # bytes: pairs of the blocks under way, and the working memory of matrix products
PER_EVIDENCE = 24  # bytes per field and pair: exact cost, evidence, and a copy while sorting

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]


def run(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress = NO_PROGRESS) -> Scored:
    assert isinstance(rule, SplitRule)
    check_parts(own, partner, rule)
    if not rule.fields or not own.rows or not partner.rows:
        return _nothing(rule, own.rows * partner.rows)
    progress.at(0.0, "Preparing the comparison")
    shape, (left, right) = shape_and_vectors(rule.parts, rule.fields, [own, partner], progress)
    progress.check()
    join = Join(shape, left, right, rule.weights, 0, progress)
    records = records_of(left, join.order)
    room = max(SMALLEST_ROOM, options.memory // (PER_PAIR + PER_EVIDENCE * len(rule.fields)))
    progress.at(0.1, "Comparing records")
    found = join.search(records, rule.weights.budget, room, options.threads, progress.part(0.1, 0.85))
    progress.at(0.85, "Scoring pairs")
    return _scored(rule, join, records, found, room, (own.rows, partner.rows), progress.part(0.85, 1.0))


def estimated_memory(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> int:
    """Bytes the join needs at most beside the smashed data themselves, told before it starts."""
    assert isinstance(rule, SplitRule)
    distances = [[part for part in side.parts if part.kind == "distances"] for side in (own, partner)]
    copies = sum(part.values.nbytes for parts in distances for part in parts)
    values = sum(len(part.values) for parts in distances for part in parts)
    rows = (own.rows + partner.rows) * (len(rule.fields) * 12 + 40)
    per_field = PER_PAIR + PER_EVIDENCE * len(rule.fields)
    # the own table's strangers tell how many pairs to expect above the floor
    expected = len(rule.null.scores) / max(rule.null.rows, 1) / max(rule.null.table, 1) * own.rows * partner.rows
    expected += most_equal_pairs(own, partner)
    pairs = min(options.memory, int((expected + max(own.rows, partner.rows)) * per_field))
    return int(COPIES * copies + values * bytes_per_value() + _remembered(distances) + BUFFERS + rows + pairs)


def _remembered(sides: list[list[Part]]) -> int:
    """Bounds of the field that comes second in the search, where they are few enough; of two fields either may."""
    cells = [len(a.values) * len(b.values) for a, b in zip(*sides, strict=False)]
    kept = sorted((size for size in cells if size <= REMEMBERED), reverse=True)
    return sum(kept[: 1 if len(cells) > 2 else 2])


def check_parts(own: Smashed, partner: Smashed, rule: SplitRule) -> None:
    """Both sides must have measured the same fields against the same reference records."""
    for name in (name for names in rule.parts for name in names):
        widths = []
        for side in (own, partner):
            part = next((part for part in side.parts if part.name == name), None)
            if part is None or part.kind != "distances":
                raise Problem(
                    Said("The smashed data lack the distances '{name}'.", name=name),
                    "They were made under another agreement.",
                    "Ask the partner for a bundle under the present agreement.",
                    place=name,
                )
            widths.append(part.width)
        if widths[0] != widths[1]:
            raise Problem(
                Said(
                    "The two sides measured '{name}' against {widths} and {widths2} reference records.",
                    name=name,
                    widths=widths[0],
                    widths2=widths[1],
                ),
                "They used different reference sets.",
                "Agree on one reference set and export again.",
                place=name,
            )


def _nothing(rule: SplitRule, examined: int) -> Scored:
    none, empty = np.zeros(0, dtype=np.int32), np.zeros(0)
    evidence = np.zeros((0, len(rule.fields)), dtype=np.float32)
    return Scored(none, none, empty, empty, evidence, rule.fields, float("inf"), examined)


def _scored(
    rule: SplitRule,
    join: Join,
    records: Records,
    found: NearPairs,
    room: int,
    rows: tuple[int, int],
    progress: Progress,
) -> Scored:
    """Scores, evidence and threshold of the pairs found; pairs of records become pairs of rows."""
    costs = np.empty((len(found.own), len(rule.fields)), dtype=np.int64)
    missing = np.empty(costs.shape, dtype=np.bool_)
    for f in range(len(rule.fields)):
        a, b = records.codes[f][found.own], join.partner_records.codes[f][found.partner]
        for start in range(0, len(a), 1 << 18):
            progress.at((f + start / max(len(a), 1)) / len(rule.fields) * 0.5)
            piece = slice(start, start + (1 << 18))
            costs[piece, f] = join.field_costs(f, a[piece], b[piece])
        missing[:, f] = (a == join.own.distinct[f]) | (b == join.partner.distinct[f])
    score = rule.scores(costs)
    progress.at(0.6)
    keep = np.flatnonzero(score >= rule.floor)
    pair, i, j, total = _rows(records, join.partner_records, found.own[keep], found.partner[keep], room)
    pair = keep[pair]
    by = np.lexsort((j, i, -score[pair]))
    pair, i, j = pair[by], i[by], j[by]
    progress.at(0.8, "Choosing the threshold")
    here = border(rule, i, j, score[pair], rows)
    warnings = _warnings(rule, found, total, len(i))
    notes = {
        "kernel": rule.kernel,
        "expected_matches": here.matches,
        "expected_precision": here.precision,
        "expected_recall": here.recall,
        "strangers_error": here.error,
        "assumption": SLIPS_ONLY,
        "tuning": rule.tuning.to_plain(),
        "weights": dict(zip(rule.fields, (rule.weights.neutral * rule.slope / (1 << 24)).tolist(), strict=True)),
    }
    evidence = rule.evidence(costs, missing)[pair]
    return Scored(
        i, j, score[pair], here.probability, evidence, rule.fields, here.threshold, rows[0] * rows[1], warnings, notes
    )


def _rows(own: Records, partner: Records, a: Codes, b: Codes, room: int) -> tuple[Ints, Codes, Codes, int]:
    """Pairs of distinct records to pairs of rows. Many equal records on both sides make many equal pairs: where there
    is no room for all, every row keeps some, in turn, so that each can still be assigned."""
    p, q = np.diff(own.member_at)[a], np.diff(partner.member_at)[b]
    total = int((p * q).sum())
    each = p * q
    if total > room:
        # a row of the larger group meets `width` rows of the other; find the width that fits
        low, high = 1, int(np.minimum(p, q).max(initial=1))
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if _held(p, q, middle) <= room else (low, middle - 1)
        each = np.maximum(p, q) * np.minimum(np.minimum(p, q), low)
    if int(each.sum()) > room:  # even one partner each is too many: the pairs found first stay
        each = np.where(np.cumsum(each) <= room, each, 0)
    pair = np.repeat(np.arange(len(a)), each)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(each) - each, each)
    big, small = np.maximum(p, q)[pair], np.minimum(p, q)[pair]
    at = place % big
    other = (at + place // big) % small
    first = np.where((p >= q)[pair], at, other)
    second = np.where((p >= q)[pair], other, at)
    i = own.members[own.member_at[a][pair] + first]
    j = partner.members[partner.member_at[b][pair] + second]
    return pair, i, j, total


def _held(p: Ints, q: Ints, width: int) -> int:
    return int((np.maximum(p, q) * np.minimum(np.minimum(p, q), width)).sum())


def _warnings(rule: SplitRule, found: NearPairs, total: int, held: int) -> tuple[Said, ...]:
    out = []
    if found.budget < rule.weights.budget:
        out.append(
            Said(
                "More than {seen} pairs reach the lowest score; the best {held} are kept to stay within the "
                "memory allowed. Allow more memory to see all.",
                seen=max(found.seen, total),
                held=held,
            )
        )
    elif held < total:
        out.append(
            Said(
                "{total} pairs of equal records reach the lowest score; {held} are kept to stay within the "
                "memory allowed, some for every record. Add a field that tells namesakes apart.",
                total=total,
                held=held,
            )
        )
    return tuple(out)
