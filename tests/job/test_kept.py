"""What the report tells survives a restart: the rehearsal, what was expected of the match, and the review."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pprl_desktop.job import kept
from pprl_desktop.project.choices import Choices
from pprl_desktop.project.project import Project
from pprl_desktop.review.desk import Desk
from pprl_desktop.said import Said
from tests.review.people import make_review

WORDS = "four quite unrelated words"


NAMED = SimpleNamespace(named=SimpleNamespace(share=0.03, low=0.01, high=0.05))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.pprlproject") as made:
        yield made


def again(project: Project) -> Project:
    """As after a restart: nothing but the file is left."""
    project.close()
    return Project.open(project.path)


def rehearsed(headline: str) -> Any:
    said = (Said(headline), Said("More."))
    return cast(Any, SimpleNamespace(headline=said[0], sentences=lambda: said, partner=NAMED))


def test_a_rehearsal_comes_back_after_a_restart(project: Project) -> None:
    kept.keep_rehearsal(project, project.choices, rehearsed("The partner could name 3."))
    with again(project) as opened:
        found = kept.rehearsal_of(opened)
        assert found is not None
        assert found.sentences() == (Said("The partner could name 3."), Said("More."))


def test_a_rehearsal_of_another_method_is_not_told_for_this_one(project: Project) -> None:
    kept.keep_rehearsal(project, project.choices, rehearsed("The partner could name 3."))
    project.change("Choose method", method="bloom")
    assert kept.rehearsal_of(project) is None
    project.undo()
    assert kept.rehearsal_of(project) is not None


@pytest.fixture
def review_folder(tmp_path: Path, project: Project) -> Path:
    folder = tmp_path / "one.review"
    rows = [("MARTHA", "1950-01-01"), ("MARHTA", "1950-01-01"), ("ANNA", "1960-02-02"), ("ANNE", "1960-02-02")]
    with Desk.create(folder, make_review(rows, [(0, 1), (2, 3)], ("variable", "date")), WORDS) as desk:
        session = desk.session()
        session.reveal("f0", "1")
        session.decide(6, "", "1")
        project.change("Make a review", review_path=str(folder))
        project.keep("review", kept.review_told(desk))
    return folder


def test_a_closed_review_is_told_as_it_was_added_up(project: Project, review_folder: Path) -> None:
    with again(project) as opened:
        found = kept.review_of(opened)
    assert any("decided 1" in str(line) for line in found.said)
    assert any(str(line).startswith("Precision after the review") for line in found.estimates)


def test_a_review_that_went_on_is_told_from_its_ledger(project: Project, review_folder: Path) -> None:
    """The program ended before the review was added up again: every decision and charge is in the ledger."""
    with Desk.open(review_folder, WORDS) as desk:
        desk.session().decide(1, "", "2")
    found = kept.review_of(project)
    assert str(found.said[0]).startswith("2 pairs were decided; cells were opened 1 time, ")
    assert dict(found.said[1].values)["risk"] > 0
    assert not found.estimates


def test_a_review_whose_folder_is_gone_is_not_told_as_none(project: Project, tmp_path: Path) -> None:
    project.change("Make a review", review_path=str(tmp_path / "gone.review"))
    assert "no longer" in str(kept.review_of(project).said[0])
    project.change("No review", review_path="")
    assert kept.review_of(project).said == ()


def test_the_figures_of_a_way_are_kept_until_what_was_measured_changes(tmp_path: Path) -> None:
    """After a restart nothing is measured again; another table, and nothing is known of it."""
    from pprl_desktop.codes.base import method
    from pprl_desktop.job import ways

    choices = Choices(table_sha256="a" * 64, rows=900)
    way = ways.Way("bloom", method("bloom").defaults(), seconds=2.5, size=1200, wrong=0.01)
    measured = replace(way, found=ways.Figure(0.9, 0.8, 1.0), named=ways.Figure(0.1, 0.05, 0.2))
    with Project.create(tmp_path / "kept.pprlproject") as project:
        ways.keep(project, choices, measured)
        assert ways.recalled(project, choices, ways.Way(way.method, way.settings)) == measured
        assert ways.recalled(project, choices.changed(table_sha256="b" * 64), way) == way
        project.keep("ways", b'{"ways": [["x"], 7, ["y", {"found": "no"}]]}')  # a project that somebody made up
        assert ways.recalled(project, choices, way) == way


def test_two_reviewed_pairs_of_many_are_no_estimate() -> None:
    """An ethics board reads that too little was looked at, and no interval from nothing to everything."""
    from pprl_desktop.job.kept import _estimates
    from pprl_desktop.review.estimates import Estimate, Interval

    wide, narrow = Interval(0.5, 0.0, 1.0), Interval(0.98, 0.95, 1.0)
    sentence = Said("More review would change little.")
    (said,) = _estimates(Estimate(wide, wide, wide, narrow, (), False, 219, sentence))
    assert "Too few pairs were reviewed" in str(said)
    assert "219 more" in str(said)
    assert len(_estimates(Estimate(narrow, narrow, narrow, narrow, (), True, 0, sentence))) == 3
