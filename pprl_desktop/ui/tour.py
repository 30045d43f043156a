"""Pictures of every page with the sample project, and of every state before its end: both palettes, three sizes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.ui import scenes

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

SIZES = ((1024, 700), (1366, 768), (1440, 900))
THEMES = ("light", "dark")
PAGES = (
    "welcome", "contacts", "data", "fields", "method", "agreement", "export", "partner", "match", "results", "review",
    "finish", "post", "releases", "settings", "help", "about",
)  # fmt: skip


@dataclass(frozen=True)
class Plan:
    out: Path
    demo: Path | None = None
    pages: tuple[str, ...] = ()
    language: str = "en"
    text_size: float = 1.0
    sizes: tuple[tuple[int, int], ...] = SIZES
    themes: tuple[str, ...] = THEMES


def take(plan: Plan, progress: Progress) -> list[Path]:
    known = (*PAGES, *scenes.NAMES)
    unknown = [name for name in plan.pages if name not in known]
    if unknown:
        raise Problem(
            f"There is no page '{unknown[0]}'.",
            f"The pages are: {', '.join(known)}.",
            "Choose among them.",
            place="pages",
        )
    from pprl_desktop.ui.kit import libraries

    libraries.check()
    try:
        plan.out.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise Problem("The folder for the pictures cannot be made.", do="Choose another one.", place="out") from None
    with _own_place() as place:
        demo = plan.demo or place / "demo"
        finished = {*plan.pages} & {*PAGES} - {"welcome"} or not plan.pages  # these show the finished sample project
        if plan.demo is None and finished:
            from pprl_desktop.job.demo import run_demo

            run_demo(demo, progress.part(0.0, 0.5))
        return _Tour(plan, demo, place).walk(progress.part(0.5, 1.0))


@contextmanager
def _own_place() -> Iterator[Path]:
    """Settings of its own, so that the steward's are neither shown nor changed."""
    names = ("PPRL_DESKTOP_SETTINGS", "PPRL_HOME", "PPRL_STATE")
    before = {name: os.environ.get(name) for name in names}
    with tempfile.TemporaryDirectory(prefix="pprl-tour-", ignore_cleanup_errors=True) as folder:
        os.environ["PPRL_DESKTOP_SETTINGS"] = str(Path(folder) / "settings")
        os.environ["PPRL_HOME"] = str(Path(folder) / "home")
        os.environ["PPRL_STATE"] = str(Path(folder) / "state")
        try:
            yield Path(folder)
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


class _Tour:
    def __init__(self, plan: Plan, demo: Path, place: Path) -> None:
        from pprl_desktop.ui.app import make_application, make_window
        from pprl_desktop.ui.kit import theme

        self.plan, self.demo, self.place = plan, demo, place
        self.app = make_application()
        self.theme = theme
        self.window = make_window(self.app, ("--light", f"--language={plan.language}"))
        theme.apply(self.app, "light", plan.text_size)
        self.files: list[Path] = []
        self.set = scenes.Set(self.app, self.window, place)

    def walk(self, progress: Progress) -> list[Path]:
        wanted = self.plan.pages or (*PAGES, *scenes.NAMES)
        pages = [name for name in wanted if name in PAGES]
        window = self.window
        window.show()
        window.activateWindow()
        try:
            for number, name in enumerate(pages):
                progress.at(number / len(wanted), f"page {name}")
                if name == "welcome":
                    window.desk.close_project()
                    self._shoot("welcome")
                elif name == "about":
                    self._about()
                else:
                    self._open()
                    window.show_pane(name)
                    self._wait()
                    self._states(name)
            window.desk.close_project()
            for number, name in enumerate(scenes.play(self.set, lambda one: one in wanted), start=len(pages)):
                progress.at(number / len(wanted), f"page {name}")
                self._shoot(name)
        finally:
            window.desk.jobs.cancel()
            window.close()
        progress.at(1.0)
        return self.files

    def _open(self) -> None:
        """The project of the first hospital, with its key unlocked."""
        if self.window.desk.project is not None:
            return
        from pprl_desktop.job.demo import PASSPHRASE

        projects = sorted(self.demo.glob("hospital_a/*.pprlproject"))
        if not projects:
            raise Problem("This is not a folder of the demo.", do="Give the folder of 'demo --out DIR'.", place="demo")
        self.window.desk.open_project(projects[0])
        self.window.desk.unlocked(self.window.desk.home.unlock(PASSPHRASE))

    def _about(self) -> None:
        """What is inside, with its licences: a dialog over the page."""
        from pprl_desktop.ui.shell.about import AboutDialog

        dialog = AboutDialog(self.window)
        dialog.show()
        self._shoot("about", dialog)
        dialog.close()

    def _states(self, name: str) -> None:
        if name == "review":
            self._review()
        else:
            self._shoot(name)

    def _review(self) -> None:
        """Masked and untouched; some cells open with the cost of the next; refused at the limit."""
        from fractions import Fraction

        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        from pprl_desktop import resources
        from pprl_desktop.job.reviewing import ReviewPlan, look_at, make_review

        desk, window = self.window.desk, self.window
        self._shoot("review-0-start")
        choices = desk.need_project().choices
        second = look_at(resources.find("samples", "hospital_b.csv"), choices.fields)
        plan = ReviewPlan(second.path, second.columns, second.id_column, budget=Fraction(1, 25), audit=6)
        folder = self.place / "sample.review"
        made = make_review(desk.own_table, choices, plan, folder, "sample people do not exist")
        desk.findings.manager, desk.findings.session = made, made.session()
        window.show_pane("review")
        panel = window.pane().panel  # type: ignore[attr-defined]

        def press(*keys: Qt.Key) -> None:
            for key in keys:
                QTest.keyClick(window.focusWidget() or panel, key)
                self.app.processEvents()

        self._shoot("review-1-masked")
        press(Qt.Key.Key_Space, Qt.Key.Key_6, Qt.Key.Key_G, Qt.Key.Key_Space, Qt.Key.Key_5, Qt.Key.Key_1, Qt.Key.Key_0)
        press(Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Right)
        self._shoot("review-2-opened")
        for _ in range(200):  # open until the gate refuses
            refused = [i for i, p in enumerate(panel.seen.previews) if p is not None and p.refusal is not None]
            if refused:
                panel.grid.focus_cell(refused[0])
                press(Qt.Key.Key_Space)
                break
            press(Qt.Key.Key_G, Qt.Key.Key_Space) if panel.seen.suggestion else press(Qt.Key.Key_4)
        self._shoot("review-3-refused")

    def _wait(self) -> None:
        self.set.wait()

    def _shoot(self, name: str, seen: QWidget | None = None) -> None:
        from PySide6.QtCore import QEvent

        for mode in self.plan.themes:
            self.theme.apply(self.app, mode, self.plan.text_size)  # type: ignore[arg-type]
            self.window.desk.preferences = replace(self.window.desk.preferences, theme=mode)  # type: ignore[arg-type]
            if name == "settings":  # it names the colours
                self.window.pane().enter()
            for wide, high in self.plan.sizes:
                self.window.resize(wide, high)
                self.set.settle()
                self.app.sendPostedEvents(None, QEvent.Type.LayoutRequest)  # of what changed in the very last turn
                path = self.plan.out / f"{name}-{mode}-{wide}x{high}.png"
                if not (seen or self.window).grab().save(str(path), "PNG"):
                    raise Problem("A picture could not be written.", do="Check the disk and the folder.", place="out")
                self.files.append(path)
