"""What the bar at the left tells: the project and whom it is with, its steps, and for whom one waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.turns import AFTERWARDS
from pprl_desktop.ui.kit.words import own_words
from pprl_desktop.ui.shell import menus, pages
from pprl_desktop.ui.shell.stepper import Entry, Mark

if TYPE_CHECKING:
    from pprl_desktop.job.post import Post
    from pprl_desktop.project.steps import Step, StepState
    from pprl_desktop.ui.shell.main_window import MainWindow

GROUP_STARTS = ("agreement", "match", "review")  # prepare, agree and exchange, match, decide
ICONS = {
    "post": "inbox",
    "contacts": "people",
    "releases": "ledger",
    "settings": "settings",
    "help": "help",
}


class Overview:
    def __init__(self, window: MainWindow) -> None:
        self._window, self._desk = window, window.desk
        self._post: Post | None = None
        self._noted: tuple[object, ...] = ()  # project, step and what is awaited, as the start page knows them
        self._later = QTimer(window, singleShot=True, interval=10 * AFTERWARDS)  # several wishes, one look
        self._later.timeout.connect(self._look_at_post)

    def look_later(self) -> None:
        """At what is to be sent and for whom one waits."""
        self._later.start()

    def show_steps(self) -> None:
        project = self._desk.project
        entries: list[Entry] = []
        if project is not None:
            states = project.states()
            for number, state in enumerate(states, start=1):
                without = state.step.optional and state.state == "ready" and states[-1].state == "done"
                mark: Mark = "waiting" if self._waits(state) else "left out" if without else state.state
                title = self.title(state.step)
                waits = ", ".join(tr_core(name) for name in state.waits_for)
                tip = tr("{step}: first finish {steps}", step=title, steps=waits) if waits else ""
                reachable = state.state != "to do"
                name = state.step.name
                entries.append(
                    Entry(name, title, mark, number, "", reachable, tip, self._why(state), name in GROUP_STARTS)
                )
        self._window.side.steps.show_entries(entries)
        titles = menus.page_titles()
        beside = [
            Entry(
                name,
                titles[name],
                icon=ICONS[name],
                reachable=project is not None or name in pages.FREE,
                count=int(self._post is not None and self._post.to_send is not None) if name == "post" else 0,
            )
            for name in pages.BESIDE
            if name not in ("post", "contacts") or self._has_partner(name)
        ]
        self._window.side.beside.show_entries(beside)
        self._window.side.set_current(self._window.current)

    def _has_partner(self, name: str) -> bool:
        """Post and contacts are about partners: a project of own files has none, and no project has no post."""
        project = self._desk.project
        return name == "contacts" if project is None else project.choices.kind == "partner"

    def _waits(self, state: StepState) -> bool:
        """Whether a step waits for the partner."""
        awaited = self._post.awaited if self._post is not None else None
        return awaited is not None and awaited.step == state.step.name and state.state not in ("done", "stale")

    def _look_at_post(self) -> None:
        """What is to be sent and whom one waits for; after the page is there, because it reads the home folder."""
        if self._desk.project is None:
            self._post = None
            return
        from pprl_desktop.ui.panes.post import look

        before, self._post = self._post, look(self._desk)
        now = self._desk.project, self._window.resume(), self._post.awaited
        if now != self._noted:  # the start page tells it even after a power cut
            self._noted = now
            self._desk.awaited = self._post.awaited
            self._desk.note_project()
        if self._post != before:
            self._window.refresh()

    def _why(self, state: StepState) -> str:
        """Why a step is to be done again, or for whom it waits."""
        if self._waits(state) and self._post is not None:
            return tr("waiting for {partner}", partner=self._post.partner)
        if state.state != "stale" or self._desk.project is None:
            return ""
        if state.waits_for:  # only the first of several says why; the others follow from it
            return ""
        cause = self._desk.project.why_redo(state.step.name)
        if cause is None:
            return ""
        if cause.kind == "step":
            from pprl_desktop.project.steps import by_name  # brings numpy, and no project is open at the start

            earlier = by_name(self._desk.project.choices.kind)[cause.name]
            return tr("after “{step}” was done again", step=self.title(earlier))
        if cause.kind == "undo":
            return tr("after undoing “{change}”", change=tr(cause.name))
        return tr("after “{change}”", change=tr(cause.name))

    def title(self, step: Step) -> str:
        """The two files are called by what they are once a method is agreed."""
        kind = self._desk.files_agreed() if step.name in ("export", "partner") else "bundles"
        if kind == "open":
            return tr("Your file") if step.name == "export" else tr("Partner's file")
        if kind == "blind":
            return tr("Question") if step.name == "export" else tr("Answer")
        return tr_core(step.title)

    def name_project(self) -> None:
        project = self._desk.project
        self._window.side.title.setText(project.title if project is not None else "PPRL Desktop")
        set_tip(self._window.side.title, str(project.path) if project is not None else "")
        self._window.setWindowTitle(f"{project.title} – PPRL Desktop" if project is not None else "PPRL Desktop")
        self.name_partner()

    def name_partner(self) -> None:
        """Whom the project is with, below its name; the own organisation where none is open."""
        project = self._desk.project
        if project is not None and project.choices.kind != "partner":
            self._window.side.whom.setText(own_words(project.choices.kind))
            return
        if project is None or not project.choices.partner:
            own = self._desk.preferences.organisation or tr("no identity yet")
            self._window.side.whom.setText("" if project is not None else own)
            return
        QTimer.singleShot(
            AFTERWARDS, self._window, lambda: self._window.side.whom.setText(self._whom())
        )  # the page comes first

    def _whom(self) -> str:
        project = self._desk.project
        if project is None:
            return ""
        try:
            return next((one.name for one in self._desk.home.contacts() if one.id == project.choices.partner), "")
        except Problem:  # a damaged home is told where it is used
            return ""
