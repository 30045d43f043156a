"""evaluate: both parties in one process; figures, tables and sentences for bad input."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from pprl_desktop import cli, resources

ROWS = 120
COLUMNS = ("last_name", "first_name", "birth_date", "city")
COLUMNS_B = ("surname", "given_name", "dob", "town")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """The first people of the sample, most of them shared."""
    folder = tmp_path_factory.mktemp("evaluate")

    def rows(name: str) -> list[dict[str, str]]:
        with resources.find("samples", name).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    truth = rows("truth.csv")[:ROWS]
    made = []
    for name, key, id_column in (("hospital_a.csv", "id_a", "patient_no"), ("hospital_b.csv", "id_b", "case_id")):
        table, wanted = rows(name), {pair[key] for pair in truth}
        kept = [row for row in table if row[id_column] in wanted]
        kept += [row for row in table if row[id_column] not in wanted][:40]
        path = folder / name
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(kept[0]))
            writer.writeheader()
            writer.writerows(sorted(kept, key=lambda row: row[id_column]))
        made.append(str(path))
    with (folder / "truth.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id_a", "id_b"], *([pair["id_a"], pair["id_b"]] for pair in truth)])
    return made[0], made[1], str(folder / "truth.csv")


def arguments(files: tuple[str, str, str], *more: str) -> list[str]:
    a, b, truth = files
    return [
        "evaluate", a, b, "--truth", truth, "--id", "patient_no", "--id-b", "case_id",
        "--fields", ",".join(COLUMNS), "--columns-b", ",".join(COLUMNS_B), "--json", *more,
    ]  # fmt: skip


def evaluated(capsys: pytest.CaptureFixture[str], files: tuple[str, str, str], *more: str) -> dict:
    code = cli.main(arguments(files, *more))
    out = capsys.readouterr()
    assert code == 0, out.err
    found: dict = json.loads(out.out)
    return found


def test_the_answer_has_everything_that_was_promised(capsys, files) -> None:  # type: ignore[no-untyped-def]
    found = evaluated(capsys, files, "--method", "bloom")
    for name in ("method", "parameters", "precision", "recall", "f1", "sides", "true_pairs", "predicted_pairs",
                 "threshold", "seconds", "peak_rss_mb", "privacy"):  # fmt: skip
        assert name in found
    assert set(found["seconds"]) == {"read", "smash", "learn", "match", "total"}
    assert found["true_pairs"] == ROWS
    assert found["f1"] > 0.9
    for side in found["sides"].values():
        assert side["recall"] > 0.8
        assert {"curve", "histogram", "field_weights", "reliability", "bands"} <= set(side)


def test_the_same_seed_gives_the_same_figures(capsys, files) -> None:  # type: ignore[no-untyped-def]
    options = ("--method", "simhash", "--layout", "record", "--decision", "threshold", "--epsilon", "2", "--seed", "7")
    first, second = (evaluated(capsys, files, *options) for _ in range(2))
    for name in ("precision", "recall", "predicted_pairs", "threshold"):
        assert first[name] == second[name]


def test_noise_is_stated_with_its_unit(capsys, files) -> None:  # type: ignore[no-untyped-def]
    options = ("--method", "bloom", "--layout", "record", "--decision", "threshold", "--epsilon", "5")
    found = evaluated(capsys, files, *options)
    assert found["privacy"]["epsilon"] == "5"
    assert found["privacy"]["unit"] == "per bit"


def test_a_sweep_gives_one_row_per_epsilon_and_more_noise_never_helps_much(capsys, files) -> None:  # type: ignore[no-untyped-def]
    rows = evaluated(
        capsys,
        files,
        "--method",
        "simhash",
        "--layout",
        "record",
        "--decision",
        "threshold",
        "--sweep",
        "epsilon=0.3,5",
    )["rows"]
    assert [row["epsilon"] for row in rows] == [0.3, 5.0]
    assert rows[0]["f1"] <= rows[1]["f1"] + 0.02
    assert rows[1]["f1"] > 0.8


@pytest.mark.slow
def test_a_comparison_runs_every_method(capsys, files) -> None:  # type: ignore[no-untyped-def]
    rows = evaluated(capsys, files, "--compare")["rows"]
    assert {row["method"] for row in rows} == {"split", "split-svm", "simhash", "bloom", "dp-nn", "plain"}


@pytest.mark.slow
def test_the_frontier_has_an_attacker_on_one_axis(capsys, files) -> None:  # type: ignore[no-untyped-def]
    rows = evaluated(capsys, files, "--frontier")["rows"]
    clear = next(row for row in rows if row["method"] == "split" and row["epsilon"] is None)
    noisy = next(row for row in rows if row["method"] == "simhash" and row["epsilon"] == 0.5)
    assert clear["recovered"] > 0.9
    assert noisy["recovered"] < clear["recovered"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--fields": "last_nam"}, "Did you mean 'last_name'?"),
        ({"--fields": "last_name:colour"}, "not a field type"),
        ({"--columns-b": "surname"}, "columns were given"),
        ({"--id": "nothing"}, "There is no column"),
        ({"--id": "city"}, "No pair of the truth file"),
        ({"--sweep": "colour=1"}, "cannot be swept"),
        ({"--sweep": "epsilon=x"}, "not understood"),
        ({"--epsilon": "-1"}, "not a number above 0"),
        ({"--truth": "gone.csv"}, "gone.csv"),
    ],
)
def test_bad_input_is_a_sentence(capsys, files, change: dict[str, str], said: str) -> None:  # type: ignore[no-untyped-def]
    command = arguments(files, "--method", "bloom")
    for name, value in change.items():
        if name in command:
            command[command.index(name) + 1] = value
        else:
            command += [name, value]
    assert cli.main(command) == cli.BAD_INPUT
    problem = json.loads(capsys.readouterr().err)["problem"]
    told = " ".join(problem.values())
    assert said in told or Path(said).name.split(".")[0] in told
