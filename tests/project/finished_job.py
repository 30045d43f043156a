"""Makes the fixture of a whole finished job: project, keys, agreement, sealed files, ledger, review, report.

    python -m tests.project.finished_job        adds fixtures/finished_layout_N.tar.xz for a layout that has none yet

Fifty of the sample's invented people per side, so that the file stays small. A fixture is never made anew: a file that
today's program writes proves nothing about tomorrow's. Paths in it are relative to the folder it is unpacked into.
"""

from __future__ import annotations

import csv
import os
import shutil
import sqlite3
import sys
import tarfile
import tempfile
from fractions import Fraction
from pathlib import Path

from pprl_desktop import resources
from pprl_desktop.job import demo
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.job.reviewing import ReviewPlan, look_at, make_review
from pprl_desktop.project import store
from pprl_desktop.project.project import Project

FIXTURES = Path(__file__).resolve().parent / "fixtures"
SHARED, ALONE = 30, 20  # people on both sides, and on one side only
SIDE = "hospital_a"
STEPS = ("data", "fields", "method", "agreement", "export", "partner", "match", "results", "review", "finish")


def fixture_of(layout: int) -> Path:
    return FIXTURES / f"finished_layout_{layout}.tar.xz"


def make(target: Path) -> None:
    before, real = Path.cwd(), resources.root
    with tempfile.TemporaryDirectory() as scratch:
        small = _small_samples(Path(scratch) / "resources", real())
        job = Path(scratch) / "job"
        job.mkdir()
        os.chdir(job)
        resources.root = lambda: small
        try:
            demo.run_demo(Path("demo"))
            _keep_one_side(small)
        finally:
            resources.root = real
            os.chdir(before)
        with tarfile.open(target, "w:xz") as archive:
            archive.add(job, arcname=".")


def _small_samples(folder: Path, real: Path) -> Path:
    """Resources with fewer people in the sample."""
    (folder / "samples").mkdir(parents=True)
    for item in real.iterdir():
        if item.name != "samples":
            (folder / item.name).symlink_to(item, target_is_directory=item.is_dir())
    with (real / "samples" / "truth.csv").open(encoding="utf-8", newline="") as file:
        truth = list(csv.reader(file))
    kept = truth[1 : SHARED + 1]
    _write(folder / "samples" / "truth.csv", [truth[0], *kept])
    for side, name in enumerate(("hospital_a", "hospital_b")):
        with (real / "samples" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            head, *rows = list(csv.reader(file))
        both, wanted = {pair[side] for pair in truth[1:]}, {pair[side] for pair in kept}
        alone = [row for row in rows if row[0] not in both][:ALONE]
        _write(folder / "samples" / f"{name}.csv", [head, *(row for row in rows if row[0] in wanted), *alone])
    return folder


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _keep_one_side(small: Path) -> None:
    """The first steward's folder with a review in it, and the table; every path relative."""
    for name in ("hospital_a.csv", "hospital_b.csv"):
        shutil.copyfile(small / "samples" / name, name)
    side = Path("demo") / SIDE
    path = side / f"{SIDE}.pprlproject"
    with Project.open(path) as project:
        choices = project.choices
        second = look_at(Path("hospital_b.csv"), choices.fields)
        plan = ReviewPlan(second.path, second.columns, second.id_column, budget=Fraction(1, 2), audit=4)
        choices = choices.changed(table_path="hospital_a.csv")
        review = make_review(OwnTable(), choices, plan, side / "uncertain.review", demo.PASSPHRASE)
        with review:
            session = review.session()
            session.reveal(choices.fields[0].name)
            session.decide(6)
        post = Path("demo") / "post"
        project.change(
            "Keep the job in this folder",
            table_path="hospital_a.csv",
            home=(side / "keys").as_posix(),
            bundle_path=(post / "bundle_of_a.pprl").as_posix(),
            partner_path=(post / "bundle_of_b.pprl").as_posix(),
            result_path=(post / "result_of_a.pprl").as_posix(),
            partner_result_path=(post / "result_of_b.pprl").as_posix(),
            review_path=(side / "uncertain.review").as_posix(),
            output_folder=side.as_posix(),
        )
        for step in STEPS:
            project.confirm(step)
    shutil.rmtree(Path("demo") / "hospital_b")
    for file in Path().rglob("*"):
        if file.suffix in (".pprlproject", ".db", ".sqlite"):  # one file, without its log beside it
            db = sqlite3.connect(file)
            db.execute("PRAGMA journal_mode = DELETE")
            db.execute("VACUUM")
            db.close()


if __name__ == "__main__":
    made = fixture_of(store.SCHEMA_VERSION)
    if made.exists():
        sys.exit(f"{made.name} is there already and is never made anew.")
    make(made)
    print(f"{made.name}: {made.stat().st_size:,} bytes")
