"""How much longer than an empty Python the program takes to answer --version and --help.

python tests/benchmarks/startup.py
"""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 7


def best(*command: str) -> float:
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    empty = best("-c", "pass")
    for argument in ("--version", "--help"):
        extra = best("-m", "pprl_desktop", argument) - empty
        print(f"{argument:<10} {extra:6.3f} s more than an empty Python ({empty:.3f} s); the limit is 0.3 s")


if __name__ == "__main__":
    main()
