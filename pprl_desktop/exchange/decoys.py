"""Decoys: records that do not exist, added to a bundle and dropped by their owner when results come back.

They hide how many records there are and whether a person is among them. They are no noise in the sense of
differential privacy: no epsilon follows from them.
"""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.table import CleanTable, Column


def added(table: CleanTable, count: int) -> CleanTable:
    """The table with `count` rows behind it, each field drawn by itself from the table's own values.

    So a decoy looks like the rest value by value (frequencies, gaps), and no new value enters the bundle. One that
    would be a copy of a real record is drawn again.
    """
    codes = np.stack([column.codes for column in table.columns], axis=1)
    real = set(map(bytes, np.ascontiguousarray(codes)))
    made = _drawn(codes, count)
    for _ in range(100):  # in a tiny table every combination may be real: then copies stay, and are harmless
        copies = [at for at, row in enumerate(made) if row.tobytes() in real]
        if not copies:
            break
        made[copies] = _drawn(codes, len(copies))
    columns = tuple(
        Column(column.name, column.values, np.concatenate([column.codes, made[:, at]]).astype(np.int32))
        for at, column in enumerate(table.columns)
    )
    return CleanTable(table.fields, columns)


def _drawn(codes: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    rows, width = codes.shape
    random = np.frombuffer(os.urandom(8 * count * width), "<u8").reshape(count, width) % np.uint64(rows)
    return codes[random.astype(np.int64), np.arange(width)]
