"""Decoys ("noise points"): records that do not exist, added to a bundle and dropped by their owner.

They hide how many records there are and cast doubt on any single one. They are not differential privacy: a decoy never
takes a real record away, and no epsilon follows from them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.table import CleanTable, Column

# Fields of these kinds come from one donor together: a town with another town's postcode would give a decoy away.
PLACES: tuple[FieldKind, ...] = ("text", "id", "category")
TRIES = 20  # a decoy equal to a real record is made again this often


def add_decoys(table: CleanTable, count: int, seed: int | None = None) -> tuple[CleanTable, npt.NDArray[np.bool_]]:
    """The table with `count` decoys among its rows, and which rows they are. Real rows keep their order.

    Each name, date and number comes from a record of its own, the rest from one donor, gaps included. Without a seed
    the choice comes from the operating system; a seed is for tests.
    """
    if count <= 0 or not table.rows:
        return table, np.zeros(table.rows, np.bool_)
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    codes = np.stack([column.codes for column in table.columns], axis=1)
    made = _recombined(table, codes, count, random)
    real = set(map(bytes, np.ascontiguousarray(codes)))
    for _ in range(TRIES):
        copies = [row for row, each in enumerate(made) if each.tobytes() in real]
        if not copies:
            break
        made[copies] = _recombined(table, codes, len(copies), random)
    is_decoy = np.zeros(table.rows + count, np.bool_)
    is_decoy[random.choice(len(is_decoy), count, replace=False)] = True
    mixed = np.empty((len(is_decoy), codes.shape[1]), np.int32)
    mixed[~is_decoy], mixed[is_decoy] = codes, made
    columns = tuple(
        Column(column.name, column.values, np.ascontiguousarray(mixed[:, place]))
        for place, column in enumerate(table.columns)
    )
    return CleanTable(table.fields, columns), is_decoy


def _recombined(
    table: CleanTable, codes: npt.NDArray[np.int32], count: int, random: np.random.Generator
) -> npt.NDArray[np.int32]:
    made = np.empty((count, codes.shape[1]), np.int32)
    donor = random.integers(table.rows, size=count)
    for place, field in enumerate(table.fields):
        rows = donor if field.kind in PLACES else random.integers(table.rows, size=count)
        made[:, place] = codes[rows, place]
    return made
