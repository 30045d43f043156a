"""Agreements: proposed, read in plain words, accepted or declined, signed by both; the document is strict."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pprl_desktop.codes.base import Settings, method
from pprl_desktop.exchange import agreeing, contacts, inbox, letters, seal, strict, terms, terms_words
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.terms import Limits, Terms
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field

from .conftest import FIELDS, Party, Scene, agree, everything, introduce, offer
from .test_refusals import refused, reseal, signed


@pytest.fixture
def proposed(scene: Scene) -> Path:
    """A second proposal from A to B, not answered yet."""
    agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, offer(), scene.folder / "p.pprl")
    return scene.folder / "p.pprl"


def propose(scene: Scene, wanted: agreeing.Offer) -> Agreement:
    return agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, wanted, scene.folder / "p.pprl")


def newest(party: Party) -> Agreement:
    return next(agreement for agreement in reversed(party.home.agreements()) if agreement.state == "proposed")


def test_a_proposal_is_accepted_and_signed_by_both(scene: Scene, proposed: Path) -> None:
    proposal = agreeing.read_proposal(scene.b.home, scene.b.own, proposed)
    agreement = agreeing.accept(scene.b.home, scene.b.own, proposal, scene.folder / "answer.pprl")
    assert agreement.state == "in force"
    received = inbox.open_file(scene.a.home, scene.a.own, scene.folder / "answer.pprl")
    mine = scene.a.home.agreement(agreement.id)
    assert received.kind == "accepted"
    assert (mine.state, mine.document) == ("in force", agreement.document)
    assert mine.partner_signature == agreement.own_signature
    assert mine.own_signature == agreement.partner_signature
    message = terms.SIGN_CONTEXT + agreement.document
    assert scene.a.own.keys.public().verify(bytes.fromhex(mine.own_signature), message)
    assert scene.b.own.keys.public().verify(bytes.fromhex(mine.partner_signature), message)
    recipes = [agreeing.recipe_of(one.signed(agreement.id)) for one in (scene.a, scene.b)]
    assert recipes[0] == recipes[1]
    assert len(recipes[0].secret) == 32


def test_every_agreement_has_its_own_secret(scene: Scene, proposed: Path) -> None:
    secrets = {agreeing.recipe_of(scene.a.signed(agreement.id)).secret for agreement in scene.a.home.agreements()}
    assert len(secrets) == 2
    for secret in secrets:
        for content in everything(scene.a.home.path).values():
            assert secret not in content
            assert secret.hex().encode() not in content


def test_a_proposal_can_be_declined_with_a_reason(scene: Scene, proposed: Path) -> None:
    proposal = agreeing.read_proposal(scene.b.home, scene.b.own, proposed)
    with pytest.raises(Problem, match="reason is needed"):
        agreeing.decline(scene.b.home, scene.b.own, proposal, "  ", scene.folder / "no.pprl")
    agreeing.decline(scene.b.home, scene.b.own, proposal, "Please without the date of birth.", scene.folder / "no.pprl")
    received = inbox.open_file(scene.a.home, scene.a.own, scene.folder / "no.pprl")
    assert received.kind == "declined"
    assert "without the date of birth" in str(received.sentence)
    with pytest.raises(Problem, match="was declined"):
        scene.a.home.agreement(received.agreement.id if received.agreement else "").must_be_in_force()
    with pytest.raises(Problem, match="already imported"):
        agreeing.accept(scene.b.home, scene.b.own, proposal, scene.folder / "yes.pprl")
    with pytest.raises(Problem, match="already imported"):
        inbox.open_file(scene.a.home, scene.a.own, scene.folder / "no.pprl")


def test_an_answer_can_be_written_again(scene: Scene, proposed: Path) -> None:
    proposal = agreeing.read_proposal(scene.b.home, scene.b.own, proposed)
    with pytest.raises(Problem, match="not found"):
        agreeing.accept(scene.b.home, scene.b.own, proposal, scene.folder / "missing" / "x.pprl")
    agreeing.accept(scene.b.home, scene.b.own, proposal, scene.folder / "one.pprl")
    agreeing.accept(scene.b.home, scene.b.own, proposal, scene.folder / "two.pprl")
    assert (scene.folder / "one.pprl").read_bytes() == (scene.folder / "two.pprl").read_bytes()


def test_a_proposal_that_cannot_be_written_was_never_made(scene: Scene) -> None:
    before = everything(scene.a.home.path)
    with pytest.raises(Problem):
        agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, offer(), scene.folder / "missing" / "p.pprl")
    assert everything(scene.a.home.path) == before


def test_opening_a_proposal_keeps_nothing(scene: Scene, proposed: Path) -> None:
    before = everything(scene.b.home.path)
    received = inbox.open_file(scene.b.home, scene.b.own, proposed)
    assert received.kind == "proposal"
    assert received.proposal is not None
    assert everything(scene.b.home.path) == before
    agreeing.accept(scene.b.home, scene.b.own, received.proposal, scene.folder / "x.pprl")
    with pytest.raises(Problem, match="already imported"):
        inbox.open_file(scene.b.home, scene.b.own, proposed)


def test_nothing_is_proposed_to_an_unverified_contact(scene: Scene, strangers: Callable[[str], Party]) -> None:
    other = strangers("Other")
    introduce(scene.a, other, verify=False)
    with pytest.raises(Problem, match="not verified"):
        agreeing.propose(scene.a.home, scene.a.own, scene.a.home.contact("Other"), offer(), scene.folder / "p.pprl")
    assert not (scene.folder / "p.pprl").exists()


def test_plain_words_say_what_was_agreed(scene: Scene) -> None:
    text = "\n".join(map(str, terms_words.in_words(scene.a.agreement.terms)))
    words = [
        "General Hospital proposes to Cancer Registry", "first_name", "born (Date)", "Bloom filter", "no noise",
        "1,000 rows", 'Purpose, in the words of General Hospital: "a test"', "linked only if both sides accept",
        "Each side maps its own columns",
    ]  # fmt: skip
    for word in words:
        assert word in text


def test_an_epsilon_never_stands_without_its_unit(scene: Scene) -> None:
    wanted = offer(settings=replace(method("bloom").defaults(), epsilon=2.5))
    agreement = agree(scene.a, scene.b, scene.folder, wanted)
    assert agreement.terms.epsilon == "2.5"
    assert "epsilon 2.5 per bit" in "\n".join(map(str, terms_words.in_words(agreement.terms)))


@pytest.mark.parametrize("name", ["us-200", "secret-200"])
def test_reference_sets_are_agreed_by_fingerprint(scene: Scene, name: str) -> None:
    wanted = offer(method="split", settings=method("split").defaults(), reference=name)
    agreement = agree(scene.a, scene.b, scene.folder, wanted)
    recipes = [agreeing.recipe_of(one.signed(agreement.id)) for one in (scene.a, scene.b)]
    assert recipes[0].reference is not None
    assert recipes[0].reference == recipes[1].reference
    assert agreement.terms.reference.fingerprint == recipes[0].reference.fingerprint


def test_a_reference_set_from_a_file_travels_with_the_proposal(scene: Scene) -> None:
    path = scene.folder / "own set.csv"
    path.write_text("first,last\n" + "".join(f"NAME{a}X,OTHER{a * 7}Y\n" for a in range(60)))
    wanted = offer(method="split", settings=method("split").defaults(), reference=str(path))
    wanted = replace(wanted, mapping=tuple((one.name, ("first", "last")) for one in FIELDS))
    agreement = agree(scene.a, scene.b, scene.folder, wanted)
    path.unlink()
    recipes = [agreeing.recipe_of(one.signed(agreement.id)) for one in (scene.a, scene.b)]
    assert recipes[0] == recipes[1]
    assert recipes[0].reference is not None
    assert recipes[0].reference.size == 60


def test_methods_on_clear_tables_cannot_be_agreed_on(scene: Scene) -> None:
    with pytest.raises(Problem, match="cannot be agreed on"):
        agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, offer(method="plain"), scene.folder / "p")


def test_decoys_and_the_rule_either_do_not_go_together(scene: Scene) -> None:
    wanted = offer(rule="either", settings=replace(method("bloom").defaults(), decoys=5))
    with pytest.raises(Problem, match="do not go together"):
        agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, wanted, scene.folder / "p")


# ---- the document


def document(scene: Scene) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scene.a.agreement.document)
    return found


def test_the_document_reads_back_as_itself(scene: Scene) -> None:
    found = scene.a.agreement.terms
    assert terms.parse(found.document()) == found
    assert found.id == scene.a.agreement.id


@pytest.mark.parametrize("setting", [one.name for one in fields(Settings)])
def test_every_setting_of_the_methods_survives(scene: Scene, setting: str) -> None:
    """A knob added to the methods later is part of the agreement without a change here."""
    changed: dict[str, object] = {
        "decision": "threshold", "layout": "record", "kernel": "rbf", "epsilon": 0.1, "noise": "two-sided",
        "bits": 512, "direction": "many-to-one", "decoys": 7, "balanced": True, "fold": 1, "salt_field": "born",
    }  # fmt: skip
    if setting in changed:
        settings = replace(Settings(), **{setting: changed[setting]})  # type: ignore[arg-type]
        assert terms.from_plain(Settings, terms.to_plain(settings), "") == settings
    assert terms.from_plain(Settings, terms.to_plain(Settings()), "") == Settings()


def set_at(*path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(plain: dict[str, Any]) -> None:
        node = plain
        for key in path[:-1]:
            node = node[key if not key.isdigit() else int(key)]  # type: ignore[index]
        node[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (set_at("format", value="other"), "malformed: agreement"),
        (set_at("version", value=terms.VERSION + 1), "newer version"),
        (set_at("method", value="magic"), "malformed: method"),
        (set_at("settings", "epsilon", value="NaN"), "settings.epsilon"),
        (set_at("settings", "epsilon", value="inf"), "settings.epsilon"),
        (set_at("settings", "epsilon", value="2.50"), "settings.epsilon"),
        (set_at("settings", "epsilon", value="x"), "settings.epsilon"),
        (set_at("settings", "bits", value="1024"), "settings.bits"),
        (set_at("settings", "direction", value="many"), "settings.direction"),
        (set_at("settings", "one_to_one", value=1), "settings.unknown entry"),
        (set_at("fields", "0", "derived", value=["nobody"]), "fields.derived"),
        (set_at("settings", "layout", value="diagonal"), "settings.layout"),
        (set_at("settings", "surprise", value=1), "settings.unknown entry"),
        (set_at("limits", "rows", value=0), "limits.rows"),
        (set_at("rule", value="mine"), "malformed: rule"),
        (set_at("fields", value=[]), "malformed: fields"),
        (set_at("fields", "0", "kind", value="blob"), "fields.kind"),
        (set_at("fields", "0", "name", value="\u202e"), "fields.name"),
        (set_at("fields", "0", "cleaning", "case", value="lower"), "cleaning.case"),
        (set_at("fields", "1", "name", value="first_name"), "names a field twice"),
        (set_at("reference", "name", value="us-200"), "reference.fingerprint"),
        (set_at("mapping", value=[{"field": "x", "attributes": [1]}]), "mapping.attributes"),
        (set_at("secret", value="00"), "malformed: secret"),
        (set_at("proposer", "sign", value="xyz"), "proposer.sign"),
        (set_at("purpose", value="x" * 501), "malformed: purpose"),
    ],
)
def test_a_document_with_a_fault_names_the_field(
    scene: Scene, change: Callable[[dict[str, Any]], None], word: str
) -> None:
    plain = document(scene)
    change(plain)
    with pytest.raises(Problem, match=word.replace(".", r"\.")):
        terms.parse(strict.dumps(plain))


def forged(scene: Scene, proposed: Path, change: Callable[[dict[str, Any], dict[str, np.ndarray]], None]) -> Path:
    """A proposal that A itself made wrongly: body and arrays changed, everything signed."""
    opened = seal.open_sealed(proposed, [scene.b.own.keys], [scene.a.own.keys.public().sign])
    body, arrays = json.loads(json.dumps(opened.manifest.body)), opened.load()
    change(body, arrays)
    found = terms.agreement_id(body["document"].encode()) if isinstance(body.get("document"), str) else "00" * 32
    manifest = replace(opened.manifest, body=body, agreement=body.pop("agreement", found))
    seal.seal(scene.folder / "forged.pprl", manifest, arrays, scene.a.own.keys, scene.b.own.keys.public())
    return scene.folder / "forged.pprl"


def resign(scene: Scene, body: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> None:
    plain = json.loads(body["document"])
    change(plain)
    body["document"] = strict.dumps(plain).decode()
    body["signature"] = scene.a.own.keys.sign(terms.SIGN_CONTEXT + body["document"].encode()).hex()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("signature", "body.signature"), ("agreement", "number does not belong"), ("parties", "names other keys"),
        ("secret", "malformed: secret"), ("short secret", "secret of 32 bytes"), ("extra", "nothing unknown"),
        ("no secret", "entries.secret"), ("unknown", "body.unknown entry"), ("plain", "never leaves this computer"),
        ("either", "do not go together"), ("reference", "do not go together"), ("settings", "layout"),
        ("huge", "too large"),
    ],
)  # fmt: skip
def test_a_wrong_proposal_is_refused(scene: Scene, proposed: Path, name: str, word: str) -> None:
    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        if name == "signature":
            body["signature"] = "00" * 64
        elif name == "agreement":
            body["agreement"] = "ab" * 32
        elif name == "parties":
            resign(scene, body, set_at("accepter", "seal", value="00" * 32))
        elif name == "secret":
            arrays["secret"] = np.zeros(32, np.uint8)
        elif name == "short secret":
            arrays["secret"] = np.zeros(31, np.uint8)
        elif name == "extra":
            arrays["more"] = np.zeros(3, np.uint8)
        elif name == "no secret":
            del arrays["secret"]
        elif name == "unknown":
            body["more"] = "x"
        elif name == "plain":
            resign(scene, body, set_at("method", value="plain"))
        elif name == "either":
            resign(
                scene,
                body,
                lambda plain: (set_at("rule", value="either")(plain), set_at("settings", "decoys", value=3)(plain)),
            )  # type: ignore[func-returns-value]
        elif name == "reference":
            resign(scene, body, set_at("method", value="split"))
        elif name == "settings":
            resign(scene, body, set_at("settings", "bits", value=7))
        else:
            arrays["reference"] = np.zeros((65 << 20,), np.uint8)

    path = forged(scene, proposed, change)
    if name == "settings":
        word = ""
    with refused(scene, word):
        inbox.open_file(scene.b.home, scene.b.own, path)


def test_a_reference_set_that_is_not_the_agreed_one_is_refused(scene: Scene) -> None:
    wanted = offer(method="split", settings=method("split").defaults(), reference="us-200")
    agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, wanted, scene.folder / "r.pprl")

    def other(value: object, *path: str) -> Path:
        return forged(scene, scene.folder / "r.pprl", lambda body, _: resign(scene, body, set_at(*path, value=value)))

    for path in (other("ab" * 32, "reference", "fingerprint"), other("us-2000", "reference", "name")):
        with refused(scene, "reference.fingerprint"):
            inbox.open_file(scene.b.home, scene.b.own, path)
    with refused(scene, "was not sent along"):
        inbox.open_file(scene.b.home, scene.b.own, other("/etc/passwd", "reference", "name"))


@pytest.mark.parametrize(
    "sent", [b"{}", b"x", b'{"attributes":["a"],"columns":[["x"],["y"]]}', b'{"attributes":["a"],"columns":[[1]]}']
)
def test_a_wrong_reference_set_sent_along_is_refused(scene: Scene, sent: bytes) -> None:
    wanted = offer(method="split", settings=method("split").defaults(), reference="us-200")
    agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, wanted, scene.folder / "r.pprl")
    path = forged(
        scene, scene.folder / "r.pprl", lambda _, arrays: arrays.update(reference=np.frombuffer(sent, np.uint8))
    )
    with refused(scene, "reference"):
        inbox.open_file(scene.b.home, scene.b.own, path)


# ---- answers


def answer(scene: Scene, proposed: Path, body: dict[str, Any], sender: Party | None = None, agreed: str = "") -> Path:
    sender = sender or scene.b
    contact = contacts.new(scene.a.home.own_card_bytes())
    manifest = letters.manifest(sender.own, contact, "agreement", agreement=agreed or newest(scene.a).id, body=body)
    seal.seal(scene.folder / "answer.pprl", manifest, {}, sender.own.keys, scene.a.own.keys.public())
    return scene.folder / "answer.pprl"


def test_wrong_answers_are_refused(scene: Scene, proposed: Path, strangers: Callable[[str], Party]) -> None:
    document_ = newest(scene.a).document.decode()
    third = strangers("Third")
    introduce(scene.a, third)
    other = third.own.keys.sign(terms.SIGN_CONTEXT + document_.encode()).hex()
    cases: list[tuple[dict[str, Any], str, Party | None, str]] = [
        ({"step": "accept", "document": document_, "signature": "00" * 64}, "body.signature", None, ""),
        ({"step": "accept", "document": document_ + " ", "signature": other}, "another text", None, ""),
        ({"step": "maybe"}, "body.step", None, ""),
        ({"step": "decline", "reason": "x" * 501}, "body.reason", None, ""),
        ({"step": "decline", "reason": "x"}, "another agreement", None, "ab" * 32),
        ({"step": "accept", "document": document_, "signature": other}, "not from the partner", third, ""),
    ]
    before = everything(scene.a.home.path)
    for body, word, sender, agreed in cases:
        with pytest.raises(Problem, match=word.replace(".", r"\.")):
            inbox.open_file(scene.a.home, scene.a.own, answer(scene, proposed, body, sender, agreed))
        assert everything(scene.a.home.path) == before


def test_a_proposal_is_not_a_bundle_and_a_bundle_not_a_proposal(scene: Scene) -> None:
    with pytest.raises(Problem, match="not a proposal"):
        agreeing.read_proposal(scene.b.home, scene.b.own, scene.bundle)


def test_columns_are_remembered_and_checked(scene: Scene) -> None:
    agreement = agreeing.with_columns(scene.a.home, scene.a.agreement, {"born": "Geburtsdatum"})
    assert dict(agreement.columns) == {"first_name": "first_name", "last_name": "last_name", "born": "Geburtsdatum"}
    assert scene.a.agreement == agreement
    assert agreeing.with_columns(scene.a.home, agreement, {}) == agreement
    with pytest.raises(Problem, match="no field 'age'"):
        agreeing.with_columns(scene.a.home, agreement, {"age": "x"})


def test_agreements_are_found_by_the_beginning_of_their_id(scene: Scene, proposed: Path) -> None:
    assert scene.a.home.agreement().state == "in force"
    first = scene.a.home.agreements()[0]
    assert scene.a.home.agreement(first.id[:10]) == first
    with pytest.raises(Problem, match="no such agreement"):
        scene.a.home.agreement("zzzz")
    agree(scene.a, scene.b, scene.folder)
    with pytest.raises(Problem, match="Several agreements"):
        scene.a.home.agreement()


def test_differences_between_two_versions_are_named(scene: Scene) -> None:
    one = scene.a.agreement.terms
    other: Terms = replace(one, rule="either", limits=Limits(5, 5), fields=(Field.of("x"),), made="now")
    assert terms.offered(one, other) == ("fields", "limits", "rule")


def test_garbage_signed_by_the_partner_is_refused(scene: Scene) -> None:
    for manifest in (b"{}", b"[]", b"null"):
        path = reseal(scene.folder / "x", signed(scene.a.own.keys, manifest), scene.b)
        with refused(scene, "malformed"):
            inbox.open_file(scene.b.home, scene.b.own, path)


def test_the_most_that_may_leave_in_clear_is_signed_and_only_where_a_review_is_agreed(scene: Scene) -> None:
    agreed = propose(scene, offer(rule="review", limits=Limits(1000, 16, clear=8))).terms
    assert terms.parse(agreed.document()).limits.clear == 8
    assert agreed.limits.clear_records(250) == 20
    assert "at most 8 of 100 records" in " ".join(map(str, terms_words.in_words(agreed)))
    for rule in ("both", "either"):
        plain = propose(scene, offer(rule=rule)).terms
        assert plain.limits.clear == 0
        assert "No cell of a record may be sent in clear" in " ".join(map(str, terms_words.in_words(plain)))
    forged = agreed.document().replace(b'"rule":"review"', b'"rule":"both"')
    with pytest.raises(Problem, match="clear_percent"):
        terms.parse(forged)


def test_an_agreement_signed_before_there_was_a_maximum_reads_as_it_was_signed(scene: Scene) -> None:
    now = propose(scene, offer(rule="review")).terms.document()
    older = now.replace(b'"clear_percent":5,', b"").replace(b'"version":2', b'"version":1')
    older = older.replace(b'"seal":"hybrid",', b"").replace(b'"derived":[],', b"")
    older = older.replace(b'"recode":"keep",', b"")
    older = older.replace(b'"direction":"one-to-one",', b"")
    older = older.replace(b'"noise":"one-sided",', b'"noise":"one-sided","one_to_one":1,')
    read = terms.parse(older)
    assert read.document() == older
    assert read.settings.direction == "one-to-one"
    free = terms.parse(older.replace(b'"one_to_one":1', b'"one_to_one":0'))
    assert free.settings.direction == "many-to-many"
    assert read.limits.clear == terms.DEFAULT_CLEAR
    assert "names no maximum" in " ".join(map(str, terms_words.in_words(read)))


def test_the_share_of_repeated_people_is_signed_and_said(scene: Scene) -> None:
    agreed = propose(scene, offer(repeats=0.0123)).terms
    assert agreed.repeats == 12
    assert "of 1,000 records of its table 12 repeat a person" in " ".join(map(str, terms_words.in_words(agreed)))
    assert terms.parse(agreed.document()) == agreed
    assert propose(scene, offer()).terms.repeats is None
    with pytest.raises(Problem, match="repeats"):
        terms.parse(agreed.document().replace(b'"repeats":12', b'"repeats":1200'))


def test_a_signatory_sees_what_happened_since_it_was_made(scene: Scene) -> None:
    signatory = scene.b.signed()
    before = signatory.agreement
    assert not before.received
    inbox.open_file(scene.b.home, scene.b.own, scene.bundle)
    assert [item.kind for item in signatory.agreement.received] == ["data"]
    assert not before.received, "what was read before is a value and stays as it was"


def test_a_record_in_the_folder_of_another_agreement_is_not_taken_for_it(scene: Scene) -> None:
    home, id = scene.a.home, scene.a.agreement.id
    other = "0" * 64
    shutil.copytree(home.folder(id), home.folder(other))
    with pytest.raises(Problem, match="no such agreement"):
        home.agreement(other)
