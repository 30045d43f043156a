"""Precision and recall of split-svm on sets with truth, one-to-one, threshold without labels.

python tests/benchmarks/split_quality.py [--sets A,B] [--kernels linear,rbf] [--reference us-200]
Needs the benchmark pairs beside the project; truth is used to score only.
"""

from __future__ import annotations

import argparse
import csv
import time
from itertools import pairwise
from pathlib import Path

from pprl_desktop.codes.base import Recipe, Settings, method
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.decisions.learn import learn as learned
from pprl_desktop.matching.match import match
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.reading import read_table
from pprl_desktop.reference.load import reference_set

PAIRS = Path(__file__).resolve().parents[3] / "shared" / "data" / "pairs"


def figures(name: str, fields: tuple[Field, ...], kernel: str, reference: str, seed: int) -> str:
    read = [read_table(PAIRS / name / f"{side}.csv").table for side in "ab"]
    own, partner = (clean(table, fields, {}) for table in read)
    places = [{cell: row for row, cell in enumerate(table.column("rec_id").cells())} for table in read]
    with (PAIRS / name / "truth.csv").open(encoding="utf-8", newline="") as file:
        truth = {(places[0][row["id_a"]], places[1][row["id_b"]]) for row in csv.DictReader(file)}
    settings = Settings(decision="svm", kernel="rbf" if kernel == "rbf" else "linear")
    recipe = Recipe("split-svm", fields, settings, reference_set(reference))
    svm = method("split-svm")
    times = [time.perf_counter()]
    a, b = (svm.smash(table, recipe, NO_PROGRESS) for table in (own, partner))
    times.append(time.perf_counter())
    rule = learned(own, a, recipe, seed, NO_PROGRESS)
    times.append(time.perf_counter())
    made = match(a, b, rule, MatchOptions())
    times.append(time.perf_counter())
    taken = made.accepted()
    found = set(zip(made.scored.own[taken].tolist(), made.scored.partner[taken].tolist(), strict=True))
    right = len(found & truth)
    smash, learn, join = (later - earlier for earlier, later in pairwise(times))
    return (
        f"{name:18} {kernel:7} {reference:8} "
        f"precision {right / max(len(found), 1):.4f} recall {right / len(truth):.4f} "
        f"F1 {2 * right / (len(found) + len(truth)):.4f}  expected precision {made.expected['precision']:.3f} "
        f"({made.expected['precision_low']:.3f} to {made.expected['precision_high']:.3f})  "
        f"smash {smash:.2f} s, learn {learn:.2f} s, match {join:.2f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="ncvr_mp_5k_e1,ncvr_mp_20k_e1,ncvr_mp_50k_e1")
    parser.add_argument("--fields", default="last_name,first_name,middle_name")
    parser.add_argument("--kernels", default="linear,rbf")
    parser.add_argument("--reference", default="us-200")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    fields = tuple(Field.of(*text.split(":")) for text in asked.fields.split(","))
    for name in asked.sets.split(","):
        for kernel in asked.kernels.split(","):
            print(figures(name, fields, kernel, asked.reference, asked.seed), flush=True)


if __name__ == "__main__":
    main()
