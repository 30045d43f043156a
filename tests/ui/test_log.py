"""The window logs what was done, by name and number, into the project's own folder."""

from __future__ import annotations

from pathlib import Path

from pprl_desktop.ui.shell.main_window import MainWindow

PLANTED = "Xylowitzky"


def test_loading_a_table_is_logged_without_a_value(window: MainWindow, tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    table = tmp_path / "people.csv"
    rows = "".join(f"{n},{PLANTED},Anna\n" for n in range(30))
    table.write_text("id,last_name,first_name\n" + rows, encoding="utf-8")
    window.desk.create_project(tmp_path / "p", "A project")
    window.show_pane("data")
    window.open_file(table)
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None)
    folder = window.desk.need_project().folder
    window.desk.close_project()
    logs = [path.read_text(encoding="utf-8") for path in (folder / "log").iterdir()]
    assert "data.load" in "".join(logs)
    for path in [*folder.rglob("*"), *tmp_path.glob("p.*")]:
        if path.is_file():
            assert PLANTED.encode() not in path.read_bytes()
            assert str(tmp_path) not in path.read_text(encoding="utf-8", errors="replace") or path.suffix != ".log"
