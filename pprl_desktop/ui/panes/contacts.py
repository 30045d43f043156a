"""Identity and contacts: the own key, the partners' cards, and the safety number for the telephone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QGridLayout, QLabel, QLayout, QLineEdit, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.desk import usual_folder
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import day_words, place_of
from pprl_desktop.ui.panes._files import show_in_folder
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.unlock import IdentityCard
from pprl_desktop.ui.widgets.asking import ask_words
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, label, row, set_kind
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.inputs import labelled, on_enter
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.table import DataTable
from pprl_desktop.ui.widgets.table_model import ColumnSpec

if TYPE_CHECKING:
    from pprl_desktop.exchange.contacts import Contact

CARD = ".pprlcard"
WORDS_A_LINE = 3


def state_words(state: str) -> str:
    words = {
        "unverified": tr("○ not compared yet"),
        "verified": tr("✓ verified"),
        "withdrawn": tr("× withdrawn"),
    }[state]
    return words.replace(" ", "\u00a0", 1)  # the mark stays with its word


class ContactsPane(Pane):
    NAME = "contacts"
    NEEDS = ("home",)
    GIVES = ("identity", "verified contacts")
    MESSAGES = {  # noqa: RUF012
        "own": "This is your own card.",
        "twins": "Another contact has the same name with another key.",
    }

    def build(self) -> None:
        self.identity = IdentityCard(self.desk)
        self.identity.changed.connect(self._show)
        self.identity.card_written.connect(self._card_written)
        self.list = Section(tr("Contacts"))
        self.import_button = button(tr("&Import a card …"), self._choose, icon="plus")
        self.list.head.addWidget(self.import_button)
        self.empty = EmptyState(
            "people",
            tr("No contacts yet"),
            tr("Send the partner your card. Import theirs, or drop it on this window."),
            ((tr("&Save your card …"), self.identity.save_card), (tr("&Import a card …"), self._choose)),
        )
        self.table = DataTable(
            tr("Contacts"),
            [
                ColumnSpec(tr("Name")),
                ColumnSpec(tr("State"), state_words),
                ColumnSpec(tr("Since"), day_words),
            ],
            fit=5,
        )
        self.table.selected.connect(self._select)
        self.list.add(self.empty, self.table)
        self.detail = Section(tr("Safety number"))
        self.detail_body = column(gap=1.5)
        self.detail.body.addLayout(self.detail_body)
        for part in (self.identity, self.list, self.detail):
            self.body.addWidget(part)
        self.body.addStretch(1)
        self._first: QWidget = self.identity
        self.typed: QLineEdit | None = None  # where words are to be compared
        self._ids: list[str] = []
        self._chosen = ""

    def typed_first(self) -> QWidget | None:
        first = self.identity.typed_first()
        return first if first is not None or self.typed is None else self.typed

    def enter(self) -> None:
        self.identity.refresh()
        self._show()

    def _show(self) -> None:
        home = self.desk.home
        known = home.contacts() if home.exists else []
        self._ids = [one.id for one in known]
        self.table.show_rows([(one.name, one.state, one.since) for one in known])
        self.table.setVisible(bool(known))
        self.empty.setVisible(not known)
        self.import_button.setVisible(bool(known))
        self.identity.card_button.setVisible(bool(known))  # else it is what the page asks for, below
        self.list.setVisible(home.exists)  # a partner's card is of no use before the own one
        if self._chosen not in self._ids:
            self._chosen = self._ids[0] if self._ids else ""
        if self._chosen:
            self.table.view.selectRow(self._ids.index(self._chosen))
        to_compare = any(one.state == "unverified" for one in known)
        self._order((self.detail, self.list, self.identity) if to_compare else (self.identity, self.list, self.detail))
        self._show_detail()
        self.changed.emit()

    def _order(self, parts: tuple[QWidget, ...]) -> None:
        """What there is to do stands first: words to compare, or else who one is."""
        if self._first is not parts[0]:
            self._first = parts[0]
            for place, part in enumerate(parts):
                self.body.insertWidget(place, part)

    def _head(self, chosen: Contact | None) -> None:
        if not self.desk.home.exists:
            self.head(tr("Make your identity"), tr("Once on this computer. Partners know you by it ever after."))
        elif chosen is None:
            self.head(
                tr("Exchange cards with the partner"),
                tr("By any way; they are public. Then you compare twelve words by telephone."),
            )
        elif chosen.state == "unverified":
            self.head(
                tr("Compare twelve words with {name}", name=chosen.name),
                tr(
                    "Call {name} on a number you already know. Both of you see the same twelve words; read them out.",
                    name=chosen.name,
                ),
            )
        else:
            self.head(
                tr("Who you are, and who your partners are"),
                tr("Exchange cards by any way, then compare twelve words by telephone. Only then can files be sealed."),
            )  # fmt: skip

    def _card_written(self, path: str) -> None:
        """The next thing is the partner's card."""
        for one, kind in zip(self.empty.buttons, ("", "primary"), strict=True):
            set_kind(one, kind)
        self.messages.clear()
        self.say(
            "good",
            tr("Your card is written."),
            tr("Send {file} to the partner by any way; it is public.", file=place_of(Path(path))),
            (tr("Show in folder"), lambda: show_in_folder(self, Path(path))),
        )

    def _select(self, number: int) -> None:
        if 0 <= number < len(self._ids) and self._ids[number] != self._chosen:
            self._chosen = self._ids[number]
            self._show_detail()

    def _show_detail(self) -> None:
        from pprl_desktop.exchange import contacts

        clear(self.detail_body)
        self.typed = None
        self.detail.setVisible(bool(self._chosen))
        home = self.desk.home
        contact = home.contact(self._chosen) if self._chosen else None
        self._head(contact)
        if contact is None:
            return
        number = contacts.number_with(home.own_card(), contact)
        if contact.state == "verified":
            self.detail.heading.setText(tr("Safety number with {name}", name=contact.name))
            self.detail.say(tr("Compared and equal. Files can be sealed for this contact."))
        elif contact.state == "withdrawn":
            self.detail.heading.setText(tr("Safety number with {name}", name=contact.name))
            self.detail.say(
                tr("Withdrawn: nothing is sent to or accepted from this key. {note}", note=tr_core(contact.told))
            )
        else:
            self.detail.say("")
        self.detail.heading.setVisible(contact.state != "unverified")  # then the page is about it
        digits = number.digits.split()
        grid = QGridLayout()
        grid.setHorizontalSpacing(2 * GRID)
        grid.setVerticalSpacing(GRID)
        for place, word in enumerate(number.words):
            shown = label(word, "heading", wrap=False)
            set_tip(shown, digits[place])
            shown.setAccessibleName(tr("Word {n}: {word}", n=place + 1, word=word))
            grid.addWidget(_numbered(f"{place + 1}", shown), place // WORDS_A_LINE, place % WORDS_A_LINE)
        words = column(grid, None)
        if contact.state == "unverified":
            self.detail_body.addLayout(
                columns(words, self._comparison(number.as_text()), least=290, shares=(4, 5), gap=4)
            )
        else:
            self.detail_body.addLayout(words)
        self.detail_body.addWidget(label(tr("or as digits: {digits}", digits=number.digits), "small", selectable=True))
        QTimer.singleShot(0, self, self.changed.emit)  # what Enter presses is there once the layout had its turn
        if contact.state != "withdrawn":
            self.detail_body.addLayout(row(button(tr("Withdraw this contact …"), self._withdraw, kind="link"), None))

    def _comparison(self, words: str) -> QLayout:
        self.typed = typed = QLineEdit()
        typed.setPlaceholderText(tr("the words or digits the partner reads out"))
        on_enter(typed, lambda: self._verify(typed.text()))
        check = button(tr("&Compare"), lambda: self._verify(typed.text()), kind="primary")
        same = button(tr("All twelve are the same"), lambda: self._verify(words), icon="phone")
        set_tip(same, tr("Press this only after hearing all twelve words from the partner."))
        return column(labelled(tr("Type what you hear"), typed), flow(check, same), None)

    def _verify(self, typed: str) -> None:
        from pprl_desktop.exchange import contacts

        self.messages.clear()
        self.identity.messages.clear()  # what the own card still had to do is done
        home = self.desk.home
        try:
            made = contacts.verified(home.contact(self._chosen), home.own_card(), typed)
            with home.locked():
                home.keep_contact(made)
        except Problem as problem:
            self.show_problem(problem)
            return
        self.say("good", tr("{name} is verified.", name=made.name), tr("You can now make an agreement and seal files."))
        self._show()

    def _withdraw(self) -> None:
        contact = self.desk.home.contact(self._chosen)
        reason = ask_words(
            self,
            tr("Withdraw {name}", name=contact.name),
            tr("Nothing more is sent to or accepted from this key. Reason, for your own records:"),
            tr("&Withdraw the contact"),
        )
        if reason is not None:
            with self.desk.home.locked():
                self.desk.home.keep_contact(contact.with_state("withdrawn", reason.strip()[:500]))
            self._show()

    # cards coming in ------------------------------------------------------------------------------

    def accepts(self, suffix: str) -> bool:
        return suffix == CARD

    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Import a card"), str(usual_folder().parent), f"{tr('Contact cards')} (*{CARD})"
        )
        if name:
            self.take_file(name)

    def take_file(self, path: str) -> None:
        from pprl_desktop import files
        from pprl_desktop.exchange import card, contacts, refusals

        self.messages.clear()
        home = self.desk.home
        try:
            own = home.own_card()
            made = contacts.new(files.read_bytes(Path(path), card.MAX_CARD, refusals.not_a_bundle()))
            if made.id == own.id:
                raise Problem(tr("This is your own card."), do=tr("Import the partner's card."), place="card")
            known = home.contacts()
            before = next((one for one in known if one.id == made.id), None)
            if before is None or before.state == "withdrawn":
                with home.locked():
                    home.keep_contact(made)
        except Problem as problem:
            self.show_problem(problem)
            return
        twins = contacts.taken_for(made, own, known)
        if twins:
            self.say(
                "warning",
                tr(
                    "The name {name} could be taken for {others}, with another key.",
                    name=made.name,
                    others=", ".join(twins),
                ),
                tr("Ask the partner by telephone which one is right."),
            )
        self._chosen = made.id
        self.identity.messages.clear()  # that the own card is to be sent was said; now it is about theirs
        self._show()
        self.say(
            "good", tr("The card of {name} is here.", name=made.name), tr("Now compare the safety number by telephone.")
        )
        if self.typed is not None:
            self.typed.setFocus(Qt.FocusReason.OtherFocusReason)


def _numbered(number: str, word: QLabel) -> QWidget:
    small = label(number, "small", wrap=False)
    small.setMinimumWidth(22)
    small.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return boxed(row(small, word, None, gap=1))
