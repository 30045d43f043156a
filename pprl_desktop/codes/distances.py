"""Edit distances of distinct values to reference values: Algorithm 1 of the split-learning paper.

rapidfuzz compares many strings at once with vector instructions (about 100 million short pairs a second on one core),
releases the interpreter lock and has wheels for every desktop system: nothing of our own was faster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, Part, Recipe
from pprl_desktop.compute.threads import in_blocks
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.sets import ReferenceSet

CLIP = 255  # one byte per distance; a value that far from a name is not a name
BLOCK_PAIRS = 2_000_000  # distances between two looks at Cancel: some 20 ms


def reference_distances(
    values: Sequence[str], reference: Sequence[str], threads: int = 0, progress: Progress = NO_PROGRESS
) -> Bytes:
    """Levenshtein distance of every value to every reference record, uint8 [values, reference records]."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    distinct = list(dict.fromkeys(reference))  # a name that occurs twice in the reference set is measured once
    place = {text: index for index, text in enumerate(distinct)}
    back = np.array([place[text] for text in reference], dtype=np.intp)
    out = np.empty((len(values), len(reference)), dtype=np.uint8)
    if not out.size:
        return out

    def work(rows: slice) -> None:
        # above `score_cutoff` rapidfuzz answers cutoff + 1, so 254 gives exactly the clip at 255
        found = cdist(
            values[rows], distinct, scorer=Levenshtein.distance, score_cutoff=CLIP - 1, dtype=np.uint8, workers=1
        )
        np.take(found, back, axis=1, out=out[rows]) if len(distinct) < len(reference) else np.copyto(out[rows], found)

    step = max(1, BLOCK_PAIRS // len(distinct))
    blocks = [slice(start, start + step) for start in range(0, len(values), step)]
    for _ in in_blocks(work, blocks, threads, progress, "Measuring distances to the reference set"):
        pass
    return out


def distance_parts(table: CleanTable, recipe: Recipe, progress: Progress = NO_PROGRESS) -> tuple[Part, ...]:
    """Algorithm 1 (smash): for each field, for each reference attribute the mapping M gives it, one part."""
    assert recipe.reference is not None
    wanted = [(field, attribute) for field, attributes in mapped(table.fields, recipe) for attribute in attributes]
    sizes = np.cumsum([0, *(len(table.column(field.name).values) for field, _ in wanted)])
    total = max(int(sizes[-1]), 1)
    made = []
    for place, (field, attribute) in enumerate(wanted):
        bar = progress.part(int(sizes[place]) / total, int(sizes[place + 1]) / total)
        made.append(distance_part(field, table.column(field.name), recipe.reference, attribute, bar))
    return tuple(made)


def distance_part(field: Field, column: Column, reference: ReferenceSet, attribute: str, progress: Progress) -> Part:
    values, rows = used_values(column)
    distances = reference_distances(values, reference.attribute(attribute), 0, progress)
    return Part(f"{field.name}.{attribute}", field.name, "distances", "value", rows, distances)


def mapped(fields: Sequence[Field], recipe: Recipe) -> list[tuple[Field, tuple[str, ...]]]:
    """The agreed mapping, or the default one for fields it does not name."""
    from pprl_desktop.codes.mapping import default_mapping

    assert recipe.reference is not None
    agreed = dict(default_mapping(fields, recipe.reference)) | dict(recipe.mapping)
    return [(field, agreed[field.name]) for field in fields]


def used_values(column: Column) -> tuple[list[str], npt.NDArray[np.int32]]:
    """Distinct values that occur in a row, and the rows' codes into them.

    A table of chosen rows shares the values of the whole, and what is not in these rows must not leave in a bundle.
    """
    used = np.flatnonzero(np.bincount(column.codes[column.codes >= 0], minlength=len(column.values)))
    new = np.full(len(column.values) + 1, -1, dtype=np.int32)  # the last entry serves the missing code -1
    new[used] = np.arange(len(used), dtype=np.int32)
    return [str(value) for value in column.values[used]], new[column.codes]
