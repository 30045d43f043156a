"""The project keeps what was confirmed, whatever happens to the process."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.codes.base import Settings
from pprl_desktop.problem import Problem
from pprl_desktop.project import store
from pprl_desktop.project.choices import Choices
from pprl_desktop.project.project import Cause, Project
from pprl_desktop.records.fields import KINDS, Field

names = st.text(min_size=1, max_size=12)


@given(
    st.lists(st.tuples(names, st.sampled_from(KINDS)), max_size=4, unique_by=lambda pair: pair[0]),
    st.one_of(st.none(), st.floats(0.1, 20)),
)
def test_choices_survive_being_written_down(fields: list[tuple[str, str]], epsilon: float | None) -> None:
    choices = Choices(
        fields=tuple(Field.of(name, kind) for name, kind in fields),
        columns=tuple((name, name + "_column") for name, _ in fields),
        mapping=tuple((name, ("first", "last")) for name, _ in fields),
        settings=Settings(epsilon=epsilon),
    )
    assert Choices.from_json(choices.to_json()) == choices


def test_the_second_own_file_survives_being_written_down_and_belongs_to_no_other_kind() -> None:
    second = Choices(table_path="b.csv", rows=3, sensitive=("dose",), columns=(("surname", "Nachname"),))
    choices = Choices(kind="two files", fields=(Field.of("surname"),), second=second)
    assert Choices.from_json(choices.to_json()) == choices
    assert choices.second_file().fields == choices.fields
    for wrong in (choices.changed(kind="partner"), choices.changed(second=choices)):
        with pytest.raises(Problem):
            Choices.from_json(wrong.to_json())


def test_a_change_of_the_second_file_names_the_choice_it_changed(tmp_path: Path) -> None:
    with Project.create(tmp_path / "two", kind="two files") as project:
        changed = project.change("Load table", second=Choices(table_path="b.csv", rows=3))
        assert {"second.table_path", "second.rows"} <= set(changed.choices)
        project.confirm("data_b")
        project.change("Choose separator", second=Choices(table_path="b.csv", rows=3, separator=";"))
        assert project.state("data_b").state == "stale"
        assert project.why_redo("data_b") == Cause("change", "Choose separator")


def test_every_reason_to_do_a_step_again_is_named(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project:
        project.change("Load table", table_path="a.csv", rows=12)
        project.confirm("data")
        project.change("Choose fields", fields=(Field.of("surname"),))
        project.change("Choose column", columns=(("surname", "Nachname"),))
        project.confirm("fields")
        project.confirm("method")
        project.undo()
        assert project.state("fields").state == "stale"
        assert project.why_redo("fields") == Cause("undo", "Choose column")
        project.undo()
        assert project.why_redo("fields") == Cause("undo", "Choose fields")
        project.redo()
        project.redo()
        assert project.state("fields").state == "done"
        project.confirm("data", {"profile": b"another table, the same choices"})
        assert project.state("fields").state == "stale"
        assert project.why_redo("fields") == Cause("step", "data")
        project.change("Change noise", settings=project.choices.settings, columns=())
        assert project.why_redo("fields") == Cause("change", "Change noise")


def test_reopening_continues_where_it_was(tmp_path: Path) -> None:
    with Project.create(tmp_path / "heart", "Heart registry × St. Anne") as project:
        project.change("Choose table", table_path="a.csv", rows=12)
        project.confirm("data", {"profile": b"{}"})
        path = project.path
    with Project.open(path) as again:
        assert again.title == "Heart registry × St. Anne"
        assert again.choices.table_path == "a.csv"
        assert again.state("data").state == "done"
        assert again.artefact("profile") == b"{}"


def test_an_early_change_makes_later_steps_stale_and_deletes_nothing(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project:
        project.change("Choose table", table_path="a.csv", rows=12)
        for step in ("data", "fields", "method"):
            project.confirm(step)
        changed = project.change("Choose fields", fields=(Field.of("last_name"),))
        assert changed.stale == ("fields", "method")
        assert project.state("data").state == "done"
        undone = project.undo()
        assert set(undone.steps) == {"fields", "method"}
        assert project.state("method").state == "done"


def test_redoing_a_step_with_another_output_makes_its_followers_stale(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project:
        project.confirm("data", {"table": b"one"})
        project.confirm("fields")
        project.confirm("data", {"table": b"two"})
        assert project.state("fields").state == "stale"


def test_undo_and_redo_have_names_and_a_new_change_ends_redo(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project:
        project.change("Choose method", method="bloom")
        project.change("Choose reference set", reference="us-2000")
        assert project.can_undo() == "Choose reference set"
        project.undo()
        assert (project.choices.reference, project.can_redo()) == ("us-200", "Choose reference set")
        project.redo()
        assert project.choices.reference == "us-2000"
        project.undo()
        project.change("Choose rule", rule="either")
        assert project.can_redo() == ""
        project.undo()
        project.undo()
        assert project.choices == Choices()
        assert project.can_undo() == ""


def test_a_choice_nobody_knows_is_refused(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project, pytest.raises(Problem):
        project.change("Nonsense", colour="blue")


def test_a_second_process_is_told_that_the_project_is_open(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project:
        program = (
            "import sys\nfrom pathlib import Path\nfrom pprl_desktop.problem import Problem\n"
            "from pprl_desktop.project.project import Project\n"
            "try:\n    Project.open(Path(sys.argv[1]))\n"
            "except Problem as problem:\n    print(problem.what)\n"
        )
        out = subprocess.run(
            [sys.executable, "-c", program, str(project.path)], capture_output=True, text=True, check=True
        ).stdout
    assert out.strip() == "The project is already open in another window."


def test_a_project_of_a_newer_version_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project:
        path = project.path
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {store.SCHEMA_VERSION + 1}")
    db.close()
    with pytest.raises(Problem, match="newer version"):
        Project.open(path)


@pytest.mark.parametrize("content", [b"", b"id,name\n1,x\n", b"SQLite format 3\0" + b"\0" * 200])
def test_a_file_that_is_no_project_is_refused_and_unchanged(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "thing.pprlproject"
    path.write_bytes(content)
    if content:
        with pytest.raises(Problem):
            Project.open(path)
        assert path.read_bytes() == content
    else:  # an empty file is what a kill during creation leaves: it opens as a new project
        Project.open(path).close()


def test_another_programs_database_is_not_taken_for_a_project(tmp_path: Path) -> None:
    path = tmp_path / "other.pprlproject"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (x)")
    db.commit()
    db.close()
    with pytest.raises(Problem, match="not a PPRL Desktop project"):
        Project.open(path)


def test_a_missing_project_says_so(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="not there"):
        Project.open(tmp_path / "gone.pprlproject")


def test_a_name_that_is_taken_is_refused(tmp_path: Path) -> None:
    Project.create(tmp_path / "p").close()
    with pytest.raises(Problem, match="already there"):
        Project.create(tmp_path / "p")


WRITER = """
import sys
from pathlib import Path
from pprl_desktop.project.project import Project
project = Project.open(Path(sys.argv[1]))
start = int(project.choices.table_path or 0)
for number in range(start + 1, start + 100000):
    project.change(f"Change {number}", table_path=str(number), rows=number)
    project.confirm("data", {"number": str(number).encode()})
    print(number, flush=True)  # from here on it must never be lost
"""


def test_killed_at_any_moment_everything_confirmed_is_there(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p") as project:
        path = project.path
    for round_ in range(8):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(0.003 * round_)
        os.kill(process.pid, signal.SIGKILL)
        told = [int(line) for line in [first, *process.stdout.read().split("\n")] if line.strip()]
        process.stdout.close()
        process.wait()
        with Project.open(path) as again:
            assert int(again.choices.table_path) >= max(told)
            kept = again.artefact("number")
            assert kept is not None
            assert int(kept) >= max(told)


def test_no_clear_value_is_in_the_project_file(tmp_path: Path) -> None:
    """The project holds names of columns and settings; the planted surname is only in the table."""
    table = tmp_path / "people.csv"
    table.write_text("last_name\nXylowitzky\n", encoding="utf-8")
    with Project.create(tmp_path / "p") as project:
        project.change("Choose table", table_path=str(table), rows=1, fields=(Field.of("last_name"),))
        project.confirm("data")
    written = list(tmp_path.glob("p.*"))
    assert any(b"last_name" in file.read_bytes() for file in written)
    assert not any(b"Xylowitzky" in file.read_bytes() for file in written)


def test_the_plain_form_is_plain_json() -> None:
    assert json.loads(Choices().to_json())["method"] == "split"
