"""What the ledger keeps of a table: enough to recognise it and to see an overlap, nothing that names a person.

Every row is hashed under a key that stays on this machine. The digest of all hashes recognises the same
table in any row order; the smallest hashes are kept as a sample (a bottom-k sketch), so that two
tables that share rows share samples, in the proportion in which they overlap.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.table import CleanTable, Table

SAMPLE = 4096  # hashes kept: tables up to that size are compared exactly
CHUNK = 1 << 16  # rows hashed between two looks


@dataclass(frozen=True, eq=False)
class Fingerprint:
    digest: str  # hex; equal for equal tables in any row order
    fields: str  # hex; rows can only be compared where the same fields were released
    rows: int
    sample: npt.NDArray[np.uint64] = field(repr=False)  # smallest row hashes, ascending, with repeats removed

    def overlap(self, other: Fingerprint) -> float | None:
        """Estimated share of this table's distinct rows that are in the other one; None where it cannot be told."""
        if self.fields != other.fields:
            return None
        if not self.sample.size or not other.sample.size:
            return 0.0
        mine, theirs = self.sample, other.sample
        # beyond the last kept hash of either table nothing is known
        reach = min(x[-1] if x.size == SAMPLE else np.uint64(2**64 - 1) for x in (mine, theirs))
        mine, theirs = mine[mine <= reach], theirs[theirs <= reach]
        return float(np.isin(mine, theirs).sum() / max(1, mine.size))


def table_fingerprint(table: CleanTable | Table, key: bytes) -> Fingerprint:
    """Keyed, so whoever copies the ledger cannot try out names without the key file."""
    names = sorted(column.name for column in table.columns)
    columns = sorted(table.columns, key=lambda column: column.name)
    fields = hmac.digest(key, "\0".join(["pprl-fields/v1", *names]).encode(), "sha256").hex()
    codes = np.stack([column.codes for column in columns], axis=1) if columns else np.zeros((0, 0), np.int32)
    distinct, counts = np.unique(codes, axis=0, return_counts=True) if codes.size else (codes, np.zeros(0, np.int64))
    cells = [[_framed(str(value)) for value in column.values] + [_framed("")] for column in columns]
    hashes = np.empty(len(distinct), dtype=np.uint64)
    seed = hmac.digest(key, b"pprl-rows/v1\0" + fields.encode(), "sha256")
    for place, row in enumerate(distinct.tolist()):
        made = hashlib.blake2b(b"".join(cells[k][code] for k, code in enumerate(row)), digest_size=8, key=seed)
        hashes[place] = int.from_bytes(made.digest(), "little")
    order = np.argsort(hashes)
    whole = hmac.new(seed, digestmod="sha256")
    whole.update(hashes[order].astype("<u8").tobytes())
    whole.update(counts[order].astype("<u8").tobytes())
    return Fingerprint(whole.hexdigest(), fields, len(codes), np.unique(hashes)[:SAMPLE])


def _framed(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return len(data).to_bytes(4, "little") + data
