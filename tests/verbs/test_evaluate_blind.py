"""evaluate --method blind: the real protocol from the terminal, its figures, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop import cli
from pprl_desktop.codes.corrupt import Rates, corrupt
from pprl_desktop.records.table import CleanTable
from tests.codes.keys.people import people

FIELDS = "last_name,first_name,birth:date,city:text,sex:category"


def written(path: Path, table: CleanTable, ids: list[str]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["rec_id", *(one.name for one in table.fields)])
        writer.writerows(zip(ids, *(column.cells() for column in table.columns), strict=True))
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two tables of 120 people who share half of them, one with slips, and the truth."""
    folder = tmp_path_factory.mktemp("blind")
    everyone = people(180)
    a = everyone.take(np.arange(120))
    b = corrupt(everyone.take(np.arange(60, 180)), 5, Rates(touched=0.5))
    written(folder / "a.csv", a, [f"a{row}" for row in range(120)])
    written(folder / "b.csv", b, [f"b{row}" for row in range(60, 180)])
    with open(folder / "t.csv", "w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([("id_a", "id_b"), *((f"a{row}", f"b{row}") for row in range(60, 120))])
    return [str(folder / "a.csv"), str(folder / "b.csv"), "--truth", str(folder / "t.csv"), "--fields", FIELDS]


def test_both_parties_are_played_through_the_real_protocol(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["evaluate", *files, "--method", "blind", "--coverage", "0.3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    blind = data["blind"]
    assert data["f1"] > 0.9
    assert blind["key_recall"] >= data["recall"]
    assert 0 < blind["coverage"] <= 0.3
    assert blind["coverage"] <= blind["coverage_10n"] <= 1
    assert blind["opened_strangers"] <= 0.1
    assert 0 < blind["keys_per_record"] <= 24
    assert all(" + " in words for words in blind["recipes"])
    assert blind["question_bytes"] > 32 * 120
    assert set(blind["cpu_seconds"]) == {"asker", "answerer"}
    assert "Diffie-Hellman" in json.dumps(data["privacy"])


def test_options_of_other_methods_are_refused(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["evaluate", *files, "--method", "blind", "--epsilon", "1"]) == 2
    assert "'blind' has no --epsilon" in capsys.readouterr().err
    assert cli.main(["evaluate", *files, "--method", "bloom", "--coverage", "0.1"]) == 2
    assert "Only 'blind' has a coverage" in capsys.readouterr().err


def test_names_alone_are_refused_with_what_to_do(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*files[:4], "--fields", "last_name,first_name,sex:category", "--method", "blind"]
    assert cli.main(["evaluate", *asked]) == 2
    assert "Add a date of birth" in capsys.readouterr().err
