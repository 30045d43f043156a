"""The page that answers a partner's request: what leaves in clear is shown and counted here, then confirmed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton

from pprl_desktop.job.partnership import Partnership
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.exchange.conftest import FIELDS, Party
from tests.exchange.test_clear_cells import scene
from tests.review.test_partner import THERE, matched, review_offer


@pytest.fixture
def registry(tmp_path: Path) -> Party:
    """The side that was asked for the cells of four records."""
    a, b = scene(tmp_path, review_offer())
    matched(a, b)
    a.job().ask(tmp_path / "ask.pprl")
    Partnership.open(b.home, b.own, tmp_path / "ask.pprl")
    return b


@pytest.fixture
def asked(open_window: Callable[..., MainWindow], registry: Party, tmp_path: Path, qtbot) -> MainWindow:  # type: ignore[no-untyped-def]
    lines = zip(*(column.cells() for column in THERE.columns), strict=True)
    text = "\n".join(["first_name,last_name,born", *(",".join(line) for line in lines)])
    (tmp_path / "there.csv").write_text(text + "\n")
    window = open_window()
    window.desk.create_project(tmp_path / "p" / "p.pprlproject")
    window.open_file(tmp_path / "there.csv")
    qtbot.waitUntil(lambda: window.desk.jobs.busy() is None)
    window.desk.change(
        "as agreed", home=str(registry.home.path), agreement=registry.agreement.id, rule="review", fields=FIELDS,
        columns=tuple((one.name, one.name) for one in FIELDS),
    )  # fmt: skip
    window.desk.unlocked(registry.own)
    window.show_pane("review")
    for _ in range(2):
        qtbot.wait(50)
        qtbot.waitUntil(lambda: window.desk.jobs.idle())
    (asks,) = window.pane().messages.banners()
    assert "Hospital asks to review pairs with you" in asks.what.text()
    return window


def words(window: MainWindow) -> str:
    shown = window.pane().answer
    return " ".join(one.text() for one in shown.findChildren(QLabel) if one.isVisibleTo(shown))


def press(window: MainWindow, button, qtbot) -> None:  # type: ignore[no-untyped-def]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.wait(20)
    qtbot.waitUntil(lambda: window.desk.jobs.busy() is None)
    qtbot.wait(20)


def look(window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    """The button of the remark that the partner asks."""
    (asks,) = window.pane().messages.banners()
    press(window, next(one for one in asks.findChildren(QPushButton) if "would leave" in one.text()), qtbot)
    qtbot.waitUntil(lambda: window.pane().answer.planned is not None and words(window) != "")


def test_nothing_leaves_before_it_was_shown_and_confirmed(asked, registry, tmp_path, qtbot, monkeypatch) -> None:
    out = tmp_path / "cells.pprl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(lambda *_a, **_k: (str(out), "")))
    answer = asked.pane().answer
    look(asked, qtbot)
    said = words(asked)
    assert "4 records × 3 fields leave IN CLEAR" in said
    assert "Hospital could read all 12" in said
    assert "4 of your 30 records, 12 values" in said
    assert "99999999" in said
    assert "they can keep and copy the values" in said
    assert "Write 12 values in clear" in answer.write.text()
    assert "masked and counts" not in said
    assert not any(str(value) in said for column in THERE.columns for value in column.values)
    assert not answer.write.isEnabled()
    answer._write()
    assert not out.exists()
    answer.known.setChecked(True)
    press(asked, answer.write, qtbot)
    qtbot.waitUntil(lambda: answer.planned is None)
    assert out.exists()
    assert [one.records for one in registry.home.ledger().disclosures() if one.what == "clear cells"] == [4]
    at = asked.pane().with_partner
    qtbot.waitUntil(lambda: at.send.isVisibleTo(asked))
    assert at.ask.property("kind") != "primary", "the cells are to be sent; to ask for others is no next step"
    asked.show_pane("releases")
    listed = asked.pane().table
    assert "cells in clear: first_name, last_name, born" in str([row[4] for row in listed.model.rows])


def test_a_limit_of_the_organisation_takes_the_button_away(asked, registry, qtbot) -> None:
    registry.home.ledger().set_limit("clear records", 0)
    answer = asked.pane().answer
    look(asked, qtbot)
    assert "Your organisation allows at most 0 records in clear" in words(asked)
    assert not answer.known.isVisible()
    assert not answer.write.isVisible()
