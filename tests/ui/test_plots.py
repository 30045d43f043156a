"""Every plot says itself in words, has a table twin, and can be saved in three forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from pprl_desktop.problem import Problem
from pprl_desktop.ui.plots.bars import BarsPlot
from pprl_desktop.ui.plots.base import Plot
from pprl_desktop.ui.plots.histogram import ScoreHistogram
from pprl_desktop.ui.plots.kapr_time import KaprPlot
from pprl_desktop.ui.plots.precision_recall import Curve, PrecisionRecallPlot

SCORES = np.concatenate([np.linspace(-10, 0, 500), np.linspace(2, 20, 300)])


def filled() -> list[Plot]:
    curve = PrecisionRecallPlot()
    curve.show_curve(Curve([0.2, 0.6, 0.9], [1.0, 0.99, 0.8], [9.0, 5.0, 1.0], (0.6, 0.99)))
    histogram = ScoreHistogram()
    histogram.show_scores(SCORES, 0.0, 3.0)
    kapr = KaprPlot()
    kapr.show_values([0.01, 0.02, 0.05], 0.3)
    bars = BarsPlot("Missing values", "column", "missing")
    bars.show_bars(["a", "b"], [1, 3])
    return [curve, histogram, kapr, bars]


def test_plots_speak_and_have_a_table_twin(qtbot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    for plot in filled():
        qtbot.addWidget(plot)
        plot.resize(480, 300)
        plot.show()
        assert plot.accessibleName()
        assert plot.accessibleDescription() == plot.summary() != ""
        columns, rows = plot.table()
        assert rows
        assert all(len(row) == len(columns) for row in rows)
        for kind in ("png", "svg", "csv"):
            path = tmp_path / f"{type(plot).__name__}.{kind}"
            plot.save(path)
            assert path.stat().st_size > 20
        dialog = plot.show_table()
        assert dialog.windowTitle() == plot.name
        dialog.accept()


def test_an_unknown_ending_is_refused(qtbot, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    plot = KaprPlot()
    qtbot.addWidget(plot)
    with pytest.raises(Problem, match="gif"):
        plot.save(tmp_path / "x.gif")


def test_counts_follow_the_lines_and_never_cross(qtbot) -> None:  # type: ignore[no-untyped-def]
    plot = ScoreHistogram()
    qtbot.addWidget(plot)
    plot.show_scores(SCORES, 0.0, 3.0)
    moved: list[tuple[float, float]] = []
    plot.lines_moved.connect(lambda review, accept: moved.append((review, accept)))
    assert sum(plot.counts()) == len(SCORES)
    plot.review_line.setValue(8.0)
    assert (plot.review, plot.accept) == (8.0, 8.0)
    assert plot.counts() == (int((SCORES < 8).sum()), 0, int((SCORES >= 8).sum()))
    assert moved[-1] == (8.0, 8.0)


def test_the_lines_move_by_keyboard(qtbot) -> None:  # type: ignore[no-untyped-def]
    plot = ScoreHistogram()
    qtbot.addWidget(plot)
    plot.show_scores(SCORES, 0.0, 3.0)
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert plot.accept > 3.0
    QTest.keyClick(plot, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert plot.review < 0.0


def test_empty_plots_say_so(qtbot) -> None:  # type: ignore[no-untyped-def]
    for plot in (PrecisionRecallPlot(), ScoreHistogram(), BarsPlot("x", "", "")):
        qtbot.addWidget(plot)
        assert plot.summary()
