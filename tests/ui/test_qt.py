"""What the window needs of its toolkit, so that a new version that breaks it is noticed here."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QLabel

CALLS = 2000


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None cannot die there")
def test_calls_into_qt_give_none_back_with_a_reference_of_its_own(qtbot) -> None:  # type: ignore[no-untyped-def]
    """PySide6 6.12.0 does not: after some thousand calls the interpreter aborts."""
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        label.setText("a")
    assert sys.getrefcount(None) > before - CALLS // 2
