"""Remarks: what happened, why, what to do, and the buttons that do it. A page has one strip for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import button, icon_label, label, row_button, tool

Act = tuple[str, Callable[[], object]]
ICONS = {"info": "info", "good": "good", "warning": "warning", "problem": "error"}
TOKENS = {"info": "accent_text", "good": "accent_text", "warning": "warm_text", "problem": "danger_text"}
GRAVITY = {"problem": 0, "warning": 1, "good": 2, "info": 3}


def kind_word(kind: str) -> str:
    """Said before the text by a screen reader, because the colour is not."""
    return {"info": tr("Note"), "good": tr("Done"), "warning": tr("Warning"), "problem": tr("Problem")}[kind]


class Banner(QFrame):
    """One remark. `act` is the button that does what the text asks for, `acts` are several."""

    closed = Signal()

    def __init__(
        self,
        kind: str,
        text: str,
        more: str = "",
        *,
        act: Act | None = None,
        acts: Sequence[Act] = (),
        closable: bool = False,
        copy: str = "",
        lead: bool = False,
    ) -> None:
        """With `lead`, what its button does comes before everything else on the page, and Enter presses it."""
        super().__init__()
        self.setProperty("banner", kind)
        self.kind = kind
        self.seen = False  # the steward has had it before the eyes
        outer = QHBoxLayout(self)
        outer.setContentsMargins(round(1.5 * GRID), 6, round(1.5 * GRID), 6)
        outer.setSpacing(round(1.25 * GRID))
        picture = icon_label(ICONS[kind], TOKENS[kind], 18)
        picture.setAccessibleName(kind_word(kind))
        outer.addWidget(picture)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        self.what = label(text, "strong" if more or acts or act else "", selectable=False)
        self.what.setMinimumHeight(20)
        texts.addWidget(self.what)
        self.more = label(more)
        texts.addWidget(self.more)
        if not more:
            self.more.hide()
        outer.addLayout(texts, 1)
        for name, do in (*([act] if act is not None else []), *acts):
            outer.addWidget(row_button(name, do, kind="primary" if lead else ""), 0, Qt.AlignmentFlag.AlignVCenter)
        if copy:
            outer.addWidget(tool("copy", tr("Copy this message"), lambda: QApplication.clipboard().setText(copy)))
        self.rest = button("", kind="link")
        self.rest.hide()
        outer.addWidget(self.rest)
        if closable:
            outer.addWidget(tool("close", tr("Close this message"), self.dismiss))
        self.setAccessibleName(f"{kind_word(kind)}: {text} {more}".strip())

    def whole(self, wanted: bool) -> None:
        """With the reason below the first line, or that line alone."""
        self.more.setVisible(wanted and bool(self.more.text()))

    def dismiss(self) -> None:
        self.hide()
        self.closed.emit()
        self.deleteLater()

    @classmethod
    def of(cls, problem: Problem, *, kind: str = "problem", act: Act | None = None, acts: Sequence[Act] = ()) -> Banner:
        more = " ".join(tr_core(part) for part in (problem.why, problem.do) if part)
        copy = tr_core(problem.sentence()) if kind == "problem" else ""
        return cls(kind, tr_core(problem.what), more, act=act, acts=acts, closable=True, copy=copy)


class RemarkStrip(QWidget):
    """All remarks of a page in one place: the gravest in a line with its cure, the rest folded behind a count."""

    appeared = Signal()  # a remark that was not there before: the page brings the strip into view

    def __init__(self) -> None:
        super().__init__()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(4)
        self._all: list[Banner] = []
        self._unfolded = False
        self.hide()

    def clear(self) -> None:
        clear(self._layout)
        self._all, self._unfolded = [], False
        self.hide()

    def forget_seen(self) -> None:
        """The steward comes back to the page: what went wrong here before and was read is over."""
        self._forget(lambda one: one.seen and one.kind == "problem")

    def forget_told(self) -> None:
        """Something new is taken in: only the refusals stay, which may be of a file that was given with it."""
        self._forget(lambda one: one.kind != "problem")

    def _forget(self, over: Callable[[Banner], bool]) -> None:
        for one in [one for one in self._all if over(one)]:
            self._drop(one)
            one.hide()
            one.deleteLater()

    def show_banner(self, banner: Banner) -> None:
        place = next((n for n, one in enumerate(self._all) if GRAVITY[one.kind] > GRAVITY[banner.kind]), len(self._all))
        self._all.insert(place, banner)
        self._layout.insertWidget(place, banner)
        banner.closed.connect(lambda: self._drop(banner))
        banner.rest.clicked.connect(self._toggle)
        self._arrange()
        self.appeared.emit()
        said = QAccessibleAnnouncementEvent(banner, banner.accessibleName())  # on Linux Qt tells readers of no Alert
        if banner.kind in ("problem", "warning"):
            said.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(said)

    def show_problem(self, problem: Problem, act: Act | None = None) -> None:
        self.show_banner(Banner.of(problem, act=act))

    def banners(self) -> list[Banner]:
        """Folded ones too."""
        return list(self._all)

    def _drop(self, banner: Banner) -> None:
        if banner in self._all:
            self._all.remove(banner)
            self._arrange()

    def _toggle(self) -> None:
        self._unfolded = not self._unfolded
        self._arrange()

    def _arrange(self) -> None:
        others = len(self._all) - 1
        for place, one in enumerate(self._all):
            one.setVisible(place == 0 or self._unfolded)
            one.whole(others == 0 or self._unfolded or one.kind == "problem")
            one.rest.setVisible(place == 0 and others > 0)
        if others > 0:
            more = tr_n("and {n} more remark", "and {n} more remarks", others)
            self._all[0].rest.setText(tr("Fold the remarks") if self._unfolded else more)
        self.setVisible(bool(self._all))
        self._note_seen()

    def _note_seen(self) -> None:
        for one in self._all:
            one.seen = one.seen or self.isVisible()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._note_seen()


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
