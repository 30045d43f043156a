"""Precision and recall of the record-level methods: `python -m tests.benchmarks.scan_quality [DATA]`.

DATA holds a folder per set with a.csv, b.csv and truth.csv (febrl4 here). Both parties play as in the product:
one-to-one, threshold chosen without labels. `said` is the precision the program itself expects.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from pprl_desktop.codes.base import Recipe, Settings
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.evaluation.play import pairs_of_ids, play
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.reading import read_table

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "pairs"
FIELDS = {
    "given_name": "name", "surname": "name", "date_of_birth": "date", "suburb": "text", "postcode": "id",
    "address_1": "text",
}  # fmt: skip
# method, epsilon per bit, noise, least precision, least recall
GOALS = (
    ("simhash", None, "one-sided", 0.99, 0.98),
    ("simhash", 5.0, "one-sided", 0.99, 0.98),
    ("simhash", 2.0, "one-sided", 0.99, 0.97),
    ("simhash", 1.0, "one-sided", 0.97, 0.93),
    ("simhash", 0.5, "one-sided", 0.0, 0.0),
    ("simhash", 2.0, "two-sided", 0.0, 0.0),
    ("bloom", None, "one-sided", 0.99, 0.98),
    ("bloom", 2.0, "one-sided", 0.0, 0.0),
)


def main(data: Path = SHARED) -> None:
    folder = data / "febrl4"
    tables = [read_table(folder / f"{side}.csv").table for side in "ab"]
    fields = tuple(Field.of(name, kind) for name, kind in FIELDS.items())
    a, b = (clean(table, fields, {name: name for name in FIELDS}) for table in tables)
    with open(folder / "truth.csv", encoding="utf-8", newline="") as file:
        truth = [(row["id_a"], row["id_b"]) for row in csv.DictReader(file)]
    true = set(map(tuple, pairs_of_ids(*(table.column("rec_id").cells() for table in tables), truth).tolist()))
    settings = Settings(decision="threshold", layout="record")
    print(f"{'method':<10}{'epsilon':>8}  {'noise':<10}{'precision':>10}{'recall':>8}{'said':>7}   goal")
    for name, epsilon, noise, precision, recall in GOALS:
        recipe = Recipe(name, fields, replace(settings, epsilon=epsilon, noise=noise), secret=bytes(32))
        done = play(a, b, recipe, MatchOptions())
        found = set(map(tuple, done.linked.tolist()))
        right = len(found & true)
        reached = right / max(len(found), 1), right / len(true)
        goal = "" if not precision else "reached" if reached[0] >= precision and reached[1] >= recall else "MISSED"
        said = np.mean([side.match.expected.get("precision", np.nan) for side in (done.a, done.b)])
        shown = f"{epsilon:g}" if epsilon else "none"
        print(f"{name:<10}{shown:>8}  {noise:<10}{reached[0]:>10.4f}{reached[1]:>8.4f}{said:>7.3f}   {goal}")


if __name__ == "__main__":
    main(*(Path(each) for each in sys.argv[1:2]))
