"""A method for the tests, as somebody would add one: this file, and one line in REGISTRY."""

from __future__ import annotations

import hashlib

import numpy as np

from pprl_desktop.codes.base import Method, Part, Recipe, Smashed, derive
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.said import Said


class Toy(Method):
    """One bit per letter and place of a value, under the shared secret."""

    name = "toy"
    title = Said("Toy letters")
    sentence = Said("Sends one bit per letter and place.")

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        return Smashed(self.name, table.rows, tuple(_part(column, recipe) for column in table.columns))


def _part(column: Column, recipe: Recipe) -> Part:
    key = derive(recipe.secret, f"toy {column.name}")
    bits = np.zeros((len(column.values), recipe.settings.bits), np.uint8)
    for row, value in enumerate(column.values):
        text = str(value)
        for piece in (text[at : at + 2] for at in range(len(text))):
            digest = hashlib.blake2b(piece.encode(), key=key).digest()
            for at in range(0, 24, 4):
                bits[row, int.from_bytes(digest[at : at + 4], "little") % bits.shape[1]] = 1
    return Part(f"{column.name}.bits", column.name, "bits", "value", column.codes, np.packbits(bits, axis=1))


METHOD = Toy()
