"""What the list of steps cuts off is there in full for the mouse and for the ear; days are written as people do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pprl_desktop.ui.kit import i18n
from pprl_desktop.ui.kit.words import day_words, recently
from pprl_desktop.ui.shell.stepper import Entry, StepList

WHY = "waiting for Saltham Hospital and the registries of its county"


@pytest.fixture
def german() -> Iterator[None]:
    before = i18n.language()
    i18n.install(None, "de")
    yield
    i18n.install(None, before)


@pytest.mark.parametrize("tip", ["", "Partner's bundle: first finish Data"])
@pytest.mark.parametrize("current", ["partner", "data"])
def test_for_whom_a_step_waits_is_told_in_full(qtbot, tip: str, current: str) -> None:
    steps = StepList("Steps")
    qtbot.addWidget(steps)
    steps.show_entries([Entry("data", "Data", "done", 1), Entry("partner", "Bundle", "waiting", 2, tip=tip, why=WHY)])
    steps.set_current(current)
    shown = steps.buttons["partner"]
    assert WHY in shown.toolTip()
    assert WHY in shown.accessibleDescription()
    assert shown.accessibleName() == f"Step 2: Bundle, {WHY}"


def test_german_writes_the_day_with_a_point(german: None) -> None:
    assert day_words("2026-11-18T12:00:00Z") == "18. November 2026"
    assert recently(1_600_000_000.0).startswith("13. Sep")


def test_english_writes_it_without() -> None:
    assert day_words("2026-11-18T12:00:00Z") == "18 November 2026"
