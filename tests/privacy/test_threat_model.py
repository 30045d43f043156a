"""The help page on who learns what says the same as the statements, and leaves nobody out."""

from __future__ import annotations

import re

import pytest

from pprl_desktop import resources
from pprl_desktop.privacy.statements import ENCRYPTION


@pytest.fixture
def page() -> str:
    return re.sub(r"\s+", " ", resources.find("help", "en", "threat_model.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("who", ["The carrier", "An outsider", "Your partner", "The administrator of this computer"])
def test_everyone_who_could_learn_something_is_named(page: str, who: str) -> None:
    assert f"**{who}" in page


def test_encryption_is_described_in_the_words_of_the_statements(page: str) -> None:
    assert str(ENCRYPTION).removeprefix("The encryption ") in page.replace("**Encryption** ", "")


def test_units_and_limits_are_explained(page: str) -> None:
    for words in (
        "*per bit*",
        "*per edit and distance*",
        "*per query*",
        "*per record*",
        "What nothing protects",
        "lower bound",
    ):
        assert words in page
