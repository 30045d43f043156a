"""Welcome: new project, open, recent, try with sample data, help."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, icon_label, label, labelled, row, tab_order
from pprl_desktop.ui.widgets.reflow import columns

SHOWN = 5  # recent projects


class WelcomePane(Pane):
    NAME = "welcome"
    GIVES = ("a project",)
    MESSAGES = {"gone": "This project is not where it was."}  # noqa: RUF012

    def build(self) -> None:
        self.head(
            tr("Which records do you share?"),
            tr(
                "Find out with a partner organisation, without showing each other the rest. "
                "Nothing leaves this computer until you send a file yourself."
            ),
        )
        self._pending = ""
        self.buttons: dict[str, QWidget] = {}
        self.new = Section(tr("Start a new project"), tr("One project per partner and question. It saves itself."))
        self.name = QLineEdit()
        self.name.setPlaceholderText(tr("for example: Heart registry × St. Anne"))
        self.name.returnPressed.connect(self._create)
        self.name.textChanged.connect(lambda _t: self._check())
        self.place = QLineEdit(str(self._documents()))
        self.place.setAccessibleName(tr("Folder of the project"))
        browse = button(tr("Choose …"), self._choose_folder, tip=tr("Choose the folder of the project"))
        folder = boxed(row(self.place, browse))
        folder.setFocusProxy(self.place)
        self.make = button(tr("&Create project"), self._create, kind="primary")
        self.why = label("", "small")
        self.new.add(
            labelled(tr("Name of the project"), self.name),
            labelled(tr("Folder"), folder),
            row(self.make, self.why, None, gap=1.5),
            None,
        )
        self.sample = self._task(
            "sample",
            tr("Try with sample data"),
            tr("Two invented hospitals, both sides played on this computer. About five minutes; nothing to prepare."),
            tr("Open the &sample"),
            self.open_sample,
        )
        self.open = self._task(
            "folder",
            tr("Open a project"),
            tr(
                "Continue where you were. You can also drop a project, a table or a file from a partner on this window."
            ),
            tr("&Open …"),
            self._open,
        )
        self.recent = Section(tr("Recent projects"))
        self.learn = Section(tr("How it goes"))
        for number, text in enumerate(
            (
                tr("Load your table, choose the fields to compare, and see what a partner could learn."),
                tr("Agree with the partner, exchange one sealed file each, and match."),
                tr(
                    "Decide the uncertain pairs, opening only what you need, and write the linked table and the report."
                ),
            ),
            start=1,
        ):
            badge = label(str(number), "strong", wrap=False)
            badge.setMinimumWidth(2 * GRID)
            badge.setAlignment(Qt.AlignmentFlag.AlignTop)
            line = row(badge, label(text, "muted"), gap=1)
            line.setStretch(1, 1)
            self.learn.add(line)
        self.read = button(tr("Read the introduction"), lambda: self.desk.go_to.emit("help"), kind="link")
        self.learn.add(None, row(self.read, None))
        self.body.addLayout(columns(self.new, column(self.sample, self.open, gap=2), least=290))
        self.body.addLayout(columns(self.recent, self.learn, least=290))
        self.body.addStretch(1)

    def _task(self, icon: str, title: str, sentence: str, verb: str, act: object) -> Section:
        card = Section()
        text = column(label(title, "heading"), label(sentence, "muted"), gap=0.5)
        go = button(verb, act)  # type: ignore[arg-type]
        self.buttons[icon] = go
        picture = icon_label(icon, "accent_text", 28)
        top = row(picture, text, gap=1.5)
        top.setStretch(1, 1)
        top.setAlignment(picture, Qt.AlignmentFlag.AlignTop)
        card.setAccessibleName(title)
        card.add(top, row(None, go), None)
        return card

    def enter(self) -> None:
        clear(self.recent.body)
        shown = [Path(text) for text in self.desk.preferences.recent][:SHOWN]
        links: list[QWidget] = []
        for path in shown:
            there = path.is_file()
            go = button(path.stem, lambda p=path: self._open_path(p), kind="link", icon="folder", tip=str(path))
            go.setEnabled(there)
            note = label("" if there else tr("not where it was"), "small", wrap=False)
            self.recent.add(row(go, None, note))
            links.append(go)
        if not shown:
            self.recent.add(label(tr("Projects you open appear here."), "muted"))
        self.recent.add(None)
        tab_order(self.buttons["folder"], *links, self.read)
        self._check()

    def ask_name(self) -> None:
        self.name.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _documents(self) -> Path:
        base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return Path(base or Path.home()) / "PPRL"

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
            self.desk.create_project(self._target(), title)
        except Problem as problem:
            self.show_problem(problem)
            return
        self.name.clear()
        self._pending = ""
        if pending:
            self.file_waits(pending)

    def file_waits(self, path: str) -> None:
        window = self.window()
        opener = getattr(window, "open_file", None)
        if opener is not None:
            opener(Path(path))

    def take_file(self, path: str) -> None:
        """A table dropped before there is a project: only a name is missing."""
        self._pending = path
        self.messages.clear()
        self.say("info", tr("The file is ready."), tr("Name the project it belongs to; then it opens there."))
        self.ask_name()

    def _open(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self, tr("Open project"), self.place.text(), f"{tr('PPRL projects')} (*.pprlproject)"
        )
        if name:
            self._open_path(Path(name))

    def _open_path(self, path: Path) -> None:
        self.messages.clear()
        try:
            self.desk.open_project(path)
        except Problem as problem:
            self.show_problem(problem)

    def open_sample(self) -> None:
        from pprl_desktop.ui import sample

        self.messages.clear()
        try:
            sample.open_sample(self.desk, self._documents())
        except Problem as problem:
            self.show_problem(problem)

    def reason(self) -> str:
        return ""
