"""The window links two files of one's own, and finds duplicates in one: no key, no partner, by its own buttons."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel

from pprl_desktop import resources
from pprl_desktop.job.quality import Remark
from pprl_desktop.review.desk import Desk
from pprl_desktop.said import Said
from pprl_desktop.ui.shell.main_window import MainWindow

SECRET = "a passphrase of the manager 7"
ROWS = 350


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """The first people of the sample's hospitals: other headings, dates and orders in each."""
    made = []
    for name in ("hospital_a.csv", "hospital_b.csv"):
        lines = resources.find("samples", name).read_text(encoding="utf-8").splitlines()
        path = tmp_path / name
        path.write_text("\n".join(lines[: ROWS + 1]) + "\n", encoding="utf-8")
        made.append(path)
    return made[0], made[1]


def begin(window: MainWindow, tmp_path: Path, button: str, name: str) -> None:
    pane = window.pane()
    pane.buttons[button].click()
    pane.place.setText(str(tmp_path))
    QTest.keyClicks(pane.name, name)
    QTest.keyClick(pane.name, Qt.Key.Key_Return)


def go_next(window: MainWindow, qtbot, to: str) -> None:  # type: ignore[no-untyped-def]
    qtbot.waitUntil(lambda: window.next.isEnabled())
    window.next.click()
    qtbot.waitUntil(lambda: window.current == to)


def written(window: MainWindow) -> list[dict[str, str]]:
    path = Path(window.desk.project.choices.output_folder) / "linked.csv"
    with path.open(encoding="utf-8-sig", newline="") as source:
        return list(csv.DictReader(source))


def test_two_files_from_start_to_the_linked_table(
    open_window: Callable[..., MainWindow], tmp_path: Path, files: tuple[Path, Path], qtbot
) -> None:  # type: ignore[no-untyped-def]
    window = open_window()
    window.resize(1024, 700)
    window.desk.create_project(tmp_path / "other.pprlproject", "Other")  # so that there is a list of projects
    window.show_pane("welcome")
    begin(window, tmp_path, "two", "Both lists")
    assert [state.step.name for state in window.desk.project.states()] == [
        "data", "data_b", "fields", "match", "review", "finish",
    ]  # fmt: skip
    window.open_file(files[0])
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None)
    go_next(window, qtbot, "data_b")
    window.open_file(files[0])
    qtbot.waitUntil(lambda: "same" in window.pane().reason())
    window.open_file(files[1])
    qtbot.waitUntil(lambda: dict(window.desk.project.choices.second_file().columns).get("last_name") == "surname",
                    timeout=60_000)  # fmt: skip
    go_next(window, qtbot, "fields")
    box = next(b for b in window.pane().findChildren(QComboBox) if b.accessibleName() == "Column of last_name in B")
    assert box.currentData() == "surname"
    qtbot.waitUntil(lambda: window.desk.findings.both_twice is not None)
    go_next(window, qtbot, "match")
    qtbot.waitUntil(lambda: window.desk.findings.match is not None)
    qtbot.waitUntil(lambda: window.pane().pages.currentIndex() == 1)
    qtbot.waitUntil(lambda: window.pane().table is not None)
    calls = [tuple(map(str, row[:2])) for row in window.pane().table.model.rows]
    for place, path in enumerate(files):  # records are called by their own numbers, as their file calls them
        with path.open(encoding="utf-8", newline="") as source:
            numbers = {row[0] for row in csv.reader(source)}
        assert {call[place] for call in calls} <= numbers
    go_next(window, qtbot, "review")
    pane = window.pane()
    pane.begin.audit.setValue(3)
    for one in (pane.begin.secret, pane.begin.again):
        QTest.keyClicks(one.edit, SECRET)
    assert pane.begin.make.isEnabled()
    pane.begin.make.click()
    qtbot.waitUntil(lambda: window.desk.findings.session is not None)
    pairs = len(window.desk.findings.manager.review.pairs)
    for _ in range(pairs):
        QTest.keyClick(pane.panel, Qt.Key.Key_6)
    path = window.desk.project.path
    window.close()  # in the middle of it: nothing was taken in yet

    again = open_window()
    again.desk.open_project(path)
    again.show_pane("review")
    QTest.keyClicks(again.pane().begin.old_secret.edit, SECRET)
    again.pane().begin.go_on.click()
    qtbot.waitUntil(lambda: again.desk.findings.session is not None)
    assert again.desk.findings.session.advance().to_go == 0
    go_next(again, qtbot, "finish")
    qtbot.waitUntil(lambda: again.desk.findings.own_outcome is not None)
    assert again.desk.findings.own_outcome.decided == pairs
    go_next(again, qtbot, "finish")
    qtbot.waitUntil(lambda: again.desk.project.state("finish").state == "done")
    rows = written(again)
    assert len(rows) == len(again.desk.findings.own_outcome.pairs)
    assert set(rows[0]) == {"person_id", "diagnosis", "therapy"}
    assert "Nothing left this computer" in again.pane().left_text.text()
    qtbot.waitUntil(lambda: (Path(again.desk.project.choices.output_folder) / "report.pdf").is_file())


