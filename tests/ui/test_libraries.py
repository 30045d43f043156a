"""Where the window cannot open, one sentence says what to install, instead of a traceback or an abort."""

from __future__ import annotations

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.ui.app import run
from pprl_desktop.ui.kit import libraries


def test_missing_libraries_are_named_with_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "loads", lambda name: name not in ("libEGL.so.1", "libxcb-cursor.so.0"))
    monkeypatch.setattr(libraries, "_like_fedora", lambda: False)
    with pytest.raises(Problem) as caught:
        libraries.check({"DISPLAY": ":0"}, "linux")
    assert str(caught.value.do) == "Install them with: sudo apt install libegl1 libxcb-cursor0"


def test_the_names_follow_the_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "loads", lambda name: name != "libEGL.so.1")
    monkeypatch.setattr(libraries, "_like_fedora", lambda: True)
    with pytest.raises(Problem, match="sudo dnf install libglvnd-egl"):
        libraries.check({"QT_QPA_PLATFORM": "offscreen"}, "linux")


def test_without_a_screen_the_verbs_are_offered() -> None:
    with pytest.raises(Problem, match="no screen"):
        libraries.check({}, "linux")


def test_an_offscreen_window_needs_no_x_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(libraries, "loads", lambda name: asked.append(name) is None)
    libraries.check({"QT_QPA_PLATFORM": "offscreen"}, "linux")
    assert not [name for name in asked if "xcb" in name]


def test_an_import_that_fails_names_the_library() -> None:
    problem = libraries.from_import_error(ImportError("libEGL.so.1: cannot open shared object file"))
    assert "libegl1" in str(problem.do) or "libglvnd-egl" in str(problem.do)


def test_an_unknown_option_is_refused_before_anything_opens() -> None:
    with pytest.raises(Problem, match="--fullscreen"):
        run(["--fullscreen"])
