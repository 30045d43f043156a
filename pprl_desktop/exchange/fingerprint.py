"""What the ledger keeps of a table: enough to recognise it and to see an overlap, nothing that names a person.

Every row is hashed under a key that stays on this machine. The digest of all hashes recognises the same
table in any row order; the smallest hashes are kept as a sample (a bottom-k sketch), so that two
tables that share rows share samples, in the proportion in which they overlap.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pprl_desktop.records.table import CleanTable, Column, Table

SAMPLE = 4096  # hashes kept: tables up to that size are compared exactly


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
    columns = sorted(table.columns, key=lambda column: column.name)
    names = "\0".join(["pprl-fields/v1", *(column.name for column in columns)])
    fields = hmac.digest(key, names.encode(), "sha256")
    rows = _row_hashes(columns, hmac.digest(key, b"pprl-rows/v1" + fields, "sha256"))
    distinct, counts = np.unique(rows, return_counts=True)
    whole = hmac.new(fields, distinct.astype("<u8").tobytes() + counts.astype("<u8").tobytes(), "sha256")
    return Fingerprint(whole.hexdigest(), fields.hex(), len(rows), distinct[:SAMPLE])


def _row_hashes(columns: Sequence[Column], key: bytes) -> npt.NDArray[np.uint64]:
    """A keyed hash per distinct value and column, added up per row, then encrypted so that the sums stay hidden."""
    rows = len(columns[0]) if columns else 0
    sums = np.zeros((rows, 2), dtype=np.uint64)
    for place, column in enumerate(columns):
        own = hmac.digest(key, place.to_bytes(4, "little"), "sha256")
        texts = [*map(str, column.values), ""]  # the code of a missing value reads the last one
        made = b"".join(
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=own).digest() for text in texts
        )
        sums += np.frombuffer(made, dtype="<u8").reshape(-1, 2)[column.codes]
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # one block per row: a keyed permutation
    sealed = cipher.update(sums.astype("<u8").tobytes()) + cipher.finalize()
    return np.frombuffer(sealed, dtype="<u8").reshape(-1, 2)[:, 0].astype(np.uint64)
