"""The own_table holds the clear table and answers in plain data; the project file never sees a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.job.own_table import OwnTable, marked
from pprl_desktop.problem import Problem
from pprl_desktop.project.choices import Choices
from pprl_desktop.project.project import Project
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile, with_derived
from pprl_desktop.records.table import Table

SAMPLE = resources.find("samples", "hospital_a.csv")


@pytest.fixture(scope="module")
def loaded() -> tuple[OwnTable, Choices]:
    own_table = OwnTable()
    seen = own_table.load(SAMPLE)
    return own_table, Choices().changed(**seen.changes())


def test_a_table_brings_defaults_that_run_all_the_way(loaded: tuple[OwnTable, Choices], tmp_path: Path) -> None:
    _, choices = loaded
    assert choices.rows == 1500
    assert choices.id_column == "patient_no"
    assert "diagnosis" in choices.sensitive
    assert {"last_name", "first_name", "birth_date"} <= {one.name for one in choices.fields}
    with Project.create(tmp_path / "p") as project:
        project.change("Choose table", **{name: getattr(choices, name) for name in ("table_path", "rows", "fields")})
        project.change("Choose columns", columns=choices.columns, sensitive=choices.sensitive)
        assert project.problems("data") == ()
        assert project.problems("fields") == ()


def test_the_clean_table_is_kept_while_the_choices_stay(loaded: tuple[OwnTable, Choices]) -> None:
    own_table, choices = loaded
    first = own_table.clean(choices)
    assert own_table.clean(choices.changed(method="bloom")) is first
    assert own_table.clean(choices.changed(fields=choices.fields[:1], columns=choices.columns[:1])) is not first


def test_after_reopening_the_table_is_read_again(loaded: tuple[OwnTable, Choices]) -> None:
    _, choices = loaded
    assert OwnTable().table(choices).rows == 1500


def test_a_table_that_changed_is_not_used_silently(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,last_name\n1,Smith\n2,Jones\n", encoding="utf-8")
    choices = Choices().changed(**OwnTable().load(path).changes())
    path.write_text("id,last_name\n1,Smith\n2,Jonas\n", encoding="utf-8")
    with pytest.raises(Problem, match="has changed"):
        OwnTable().table(choices)
    path.unlink()
    with pytest.raises(Problem, match="no longer where it was"):
        OwnTable().table(choices)


def test_no_table_is_a_sentence() -> None:
    with pytest.raises(Problem, match="No table"):
        OwnTable().table(Choices())


def test_another_method_brings_its_own_defaults(loaded: tuple[OwnTable, Choices]) -> None:
    _, choices = loaded
    changed = choices.with_method("bloom")
    assert changed.method == "bloom"
    assert changed.settings.one_to_one == choices.settings.one_to_one


def test_the_hash_is_of_the_bytes(tmp_path: Path) -> None:
    import hashlib

    path = tmp_path / "x.csv"
    path.write_bytes(b"id,name\r\n1,Smith\r\n")
    assert OwnTable().load(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_table_read_in_another_encoding_is_cleaned_again(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("id,last_name\n1,Müller\n2,Jones\n".encode())
    own = OwnTable()
    choices = Choices().changed(**own.load(path).changes())
    guessed = own.clean(choices).column("last_name").cell(0)
    otherwise = Choices().changed(**own.load(path, choices.changed(encoding="latin-1")).changes())
    assert own.clean(otherwise).column("last_name").cell(0) != guessed
    assert own.clean(choices).column("last_name").cell(0) == guessed  # as after undo


def test_a_chosen_column_that_others_make_up_is_marked_and_follows_the_names_of_the_fields() -> None:
    rows = [
        [f"{first} {last}", first, last]
        for first in "ANNA BERT CARL DORA EMIL".split()
        for last in "AB CD EF GH".split()
    ]
    table = Table.of(["full name", "first name", "last name"], rows)
    fields = (Field.of("whole"), Field.of("given"), Field.of("family"))
    columns = {"whole": "full name", "given": "first name", "family": "last name"}
    assert marked(fields, columns, profile(table))[0].derived == ("given", "family")
    assert with_derived(table, fields, columns)[0].derived == ("given", "family")
    assert marked(fields[:2], columns, profile(table))[0].derived == ()
