"""The real window, ended by SIGKILL at a set moment of its work. Run as a program by test_kill.py.

The moment is counted in events (progress reports, files put in place, ledger entries), never in seconds.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from pprl_desktop.job.demo import PASSPHRASE
from pprl_desktop.progress import Progress
from pprl_desktop.review.ledger import Ledger
from pprl_desktop.ui.app import make_application, make_window
from pprl_desktop.ui.shell.main_window import MainWindow

KEYS = (Qt.Key.Key_G, Qt.Key.Key_Space, Qt.Key.Key_6, Qt.Key.Key_G, Qt.Key.Key_Space, Qt.Key.Key_1)


def die_at(where: Any, name: str, number: int, *, after: bool) -> None:
    """The `number`-th call of where.name is the last thing this process does, or the first it no longer does."""
    original: Callable[..., Any] = getattr(where, name)
    calls = {"left": number}

    def counted(*args: Any, **values: Any) -> Any:
        calls["left"] -= 1
        if calls["left"] == 0 and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        made = original(*args, **values)
        if calls["left"] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return made

    setattr(where, name, counted)


def moment(words: str) -> None:
    """ "progress 3", "replace 1", "entry 4 after"."""
    kind, number, *rest = words.split()
    where, name = {"progress": (Progress, "at"), "replace": (os, "replace"), "entry": (Ledger, "append")}[kind]
    die_at(where, name, int(number), after=bool(rest))


def read(window: MainWindow, table: str, when: str) -> None:
    moment(when)
    window.open_file(Path(table))


def seal(window: MainWindow, out: str, when: str) -> None:
    QFileDialog.getSaveFileName = staticmethod(lambda *_a, **_k: (out, ""))  # type: ignore[method-assign,assignment]
    window.show_pane("export")
    moment(when)
    window.pane().known.setChecked(True)  # type: ignore[attr-defined]
    window.next.click()


def match(window: MainWindow, _unused: str, when: str) -> None:
    window.show_pane("match")
    moment(when)
    window.pane()._match()  # type: ignore[attr-defined]


def review(window: MainWindow, folder: str, when: str) -> None:
    app = make_application()
    window.show_pane("review")
    window.pane()._open_desk(folder, PASSPHRASE)  # type: ignore[attr-defined]
    while window.desk.findings.session is None:
        app.processEvents()
    moment(when)
    while True:
        for key in KEYS:
            QTest.keyClick(window.focusWidget() or window, key)
            app.processEvents()


WORK = {"read": read, "seal": seal, "match": match, "review": review}


def main(what: str, project: str, file: str, when: str) -> int:
    app = make_application()
    window = make_window(app, ("--light", "--language=en"))
    window.show()
    window.desk.open_project(Path(project))
    if window.desk.home.exists:
        window.desk.unlocked(window.desk.home.unlock(PASSPHRASE))
    WORK[what](window, file, when)
    while not window.desk.jobs.idle():
        app.processEvents()
    return 3  # the work was finished before the moment came


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
