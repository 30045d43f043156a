"""How long the window keeps still: `python -m tests.benchmarks.watchdog [RUNS] [METHOD] [--stacks] [--cold]`.

Each run is a new process with the real window: 1M rows are read, then 20,000 rows are read, rehearsed, sealed and
matched with 20,000 of a partner, each with the showing of its result. Limit of the product: no gap over 0.1 s.
Printed: the worst gap of each job and run; for gaps over 0.06 s the stacks of all threads in that moment
(`--stacks`). `--cold`: the libraries are not in memory when the window opens, as after switching the computer on.
Run it on a machine that does nothing else.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROWS = {"reading": 1_000_000, "day": 20_000}
METHODS = ("split", "simhash", "bloom")


def one_run(folder: Path, method: str, stacks: bool) -> int:
    """In a process of its own: prints a line for each job, and every late gap."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["PPRL_DESKTOP_SETTINGS"] = str(folder / "settings")
    os.environ["PPRL_HOME"] = str(folder / "home")

    from pprl_desktop.ui import app as application
    from pprl_desktop.ui.kit import read_ahead
    from tests.ui.watching import LONGEST, LOOK_AFTER, Watchdog
    from tests.ui.workday import Workday

    app = application.make_application()
    window = application.make_window(app, ("--light", "--language=en"))
    window.show()
    read_ahead.start().join()  # a steward needs longer to choose a file
    dog = Watchdog(stacks=stacks)
    day = Workday(window, folder, dog)
    day.read(folder.parent / "million.csv")
    day.read(folder.parent / "own.csv")
    day.turn()
    day.rehearse()
    if method != METHODS[0]:
        day.choose(method)
    day.agree()
    day.seal()
    day.partner_seals(folder.parent / "partner.csv")
    day.match()
    for during in dict.fromkeys(gap.during for gap in dog.gaps):
        worst = dog.worst(during)
        print(f"{worst}{'  LATE' if worst.wall > LONGEST else ''}", flush=True)
    for gap in dog.gaps:
        if gap.wall > LOOK_AFTER and gap.stacks:
            print(f"\n--- {gap}\n{gap.stacks}", file=sys.stderr)
    late = len(dog.late())
    window.close()
    return late


def forget_libraries() -> None:
    """Out of the system's memory; those in use by other programs stay."""
    from pprl_desktop.ui.kit import read_ahead

    for package in read_ahead.PACKAGES:
        for path in read_ahead.libraries_of(package):
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main() -> None:
    arguments = sys.argv[1:]
    stacks = "--stacks" in arguments
    method = next((one for one in arguments if one in METHODS), METHODS[0])
    numbers = [int(one) for one in arguments if one.isdigit()]
    with tempfile.TemporaryDirectory() as name:
        if "--inside" in arguments:
            place = Path(arguments[arguments.index("--inside") + 1])
            sys.exit(1 if one_run(place, method, stacks) else 0)
        from tests.ui.workday import many_people

        folder = Path(name)
        many_people(folder / "million.csv", ROWS["reading"])
        many_people(folder / "own.csv", ROWS["day"], 1)
        many_people(folder / "partner.csv", ROWS["day"], 2)
        failed = 0
        for run in range(numbers[0] if numbers else 3):
            (folder / f"run{run}").mkdir()
            call = [sys.executable, "-m", "tests.benchmarks.watchdog", "--inside", str(folder / f"run{run}")]
            print(f"run {run + 1}", flush=True)
            if "--cold" in arguments:
                forget_libraries()
            ended = subprocess.run([*call, method, *(["--stacks"] if stacks else [])], check=False).returncode
            if ended not in (0, 1):
                print(f"ended with {ended}", flush=True)
            failed += ended != 0
        print(f"{failed} runs with a gap over 0.1 s")


if __name__ == "__main__":
    main()
