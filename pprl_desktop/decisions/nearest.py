"""Answers each record of the partner's bundle with the own nearest record under noise (ARCHITECTURE 4.4).

What is handed on is only who was answered: every pair has the same score and the same probability, because a score
per pair would give the distance away that the noise has just hidden. The evidence per field is for the answering side's
own eyes: it never leaves, and who drops answers because of it undoes the noise, which is said beside it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, Part, Rule, Smashed
from pprl_desktop.compute import bits as kernels
from pprl_desktop.compute.bits import Pairs, Planes, Similarity
from pprl_desktop.decisions import nearest_noise
from pprl_desktop.decisions.base import MatchOptions, Rows, Scored
from pprl_desktop.decisions.nearest_learning import KEEP_ALL, NearestRule, limits
from pprl_desktop.decisions.threshold.scan import RECORD, explanation
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

QUERIES = 1024  # per block
BYTES_PER_PAIR = 48
ODDS = 12 << 20  # bytes: chances of the distance classes of a block of queries, on all nodes of the integrals
SAMPLED = 20_000  # random pairs by which the memory is foreseen

Random = Callable[[int], bytes]
Words = npt.NDArray[np.uint64]


def run(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress) -> Scored:
    assert isinstance(rule, NearestRule)
    mine, theirs = own.part(rule.part), partner.part(rule.part)
    rows, queries = np.flatnonzero(mine.rows >= 0), np.flatnonzero(theirs.rows >= 0)
    said = limits(own.rows, len(queries), rule.epsilon)
    if rule.why is not None and rule.epsilon is not None:
        said = (*said, KEEP_ALL)
    if not len(rows) or not len(queries) or mine.width != theirs.width:
        return _scored(np.empty(0, np.int32), np.empty(0, np.int32), theirs, rule, 0, 0, said)
    prepared = kernels.prepare(mine.values[mine.rows[rows]], progress)
    answered = np.full(len(queries), -1, np.int64)
    room = max(int(options.memory // BYTES_PER_PAIR), len(rows))  # the distances of one query always fit
    source = options.random_bytes or os.urandom
    # a record without any field counts among the far ones, so that its presence changes no odds, but is never linked
    unusable = set(np.flatnonzero(mine.rows < 0).tolist())
    starts, size = 0, QUERIES
    while starts < len(queries):
        block = queries[starts : starts + size]
        share = progress.part(starts / len(queries), min((starts + size) / len(queries), 1.0))
        asked = theirs.values[theirs.rows[block]]
        found = _answers(asked, prepared, rows, own.rows, rule, room, source, options.threads, share)
        if found is None:  # too many near records for the memory allowed: fewer queries at once
            size = max(1, size // 2)
            continue
        answered[starts : starts + len(block)] = found
        starts += len(block)
    progress.at(1.0, "Answering records")
    given = np.flatnonzero((answered >= 0) & ~np.isin(answered, list(unusable)))
    return _scored(
        answered[given].astype(np.int32), queries[given].astype(np.int32), theirs, rule, own.rows, len(queries), said
    )


def estimated_memory(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> int:
    """Bytes beside the smashed data: bit planes of the own side, and the near records of one block of queries.

    How many records are near is counted on some random pairs; these are the same for the same data.
    """
    assert isinstance(rule, NearestRule)
    mine, theirs = own.part(rule.part), partner.part(rule.part)
    room = max(options.memory, own.rows * BYTES_PER_PAIR)
    near = _near_share(mine.values, theirs.values, rule) * min(QUERIES, partner.rows) * own.rows
    return ODDS + 4 * own.rows * mine.width + min(room, int(near * BYTES_PER_PAIR))


def _near_share(own: Bytes, partner: Bytes, rule: NearestRule) -> float:
    if not len(own) or not len(partner) or own.shape[1] != partner.shape[1]:
        return 0.0
    random = np.random.default_rng(0)
    a, b = random.integers(len(own), size=SAMPLED), random.integers(len(partner), size=SAMPLED)
    likeness = Similarity.hamming(8 * own.shape[1]).of_rows(own[a], partner[b])
    return float(((1 - likeness) * 8 * own.shape[1] < rule.far).mean())


def _answers(
    queries: Bytes,
    prepared: Planes,
    usable: npt.NDArray[np.int64],
    rows: int,
    rule: NearestRule,
    room: int,
    source: Random,
    threads: int,
    progress: Progress,
) -> npt.NDArray[np.int64] | None:
    """For each query the own row that answers it, -1 for 'no match'; None: too little room."""
    bits = 8 * queries.shape[1]
    floor = 1 - (rule.far - 0.5) / bits
    near = kernels.above(queries, prepared, Similarity.hamming(bits), floor, room, threads, progress)
    if near.found > len(near.own):
        return None
    distance = np.rint((1 - near.score) * bits).astype(np.int64)
    if rule.epsilon is None:
        return _plain(near, distance, usable, len(queries), rule)
    kind = np.maximum(distance - rule.near, 0)  # distance class
    order = np.lexsort((near.partner, kind, near.own))
    query, kind, row = near.own[order].astype(np.int64), kind[order], usable[near.partner[order]]
    classes = rule.width + 1
    counts = np.bincount(query * classes + kind, minlength=len(queries) * classes).reshape(len(queries), classes)
    first = np.concatenate([[0], np.cumsum(counts.ravel())])[:-1].reshape(counts.shape)
    counts[:, rule.width] = rows - counts.sum(axis=1)  # all the far ones are one class
    with_none = counts.copy()
    with_none[:, rule.none_at] += 1
    chosen = nearest_noise.draw(nearest_noise.odds(with_none, rule.epsilon, rule.noise), _words(source, len(queries)))
    here = np.arange(len(queries))
    place = _below(source, with_none[here, chosen])
    answer = np.full(len(queries), -1, np.int64)
    is_near = (chosen < rule.width) & (place < counts[here, chosen])
    answer[is_near] = row[first[here, chosen][is_near] + place[is_near]]
    for one in np.flatnonzero((chosen == rule.width) & (place < counts[here, chosen])):
        held = row[np.searchsorted(query, one) : np.searchsorted(query, one, side="right")]
        answer[one] = _far(source, rows, set(held.tolist()))
    return answer


def _plain(
    near: Pairs, distance: npt.NDArray[np.int64], usable: npt.NDArray[np.int64], queries: int, rule: NearestRule
) -> npt.NDArray[np.int64]:
    """Without noise: the nearest record, if it is nearer than 'no match'."""
    answer = np.full(queries, -1, np.int64)
    kept = distance <= rule.near + rule.none_at
    query, first = np.unique(near.own[kept], return_index=True)  # best first within a query
    answer[query] = usable[near.partner[kept][first]]
    return answer


def _far(source: Random, rows: int, near: set[int]) -> int:
    """A record that is not near, each equally likely."""
    while True:
        for one in _below(source, np.full(16, rows)).tolist():
            if one not in near:
                return int(one)


def _words(source: Random, count: int) -> Words:
    return np.frombuffer(source(8 * count), "<u8")


def _below(source: Random, bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Uniform whole numbers below each bound, exactly: the biased end of the range is drawn again."""
    bound = np.maximum(bounds, 1).astype(np.uint64)
    last = np.uint64(2**64 - 1) - (np.uint64(2**64 - 1) % bound + np.uint64(1)) % bound
    made = _words(source, len(bound)).copy()
    while len(biased := np.flatnonzero(made > last)):
        made[biased] = _words(source, len(biased))
    return (made % bound).astype(np.int64)


