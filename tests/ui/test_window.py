"""The window opens, shows its steps, and says what it takes."""

from __future__ import annotations

from pathlib import Path

from pprl_desktop.ui.main_window import MainWindow


def test_it_opens_on_the_welcome_page(window: MainWindow) -> None:
    assert window.current == "welcome"
    assert window.menus.bar.actions()[0].text() == "&File"


def test_a_new_project_shows_its_steps_and_starts_with_the_data(window: MainWindow, tmp_path: Path) -> None:
    window.desk.create_project(tmp_path / "one.pprlproject", "One")
    assert list(window.steps.buttons) == [state.step.name for state in window.desk.project.states()]
    assert window.current == "data"
    assert window.steps.buttons["data"].isEnabled()
    assert not window.steps.buttons["export"].isEnabled()


def test_a_wrong_file_is_refused_with_what_is_accepted(window: MainWindow, tmp_path: Path) -> None:
    wrong = tmp_path / "sheet.xlsx"
    wrong.write_bytes(b"PK")
    window.open_file(wrong)
    (banner,) = window.pane().messages.banners()
    assert ".xlsx" in banner.what.text()
    assert "CSV" in banner.more.text()
