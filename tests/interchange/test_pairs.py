"""Pairs for Splink and R: documented columns, every pair that was kept, numbers any program reads."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pprl_desktop.cli import main
from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW, Match, Scored
from pprl_desktop.interchange import pairs
from pprl_desktop.resources import root


def match() -> Match:
    scored = Scored(
        np.array([0, 1, 2, 3], np.int32), np.array([5, 4, 3, 2], np.int32), np.array([1.0, 9.0, 5.0, 0.1]),
        np.array([0.6, 1.0, np.nan, 0.01]), np.array([[1, 2], [3, np.nan], [-1, 0.5], [0, 0]], np.float32),
        ("last_name", "=born"), 5.0, 24,
    )  # fmt: skip
    band = np.array([REVIEW, ACCEPT, ACCEPT, REJECT], np.int8)
    return Match(scored, band != REJECT, band, 5.0, 0.5, 0, {})


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source))


def test_columns_are_those_that_are_documented(tmp_path: Path) -> None:
    assert pairs.write_pairs(tmp_path / "p.csv", match()) == 3
    rows = read(tmp_path / "p.csv")
    assert list(rows[0]) == [*pairs.COLUMNS, "evidence_last_name", "evidence_'=born"]
    assert pairs.__doc__ is not None
    assert all(name in pairs.__doc__ for name in pairs.COLUMNS)
    assert [(one["unique_id_l"], one["unique_id_r"], one["band"]) for one in rows] == [
        ("2", "5", "accept"), ("3", "4", "accept"), ("1", "6", "review"),
    ]  # fmt: skip


def test_the_weight_is_log2_of_the_odds_and_what_is_not_known_is_empty(tmp_path: Path) -> None:
    pairs.write_pairs(tmp_path / "p.csv", match())
    sure, unknown, open_ = read(tmp_path / "p.csv")
    assert float(open_["match_weight"]) == round(math.log2(0.6 / 0.4), 4)
    assert math.isfinite(float(sure["match_weight"])), "a probability of one has a finite weight"
    assert (unknown["match_weight"], unknown["match_probability"]) == ("", "")
    assert sure["evidence_'=born"] == "", "a missing field says nothing"


def test_own_ids_can_name_the_rows_and_no_cell_is_run(tmp_path: Path) -> None:
    pairs.write_pairs(tmp_path / "p.csv", match(), ["a", "=2+3", "c", "d"])
    assert [one["unique_id_l"] for one in read(tmp_path / "p.csv")] == ["'=2+3", "c", "a"]


SPLINK = """
import sys
import pandas
from splink import DuckDBAPI
from splink.clustering import cluster_pairwise_predictions_at_threshold

pairs = pandas.read_csv(sys.argv[1], dtype={"unique_id_l": str, "unique_id_r": str})
for side in "lr":
    pairs[side] = pairs["source_dataset_" + side] + "-" + pairs["unique_id_" + side]
people = pandas.DataFrame({"node": pandas.concat([pairs["l"], pairs["r"]]).unique()})
made = cluster_pairwise_predictions_at_threshold(
    people, pairs, DuckDBAPI(), node_id_column_name="node", edge_id_column_name_left="l",
    edge_id_column_name_right="r", threshold_match_probability=0.5,
).as_pandas_dataframe()
print(len(people), made.cluster_id.nunique())
"""
R = """
d <- read.csv(commandArgs(TRUE)[1], colClasses = c(unique_id_l = "character", unique_id_r = "character"))
stopifnot(is.numeric(d$match_probability), is.numeric(d$match_weight), all(diff(d$score) <= 0))
stopifnot(all(abs(d$match_probability - 1 / (1 + 2 ^ -d$match_weight)) < 1e-4, na.rm = TRUE))
cat(nrow(d), sum(d$band == "accept"), sum(startsWith(names(d), "evidence_")))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """Pairs of the sample's hospitals as 'evaluate' and 'match' write them."""
    place = tmp_path_factory.mktemp("pairs")
    samples = root() / "samples"
    text, day = {"type": "string", "case": "upper"}, {"type": "date", "format": "%Y-%m-%d"}
    hashing = {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerFeature": 200},
               "missingValue": {"sentinel": ""}}  # fmt: skip
    schema = {"version": 3, "clkConfig": {"l": 1024, "kdf": {"type": "HKDF"}}, "features": [
        {"identifier": name, "format": form, "hashing": hashing}
        for name, form in (("last_name", text), ("first_name", text), ("birth_date", day), ("city", text))
    ]}  # fmt: skip
    (place / "schema.json").write_text(json.dumps(schema))
    (place / "secret").write_text("a long shared secret")
    common = ["--schema", str(place / "schema.json"), "--secret-file", str(place / "secret")]
    other = "last_name=surname,first_name=given_name,birth_date=dob,city=town"
    assert main(["clk", "write", str(samples / "hospital_b.csv"), *common, "--columns", other, "--to", "X", "--out",
                 str(place / "b.json"), "--home", str(place / "home")]) == 0  # fmt: skip
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["clk", "match", str(samples / "hospital_a.csv"), *common, "--partner", str(place / "b.json"),
                     "--pairs-out", str(place / "pairs.csv"), "--json"]) == 0  # fmt: skip
    return place / "pairs.csv", json.loads(out.getvalue())


@pytest.mark.slow
def test_splink_clusters_the_pairs(written: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path, found = written
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not here")
    (tmp_path / "open.py").write_text(SPLINK)
    command = [uv, "run", "--isolated", "--no-project", "--quiet", "--with", "splink>=4", "--with", "pandas", "python"]
    done = subprocess.run([*command, str(tmp_path / "open.py"), str(path)], capture_output=True, text=True, check=True)
    people, clusters = map(int, done.stdout.split()[-2:])
    assert clusters < people
    assert people - clusters >= 0.95 * found["accepted"], "who is surely the same is one cluster"


@pytest.mark.slow
def test_r_reads_the_pairs(written: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    path, found = written
    if shutil.which("Rscript") is None:
        pytest.skip("R is not here")
    (tmp_path / "open.R").write_text(R)
    done = subprocess.run(["Rscript", str(tmp_path / "open.R"), str(path)], capture_output=True, text=True, check=True)
    assert list(map(int, done.stdout.split())) == [found["accepted"] + found["review"], found["accepted"], 4]
