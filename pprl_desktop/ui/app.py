"""Opens the window: checks the system's libraries first, then theme, language, window, and what was asked for."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.problem import Problem
from pprl_desktop.said import Said
from pprl_desktop.ui.kit import libraries, read_ahead

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from pprl_desktop.ui.shell.main_window import MainWindow

OPTIONS = ("--light", "--dark", "--language=")


def run(argv: Sequence[str]) -> int:
    """The window until it is closed. Raises a Problem when it cannot open at all."""
    libraries.check()
    try:
        import PySide6.QtSvg
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        raise libraries.from_import_error(error) from None
    _options(argv)
    app = make_application()
    window = make_window(app, argv)
    if sys.platform == "darwin":
        from pprl_desktop.ui.shell.file_open import FileOpener

        app.installEventFilter(FileOpener(window))
    window.show()
    files = [argument for argument in argv if not argument.startswith("-")]
    if files:
        window.open_file(Path(files[0]))
    read_ahead.start()
    signal.signal(signal.SIGINT, lambda *_: app.quit())
    return int(app.exec())


def _options(argv: Sequence[str]) -> None:
    for argument in argv:
        if argument.startswith("-") and not argument.startswith(OPTIONS):
            raise Problem(
                Said("The window does not know the option '{argument}'.", argument=argument),
                Said("It knows: {options}.", options=OPTIONS),
                "'pprl-desktop --help' lists the verbs.",
                place="arguments",
            )


def make_application() -> QApplication:
    from PySide6.QtCore import qVersion
    from PySide6.QtWidgets import QApplication

    from pprl_desktop.ui.kit import spoken

    found: Any = QApplication.instance()
    app: QApplication = found if found is not None else QApplication([sys.argv[0] if sys.argv else "pprl-desktop"])
    app.setApplicationName("pprl-desktop")
    app.setApplicationDisplayName("")
    app.setDesktopFileName("pprl-desktop")
    app.setProperty("qt_version", qVersion())
    spoken.install(app)
    return app


def make_window(app: QApplication, argv: Sequence[str] = ()) -> MainWindow:
    """The main window with its desk; tests and the tour use it too."""
    from dataclasses import replace

    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QGuiApplication

    from pprl_desktop.ui.desk import Desk
    from pprl_desktop.ui.kit import crash, i18n, icons, settings, theme
    from pprl_desktop.ui.shell.main_window import MainWindow

    preferences = settings.load()
    for argument in argv:
        if argument in ("--light", "--dark"):
            preferences = replace(preferences, theme="light" if argument == "--light" else "dark")
        if argument.startswith("--language="):
            preferences = replace(preferences, language=argument.split("=", 1)[1])
    i18n.install(app, preferences.language)
    theme.apply(app, preferences.theme, preferences.zoom)
    app.setWindowIcon(icons.app_icon())
    desk = Desk(preferences)
    window = MainWindow(desk)
    desk.setParent(window)

    shown = {"language": preferences.language}

    def follow_preferences() -> None:
        wanted = desk.preferences
        if wanted.language != shown["language"]:
            shown["language"] = wanted.language
            i18n.install(app, wanted.language)
            # after the click that asked for it: the box that was clicked goes with the old page
            QTimer.singleShot(0, window, window.rebuild)
        if (wanted.theme, wanted.zoom) != (theme.mode(), theme.zoom()):
            theme.apply(app, wanted.theme, wanted.zoom)
        window.menus.refresh()

    desk.preferences_changed.connect(follow_preferences)
    QGuiApplication.styleHints().colorSchemeChanged.connect(
        lambda _scheme: theme.apply(app, desk.preferences.theme, desk.preferences.zoom)
    )
    if not os.environ.get("PYTEST_CURRENT_TEST"):
        handler = crash.CrashHandler(window)
        handler.install()
        handler.happened.connect(lambda error: crash.tell(window, error))
        desk.jobs.crashed.connect(crash.write_report)
    return window
