"""A project outlives the program that made it.

fixtures/ holds one project file per published layout of the store, made by the version in its name and never made anew:
a file that today's program writes would prove nothing. `python tests/project/test_upgrade.py` adds the file of a layout
that has none yet.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop import __version__
from pprl_desktop.codes.base import Settings
from pprl_desktop.problem import Problem
from pprl_desktop.project import store
from pprl_desktop.project.choices import Choices
from pprl_desktop.project.project import Project
from pprl_desktop.records.fields import Field

FIXTURES = Path(__file__).resolve().parent / "fixtures"
OLD = sorted(FIXTURES.glob("layout_*.pprlproject"))


def fixture_of(layout: int) -> Path:
    return FIXTURES / f"layout_{layout}.pprlproject"


def make(path: Path) -> None:
    """A project half-way: data, fields and method confirmed, one change undone."""
    with Project.create(path, "Heart registry × St. Anne") as project:
        project.change("Choose table", table_path="people.csv", rows=12, id_column="patient_no")
        project.confirm("data", {"profile": b"{}"})
        fields = (Field.of("last_name"), Field.of("birth_date", "date"))
        columns = (("last_name", "surname"), ("birth_date", "dob"))
        project.change("Choose fields", fields=fields, columns=columns)
        project.confirm("fields")
        project.change("Choose method", method="simhash", settings=Settings(epsilon=5.0))
        project.confirm("method")
        project.change("Choose budget", review_budget="0.10")
        project.undo()


@pytest.fixture(params=OLD, ids=lambda path: path.stem)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    copy = tmp_path / "old.pprlproject"
    shutil.copyfile(request.param, copy)
    return copy


def test_every_layout_has_its_file() -> None:
    assert [path.name for path in OLD] == [f"layout_{n}.pprlproject" for n in range(1, store.SCHEMA_VERSION + 1)]


def test_a_project_of_an_earlier_version_opens_with_everything_in_it(old: Path) -> None:
    with Project.open(old) as project:
        assert project.title == "Heart registry × St. Anne"
        assert project.choices.table_path == "people.csv"
        assert [field.name for field in project.choices.fields] == ["last_name", "birth_date"]
        assert project.choices.column_of("birth_date") == "dob"
        assert project.choices.method == "simhash"
        assert project.choices.settings.epsilon == 5.0
        assert project.choices.review_budget == "0.30"
        assert project.artefact("profile") == b"{}"
        assert project.state("data").state == "done"
        assert project.state("fields").state == "done"
        # a version that adds a setting asks for the method to be looked at again; it never forgets that it was chosen
        assert project.state("method").state in ("done", "stale")
        assert project.can_redo() == "Choose budget"
        project.redo()
        assert project.choices.review_budget == "0.10"


def test_work_goes_on_in_it(old: Path) -> None:
    with Project.open(old) as project:
        project.change("Choose reference set", reference="us-2000")
        project.confirm("fields")
    with Project.open(old) as again:
        assert again.choices.reference == "us-2000"
        assert again.state("fields").state == "done"


def test_a_later_layout_takes_the_contents_along(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def add_a_column(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE artefact ADD COLUMN kind TEXT NOT NULL DEFAULT ''")

    monkeypatch.setattr(store, "MIGRATIONS", (*store.MIGRATIONS, add_a_column))
    monkeypatch.setattr(store, "SCHEMA_VERSION", store.SCHEMA_VERSION + 1)
    with Project.open(old) as project:
        assert project.artefact("profile") == b"{}"
    monkeypatch.undo()
    with pytest.raises(Problem, match="newer version"):  # and the program of before says so
        Project.open(old)


def test_a_migration_that_fails_leaves_the_old_project(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half_done(db: sqlite3.Connection) -> None:
        db.execute("DROP TABLE artefact")
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(store, "MIGRATIONS", (*store.MIGRATIONS, half_done))
        with pytest.raises(MemoryError):
            Project.open(old)
    with Project.open(old) as project:
        assert project.artefact("profile") == b"{}"


def rewrite(path: Path, change: Callable[[dict[str, Any]], None], where: str = "UPDATE meta SET value = ?") -> None:
    """The choices as another program would have written them."""
    db = sqlite3.connect(path)
    (text,) = db.execute("SELECT value FROM meta WHERE name = 'choices'").fetchone()
    plain = json.loads(text)
    change(plain)
    clause = " WHERE name = 'choices'" if "meta" in where else ""
    db.execute(where + clause, (json.dumps(plain),))
    db.commit()
    db.close()


NEWER: dict[str, Callable[[dict[str, Any]], None]] = {
    "blocking": lambda plain: plain.update(blocking="sorted neighbourhood"),
    "settings.rotation": lambda plain: plain["settings"].update(rotation=3),
    "settings.layout": lambda plain: plain["settings"].update(layout="pairs of fields"),
    "settings.epsilon": lambda plain: plain["settings"].update(epsilon="per column"),
    "method": lambda plain: plain.update(method="garbled-circuits"),
    "rule": lambda plain: plain.update(rule="majority"),
    "rows": lambda plain: plain.update(rows="12"),
    "fields.kind": lambda plain: plain["fields"][0].update(kind="voice"),
    "fields.weight": lambda plain: plain["fields"][0].update(weight=2),
    "cleaning.diacritics": lambda plain: plain["fields"][0]["cleaning"].update(diacritics="romanise"),
    "cleaning.soundex": lambda plain: plain["fields"][0]["cleaning"].update(soundex=True),
}


@pytest.mark.parametrize("name", NEWER)
def test_a_choice_that_only_a_newer_program_knows_is_refused_and_kept(old: Path, name: str) -> None:
    rewrite(old, NEWER[name])
    before = old.read_bytes()
    for _ in range(2):  # a refusal leaves the file closed and as it was
        with pytest.raises(Problem) as refused:
            Project.open(old)
        assert str(refused.value.what) == "The project was made by a newer version of PPRL Desktop."
        assert str(refused.value.why) == f"It holds a choice that this version does not know: {name}. " + (
            f"This is version {__version__}."
        )
    db = sqlite3.connect(old)
    texts = db.execute("SELECT value FROM meta WHERE name = 'choices'").fetchone()
    db.close()
    assert texts[0].encode() in before


def test_a_step_that_only_a_newer_program_has_is_refused(old: Path) -> None:
    db = sqlite3.connect(old)
    db.execute("INSERT INTO confirmed VALUES ('consent', '', '', 0)")
    db.commit()
    db.close()
    with pytest.raises(Problem, match=r"newer version.*consent"):
        Project.open(old)


def test_undo_does_not_step_into_choices_of_a_newer_program(old: Path) -> None:
    rewrite(old, NEWER["settings.layout"], "UPDATE history SET after = ? WHERE undone = 1")
    with Project.open(old) as project:
        with pytest.raises(Problem, match="newer version"):
            project.redo()
        assert project.choices.review_budget == "0.30"
    with Project.open(old) as again:
        assert again.can_redo() == "Choose budget"


def test_damaged_choices_are_said_in_a_sentence(old: Path) -> None:
    for damage in ("{", "[]", '{"columns": [["a", "b", "c"]]}', '{"fields": [{"name": "x"}]}'):
        db = sqlite3.connect(old)
        db.execute("UPDATE meta SET value = ? WHERE name = 'choices'", (damage,))
        db.commit()
        db.close()
        with pytest.raises(Problem, match="cannot be read"):
            Project.open(old)


if __name__ == "__main__":
    target = fixture_of(store.SCHEMA_VERSION)
    if target.exists():
        raise SystemExit(f"{target.name} is there already and is never made anew.")
    make(target)
    db = sqlite3.connect(target)
    db.execute("PRAGMA journal_mode = DELETE")  # one file, without its log beside it
    db.execute("VACUUM")
    db.close()


@pytest.mark.parametrize(("flag", "direction"), [(True, "one-to-one"), (False, "many-to-many")])
def test_a_project_from_before_the_four_directions_opens(flag: bool, direction: str) -> None:
    plain = Choices().as_dict()
    del plain["settings"]["direction"]
    plain["settings"]["one_to_one"] = flag
    assert Choices.from_dict(plain).settings.direction == direction