def review_of_one_file(  # type: ignore[no-untyped-def]
    window: MainWindow, file: Path, folder: Path, qtbot, audit: int, first: int | None = None
):
    """The page of a review that has begun, of a file in which forty people are held twice with a slip."""
    lines = file.read_text(encoding="utf-8").splitlines()
    more = [line.replace("a", "e", 1).replace(line.split(",")[0], f"X{n}") for n, line in enumerate(lines[1:41])]
    file.write_text("\n".join([*lines[:first], *more]) + "\n", encoding="utf-8")
    window.desk.create_project(folder / "one.pprlproject", "One", "one file")
    window.open_file(file)
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None)
    go_next(window, qtbot, "fields")
    go_next(window, qtbot, "match")
    qtbot.waitUntil(lambda: window.desk.findings.match is not None)
    go_next(window, qtbot, "review")
    pane = window.pane()
    pane.begin.audit.setValue(audit)
    for one in (pane.begin.secret, pane.begin.again):
        QTest.keyClicks(one.edit, SECRET)
    pane.begin.make.click()
    qtbot.waitUntil(lambda: window.desk.findings.manager is not None)
    return pane


def test_duplicates_of_one_file_and_shares_for_reviewers(
    window: MainWindow, tmp_path: Path, files: tuple[Path, Path], qtbot
) -> None:  # type: ignore[no-untyped-def]
    pane = review_of_one_file(window, files[0], tmp_path, qtbot, audit=4)
    slips = Remark(Said("71 further records differ by one slip."), Said("Say on the page Method."), "held twice")
    assert "page Duplicates" in window.panes["data"]._why(slips)  # there is no page Method to go to
    pane.to_reviewers.click()
    name, secret = pane.reviewers.lines[0]
    QTest.keyClicks(name, "Ada")
    QTest.keyClicks(secret.edit, "the first passphrase of Ada 3")
    pane.reviewers.give.click()
    qtbot.waitUntil(lambda: "Ada" in window.desk.findings.manager.shares())
    pane.back_to_start.click()
    go_next(window, qtbot, "finish")
    qtbot.waitUntil(lambda: window.desk.findings.own_outcome is not None)
    assert "Nothing left" not in window.pane().left_text.text()
    window.pane().names.setChecked(True)
    assert "last_name" in window.pane().holds.text()
    go_next(window, qtbot, "finish")
    qtbot.waitUntil(lambda: window.desk.project.state("finish").state == "done")
    told = " ".join(one.text() for one in window.pane().files.findChildren(QLabel))
    assert "people are identified by" in told  # what the file holds, not what is usual
    assert "last_name" in told
    rows = written(window)
    assert "last_name" in rows[0]
    assert len(rows) == ROWS + 40
    assert ROWS + 40 - len({row["person_id"] for row in rows}) >= 30


