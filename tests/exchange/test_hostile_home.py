"""Files of the home folder and cards that somebody changed: refused in a sentence, or what they say is harmless.

A home folder may come from a backup, a share or a thief's hands; a card comes from anybody.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop.exchange import card, contacts, identity, names, strict
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.keys import Keys
from tests.hostility import Tally, mangled, spoilt

from .conftest import PASSPHRASE, Scene

QUICK, FULL = 60, 1500
Change = Callable[[random.Random, bytes], bytes]


def changed(draw: random.Random, data: bytes) -> bytes:
    """The JSON of a home file changed inside, or its bytes."""
    if draw.random() < 0.3:
        return mangled(draw, data)
    plain = spoilt(draw, json.loads(data))
    for name in ("document", "card"):  # a document in a document
        if isinstance(plain, dict) and isinstance(plain.get(name), str) and draw.random() < 0.5:
            try:
                plain[name] = strict.dumps(spoilt(draw, json.loads(plain[name]))).decode()
            except (TypeError, ValueError):
                continue
    try:
        return strict.dumps(plain) + b"\n"
    except (TypeError, ValueError):
        return json.dumps(plain).encode("utf-8", "replace") + b"\n"


def tried(scene: Scene, kind: str, path: Path, act: Callable[[], object], count: int, *, same: object = None) -> None:
    """`same`: what an accepted file must still say, where nothing in it may differ."""
    good = path.read_bytes()
    act()
    draw, tally = random.Random(count), Tally(kind)
    for _ in range(count):
        path.write_bytes(changed(draw, good))
        tally.case(act, lambda found: "" if same is None or found == same else "another identity")
    path.write_bytes(good)
    left = [one.name for one in path.parent.iterdir() if one.name.startswith(".")]
    tally.finish(len(left))


def identities(scene: Scene, count: int) -> None:
    home = scene.b.home
    path = home.path / "identity.json"
    tried(scene, "identity", path, lambda: identity.unlock(home.identity_bytes(), PASSPHRASE), count, same=scene.b.own)


def contact_files(scene: Scene, count: int) -> None:
    home = scene.b.home
    path = next((home.path / "contacts").glob("*.json"))
    tried(scene, "contact", path, lambda: contacts.pinned(home.contacts()), count)


def records(scene: Scene, count: int) -> None:
    """The record of an agreement, and everything that reads all of them."""
    home = scene.b.home
    path = next((home.path / "agreements").glob("*/record.json"))

    def read() -> object:
        found = home.agreements()
        return [(one.id, one.terms.method, one.own_side, one.partner_side) for one in found], home.noted()

    tried(scene, "record", path, read, count)


def ledger_keys(scene: Scene, count: int) -> None:
    home, own = scene.a.home, scene.a.own
    path, draw, tally = home.path / "releases.key", random.Random(3), Tally("key of the ledger")
    good = path.read_bytes()
    for _ in range(count):
        path.write_bytes(made := mangled(draw, good))
        tally.case(lambda: home.ledger(own).releases(), lambda _, made=made: "" if made == good else "accepted")
    path.write_bytes(good)
    tally.finish()


def ledgers(scene: Scene, count: int) -> None:
    """The database changed byte by byte, and entry by entry: nothing is entered in one that is not whole."""
    home, own = scene.a.home, scene.a.own
    path, draw, tally = home.ledger_path, random.Random(4), Tally("ledger of releases")
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode=DELETE")
    good = path.read_bytes()

    def act() -> object:
        ledger = home.ledger(own)
        ledger.disclosures(), ledger.reviews(), ledger.releases(), ledger.limits()
        if not ledger.verify().whole:
            raise ledger.verify().problem  # type: ignore[misc]
        return ledger.outlook

    for _ in range(count):
        path.write_bytes(good)
        altered = False
        if draw.random() < 0.5:
            path.write_bytes(mangled(draw, good))
        else:
            with closing(sqlite3.connect(path, isolation_level=None)) as base:
                base.execute("DROP TRIGGER no_change")
                number, text = base.execute("SELECT number, body FROM event ORDER BY random()").fetchone()
                body = json.dumps(spoilt(draw, json.loads(text)))
                base.execute("UPDATE event SET body = ? WHERE number = ?", (body, number))
                altered = body != text
        tally.case(act, lambda _, altered=altered: "an entry was changed" if altered else "")
        for beside in path.parent.glob("releases.sqlite-*"):
            beside.unlink()
    path.write_bytes(good)
    tally.finish()


def cards(scene: Scene, count: int) -> None:
    """Half of them signed anew by whoever made them: then only the name and the keys can be wrong."""
    draw, tally = random.Random(5), Tally("card")
    keys = Keys.new()
    good = card.write(keys, "Heart Registry")
    path = scene.folder / "hostile.pprlcard"
    signs = [
        "\u3164",
        "\u2800",
        "\u115f",
        "\ufe0f",
        "\u034f",
        "\u202e",
        "\x1b[2K",
        "\u0430",
        "\uff21",
        "\u200d",
        " ",
        "é",
    ]

    def wrong(found: card.Card) -> str:
        shown = names.check_name(found.name) == found.name and strict.shows(found.name)
        return "" if shown else f"name {found.name!r}"

    for _ in range(count):
        plain: Any = json.loads(good)
        if draw.random() < 0.4:
            at = draw.randrange(len(plain["name"]))
            plain["name"] = plain["name"][:at] + draw.choice(signs) * draw.randrange(1, 4) + plain["name"][at:]
        elif draw.random() < 0.7:
            plain = spoilt(draw, plain)
        if isinstance(plain, dict) and draw.random() < 0.7:
            plain.pop("signature", None)
            try:
                plain["signature"] = keys.sign(card._CONTEXT + strict.dumps(plain)).hex()
            except TypeError:
                plain["signature"] = "00" * 64
        try:
            data = strict.dumps(plain) + b"\n"
        except (TypeError, ValueError):
            data = json.dumps(plain).encode()
        path.write_bytes(mangled(draw, data) if draw.random() < 0.2 else data)
        tally.case(lambda: card.read_file(path), wrong)
    path.unlink()
    tally.finish()


KINDS: dict[str, Callable[[Scene, int], None]] = {
    "identity": identities, "contact": contact_files, "record": records, "key of the ledger": ledger_keys,
    "ledger": ledgers, "card": cards,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_changed_files_of_the_home_folder_are_refused_or_harmless(scene: Scene, kind: str) -> None:
    KINDS[kind](scene, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_nine_thousand_changed_files_of_the_home_folder(scene: Scene, kind: str) -> None:
    KINDS[kind](scene, FULL)


@pytest.mark.parametrize(
    "statements",
    [
        ("DROP TABLE event", "CREATE VIEW event AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
         "SELECT i AS number, '{}' AS body, 'x' AS hash FROM n"),
        ("DROP TRIGGER no_change", "UPDATE event SET body = CAST(zeroblob(300000000) AS TEXT)"),
        ("DROP TRIGGER no_change", "UPDATE event SET body = replace(hex(zeroblob(50000)), '0', '[')"),
        ("CREATE TRIGGER more AFTER INSERT ON event BEGIN SELECT zeroblob(900000000); END",),
        ("CREATE TABLE more (x)",),
        ("ALTER TABLE event ADD COLUMN more TEXT AS (hex(zeroblob(1000000)))",),
    ],
)  # fmt: skip
def test_a_ledger_of_releases_with_anything_else_in_it_is_refused_at_once(scene: Scene, statements) -> None:
    home, own = scene.a.home, scene.a.own
    with closing(sqlite3.connect(home.ledger_path, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode=DELETE")
        for statement in statements:
            base.execute(statement)
    tally = Tally("ledger of releases with something else in it")

    def verify() -> None:
        if (problem := home.ledger().verify().problem) is not None:
            raise problem

    for act in (verify, lambda: home.ledger(own).releases(), lambda: home.ledger().limits()):
        assert not tally.case(act)
    tally.finish()


def test_a_home_folder_of_another_program_is_no_home(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parent, tmp_path / "home", ignore=shutil.ignore_patterns("__pycache__"))
    assert Home(tmp_path / "home").agreements() == []
