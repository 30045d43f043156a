"""The menu bar. Every action has a key or a mnemonic; Undo and Redo carry the name of what they change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QFileDialog, QFrame, QMenu, QMenuBar, QWidget

from pprl_desktop.job.engine import Place
from pprl_desktop.problem import Problem
from pprl_desktop.ui.desk import usual_folder
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.widgets.basics import boxed, icon_label, label, row

if TYPE_CHECKING:
    from pprl_desktop.project.project import Changed
    from pprl_desktop.ui.shell.main_window import MainWindow

ZOOM_STEP, ZOOM_MIN, ZOOM_MAX = 0.1, 0.8, 2.0


def page_titles() -> dict[str, str]:
    return {
        "post": tr("Post"),
        "contacts": tr("Identity and contacts"),
        "releases": tr("What has left"),
        "settings": tr("Settings"),
        "help": tr("Help"),
    }


def _menu(parent: QMenuBar | QMenu, title: str) -> QMenu:
    """Made here and not by addMenu(title): of objects that Qt makes itself PySide does not learn when they go."""
    made = QMenu(title, parent)
    parent.addMenu(made)
    return made


def row_of_key() -> QWidget:
    text = label(tr("Key unlocked"), "small", wrap=False)
    set_tip(text, tr("Your key is open until you lock it or close the program."))
    made = row(icon_label("key", "muted", 16), text, 1, gap=0.75)
    return boxed(made)


class Menus:
    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self.desk = window.desk
        bar = QMenuBar()
        self.bar = bar
        bar.setNativeMenuBar(False)
        bar.setAccessibleName(tr("Menu bar"))
        self._file(_menu(bar, tr("&File")))
        self._edit(_menu(bar, tr("&Edit")))
        self._view(_menu(bar, tr("&View")))
        self.review = _menu(bar, tr("&Review"))
        self._help(_menu(bar, tr("&Help")))
        self.offline = label("", "small", wrap=False)
        self._tell_connection(None)
        band = QFrame()
        band.setProperty("side", "top")
        self.key = row_of_key()
        layout = row(bar, self.key, icon_label("offline", "muted", 16), self.offline, gap=0.75)
        layout.setStretch(0, 1)
        layout.setContentsMargins(0, 0, 2 * GRID, 0)
        band.setLayout(layout)
        window.setMenuWidget(band)

    def _tell_connection(self, where: Place | None) -> None:
        if where is None:
            self.offline.setText(tr("Works offline"))
            set_tip(
                self.offline,
                tr("This program opens no network connection. Everything between the partners is a file."),
            )
            return
        self.offline.setText(tr("Connected to {host}", host=where.host))
        set_tip(
            self.offline,
            tr(
                "Blocks of smashed data are worked on by the cluster of your organisation. Nothing goes to the partner."
            ),
        )

    def _add(
        self, menu: QMenu, text: str, act: Callable[[], object], keys: str | QKeySequence.StandardKey = ""
    ) -> QAction:
        action = QAction(text, menu)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _checked=False: self._guarded(act))
        menu.addAction(action)
        return action

    def _guarded(self, act: Callable[[], object]) -> None:
        try:
            act()
        except Problem as problem:
            self.window.show_problem(problem)

    def _file(self, menu: QMenu) -> None:
        # every field for text takes Ctrl+Home for itself
        self._add(menu, tr("&All projects"), lambda: self.desk.go_to.emit("welcome"), "Alt+Home")
        self._add(menu, tr("&New project …"), self._new, QKeySequence.StandardKey.New)
        self._add(menu, tr("&Open a project or file …"), self.open_any, QKeySequence.StandardKey.Open)
        self.recent = _menu(menu, tr("Open &recent"))
        self._add(menu, tr("&Try with sample data"), self._sample)
        menu.addSeparator()
        self.rename = self._add(menu, tr("Re&name project …"), self._rename)
        self.close = self._add(menu, tr("&Close project"), self._close, "Ctrl+W")
        menu.addSeparator()
        self._add(menu, tr("Se&veral partners"), lambda: self.desk.go_to.emit("groups"))
        self._add(menu, tr("A partner with another too&l"), lambda: self.desk.go_to.emit("other_tools"))
        menu.addSeparator()
        self._add(menu, tr("&Settings"), lambda: self.desk.go_to.emit("settings"), "Ctrl+,")
        self._add(menu, tr("&Quit"), self.window.close, "Ctrl+Q")

    def _edit(self, menu: QMenu) -> None:
        self.undo = self._add(menu, tr("&Undo"), self._undo, QKeySequence.StandardKey.Undo)
        self.redo = self._add(menu, tr("&Redo"), self._redo, "Ctrl+Shift+Z")

    def _view(self, menu: QMenu) -> None:
        group = QActionGroup(self.window)
        names = {"system": tr("Colours of the &system"), "light": tr("&Light"), "dark": tr("&Dark")}
        self.themes: dict[str, QAction] = {}
        for mode in theme.MODES:
            action = self._add(menu, names[mode], lambda m=mode: self.desk.prefer(theme=m))
            action.setCheckable(True)
            group.addAction(action)
            self.themes[mode] = action
        menu.addSeparator()
        self._add(menu, tr("L&arger text"), lambda: self._zoom(ZOOM_STEP), "Ctrl++")
        self._add(menu, tr("S&maller text"), lambda: self._zoom(-ZOOM_STEP), "Ctrl+-")
        self._add(menu, tr("&Normal text size"), lambda: self.desk.prefer(zoom=1.0), "Ctrl+0")
        menu.addSeparator()
        self.panel = self._add(menu, tr("&Help panel"), lambda: self.window.set_help(self.panel.isChecked()))
        self.panel.setCheckable(True)
        self.expert = self._add(menu, tr("&Expert settings"), lambda: self.desk.prefer(expert=self.expert.isChecked()))
        self.expert.setCheckable(True)

    def _help(self, menu: QMenu) -> None:
        self._add(menu, tr("&Help for this page"), lambda: self.window.show_help(), "F1")
        self._add(menu, tr("&All help pages"), lambda: self.desk.go_to.emit("help"))
        self._add(menu, tr("Link two files in &ten minutes"), lambda: self._page("ten_minutes"))
        self._add(menu, tr("For the &data protection officer"), lambda: self._page("data_protection"))
        self._add(menu, tr("&Words used here"), lambda: self.window.show_help("glossary"))
        self._add(menu, tr("What the &partner could do"), lambda: self.window.show_help("threat_model"))
        menu.addSeparator()
        self._add(menu, tr("Problem &reports"), self._reports)
        self._add(menu, tr("A&bout PPRL Desktop"), self._about)

    def refresh(self) -> None:
        project = self.desk.project
        self.key.setVisible(self.desk.identity() is not None)
        busy = self.desk.jobs.busy()
        self._tell_connection(busy.where if busy is not None else None)
        undo = project.can_undo() if project is not None else ""
        redo = project.can_redo() if project is not None else ""
        self.undo.setText(tr("&Undo: {what}", what=tr(undo)) if undo else tr("&Undo"))
        self.redo.setText(tr("&Redo: {what}", what=tr(redo)) if redo else tr("&Redo"))
        self.undo.setEnabled(bool(undo))
        self.redo.setEnabled(bool(redo))
        self.rename.setEnabled(project is not None)
        self.close.setEnabled(project is not None)
        self.themes[self.desk.preferences.theme].setChecked(True)
        self.panel.setChecked(self.window.help.isVisibleTo(self.window))
        self.expert.setChecked(self.desk.preferences.expert)
        self.review.menuAction().setVisible(self.window.current in ("review", "share"))
        self.recent.clear()
        for text in self.desk.preferences.recent:
            path = Path(text)
            self._add(self.recent, path.stem, lambda p=path: self.desk.open_project(p))
        self.recent.setEnabled(bool(self.desk.preferences.recent))

    # actions --------------------------------------------------------------------------------------

    def _new(self) -> None:
        self.window.show_pane("welcome")
        start = getattr(self.window.pane(), "ask_name", None)
        if start is not None:
            start()

    def open_any(self) -> None:
        """A project, a table, a card or a sealed file: each is recognised and led to its place."""
        ours = f"{tr('Files of this program')} (*.pprlproject *.pprl *.pprlcard *.age *.csv *.tsv *.txt)"
        usual = usual_folder()  # which is made with the first project: before, its name would stand as that of a file
        start = str(usual if usual.is_dir() else usual.parent)
        name, _ = QFileDialog.getOpenFileName(self.window, tr("Open a project or file"), start, f"{ours};;* (*)")
        if name:
            self.window.open_file(Path(name))

    def _sample(self) -> None:
        self.window.show_pane("welcome")
        start = getattr(self.window.pane(), "open_sample", None)
        if start is not None:
            start()

    def _rename(self) -> None:
        from pprl_desktop.ui.widgets.asking import ask_words

        project = self.desk.need_project()
        text = ask_words(self.window, tr("Rename project"), tr("New name"), tr("&Rename"), text=project.title)
        if text is not None and text.strip():
            project.rename(text.strip())
            self.window.side.title.setText(project.title)
            self.window.setWindowTitle(f"{project.title} – PPRL Desktop")

    def _close(self) -> None:
        self.desk.close_project()

    def _undo(self) -> None:
        project = self.desk.need_project()
        self._show_change(project.can_undo(), project.undo())

    def _redo(self) -> None:
        project = self.desk.need_project()
        self._show_change(project.can_redo(), project.redo())

    def _show_change(self, name: str, changed: Changed) -> None:
        """On the page where it can be seen, and named: an Undo that changes nothing in sight is no Undo."""
        from pprl_desktop.project.steps import PATHS

        if not changed.choices:
            return
        self.desk.announce(changed)
        names = set(changed.choices)
        path = PATHS[self.desk.need_project().choices.kind]
        here = next((step for step in path if step.name == self.window.current and names & set(step.reads)), None)
        seen = here or next((step for step in path if names & set(step.reads)), None)
        self.window.show_pane(seen.name if seen is not None else self.window.current)
        self.window.bottom.tell(tr("Changed back: {what}", what=tr(name)))

    def _zoom(self, step: float) -> None:
        self.desk.prefer(zoom=round(min(ZOOM_MAX, max(ZOOM_MIN, self.desk.preferences.zoom + step)), 2))

    def _page(self, name: str) -> None:
        self.window.show_pane("help")
        show = getattr(self.window.pane(), "show_page", None)
        if show is not None:
            show(name)

    def _reports(self) -> None:
        from pprl_desktop.ui.kit import crash

        crash.show_folder(self.window)

    def _about(self) -> None:
        from pprl_desktop.ui.shell import about

        about.show(self.window)
