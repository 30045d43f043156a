"""The table of ways: a bad number has a way out, one way is recommended with its reason, a click uses it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from pprl_desktop import resources
from pprl_desktop.job import preview, ways
from pprl_desktop.problem import Problem
from pprl_desktop.ui.shell.main_window import MainWindow

FIGURES = {"simhash": (0.91, 0.06), "bloom": (0.99, 0.88), "dp-nn": (0.72, 0.02), "split": (0.99, 0.63)}


def figure(share: float) -> ways.Figure:
    return ways.Figure(share, max(share - 0.02, 0), min(share + 0.02, 1))


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot):  # type: ignore[no-untyped-def]
    """Figures as a measurement would give them; what is measured how is tested where it is done."""

    def measured(_own, _choices, way, _progress=None):  # type: ignore[no-untyped-def]
        if way.method == "blind":
            return replace(way, problem=Problem("Not here."))
        found, named = FIGURES[way.method]
        return replace(way, found=figure(found), named=figure(named), wrong=0.01, size=12_000_000, seconds=60.0)

    def unused(*_arguments, **_named):  # type: ignore[no-untyped-def]
        raise Problem("This way was measured before.")

    monkeypatch.setattr(ways, "measure", measured)
    monkeypatch.setattr(preview, "forecast", unused)
    monkeypatch.setattr(preview, "rehearse", unused)
    window.resize(1024, 700)
    window.desk.create_project(tmp_path / "ways.pprlproject", "Ways")
    window.open_file(resources.find("samples", "hospital_a.csv"))
    qtbot.waitUntil(lambda: window.desk.findings.seen is not None and window.next.isEnabled())
    window.show_pane("method")
    pane = window.pane()
    own = pane._used()
    found, named = FIGURES[own.method]
    pane._know(replace(own, found=figure(found), named=figure(named), wrong=0.0))
    pane._ask()
    pane._show_ways()
    qtbot.waitUntil(lambda: all(one.measured for one in pane._offered()))
    return pane


def test_the_recommended_way_keeps_below_what_the_steward_allows(page) -> None:  # type: ignore[no-untyped-def]
    assert page.found.value.text() == "99"
    assert page.named.value.text() == "63"
    assert "SimHash" in page.why.text()
    QTest.mouseClick(page.dial.button(5), Qt.MouseButton.LeftButton)
    assert "Private nearest" in page.why.text()


def test_use_this_and_a_click_on_its_point_choose_a_way(page, window: MainWindow) -> None:  # type: ignore[no-untyped-def]
    use = next(b for b in page.findChildren(QPushButton) if b.accessibleName() == "Use SimHash with noise")
    use.click()
    assert window.desk.project.choices.method == "simhash"
    assert page.named.value.text() == "6"
    spot = next(one for one in page.chart.spots if one.label == "Private nearest neighbour")
    QTest.mouseClick(page.chart, Qt.MouseButton.LeftButton, pos=page.chart._place(spot).toPoint())
    assert window.desk.project.choices.method == "dp-nn"
    assert not any(one.property("kind") == "danger" for one in page.findChildren(QPushButton))
    window.menus.undo.trigger()
    assert window.desk.project.choices.method == "simhash"


def test_title_numbers_dial_and_first_ways_are_in_the_first_fold(page, window: MainWindow) -> None:  # type: ignore[no-untyped-def]
    bottom = page.scroller.viewport().height()
    for one in (page.title, page.found, page.named, page.why, page.chart, page.dial.button(10)):
        assert one.mapTo(page.scroller.widget(), one.rect().bottomLeft()).y() <= bottom
    buttons = [b for b in page.findChildren(QPushButton) if b.text() == "Use this" and b.isVisibleTo(page)]
    assert buttons[1].mapTo(page.scroller.widget(), buttons[1].rect().bottomLeft()).y() <= bottom


@pytest.mark.slow
def test_every_offered_way_is_measured_on_the_own_records(tmp_path: Path) -> None:
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices

    own = OwnTable()
    choices = Choices().changed(**own.load(resources.find("samples", "hospital_a.csv")).changes())
    offered = ways.offered(choices)
    assert len(offered) > 2
    for way in offered:
        found = ways.measure(own, choices, way)
        assert found.measured
        if found.problem is None:
            assert found.found is not None
            assert 0.5 < found.found.share <= 1
            assert found.named is not None
            assert found.size > 0
