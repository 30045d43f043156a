"""Checks the frozen program as a steward's computer would run it: nothing of Python in its environment, no PATH.

    python packaging/check.py dist/pprl-desktop/pprl-desktop

Every verb that reaches another library is called: all methods, sealing, the review, the attack rehearsal, the window.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

METHODS = {"split", "split-svm", "simhash", "bloom", "dp-nn", "plain"}
F1_FROM = 0.7  # on the sample; less means that a library is broken, not that a method is weak
SHIPPED = {"python", "numpy", "scipy", "scikit-learn", "numba", "llvmlite", "cryptography", "shiboken6"}  # among others
SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "samples"
FIELDS = "last_name,first_name,birth_date:date"
COLUMNS_B = "surname,given_name,dob"
WORDS = "four quite unrelated words"
KEPT = ("TEMP", "TMP", "SYSTEMROOT", "LANG")  # of this computer's environment; Windows programs need the third


class Frozen:
    """The program under test, with a home of its own."""

    def __init__(self, program: Path, scratch: Path, wrapper: Sequence[str] = ()) -> None:
        self.program, self.scratch = program, scratch
        self.wrapper = [shutil.which(word) or word for word in wrapper[:1]] + list(
            wrapper[1:]
        )  # it runs without a PATH
        home = scratch / "home"
        home.mkdir(exist_ok=True)
        self.env = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.env |= {"HOME": str(home), "USERPROFILE": str(home), "APPDATA": str(home), "LOCALAPPDATA": str(home)}
        self.env |= {"QT_QPA_PLATFORM": "offscreen", "PATH": "", "PPRL_PASSPHRASE": WORDS}

    def run(self, *arguments: str, code: int = 0) -> str:
        """What it printed; ends the check when the exit code is another one."""
        done = subprocess.run(
            [*self.wrapper, str(self.program), *arguments],
            capture_output=True, text=True, encoding="utf-8", env=self.env, cwd=self.scratch,
        )  # fmt: skip
        if done.returncode != code:
            raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        if "Traceback" in done.stderr:
            raise SystemExit(f"{' '.join(arguments)} wrote a traceback:\n{done.stderr}")
        return done.stdout


def check(program: Path, wrapper: Sequence[str] = ()) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        frozen = Frozen(program.resolve(), Path(scratch), wrapper)
        for one in (version, demo, methods, rehearsal, review, refusal, about, tour):
            start = time.perf_counter()
            found = one(frozen)
            print(f"{one.__name__:<10}{time.perf_counter() - start:6.1f} s  {found}", flush=True)


def version(frozen: Frozen) -> str:
    return frozen.run("--version").strip()


def demo(frozen: Frozen) -> str:
    """Keys, sealing, matching on both sides, results, report."""
    frozen.run("demo", "--headless", "--out", "demo")
    made = sorted(path.name for path in (frozen.scratch / "demo" / "post").iterdir())
    for side in ("hospital_a", "hospital_b"):
        if not (frozen.scratch / "demo" / side / "linked.csv").stat().st_size:
            raise SystemExit(f"{side} has no linked table.")
    return f"{len(made)} sealed files"


def methods(frozen: Frozen) -> str:
    """Every method on the sample, scored."""
    answer = json.loads(
        frozen.run(
            "evaluate", str(SAMPLE / "hospital_a.csv"), str(SAMPLE / "hospital_b.csv"),
            "--truth", str(SAMPLE / "truth.csv"), "--id", "patient_no", "--id-b", "case_id",
            "--fields", FIELDS, "--columns-b", COLUMNS_B, "--compare", "--json",
        )
    )  # fmt: skip
    best: dict[str, float] = {}
    for row in answer["rows"]:
        best[row["method"]] = max(row["f1"], best.get(row["method"], 0.0))
    if not set(best) >= METHODS:
        raise SystemExit(f"Methods that gave no figures: {METHODS - set(best)}")
    weak = [name for name in METHODS if best[name] < F1_FROM]
    if weak:
        raise SystemExit(f"Methods that find too little from the bundle: {weak}")
    return ", ".join(f"{name} {best[name]:.3f}" for name in sorted(METHODS))


def rehearsal(frozen: Frozen) -> str:
    table = str(SAMPLE / "hospital_a.csv")
    frozen.run("rehearse", table, "--fields", FIELDS, "--sample", "100", "--no-changes", "--json")
    return "100 records attacked"


def review(frozen: Frozen) -> str:
    """A review from two tables: masked, opened, decided, its ledger verified."""
    pairs = (SAMPLE / "truth.csv").read_text(encoding="utf-8").splitlines()[:6]
    (frozen.scratch / "pairs.csv").write_text("\n".join(pairs) + "\n", encoding="utf-8")
    frozen.run(
        "review", "create", "r", "--a", str(SAMPLE / "hospital_a.csv"), "--b", str(SAMPLE / "hospital_b.csv"),
        "--pairs", "pairs.csv", "--id", "patient_no", "--id-b", "case_id", "--fields", FIELDS,
        "--columns-b", COLUMNS_B, "--budget", "0.9",
    )  # fmt: skip
    frozen.run("review", "next", "r")
    frozen.run("review", "reveal", "r", "last_name", "--level", "full")
    frozen.run("review", "decide", "r", "6")
    frozen.run("review", "verify", "r")
    return f"{len(pairs) - 1} pairs, ledger verified"


def refusal(frozen: Frozen) -> str:
    """A wrong word is answered with a sentence and code 2 from the bundle too."""
    frozen.run("profile", "no-such-file.csv", code=2)
    return "said in a sentence"


def about(frozen: Frozen) -> str:
    """The bill of materials and the licence texts, where the About page looks for them."""
    folder = next(frozen.program.parent.parent.rglob("sbom.cdx.json")).parent
    parts = json.loads((folder / "sbom.cdx.json").read_text(encoding="utf-8"))["components"]
    texts = (folder / "licences.txt").read_text(encoding="utf-8")
    missing = [part["name"] for part in parts if f"{part['name']} {part.get('version', '')}".strip() not in texts]
    missing += sorted(SHIPPED - {part["name"].lower() for part in parts})
    if missing:
        raise SystemExit(f"The About page does not name everything that ships: {missing}")
    return f"{len(parts)} components with their licences"


def tour(frozen: Frozen) -> str:
    """Every page and plot of the window."""
    frozen.run("tour", "--out", "tour", "--demo", "demo")
    pictures = list((frozen.scratch / "tour").rglob("*.png"))
    if not [path for path in pictures if path.name.startswith("about")]:
        raise SystemExit("The tour did not come to its last page.")
    return f"{len(pictures)} pictures of the window"


if __name__ == "__main__":
    check(Path(sys.argv[1]))
