"""Which bits of a record's Bloom filter each field decides: those that no other field sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes import qgrams
from pprl_desktop.codes.base import Decided, Recipe
from pprl_desktop.codes.bloom import REPORT_EVERY, Filler, hardened, record_filler, salted, salts_of
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable


@dataclass(frozen=True, eq=False)
class Places:
    """One field: row -> value (-1: missing), value v -> pieces starts[v] .. starts[v + 1], piece -> bits."""

    rows: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    piece: npt.NDArray[np.int32]
    bits: npt.NDArray[np.int32]  # [pieces, hashes]


@dataclass(frozen=True, eq=False)
class BloomFields:
    names: tuple[str, ...]
    fields: tuple[Places, ...]
    recipe: Recipe

    def decided(self, rows: npt.NDArray[np.int64]) -> Decided:
        from pprl_desktop.codes.signatures import set_bits

        filled = np.zeros((len(self.fields), len(rows), self.recipe.settings.bits), np.bool_)
        for place, one in enumerate(self.fields):
            if len(one.bits):
                set_bits(one.rows[rows], one.starts, one.piece, one.bits, filled[place])
        setters = filled.sum(axis=0, dtype=np.uint8)
        code = hardened(setters > 0, self.recipe)
        bits = [code ^ hardened(setters > mine, self.recipe) for mine in filled]  # code without the field
        return Decided(code, np.stack(bits), np.stack([one.rows[rows] < 0 for one in self.fields], axis=1))


def bloom_fields(table: CleanTable, recipe: Recipe, progress: Progress) -> BloomFields:
    salts = salts_of(table, recipe)
    made = []
    for number, wanted in enumerate(table.fields):
        share = progress.part(number / len(table.fields), (number + 1) / len(table.fields))
        column = table.column(wanted.name)
        keyed, rows = salted(column.codes, salts)
        fillers: dict[str, Filler] = {}
        known: dict[tuple[str, str], int] = {}
        bits: list[npt.NDArray[np.intp]] = []
        starts, piece = [0], []
        for place, (code, salt) in enumerate(keyed):
            if place % REPORT_EVERY == 0:
                share.at(place / len(keyed))
            if salt not in fillers:
                fillers[salt] = record_filler(recipe, table.fields, wanted.name, salt)
            for each in qgrams.pieces(str(column.values[code]), wanted.kind):
                at = known.setdefault((salt, each), len(known))
                if at == len(bits):
                    bits.append(fillers[salt].places(each))
                piece.append(at)
            starts.append(len(piece))
        stacked = np.stack(bits).astype(np.int32) if bits else np.zeros((0, 1), np.int32)
        made.append(Places(rows, np.array(starts, np.int64), np.array(piece, np.int32), stacked))
    return BloomFields(tuple(one.name for one in table.fields), tuple(made), recipe)
