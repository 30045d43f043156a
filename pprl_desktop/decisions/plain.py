"""All pairs of two clear tables under the plain rule, in blocks; only for comparison with the private methods."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Part, Rule, Smashed
from pprl_desktop.codes.plain import texts
from pprl_desktop.compute.attended import looking
from pprl_desktop.decisions.base import MatchOptions, Scored
from pprl_desktop.decisions.namesakes import most_equal_pairs
from pprl_desktop.decisions.plain_learning import PlainRule, edits
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

BYTES_PER_PAIR = 64
PER_ROW = 2.0  # pairs above the floor per row, where nothing is known
PER_CELL = 24  # bytes per pair of a block: scores, edits, and what is added to them
BLOCK = 1 << 20  # pairs in one block: some tens of ms

Floats = npt.NDArray[np.float32]


def run(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress) -> Scored:
    assert isinstance(rule, PlainRule)
    mine = [own.part(f"{name}.clear") for name in rule.fields]
    theirs = [partner.part(f"{name}.clear") for name in rule.fields]
    room = max(int(options.memory // BYTES_PER_PAIR), 1)
    floor = -rule.tuning.review * float(rule.weight.max(initial=0.0))
    kept: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]] = []
    held = found = 0
    order = _by_value(mine, own.rows)
    step = max(1, BLOCK // max(partner.rows, 1))
    their_texts = [texts(part) for part in theirs]
    for start in range(0, own.rows if partner.rows else 0, step):
        progress.at(start / own.rows, "Comparing clear values")
        rows = order[start : start + step]
        score = np.full((len(rows), partner.rows), np.float32(rule.base))
        seen = np.zeros((len(rows), partner.rows), np.bool_)
        for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
            progress.check()
            _add(score, seen, rows, one, other, their_texts[place], rule, place)
        a, b = np.nonzero((score >= floor) & seen)
        found += len(a)
        if held + len(a) > room:  # the best of this block that still fit
            best = np.sort(np.argsort(-score[a, b], kind="stable")[: max(room - held, 0)])
            a, b = a[best], b[best]
        held += len(a)
        kept.append((rows[a], b, score[a, b]))
    progress.at(1.0)
    return _scored(kept, mine, theirs, their_texts, rule, own.rows * partner.rows, found, progress)


def estimated_memory(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> int:
    """Bytes beside the clear tables: one block of scores, and the pairs kept."""
    assert isinstance(rule, PlainRule)
    pairs = own.rows * partner.rows
    likely = int(PER_ROW * max(own.rows, partner.rows)) + most_equal_pairs(own, partner)
    return PER_CELL * min(pairs, BLOCK) + min(options.memory, min(likely, pairs) * BYTES_PER_PAIR)


def _by_value(parts: list[Part], rows: int) -> npt.NDArray[np.int64]:
    """Rows with equal values next to each other: each block has few distinct values to compare."""
    if not parts:
        return np.arange(rows)
    return np.lexsort([part.rows for part in reversed(parts)])


def _add(
    score: Floats,
    seen: npt.NDArray[np.bool_],
    rows: npt.NDArray[np.int64],
    one: Part,
    other: Part,
    their_texts: list[str],
    rule: PlainRule,
    place: int,
) -> None:
    """Adds the say of one field; a value missing on either side adds nothing."""
    used, mine = np.unique(one.rows[rows], return_inverse=True)
    if not their_texts:
        return
    shown = [
        bytes(one.values[code]).rstrip(b"\0").decode("utf-8", errors="ignore") if code >= 0 else "" for code in used
    ]
    apart = edits(shown, their_texts, rule.tuning.cap).astype(np.float32)
    say = (rule.weight[place] * (rule.neutral[place] - apart)).astype(np.float32)
    say = np.concatenate([say, np.zeros((len(used), 1), np.float32)], axis=1)  # code -1 reads the last column
    say[used < 0, :] = 0.0
    score += say[mine.reshape(-1)][:, other.rows]
    seen |= (one.rows[rows] >= 0)[:, None] & (other.rows >= 0)[None, :]


def _scored(
    kept: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Floats]],
    mine: list[Part],
    theirs: list[Part],
    their_texts: list[list[str]],
    rule: PlainRule,
    examined: int,
    found: int,
    progress: Progress,
) -> Scored:
    own = np.concatenate([each for each, _, _ in kept]) if kept else np.empty(0, np.int64)
    partner = np.concatenate([each for _, each, _ in kept]) if kept else np.empty(0, np.int64)
    score = np.concatenate([each for _, _, each in kept]) if kept else np.empty(0, np.float32)
    order = np.lexsort((partner, own))
    own, partner, score = own[order], partner[order], score[order]
    evidence = np.full((len(own), len(mine)), np.nan, np.float32)
    for place, (one, other) in enumerate(zip(mine, theirs, strict=True)):
        a, b = one.rows[own], other.rows[partner]
        both = np.flatnonzero((a >= 0) & (b >= 0))
        evidence[both, place] = rule.weight[place] * (
            rule.neutral[place] - _pairwise(one, their_texts[place], a[both], b[both], rule.tuning.cap, progress)
        )
    warnings: tuple[Said, ...] = ()
    if found > len(own):
        warnings = (
            Said(
                "{found} pairs are alike enough to be looked at, more than fit into the memory allowed; {own} "
                "were kept. More fields would tell the records apart.",
                found=found,
                own=len(own),
            ),
        )
    return Scored(
        own.astype(np.int32),
        partner.astype(np.int32),
        score.astype(np.float64),
        np.full(len(own), np.nan),
        evidence,
        rule.fields,
        0.0,
        examined,
        warnings,
        {
            "weights": dict(zip(rule.fields, rule.weight.tolist(), strict=True)),
            "base": rule.base,
            "tuning": rule.tuning.to_plain(),
        },
    )


def _pairwise(
    one: Part, their_texts: list[str], a: npt.NDArray[np.int32], b: npt.NDArray[np.int32], cap: int, progress: Progress
) -> Floats:
    """Edits of listed pairs, each distinct pair of values once."""
    if not len(a):
        return np.empty(0, np.float32)
    from rapidfuzz.distance import OSA

    codes, which = np.unique(a.astype(np.int64) * len(their_texts) + b, return_inverse=True)
    mine = texts(one)
    made = [
        min(OSA.distance(mine[code // len(their_texts)], their_texts[code % len(their_texts)]), cap)
        for code in looking(codes.tolist(), progress.part(1.0, 1.0))
    ]
    return np.asarray(np.array(made, np.float32)[which.reshape(-1)])
