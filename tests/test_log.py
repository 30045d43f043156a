"""The log says what happened and never to whom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop import log


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Path]:
    log.start(tmp_path)
    yield tmp_path / "pprl-desktop.log"
    log.stop()


def test_whitelisted_fields_are_written(written: Path) -> None:
    log.event("confirmed", step="data", rows=12, seconds=0.25)
    assert '"rows": 12' in written.read_text(encoding="utf-8")


def test_a_personal_value_cannot_be_logged_under_any_name(written: Path) -> None:
    log.event("opened", name="Xylowitzky", step="Xylowitzky", rows="Xylowitzky", path="/home/Xylowitzky/a.csv")
    log.event("Xylowitzky", error="Xylo witzky", place="Xylowitzky.py:3")
    text = written.read_text(encoding="utf-8")
    assert "Xylowitzky" not in text
    assert "withheld" in text


@given(st.text(max_size=30))
def test_free_text_is_withheld_unless_it_is_a_plain_word(text: str) -> None:
    checked = log._checked("step", text)
    assert checked == "withheld" or (checked == text and text.isascii() and " " not in text)
