"""When the program itself is at fault: keep the project, write a report without personal values, say so.

A report holds kinds of errors and places in the program's own files, never a message or a value.
"""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, QUrl, Signal, qVersion
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from pprl_desktop import __version__, files
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit import settings
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.tips import question

KEEP = 20  # reports


def folder() -> Path:
    return settings.folder() / "reports"


def report_text(error: BaseException) -> str:
    lines = [
        f"PPRL Desktop {__version__}",
        f"Python {platform.python_version()}, Qt {qVersion()}, {platform.system()} {platform.machine()}",
        "",
    ]
    seen: BaseException | None = error
    depth = 0
    while seen is not None and depth < 5:
        lines.append(type(seen).__name__)
        lines += [f"  {place}" for place in _places(seen.__traceback__)]
        seen, depth = seen.__cause__ or seen.__context__, depth + 1
    return "\n".join(lines) + "\n"


def _places(trace: TracebackType | None) -> list[str]:
    """File name, line and function of each frame; paths are cut, they may hold the user's name."""
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        parts = Path(code.co_filename).parts
        start = parts.index("pprl_desktop") if "pprl_desktop" in parts else len(parts) - 1
        found.append(f"{'/'.join(parts[start:])}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return found


def write_report(error: BaseException) -> Path | None:
    try:
        target = folder()
        files.make_folder(target)
        path = target / f"report-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        files.write_text(path, report_text(error))
        for old in sorted(target.glob("report-*.txt"))[:-KEEP]:
            old.unlink()
        return path
    except (OSError, Problem):
        return None


class CrashHandler(QObject):
    """Catches what no pane expected. The project is saved at every change, so nothing needs rescuing."""

    happened = Signal(object)

    def install(self) -> None:
        sys.excepthook = self._hook

    def _hook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        if not isinstance(error, Problem):
            write_report(error)
            if os.environ.get("PPRL_DESKTOP_DEBUG"):
                sys.__excepthook__(kind, error, trace)
        self.happened.emit(error)


def tell(parent: QWidget | None, error: BaseException) -> None:
    from pprl_desktop.ui.kit.jobs import fault

    problem = error if isinstance(error, Problem) else fault(error)
    more = " ".join(tr_core(part) for part in (problem.why, problem.do) if part)
    box = question(parent, QMessageBox.Icon.Warning, tr_core(problem.what), more)
    if not isinstance(error, Problem):
        box.setDetailedText(report_text(error))
    box.addButton(tr("Go on working"), QMessageBox.ButtonRole.AcceptRole)
    box.open()


def show_folder(parent: QWidget) -> None:
    reports = folder()
    if not any(reports.glob("report-*.txt")):
        QMessageBox.information(
            parent, tr("Problem reports"), tr("There is none: the program has made no mistake so far.")
        )
        return
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(reports)))
