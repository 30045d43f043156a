"""Why a pair is judged as it is: from chance, field by field, to what they say together; as bars and in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.words import count

ROW = 24  # px, at the usual text size
NAMES, VALUES = 104, 116  # px of the words at the left and at the right
EVEN = 0.35  # log odds within which nothing is said either way


def odds_words(score: float) -> str:
    """Log odds as one says them: '1,400 to 1', 'even', '1 to 30'."""
    if math.isnan(score):
        return tr("not known")
    large = math.exp(min(abs(score), 40.0))
    if large < 1.5:
        return tr("even")
    if large >= 1e6:
        million = large / 1e6
        said = tr("{n} million", n=count(round(million))) if million < 1000 else tr("over a thousand million")
    else:
        digits = max(len(str(int(large))) - 2, 0)
        said = count(max(round(large / 10**digits), 1) * 10**digits)
    return tr("{n} to 1", n=said) if score > 0 else tr("1 to {n}", n=said)


@dataclass(frozen=True)
class Step:
    name: str
    weight: float  # log odds it adds; NaN: missing
    said: str


def steps_of(fields: Sequence[str], evidence: Sequence[float], score: float) -> tuple[Step, ...]:
    """Chance is what is left of the score when the fields are taken away."""
    known = [weight for weight in evidence if not math.isnan(weight)]
    chance = score - sum(known)
    made = [Step(tr("By chance"), chance, odds_words(chance))]
    for name, weight in zip(fields, evidence, strict=True):
        if math.isnan(weight):
            said = tr("missing")
        elif abs(weight) < EVEN:
            said = tr("says nothing")
        elif weight > 0:
            said = tr("strongly for it") if weight > 5 else tr("for it")
        else:
            said = tr("strongly against it") if weight < -5 else tr("against it")
        made.append(Step(name, weight, said))
    return tuple(made)


class Waterfall(QWidget):
    def __init__(self) -> None:
        super().__init__()
        speak_as(self, "image")
        self.steps: tuple[Step, ...] = ()
        self.total = math.nan
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(280)

    def show_pair(self, steps: tuple[Step, ...], total: float) -> None:
        self.steps, self.total = steps, total
        together = tr("Together: {odds}", odds=odds_words(total)) if steps else ""
        self.setAccessibleName(tr("Why this pair, field by field"))
        self.setAccessibleDescription("; ".join([*(f"{one.name}: {one.said}" for one in steps), together]))
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, round(ROW * theme.zoom() * (len(self.steps) + 1)) + 4 if self.steps else 4)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.steps:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        zoom = theme.zoom()
        names, values, row = NAMES * zoom, VALUES * zoom, ROW * zoom
        room = max(self.width() - names - values - 16, 60.0)
        ends = [0.0]
        for one in self.steps:
            ends.append(ends[-1] + (0.0 if math.isnan(one.weight) else one.weight))
        low, high = min(ends), max(ends)
        scale = room / max(high - low, 1e-9)

        def at(value: float) -> float:
            return names + 8 + (value - low) * scale

        painter.setPen(QPen(theme.colour("border_strong"), 1, Qt.PenStyle.DotLine))
        painter.drawLine(round(at(0.0)), 0, round(at(0.0)), self.height())
        for place, one in enumerate(self.steps):
            top = place * row
            start, end = ends[place], ends[place + 1]
            self._words(painter, one.name, one.said, top, row, names, values, strong=False)
            bar = QRectF(min(at(start), at(end)), top + row / 2 - 6, max(abs(at(end) - at(start)), 2.0), 12)
            token = "neutral" if place == 0 else "accent" if end >= start else "warm"
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour(token))
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(QPen(theme.colour("border_strong"), 1))
            painter.drawLine(round(at(end)), round(top + row / 2 + 6), round(at(end)), round(top + row * 1.5 - 6))
        top = len(self.steps) * row
        self._words(painter, tr("Together"), odds_words(self.total), top, row, names, values, strong=True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("accent" if self.total > 0 else "warm"))
        painter.drawEllipse(QRectF(at(ends[-1]) - 6, top + row / 2 - 6, 12, 12))
        painter.end()

    def _words(
        self, painter: QPainter, name: str, said: str, top: float, high: float, names: float, values: float,
        *, strong: bool,
    ) -> None:  # fmt: skip
        font = theme.font("small", strong=strong)
        painter.setFont(font)
        metrics = painter.fontMetrics()
        painter.setPen(theme.colour("text"))
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, int(names))
        painter.drawText(QRectF(0, top, names, high), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setPen(theme.colour("text" if strong else "muted"))
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(QRectF(self.width() - values, top, values, high), right, said)
