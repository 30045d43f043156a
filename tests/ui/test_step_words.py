"""What the list of steps cuts off is there in full for the mouse and for the ear; days are written as people do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pprl_desktop.ui.kit import i18n
from pprl_desktop.ui.kit.words import day_words, recently
from pprl_desktop.ui.shell.stepper import Entry, StepList
from pprl_desktop.ui.widgets.inputs import combo, pick

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


def test_a_page_beside_the_steps_is_neither_done_nor_to_do(qtbot) -> None:  # type: ignore[no-untyped-def]
    beside = StepList("More pages")
    qtbot.addWidget(beside)
    beside.show_entries([Entry("post", "Post", icon="inbox"), Entry("help", "Help", icon="help")])
    beside.set_current("post")
    assert [one.accessibleDescription() for one in beside.buttons.values()] == ["current page", ""]


def test_a_box_that_is_filled_again_says_nothing_of_its_old_choice(qtbot) -> None:  # type: ignore[no-untyped-def]
    """A reader says the tip beside the value: "Sensitive, Matching" was heard of one column."""
    box = combo("Use", [("Matching", 1), ("Sensitive", 2)])
    qtbot.addWidget(box)
    pick(box, 2)
    assert (box.currentText(), box.toolTip()) == ("Sensitive", "Sensitive")


def test_what_has_no_room_in_a_box_ends_with_dots(qtbot) -> None:  # type: ignore[no-untyped-def]
    """Cut between two letters, "date_of_birth_of_the_mother" was "date_of_birth"."""
    box = combo("Column", [("date_of_birth_of_the_mother", 1), ("sex", 2)])
    qtbot.addWidget(box)
    box.resize(140, 36)
    box.show()
    assert box.shown_text().endswith("…")
    pick(box, 2)
    assert box.shown_text() == "sex"


def test_german_writes_the_day_with_a_point(german: None) -> None:
    assert day_words("2026-11-18T12:00:00Z") == "18. November 2026"
    assert recently(1_600_000_000.0).startswith("13. Sep")


def test_english_writes_it_without() -> None:
    assert day_words("2026-11-18T12:00:00Z") == "18 November 2026"
