"""Where the focus goes when what had it is gone: to the page, whose title says what there is now; never to whatever
comes next in the tab order, where Enter would press something nobody meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from pprl_desktop.ui.shell.main_window import MainWindow


class FocusKeeper(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._last: QWidget | None = None  # that had the focus in this window
        self._fallen_to: QWidget | None = None
        # After whoever hid it: a pane may have a better place for the focus. A timer of its own: of a single shot that
        # a closed window does not live to see, PySide keeps the function, and with it the window and all its tables.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._keep)
        window.desk.jobs.ended.connect(lambda job, _end: None if job.quiet else self._done())
        QApplication.instance().focusChanged.connect(self._moved)  # type: ignore[union-attr]

    def _moved(self, old: QWidget | None, new: QWidget | None) -> None:
        last = self._last
        if new is not None and new.window() is self._window:
            self._last = new
        if old is None and new is self._last and last is not None and last is not new:
            # back from a dialog: what had the focus may have gone meanwhile, and Qt passed it on unsaid
            if not isValid(last) or not last.isVisible() or not last.isEnabled():
                self._keep_later(new)
            return
        if old is None or not isValid(old) or old.window() is not self._window:
            return
        if new is None or not old.isVisible() or not old.isEnabled():
            self._keep_later(new)

    def _done(self) -> None:
        """The work a button started is shown: Enter goes on from there and does not start the work again."""
        window = self._window
        pressed = window.focusWidget()
        if isinstance(pressed, QPushButton) and window.current in window.panes and window.pane().isAncestorOf(pressed):
            window.pane().setFocus(Qt.FocusReason.OtherFocusReason)

    def _keep_later(self, fallen_to: QWidget | None) -> None:
        self._fallen_to = fallen_to
        self._later.start()

    def _keep(self) -> None:
        window = self._window
        if window.isVisible() and window.focusWidget() is self._fallen_to and window.current in window.panes:
            page = window.pane()
            first = page.typed_first()
            seen = first is not None and first.isVisibleTo(window)
            (first if seen else page).setFocus(Qt.FocusReason.OtherFocusReason)  # type: ignore[union-attr]
