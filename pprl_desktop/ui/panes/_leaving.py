"""What pages share where something leaves: what it adds up to, and the file that is ready to be sent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.exchange.disclosures import CLEAR
from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.kit.words import day_words, place_of
from pprl_desktop.ui.panes._files import show_in_folder
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Card, button, label, row

if TYPE_CHECKING:
    from pprl_desktop.ui.panes.base import Pane


def adds_up(pane: Pane, *, result: bool = False, itself: str = "") -> str:
    """What this partner has under this agreement, as the ledger counts it; of a result also the ones before it.

    `itself`: the file that the page is about, of which there is one; once written it adds nothing to itself.
    """
    choices, ledger = pane.project.choices, pane.desk.home.ledger()
    before = [one for one in ledger.releases() if one.agreement == choices.agreement]
    clear_ = sum(one.fresh for one in ledger.disclosures()
                 if one.agreement == choices.agreement and one.what == CLEAR and not one.received)  # fmt: skip
    left = {
        one.what: one.time for one in ledger.disclosures() if one.agreement == choices.agreement and not one.received
    }  # fmt: skip  the newest of each
    said = []
    if result and before:
        said.append(tr("your bundle of {day}", day=day_words(before[-1].time)))
    elif before:
        said.append(
            tr("a table released on {day}; the very same one gives the same bytes", day=day_words(before[-1].time))
        )
    if "question" in left and itself != "question":
        said.append(tr("your question of {day}", day=day_words(left["question"])))
    if "answer" in left and itself != "answer":
        said.append(tr("your answer of {day}", day=day_words(left["answer"])))
    if result and "result" in left:
        said.append(tr("your result of {day}", day=day_words(left["result"])))
    if clear_:
        said.append(tr_n("the cells of {n} record in clear", "the cells of {n} records in clear", clear_))
    return "; ".join(said) or tr("nothing: it is the first release under this agreement")


class SendCard(Card):
    """The file to send: its name and to whom, where it lies, and what never goes with it."""

    def __init__(self, pane: Pane) -> None:
        super().__init__(kind="chosen")
        self._pane = pane

    def show_file(self, path: Path, partner: str, notes: Sequence[str] = ()) -> None:
        clear(self.body)
        show = button(tr("Show &in folder"), lambda: show_in_folder(self._pane, path))
        head = row(label(tr("Send {file} to {partner}", file=path.name, partner=partner), "second"), show, gap=1)
        head.setStretch(0, 1)
        self.add(head, label(place_of(path), "mono", selectable=True), *(label(note, "muted") for note in notes))
        self.add(
            label(tr("Never send: your table, your project, the folder with your keys, or your passphrase."), "warm")
        )
