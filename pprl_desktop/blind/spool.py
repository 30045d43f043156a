"""Arrays that are too many to be held together: each is put away when it is made and read back when it is needed.

Twelve types of keys over a million records are some gigabytes of points, tags and labels; one type is a few dozen
megabytes. Up to `HELD` bytes stay in memory; what is more goes to a file without a name, which nobody else can open and
which is gone with the process. It holds only what would leave anyway: no key, no value, no scalar.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from pprl_desktop.blind.group import Bytes

HELD = 32 << 20  # bytes


class Spool(Mapping[str, Bytes]):
    """Name -> array of bytes, in the order in which they were put."""

    def __init__(self, arrays: Mapping[str, Bytes] | None = None) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=HELD)  # noqa: SIM115 - closed with the spool
        self._places: dict[str, tuple[int, tuple[int, ...]]] = {}
        for name, array in (arrays or {}).items():
            self.put(name, array)

    def __del__(self) -> None:
        self._file.close()

    def put(self, name: str, array: Bytes) -> None:
        self.put_parts(name, array.shape, iter((array,)))

    def put_parts(self, name: str, shape: tuple[int, ...], parts: Iterator[Bytes]) -> None:
        """An array of this shape, given a few rows at a time."""
        self._file.seek(0, 2)
        start = self._file.tell()
        for part in parts:
            assert part.dtype == np.uint8
            self._file.write(np.ascontiguousarray(part).data)
        assert self._file.tell() - start == int(np.prod(shape))
        self._places[name] = start, shape

    def __getitem__(self, name: str) -> Bytes:
        start, shape = self._places[name]
        made = np.empty(int(np.prod(shape)), dtype=np.uint8)
        self._file.seek(start)
        left = made.data
        while len(left):
            got = self._file.readinto(left)
            if not got:
                raise OSError("the file behind the spool is shorter than what was written")
            left = left[got:]
        return made.reshape(shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def in_order(self, names: Iterable[str]) -> Spool:
        """The same arrays under these names, in their order."""
        self._places = {name: self._places[name] for name in names}
        return self

    @property
    def nbytes(self) -> int:
        return sum(int(np.prod(shape)) for _, shape in self._places.values())
