"""The step list at the left: each step with its state in shape and word, reached steps can be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from pprl_desktop.ui.kit import icons, theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.tips import set_tip

Mark = Literal["to do", "ready", "done", "stale", "waiting", "problem", "left out"]
ROW = 32  # px of a line at the usual text size
DENSE = 27  # where the bar is too low for all lines: nothing of it should have to be scrolled
GROUP_GAP = 8  # px between the groups of steps


def mark_words(mark: Mark) -> str:
    return {
        "to do": tr("to do"),
        "ready": tr("can be done now"),
        "done": tr("done"),
        "stale": tr("redo"),
        "waiting": tr("waiting"),
        "problem": tr("problem"),
        "left out": tr("left out"),
    }[mark]


@dataclass(frozen=True)
class Entry:
    name: str
    title: str
    mark: Mark = "to do"
    number: int = 0  # 0: an icon instead
    icon: str = ""
    reachable: bool = True
    tip: str = ""
    why: str = ""  # a second line: why to redo, for whom one waits
    group: bool = False  # the first of its group
    count: int = 0  # things to do there


def _state_words(entry: Entry) -> str:
    """The state and why, each said once: "waiting for Saltham Hospital" says the state itself."""
    if not entry.why:
        return mark_words(entry.mark)
    return entry.why if entry.mark == "waiting" else f"{mark_words(entry.mark)}: {entry.why}"


def badge_size() -> int:
    """Of the ring with the number, and of an icon in its place; grows with the text, though not without limit."""
    return theme.grown(20)


class StepButton(QAbstractButton):
    """One line of the list. The state shows as tick, number, arrow, clock or exclamation mark, and as a word."""

    def __init__(self, entry: Entry) -> None:
        super().__init__()
        self.entry = entry
        self.bare = False  # only the mark; the name is in the tool tip
        self.dense = False  # the bar is low
        speak_as(self, "item")
        self.setCheckable(True)
        self.setAutoExclusive(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.update_entry(entry)

    def update_entry(self, entry: Entry) -> None:
        self.entry = entry
        self.setText(entry.title)
        self.setEnabled(entry.reachable)
        self.setCursor(Qt.CursorShape.PointingHandCursor if entry.reachable else Qt.CursorShape.ArrowCursor)
        state = f", {_state_words(entry)}" if entry.number else ""
        if entry.count:
            state += f", {entry.count}"
        number = f"{tr('Step {n}', n=entry.number)}: " if entry.number else ""
        self.setAccessibleName(f"{number}{entry.title}{state}")
        tip = f"{entry.tip}\n{entry.why}" if entry.tip and entry.why else entry.tip
        set_tip(self, tip or f"{entry.title}{state}")  # the line itself may be cut off
        self.updateGeometry()
        self.update()

    def _high(self) -> int:
        return max(DENSE, theme.px() + 13) if self.dense else max(ROW, theme.px() + 18)

    def sizeHint(self) -> QSize:
        gap = GROUP_GAP if self.entry.group else 0
        if self.bare:
            return QSize(badge_size() + 16, badge_size() + 8 + gap)
        more = (theme.px("tiny") + 4) * len(self.why_lines())
        return QSize(200, self._high() + more + gap)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.sizeHint().height() != self.height():
            self.updateGeometry()  # the second line takes one more where the bar is narrower

    def why_lines(self) -> list[str]:
        """The reason in one line or two, in one where room is short; what is longer is cut, and whole in the tip."""
        most = 1 if self.dense else 2
        metrics = QFontMetrics(theme.font("tiny"))
        room = (self.width() or 200) - badge_size() - 22
        lines: list[str] = []
        for word in self.entry.why.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and (len(lines) == most or metrics.horizontalAdvance(longer) <= room):
                lines[-1] = longer
            else:
                lines.append(word)
        return [metrics.elidedText(one, Qt.TextElideMode.ElideRight, room) for one in lines]

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 120), self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        entry = self.entry
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0, GROUP_GAP if entry.group else 0, 0, 0)
        current = self.isChecked()
        if current or (self.underMouse() and entry.reachable):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent_soft" if current else "track"))
            painter.drawRoundedRect(box, 6, 6)
        if self.hasFocus():
            painter.setPen(QPen(theme.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)
        first = QRectF(box.left(), box.top(), box.width(), box.height() if self.bare else self._high())
        centre = QPointF(box.center().x() if self.bare else box.left() + 8 + badge_size() / 2, first.center().y())
        self._badge(painter, centre, current)
        if not self.bare:
            self._words(painter, first, current)
        painter.end()

    def _words(self, painter: QPainter, box: QRectF, current: bool) -> None:
        entry, x, width = self.entry, box.left() + 18 + badge_size(), 4
        if entry.count:
            wide = badge_size()
            ring = QRectF(box.right() - wide - 8, box.center().y() - wide / 2, wide, wide)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("accent"))
            painter.drawEllipse(ring)
            painter.setPen(theme.colour("on_accent"))
            painter.setFont(theme.font("tiny", strong=True))
            painter.drawText(ring, Qt.AlignmentFlag.AlignCenter, str(entry.count))
            width = wide + 12
        if entry.why:
            painter.setFont(theme.font("tiny"))
            painter.setPen(theme.colour("danger_text" if entry.mark == "problem" else "warm_text"))
            high = theme.px("tiny") + 4
            for number, text in enumerate(self.why_lines()):
                room = QRectF(x, box.bottom() - 6 + number * high, box.right() - x - 4, high + 2)
                painter.drawText(room, Qt.AlignmentFlag.AlignTop, text)
        painter.setFont(theme.font(strong=current))
        token = "accent_text" if current else "text" if entry.reachable else "muted"
        painter.setPen(theme.colour(token))
        room = QRectF(x, box.top(), box.right() - x - width, box.height())
        text = painter.fontMetrics().elidedText(entry.title, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)

    def _badge(self, painter: QPainter, centre: QPointF, current: bool) -> None:
        """Tick: done. Filled number: here. Ring: to do. Arrow: redo. Clock: waiting. Dash: the job is done without."""
        mark = self.entry.mark
        wide = badge_size()
        ring = QRectF(centre.x() - wide / 2, centre.y() - wide / 2, wide, wide)
        if not self.entry.number:
            token = "accent_text" if current else "text" if self.entry.reachable else "muted"
            painter.drawPixmap(ring.adjusted(1, 1, -1, -1).toRect(), icons.pixmap(self.entry.icon, token, wide - 2))
            return
        drawn = {"done": ("check", "accent_text"), "stale": ("redo", "warm_text"), "waiting": ("clock", "warm_text")}
        inner = ring.adjusted(wide / 10, wide / 10, -wide / 10, -wide / 10).toRect()
        if not current and mark in drawn:
            name, token = drawn[mark]
            painter.drawPixmap(inner, icons.pixmap(name, token, inner.width()))
            return
        problem = mark == "problem"
        painter.setPen(QPen(theme.colour("danger" if problem else "accent" if current else "border_strong"), 1.2))
        painter.setBrush(theme.colour("accent" if current and not problem else "window"))
        painter.drawEllipse(ring.adjusted(0.6, 0.6, -0.6, -0.6))
        painter.setPen(theme.colour("danger_text" if problem else "on_accent" if current else "muted"))
        painter.setFont(theme.font("tiny", strong=True))
        left_out = mark == "left out" and not current
        sign = "!" if problem else "–" if left_out else str(self.entry.number)
        painter.drawText(ring, Qt.AlignmentFlag.AlignCenter, sign)

    def enterEvent(self, event: object) -> None:
        super().enterEvent(event)  # type: ignore[arg-type]
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()


class StepList(QWidget):
    """Arrows move, Enter or Space opens; the current line is marked for the eye and for the ear."""

    chosen = Signal(str)
    shown = Signal()  # lines may be higher now, or fewer

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        speak_as(self, "list")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.buttons: dict[str, StepButton] = {}
        self._bare = self._dense = False

    def show_entries(self, entries: Sequence[Entry]) -> None:
        if [e.name for e in entries] == list(self.buttons):
            for entry in entries:
                self.buttons[entry.name].update_entry(entry)
            self.shown.emit()
            return
        for old in self.buttons.values():
            self._layout.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.buttons = {}
        for entry in entries:
            made = StepButton(entry)
            made.bare, made.dense = self._bare, self._dense
            made.clicked.connect(lambda _c=False, n=entry.name: self._choose(n))
            self.buttons[entry.name] = made
            self._layout.addWidget(made)
        self.shown.emit()

    def set_dense(self, dense: bool) -> None:
        if dense == self._dense:
            return
        self._dense = dense
        for made in self.buttons.values():
            made.dense = dense
            made.updateGeometry()
            made.update()

    def height_if(self, dense: bool) -> int:
        """What the list would take."""
        total = 0
        for made in self.buttons.values():
            was, made.dense = made.dense, dense
            total += made.sizeHint().height()
            made.dense = was
        return total

    def room_for_a_reason(self) -> int:
        """A second line that is not there yet."""
        return 0 if any(made.entry.why for made in self.buttons.values()) else theme.px("tiny") + 4

    def set_bare(self, bare: bool) -> None:
        self._bare = bare
        for made in self.buttons.values():
            made.bare = bare
            made.updateGeometry()
            made.update()

    def _choose(self, name: str) -> None:
        self.buttons[name].setChecked(True)
        self.chosen.emit(name)

    def set_current(self, name: str) -> None:
        for key, made in self.buttons.items():
            made.setChecked(key == name)
            numbered = made.entry.number > 0  # a page beside the steps is neither done nor to do
            words = [
                *([tr("current step") if numbered else tr("current page")] if key == name else []),
                *([_state_words(made.entry)] if numbered else []),
            ]
            made.setAccessibleDescription(", ".join(words if made.entry.why else words[:1]))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        lines = [made for made in self.buttons.values() if made.isEnabled()]
        here = next((i for i, made in enumerate(lines) if made.hasFocus()), None)
        if step is None or here is None:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and here is not None:
                lines[here].click()
                return
            super().keyPressEvent(event)
            return
        lines[min(max(here + step, 0), len(lines) - 1)].setFocus(Qt.FocusReason.TabFocusReason)
