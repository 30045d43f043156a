"""The release slip: what leaves, in the same six lines and the same order wherever something leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtWidgets import QWidget

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.widgets.basics import boxed, icon_label, label, row
from pprl_desktop.ui.widgets.facts import FactTable, tag
from pprl_desktop.ui.widgets.reflow import flow

Form = Literal["blind", "smashed", "masked", "clear", "numbers"]


@dataclass(frozen=True)
class Slip:
    """Whole phrases in the steward's language; <b> marks what must not be overlooked."""

    what: str
    to_whom: str
    form: Form
    how_many: str
    learn: str
    adds_up: str
    verified: bool = True  # the safety number of the contact was compared


def form_words() -> dict[Form, str]:
    return {
        "blind": tr("blind"),
        "smashed": tr("smashed"),
        "masked": tr("masked"),
        "clear": tr("in clear"),
        "numbers": tr("numbers"),
    }


def form_tag(form: Form) -> QWidget:
    """The form of one file in a list: red is for what is in clear, and for nothing else."""
    token = {"blind": "accent", "clear": "danger"}.get(form, "neutral")
    return tag(form_words()[form].upper() if form == "clear" else form_words()[form], token)


def ladder(form: Form) -> QWidget:
    """The four forms from the safest to the barest, the true one filled and in capitals."""
    steps: list[Form] = ["blind", "smashed", "masked", "clear"]
    if form == "numbers":
        return boxed(row(tag(tr("random numbers only").upper(), "accent-fill"), None))
    tags = []
    for one in steps:
        words, true = form_words()[one], one == form
        tags.append(tag(words.upper() if true else words, _fill(one) if true else "neutral"))
        tags[-1].setProperty("ladder", True)  # four in one line, in any language
    made = QWidget()
    made.setLayout(flow(*tags, gap=0.25))
    made.setAccessibleName(tr("In which form: {form}", form=form_words()[form]))
    return made


def _fill(form: Form) -> str:
    return "danger-fill" if form == "clear" else "accent-fill"


class ReleaseSlip(FactTable):
    """Always these six, in this order."""

    def show_slip(self, slip: Slip) -> None:
        whom = row(label(slip.to_whom, wrap=False), *([icon_label("good", "accent_text", 16)] * slip.verified), None)
        self.show_facts(
            (
                (tr("What"), slip.what),
                (tr("To whom"), whom),
                (tr("In which form"), ladder(slip.form)),
                (tr("How many"), slip.how_many),
                (tr("They can learn"), slip.learn),
                (tr("Adds up to"), slip.adds_up),
            )
        )
