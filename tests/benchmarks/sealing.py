"""Sealing against Debian's `age -r` on the same 128 MB in the same run, and memory against size.

    python tests/benchmarks/sealing.py [megabytes]

Prints seconds of a processor and the ratio for sealing (both modes), opening, and peak memory for 16, 128 and 512 MB.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pprl_desktop.exchange import seal
from pprl_desktop.exchange.keys import Keys, Mode
from pprl_desktop.exchange.manifest import Manifest

ROUNDS = 5
SENDER, OWNER = Keys.new(), Keys.new()
MANIFEST = Manifest(
    "data", "00" * 16, "00" * 32, 1, "00" * 32, SENDER.public().party, OWNER.public().party, "2026-01-01T00:00:00Z", ""
)
MEMORY = """
import resource, sys
from pathlib import Path
import numpy as np
sys.path.insert(0, sys.argv[3])
import sealing
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
data = np.fromfile(sys.argv[1], np.uint8)  # the table itself is in the base
small = Path(sys.argv[2])
sealing.seal.seal(small, sealing.MANIFEST, {"x": np.zeros(1 << 20, np.uint8)}, sealing.SENDER, sealing.OWNER.public())
before = peak()
sealing.seal.seal(small, sealing.MANIFEST, {"x": data}, sealing.SENDER, sealing.OWNER.public())
sealed = peak()
sealing.seal.open_sealed(small, [sealing.OWNER], [sealing.SENDER.public().sign]).check()
print(round(sealed - before), round(peak() - sealed))
"""


def _spent() -> float:
    """Seconds of a processor, of this process and of those it started: a busy machine tells the same."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def fastest(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = _spent()
        work()
        times.append(_spent() - started)
    return min(times)


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    age = shutil.which("age")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = os.urandom(megabytes << 20)
        (folder / "plain").write_bytes(data)
        arrays = {"x": np.frombuffer(data, np.uint8)}
        recipient = OWNER.public().age_recipient()

        def with_age() -> None:
            command = [str(age), "-r", recipient, "-o", str(folder / "a.age"), str(folder / "plain")]
            subprocess.run(command, check=True)
            (folder / "a.age").unlink()

        def here(mode: Mode) -> Callable[[], object]:
            return lambda: seal.seal(folder / "x.pprl", MANIFEST, arrays, SENDER, OWNER.public(), mode)

        def opened() -> None:
            seal.open_sealed(folder / "x.pprl", [OWNER], [SENDER.public().sign]).check()

        base = fastest(with_age) if age else float("nan")
        print(f"age -r            {megabytes} MB  {base:6.3f} s")
        modes: tuple[Mode, ...] = ("hybrid", "x25519")
        for mode in modes:
            spent = fastest(here(mode))
            print(f"seal {mode:<12} {megabytes} MB  {spent:6.3f} s  ratio {spent / base:.2f} (at most 1.3)")
        print(f"open and check    {megabytes} MB  {fastest(opened):6.3f} s")
        for size in (16, 128, 512):
            with (folder / "big").open("wb") as out:
                for _ in range(size):
                    out.write(os.urandom(1 << 20))
            command = [sys.executable, "-c", MEMORY, str(folder / "big"), str(folder / "m"), str(Path(__file__).parent)]
            print(
                f"memory over base  {size} MB  seal, open:", subprocess.check_output(command, text=True).strip(), "MB"
            )


if __name__ == "__main__":
    main()
