"""A fault of the program: a report without values, the project kept."""

from __future__ import annotations

from pathlib import Path

from pprl_desktop.project.project import Project
from pprl_desktop.ui.kit import crash
from pprl_desktop.ui.shell.main_window import MainWindow


def fail(surname: str) -> None:
    raise ValueError(f"cannot handle {surname}")


def test_a_report_names_places_and_kinds_but_no_value(own_settings: Path) -> None:
    try:
        fail("MUELLER")
    except ValueError as error:
        path = crash.write_report(error)
    assert path is not None
    text = path.read_text(encoding="utf-8")
    assert "ValueError" in text
    assert "test_crash.py" in text
    assert "MUELLER" not in text
    assert str(Path.home()) not in text


def test_old_reports_make_room(own_settings: Path) -> None:
    folder = crash.folder()
    folder.mkdir(parents=True)
    for number in range(crash.KEEP + 5):
        (folder / f"report-2020{number:04d}.txt").write_text("old")
    crash.write_report(ValueError())
    assert len(list(folder.glob("report-*.txt"))) == crash.KEEP


def test_the_project_survives_a_window_that_vanishes(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "kept.pprlproject"
    window.desk.create_project(path, "Kept")
    window.desk.change("Choose rule", rule="either")
    window.desk.project.close()  # as after a kill: nothing was said to the window
    with Project.open(path) as again:
        assert again.choices.rule == "either"
    window.desk.project = None
