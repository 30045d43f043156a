"""A new key: announced under the old one, proved by the new one, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pprl_desktop.exchange import (
    agreeing,
    bundles,
    card,
    contacts,
    inbox,
    key_change,
    letters,
    seal,
)
from pprl_desktop.exchange.disclosures import CLEAR, PlannedDisclosure, clear_records
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem

from .conftest import CHEAP, PASSPHRASE, Party, Scene, everything, introduce, offer, people


def test_a_key_change_is_signed_with_the_old_key(scene: Scene) -> None:
    a, b = scene.a, scene.b
    changed = a.home.change_key(a.own, PASSPHRASE, CHEAP)
    assert a.home.unlock(PASSPHRASE) == changed
    assert changed.former == (a.own.keys,)
    key_change.announce(a.home, changed, a.partner, scene.folder / "k.pprl")
    received = inbox.open_file(b.home, b.own, scene.folder / "k.pprl")
    assert received.kind == "key_change"
    old, new_ = sorted(b.home.contacts(), key=lambda one: one.state == "unverified")
    assert (old.state, new_.state) == ("withdrawn", "unverified")
    assert new_.card == changed.card()
    assert [agreement.state for agreement in b.home.agreements()] == ["ended"]
    before = everything(b.home.path)
    for path in (scene.folder / "k.pprl", scene.bundle):
        with pytest.raises(Problem, match="not from the partner"):
            inbox.open_file(b.home, b.own, path)
    assert everything(b.home.path) == before


def test_after_a_key_change_the_old_agreement_is_over(scene: Scene) -> None:
    own = scene.a.home.change_key(scene.a.own, PASSPHRASE, CHEAP)
    with pytest.raises(Problem, match="key you have changed"):
        bundles.export(Signatory(scene.a.home, own, scene.a.agreement.id), people(0, 60), scene.folder / "x.pprl")


def renewed(scene: Scene) -> tuple[Party, Party]:
    """B has changed its key; A was told, compared the new safety number, and both may agree anew."""
    b = Party(scene.b.home, scene.b.home.change_key(scene.b.own, PASSPHRASE, CHEAP))
    key_change.announce(b.home, b.own, b.partner, scene.folder / "k.pprl")
    inbox.open_file(scene.a.home, scene.a.own, scene.folder / "k.pprl")
    made = next(one for one in scene.a.home.contacts() if one.state == "unverified")
    number = contacts.number_with(scene.a.own.card(), made).as_text()
    scene.a.home.keep_contact(contacts.verified(made, scene.a.own.card(), number))
    return scene.a, b


def test_a_partner_with_a_new_key_has_what_it_got_under_the_old_one(scene: Scene) -> None:
    """Otherwise a key change, which is the partner's to make, would begin its sums and limits anew."""
    a, b = renewed(scene)
    contact = next(one for one in a.home.contacts() if one.state == "verified")
    agreeing.propose(a.home, a.own, contact, offer(), scene.folder / "proposal.pprl")
    proposal = agreeing.read_proposal(b.home, b.own, scene.folder / "proposal.pprl")
    agreed = agreeing.accept(b.home, b.own, proposal, scene.folder / "answer.pprl")
    inbox.open_file(a.home, a.own, scene.folder / "answer.pprl")
    planned = bundles.plan(Signatory(a.home, a.own, agreed.id), people(0, 60))
    assert len(planned.outlook.overlapping) == 1
    assert planned.outlook.others == 0
    ledger = a.home.ledger(a.own)
    for old in a.home.contacts():  # cells in clear: the organisation's limit is per partner, not per key
        sign, known = old.card.party.sign, len(ledger.disclosures())
        ledger.disclose(PlannedDisclosure(CLEAR, sign, agreed.id, f"{known:064x}", 5, fresh=5))
    assert clear_records(ledger.disclosures(), contact.card.party.sign, organisation=ledger.organisation()) == 10
    ledger.set_limit("clear records", 12)
    with pytest.raises(Problem, match="at most 12 records in clear"):
        ledger.disclose(PlannedDisclosure(CLEAR, contact.card.party.sign, agreed.id, "f" * 64, 5, fresh=5))


def test_there_must_be_a_change_to_announce(scene: Scene) -> None:
    with pytest.raises(Problem, match="never changed"):
        key_change.announce(scene.a.home, scene.a.own, scene.a.partner, scene.folder / "k.pprl")


