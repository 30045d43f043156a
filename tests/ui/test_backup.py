"""The words of the backup do not stay in the clipboard."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from pprl_desktop.ui.panes import backup


def test_copied_words_are_cleared_after_a_while(qtbot, monkeypatch) -> None:
    monkeypatch.setattr(backup, "SHORT", 30)
    board = QApplication.clipboard()
    backup.copy_for_a_while("absurd amulet")
    assert board.text() == "absurd amulet"
    assert board.mimeData().data("x-kde-passwordManagerHint") == b"secret"
    qtbot.waitUntil(lambda: board.text() == "")


def test_what_was_copied_since_stays(qtbot, monkeypatch) -> None:
    monkeypatch.setattr(backup, "SHORT", 30)
    board = QApplication.clipboard()
    backup.copy_for_a_while("absurd amulet")
    board.setText("something else")
    qtbot.wait(100)
    assert board.text() == "something else"
