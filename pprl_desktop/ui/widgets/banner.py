"""A Problem on the screen: what happened, why, what to do, and a button for it. Also good news."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import button, icon_label, label, tool

ICONS = {"info": "info", "good": "good", "warning": "warning", "problem": "error"}
TOKENS = {"info": "accent_text", "good": "accent_text", "warning": "warm_text", "problem": "danger_text"}


def kind_word(kind: str) -> str:
    """Said before the text by a screen reader, because the colour is not."""
    return {"info": tr("Note"), "good": tr("Done"), "warning": tr("Warning"), "problem": tr("Problem")}[kind]


class Banner(QFrame):
    """One message. `act` is the button that does what the text asks for."""

    def __init__(
        self,
        kind: str,
        text: str,
        more: str = "",
        *,
        act: tuple[str, Callable[[], object]] | None = None,
        closable: bool = False,
        copy: str = "",
    ) -> None:
        super().__init__()
        self.setProperty("banner", kind)
        self.kind = kind
        outer = QHBoxLayout(self)
        outer.setContentsMargins(round(1.5 * GRID), round(1.25 * GRID), round(1.5 * GRID), round(1.25 * GRID))
        outer.setSpacing(round(1.25 * GRID))
        picture = icon_label(ICONS[kind], TOKENS[kind])
        picture.setAccessibleName(kind_word(kind))
        outer.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        self.what = label(text, "strong" if more else "", selectable=False)
        texts.addWidget(self.what)
        self.more = label(more)
        self.more.setVisible(bool(more))
        texts.addWidget(self.more)
        outer.addLayout(texts, 1)
        if act is not None:
            outer.addWidget(button(act[0], act[1]), 0, Qt.AlignmentFlag.AlignVCenter)
        if copy:
            outer.addWidget(tool("copy", tr("Copy this message"), lambda: QApplication.clipboard().setText(copy)))
        if closable:
            outer.addWidget(tool("close", tr("Close this message"), self._gone), 0, Qt.AlignmentFlag.AlignTop)
        self.setAccessibleName(f"{kind_word(kind)}: {text} {more}".strip())

    def _gone(self) -> None:
        self.hide()
        self.deleteLater()

    @classmethod
    def of(
        cls, problem: Problem, *, kind: str = "problem", act: tuple[str, Callable[[], object]] | None = None
    ) -> Banner:
        more = " ".join(tr_core(part) for part in (problem.why, problem.do) if part)
        return cls(kind, tr_core(problem.what), more, act=act, closable=True, copy=tr_core(problem.sentence()))


class Messages(QWidget):
    """The place of a pane for its messages, newest last; says each aloud once."""

    def __init__(self) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(GRID)
        self.hide()

    def clear(self) -> None:
        clear(self._layout)
        self.hide()

    def show_banner(self, banner: Banner) -> None:
        self._layout.addWidget(banner)
        self.show()
        QAccessible.updateAccessibility(QAccessibleEvent(banner, QAccessible.Event.Alert))

    def show_problem(self, problem: Problem, act: tuple[str, Callable[[], object]] | None = None) -> None:
        self.show_banner(Banner.of(problem, act=act))

    def banners(self) -> list[Banner]:
        items = (self._layout.itemAt(i).widget() for i in range(self._layout.count()))
        return [widget for widget in items if isinstance(widget, Banner) and not widget.isHidden()]


def clear(layout: QLayout) -> None:
    """Empty a layout; what was in it goes away."""
    while layout.count():
        item = layout.takeAt(0)
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        elif inner is not None:
            clear(inner)
