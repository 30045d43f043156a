"""A small dialog that asks for a few words; its button says what happens with them."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QLineEdit, QPlainTextEdit, QWidget

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.widgets.basics import button, column
from pprl_desktop.ui.widgets.inputs import ending, labelled


def ask_words(parent: QWidget, title: str, what: str, act: str, *, text: str = "", lines: int = 1) -> str | None:
    """What was typed, or None where the steward left; `act` is a verb: what the button does."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(title)
    edit: QLineEdit | QPlainTextEdit
    if lines > 1:
        edit = QPlainTextEdit(text)
        edit.setTabChangesFocus(True)
        edit.setMinimumHeight(lines * (theme.px() + 6))
    else:
        edit = QLineEdit(text)
        edit.selectAll()
    take = button(act, dialog.accept, kind="primary")
    dialog.setLayout(column(labelled(what, edit), ending(take, dialog.reject), gap=2, margin=3))
    dialog.setMinimumWidth(round(420 * theme.zoom()))
    edit.setFocus()
    try:
        if dialog.exec() != QDialog.DialogCode.Accepted:
            return None
        return edit.toPlainText() if isinstance(edit, QPlainTextEdit) else edit.text()
    finally:
        dialog.deleteLater()
