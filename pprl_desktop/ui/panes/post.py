"""Post: what to send next and where it lies, for whom one waits, and every file of the project."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QWidget

from pprl_desktop.job import post
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.words import day_words, moment_of, recently, size
from pprl_desktop.ui.panes._files import choose_sealed, kept_texts, out_path, places, show_in_folder
from pprl_desktop.ui.panes._files import post as post_folder
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.basics import (
    Card,
    Section,
    boxed,
    button,
    column,
    icon_label,
    label,
    row,
    row_button,
    tool,
)
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.facts import tag
from pprl_desktop.ui.widgets.rows import Head, Rows
from pprl_desktop.ui.widgets.slip import form_tag

if TYPE_CHECKING:
    from pprl_desktop.job.post import Awaited, Letter
    from pprl_desktop.ui.desk import Desk

GONE = "post gone"  # artefact: digests the steward marked as sent


def look(desk: Desk) -> post.Post:
    """The post of the open project; nothing where the home folder cannot be read, which is told where it is used."""
    project = desk.project
    if project is None or not (project.choices.agreement or project.choices.partner):
        return post.Post()
    try:
        return post.of_project(desk.home, project.choices, project.folder / "post", gone(desk), places(project))
    except (Problem, OSError):
        return post.Post()


def gone(desk: Desk) -> list[str]:
    return kept_texts(desk.need_project(), GONE)


class PostPane(Pane):
    NAME = "post"
    NEEDS = ("agreement",)
    GIVES = ("nothing: it only shows",)

    def build(self) -> None:
        self.head(
            tr("Post"), tr("Every file of this project. You send them, by mail, stick or portal; the program does not.")
        )
        self.next = Card(kind="chosen")
        self.next_title = label("", "second")
        self.next_note = label("", "small")
        self.next_path = label("", "mono", selectable=True)
        self.show_it = button(tr("Show in folder"), self._show, kind="primary")
        self.copy = button(tr("Copy path"), self._copy, kind="link")
        self.sent = button(tr("I have sent it"), self._sent, kind="link")
        path = row(self.next_path, self.copy, gap=1)
        path.setStretch(0, 1)
        texts = column(self.next_title, self.next_note, path, gap=0.5)
        acts = column(self.show_it, row(None, self.sent), gap=0.5)
        line = row(icon_label("send", "accent_text", 28), texts, acts, gap=2)
        line.setStretch(1, 1)
        self.next.add(line)
        self.waiting = Card(kind="soft")
        self.waiting_text = label("")
        line = row(
            icon_label("clock", "warm_text", 18),
            self.waiting_text,
            row_button(tr("Open a file …"), self._open),
            gap=1.5,
        )
        line.setStretch(1, 1)
        self.waiting.add(line)
        self.list = Section(tr("Sent and received"))
        heads = (
            Head(tr("When"), 2),
            Head(tr("Way"), 2),
            Head(tr("File"), 4),
            Head(tr("Form"), 1, spare=True),
            Head(tr("Size, state"), 2, right=True),
            Head("", right=True, least=28),
        )
        self.table = Rows(tr("Sent and received"), heads, high=36, indent=0)
        self.list.add(self.table)
        self.empty = EmptyState(
            "inbox",
            tr("Nothing was sent or received yet"),
            tr("The first file is the proposal for an agreement, yours or the partner's."),
            ((tr("Open a file …"), self._open), (tr("Go to the agreement"), lambda: self.desk.go_to.emit("agreement"))),
            drops=True,
        )
        for one in (self.next, self.waiting, self.list, self.empty):
            self.body.addWidget(one)
        self.body.addStretch(1)

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        self._post = look(self.desk)
        partner = self._post.partner
        self.title.setText(tr("Post with {partner}", partner=partner) if partner else tr("Post"))
        self.empty.setVisible(not self._post.letters)
        self.list.setVisible(bool(self._post.letters))
        self._show_next(self._post.to_send)
        self._show_waiting(self._post.awaited)
        self.table.clear()
        for one in self._post.letters:
            self._add(one)
        self.changed.emit()

    def _show_next(self, letter: Letter | None) -> None:
        self.next.setVisible(letter is not None)
        if letter is None:
            return
        self.next_title.setText(tr("Send to {partner}: {file}", partner=self._post.partner, file=tr_core(letter.said)))
        self.next_note.setText(tr("Written on {day}.", day=day_words(letter.made)) if letter.made else "")
        known = letter.path is not None
        self.next_path.setText(
            str(letter.path) if known else tr("Its copy is not where it was written: write it once more below.")
        )
        for one in (self.show_it, self.copy):
            one.setVisible(known)

    def _show_waiting(self, awaited: Awaited | None) -> None:
        self.waiting.setVisible(awaited is not None)
        if awaited is not None:
            since = tr("since {day}. Drop it on this window when it comes.", day=day_words(awaited.since))
            self.waiting_text.setText(f"<b>{escape(tr_core(awaited.said))}</b> {since}")

    def _add(self, one: Letter) -> None:
        way = tr("sent") if one.mine else tr("received")
        icon = icon_label("send" if one.mine else "inbox", "accent_text" if one.mine else "muted", 16)
        state = size(one.size) if one.size else ""
        if one.replaced:
            state = tr("out of date")
        elif one.confirmed:
            state = tr("{size} · confirmed", size=state)
        shown = label(state, "small", wrap=False)
        if one.replaced:
            shown.setProperty("tint", "warm")
        form: QWidget = tag(tr("terms")) if one.form == "terms" else form_tag(one.form)
        go: QWidget | None = None
        if one.path is not None:
            place = one.path
            go = tool("folder", tr("Show {file} in its folder", file=place.name), lambda: show_in_folder(self, place))
        elif one.mine and one.size and self._post.may_send:
            tip = tr("Write {file} once more, the same bytes …", file=tr_core(one.said))
            go = tool("save", tip, lambda: self._again(one))
        if one.number:  # as the partner's program names it
            way = tr("{way}, file {number}", way=way, number=one.number)
        line = row(icon, label(way, "small", wrap=False), gap=1)
        line.setStretch(1, 1)
        self.table.add(
            label(recently(moment_of(one.made).timestamp()) if one.made else "", "small", wrap=False),
            line,
            label(tr_core(one.said), "strong", wrap=False),
            boxed(row(form, None)),
            shown,
            go,
        )

    # what the steward does ------------------------------------------------------------------------

    def _show(self) -> None:
        if self._post.to_send is not None and self._post.to_send.path is not None:
            show_in_folder(self, self._post.to_send.path)

    def _copy(self) -> None:
        QApplication.clipboard().setText(self.next_path.text())

    def _sent(self) -> None:
        letter = self._post.to_send
        if letter is not None:
            self.project.keep(GONE, json.dumps([*gone(self.desk), letter.digest]).encode())
            self.enter()

    def _again(self, one: Letter) -> None:
        """For a partner who lost it, or where its copy is not where it was written."""
        path = out_path(self, tr("Write once more"), f"file-{one.number}")
        if path is None:
            return
        from pprl_desktop.job.partnership import Partnership

        try:
            Partnership.send_again(self.desk.home, self._post.agreement, one.number, path)
        except Problem as problem:
            self.show_problem(problem)
            return
        self.enter()

    def _open(self) -> None:
        post_folder(self)
        name = choose_sealed(self)
        if name:
            self.desk.file_given.emit(name)
