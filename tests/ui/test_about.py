"""The About page names every component with its licence, and gives the bill of materials away as a file."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.ui.panes.help import GUIDES
from pprl_desktop.ui.shell import about
from tests.packaging.loading import load


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Resources as the built program has them."""
    try:
        metadata.distribution("pprl-desktop")
    except metadata.PackageNotFoundError:
        pytest.skip("the project is not installed in this environment")
    real = resources.root()
    copy = tmp_path / "resources"
    copy.mkdir()
    for item in real.iterdir():
        if item.name != "about":
            (copy / item.name).symlink_to(item, target_is_directory=item.is_dir())
    load("inventory").write(copy / "about")
    monkeypatch.setattr(resources, "root", lambda: copy)
    return copy


def test_every_component_has_its_licence_text(built: Path) -> None:
    found = about.components()
    assert {"numpy", "Python", "PySide6_Essentials", "Inter"} <= {part.name for part in found}
    without = [part.name for part in found if len(part.text) < 200]
    assert without in ([], ["Python"])  # some builds of Python come without their licence file


def test_the_dialog_shows_and_saves_it(built: Path, window, qtbot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    dialog = about.show(window)
    qtbot.addWidget(dialog)
    assert dialog.text.toPlainText()
    dialog.save(tmp_path / "bill.json")
    assert json.loads((tmp_path / "bill.json").read_text(encoding="utf-8"))["bomFormat"] == "CycloneDX"
    dialog.accept()


def test_a_source_tree_says_that_it_has_no_list(window, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(about, "components", list)
    dialog = about.show(window)
    qtbot.addWidget(dialog)
    assert dialog.parts == []
    dialog.accept()


@pytest.mark.parametrize("name", GUIDES)
def test_guides_are_there_in_both_languages_and_in_the_menu(window, name: str) -> None:  # type: ignore[no-untyped-def]
    for language in ("en", "de"):
        assert resources.find("guides", language, f"{name}.md").read_text(encoding="utf-8").startswith("# ")
    window.menus._page(name)
    assert window.current == "help"
    assert window.pane().text.toPlainText().strip()
