"""A window without a screen, with settings of its own, closed after each test."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partialmethod
from pathlib import Path

import pytest

pytest.importorskip("PySide6.QtWidgets", exc_type=ImportError)

from pytestqt.qtbot import QtBot

from pprl_desktop.ui.app import make_application, make_window
from pprl_desktop.ui.shell.main_window import MainWindow

# what is waited for comes, or the product is at fault: how long it takes says only how busy the machine is
QtBot.waitUntil = partialmethod(QtBot.waitUntil, timeout=300_000)  # type: ignore[method-assign, assignment]


@pytest.fixture(autouse=True, scope="module")
def collected_on_this_thread() -> Iterator[None]:
    """Widgets in cycles die on this thread, as in the program; the test runner has threads of its own."""
    gc.disable()
    yield
    gc.unfreeze()  # what the window set aside while nobody waited
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Neither the preferences nor the keys of whoever runs the tests are touched."""
    folder = tmp_path / "settings"
    monkeypatch.setenv("PPRL_DESKTOP_SETTINGS", str(folder))
    monkeypatch.setenv("PPRL_HOME", str(tmp_path / "identity"))
    return folder


@pytest.fixture(autouse=True)
def no_key_held(qapp) -> Iterator[None]:  # type: ignore[no-untyped-def]
    """Qt remembers the Shift of the last key that a test pressed, and the next test would click with it."""
    yield
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QWidget

    if qapp.keyboardModifiers() != Qt.KeyboardModifier.NoModifier:
        QTest.keyClick(QWidget(), Qt.Key.Key_Escape)


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    from PySide6.QtWidgets import QApplication

    return QApplication


@pytest.fixture
def open_window(qtbot) -> Iterator[Callable[..., MainWindow]]:  # type: ignore[no-untyped-def]
    windows: list[MainWindow] = []

    def open_one(*argv: str) -> MainWindow:
        window = make_window(make_application(), argv or ("--light", "--language=en"))
        qtbot.addWidget(window, before_close_func=lambda w: w.desk.jobs.cancel())
        windows.append(window)
        window.show()
        return window

    yield open_one
    for window in windows:
        jobs = window.desk.jobs
        jobs.cancel()
        window.close()
        assert jobs.wait(120), "work did not end"


@pytest.fixture
def window(open_window: Callable[..., MainWindow]) -> MainWindow:
    return open_window()
