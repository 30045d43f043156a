"""The window never waits: the event loop is not blocked for long while the engine works on the other thread."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QTimer

from pprl_desktop import resources
from pprl_desktop.progress import Progress
from pprl_desktop.ui.jobs import Job, Jobs
from pprl_desktop.ui.main_window import MainWindow

LONGEST = 0.1  # s between two beats of the event loop
BEAT = 5  # ms
SPARE = 1.0  # s: what a busy machine (tests side by side) may add to single beats; it is not ours to judge


class Watchdog:
    """Measures the longest gap between two beats of a timer on the window's thread."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps.append(now - self._last)
        self._last = now

    def stop(self) -> None:
        self._timer.stop()

    def verdict(self) -> str:
        """'' when no gap was longer than a tenth of a second; a busy machine may delay a few beats a little."""
        gaps = np.array(self.gaps)
        late = int((gaps > LONGEST).sum())
        allowed, longest = (0, LONGEST) if idle_machine() else (max(2, len(gaps) // 20), LONGEST + SPARE)
        return "" if late <= allowed and gaps.max() <= longest else f"{late} late, worst {gaps.max():.3f} s"


def idle_machine() -> bool:
    """Nobody else computes: the load is what this test itself makes."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] <= 0.75 * (os.cpu_count() or 1)


@pytest.fixture
def watched(window: MainWindow, qtbot) -> Iterator[Callable[[Callable[[Progress], Any]], Any]]:  # type: ignore[no-untyped-def]
    """Run work as a pane does, under the watchdog; gives its result."""

    def run(work: Callable[[Progress], Any]) -> Any:
        ended: list[tuple[str, Any]] = []
        jobs: Jobs = window.desk.jobs
        dog = Watchdog()
        job = Job(
            "Work", work, "watchdog", False, lambda r: ended.append(("done", r)), lambda p: ended.append(("no", p))
        )
        jobs.start(job)
        qtbot.waitUntil(lambda: bool(ended), timeout=280_000)
        dog.stop()
        assert ended[0][0] == "done", ended[0][1]
        assert dog.verdict() == ""
        return ended[0][1]

    return run  # type: ignore[return-value]


@pytest.fixture(scope="module")
def choices() -> Any:
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.project.workplace import Workplace

    return Choices().changed(**Workplace().load(resources.find("samples", "hospital_a.csv")).changes())


def many_rows(path: Path, rows: int) -> Path:
    """A large table of invented people."""
    rng = np.random.default_rng(1)
    source = resources.find("samples", "hospital_a.csv").read_text(encoding="utf-8").splitlines()
    cells = [line.split(",") for line in source[1:]]
    columns = [np.array([row[i] for row in cells], dtype=object) for i in range(1, 9)]
    picks = [column[rng.integers(0, len(column), rows)] for column in columns]
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(source[0].split(",")[:9]) + "\n")
        for start in range(0, rows, 50_000):
            part = zip(*(pick[start : start + 50_000] for pick in picks), strict=True)
            file.writelines(f"R{start + i},{','.join(row)}\n" for i, row in enumerate(part))
    return path


def test_reading_a_table_leaves_the_window_free(watched, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.project.workplace import Workplace

    table = many_rows(tmp_path / "people.csv", 60_000)
    assert watched(lambda p: Workplace().load(table, None, p)).rows == 60_000


@pytest.mark.slow
def test_reading_a_million_rows_leaves_the_window_free(watched, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.project.workplace import Workplace

    table = many_rows(tmp_path / "people.csv", 1_000_000)
    assert watched(lambda p: Workplace().load(table, None, p)).rows == 1_000_000


@pytest.mark.slow
def test_matching_20k_with_20k_leaves_the_window_free(watched, tmp_path: Path, choices) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.evaluation.play import play
    from pprl_desktop.matching.base import MatchOptions
    from pprl_desktop.methods.corrupt import corrupt
    from pprl_desktop.project.workplace import Workplace, recipe_of

    workplace = Workplace()
    seen = workplace.load(many_rows(tmp_path / "people.csv", 20_000))
    big = choices.changed(table_path=seen.path, table_sha256=seen.sha256, rows=seen.rows)
    own = workplace.clean(big)
    partner = corrupt(own, 3)
    watched(lambda p: play(own, partner, recipe_of(big), MatchOptions(), progress=p))


@pytest.mark.slow
def test_the_rehearsal_leaves_the_window_free(watched, choices) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.project.workplace import Workplace

    watched(lambda p: Workplace().rehearse(choices, progress=p))


@pytest.mark.slow
def test_sealing_leaves_the_window_free(watched, tmp_path: Path, choices) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.exchange import agreement, bundles, contacts, identity, inbox
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.project.workplace import Workplace

    workplace = Workplace()
    seen = workplace.load(many_rows(tmp_path / "people.csv", 20_000))
    big = choices.changed(table_path=seen.path, table_sha256=seen.sha256, rows=seen.rows)
    homes = [Home(tmp_path / name) for name in ("a", "b")]
    own = [identity.new(name) for name in ("A", "B")]
    for home, one in zip(homes, own, strict=True):
        home.create(one, "correct horse battery staple")
    for i in (0, 1):
        other = contacts.new(homes[1 - i].own_card_bytes())
        number = contacts.number_with(homes[i].own_card(), other).as_text()
        homes[i].keep_contact(contacts.verified(other, homes[i].own_card(), number))
    offer = agreement.Offer(big.method, big.fields, big.settings, big.reference, purpose="watchdog")
    pact = agreement.propose(homes[0], own[0], homes[0].contacts()[0], offer, tmp_path / "p.pprl")
    received = inbox.open_file(homes[1], own[1], tmp_path / "p.pprl")
    agreement.accept(homes[1], own[1], received.proposal, tmp_path / "q.pprl")
    inbox.open_file(homes[0], own[0], tmp_path / "q.pprl")
    pact = agreement.with_columns(homes[0], homes[0].pact(pact.id), dict(big.columns))
    table = workplace.clean(big)
    watched(lambda p: bundles.export(homes[0], own[0], pact, table, tmp_path / "bundle.pprl", progress=p))
