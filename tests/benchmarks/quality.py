"""Quality of the private methods on the benchmark pairs, against Splink and anonlink on the clear columns.

    python -m tests.benchmarks.quality [--sets A,B] [--methods bloom,split] [--epsilon E] [--rivals PYTHON]
                                       [--reliability]

Fields and kinds are given as a steward would give them; nothing else depends on the set. Each row prints precision,
recall and F1 of the reconciled result of both parties, with the thresholds chosen by the program. A rival is shown at
its usual threshold (Splink .5, anonlink .8) and, in the last column, with the F1 of the threshold that the truth shows
to be its best: more than anyone could ask of it. Splink is trained in three usual ways (on blocks that agree on two
columns, the same with a fixed share of matches, and on one column); the best one counts. PYTHON is an interpreter that
has `splink` 5 with pandas, and `anonlink`, `clkhash` with `setuptools<81`; without it the rivals are left out.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.decisions.base import MatchOptions
from pprl_desktop.evaluation.play import Play, pairs_of_ids, play
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Table

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "pairs"
RIVALS = Path(__file__).with_name("quality_rivals.py")
NAMES = "last_name:name first_name:name middle_name:name"
PERSON = f"{NAMES} birth_year:number birth_place:category gender:category"

# folder | fields (own column|partner's column:kind) | one-to-one
SETS: dict[str, tuple[str, str, bool]] = {
    "mp_10k_e5": ("ncvr_mp_10k_e5", NAMES, True),
    "temporal_5k": ("ncvr_temporal_5k", PERSON, True),
    "temporal_10k": ("ncvr_temporal_10k", PERSON, True),
    "temporal_10k+": ("ncvr_temporal_10k", f"{PERSON} zip:id city:text", True),
    "fake1000": ("splink_fake1000", "first_name:name surname:name dob:date city:text email:text", False),
    "de_time": (
        "de_time_1k",
        "firstName:name lastName:name nameAtBirth:name dateOfBirth:date placeOfBirth:text plz:id city:text",
        True,
    ),
    "oz_mod": ("oz_4k_mod", "givenname:name surname:name suburb:text postcode:id", True),
    "missing_4k": ("ncvr_missing_4k", f"{NAMES} birth_year:number zip_code:id", True),
    "rldata500": (
        "rldata500",
        "fname_c1:name fname_c2:name lname_c1:name lname_c2:name by:number bm:number bd:number",
        True,
    ),
    "fakename_e5": ("fakename_10k_e5", "GivenName:name Surname:name Birthday:date", True),
    "intl_de": ("intl_de_de", "last_name:name first_name:name birth_date:date city:text", True),
    "pseudopeople": (
        "pseudopeople_census_ssa",
        "first_name:name middle_initial|middle_name:name last_name:name date_of_birth:date sex:category",
        True,
    ),
    "anu_ocp20": ("ncvr_anu_5k_ocp20", "givenname:name surname:name suburb:text postcode:id", True),
    "febrl4": (
        "febrl4",
        "given_name:name surname:name date_of_birth:date suburb:text postcode:id address_1:text",
        True,
    ),
}  # fmt: skip

# threshold of each rival: match weight in bits (0: even odds), Dice
USUAL = {"splink": 0.0, "splink_loose": 0.0, "splink_fixed": 0.0, "anonlink": 0.8}
PATIENCE = 240  # seconds a rival gets
Truth = set[tuple[int, int]]
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0)


def read(path: Path) -> Table:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    return Table.of(rows[0], rows[1:])


def load(name: str) -> tuple[CleanTable, CleanTable, Truth, bool]:
    folder, wanted, one_to_one = SETS[name]
    fields, left, right = [], {}, {}
    for item in wanted.split():
        columns, kind = item.rsplit(":", 1)
        own, _, partner = columns.partition("|")
        fields.append(Field.of(own, kind))
        left[own], right[own] = own, partner or own
    a, b = read(DATA / folder / "a.csv"), read(DATA / folder / "b.csv")
    with (DATA / folder / "truth.csv").open(newline="") as file:
        ids = [(row[0], row[1]) for row in list(csv.reader(file))[1:]]
    pairs = pairs_of_ids(a.column("rec_id").cells(), b.column("rec_id").cells(), ids)
    return clean(a, fields, left), clean(b, fields, right), {(int(x), int(y)) for x, y in pairs}, one_to_one


def figures(found: Truth, truth: Truth) -> tuple[float, float, float]:
    right = len(found & truth)
    return right / max(len(found), 1), right / max(len(truth), 1), 2 * right / max(len(found) + len(truth), 1)


def recipe_for(name: str, table: CleanTable, one_to_one: bool, epsilon: float | None) -> Recipe:
    made = method(name)
    settings = replace(
        made.defaults(), direction=of_flag(one_to_one), epsilon=epsilon, layout="field", decision="adaptive"
    )
    recipe = Recipe(name, table.fields, settings, secret=b"benchmark secret of 32 bytes....")
    if made.uses_reference:
        from pprl_desktop.codes.mapping import default_mapping
        from pprl_desktop.reference.load import reference_set

        reference = reference_set("us-200")
        recipe = replace(recipe, reference=reference, mapping=default_mapping(table.fields, reference))
    return recipe


def private(name: str, a: CleanTable, b: CleanTable, one_to_one: bool, epsilon: float | None) -> Play:
    return play(a, b, recipe_for(name, a, one_to_one, epsilon), MatchOptions(of_flag(one_to_one)))


def rival(
    python: str, name: str, a: CleanTable, b: CleanTable, one_to_one: bool
) -> dict[tuple[int, int], float] | None:
    job = {
        "rival": name,
        "one_to_one": one_to_one,
        "kinds": {field.name: field.kind for field in a.fields},
        "a": {column.name: column.cells() for column in a.columns},
        "b": {column.name: column.cells() for column in b.columns},
    }
    try:
        done = subprocess.run(
            [python, str(RIVALS)], input=json.dumps(job), capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        print(f"  {name}: no answer within {PATIENCE} s", file=sys.stderr)
        return None
    if done.returncode:
        print(f"  {name} failed: {' | '.join(done.stderr.strip().splitlines()[-3:])}", file=sys.stderr)
        return None
    return {(int(x), int(y)): float(score) for x, y, score in json.loads(done.stdout.strip().splitlines()[-1])}


def best_f1(scored: dict[tuple[int, int], float], truth: Truth) -> float:
    """The F1 of the best threshold, known only to who knows the truth."""
    order = sorted(scored, key=lambda pair: -scored[pair])
    right = np.cumsum([pair in truth for pair in order])
    last = np.flatnonzero(np.diff([scored[pair] for pair in order], append=-np.inf))  # equal scores go together
    return float(max((2 * right[last] / (last + 1 + len(truth))), default=0.0))


def reliability(made: Play, truth: Truth) -> list[tuple[str, int, float, float]]:
    """Predicted against true share of matches, among the pairs that survive the assignment at the first party."""
    scored, chosen = made.a.match.scored, made.a.match.chosen
    probability = scored.probability[chosen]
    own, partner = scored.own[chosen].tolist(), scored.partner[chosen].tolist()
    is_true = np.array([pair in truth for pair in zip(own, partner, strict=True)], dtype=bool)
    rows = []
    for low, high in itertools.pairwise(BINS):
        here = (probability >= low) & ((probability < high) | (high == 1.0))
        if here.any():
            rows.append(
                (f"{low:.2f}-{high:.2f}", int(here.sum()), float(probability[here].mean()), float(is_true[here].mean()))
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default="bloom,split")
    parser.add_argument("--epsilon", type=float, default=None)
    parser.add_argument("--rivals", default="", help="an interpreter that has splink and anonlink")
    parser.add_argument("--reliability", action="store_true")
    args = parser.parse_args()
    print(f"{'set':<14} {'method':<12} {'P':>6} {'R':>6} {'F1':>6} {'exp. P':>6} {'exp. R':>6} {'s':>6}")
    for name in args.sets.split(","):
        a, b, truth, one_to_one = load(name)
        for which in [one for one in args.methods.split(",") if one]:
            since = time.perf_counter()
            made = private(which, a, b, one_to_one, args.epsilon)
            p, r, f = figures({(int(x), int(y)) for x, y in made.linked}, truth)
            expected = made.a.match.expected
            print(
                f"{name:<14} {which:<12} {p:6.3f} {r:6.3f} {f:6.4f} {expected.get('precision', np.nan):6.3f} "
                f"{expected.get('recall', np.nan):6.3f} {time.perf_counter() - since:6.1f}",
                flush=True,
            )
            if args.reliability:
                for band, count, predicted, true in reliability(made, truth):
                    print(f"    {band:<10} {count:6d} pairs  predicted {predicted:.3f}  true {true:.3f}", flush=True)
        for which in USUAL if args.rivals else ():
            since = time.perf_counter()
            scored = rival(args.rivals, which, a, b, one_to_one)
            if scored is not None:
                p, r, f = figures({pair for pair, one in scored.items() if one >= USUAL[which]}, truth)
                print(
                    f"{name:<14} {which:<12} {p:6.3f} {r:6.3f} {f:6.4f} {'':13} {time.perf_counter() - since:6.1f} "
                    f"best {best_f1(scored, truth):6.4f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
