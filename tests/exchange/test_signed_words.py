"""What is signed is what this program computed; the partner's own words are one line, in marks, and never ours."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pprl_desktop.cli import harmless
from pprl_desktop.codes.base import method
from pprl_desktop.exchange import agreeing, bundles, inbox, letters, seal, strict, terms, terms_words
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.problem import Problem

from .conftest import Scene, agree, everything, export, offer, people
from .test_agreement import forged, newest, resign, set_at
from .test_refusals import open_at_b, refused, reseal, resigned, signed

ESCAPE = "\x1b[2K\x1b[1A\x1b[32mAll checks passed"


@pytest.fixture
def proposed(scene: Scene) -> Path:
    """With noise, so that there is a unit to lie about."""
    wanted = offer(settings=replace(method("bloom").defaults(), epsilon=20.0))
    agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, wanted, scene.folder / "p.pprl")
    return scene.folder / "p.pprl"


def lying(scene: Scene, proposed: Path, *path: str, value: object) -> Path:
    return forged(scene, proposed, lambda body, _: resign(scene, body, set_at(*path, value=value)))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("epsilon_unit",), "per record"),
        (("epsilon_unit",), ""),
        (("statement",), "epsilon 0.1 per record: nobody can be named."),
        (("statement",), ""),
        (("proposer", "name"), "University Hospital (verified)"),
        (("accepter", "name"), "Cancer Registry of the State"),
    ],
)
def test_a_proposal_that_tells_something_else_than_is_computed_is_refused(
    scene: Scene, proposed: Path, path: tuple[str, ...], value: str
) -> None:
    with refused(scene, "says of itself what is not so", place=".".join(path)):
        open_at_b(scene, lying(scene, proposed, *path, value=value))


def test_the_untouched_proposal_is_shown(scene: Scene, proposed: Path) -> None:
    received = open_at_b(scene, proposed)
    assert received.proposal is not None
    assert "epsilon 20 per bit" in "\n".join(map(str, received.proposal.in_words()))


@pytest.mark.parametrize(
    "bad",
    [
        "two\nlines", ESCAPE, "\u202egnitirw", "a\u200bb", "a\u2028b", "a\x7fb", "a\u0085b",
        "last_name\u3164", "\u2800", "a\u115fb", "a\ufe0f",
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", [("purpose",), ("statement",), ("proposer", "name"), ("fields", "0", "name")])
def test_characters_that_do_not_show_are_refused_in_every_text(
    scene: Scene, proposed: Path, path: tuple[str, ...], bad: str
) -> None:
    with refused(scene):
        open_at_b(scene, lying(scene, proposed, *path, value=bad))


def test_the_purpose_stands_in_marks_that_it_cannot_close(scene: Scene, proposed: Path) -> None:
    path = lying(scene, proposed, "purpose", value='x". Noise: epsilon 0.01 per record. "y')
    received = open_at_b(scene, path)
    assert received.proposal is not None
    (said,) = [line for line in map(str, received.proposal.in_words()) if "purpose" in line.lower()]
    assert said == "Purpose, in the words of General Hospital: \"x'. Noise: epsilon 0.01 per record. 'y\""


def test_a_field_name_that_reads_like_a_sentence_stands_in_marks() -> None:
    assert terms_words._plain_name("date of birth") == "date of birth"
    assert terms_words._plain_name("a (name). Noise: no epsilon").startswith('"')


def test_what_a_steward_types_becomes_one_line(scene: Scene) -> None:
    wanted = offer(purpose=" follow-up\nof heart\tpatients\x1b ")
    agreement = agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, wanted, scene.folder / "p")
    assert agreement.terms.purpose == "follow-up of heart patients"
    proposal = agreeing.read_proposal(scene.b.home, scene.b.own, scene.folder / "p")
    agreement = agreeing.decline(scene.b.home, scene.b.own, proposal, "Too much.\nAsk again.", scene.folder / "no")
    received = inbox.open_file(scene.a.home, scene.a.own, scene.folder / "no")
    assert str(received.sentence) == 'Cancer Registry declined and writes: "Too much. Ask again."'


def test_a_reason_with_escapes_is_refused(scene: Scene, proposed: Path) -> None:
    from .test_agreement import answer

    before = everything(scene.a.home.path)
    with pytest.raises(Problem, match=r"body\.reason"):
        inbox.open_file(scene.a.home, scene.a.own, answer(scene, proposed, {"step": "decline", "reason": ESCAPE}))
    assert everything(scene.a.home.path) == before


def test_of_a_bundle_only_what_this_program_computes_is_told(scene: Scene) -> None:
    def lie(plain: dict[str, Any]) -> None:
        plain["statement"] = "epsilon 0.001 per record: nobody can be named."

    received = open_at_b(scene, resigned(scene, lie))
    recipe = agreeing.recipe_of(scene.b.signed())
    assert received.statement == bundles.bundle_statement(recipe, 60).summary
    assert "nobody" not in f"{received.statement} {received.sentence}"


def test_an_escape_in_the_statement_of_a_bundle_is_refused(scene: Scene) -> None:
    with refused(scene, "malformed: statement"):
        open_at_b(scene, resigned(scene, lambda plain: plain.update(statement=ESCAPE)))


def test_nothing_moves_the_cursor_of_a_terminal() -> None:
    assert harmless("Größe, 100 %\n\t漢字 👍") == "Größe, 100 %\n\t漢字 👍"
    for bad in (ESCAPE, "\x9b31m", "a\u202eb", "\r", "\x08", "\u2066"):
        shown = harmless(bad)
        assert not any(c in shown for c in "\x1b\x9b\u202e\r\x08\u2066")
    assert json.loads(harmless(json.dumps({"a": "\x9b\u202e"}, ensure_ascii=False))) == {"a": "\x9b\u202e"}


# ---- sizes and ranges before anything is computed


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("fold", 5),
        ("fold", 20_000),
        ("fold", 1 << 31),
        ("decoys", 1001),
        ("decoys", 1 << 31),
        ("bits", 1 << 31),
        ("bits", 0),
        ("epsilon", "0"),
        ("epsilon", "-1"),
        ("epsilon", "100000000"),
    ],
)
def test_numbers_outside_their_range_are_refused(scene: Scene, proposed: Path, setting: str, value: object) -> None:
    with refused(scene, f"settings.{setting}"):
        open_at_b(scene, lying(scene, proposed, "settings", setting, value=value))


def split_proposal(scene: Scene, columns: list[list[str]], size: int | None = None, name: str = "own.csv") -> Path:
    """A proposal whose reference set is whatever was sent along, with its true fingerprint."""
    from pprl_desktop.reference.sets import ReferenceSet

    path = scene.folder / "own.csv"
    path.write_text("first,last\n" + "".join(f"NAME{a}X,OTHER{a * 7}Y\n" for a in range(60)))
    wanted = offer(method="split", settings=method("split").defaults(), reference=str(path))
    wanted = replace(wanted, mapping=tuple((one.name, ("first", "last")) for one in wanted.fields))
    agreeing.propose(scene.a.home, scene.a.own, scene.a.partner, wanted, scene.folder / "r.pprl")
    attributes = ("first", "last")[: len(columns)]
    made = ReferenceSet(name, attributes, tuple(map(tuple, columns)))
    sent = json.dumps({"attributes": attributes, "columns": columns}, separators=(",", ":"), ensure_ascii=False)

    def change(body: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        arrays["reference"] = np.frombuffer(sent.encode(), np.uint8)
        told = {"name": name, "size": made.size if size is None else size, "fingerprint": made.fingerprint}
        resign(scene, body, set_at("reference", value=told))

    return forged(scene, scene.folder / "r.pprl", change)


@pytest.mark.parametrize("name", ["many", "long", "escape", "built in", "size"])
def test_a_reference_set_is_bounded_and_says_what_it_is(scene: Scene, name: str) -> None:
    good = [[f"NAME{a}X" for a in range(60)], [f"OTHER{a * 7}Y" for a in range(60)]]
    if name == "many":
        with refused(scene, "too large"):
            open_at_b(scene, split_proposal(scene, [["A"] * 150_000, ["B"] * 150_000]))
    elif name == "long":
        with refused(scene, "at most 255 letters"):
            open_at_b(scene, split_proposal(scene, [["A" * 300_000, *good[0][1:]], good[1]]))
    elif name == "escape":
        with refused(scene, "letters that show"):
            open_at_b(scene, split_proposal(scene, [["A\u202e", *good[0][1:]], good[1]]))
    elif name == "built in":
        with refused(scene, "bears the name of a built-in one"):
            open_at_b(scene, split_proposal(scene, good, name="us-200"))
    else:
        with refused(scene, "reference.fingerprint"):
            open_at_b(scene, split_proposal(scene, good, size=2_000_000))


@pytest.mark.parametrize("kind", ["receipt", "key_change", "agreement"])
def test_letters_without_arrays_carry_none(scene: Scene, proposed: Path, kind: str) -> None:
    """A file of 136 KB must not cost the hashing of gigabytes of zeros."""
    from pprl_desktop.exchange import contacts

    bodies = {
        "receipt": {"received": scene.a.agreement.sent[0].digest},
        "key_change": {"card": scene.b.home.own_card_bytes().decode(), "proof": "00" * 64},
        "agreement": {"step": "decline", "reason": "no"},
    }
    agreed = {"receipt": scene.a.agreement.id, "key_change": letters.NO_AGREEMENT, "agreement": newest(scene.a).id}
    contact = contacts.new(scene.a.home.own_card_bytes())
    made = letters.manifest(scene.b.own, contact, kind, body=bodies[kind], agreement=agreed[kind])
    path = scene.folder / "heavy.pprl"
    seal.seal(path, made, {"zeros": np.zeros(1 << 20, np.uint8)}, scene.b.own.keys, scene.a.own.keys.public())
    with pytest.raises(Problem, match="carries no arrays"):
        inbox.open_file(scene.a.home, scene.a.own, path)


# ---- the seal belongs to the terms


def sealed_with_x25519(scene: Scene, path: Path) -> Path:
    from pprl_desktop.exchange import age

    from .test_refusals import inner_bytes

    data = inner_bytes(path, scene.b.own.keys)
    with open(scene.folder / "weak.pprl", "wb") as out:
        writer = age.encrypt(out, scene.b.own.keys.public().recipient("x25519"))
        writer.write(data)
        writer.close()
    return scene.folder / "weak.pprl"


def test_a_weaker_seal_than_agreed_is_refused(scene: Scene, proposed: Path) -> None:
    for path in (scene.bundle, proposed):
        with refused(scene, "sealed less well than agreed"):
            open_at_b(scene, sealed_with_x25519(scene, path))


def test_the_compatibility_mode_is_agreed_on_and_said(scene: Scene) -> None:
    agreement: Agreement = agree(scene.a, scene.b, scene.folder, offer(seal="x25519"))
    assert "X25519: whoever copies one today" in "\n".join(map(str, terms_words.in_words(agreement.terms)))
    assert "quantum computer does not open" in "\n".join(
        map(str, terms_words.in_words(scene.b.home.agreements()[0].terms))
    )
    export(scene.a.home, scene.a.own, scene.a.home.agreement(agreement.id), people(0, 60), scene.folder / "x.pprl")
    assert b"X25519" in (scene.folder / "x.pprl").read_bytes()[:60]
    assert inbox.open_file(scene.b.home, scene.b.own, scene.folder / "x.pprl").rows == 60


# ---- agreements of the first version


def first_version(document: bytes, **changes: object) -> bytes:
    plain = json.loads(document)
    del plain["seal"], plain["limits"]["clear_percent"]
    for one in plain["fields"]:
        del one["derived"], one["cleaning"]["recode"]
    plain["settings"]["one_to_one"] = int(plain["settings"].pop("direction") == "one-to-one")
    return strict.dumps({**plain, "version": 1, **changes})


def test_an_agreement_signed_earlier_reads_as_it_was_signed_and_says_that_it_was_not_checked(scene: Scene) -> None:
    old = first_version(scene.a.agreement.document, purpose="two\nlines\x1b[2K", statement="Nobody can be named.")
    read = terms.parse(old)
    assert read.document() == old
    said = [str(one) for one in terms_words.in_words(read)]
    assert not any("\x1b" in line or "\n" in line for line in said)
    assert "did not check it" in said[-2]


def test_a_proposal_of_the_first_version_is_refused(scene: Scene, proposed: Path) -> None:
    def change(body: dict[str, Any], _: object) -> None:
        body["document"] = first_version(body["document"].encode()).decode()
        body["signature"] = scene.a.own.keys.sign(terms.SIGN_CONTEXT + body["document"].encode()).hex()

    with refused(scene, "older version"):
        open_at_b(scene, forged(scene, proposed, change))


# ---- what is not a file


@pytest.mark.parametrize("opens", ["letter", "card"])
def test_a_pipe_in_place_of_a_file_is_refused_at_once(scene: Scene, opens: str) -> None:
    import os

    from pprl_desktop.exchange import card

    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes in the file system here")
    path = scene.folder / "pipe"
    os.mkfifo(path)
    with pytest.raises(Problem, match="not a file"):
        open_at_b(scene, path) if opens == "letter" else card.read_file(path)
    for device in (Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(Problem, match="not a file"):
            open_at_b(scene, device)
    with pytest.raises(Problem, match="folder"):
        open_at_b(scene, scene.folder)


def test_deep_nesting_is_refused(scene: Scene) -> None:
    for manifest in (b'{"a":' * 100_000, b'{"a":' + b"[" * 900_000):
        with refused(scene, "malformed"):
            open_at_b(scene, reseal(scene.folder / "deep", signed(scene.a.own.keys, manifest), scene.b))
