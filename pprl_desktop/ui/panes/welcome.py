"""Projects: continue where one was, start anew, or open what somebody sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFile, Qt, QTimer
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox, QProgressBar, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.desk import usual_folder
from pprl_desktop.ui.kit.i18n import tr, tr_n
from pprl_desktop.ui.kit.settings import Known
from pprl_desktop.ui.kit.tips import question
from pprl_desktop.ui.kit.words import day_words, own_words, recently
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.basics import (
    Button,
    Card,
    Pages,
    Section,
    boxed,
    button,
    column,
    filled,
    icon_label,
    label,
    menu_button,
    row,
    row_button,
)
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.inputs import labelled, on_enter
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.rows import Head, Rows, two_lines

if TYPE_CHECKING:
    from pprl_desktop.project.choices import Kind

FORM_WIDE = 560  # px: two short lines, not as wide as the page
SEARCH_FROM = 8  # projects from which there is a field to find one


class WelcomePane(Pane):
    NAME = "welcome"
    GIVES = ("a project",)
    MESSAGES = {"gone": "This project is not where it was."}  # noqa: RUF012

    def build(self) -> None:
        self._pending = ""
        self._kind: Kind = "partner"
        self._chosen = ""
        self._archive_shown = False
        self.buttons: dict[str, Button] = {}
        self.pages = Pages()
        self.pages.addWidget(self._build_first())
        self.pages.addWidget(self._build_list())
        self.new = self._build_new()
        self.new.hide()
        self.body.addWidget(self.new)
        self.body.addWidget(self.pages)
        self.body.addStretch(1)

    def _build_new(self) -> Section:
        card = Section()
        card.setAccessibleName(tr("New project with a partner"))
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("for example: Heart registry × St. Anne"))
        on_enter(self.name, self._create)
        self.name.textChanged.connect(lambda _t: self._check())
        self.place = QLineEdit(str(usual_folder()))
        self.place.setAccessibleName(tr("Folder of the project"))
        browse = button(tr("Choose …"), self._choose_folder, tip=tr("Choose the folder of the project"))
        folder = boxed(row(self.place, browse))
        folder.setFocusProxy(self.place)
        self.make = button(tr("&Create project"), self._create, kind="primary")
        self.cancel = button(tr("Cancel"), self._put_away)
        self.why = label("", "small")
        form = boxed(
            column(
                labelled(tr("Name of the project"), self.name),
                labelled(tr("Folder"), folder),
                filled(row(self.make, self.cancel, self.why, gap=1)),
                gap=2,
            )
        )
        form.setMaximumWidth(FORM_WIDE)
        card.add(form)
        return card

    def _build_first(self) -> QWidget:
        """Nobody was here before: the ways to begin, and how it goes."""
        partner = self._way(
            "people",
            tr("With a partner"),
            tr("Two organisations, each with its own table. You exchange sealed files."),
            button(tr("&New with a partner"), lambda: self.ask_name(), kind="primary"),
        )
        own = self._way(
            "match",
            tr("Files of my own"),
            tr("Both tables, or the one with duplicates, lie on this computer. No keys, no partner."),
            button(tr("&Link two files"), lambda: self.ask_name("two files")),
            button(tr("Find &duplicates"), lambda: self.ask_name("one file")),
        )
        self.sample = button(tr("Open the &sample"), self.open_sample)
        sample = self._way(
            "sample",
            tr("Try the sample"),
            tr("The table of an invented hospital. Look at the pages as far as you like; nothing to prepare."),
            self.sample,
        )
        self.sent = EmptyState(
            "inbox",
            tr("Were you sent a file?"),
            tr("Drop it anywhere on this window; a proposal can be read at once."),
            ((tr("&Open a file …"), self._open),),
            drops=True,
            flat=True,
        )
        self.sent.buttons[0].setProperty("kind", "")
        goes = Section(tr("How it goes with a partner"))
        steps = []
        for number, (title, text) in enumerate(
            (
                (tr("Prepare"), tr("Load your table; see what a partner could learn.")),
                (tr("Agree and exchange"), tr("Both sign the terms; sealed files travel your own way.")),
                (tr("Decide"), tr("Look at the unsure pairs masked; write table and report.")),
            ),
            start=1,
        ):
            figure = label(str(number), "second", wrap=False)
            figure.setProperty("tint", "accent")
            figure.setAlignment(Qt.AlignmentFlag.AlignTop)
            line = row(figure, column(label(title, "strong"), label(text, "small"), None, gap=0.25), gap=1)
            line.setStretch(1, 1)
            steps.append(line)
        goes.add(columns(*steps, least=200, gap=3))
        return boxed(column(columns(partner, own, sample, least=210), self.sent, goes, gap=3))

    def _way(self, icon: str, title: str, sentence: str, go: Button, *more: Button) -> Card:
        card = Card()
        card.setAccessibleName(title)
        self.buttons[icon] = go
        card.add(
            row(icon_label(icon, "accent_text", 28), None), label(title, "heading"), label(sentence, "small"), None,
            flow(go, *more),
        )  # fmt: skip
        return card

    def _build_list(self) -> QWidget:
        """The projects there are; the last one is chosen, and Enter goes on with it."""
        self.buttons["new"] = button(tr("New with a &partner"), lambda: self.ask_name(), icon="plus")
        self.buttons["sent"] = button(tr("I was &sent a file …"), self._open, icon="inbox")
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Find a project"))
        self.search.setAccessibleName(tr("Find a project"))
        self.search.setMaximumWidth(220)
        self.search.textChanged.connect(lambda _t: self._show_projects())
        top = row(self.buttons["new"], self.buttons["sent"], None, self.search, gap=1)
        heads = (
            Head(tr("Project and partner"), 4),
            Head(tr("Where it stands"), 4),
            Head(tr("Last opened"), 1, right=True),
            Head("", right=True, least=168),
        )
        self.projects = Rows(tr("Projects"), heads, high=52)
        self.archived = button("", self._toggle_archive, kind="link")
        return boxed(column(top, self.projects, row(self.archived, None), self._build_others(), gap=2))

    def _build_others(self) -> QWidget:
        """The ways to begin that are no project with one partner, quiet and by what they are for; the File menu has
        them too."""
        told: tuple[tuple[str, str, tuple[tuple[str, str, Callable[[], object]], ...]], ...] = (
            (
                "match", tr("Files of my own"),
                (
                    ("two", tr("&Link two files of my own"), lambda: self.ask_name("two files")),
                    ("one", tr("Find &duplicates in one file"), lambda: self.ask_name("one file")),
                ),
            ),
            (
                "people", tr("Other partners"),
                (
                    ("groups", tr("Several partners"), lambda: self.desk.go_to.emit("groups")),
                    ("other_tools", tr("A partner with another tool"), lambda: self.desk.go_to.emit("other_tools")),
                ),
            ),
            (
                "folder", tr("Look around"),
                (
                    ("again", tr("Try the sample"), self.open_sample),
                    ("folder", tr("Open a project or file …"), self._open),
                ),
            ),
        )  # fmt: skip
        cards = []
        for icon, title, ways in told:
            card = Card()
            card.setAccessibleName(title)
            head = row(icon_label(icon, "accent_text", 18), label(title, "heading", wrap=False), None)
            links = []
            for name, words, act in ways:
                self.buttons[name] = button(words, act, kind="link")
                links.append(row(self.buttons[name], None, gap=0))
            card.add(head, column(*links, gap=0))
            cards.append(card)
        return boxed(columns(*cards, least=200))

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        if self.desk.project is not None:
            self.desk.note_project()
        known = self.desk.preferences.known
        self.pages.setCurrentIndex(1 if known else 0)
        if known:
            self.head(
                tr("Projects"),
                tr("Find out which people two tables share. Nothing leaves this computer until you send a file."),
            )
        else:
            self.head(
                tr("Which people do two tables share?"),
                tr("Find out without showing each other the rest. Nothing leaves this computer until you send a file."),
            )
        self._show_projects()
        self._check()

    def leave(self) -> None:
        """A project half named is no state to come back to."""
        if self.new.isVisibleTo(self):
            self._pending = ""
            self.new.hide()
            self.pages.show()

    def _listed(self) -> list[Known]:
        wanted = self.search.text().strip().casefold()
        found = [one for one in self.desk.preferences.known if one.archived == self._archive_shown]
        return [one for one in found if wanted in f"{one.title} {one.partner}".casefold()]

    def _show_projects(self) -> None:
        listed, known = self._listed(), self.desk.preferences.known
        self.search.setVisible(len(known) >= SEARCH_FROM)
        self.projects.clear()
        there = [one for one in listed if Path(one.path).is_file()]
        if self._chosen not in [one.path for one in there]:
            self._chosen = there[0].path if there else ""
        for one in listed:
            self._add_project(one)
        hidden = sum(one.archived for one in known)
        self.archived.setVisible(bool(hidden))
        shown = tr("Back to the other projects") if self._archive_shown else ""
        self.archived.setText(shown or tr_n("{n} archived project: show", "{n} archived projects: show", hidden))
        self.changed.emit()

    def _add_project(self, one: Known) -> None:
        there, chosen = Path(one.path).is_file(), one.path == self._chosen
        bar = QProgressBar()
        bar.setRange(0, one.steps)
        bar.setValue(one.number if not one.step else one.number - 1)
        bar.setTextVisible(False)
        bar.setFixedSize(72, 6)
        bar.setAccessibleName(tr("Step {n} of {all}", n=one.number, all=one.steps))
        if not there:
            stands = two_lines(tr("not where it was"), one.path, tint="warm", cut=True)
        elif one.step:
            place = tr("{step} · {n} of {all}", step=tr(one.step), n=one.number, all=one.steps)
            waits = tr("waiting for them since {day}", day=day_words(one.since)) if one.waits and one.since else ""
            stands = two_lines(place, waits, tint="warm", role="")
        else:
            stands = two_lines(tr("Finished · {n} of {all}", n=one.steps, all=one.steps), "", role="")
        entries = [(tr("Archive"), lambda: self._archive(one, True)), (tr("Delete …"), lambda: self._delete(one))]
        if one.archived:
            entries[0] = (tr("Take out of the archive"), lambda: self._archive(one, False))
        if there and not one.step:
            entries.insert(0, (tr("Repeat with new data …"), lambda: self._repeat(Path(one.path))))
        if there and not chosen:
            entries.insert(0, (tr("Open"), lambda: self._open_path(Path(one.path))))
        action: QWidget = menu_button("more", tr("More about {project}", project=one.title), entries)
        if chosen:
            go_on = row_button(tr("Continue"), lambda: self._open_path(Path(one.path)), kind="primary")
            action = boxed(row(go_on, action, gap=0.5))
        when = label(recently(one.opened), "small", wrap=False)
        whom = two_lines(one.title, one.partner or self._no_partner(one), cut=True)
        line = row(bar, boxed(stands), gap=1.5)
        line.setStretch(1, 1)
        self.projects.add(whom, line, when, action, chosen=chosen, click=lambda: self._choose_project(one.path))

    @staticmethod
    def _no_partner(one: Known) -> str:
        return tr("no partner yet") if one.kind == "partner" else own_words(one.kind)

    def _choose_project(self, path: str) -> None:
        if path != self._chosen:
            self._chosen = path
            QTimer.singleShot(0, self, self._show_projects)

    # what the steward does ------------------------------------------------------------------------

    def ask_name(self, kind: Kind = "partner") -> None:
        """One thing at a time: the other ways to begin come back with Cancel."""
        self._kind = kind
        title, sentence, example = {
            "partner": (
                tr("New project with a partner"),
                tr("One project per partner and question. It saves itself."),
                tr("for example: Heart registry × St. Anne"),
            ),
            "two files": (
                tr("Link two files of my own"),
                tr("Both lie on this computer: no keys, no partner, nothing leaves. The project saves itself."),
                tr("for example: Clinic list × cancer registry"),
            ),
            "one file": (
                tr("Find duplicates in one file"),
                tr("Who is held twice? Nothing leaves this computer. The project saves itself."),
                tr("for example: Clinic list without duplicates"),
            ),
        }[kind]
        self.name.setPlaceholderText(example)
        self.new.setAccessibleName(title)
        self.new.show()
        self.pages.hide()
        self.head(title, sentence)
        self._check()
        self.name.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.changed.emit()

    def _put_away(self) -> None:
        self._pending = ""
        self.new.hide()
        self.pages.show()
        self.enter()

    def _target(self) -> Path:
        safe = "".join(c if c.isalnum() or c in " -_" else "_" for c in self.name.text().strip()).strip()
        return Path(self.place.text().strip()) / f"{safe or 'project'}.pprlproject"

    def _check(self) -> None:
        """The reason stands beside the button, not in a dialog."""
        reason = ""
        if not self.name.text().strip():
            reason = tr("Give it a name first.")
        elif self._target().exists():
            reason = tr("There is already a project of this name in the folder.")
        self.make.setEnabled(not reason)
        self.why.setText(reason)
        self.changed.emit()

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder of the project"), self.place.text())
        if chosen:
            self.place.setText(chosen)
            self._check()

    def _create(self) -> None:
        if not self.make.isEnabled():
            return
        self.messages.clear()
        try:
            title, pending = self.name.text().strip(), self._pending
            self.desk.create_project(self._target(), title, self._kind)
        except Problem as problem:
            self.show_problem(problem)
            return
        self.name.clear()
        self._put_away()
        if pending:
            self.desk.file_given.emit(pending)

    def take_file(self, path: str) -> None:
        """A table dropped before there is a project: only a name is missing."""
        self._pending = path
        self.messages.clear()
        self.say("info", tr("The file is ready."), tr("Name the project it belongs to; then it opens there."))
        self.ask_name()

    def _open(self) -> None:
        ours = f"{tr('Files of this program')} (*.pprlproject *.pprl *.pprlcard *.age *.csv *.tsv *.txt)"
        name, _ = QFileDialog.getOpenFileName(self, tr("Open a project or file"), self.place.text(), f"{ours};;* (*)")
        if name:
            self.desk.file_given.emit(name)

    def _open_path(self, path: Path) -> None:
        self.messages.clear()
        try:
            if self.desk.project is not None and self.desk.project.path.resolve() == path.resolve():
                self.desk.project_changed.emit()  # it is open: back to where it stands
            else:
                self.desk.open_project(path)
        except Problem as problem:
            self.show_problem(problem)

    def _repeat(self, path: Path) -> None:
        """The next delivery of a finished project: same partner, same terms, another table."""
        self._open_path(path)
        if self.desk.project is not None and self.desk.project.path.resolve() == path.resolve():
            self.desk.wants_next = True
            self.desk.go_to.emit("data")

    def _archive(self, one: Known, away: bool) -> None:
        """Out of the list; nothing of the project is touched."""
        known = tuple(replace(k, archived=away) if k.path == one.path else k for k in self.desk.preferences.known)
        self.desk.prefer(known=known)
        self._archive_shown = self._archive_shown and any(k.archived for k in known)
        QTimer.singleShot(0, self, self._show_projects)

    def _toggle_archive(self) -> None:
        self._archive_shown = not self._archive_shown
        QTimer.singleShot(0, self, self._show_projects)

    def _delete(self, one: Known) -> None:
        asked = tr("Delete the project “{project}”?", project=one.title)
        told = tr(
            "Its file and its folder go to the trash. Keys, agreements and the ledger of what has left stay: "
            "what was sent is not taken back."
        )
        box = question(self.window(), QMessageBox.Icon.Question, asked, told)
        delete = box.addButton(tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton(tr("Keep it"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.exec()
        if box.clickedButton() is delete:
            self.delete(one)

    def delete(self, one: Known) -> None:
        path = Path(one.path)
        if self.desk.project is not None and self.desk.project.path.resolve() == path.resolve():
            self.desk.close_project()
        for gone in (path, path.with_suffix("")):
            if gone.exists() and not QFile.moveToTrash(str(gone)):
                self.show_problem(
                    Problem(
                        tr("The project could not be moved to the trash."),
                        tr("This system has none for that folder."),
                        tr("Delete it in the file manager: {path}", path=str(gone)),
                    )
                )
                return
        preferences = self.desk.preferences
        self.desk.prefer(
            known=tuple(k for k in preferences.known if k.path != one.path),
            recent=tuple(p for p in preferences.recent if p != one.path),
        )
        self.enter()

    def open_sample(self) -> None:
        from pprl_desktop.ui import sample

        self.messages.clear()
        try:
            sample.open_sample(self.desk, Path(self.place.text()))
        except Problem as problem:
            self.show_problem(problem)