def test_a_reviewer_opens_a_share_without_project_or_key_and_hands_it_back(
    window: MainWindow, tmp_path: Path, files: tuple[Path, Path], qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    review_of_one_file(window, files[0], tmp_path, qtbot, audit=2, first=200)
    manager = window.desk.findings.manager
    secret = "the first passphrase of Ada 3"
    (path,) = manager.assign({"Ada": secret}).values()
    window.desk.close_project()
    window.open_file(path)
    pane = window.pane()
    assert window.current == "share"
    assert pane.file.path() == str(path)
    QTest.keyClicks(pane.secret.edit, "not this one at all 1")
    pane.open.click()
    qtbot.waitUntil(lambda: window.desk.jobs.busy() is None and bool(pane.messages.banners()))
    assert "The passphrase does not fit" in pane.messages.banners()[0].more.text()
    assert pane.panel.session is None
    QTest.keyClicks(pane.secret.edit, secret)
    pane.open.click()
    qtbot.waitUntil(lambda: pane.panel.session is not None)
    session = pane.panel.session
    for pair in session.order:
        session.decide(6, "", pair)
    pane.show_state()
    assert "Hand the decisions back" in pane.sentence.text()
    back = tmp_path / "Ada.decisions"
    monkeypatch.setattr("pprl_desktop.ui.panes.review.QFileDialog.getSaveFileName", lambda *_: (str(back), ""))
    pane.hand_back.click()
    assert back.is_file()
    assert pane.next_text() == ""
    session.ledger.close()
    assert Desk.open(manager.folder, SECRET).merge(back).decided == len(session.order)


def test_pairs_on_which_reviewers_differ_are_shown_and_settled(
    window: MainWindow, tmp_path: Path, files: tuple[Path, Path], qtbot
) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.review import share as shares

    pane = review_of_one_file(window, files[0], tmp_path, qtbot, audit=2, first=200)
    manager = window.desk.findings.manager
    pane.to_reviewers.click()
    secrets = {"Ada": "the first passphrase of Ada 3", "Ben": "another passphrase for Ben 4"}
    for (name, secret), (who, said) in zip(pane.reviewers.lines, secrets.items(), strict=False):
        QTest.keyClicks(name, who)
        QTest.keyClicks(secret.edit, said)
    pane.reviewers.overlap.setValue(100)
    pane.reviewers.tranche.setValue(50)
    pane.reviewers.give.click()
    qtbot.waitUntil(lambda: len(manager.shares()) == 2)
    assert not pane.reviewers.conflicts.isVisibleTo(pane)
    for who, point in (("Ada", 6), ("Ben", 1)):
        (path,) = manager.folder.rglob(f"*{who}*{shares.SUFFIX}")
        share = shares.open_share(path, secrets[who])
        session = shares.start(path, share)
        for pair in session.order:
            session.decide(point, "", pair)
        back = shares.return_decisions(session, share, tmp_path / who)
        session.ledger.close()
        pane.reviewers.merged.emit(str(back))
        qtbot.waitUntil(lambda: window.desk.jobs.busy() is None)
    pairs = len(manager.session().order)
    assert pane.panel.advance_words(manager.votes()) == f"{pairs} decided · 0 to go · all by reviewers"
    manager.session().decide(6, "", manager.session().order[0])
    assert pane.panel.advance_words(manager.votes()) == f"{pairs} decided · 0 to go · {pairs - 1} of them by reviewers"
    manager.session().undo()
    shown = pane.reviewers.conflicts
    left = len(manager.conflicts())
    assert left
    assert shown.isVisibleTo(pane)
    assert "Ada: same, surely" in shown.votes.text()
    assert "Ben: different, surely" in shown.votes.text()
    assert not shown.grid.isVisibleTo(pane)
    shown.look.click()
    qtbot.waitUntil(lambda: shown.grid.isVisibleTo(pane))
    first = shown.pair
    assert (shown.grid._above, shown.grid._below) == ("one", "other")
    own, choices = window.desk.own_files, window.desk.project.choices
    own.take_in(manager)
    unsettled = own.outcome(choices, window.desk.findings.match)
    assert unsettled.differ == left
    shown.same.click()
    assert manager.outcome()[first] is True
    while manager.conflicts():
        shown.different.click()
    assert not shown.isVisibleTo(pane)
    own.take_in(manager)
    assert own.outcome(choices, window.desk.findings.match).differ == 0
    assert sum(value is True for value in manager.outcome().values()) == 1


def test_columns_that_are_read_anew_find_their_counterparts_anew(
    open_window: Callable[..., MainWindow], tmp_path: Path, files: tuple[Path, Path], qtbot
) -> None:  # type: ignore[no-untyped-def]
    """A table that is read with other columns, as with another layout, leaves no field without a column."""
    window = open_window()
    begin(window, tmp_path, "two", "Both lists")
    window.open_file(files[0])
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None)
    go_next(window, qtbot, "data_b")
    window.open_file(files[1])
    qtbot.waitUntil(lambda: bool(window.desk.project.choices.second_file().columns) and not window.desk.jobs.busy())
    pane = window.pane()
    pane._read_with(header_line=0)  # its names are a record, and its columns have numbers
    qtbot.waitUntil(lambda: "column 1" in window.desk.findings.second.columns and not window.desk.jobs.busy())
    columns = dict(window.desk.project.choices.second_file().columns)
    assert columns
    assert all(name.startswith("column ") for name in columns.values())
    assert set(columns) == {one.name for one in window.desk.project.choices.fields}


def test_a_date_in_three_columns_of_the_second_file_is_shown_as_chosen(
    open_window: Callable[..., MainWindow], tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    """It was compared, and the page said that nothing was chosen."""
    names = "ANNA BERND CLARA DIETER EMMA FRANZ".split()
    for path, seed in ((tmp_path / "a.csv", 0), (tmp_path / "b.csv", 3)):
        lines = [f"{names[(n + seed) % 6]},M{n % 7}EYER,{1930 + n},{n % 12 + 1},{n % 28 + 1}" for n in range(seed, 60)]
        head = "first_name,last_name,birth_year,birth_month,birth_day"
        path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    window = open_window()
    begin(window, tmp_path, "two", "Both lists")
    window.open_file(tmp_path / "a.csv")
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None)
    go_next(window, qtbot, "data_b")
    window.open_file(tmp_path / "b.csv")
    qtbot.waitUntil(lambda: bool(window.desk.project.choices.second_file().columns) and not window.desk.jobs.busy())
    go_next(window, qtbot, "fields")
    joined = "birth_year + birth_month + birth_day"
    boxes = {one.accessibleName(): one.currentData() for one in window.pane().findChildren(QComboBox)}
    assert [boxes[f"Column of {joined} in {side}"] for side in "AB"] == [joined, joined]
