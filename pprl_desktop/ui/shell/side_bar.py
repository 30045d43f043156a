"""The bar at the left: the project, the steps of the job, the pages beside it. Only marks where room is short."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.shell.stepper import StepList, badge_size
from pprl_desktop.ui.widgets.basics import boxed, column, label, row, tool

WIDTH = 216
WIDEST = 1.3  # times the usual width, however large the text
NAMES_FROM = 850  # px of window width, at the usual text size, below which the steps are marks without names


class SideBar(QFrame):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("side", "left")
        self.title = label("", "heading")
        self.whom = label("", "tiny")  # the partner, or the own organisation
        self.home = tool("home", tr("All projects (Alt+Home)"))
        self.steps = StepList(tr("Steps of the job"))
        self.beside = StepList(tr("Other pages"))
        top = row(self.title, self.home, gap=0.5)
        top.setStretch(0, 1)
        top.setAlignment(self.home, Qt.AlignmentFlag.AlignTop)
        head = column(top, self.whom, gap=0.25)
        head.setContentsMargins(GRID, 0, 0, GRID)
        self._head = QWidget()
        self._head.setLayout(head)
        inside = column(self._head, self.steps, None, self.beside, gap=1)
        self._scroller = QScrollArea()
        self._scroller.setWidgetResizable(True)
        self._scroller.setFrameShape(QFrame.Shape.NoFrame)
        self._scroller.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroller.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroller.setWidget(boxed(inside))
        for bare in (self._scroller.viewport(), self._scroller.widget()):
            bare.setAutoFillBackground(False)
        for one in (self.steps, self.beside):
            one.shown.connect(self._fit_height)
        outer = column(self._scroller)
        outer.setContentsMargins(GRID, 2 * GRID, GRID, GRID)
        self.setLayout(outer)

    def fit(self, window: int) -> None:
        """The bar grows with the text, but never takes the page its room."""
        narrow = window < NAMES_FROM * theme.zoom()
        self._head.setVisible(not narrow)
        self.steps.set_bare(narrow)
        self.beside.set_bare(narrow)
        self.setFixedWidth(badge_size() + 5 * GRID if narrow else round(WIDTH * min(theme.zoom(), WIDEST)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        """Lines move closer together before any of them would have to be scrolled to."""
        lists = (self.steps, self.beside)
        room = self.height() - 3 * GRID - 2 * GRID  # the margins, and the space between the parts
        if not self._head.isHidden():
            room -= max(self._head.heightForWidth(self.width() - 2 * GRID), self._head.sizeHint().height())
        room -= self.steps.room_for_a_reason()  # or the lines would move under the pointer when one comes
        dense = sum(one.height_if(False) for one in lists) > room
        for one in lists:
            one.set_dense(dense)

    def set_current(self, name: str) -> None:
        self.steps.set_current(name)
        self.beside.set_current(name)
        QTimer.singleShot(0, self, self._show_current)  # after the layout

    def _show_current(self) -> None:
        for made in (*self.steps.buttons.values(), *self.beside.buttons.values()):
            if made.isChecked():
                self._scroller.ensureWidgetVisible(made, 0, GRID)
