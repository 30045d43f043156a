"""Gates and reviews for the tests of this room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pprl_desktop.exchange.passphrase import Cost
from pprl_desktop.review import sealing
from pprl_desktop.review.gate import Gate
from pprl_desktop.review.ledger import Ledger
from pprl_desktop.review.plan import Review
from tests.review.people import KEY


@pytest.fixture
def make_gate(tmp_path: Path) -> Iterator[Callable[[Review], Gate]]:
    opened: list[Ledger] = []

    def make(review: Review) -> Gate:
        ledger = Ledger.create(tmp_path / f"ledger{len(opened)}.db", KEY, review.fingerprint(), "anna")
        opened.append(ledger)
        return Gate(review, ledger, "anna")

    yield make
    for ledger in opened:
        ledger.close()


@pytest.fixture(autouse=True)
def _quick_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    """How slow a passphrase is to guess is not what these tests measure."""
    monkeypatch.setattr(sealing, "COST", Cost(memory=8, passes=1, lanes=1))
