"""A cluster of the organisation: named in Settings, told in the menu bar while it is in use, refused in a sentence."""

from __future__ import annotations

import threading
from contextlib import nullcontext
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from pprl_desktop.job.engine import Place
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit import jobs
from pprl_desktop.ui.kit.jobs import Job
from pprl_desktop.ui.panes.settings import SettingsPane
from pprl_desktop.ui.shell.main_window import MainWindow


def test_without_an_address_everything_runs_here(window: MainWindow) -> None:
    assert window.desk.cluster() is None
    assert window.menus.offline.text() == "Works offline"


def test_an_address_without_tls_is_refused_beside_the_fields(window: MainWindow, qtbot: QtBot) -> None:
    window.desk.go_to.emit("settings")
    pane = window.pane()
    assert isinstance(pane, SettingsPane)
    pane.places_of["engine"].setText("dask:tcp://127.0.0.1:8786")
    pane.places_of["engine"].editingFinished.emit()
    with pytest.raises(Problem, match="not an engine"):
        window.desk.cluster()
    pane._check_cluster()
    assert any("not an engine" in one.text() for one in pane.messages.findChildren(QLabel))
    pane.places_of["engine"].setText("")
    pane.places_of["engine"].editingFinished.emit()
    assert window.desk.cluster() is None


def test_the_menu_bar_tells_the_cluster_while_it_is_in_use(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    go_on = threading.Event()
    monkeypatch.setattr(jobs, "at", lambda where, progress: nullcontext())  # no scheduler stands behind this address
    where = Place("tls://grid.example:8786", tmp_path, tmp_path, tmp_path, tmp_path)
    window.desk.jobs.start(Job("Matching", lambda progress: go_on.wait(30), where=where))
    qtbot.waitUntil(lambda: window.menus.offline.text() == "Connected to grid.example:8786")
    go_on.set()
    qtbot.waitUntil(lambda: window.menus.offline.text() == "Works offline")
