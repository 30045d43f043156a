"""What only a real screen shows: the wheel over controls, a file dragged in from another program, the window's size."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pprl_desktop import resources
from tests.ui.test_keyboard import Keyboard

HERE = Path(__file__).parent
ROWS = 60
pytestmark = pytest.mark.slow

At = Callable[..., Keyboard]


@pytest.fixture
def at(tmp_path: Path) -> Iterator[At]:
    missing = [name for name in ("Xvfb", "openbox", "xdotool") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    made: list[Keyboard] = []

    def one(**wanted: str) -> Keyboard:
        (tmp_path / "settings").mkdir(exist_ok=True)
        made.append(Keyboard(tmp_path, "en", **wanted))
        made[-1].start()
        return made[-1]

    yield one
    for each in made:
        each.stop()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    with resources.find("samples", "hospital_a.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))[: ROWS + 1]
    path = tmp_path / "hospital.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(lines)
    return path


def mouse(screen: Keyboard, *words: str) -> None:
    subprocess.run(["xdotool", *words], env=screen.environment, check=True)
    time.sleep(0.2)


def project(screen: Keyboard) -> None:
    screen.alt("New with a partner")
    screen.until(lambda: screen.seen()["focus"] == "Name of the project", "the name")
    screen.type("Mouse")
    screen.enter("data")


def drag(screen: Keyboard, x: int, y: int) -> None:
    """Slowly, as a hand does: a drag begins when the pointer has moved a little."""
    mouse(screen, "mousemove", "60", "748", "mousedown", "1")
    for share in range(1, 11):
        mouse(screen, "mousemove", str(60 + (x - 60) * share // 10), str(748 + (y - 748) * share // 10))
    time.sleep(0.5)
    mouse(screen, "mouseup", "1")


def came(path: Path, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while not path.is_file() and time.monotonic() < end:
        time.sleep(0.1)
    return path.is_file()


def test_a_table_dragged_in_is_copied_and_the_wheel_over_its_controls_only_scrolls(at: At, table: Path) -> None:
    screen = at()
    project(screen)
    said = table.with_name("said.txt")
    there = table.with_name("there.txt")
    screen.run(sys.executable, str(HERE / "dragged_file.py"), str(table), str(said), str(there))
    assert came(there, 120), "the program beside it did not come"  # a press on the bare screen takes the focus away
    for _ in range(3):
        drag(screen, 520, 300)
        if came(said):
            break
    screen.until(lambda: screen.seen()["table"] == str(table), "the table")
    assert said.read_text(encoding="utf-8") == "CopyAction", "a file manager would delete what was moved"
    assert table.is_file()
    screen.settled()
    for page in ("data", "fields"):
        if page == "fields":
            screen.enter("fields")
        screen.until(lambda: len(screen.seen()["boxes"]) > 3, "the controls")  # type: ignore[arg-type]
        before: dict[str, list[object]] = screen.seen()["boxes"]  # type: ignore[assignment]
        for name, (_, x, y) in before.items():
            for wheel in ("5", "4"):
                mouse(screen, "mousemove", str(x), str(y), "click", wheel)
            now = screen.seen()["boxes"]
            told = now.get(name, before[name])  # type: ignore[attr-defined]
            assert told[0] == before[name][0], f"{page}: the wheel changed {name}"


def test_the_window_opens_within_a_small_screen_and_keeps_the_size_it_was_given(at: At) -> None:
    screen = at(size="own", screen="1024x700")
    left, top, wide, high = screen.seen()["frame"]  # type: ignore[misc]
    assert left >= 0
    assert top >= 0
    assert left + wide <= 1024
    assert top + high <= 700
    mouse(screen, "search", "--name", "PPRL Desktop", "windowsize", "900", "600")
    screen.until(lambda: screen.seen()["frame"][2:] != [wide, high], "another size")  # type: ignore[index]
    given = screen.seen()["frame"][2:]  # type: ignore[index]
    window = screen.all.pop()
    screen.key("ctrl+q")
    assert window.wait(60) == 0
    screen.open()
    screen.until(lambda: screen.seen()["frame"][2:] == given, f"the size {given}")  # type: ignore[index]
