"""Where the program cannot tell, the page shows the numbers that the doubt is about, each once."""

from __future__ import annotations

import math

import pytest

from pprl_desktop.job.matches import Judged
from pprl_desktop.said import Said
from pprl_desktop.ui.kit import i18n
from pprl_desktop.ui.kit.words import of_100_like
from pprl_desktop.ui.panes.match_doubt import Doubt

WHY = (Said("Fewer than {n} independent fields tell people apart.", n=2),)


def told(wrong: float, second: float, missed: float = 0.05, missed_second: float = 0.05) -> Judged:
    return Judged(
        wrong, wrong - 0.01, wrong + 0.02, missed, second, second - 0.01, second + 0.02, missed_second,
        missed_second - 0.02, reliable=False, reasons=WHY, cures=(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("judged", "shown", "of", "differ"),
    [
        (told(0.05, 0.3), ("5 of 100", "30 of 100"), "wrong", True),
        (told(0.049, 0.039, missed=0.05, missed_second=0.3), ("5 of 100", "30 of 100"), "missed", True),
        (told(0.05, 0.05), ("5 of 100", "5 of 100"), "wrong", False),
        (told(0.05, 0.05, missed_second=math.nan), ("5 of 100", "5 of 100"), "wrong", False),
    ],
)
def test_the_large_numbers_are_those_that_differ(
    qtbot,  # type: ignore[no-untyped-def]
    judged: Judged,
    shown: tuple[str, str],
    of: str,
    differ: bool,
) -> None:
    i18n.install(None, "en")
    doubt = Doubt()
    qtbot.addWidget(doubt)
    doubt.show_doubt(judged)
    for number, value in zip((doubt.first, doubt.other), shown, strict=True):
        assert number.value.text() == value
        assert number.what.text().startswith(of)
    assert doubt.differ.isVisibleTo(doubt) == differ


@pytest.mark.parametrize(
    ("share", "other", "words"),
    [
        (0.005, 0.017, "0.5 of 100"),
        (0.017, 0.005, "17 of 1,000"),
        (0.039, 0.049, "3.9 of 100"),
        (0.3, 0.005, "30 of 100"),
        (0.0, 0.05, "0 of 100"),
        (0.004, math.nan, "4 of 1,000"),
    ],
)
def test_a_second_opinion_stands_in_the_unit_of_the_first(share: float, other: float, words: str) -> None:
    i18n.install(None, "en")
    assert of_100_like(share, other) == words
