"""What a screen reader gets of the running window, over the bus that it listens on and not only in Qt's own tree."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pprl_desktop.ui import scenes

HERE = Path(__file__).parent
PYTHON = "/usr/bin/python3"
PATIENCE = 1500  # s for one session: screen, window manager, bus, program, listener
# sessions of few states each; those with a partner or own files build on each other
PARTS = {
    "first": [one.name for one in scenes.FIRST],
    "before": [one.name for stage in ("cards", "proposed", "agreed", "sent") for one in scenes.BY_STAGE[stage]],
    "after": [one.name for stage in ("exchanged", "matched", "told") for one in scenes.BY_STAGE[stage]],
    "blind": [one.name for some in scenes.BLIND.values() for one in some],
    "own": [one.name for one in scenes.OWN],
}
LANGUAGES = {"first": "en", "before": "en", "after": "en", "blind": "de", "own": "de"}
pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Heard:
    role: str
    name: str
    description: str
    states: frozenset[str]
    value: tuple[float, ...]
    labelled: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.role} {self.name!r}"


def missing() -> str:
    tools = [name for name in ("Xvfb", "openbox", "dbus-run-session") if shutil.which(name) is None]
    if not Path("/usr/libexec/at-spi-bus-launcher").exists():
        tools.append("at-spi2-core")
    if not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", "import pyatspi"], capture_output=True).returncode:
        tools.append("python3-pyatspi")
    return ", ".join(tools)


class Listen:
    """Each part is played once, in a session of its own."""

    def __init__(self, make: Callable[[str], Path]) -> None:
        self._make, self._known = make, dict[str, tuple[Path, dict[str, list[Heard]]]]()

    def __call__(self, part: str) -> dict[str, list[Heard]]:
        if part not in self._known:
            folder = self._make(part)
            self._known[part] = folder, session(folder, LANGUAGES[part], PARTS[part])
        return self._known[part][1]

    def aloud(self, part: str) -> list[str]:
        """What was announced, wherever the focus was."""
        self(part)
        return [json.loads(line) for line in (self._known[part][0] / "announced.txt").read_text().splitlines()]


@pytest.fixture(scope="module")
def listen(tmp_path_factory: pytest.TempPathFactory) -> Listen:
    lacking = missing()
    if lacking:
        pytest.skip(f"not installed: {lacking}")
    return Listen(tmp_path_factory.mktemp)


SCRIPT = """
set -e
Xvfb -displayfd 3 -screen 0 1024x768x24 >/dev/null 2>&1 3>"$FOLDER/screen.txt" &
screen=$!
for _ in $(seq 100); do [ -s "$FOLDER/screen.txt" ] && break; sleep .1; done
export DISPLAY=":$(cat "$FOLDER/screen.txt")"
openbox >/dev/null 2>&1 &
manager=$!
touch "$FOLDER/said.txt"
"$PYTHON" "$HERE/announced.py" "$FOLDER/announced.txt" 2>/dev/null &
reader=$!
sleep 1
"$PROGRAM" "$HERE/shown_page.py" "$FOLDER" $WANTED >"$FOLDER/said.txt" 2>"$FOLDER/errors.txt" &
program=$!
trap 'kill $program $reader $manager $screen 2>/dev/null || true' EXIT
"$PYTHON" "$HERE/heard.py" pprl-desktop "$FOLDER"
"""


def session(folder: Path, language: str, wanted: list[str]) -> dict[str, list[Heard]]:
    (folder / "run").mkdir(mode=0o700)
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(folder / "run"),
        "QT_QPA_PLATFORM": "xcb", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "PYTHONPATH": str(HERE.parents[1]),
        "PPRL_HOME": str(folder / "home"), "PPRL_DESKTOP_SETTINGS": str(folder / "settings"), "FOLDER": str(folder),
        "WANTED": " ".join([language, *wanted]), "PROGRAM": sys.executable, "PYTHON": PYTHON, "HERE": str(HERE),
    }  # fmt: skip
    ran = subprocess.run(
        ["dbus-run-session", "--", "bash", "-c", SCRIPT],
        env=environment, capture_output=True, text=True, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr + (folder / "errors.txt").read_text()
    found: dict[str, list[Heard]] = {}
    for line in (one for one in ran.stdout.splitlines() if one.startswith("{")):  # the bus says a word of its own
        told = json.loads(line)
        if "showing" in told["states"]:
            found.setdefault(told["state"], []).append(
                Heard(told["role"], told["name"], told["description"], frozenset(told["states"]),
                      tuple(told.get("value", ())), tuple(told["labelled"]))
            )  # fmt: skip
    assert list(found) == wanted
    return found


def of(found: list[Heard], *roles: str) -> list[Heard]:
    return [one for one in found if one.role in roles]


every_part = pytest.mark.parametrize("part", list(PARTS))


@every_part
def test_the_title_of_the_page_is_a_heading_and_what_is_new_has_the_focus(part: str, listen: Listen) -> None:
    """Whoever has the focus is read first: it says a name, and is nothing that a screen reader leaves out."""
    wrong = {}
    for state, found in listen(part).items():
        focused = [one for one in found if "focused" in one.states and one.role not in ("frame", "window")]
        if not of(found, "heading") or not of(found, "heading")[0].name:
            wrong[state] = "no heading"
        elif not focused or not focused[-1].name or focused[-1].role == "filler":
            wrong[state] = f"focus: {[str(one) for one in focused]}"
    assert not wrong


@every_part
def test_steps_are_items_of_a_list_and_the_open_one_is_selected(part: str, listen: Listen) -> None:
    wrong = {}
    for state, found in listen(part).items():
        items = [one for one in of(found, "list item") if "selectable" in one.states]
        selected = [one.name for one in items if "selected" in one.states]
        beside = state.startswith(BESIDE_ALL)
        if len(of(found, "list")) < 2 or len(items) < 8 or len(selected) != (0 if beside else 1):
            wrong[state] = selected
    assert not wrong


BESIDE_ALL = ("groups", "other_tools")  # pages that stand in no list: the menu leads there


@every_part
def test_every_control_says_its_name_and_every_box_what_it_is_for(part: str, listen: Listen) -> None:
    """On Linux the name of a box to choose from is its value, so its label must be told as such."""
    wrong = {}
    for state, found in listen(part).items():
        nameless = [str(one) for one in of(found, *CONTROLS) if not one.name and not any(one.labelled)]
        nameless += [str(one) for one in of(found, "combo box") if not any(one.labelled)]
        if nameless:
            wrong[state] = nameless
    assert not wrong


CONTROLS = (
    "push button", "toggle button", "check box", "radio button", "text", "password text", "spin button", "slider",
    "page tab", "table", "image", "progress bar", "menu item", "link",
)  # fmt: skip


@every_part
def test_nothing_with_a_name_is_a_filler(part: str, listen: Listen) -> None:
    """Screen readers leave fillers out: a name on one is heard by nobody."""
    wrong = {state: [str(one) for one in of(found, "filler") if one.name] for state, found in listen(part).items()}
    assert not {state: names for state, names in wrong.items() if names}


@every_part
def test_bars_and_meters_have_a_value_between_their_ends(part: str, listen: Listen) -> None:
    for state, found in listen(part).items():
        for one in of(found, "progress bar", "slider", "spin button"):
            assert len(one.value) == 3, f"{state}: {one}"
            assert one.value[0] <= one.value[1] <= one.value[2], f"{state}: {one}"


@every_part
def test_no_name_is_markup_or_holds_the_mark_of_its_key(part: str, listen: Listen) -> None:
    raw = re.compile(r"</?\w+[^>]*>|&\w|\{\w+\}")
    wrong = {
        state: [said for one in found for said in (one.name, one.description, *one.labelled) if raw.search(said)]
        for state, found in listen(part).items()
    }
    assert not {state: names for state, names in wrong.items() if names}


@every_part
def test_a_box_to_choose_from_says_its_choice_and_no_other(part: str, listen: Listen) -> None:
    for state, found in listen(part).items():
        assert [str(one) for one in of(found, "combo box") if one.description not in ("", one.name)] == [], state


def test_bars_of_the_ways_and_the_plot_beside_them(listen: Listen) -> None:
    found = listen("blind")["blind-method"]
    assert len([one for one in of(found, "progress bar") if one.description or one.name]) >= 8
    assert [one for one in of(found, "image") if one.name]


def test_the_histogram_is_a_picture_with_a_text(listen: Listen) -> None:
    pictures = [one for one in of(listen("after")["match-found"], "image") if one.name and one.description]
    assert pictures


def test_cells_of_a_review_are_cells_and_the_meter_has_a_value(listen: Listen) -> None:
    for part, state in (("after", "review-pair"), ("own", "own-pair")):
        found = listen(part)[state]
        cells = [one for one in of(found, "table cell") if one.description]
        assert len(cells) >= 4, state
        assert all(one.name for one in cells)
        meters = [one for one in of(found, "progress bar") if "KAPR" in one.name]
        assert len(meters) == 1, state
        assert len(meters[0].value) == 3
        assert meters[0].description


def test_a_refusal_stands_in_the_tree_with_its_words(listen: Listen) -> None:
    for part, state in (("first", "data-refused"), ("before", "partner-refused"), ("first", "settings-refused")):
        words = " ".join(one.name for one in listen(part)[state])
        assert "Problem" in words, state


def test_a_refusal_is_read_out_wherever_the_focus_is(listen: Listen) -> None:
    """The page keeps the focus: what appears above it would be heard by nobody who does not look for it."""
    for part, words in (
        ("first", "Problem: 'only a heading.csv' has a header"),
        ("before", "Problem: This is your own"),
    ):
        assert [said for said in listen.aloud(part) if said.startswith(words)], listen.aloud(part)
