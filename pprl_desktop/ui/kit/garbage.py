"""Python's cyclic garbage: collected on the window's thread only, and never for long.

The collector could destroy a QObject on the worker's thread, so its own clock is switched off. Young objects
are looked through from a timer here; too many at once are set aside unseen, which takes no time. A look at
everything takes a tenth of a second and more: only when nothing runs and nobody has touched anything for a while.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer

EVERY = 100  # ms
MOST_YOUNG = 150_000  # objects looked through at once, about 15 ms
UNTOUCHED = 15.0  # s without work and without key or mouse before everything is looked through

_TOUCHES = frozenset(
    (
        QEvent.Type.KeyPress,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.MouseMove,
        QEvent.Type.Wheel,
        QEvent.Type.TouchBegin,
        QEvent.Type.Resize,
    )
)


class Collector(QObject):
    """`busy` says whether work runs. Lives on the window's thread."""

    def __init__(self, busy: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._busy = busy
        self._touched = time.monotonic()
        self._due = False  # work has ended since everything was looked through
        self._settle = True  # what is there now is to be set aside
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.look)
        self._timer.start(EVERY)

    def worked(self) -> None:
        """A job ended. Its results and the libraries loaded for it mostly stay: later looks leave them out."""
        self._touched = time.monotonic()
        self._due = self._settle = True

    def watch_input(self, source: QObject) -> None:
        """Keys and mouse of this window (its QWindow) put the long look off."""
        source.installEventFilter(self)

    def eventFilter(self, _source: QObject, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self._touched = time.monotonic()
        return False

    def look(self) -> None:
        if gc.get_count()[0] > MOST_YOUNG:
            gc.freeze()
            self._due = True
            return
        gc.collect(1)
        if self._settle:
            self._settle = False
            gc.freeze()
        if self._due and not self._busy() and time.monotonic() - self._touched > UNTOUCHED:
            self.look_through_everything()

    def look_through_everything(self) -> None:
        self._due = False
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def close(self) -> None:
        """The clock of the interpreter stays off: a thread that works on would destroy the widgets of this window."""
        self._timer.stop()
        gc.unfreeze()
