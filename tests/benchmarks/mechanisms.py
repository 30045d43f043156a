"""How fast and how large noise is: run as `python tests/benchmarks/mechanisms.py`.

Limits of the product: 1,000,000 x 1024 bits within 5 s and within 200 MB beyond the array.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from pprl_desktop.codes.base import Part, Smashed
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.mechanisms import add_laplace, flip_bits
from pprl_desktop.privacy.noise import noised

ROWS = 1_000_000


def peak_mb() -> float:
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def main() -> None:
    source = Keystream()
    array = np.ones((ROWS, 128), dtype=np.uint8)
    started = time.perf_counter()
    source.fill(array)
    stream = time.perf_counter() - started
    print(f"keystream        {array.nbytes / stream / 1e9:5.1f} GB/s")
    for name, mechanism in (("flip_bits", flip_bits), ("add_laplace", add_laplace)):
        before = peak_mb()
        started = time.perf_counter()
        mechanism(array, 1.0, source)
        spent = time.perf_counter() - started
        print(
            f"{name:12} {ROWS:,} x 128 bytes: {spent:5.2f} s ({spent / stream:.0f} x the keystream), "
            f"{peak_mb() - before:.0f} MB beyond the array"
        )
    rows = np.arange(ROWS, dtype=np.int32) % 50_000
    smashed = Smashed("bench", ROWS, (Part("record", "", "bits", "value", rows, array[:50_000]),))
    before = peak_mb()
    started = time.perf_counter()
    noised(smashed, 1.0, source)
    print(f"noised       {ROWS:,} records: {time.perf_counter() - started:5.2f} s, {peak_mb() - before:.0f} MB "
          f"with the new array of {array.nbytes >> 20} MB")  # fmt: skip


if __name__ == "__main__":
    main()
