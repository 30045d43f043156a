"""The demo: two parties, files only, and nothing personal outside the tables they belong to."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.job.demo import MARK, Summary, run_demo, stages
from pprl_desktop.problem import Problem
from pprl_desktop.project.project import Project


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Summary:
    return run_demo(tmp_path_factory.mktemp("demo") / "out")


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_most_shared_people_are_found_and_hardly_any_link_is_wrong(demo: Summary) -> None:
    assert demo.figures.true_pairs == 800
    assert demo.figures.recall > 0.95
    assert demo.figures.precision > 0.95


def test_both_linked_tables_join_on_the_link_id_and_hold_only_sensitive_columns(demo: Summary) -> None:
    a, b = (rows(Path(demo.folder) / name / "linked.csv") for name in ("hospital_a", "hospital_b"))
    assert {row["link_id"] for row in a} == {row["link_id"] for row in b}
    assert len(a) == demo.counts["linked"]
    assert set(a[0]) == {"link_id", "diagnosis"}
    assert set(b[0]) == {"link_id", "therapy"}


def test_no_name_is_in_anything_the_demo_wrote(demo: Summary) -> None:
    people = rows(resources.find("samples", "hospital_a.csv")) + rows(resources.find("samples", "hospital_b.csv"))
    names = {row.get("last_name") or row["surname"] for row in people}
    planted = [name.encode() for name in names if len(name) >= 9]
    assert len(planted) > 50
    for path in Path(demo.folder).rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not [name for name in planted if name in data or name.upper() in data], path.name


def test_the_report_says_what_left_and_what_was_found(demo: Summary) -> None:
    page = (Path(demo.folder) / "hospital_a" / "report.html").read_text(encoding="utf-8")
    for words in (
        "What was agreed",
        "What left",
        "Signed by both sides",
        "pairs are linked",
        "The partner could name at least",
    ):
        assert words in page


def test_the_window_can_open_the_project_with_every_step_done(demo: Summary) -> None:
    with Project.open(Path(demo.project)) as project:
        states = {state.step.name: state.state for state in project.states()}
    assert states.pop("review") == "ready"
    assert set(states.values()) == {"done"}


def test_files_of_others_are_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(Problem, match="not empty"):
        run_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    assert not (tmp_path / MARK).exists()


def test_a_project_of_the_demo_goes_by_what_was_signed_so_that_looking_at_it_undoes_nothing(demo: Summary) -> None:
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.job.offers import as_agreed

    for name in ("hospital_a", "hospital_b"):
        with Project.open(Path(demo.folder) / name / f"{name}.pprlproject") as project:
            choices = project.choices
            assert as_agreed(choices, Home(Path(choices.home)).agreement(choices.agreement)) == {}


def test_the_job_halts_at_each_stage_with_both_projects_as_they_stand(tmp_path: Path) -> None:
    done = []
    for stage, own, other in stages(tmp_path / "out"):
        with Project.open(own) as project:
            done.append([one.step.name for one in project.states() if one.state == "done"])
        assert other.exists()
        if stage == "sent":
            break
    assert [len(one) for one in done] == [3, 3, 4, 5]
