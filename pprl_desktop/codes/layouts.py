"""The two layouts of bit codes, one code per field or one per record, and the decision that can be made on each."""

from __future__ import annotations

from pprl_desktop.codes.base import Layout, Settings
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said


def decision_of(layout: Layout) -> str:
    return "threshold" if layout == "record" else "adaptive"


def wrong_decision(settings: Settings) -> list[Problem]:
    """Nothing where the decision goes with the layout."""
    wanted = decision_of(settings.layout)
    if settings.decision == wanted:
        return []
    return [
        Problem(
            Said(
                "The {layout} layout is decided by '{wanted}', not by '{decision}'.",
                layout=settings.layout,
                wanted=wanted,
                decision=settings.decision,
            ),
            do="Choose the field layout with the adaptive decision, or the record layout with one threshold.",
            place="decision",
        )
    ]
