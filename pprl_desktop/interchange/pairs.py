"""Pairs with probability and evidence as a CSV that Splink's users and R read: one line per pair, documented columns.

    match_weight       log2 of the odds that both records are one person (Splink's name and unit); empty: not known
    match_probability  the same as a probability, 0 to 1
    source_dataset_l   "own"                       source_dataset_r   "partner"
    unique_id_l        number of the own row from 1, or the own id column where that was chosen
    unique_id_r        number of the row in the partner's file or bundle from 1: it has no other name
    band               accept or review
    score              the score of the decision, the higher the more alike
    evidence_FIELD     what the field says, in the units of the score: positive speaks for one person, empty: missing

Rows are sorted by falling probability. Numbers have a decimal point whatever the language of the screen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pprl_desktop.decisions.base import ACCEPT, Match
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.writing import harmless, write_csv

COLUMNS = (
    "match_weight", "match_probability", "source_dataset_l", "source_dataset_r", "unique_id_l", "unique_id_r", "band",
    "score",
)  # fmt: skip
EVIDENCE = "evidence_"
MOST_BITS = 60.0  # of a weight: a probability of one has no odds
AT_ONCE = 20_000  # pairs whose evidence is worked out together


def write_pairs(path: Path, match: Match, ids: Sequence[str] | None = None, progress: Progress = NO_PROGRESS) -> int:
    """The accepted pairs and those to review; `ids` names the own rows. How many were written."""
    kept = match.kept()
    order = kept[np.argsort(-match.scored.score[kept], kind="stable")]
    header = (*COLUMNS, *(f"{EVIDENCE}{harmless(name)}" for name in match.scored.fields))
    write_csv(path, header, _rows(match, order, ids, progress))
    progress.at(1.0)
    return len(order)


def _rows(match: Match, order: np.ndarray, ids: Sequence[str] | None, progress: Progress) -> Iterator[list[str]]:
    scored = match.scored
    for start in range(0, len(order), AT_ONCE):
        progress.at(start / len(order), "Writing pairs")
        some = order[start : start + AT_ONCE]
        for pair, why in zip(some.tolist(), scored.why(some).tolist(), strict=True):
            own, probability = int(scored.own[pair]), float(scored.probability[pair])
            yield [
                weight(probability),
                _number(probability, 9),
                "own",
                "partner",
                harmless(ids[own]) if ids is not None else str(own + 1),
                str(int(scored.partner[pair]) + 1),
                "accept" if match.band[pair] == ACCEPT else "review",
                _number(float(scored.score[pair]), 6),
                *(_number(one, 4) for one in why),
            ]


def weight(probability: float) -> str:
    """log2 of the odds, as Splink calls it a match weight."""
    if not math.isfinite(probability):
        return ""
    least = 2.0**-MOST_BITS
    inside = min(max(probability, least), 1.0 - 2.0**-53)
    return _number(math.log2(inside / (1.0 - inside)), 4)


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}" if math.isfinite(value) else ""
