"""Two files of one's own, and the duplicates within one: through the same object as the verb and the window."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pprl_desktop.job.kept import review_told
from pprl_desktop.job.own_files import OwnFiles, ReviewRules
from pprl_desktop.job.own_finish import Permitted, finish
from pprl_desktop.job.own_kept import MATCH
from pprl_desktop.problem import Problem
from pprl_desktop.records.reading import ReadOptions
from tests.benchmarks.populations import Population, draw, make

SECRET = "a passphrase of the manager 7"
WORLD = replace(
    draw(11, 400), culture="american", people=(400, 400), overlap=0.5, dirt=(0.05, 0.08), missing=(0.0, 0.02),
    moved=0.1, renamed=0.05, twice=(0.15, 0.0), twins=0.0, namesakes=0.0, institutions=0.0, gaps_by_group=0.0,
    columns=("first", "last", "dob", "zip", "sex"), formats=(), renamed_columns=False,
)  # fmt: skip
GERMAN = {"first_name": "Vorname", "last_name": "Nachname", "date_of_birth": "geboren", "zip": "PLZ", "sex": "Geschl"}


@pytest.fixture(scope="module")
def population() -> Population:
    return make(WORLD)


@pytest.fixture
def files(tmp_path: Path, population: Population) -> tuple[Path, Path]:
    """Two files with other headings, another order of columns and another separator; each with a column of its own."""
    made = []
    for name, table, own, separator in (("a", population.a, "diagnosis", ","), ("b", population.b, "dose", ";")):
        columns = [one for one in table.columns if one.name != "rec_id"]
        heads = [one.name if name == "a" else GERMAN[one.name] for one in columns]
        cells = [one.cells() for one in columns]
        if name == "b":
            heads, cells = heads[::-1], cells[::-1]
        path = tmp_path / f"{name}.csv"
        with path.open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out, delimiter=separator)
            writer.writerow(["record_id", *heads, own])
            for row in range(table.rows):
                writer.writerow([f"{name}{row}", *(one[row] for one in cells), f"{own}{row % 7}"])
        made.append(path)
    return made[0], made[1]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as source:
        return list(csv.DictReader(source))


def chosen(own: OwnFiles) -> None:
    """The columns that go into the linked table."""
    choices = own.project.choices
    changes = {"sensitive": ("diagnosis",)}
    if own.two:
        changes["second"] = replace(choices.second_file(), fields=(), sensitive=("dose",))  # type: ignore[assignment]
    own.project.change("Choose use of column", **changes)


def test_two_files_are_linked_by_suggestions_alone(
    tmp_path: Path, files: tuple[Path, Path], population: Population
) -> None:
    with OwnFiles.opened(tmp_path / "job", files).project as project:
        own = OwnFiles(project)
        columns = dict(project.choices.second_file().columns)
        assert columns["last_name"] == "Nachname"
        assert columns["date_of_birth"] == "geboren"
        assert project.choices.settings.direction == "many-to-one"  # the first file holds people twice
        chosen(own)
        match = own.match(project.choices)
        outcome = own.outcome(project.choices, match)
        right = len(set(outcome.pairs) & population.truth)
        assert right > 0.9 * len(outcome.pairs)
        assert right > 0.85 * len(population.truth)
        made = finish(own, tmp_path / "out", match)
        rows = table(tmp_path / "out" / "linked.csv")
        assert set(rows[0]) == {"person_id", "diagnosis", "dose"}
        assert len(rows) == len(outcome.pairs)
        assert "Nothing left this computer" in Path(made.report).read_text(encoding="utf-8")
        people = {str(value) for one in population.a.columns[1:4] for value in one.values if len(str(value)) > 3}
        written = (tmp_path / "out" / "linked.csv").read_text() + Path(made.report).read_text()
        assert not [value for value in people if value in written]


def test_identifying_columns_and_record_numbers_are_written_only_where_each_was_permitted(
    tmp_path: Path, files: tuple[Path, Path]
) -> None:
    with OwnFiles.opened(tmp_path / "job", files).project as project:
        own = OwnFiles(project)
        chosen(own)
        match = own.match(project.choices)
        for permitted, more in (
            (Permitted(identifying=True), {"last_name", "Nachname"}),
            (Permitted(record_numbers=True), {"record_id_a", "record_id_b"}),
        ):
            made = finish(own, tmp_path / "out", match, permitted)
            assert more <= set(table(tmp_path / "out" / "linked.csv")[0])
            assert more <= set(made.linked.identifying)
            assert "people are identified by" in str(made.linked.held())
        made = finish(own, tmp_path / "out", match)
        assert str(made.linked.held()).endswith("no column that was compared")


def test_duplicates_within_one_file_get_one_number_per_person(
    tmp_path: Path, files: tuple[Path, Path], population: Population
) -> None:
    with OwnFiles.opened(tmp_path / "one", files[:1]).project as project:
        own = OwnFiles(project)
        match = own.match(project.choices)
        outcome = own.outcome(project.choices, match)
        finish(own, tmp_path / "out", match, Permitted(record_numbers=True))
        person = {int(row["record_id"][1:]): row["person_id"] for row in table(tmp_path / "out" / "linked.csv")}
        assert len(person) == population.a.rows
        true = population.person_a
        right = sum(person[a] == person[b] for a, b in outcome.pairs if true[a] == true[b])
        repeated = population.a.rows - len(set(true))
        assert right >= 0.85 * repeated
        assert sum(true[a] != true[b] for a, b in outcome.pairs) <= 0.05 * repeated
        assert population.a.rows - len(set(person.values())) == pytest.approx(repeated, rel=0.2)


def reviewed(own: OwnFiles, folder: Path, same: bool) -> int:
    """Every uncertain pair decided alike; how many."""
    with own.review(own.project.choices, own.match(own.project.choices), folder, SECRET) as desk:
        session = desk.session()
        for pair in desk.review.pairs:
            session.decide(6 if same else 1, pair=pair.id)
        own.project.change("Make a review", review_path=str(folder))
        return own.take_in(desk)


@pytest.mark.parametrize("count", [1, 2])
def test_what_reviewers_decide_is_what_is_linked(tmp_path: Path, files: tuple[Path, Path], count: int) -> None:
    with OwnFiles.opened(tmp_path / "job", files[:count]).project as project:
        own = OwnFiles(project)
        match = own.match(project.choices)
        before = own.outcome(project.choices, match)
        assert before.open
        held = reviewed(own, tmp_path / "no.review", same=False)
        assert held == before.open
        after = own.outcome(project.choices, match)
        assert (after.open, after.pairs) == (0, before.pairs)
        reviewed(own, tmp_path / "yes.review", same=True)
        assert len(own.outcome(project.choices, match).pairs) > len(before.pairs)


def test_shares_for_reviewers_are_the_only_thing_the_report_says_has_left(
    tmp_path: Path, files: tuple[Path, Path]
) -> None:
    with OwnFiles.opened(tmp_path / "job", files).project as project:
        own = OwnFiles(project)
        match = own.match(project.choices)
        rules = ReviewRules(budget=Fraction(1, 5), kappa=2, audit=5, caps={"zip": "never"})
        with own.review(project.choices, match, tmp_path / "r.review", SECRET, rules) as desk:
            assert desk.review.policy.kappa == 2
            assert {one.name: one.cap for one in desk.review.policy.fields}["zip"] == "never"
            project.change("Make a review", review_path=str(tmp_path / "r.review"))
            desk.assign({"Ada": "the passphrase of Ada 1"}, tranche=3)
            told = review_told(desk)
        assert told
        made = finish(own, tmp_path / "out", match)
        said = Path(made.report).read_text(encoding="utf-8")
        assert "Nothing left" not in said
        assert "Ada: 3 pairs in sealed shares." in said
        with own.review(project.choices, match, tmp_path / "all.review", SECRET, rules) as desk:
            records = len(desk.review.people)
            project.change("Make a review", review_path=str(tmp_path / "all.review"))
            desk.assign({"Ben": "the passphrase of Ben 1"}, tranche=1, whole_crowd=True)
        said = Path(finish(own, tmp_path / "out", match).report).read_text(encoding="utf-8")
        assert f"the cells of all {records:,} records" in said
        assert f"Ben: all {records:,} records in sealed shares." in said


def test_a_finished_match_is_kept_and_another_line_needs_no_new_comparison(
    tmp_path: Path, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = OwnFiles.opened(tmp_path / "job", files)
    match = own.match(own.project.choices)
    path = own.project.path
    own.project.close()
    monkeypatch.setattr(OwnFiles, "clean", lambda *_: pytest.fail("compared again"))
    again = OwnFiles.opened(path, files)
    with again.project as project:
        kept = again.kept_match(project.choices)
        assert kept is not None
        assert kept.scored.score.tolist() == match.scored.score.tolist()
        project.change("Move the lines", accept=4.0, review=1.0)
        moved = again.kept_match(project.choices)
        assert moved is not None
        assert len(moved.accepted()) < len(match.accepted())
        project.change("Remove field", fields=project.choices.fields[1:])
        assert again.kept_match(project.choices) is None


def test_a_forged_match_beside_the_project_is_not_believed(tmp_path: Path, files: tuple[Path, Path]) -> None:
    own = OwnFiles.opened(tmp_path / "job", files)
    with own.project as project:
        own.match(project.choices)
        kept = project.folder / MATCH
        good = kept.read_bytes()
        for wrong in (b"", good[:-9], good[:200] + b"\0" + good[201:], b"age-encryption.org/v1\n" + bytes(400)):
            kept.write_bytes(wrong)
            assert own.kept_match(project.choices) is None
        for forged in (b"{}", b'{"of": 1, "decided": 3}', b"[[[", json.dumps({"decided": [[10**9, 1, 1]]}).encode()):
            project.keep("decided", forged)
            assert own.decisions(project.choices) == {}


def test_a_file_that_changed_since_is_noticed_and_its_decisions_no_longer_hold(
    tmp_path: Path, files: tuple[Path, Path]
) -> None:
    own = OwnFiles.opened(tmp_path / "job", files)
    with own.project as project:
        reviewed(own, tmp_path / "r.review", same=True)
        assert own.decisions(project.choices)
        path = project.path
    lines = files[1].read_text(encoding="utf-8").splitlines()
    files[1].write_text("\n".join([lines[0], *lines[2:]]), encoding="utf-8")
    again = OwnFiles.opened(path, files)
    with again.project as project, pytest.raises(Problem, match="has changed"):
        again.match(project.choices)
    anew = OwnFiles.opened(path, files, again=True)
    with anew.project as project:
        assert anew.decisions(project.choices) == {}
        assert anew.match(project.choices)


def test_bad_files_get_a_sentence(tmp_path: Path, files: tuple[Path, Path]) -> None:
    copy = tmp_path / "copy.csv"
    copy.write_bytes(files[0].read_bytes())
    with pytest.raises(Problem, match="same"):
        OwnFiles.opened(tmp_path / "same", (files[0], copy))
    empty, heads = tmp_path / "empty.csv", tmp_path / "heads.csv"
    empty.write_text("")
    heads.write_text("first_name,last_name,date_of_birth\n")
    for number, path in enumerate((empty, heads)):
        with pytest.raises(Problem):
            OwnFiles.opened(tmp_path / f"none{number}", (files[0], path))
    other = tmp_path / "other.csv"
    other.write_text("amount,colour\n" + "\n".join(f"{n},{'red' if n % 2 else 'blue'}" for n in range(50)))
    own = OwnFiles.opened(tmp_path / "other", (files[0], other))
    with own.project as project, pytest.raises(Problem, match="share no column"):
        own.match(project.choices)
    twice = tmp_path / "twice.csv"
    twice.write_text("name,name,born\nADA,LOVELACE,1815-12-10\nALAN,TURING,1912-06-23\nGRACE,HOPPER,1906-12-09\n")
    with OwnFiles.opened(tmp_path / "twice", (files[0], twice)).project as project:
        assert len(set(dict(project.choices.second_file().columns).values())) == len(project.choices.fields)
    with pytest.raises(Problem, match="other files"):
        OwnFiles.opened(tmp_path / "twice", (files[0], files[1]))
    with pytest.raises(Problem, match="not about these files"):
        OwnFiles.opened(tmp_path / "twice", (files[0],))


KILLED = """
import sys
from pathlib import Path
from pprl_desktop.job.own_files import OwnFiles, ReviewRules
folder = Path(sys.argv[1])
own = OwnFiles.opened(folder / "job", (folder / "a.csv", folder / "b.csv"))
match = own.match(own.project.choices)
desk = own.review(own.project.choices, match, folder / "r.review", sys.argv[2], ReviewRules(audit=4))
own.project.change("Make a review", review_path=str(folder / "r.review"))
session = desk.session()
for pair in desk.review.pairs:
    session.decide(6, pair=pair.id)
    print("decided", flush=True)
    sys.stdin.readline()
