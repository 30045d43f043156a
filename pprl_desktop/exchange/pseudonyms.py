"""Pseudonyms: random names of the rows in a bundle, sorted, and the map from them to own rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

PSEUDONYM = 16  # bytes, random
BLOCK = 1 << 16  # names that are looked up together

Pseudonyms = npt.NDArray[np.uint8]  # [rows, 16]
Rows = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PseudonymMap:
    """Pseudonym -> own row, -1 for a decoy. Never leaves the home folder, and is sealed there."""

    pseudonyms: Pseudonyms = field(repr=False)
    rows: Rows = field(repr=False)

    def places(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Where own rows stand in the bundle."""
        back = np.full(int(self.rows.max(initial=-1)) + 1, -1, np.int64)
        real = self.rows >= 0
        back[self.rows[real]] = np.flatnonzero(real)
        return back[np.asarray(rows, np.int64)]

    def of_rows(self, rows: npt.NDArray[Any]) -> Pseudonyms:
        """The pseudonyms of own rows."""
        return self.pseudonyms[self.places(rows)]

    def to_bytes(self) -> bytes:
        return self.pseudonyms.tobytes() + self.rows.astype("<i4").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> PseudonymMap:
        rows = len(data) // (PSEUDONYM + 4)
        split = rows * PSEUDONYM
        pseudonyms = np.frombuffer(data[:split], np.uint8).reshape(-1, PSEUDONYM)
        return cls(pseudonyms, np.frombuffer(data[split:], "<i4").astype(np.int32))


def order_of(*pseudonyms: Pseudonyms) -> npt.NDArray[np.int64]:
    """The order by the first list of pseudonyms, then by the next."""
    halves = [np.ascontiguousarray(one).view(">u8").reshape(-1, 2)[:, at] for one in pseudonyms for at in (0, 1)]
    return np.lexsort(halves[::-1])


def is_increasing(pseudonyms: Pseudonyms) -> bool:
    halves = pseudonyms.view(">u8").reshape(-1, 2)
    high, low = halves[:, 0], halves[:, 1]
    return bool(((high[1:] > high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] > low[:-1]))).all())


def places_of(wanted: Pseudonyms, names: Pseudonyms) -> npt.NDArray[np.int64]:
    """Where each pseudonym stands among the names; -1 where it does not."""
    kind = np.dtype(f"V{PSEUDONYM}")
    known = {name: at for at, name in enumerate(np.ascontiguousarray(names).view(kind).ravel().tolist())}
    texts = np.ascontiguousarray(wanted).view(kind).ravel()
    found = np.empty(len(texts), np.int64)
    for start in range(0, len(texts), BLOCK):  # as texts they take three times the memory
        some = texts[start : start + BLOCK].tolist()
        found[start : start + BLOCK] = [known.get(one, -1) for one in some]
    return found
