"""The main window: step list, stacked pane, help panel, bottom bar. It only arranges; the panes do the work."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from pprl_desktop.problem import Problem
from pprl_desktop.ui.desk import Desk
from pprl_desktop.ui.kit import icons, theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.turns import AFTERWARDS, Ahead, Turns
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.shell import drops, enter, frame, menus, pages
from pprl_desktop.ui.shell.bottom_bar import BottomBar
from pprl_desktop.ui.shell.focus import FocusKeeper
from pprl_desktop.ui.shell.help_panel import HelpPanel
from pprl_desktop.ui.shell.job_bar import JobBar, may_stop
from pprl_desktop.ui.shell.overview import Overview
from pprl_desktop.ui.shell.side_bar import SideBar
from pprl_desktop.ui.widgets.basics import Button, follow
from pprl_desktop.ui.widgets.empty import EmptyState, copies

KEYPAD = Qt.KeyboardModifier.KeypadModifier
NEXT_FILE = 60  # ms between two looks whether the next of several files can be opened
HELP_FROM = 1280  # px of window width below which the help panel gives its room to the pane


class MainWindow(QMainWindow):
    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.panes: dict[str, Pane] = {}
        self.current = ""
        self._help_wanted = desk.preferences.help_panel
        self._help_by_hand = False
        self._saved_at = time.monotonic()
        self.setWindowTitle("PPRL Desktop")
        self.setWindowIcon(icons.app_icon())
        self.setAcceptDrops(True)
        self.setMinimumSize(720, 440)
        self._build()
        frame.fit_screen(self, desk.preferences.window)
        self._turning = False
        self.overview = Overview(self)
        self.menus = menus.Menus(self)
        FocusKeeper(self)
        desk.project_changed.connect(self._project_changed)
        desk.choices_changed.connect(self._choices_changed)
        desk.go_to.connect(self.show_pane)
        desk.help_asked.connect(self.show_help)
        desk.jobs.ended.connect(lambda *_: self.refresh())
        desk.jobs.started.connect(lambda *_: self.refresh())
        desk.jobs.asked.connect(lambda *_: QTimer.singleShot(0, self, self.refresh))
        desk.identity_changed.connect(self._key_changed)
        desk.file_given.connect(lambda name: self.open_file(Path(name)))
        self.waiting_file: Path | None = None  # dropped while the key was locked
        self._given: list[Path] = []  # dropped with others, not opened yet
        theme.signals.changed.connect(self.update)
        self._tick = QTimer(self)
        self._tick.timeout.connect(self.refresh)
        self._tick.start(30_000)
        self._ahead = Ahead(self._make_ahead, lambda: not desk.jobs.idle(), self)
        self._steps_ahead = Turns(self, lambda: (self.current, desk.project, desk.jobs.idle()))
        desk.jobs.ended.connect(lambda *_: self._ahead.put_off())
        desk.jobs.ended.connect(
            lambda job, _end: None if job.quiet else self.overview.look_later()
        )  # a file may have come
        self._project_changed()

    def rebuild(self) -> None:
        """Another language: every text is made anew, and the steward stays where they were."""
        where = self.current
        for pane in self.panes.values():
            pane.leave()
        self.panes.clear()
        self.current = ""
        self._build()
        self.menus = menus.Menus(self)
        self.overview.name_project()
        self.show_pane(where or self.resume())

    # layout ---------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.side = SideBar()
        self.steps, self.beside = self.side.steps, self.side.beside
        for pages_of in (self.steps, self.beside):
            pages_of.chosen.connect(self.show_pane)
        self.side.home.clicked.connect(lambda: self.show_pane("welcome"))
        follow(self.side, self._fit)

        self.stack = QStackedWidget()
        self.stack.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.job_bar = JobBar(self.desk.jobs)
        self.bottom = BottomBar(self.go_back, self.go_next)
        self.back, self.next = self.bottom.back, self.bottom.next
        middle = QVBoxLayout()
        middle.setContentsMargins(0, 0, 0, 0)
        middle.setSpacing(0)
        middle.addWidget(self.stack, 1)
        middle.addWidget(self.job_bar)
        middle.addWidget(self.bottom)

        self.help = HelpPanel()
        self.help.closed.connect(lambda: self.set_help(False))
        self.help.page_asked.connect(self.show_help)
        whole = QHBoxLayout()
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.side)
        whole.addLayout(middle, 1)
        whole.addWidget(self.help)
        centre = QWidget()
        centre.setObjectName("page")
        centre.setLayout(whole)
        self.setCentralWidget(centre)
        self._fit()

    # moving ---------------------------------------------------------------------------------------

    def show_pane(self, name: str) -> None:
        if self.desk.project is None and name not in pages.FREE:
            name = "welcome"
        if self.current in self.panes and self.current != name:
            self.panes[self.current].leave()
        came, self.current = self.current != name, name
        pane = self._made(name)
        self._turning = True  # what the page says while it comes is shown once, at the end
        try:
            if came:  # else what was said a moment ago, of the file before this one, still holds
                pane.arrive()
            self.stack.setCurrentWidget(pane)
            pane.setFocus(Qt.FocusReason.OtherFocusReason)  # the first Tab leads into the page
            pane.enter()
            first = pane.typed_first()
            if first is not None:
                first.setFocus(Qt.FocusReason.OtherFocusReason)
        except Problem as problem:
            pane.show_problem(problem)
        finally:
            self._turning = False
        QTimer.singleShot(AFTERWARDS, self, self._show_step_help)  # the page comes first
        self.overview.look_later()
        self._show_help_panel()
        self.refresh()
        self._ahead.put_off()

    def _show_step_help(self) -> None:
        if self.current in self.panes:
            self.help.show_step(self.pane().help_page())

    def _made(self, name: str) -> Pane:
        if name not in self.panes:
            pane = pages.make(name, self.desk)
            pane.changed.connect(self.refresh)
            self.panes[name] = pane
            self.stack.addWidget(pane)
        return self.panes[name]

    def _make_ahead(self) -> None:
        path = self._path()
        if self.current in path[:-1]:
            name = path[path.index(self.current) + 1]
            self._steps_ahead.run(
                lambda: pages.load(name, self.desk), lambda: self._made(name), lambda: self._made(name).prepare()
            )

    def pane(self) -> Pane:
        return self.panes[self.current]

    def _path(self) -> list[str]:
        project = self.desk.project
        return [state.step.name for state in project.states()] if project is not None else []

    def go_back(self) -> None:
        path = self._path()
        if self.current in path:
            place = path.index(self.current)
            self.show_pane(path[place - 1] if place else "welcome")
        elif self.current != "welcome":
            self.show_pane(self.resume() if self.desk.project is not None else "welcome")

    def go_next(self) -> None:
        pane, name = self.pane(), self.current
        if pane.reason():
            return
        pane.messages.clear()

        def done() -> None:
            path = self._path()
            if self.current != name or name not in path:
                self.refresh()
                return
            place = path.index(name)
            if place + 1 < len(path):
                self.show_pane(path[place + 1])
            else:
                self.refresh()

        try:
            pane.go_on(done)
        except Problem as problem:
            pane.show_problem(problem)
        if self.current == name:
            self.refresh()

    def resume(self) -> str:
        """The first step that is not done: where the steward goes on."""
        project = self.desk.project
        if project is None:
            return "welcome"
        for state in project.states():
            if state.state != "done" and not state.step.optional:
                return state.step.name
        return "finish"

    # showing --------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Step list, bottom bar and menus follow the project and the pane in front."""
        if self._turning:
            return
        self.overview.show_steps()
        if self.current not in self.panes or (self.desk.project is None and self.current not in pages.FREE):
            return  # nothing in front yet, or the project is being closed
        pane, path = self.pane(), self._path()
        on_path = self.current in path
        self.bottom.setVisible(self.current != "welcome")
        busy = self.desk.jobs.busy()
        reason = pane.reason() if on_path else ""
        status = self._behind_words() or pane.status() or self._saved()
        self.bottom.say(status, tr("Working …") if busy is not None and on_path else reason)
        following = self._following(path)
        text = pane.next_text() or (tr("Next: {step}", step=following) if following else "")
        self.bottom.show_next(text if on_path and pane.leads_on() else "", reason, not reason and busy is None)
        self.back.setText(tr("&Back") if on_path else self._way_back())
        self.bottom.show_extra(pane.extra_buttons())
        self._show_blue()
        self._fit_bottom()
        self.menus.refresh()

    def _behind_words(self) -> str:
        """What goes on although its page is not in front."""
        behind = self.desk.jobs.behind()
        if behind is None or behind.key.startswith(f"{self.current}."):  # the page in front shows its own work
            return ""
        return tr("{work} goes on in the background", work=behind.title)

    def _way_back(self) -> str:
        return tr("&Back to the job") if self.desk.project is not None else tr("&Back to the projects")

    def _saved(self) -> str:
        if self.desk.project is None or self.current not in self._path():
            return ""
        minutes = int((time.monotonic() - self._saved_at) / 60)
        return tr("Saved just now") if minutes < 1 else tr("All changes saved")

    def _show_blue(self) -> None:
        """One button is blue, and Enter presses it."""
        chosen = self.blue()
        self.bottom.blue(
            self.pane().enter_is_next() and (chosen is None or chosen is self.next or not self.next.isEnabled())
        )
        here = (one for one in self.pane().findChildren(Button) if one.window() is self)  # a dialog has its own
        for one in (self.next, *here):
            one.press_by_enter(one is chosen, other=chosen is not None)
            if one.property("kind") == "primary" and not one.property("followed"):  # a form is filled in
                one.setProperty("followed", True)
                one.turned.connect(self._blue_later)

    def _blue_later(self) -> None:
        QTimer.singleShot(0, self, self._show_blue)

    def blue(self) -> QPushButton | None:
        """What Enter presses: the blue button of the page, else Next where it is possible."""
        own = self.pane().blue()
        if own is not None:
            return own
        possible = self.next.isVisibleTo(self) and self.next.isEnabled() and self.next.text()
        return self.next if possible and self.pane().enter_is_next() else None

    def _fit(self) -> None:
        """The window or the text has another size."""
        self.side.fit(self.width())
        self._show_help_panel()
        self._fit_bottom()

    def _fit_bottom(self) -> None:
        self.bottom.fit(self.width() - self.side.width() - self.help.isVisible() * self.help.width())

    def _following(self, path: list[str]) -> str:
        place = path.index(self.current) if self.current in path else len(path)
        if self.desk.project is None or place + 1 >= len(path):
            return ""
        return self.overview.title(self.desk.project.states()[place + 1].step)

    def steps_named(self) -> dict[str, str]:
        """What the step list calls each step now."""
        return {state.step.name: self.overview.title(state.step) for state in self._states()}

    def _project_changed(self) -> None:
        for name in [n for n in self.panes if n not in ("welcome", "settings", "help")]:
            pane = self.panes.pop(name)
            self.stack.removeWidget(pane)
            pane.deleteLater()
        self._saved_at = time.monotonic()
        self.overview.name_project()
        self.show_pane(self.resume())

    def _choices_changed(self, changed: object) -> None:
        self._saved_at = time.monotonic()
        self.overview.name_partner()
        self.overview.look_later()  # what was awaited may have come
        self.refresh()
        stale = getattr(changed, "stale", ())
        if stale and self.current in self.panes:
            titles = ", ".join(self.overview.title(s.step) for s in self._states() if s.step.name in stale)
            self.bottom.tell(tr("Needs redoing: {steps}", steps=titles))

    def _states(self) -> tuple:  # type: ignore[type-arg]
        return self.desk.project.states() if self.desk.project is not None else ()

    def _key_changed(self) -> None:
        self.menus.refresh()
        self.overview.name_partner()
        waiting, self.waiting_file = self.waiting_file, None
        if waiting is not None and self.desk.identity() is not None:
            QTimer.singleShot(0, self, lambda: self.open_file(waiting))  # after the page has shown that it is open
        else:
            self.waiting_file = waiting

    def show_problem(self, problem: Problem) -> None:
        """For what happens outside a pane (menus, drops): shown in the pane in front."""
        self.pane().show_problem(problem)

    # help -----------------------------------------------------------------------------------------

    def show_help(self, page: str = "") -> None:
        self.set_help(True)
        if page and page != self.pane().help_page():
            self.help.show_page(page)
        else:
            self._show_step_help()

    def set_help(self, wanted: bool) -> None:
        self._help_wanted = self._help_by_hand = wanted
        self.desk.prefer(help_panel=wanted)
        self._show_help_panel()
        self.menus.refresh()

    def _show_help_panel(self) -> None:
        wide = self.current in self.panes and self.pane().WIDE
        room = (self.width() >= HELP_FROM * theme.zoom() and not wide) or self._help_by_hand
        self.help.setVisible(self._help_wanted and room and self.current != "help")

    # events ---------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.desk.jobs.garbage.watch_input(self.windowHandle())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the blue button unless what has the focus wants it; Escape leads back to the job."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers() & ~KEYPAD:
            enter.press(self)
        elif event.key() == Qt.Key.Key_Escape and self.current not in (*self._path(), "welcome"):
            self.go_back()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._hover(copies(event))

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        copies(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._hover(False)
        super().dragLeaveEvent(event)

    def _hover(self, over: bool) -> None:
        """Where something can be dropped shows it while a file hovers."""
        if self.current in self.panes:
            for one in self.pane().findChildren(EmptyState):
                one.hover(over)

    def dropEvent(self, event: QDropEvent) -> None:
        self._hover(False)
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if copies(event) and paths:
            # the dragging program waits until this handler returns
            QTimer.singleShot(0, self, lambda: self.open_files(paths))

    def open_files(self, paths: Sequence[Path]) -> None:
        """Several at once: one after the other, each when the work of the one before is done or was refused."""
        if not self._given:
            self.pane().messages.forget_seen()  # what was said of an earlier file is not about these
        self._given += paths
        self._open_next()

    def _open_next(self) -> None:
        if self._given and self.desk.jobs.busy() is None:
            self._open(self._given.pop(0))
        if self._given:
            QTimer.singleShot(NEXT_FILE, self, self._open_next)

    def open_file(self, path: Path) -> None:
        """A file dropped on the window, given on the command line, or double-clicked."""
        self.pane().messages.forget_seen()
        self._open(path)

    def _open(self, path: Path) -> None:
        try:
            drops.take(self, path)
        except Problem as problem:
            self.show_problem(problem)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Work saves itself; only a running job is worth a question."""
        job = self.desk.jobs.busy()
        if job is not None and self.isVisible() and not may_stop(job, self):
            event.ignore()
            return
        if self.current in self.panes:
            self.panes[self.current].leave()
        self.desk.prefer(window=frame.remembered(self))
        self._ahead.stop()
        self.desk.close_project(quiet=True)
        self.desk.jobs.close()
        super().closeEvent(event)

    @staticmethod
    def quit() -> None:
        QApplication.closeAllWindows()
