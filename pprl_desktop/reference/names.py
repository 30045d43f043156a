"""Name dictionaries with frequencies (US Census 1990): what an attacker, or an honest estimate, starts from."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from pprl_desktop import resources

Which = Literal["first", "last"]
AT_ONCE = 4000  # lines: no other thread of the program runs while the reader is at work


@dataclass(frozen=True, eq=False)
class NameList:
    """Names by falling frequency. `counts` are bearers per million people (see resources/names/README.md)."""

    values: tuple[str, ...]
    counts: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Counts as shares of the whole list."""
        shares: npt.NDArray[np.float64] = self.counts / self.counts.sum()
        return shares


@cache
def dictionary(which: Which) -> NameList:
    data = gzip.decompress(resources.find("names", f"{which}.csv.gz").read_bytes())
    reader, rows = csv.reader(io.StringIO(data.decode("ascii"))), []
    next(reader)
    while some := list(itertools.islice(reader, AT_ONCE)):
        rows += some
    counts = np.array([int(count) for _, count in rows], dtype=np.int64)
    counts.flags.writeable = False  # shared by every caller
    return NameList(tuple(name for name, _ in rows), counts)
