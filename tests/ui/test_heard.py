"""What a screen reader gets of the running window, over the bus that it listens on and not only in Qt's own tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PYTHON = "/usr/bin/python3"
PATIENCE = 120
pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Heard:
    role: str
    name: str
    description: str
    states: frozenset[str]
    value: tuple[float, ...]
    labelled: tuple[str, ...]


def missing() -> str:
    tools = [name for name in ("Xvfb", "openbox", "dbus-run-session") if shutil.which(name) is None]
    if not Path("/usr/libexec/at-spi-bus-launcher").exists():
        tools.append("at-spi2-core")
    if not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", "import pyatspi"], capture_output=True).returncode:
        tools.append("python3-pyatspi")
    return ", ".join(tools)


@pytest.fixture(scope="module")
def listen(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Heard]]:
    """Each page is opened once, in a session of its own: screen, window manager, bus, program, listener."""
    lacking = missing()
    if lacking:
        pytest.skip(f"not installed: {lacking}")
    known: dict[str, list[Heard]] = {}

    def one(page: str) -> list[Heard]:
        if page not in known:
            known[page] = session(tmp_path_factory.mktemp(page), page)
        return known[page]

    return one


SCRIPT = """
set -e
Xvfb -displayfd 3 -screen 0 1024x768x24 >/dev/null 2>&1 3>"$FOLDER/screen.txt" &
screen=$!
for _ in $(seq 100); do [ -s "$FOLDER/screen.txt" ] && break; sleep .1; done
export DISPLAY=":$(cat "$FOLDER/screen.txt")"
openbox >/dev/null 2>&1 &
manager=$!
"$PROGRAM" "$HERE/shown_page.py" "$FOLDER" "$PAGE" >"$FOLDER/said.txt" 2>"$FOLDER/errors.txt" &
program=$!
trap 'kill $program $manager $screen 2>/dev/null || true' EXIT
for _ in $(seq 900); do grep -q ready "$FOLDER/said.txt" && break; kill -0 $program; sleep .1; done
"$PYTHON" "$HERE/heard.py" pprl-desktop 40
"""


def session(folder: Path, page: str) -> list[Heard]:
    (folder / "run").mkdir(mode=0o700)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(folder / "run"),
        "QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "PYTHONPATH": str(HERE.parents[1]),
        "PPRL_HOME": str(folder / "home"), "PPRL_DESKTOP_SETTINGS": str(folder / "settings"), "FOLDER": str(folder),
        "PAGE": page, "PROGRAM": sys.executable, "PYTHON": PYTHON, "HERE": str(HERE),
    }  # fmt: skip
    ran = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", SCRIPT],
        env=environment, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr + (folder / "errors.txt").read_text()
    found = []
    for line in (one for one in ran.stdout.splitlines() if one.startswith("{")):  # the bus says a word of its own
        told = json.loads(line)
        found.append(
            Heard(told["role"], told["name"], told["description"], frozenset(told["states"]),
                  tuple(told.get("value", ())), tuple(told["labelled"]))
        )  # fmt: skip
    return [one for one in found if "showing" in one.states]


Listen = Callable[[str], list[Heard]]


def of(found: list[Heard], role: str) -> list[Heard]:
    return [one for one in found if one.role == role]


def test_the_title_of_the_page_is_a_heading_and_the_page_has_the_focus(listen: Listen) -> None:
    found = listen("fields")
    assert "Choose what identifies a person" in [one.name for one in of(found, "heading")]
    focused = [one for one in found if "focused" in one.states and one.name == "Choose what identifies a person"]
    assert focused, "what is new is read first"


def test_steps_are_items_of_a_list_and_the_open_one_is_selected(listen: Listen) -> None:
    found = listen("fields")
    assert {"Steps of the job", "Other pages"} <= {one.name for one in of(found, "list")}
    steps = [one for one in of(found, "list item") if one.name.startswith("Step ")]
    assert len(steps) == 10
    assert [one.name for one in steps if "selected" in one.states] == ["Step 2: Fields, done"]
    assert not of(found, "check box")


def test_every_box_to_choose_from_says_what_it_is_for(listen: Listen) -> None:
    boxes = of(listen("fields"), "combo box")
    assert len(boxes) >= 10
    assert [one for one in boxes if not any(one.labelled)] == []  # on Linux the name of a box is its value


def test_bars_have_a_value_and_plots_are_pictures_with_a_text(listen: Listen) -> None:
    found = listen("method")
    bars = [one for one in of(found, "progress bar") if one.name.startswith(("Found", "Could be named"))]
    assert len(bars) >= 8
    assert all(len(one.value) == 3 and one.value[0] <= one.value[1] <= one.value[2] for one in bars)
    assert [one.name for one in of(found, "image") if one.name == "Found against could be named"]


def test_cells_of_a_review_are_cells_and_the_meter_has_a_value(listen: Listen) -> None:
    found = listen("review")
    cells = [one for one in of(found, "table cell") if "Space" in one.description or "opened" in one.description]
    assert len(cells) >= 4
    assert all(one.name for one in cells)
    (meter,) = [one for one in of(found, "progress bar") if one.name == "Privacy risk (KAPR)"]
    assert len(meter.value) == 3
    assert "limit" in meter.description
