"""Splink and anonlink on clear columns, for quality.py. Runs under an interpreter that has them; needs nothing else.

Reads one JSON object from standard input: kinds {field: kind}, a and b {field: [cells]}, one_to_one, rival.
Writes one JSON list of [row in a, row in b, score], from well below the rival's usual threshold, so that the caller can
also look for the threshold that would have served the rival best.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import sys
import warnings

warnings.filterwarnings("ignore")


SPLINK_LOWEST = 0.01  # probability; .5 is what it is asked for
ANONLINK_LOWEST = 0.75  # Dice; .8 is documented, and below .75 common names alone fill the memory


def splink(job: dict, strictly: bool = True, fixed: bool = False) -> list[tuple[int, int, float]]:
    """As its tutorial does it: library comparisons by kind of column, term frequencies, EM on blocks.

    The tutorial trains on blocks that agree on two columns (`strictly`) and on blocks that agree on one; which serves
    better depends on the data, so both are measured; and the first also with the share of matches held (`fixed`), which
    keeps EM from running away where it can. A training that breaks off would leave its m unset and spoil the
    figures, so nothing that it raises is swallowed.
    """
    import logging

    import pandas as pd
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on
    from splink.internals import expectation_maximisation

    logging.disable(logging.CRITICAL)
    fields = list(job["kinds"])
    frames = []
    for side in "ab":
        frame = pd.DataFrame(
            {f"f{k}": [c or None for c in job[side][name]] for k, name in enumerate(fields)}, dtype="string"
        )
        frame["unique_id"] = range(len(frame))
        frames.append(frame)
    comparisons, selective = [], []
    for k, name in enumerate(fields):
        kind, column = job["kinds"][name], f"f{k}"
        if kind == "name":
            made = cl.JaroWinklerAtThresholds(column, [0.92, 0.88, 0.7])
        elif kind == "text":
            made = cl.JaroWinklerAtThresholds(column, [0.9, 0.8])
        elif kind == "category":
            made = cl.ExactMatch(column)
        else:
            made = cl.DamerauLevenshteinAtThresholds(column, [1, 2])
        comparisons.append(made.configure(term_frequency_adjustments=True))
        distinct = pd.concat([frames[0][column], frames[1][column]]).nunique()
        selective.append((distinct, column))
    selective.sort(reverse=True)
    best = [column for distinct, column in selective if distinct > 20] or [selective[0][1]]
    # exact blocking alone would lose sets in which every field has slips: the first letters are added
    rules = [block_on(column) for column in best[:5]] + [block_on(f"substr({column}, 1, 3)") for column in best[:3]]
    settings = SettingsCreator(
        link_type="link_only", comparisons=comparisons, blocking_rules_to_generate_predictions=rules, max_iterations=20
    )
    database = DuckDBAPI()
    tables = [database.register(frame, dataset_display_name=name) for frame, name in zip(frames, "ab", strict=True)]
    linker = Linker(tables, settings)
    pairs = list(itertools.combinations(best[:3], 2)) or [(best[0],)]
    strict = [block_on(*pair) for pair in pairs]
    linker.training.estimate_probability_two_random_records_match(strict, recall=0.7)
    linker.training.estimate_u_using_random_sampling(max_pairs=2e6)
    expectation_maximisation.populate_m_u_from_lookup = _unseen(expectation_maximisation.populate_m_u_from_lookup)
    # each column must be trained outside some block: with two columns, pairs will not do
    for rule in strict if strictly and len(best) > 2 else rules[: min(len(best), 3)]:
        linker.training.estimate_parameters_using_expectation_maximisation(
            rule, fix_probability_two_random_records_match=fixed
        )
    found = linker.inference.predict(threshold_match_probability=SPLINK_LOWEST)
    found = found.as_pandas_dataframe()
    # the weight in bits, not the probability: strong pairs would all be 1.0, and greedy would choose among them blindly
    from_a = (found["source_dataset_l"].astype(str) == "a").tolist()
    ends = zip(from_a, found["unique_id_l"], found["unique_id_r"], found["match_weight"], strict=True)
    scored = [(int(x if is_a else y), int(y if is_a else x), float(one)) for is_a, x, y, one in ends]
    return _greedy(scored) if job["one_to_one"] else scored


def splink_loose(job: dict) -> list[tuple[int, int, float]]:
    return splink(job, strictly=False)


def splink_fixed(job: dict) -> list[tuple[int, int, float]]:
    return splink(job, fixed=True)


def _unseen(populate):
    """Splink 5 breaks off where no match of a block has a level (m = 0); here it counts as a level never seen."""

    def forgiving(fixed, level, column, lookup):
        seen = {value: row for value, row in lookup.get(column, {}).items() if row["m_probability"] > 1e-300}
        populate(fixed, level, column, {**lookup, column: seen})

    return forgiving


def anonlink(job: dict) -> list[tuple[int, int, float]]:
    """CLKs by clkhash, 1024 bits, Dice, its greedy way of one-to-one."""
    import anonlink as al
    from clkhash import clk, comparators
    from clkhash.field_formats import BitsPerFeatureStrategy, FieldHashingProperties, StringSpec
    from clkhash.schema import Schema

    fields = list(job["kinds"])
    features = []
    for name in fields:
        by_place = job["kinds"][name] in ("date", "id", "number")
        hashing = FieldHashingProperties(
            comparator=comparators.NgramComparison(2, by_place), strategy=BitsPerFeatureStrategy(200)
        )
        features.append(StringSpec(name, hashing, case="mixed", min_length=0))
    schema = Schema(features, 1024)
    filters = []
    for side in "ab":
        text = io.StringIO(newline="")
        csv.writer(text).writerows([fields, *zip(*(job[side][name] for name in fields), strict=True)])
        text.seek(0)
        filters.append(clk.generate_clk_from_csv(text, "secret", schema, validate=False, progress_bar=False))
    found = al.candidate_generation.find_candidate_pairs(filters, al.similarities.dice_coefficient, ANONLINK_LOWEST)
    dice, (first, _), (x, y) = found
    ends = zip(dice, first, x, y, strict=True)
    scored = [(int(i if d == 0 else j), int(j if d == 0 else i), float(one)) for one, d, i, j in ends]
    return _greedy(scored) if job["one_to_one"] else scored


def _greedy(scored: list[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """Best first, each row once: a higher threshold then only cuts the end off."""
    used_a: set[int] = set()
    used_b: set[int] = set()
    pairs = []
    for x, y, one in sorted(scored, key=lambda pair: (-pair[2], pair[0], pair[1])):
        if x not in used_a and y not in used_b:
            used_a.add(x)
            used_b.add(y)
            pairs.append((x, y, one))
    return pairs


if __name__ == "__main__":
    task = json.load(sys.stdin)
    rivals = {"splink": splink, "splink_loose": splink_loose, "splink_fixed": splink_fixed, "anonlink": anonlink}
    json.dump(rivals[task["rival"]](task), sys.stdout)