def test_an_announcement_of_the_old_card_is_refused(scene: Scene) -> None:
    own = replace(scene.a.own, former=(scene.a.own.keys,))
    key_change.announce(scene.a.home, own, scene.a.partner, scene.folder / "k.pprl")
    with pytest.raises(Problem, match="old card"):
        inbox.open_file(scene.b.home, scene.b.own, scene.folder / "k.pprl")


def key_change_with(scene: Scene, card_bytes: bytes, proof: bytes) -> Path:
    """From A to B, signed with A's key, whatever it says."""
    made = letters.manifest(
        scene.a.own, scene.a.partner, "key_change", body={"card": card_bytes.decode(), "proof": proof.hex()}
    )
    seal.seal(scene.folder / "k.pprl", made, {}, scene.a.own.keys, scene.b.own.keys.public())
    return scene.folder / "k.pprl"


def proof_by(keys: Keys, scene: Scene) -> bytes:
    """By these keys, that they replace A's."""
    parties = (one.public().party for one in (scene.a.own.keys, keys, scene.b.own.keys))
    return keys.sign(key_change._proved(*parties))


def test_a_key_change_names_nobody_elses_card(scene: Scene, strangers: Callable[[str], Party]) -> None:
    """Not that of another contact, not our own, not one that was withdrawn, not a stranger's."""
    third, gone, stranger = strangers("Third"), strangers("Gone"), strangers("General Hospital")
    introduce(scene.b, third)
    introduce(scene.b, gone)
    scene.b.home.keep_contact(scene.b.home.contact("Gone").with_state("withdrawn", "lost"))
    before = everything(scene.b.home.path)
    for other, word in ((third, "known already"), (scene.b, "known already"), (gone, "known already")):
        path = key_change_with(scene, other.home.own_card_bytes(), proof_by(other.own.keys, scene))
        with pytest.raises(Problem, match=word):
            inbox.open_file(scene.b.home, scene.b.own, path)
    path = key_change_with(scene, stranger.home.own_card_bytes(), proof_by(scene.a.own.keys, scene))
    with pytest.raises(Problem, match="did not sign"):
        inbox.open_file(scene.b.home, scene.b.own, path)
    assert everything(scene.b.home.path) == before


def test_a_key_change_for_another_recipient_or_old_key_proves_nothing(scene: Scene) -> None:
    new_ = Keys.new()
    for old, to in ((scene.b, scene.b), (scene.a, scene.a)):
        parties = (one.public().party for one in (old.own.keys, new_, to.own.keys))
        proof = new_.sign(key_change._proved(*parties))
        path = key_change_with(scene, card.write(new_, "General Hospital"), proof)
        with pytest.raises(Problem, match="did not sign"):
            inbox.open_file(scene.b.home, scene.b.own, path)


def test_a_key_change_with_another_key_to_seal_to_than_the_proof_names_is_refused(scene: Scene) -> None:
    """Both signatures by the new key must name the same keys: that of the card and that of the proof."""
    new_ = Keys.new()
    other = Keys(new_.sign_seed, Keys.new().seal_seed)
    path = key_change_with(scene, card.write(other, "General Hospital"), proof_by(new_, scene))
    with pytest.raises(Problem, match="did not sign"):
        inbox.open_file(scene.b.home, scene.b.own, path)


def test_a_key_change_changes_the_key_only(scene: Scene) -> None:
    new_ = Keys.new()
    path = key_change_with(scene, card.write(new_, "University Hospital"), proof_by(new_, scene))
    with pytest.raises(Problem, match="another name"):
        inbox.open_file(scene.b.home, scene.b.own, path)


def test_a_key_change_of_an_unverified_contact_is_refused(scene: Scene) -> None:
    scene.b.home.keep_contact(scene.b.partner.with_state("unverified"))
    changed = scene.a.home.change_key(scene.a.own, PASSPHRASE, CHEAP)
    key_change.announce(scene.a.home, changed, scene.a.partner, scene.folder / "k.pprl")
    before = everything(scene.b.home.path)
    with pytest.raises(Problem, match="not verified"):
        inbox.open_file(scene.b.home, scene.b.own, scene.folder / "k.pprl")
    assert everything(scene.b.home.path) == before
