"""The noise slider: epsilon on a logarithmic scale, always with its unit and what it means for a whole record."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QSlider, QWidget

from pprl_desktop.ui.kit.i18n import number, tr
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.wheel import wheel_scrolls_the_page
from pprl_desktop.ui.widgets.basics import column, label, row

STEPS = 60  # positions between the ends; one more at the right means "no noise"
LEAST, MOST = 0.25, 8.0
SETTLE = 150  # ms of rest after which the forecast is asked for


def epsilon_at(position: int) -> float | None:
    """None at the right end: no noise."""
    if position > STEPS:
        return None
    raw = LEAST * (MOST / LEAST) ** (position / STEPS)
    return float(f"{raw:.2g}")


def position_of(epsilon: float | None) -> int:
    if epsilon is None:
        return STEPS + 1
    inside = min(max(epsilon, LEAST), MOST)
    return round(STEPS * math.log(inside / LEAST) / math.log(MOST / LEAST))


class EpsilonSlider(QWidget):
    moved = Signal(object)  # while it moves: float or None
    settled = Signal(object)  # after a short rest

    def __init__(self) -> None:
        super().__init__()
        self.unit = tr("per bit")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        wheel_scrolls_the_page(self.slider)
        self.slider.setRange(0, STEPS + 1)
        self.slider.setPageStep(6)
        self.slider.setAccessibleName(tr("Noise: less to the right"))
        self.slider.setMinimumWidth(110)
        self.value_text = label("", "strong", wrap=False)
        self.record_text = label("", "small")
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(SETTLE)
        self._rest.timeout.connect(lambda: self.settled.emit(self.epsilon()))
        self.slider.valueChanged.connect(self._moved)
        line = row(
            label(tr("Noise"), "strong", wrap=False),
            label(tr("more privacy"), "small", wrap=False),
            self.slider,
            label(tr("more matches"), "small", wrap=False),
            gap=1.5,
        )
        line.setStretch(2, 1)
        said = row(self.value_text, self.record_text, gap=1.5)
        said.setStretch(1, 1)
        self.setLayout(column(line, said, gap=0.5))
        self.setFocusProxy(self.slider)
        self._show()

    def epsilon(self) -> float | None:
        return epsilon_at(self.slider.value())

    def set_epsilon(self, epsilon: float | None) -> None:
        self.slider.blockSignals(True)
        self.slider.setValue(position_of(epsilon))
        self.slider.blockSignals(False)
        self._show()

    def describe(self, unit: str, record: str) -> None:
        """Unit of the method in use ("per bit"), and the record-level sentence."""
        self.unit = unit
        self.record_text.setText(record)
        self._show()

    def _moved(self) -> None:
        self._show()
        self.moved.emit(self.epsilon())
        self._rest.start()

    def _show(self) -> None:
        epsilon = self.epsilon()
        if epsilon is None:
            text = tr("no noise")
        else:
            text = tr("ε = {epsilon} {unit}", epsilon=number(epsilon, 2 if epsilon < 1 else 1), unit=self.unit)
        self.value_text.setText(text)
        self.slider.setAccessibleDescription(f"{text}. {self.record_text.text()}")
        set_tip(self.slider, text)
