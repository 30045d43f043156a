"""What the steward types into or chooses from, each with its name for the eye and for a screen reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.wheel import wheel_scrolls_the_page
from pprl_desktop.ui.widgets.basics import Button, Words, boxed, button, column, label, row, tool


class _Combo(QComboBox):
    """On Linux a box to choose from is called by its value; what it is for comes from a label beside it alone. Where
    none is seen, an unseen one says it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._said: QLabel | None = None

    def event(self, event: QEvent) -> bool:
        beside = self.parentWidget()
        if event.type() == QEvent.Type.ParentChange and beside is not None:
            self._say_what_for(beside)
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """What has no room ends with dots: cut off between two letters it reads as another word."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self.shown_text()
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def shown_text(self) -> str:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        box, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(box, option, field, self).width()
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room)

    def _say_what_for(self, beside: QWidget) -> None:
        if self._said is not None:
            self._said.deleteLater()
            self._said = None
        if not self.property(LABELLED):
            self._said = QLabel(self.accessibleName(), beside)
            self._said.hide()
            self._said.setBuddy(self)
            self.destroyed.connect(self._said.deleteLater)


LABELLED = "labelled"  # property of a control whose name is to be seen


def combo(
    name: str, entries: Iterable[tuple[str, object]], chosen: Callable[[object], object] | None = None
) -> QComboBox:
    made = _Combo(name)
    wheel_scrolls_the_page(made)
    for text, data in entries:
        made.addItem(text, data)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    made.setMinimumContentsLength(7)
    made.currentTextChanged.connect(lambda text: set_tip(made, text))  # whole, where the box is narrower
    set_tip(made, made.currentText())
    if chosen is not None:
        made.activated.connect(lambda _i: chosen(made.currentData()))
    return made


def spin(name: str, low: int, high: int, value: int = 0, suffix: str = "") -> QSpinBox:
    made = QSpinBox()
    wheel_scrolls_the_page(made)
    made.setAccessibleName(name)
    made.setRange(low, high)
    made.setValue(value)
    made.setSuffix(suffix)
    made.lineEdit().setTextMargins(GRID, 0, 0, 0)  # the style sheet's padding does not reach the text inside
    return made


def pick(made: QComboBox, data: object) -> None:
    """Select by data without telling anyone."""
    made.blockSignals(True)
    made.setCurrentIndex(max(0, made.findData(data)))
    made.blockSignals(False)
    set_tip(made, made.currentText())  # what it said before would be read out beside the new choice


class SecretEdit(QWidget):
    """Masked entry with a show button."""

    def __init__(self, name: str, placeholder: str = "") -> None:
        super().__init__()
        self.edit = QLineEdit()
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.edit.setAccessibleName(name)
        self.edit.setPlaceholderText(placeholder)
        self.show_button = tool("review", tr("Show or hide what is typed"), self._toggle)
        self.show_button.setCheckable(True)
        self.setLayout(row(self.edit, self.show_button, gap=0.5))
        self.setFocusProxy(self.edit)

    def _toggle(self) -> None:
        shown = self.edit.echoMode() == QLineEdit.EchoMode.Password
        self.edit.setEchoMode(QLineEdit.EchoMode.Normal if shown else QLineEdit.EchoMode.Password)

    def text(self) -> str:
        return self.edit.text()

    def clear(self) -> None:
        self.edit.clear()


def labelled(text: str, control: QWidget, note: str = "") -> QVBoxLayout:
    """A control with its name above and a sentence below; the name is the control's buddy."""
    name = label(text, "strong")
    name.setBuddy(control.focusProxy() or control)
    control.setProperty(LABELLED, True)
    if not control.accessibleName() and control.focusProxy() is None:
        control.setAccessibleName(text.replace("&", ""))
    made = column(name, control, gap=0.5)
    if note:
        made.addWidget(label(note, "small"))
    return made


class _OnEnter(QObject):
    def __init__(self, edit: QLineEdit, act: Callable[[], object]) -> None:
        super().__init__(edit)
        self._act = act
        edit.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress:
            return False
        key: QKeyEvent = event  # type: ignore[assignment]
        plain = not key.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or not plain:
            return False
        self._act()
        return True


def on_enter(edit: QLineEdit, act: Callable[[], object]) -> None:
    """Enter in this line does this and nothing else: after it the line may be gone, and the key, were it passed on as
    by the signal of the line, would press whatever got the focus."""
    _OnEnter(edit, act)


def tab_order(*widgets: QWidget) -> None:
    """Tab goes through them in this order; for widgets made later than their neighbours."""
    for one, following in pairwise(widgets):
        QWidget.setTabOrder(one, following)


def check_line(box: QCheckBox, text: str) -> QWidget:
    """A check box whose text may take several lines; a click on the text counts."""
    box.setText("")
    box.setProperty("bare", True)
    box.setAccessibleName(text)
    words = _Clickable(text, box)
    made = row(box, words, gap=0.5)
    made.setStretch(1, 1)
    made.setAlignment(box, Qt.AlignmentFlag.AlignTop)
    return boxed(made)


class _Clickable(Words):
    def __init__(self, text: str, box: QCheckBox) -> None:
        super().__init__(text)
        self.setWordWrap(True)
        self._box = box

    def mousePressEvent(self, _event: QMouseEvent) -> None:
        if self._box.isEnabled():
            self._box.setFocus(Qt.FocusReason.MouseFocusReason)
            self._box.click()


def ending(take: Button, leave: Callable[[], object]) -> QHBoxLayout:
    """The last line of a dialog: to leave it, and the one button that Enter presses."""
    take.setDefault(True)
    take.press_by_enter(True)
    return row(None, button(tr("Cancel"), leave), take)