def _scored(
    own: Rows, partner: Rows, theirs: Part, rule: NearestRule, rows: int, queries: int, said: tuple[Said, ...]
) -> Scored:
    probability, recall = 0.5, float("nan")
    if rule.epsilon is not None and rows:
        right, anyone = nearest_noise.best_recall(rows, rule.epsilon, rule.noise, rule.width, rule.none_at)
        overlap = rule.tuning.overlap
        true, wrong = overlap * right, overlap * (1 - right) + (1 - overlap) * anyone
        probability, recall = min(max(true / max(true + wrong, 1e-12), 1e-6), 1 - 1e-6), right
    score = math.log(probability / (1 - probability))
    size = len(own)
    fields = rule.why.names if rule.why else RECORD
    return Scored(
        own,
        partner,
        np.full(size, score),
        np.full(size, probability if rule.epsilon is not None else np.nan),
        np.full((0 if rule.why else size, len(fields)), np.nan, np.float32),
        fields,
        score,
        rows * queries,
        warnings=said,
        notes={
            "queries": queries,
            "epsilon_per_query": rule.epsilon,
            "epsilon_in_all": None if rule.epsilon is None else rule.epsilon * queries,
            "least_epsilon": math.log(max(rows, 1)),
            "answers": size,
            "best_recall": recall,
            # a record that is here is answered rightly with the chance `recall`: so many must be here
            "expected_matches": size * probability / recall if recall > 0 else float("nan"),
            "noise": rule.noise,
            "assumption": Said(
                "The estimate takes {share:count} of 100 records of the partner to be people you have, with few "
                "differences.",
                share=100 * rule.tuning.overlap,
            ),
            "tuning": rule.tuning.to_plain(),
        },
        explain=explanation(rule.why, theirs, 0.0),
    )
