"""On the way to a match everything is made once: the table read, cleaned, smashed; the partner's bundle decrypted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.benchmarks.once import walk


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counter[str]]:
    return walk(tmp_path_factory.mktemp("once"))


def test_the_own_table_is_read_cleaned_and_smashed_once(pages: dict[str, Counter[str]]) -> None:
    together = sum(pages.values(), Counter[str]())
    assert (together["reads"], together["cleanings"], together["smashes"]) == (1, 1, 1)


def test_the_page_of_matches_learns_and_looks_ahead_once(pages: dict[str, Counter[str]]) -> None:
    found = pages["matches"]
    assert (found["learnings"], found["outlooks"]) == (1, 1)


def test_a_bundle_is_decrypted_once_and_checked_as_a_whole_when_it_comes(pages: dict[str, Counter[str]]) -> None:
    assert pages["open the partner's"]["decryptions"] == 1
    assert sum(pages.values(), Counter[str]())["decryptions"] == 1


def test_an_agreement_is_never_old_in_a_hand(tmp_path: Path) -> None:
    """What the partner's answer changes is seen by a Partnership that was made before it came."""
    from pprl_desktop.job import demo
    from pprl_desktop.job.offers import offer_of
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.progress import NO_PROGRESS

    (tmp_path / "post").mkdir()
    a, b = (demo._party(tmp_path, side, NO_PROGRESS) for side in (0, 1))
    with a.project, b.project:
        demo._exchange_cards(a, b, tmp_path)
        assert a.contact is not None
        proposal, answer = tmp_path / "post" / "p.pprl", tmp_path / "post" / "a.pprl"
        proposed = Partnership.propose(a.home, a.own, a.contact.id, offer_of(a.choices), proposal)
        assert proposed.agreement.state == "proposed"
        received = Partnership.open(b.home, b.own, proposal)
        assert received.proposal is not None
        Partnership.accept(b.home, b.own, received.proposal, answer)
        Partnership.open(a.home, a.own, answer)
        assert proposed.agreement.state == "in force"


def test_what_unpacks_to_far_more_than_it_is_is_not_held_before_it_is_known_to_be_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is run through in pieces when it comes, and decrypted again for the match."""
    from pprl_desktop.exchange import letters

    monkeypatch.setattr(letters, "PACKED_TIMES", 0)
    pages = walk(tmp_path)
    assert (pages["open the partner's"]["decryptions"], pages["matches"]["decryptions"]) == (1, 1)
