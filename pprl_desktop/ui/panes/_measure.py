"""Forecast and rehearsal of choices, on the own table: in the background, kept, and told where they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pprl_desktop.job import kept, preview
from pprl_desktop.job.document import Document
from pprl_desktop.job.papers import Measured, Stage, agreement_document
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.panes.base import Pane

if TYPE_CHECKING:
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.exchange.terms import Terms
    from pprl_desktop.job.blind import Weighed
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.rehearsal.rehearse import Rehearsal

FORECAST, REHEARSAL = "method.forecast", "method.rehearse"  # one of each at a time, whichever page asks


def measure(pane: Pane, choices: Choices, told: Callable[[], None], *, forecast: bool = True) -> None:
    """What is kept already is not measured again; `told` is called when something new is known."""
    place, project = pane.desk.own_table, pane.project

    def found(made: Forecast) -> None:
        kept.keep_forecast(project, choices, made)
        told()

    def named(made: Rehearsal) -> None:
        kept.keep_rehearsal(project, choices, made)
        told()

    if forecast and kept.forecast_under(project, choices) is None:
        pane.run(
            tr("Forecast"), lambda progress: preview.forecast(place, choices, progress=progress), found, key=FORECAST,
            quiet=True, keeps=True, problem=lambda _problem: None,
        )  # fmt: skip
    if kept.rehearsal_under(project, choices) is None:
        pane.run(
            tr("Rehearsal"), lambda progress: preview.rehearse(place, choices, progress=progress, changes=False), named,
            key=REHEARSAL, quiet=True, keeps=True, problem=lambda _problem: None,
        )  # fmt: skip


def document_of(pane: Pane, terms: Terms, stage: Stage, choices: Choices, weighed: Weighed | None = None) -> Document:
    """The terms as a document, with what is known of them on the own table; `weighed`: by the meter of blind."""
    me = pane.desk.home.own_card().name if pane.desk.home.exists else ""
    rehearsal = kept.rehearsal_under(pane.project, choices)
    measured = Measured(
        choices.rows,
        kept.forecast_under(pane.project, choices),
        rehearsal.named if rehearsal is not None else None,
        weighed.meter.coverage if weighed is not None else None,
    )
    try:
        said = preview.statement(choices)
    except Problem:
        said = None
    return agreement_document(terms, stage, me, said, measured)