"""


def test_a_kill_in_the_middle_of_a_review_loses_no_decision(tmp_path: Path, files: tuple[Path, Path]) -> None:
    from pprl_desktop.review.desk import Desk

    work = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path), SECRET], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    assert work.stdout is not None
    assert work.stdin is not None
    for _ in range(3):
        assert work.stdout.readline() == "decided\n"
        work.stdin.write("\n")
        work.stdin.flush()
    os.kill(work.pid, signal.SIGKILL)
    work.communicate()
    time.sleep(0.05)
    own = OwnFiles.opened(tmp_path / "job", files)
    with own.project as project, Desk.open(Path(project.choices.review_path), SECRET) as desk:
        assert own.take_in(desk) >= 3
        match = own.kept_match(project.choices)
        assert match is not None
        assert own.outcome(project.choices, match).decided >= 3


def test_the_mark_sensitive_is_no_way_around_the_permission(tmp_path: Path, files: tuple[Path, Path]) -> None:
    """A compared column or the record number marked as sensitive: refused, as with a partner, not quietly written."""
    with OwnFiles.opened(tmp_path / "job", files).project as project:
        own = OwnFiles(project)
        match = own.match(project.choices)
        compared = project.choices.columns[0][1]
        for column in (compared, project.choices.id_column):
            project.change("Choose use of column", sensitive=(column,))
            with pytest.raises(Problem, match="identifies people as well"):
                finish(own, tmp_path / "out", match)
            assert not (tmp_path / "out" / "linked.csv").exists()


def _two_sheets(path: Path, population: Population) -> None:
    """Both tables in one workbook, as many rows in each, with the same headings."""
    from openpyxl import Workbook

    book = Workbook()
    for name, table_ in (("north", population.a), ("south", population.b)):
        columns = [one for one in table_.columns if one.name != "rec_id"]
        sheet = book.create_sheet(name)
        sheet.append([one.name for one in columns])
        for row in zip(*(one.cells()[:300] for one in columns), strict=True):
            sheet.append(row)
    del book["Sheet"]
    book.save(path)


def test_two_sheets_of_one_workbook_are_two_tables(tmp_path: Path, population: Population) -> None:
    """And what was matched and decided on one sheet is of that sheet, though the file and the rows are as many."""
    path = tmp_path / "both.xlsx"
    _two_sheets(path, population)
    sheets = ReadOptions(sheet="north"), ReadOptions(sheet="south")
    with OwnFiles.opened(tmp_path / "job", (path, path), sheets).project as project:
        own = OwnFiles(project)
        first = own.match(project.choices)
        assert len(first.accepted()) > 50
        assert own.kept_match(project.choices) is not None
        told = " ".join(map(str, finish(own, tmp_path / "out", first).told.sections[0].sentences))
        assert "Of its sheets, 'north'" in told
        assert "Of its sheets, 'south'" in told
        about, second = own.about(project.choices), project.choices.second_file()
        swapped = project.choices.changed(sheet="south", second=replace(second, fields=(), sheet="north"))
        assert own.about(swapped) != about
        assert own.kept_match(swapped) is None
    with pytest.raises(Problem, match="Both files are the same"):
        OwnFiles.opened(tmp_path / "same", (path, path), (sheets[0], sheets[0]))


def test_where_nobody_is_shared_it_is_said_of_files_and_not_of_sides(tmp_path: Path) -> None:
    for name, last, first, year in (
        ("a", ("Meyer", "Schulz", "Koch", "Wolf", "Braun", "Lange"), ("Anna", "Berta", "Carl", "Dora"), 1940),
        ("b", ("Okafor", "Tanaka", "Silva", "Novak", "Haddad", "Quinn"), ("Yuki", "Ifeoma", "Pedro", "Ludmila"), 1980),
    ):
        people = [(one, other) for one in last for other in first]
        lines = [
            f"{one},{other},{year + at}-{1 + at % 12:02}-{1 + at * 7 % 28:02},{10000 + 37 * at + year}"
            for at, (one, other) in enumerate(people)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["last_name,first_name,born,zip", *lines]) + "\n")
    said = []
    for files in ((tmp_path / "a.csv", tmp_path / "b.csv"), (tmp_path / "a.csv",)):
        with OwnFiles.opened(tmp_path / f"job{len(files)}", files).project as project:
            own = OwnFiles(project)
            made = finish(own, tmp_path / "out", own.match(project.choices))
            said.append(" ".join(str(one) for section in made.told.sections for one in section.sentences))
    assert "Nobody was found in both files." in said[0]
    assert "both sides" not in said[0]
    assert "Nobody was found twice among 24 records." in said[1]
