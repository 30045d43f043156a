"""How many values of the own table occur in the reference set, and what that means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import Said

WHY = Said(
    "A value that stands in the reference set has distance 0 to it. Whoever sees the distances, and that is the "
    "partner, reads such a value at once instead of having to search for it."
)
NOT_ALONE = Said(
    "Do not leave these records out on your own: a gap tells the partner that you hold somebody with exactly such a "
    "name, and both sides would drop different people. Leaving out, or another reference set, is a matter for the "
    "agreement. A set derived from the shared secret has no real names in it."
)


@dataclass(frozen=True)
class FieldOverlap:
    field: str
    attributes: tuple[str, ...]
    values: int  # distinct values of the field that occur in the reference set
    of_values: int
    records: int  # records with such a value
    of_records: int  # records with any value in this field

    @property
    def share(self) -> float:
        return self.records / self.of_records if self.of_records else 0.0


@dataclass(frozen=True)
class Overlap:
    """Counts only; `why` and `advice` are the sentences for the screen."""

    fields: tuple[FieldOverlap, ...]
    records: int  # records with at least one such value
    whole_records: int  # records of which every mapped field is in the reference set
    of_records: int
    why: Said = WHY
    advice: Said = NOT_ALONE

    def sentence(self) -> Said:
        if self.records == 0:
            return Said("No value of your table occurs in the reference set.")
        share = self.records / max(self.of_records, 1)
        return Said(
            "{n} of {of} records ({share:percent 1}) {n|holds|hold} a value that occurs in the reference set.",
            n=self.records, of=self.of_records, share=share,
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        said = {"sentence": self.sentence(), "why": self.why, "advice": self.advice}
        return {**asdict(self), **{name: str(one) for name, one in said.items()}}


def overlap(
    table: CleanTable,
    reference: ReferenceSet,
    mapping: Mapping[str, Sequence[str]] | Sequence[tuple[str, Sequence[str]]] = (),
    progress: Progress = NO_PROGRESS,
) -> Overlap:
    """`mapping` says which attributes a field is measured against; a field without entry is compared with all."""
    mapped = dict(mapping)
    found: list[FieldOverlap] = []
    some, all_in = np.zeros(table.rows, dtype=bool), np.ones(table.rows, dtype=bool)
    any_value = np.zeros(table.rows, dtype=bool)
    for index, column in enumerate(table.columns):
        progress.at(index / len(table.columns), "Comparing with the reference set")
        attributes = tuple(mapped.get(column.name, reference.attributes))
        known = {value for name in attributes for value in reference.attribute(name)}
        inside = np.fromiter((value in known for value in column.values), dtype=bool, count=len(column.values))
        present = column.codes >= 0
        hit = np.append(inside, False)[column.codes]
        some |= hit
        all_in &= hit | ~present
        any_value |= present
        used = np.unique(column.codes[present])
        found.append(
            FieldOverlap(
                column.name, attributes, int(inside[used].sum()), len(used), int(hit.sum()), int(present.sum())
            )
        )
    progress.at(1.0)
    return Overlap(tuple(found), int(some.sum()), int((all_in & any_value).sum()), table.rows)
