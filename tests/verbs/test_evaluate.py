"""evaluate: both parties in one process; figures, tables and sentences for bad input."""

from __future__ import annotations

import csv
import json

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
        assert {"curve", "histogram", "field_weights", "reliability", "bands", "expected", "pairs"} <= set(side)
    assert found["privacy_statement"] == found["privacy"]["summary"]


def test_what_is_to_be_believed_stands_beside_the_figures(capsys, files) -> None:  # type: ignore[no-untyped-def]
    data = evaluated(capsys, files, "--method", "bloom")
    for where in (data, data["sides"]["a"], data["sides"]["b"]):
        assert isinstance(where["reliable"], bool)
        assert where["reliable"] == (where["reasons"] == [])
        assert {"precision", "recall"} <= set(where["expected"])
        opinion = set(where["second_opinion"])
        assert opinion - {"recall", "recall_low", "recall_high"} == {"precision", "low", "high"}
        assert where["second_opinion"]["low"] <= where["second_opinion"]["precision"] <= where["second_opinion"]["high"]


def test_the_same_seed_gives_the_same_figures(capsys, files) -> None:  # type: ignore[no-untyped-def]
    options = ("--method", "simhash", "--layout", "record", "--decision", "threshold", "--epsilon", "2", "--seed", "7")
    first, second = (_repeatable(evaluated(capsys, files, *options)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "options",
    [("dp-nn", "--epsilon", "8"), ("split",), pytest.param(("split-svm", "--kernel", "rbf"), marks=pytest.mark.slow)],
)
def test_the_same_seed_gives_the_same_records(capsys, files, options: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    first, second = (_repeatable(evaluated(capsys, files, "--method", *options, "--seed", "3")) for _ in range(2))
    assert first == second


def _repeatable(found: dict) -> dict:
    """All but what the clock and the machine say."""
    return {name: value for name, value in found.items() if name not in ("seconds", "peak_rss_mb")}


@pytest.mark.parametrize(
    "options", [("bloom", "--epsilon", "2"), ("simhash", "--layout", "record"), ("dp-nn",), ("split",), ("split-svm",)]
)
def test_pairs_are_listed_with_evidence_and_expected_figures_with_an_interval(
    capsys, files, options: tuple[str, ...]
) -> None:  # type: ignore[no-untyped-def]
    found = evaluated(capsys, files, "--method", *options, "--pairs", "7")
    for side in found["sides"].values():
        assert len(side["pairs"]) == 7
        assert set(side["field_weights"]) == set(COLUMNS)
        for pair in side["pairs"]:
            assert tuple(pair["evidence"]) == COLUMNS
            assert pair["band"] in ("accept", "review")
            assert isinstance(pair["correct"], bool)
            assert any(said is not None for said in pair["evidence"].values())
        expected = side["expected"]
        assert expected["precision_low"] <= expected["precision"] <= expected["precision_high"]
        assert expected["recall_low"] <= expected["recall"] <= expected["recall_high"]
    assert any("estimate takes" in one for one in found["sides"]["a"]["caveats"]) == (options[0] != "split")


def test_reliability_tells_predicted_and_true_shares_with_counts(capsys, files) -> None:  # type: ignore[no-untyped-def]
    found = evaluated(capsys, files, "--method", "bloom")
    assert set(found["sides"]) == {"a", "b"}
    for side in found["sides"].values():
        rows = side["reliability"]
        assert rows
        assert sum(row["pairs"] for row in rows) == sum(side["bands"].values())
        for row in rows:
            assert row["from"] <= row["predicted"] <= row["to"]
            assert row["true_low"] <= row["true"] <= row["true_high"]


def test_nothing_linked_is_said(capsys, files) -> None:  # type: ignore[no-untyped-def]
    found = evaluated(capsys, files, "--method", "bloom", "--accept", "1e6")
    assert (found["predicted_pairs"], found["recall"], found["precision_interval"]) == (0, 0.0, [0.0, 1.0])
    assert any("No pair was linked" in text for text in found["warnings"])


def test_a_truth_without_a_pair_says_that_nobody_is_shared(capsys, files, tmp_path) -> None:  # type: ignore[no-untyped-def]
    nobody = tmp_path / "nobody.csv"
    nobody.write_text("id_a,id_b\n", encoding="utf-8")
    found = evaluated(capsys, (files[0], files[1], str(nobody)))
    assert found["true_pairs"] == found["correct_pairs"] == 0
    assert found["predicted_pairs"] > 0  # the files do share people: all of them are wrong by this truth
    assert found["precision"] == 0.0


def test_a_sweep_without_values_takes_the_usual_epsilons(capsys, files) -> None:  # type: ignore[no-untyped-def]
    rows = evaluated(capsys, files, "--method", "bloom", "--sweep")["rows"]
    assert [row["epsilon"] for row in rows] == [0.5, 1.0, 2.0, 5.0]


def test_a_method_that_does_not_apply_is_shown_as_such(capsys, files, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.codes.bloom import Bloom
    from pprl_desktop.problem import Problem

    def wrong(self: Bloom, recipe: object) -> tuple[Problem, ...]:
        return (Problem("Bloom filters cannot be made of this field."),)

    monkeypatch.setattr(Bloom, "problems", wrong)
    told = evaluated(capsys, files, "--compare", "--fields", "birth_date", "--columns-b", "dob")
    rows = {row["method"]: row for row in told["rows"]}
    assert set(rows) == {"split", "split-svm", "simhash", "bloom", "dp-nn", "plain"}
    assert rows["bloom"]["f1"] is None
    assert rows["bloom"]["problem"] == "Bloom filters cannot be made of this field."
    assert rows["plain"]["f1"] > 0.5
    assert rows["plain"]["recall_low"] <= rows["plain"]["recall"] <= rows["plain"]["recall_high"]
    from pprl_desktop.evaluation.tables import Row
    from pprl_desktop.verbs._evaluate_report import table

    assert "Bloom filters cannot be made of this field." in table(tuple(Row(**row) for row in rows.values()))


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
