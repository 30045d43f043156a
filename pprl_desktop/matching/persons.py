"""Links between records become people: by falling probability, and never against the majority or a reviewer.

Plain transitive closure makes one person of everybody whom a chain of links joins, so one wrong link joins two people.
Here two groups are merged only if at least half of the pairs between them that could be links are links, and no
reviewer said of any of them that they are different people. What cannot be followed is left out and counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.matching.tuning import Tuning
from pprl_desktop.progress import NO_PROGRESS, Progress

EVERY = 5_000  # links between two looks at the Cancel button
USUAL = Tuning()

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Persons:
    label: Labels  # per record, the first record of its person
    refused: int  # links that could not be followed


def persons(
    sides: npt.NDArray[np.int8],
    links: Iterable[tuple[int, int, float]],
    apart: Iterable[tuple[int, int]] = (),
    progress: Progress = NO_PROGRESS,
    tuning: Tuning = USUAL,
) -> Persons:
    """`sides`: per record its file; in one file (all 0) any two records may be one person, in two only across.

    `links` are pairs of records with a probability, `apart` pairs of which somebody said that they are different.
    """
    label = np.arange(len(sides), dtype=np.int64)
    one_file = not sides.any()
    held: dict[int, list[int]] = {}
    linked: dict[int, set[int]] = {}
    kept_apart: dict[int, set[int]] = {}
    for one, other in apart:
        kept_apart.setdefault(one, set()).add(other)
        kept_apart.setdefault(other, set()).add(one)
    ranked = sorted(links, key=lambda link: (-link[2], link[0], link[1]))
    for one, other, _ in ranked:
        linked.setdefault(one, set()).add(other)
        linked.setdefault(other, set()).add(one)
    twin: dict[int, int] = {}  # a record that is surely another one counts as that one

    def members(group: int) -> list[int]:
        return held.setdefault(group, [group])

    def agreeing(left: list[int], right: list[int]) -> float:
        possible = found = 0
        for i in {twin.get(one, one) for one in left}:
            same = [one for one in left if twin.get(one, one) == i]
            for j in {twin.get(one, one) for one in right}:
                others = [one for one in right if twin.get(one, one) == j]
                if one_file or any(sides[a] != sides[b] for a in same for b in others):
                    possible += 1
                    found += any(b in linked[a] for a in same for b in others)
        return found / possible if possible else 0.0

    refused = 0
    for place, (one, other, probability) in enumerate(ranked):
        if place % EVERY == 0:
            progress.at(place / len(ranked), "Putting people together")
        left, right = int(label[one]), int(label[other])
        if left == right:
            continue
        mine, theirs = members(left), members(right)
        against = any(b in kept_apart.get(a, ()) for a in mine for b in theirs)
        if against or (probability < tuning.sure and agreeing(mine, theirs) < tuning.least_agreeing):
            refused += 1
            continue
        if probability >= tuning.sure:
            twin[other] = twin.get(one, one)
        small, large = sorted((left, right), reverse=True)
        for record in held.pop(small):
            label[record] = large
            members(large).append(record)
    return Persons(label, refused)
