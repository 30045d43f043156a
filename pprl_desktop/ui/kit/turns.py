"""Work of the window's thread in small pieces: results shown part by part, pages made before they are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

Made = TypeVar("Made", bound=QWidget)
AFTERWARDS = 20  # ms: without any, Qt does it in the same turn


class Turns(QObject):
    """Each step has a pass of the event loop to itself: clicks and drawing come in between.

    `about` gives what the steps are about (the open project); they end when it is another or gone.
    """

    def __init__(self, parent: QObject, about: Callable[[], object]) -> None:
        super().__init__(parent)
        self._about, self._began_with = about, about()
        self._steps: deque[Callable[[], object]] = deque()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._next)

    def run(self, *steps: Callable[[], object]) -> None:
        """The first step now, the others one by one; what was still to be shown before is out of date."""
        self._steps, self._began_with = deque(steps[1:]), self._about()
        if self._steps:
            self._timer.start(0)
        steps[0]()

    def _next(self) -> None:
        if self._about() != self._began_with:
            self._steps.clear()
        if self._steps:
            self._steps.popleft()()
        if not self._steps:
            self._timer.stop()


class Later(QWidget, Generic[Made]):
    """Holds a widget that costs time to make until somebody looks at it, or asks for it."""

    def __init__(self, make: Callable[[], Made]) -> None:
        super().__init__()
        self._make = make
        self._made: Made | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)

    def widget(self) -> Made:
        if self._made is None:
            self._made = self._make()
            self.layout().addWidget(self._made)
        return self._made

    def showEvent(self, event: QShowEvent) -> None:
        self.widget()
        super().showEvent(event)


class Ahead(QObject):
    """Makes the page that Next leads to while nothing runs and nobody waits."""

    REST = 400  # ms after the last page turn or work

    def __init__(self, make: Callable[[], object], busy: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._make, self._busy = make, busy
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(self.REST)
        self._timer.timeout.connect(self._look)

    def put_off(self) -> None:
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _look(self) -> None:
        if self._busy():
            self._timer.start()
        else:
            self._make()
