"""Which bits of a record's signature each field decides: those whose sign turns when its part is left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Decided, Recipe
from pprl_desktop.codes.simhash import Weighted, weighted_fields
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable


@dataclass(frozen=True, eq=False)
class SimhashFields:
    names: tuple[str, ...]
    fields: tuple[Weighted, ...]
    codes: npt.NDArray[np.int32]  # [rows, fields]: value of each field, -1 where it is missing
    bits: int

    def decided(self, rows: npt.NDArray[np.int64]) -> Decided:
        from pprl_desktop.codes.signatures import add_up

        values = self.codes[rows]
        sums = np.zeros((len(self.fields), len(rows), self.bits), np.int32)
        for place, one in enumerate(self.fields):
            if len(one.piece):
                mine = np.ascontiguousarray(values[:, place])
                add_up(mine, one.starts, one.piece, one.weight, one.signs, sums[place])
        total = sums.sum(axis=0, dtype=np.int32)
        code = np.packbits(total > 0, axis=1)
        bits = [code ^ np.packbits(total > mine, axis=1) for mine in sums]  # code without the field
        return Decided(code, np.stack(bits), values < 0)


def simhash_fields(table: CleanTable, recipe: Recipe, progress: Progress) -> SimhashFields:
    fields, codes = weighted_fields(table, recipe, progress)
    return SimhashFields(tuple(one.name for one in table.fields), tuple(fields), codes, recipe.settings.bits)
