"""An older, cut, deleted or copied release ledger is noticed and stops releases; what is sealed stays sealed."""

from __future__ import annotations

import base64
import json
import shutil
import sqlite3
import stat
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pprl_desktop.codes.base import method
from pprl_desktop.exchange import bundles, ledger_key, release_chain
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.release_repair import repair
from pprl_desktop.exchange.releases import ReleaseLedger
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Failure, Problem

from .conftest import PASSPHRASE, Party, Scene, agree, everything, export, introduce, offer, people

FIRST_LAYOUT = Path(__file__).parents[1] / "project" / "fixtures" / "finished_layout_1.tar.xz"


def send(party: Party, rows: tuple[int, int], out: Path, agreement: Agreement | None = None) -> bundles.Exported:
    return export(party.home, party.own, agreement or party.agreement, people(*rows), out)


def copy_of(home: Home, to: Path) -> Path:
    """releases.sqlite as a backup program copies it."""
    with closing(sqlite3.connect(home.ledger_path)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(home.ledger_path, to)
    return to


def put_back(home: Home, old: Path) -> None:
    gone(home)
    shutil.copy(old, home.ledger_path)


def gone(home: Home) -> None:
    for path in home.path.glob("releases.sqlite*"):
        path.unlink()


def cut(home: Home) -> None:
    with closing(sqlite3.connect(home.ledger_path)) as base, base:
        base.execute("DROP TRIGGER no_removal")
        base.execute("DELETE FROM event WHERE number = (SELECT max(number) FROM event)")


@pytest.mark.parametrize("what", ["older", "deleted", "cut"])
def test_an_older_ledger_is_noticed_and_nothing_is_released(scene: Scene, what: str) -> None:
    a = scene.a
    old = copy_of(a.home, scene.folder / "old.sqlite")
    send(a, (0, 61), scene.folder / "two.pprl")
    if what == "older":
        put_back(a.home, old)
    elif what == "deleted":
        gone(a.home)
    else:
        cut(a.home)
    before = {name: data for name, data in everything(a.home.path).items() if "releases" not in name}
    for rows in ((0, 60), (0, 61), (0, 62)):
        with pytest.raises(Problem, match="older than your agreements") as found:
            send(a, rows, scene.folder / "three.pprl")
        assert "Do not put back a copy" in str(found.value.do)
        assert "backup" not in str(found.value.sentence())
    assert not (scene.folder / "three.pprl").exists()
    assert {name: data for name, data in everything(a.home.path).items() if "releases" not in name} == before
    if what != "deleted":
        assert not a.home.ledger().verify().whole
        with pytest.raises(Problem, match="older than"):
            a.home.ledger().set_limit("per bit", 1.0)


def test_a_deleted_ledger_is_not_made_anew_by_looking_at_it(scene: Scene) -> None:
    gone(scene.a.home)
    with pytest.raises(Problem, match="older than"):
        scene.a.home.ledger()
    assert not scene.a.home.ledger_path.exists()


def test_every_record_notes_the_end_of_the_ledger(scene: Scene) -> None:
    agree(scene.a, scene.b, scene.folder)
    first, second = scene.a.home.agreements()
    send(scene.a, (0, 61), scene.folder / "x", first)
    ledger = scene.a.home.ledger()
    for agreement in scene.a.home.agreements():
        assert agreement.anchor == ledger.anchor
        assert agreement.anchor.head == ledger.head
    shutil.rmtree(scene.a.home.folder(first.id))
    gone(scene.a.home)
    with pytest.raises(Problem, match="older than"):
        send(scene.a, (0, 61), scene.folder / "y", second)


def test_a_record_of_the_first_version_notices_by_the_numbers_of_its_releases(scene: Scene) -> None:
    for path in scene.a.home.path.rglob("record.json"):
        plain = json.loads(path.read_bytes())
        del plain["ledger"]
        path.write_bytes(json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())
    assert scene.a.home.ledger().verify().whole
    gone(scene.a.home)
    with pytest.raises(Problem, match="older than"):
        send(scene.a, (0, 61), scene.folder / "x")


# ---- before a file is written


@pytest.fixture
def noised(scene: Scene) -> Agreement:
    return agree(scene.a, scene.b, scene.folder, offer(settings=replace(method("bloom").defaults(), epsilon=2.0)))


def test_one_changed_row_is_told_and_asked_before_anything_is_written(scene: Scene, noised: Agreement) -> None:
    a = scene.a
    send(a, (0, 50), scene.folder / "one", a.home.agreement(noised.id))
    before = everything(a.home.path)
    plan = bundles.plan(a.signed(noised.id), people(0, 49))
    said = " ".join(map(str, plan.outlook.sentences))
    assert plan.asks
    assert "epsilon 2 per bit" in said  # 49 rows go out with the bytes that the partner has
    assert "adds nothing" in said
    with pytest.raises(Problem, match="adds to what the partner has already") as found:
        bundles.export(a.signed(noised.id), people(0, 49), scene.folder / "two")
    assert "epsilon 2 per bit" in str(found.value.why)
    assert everything(a.home.path) == before
    assert not (scene.folder / "two").exists()
    bundles.export(a.signed(noised.id), people(0, 49), scene.folder / "two", seen=plan.confirm())
    assert (scene.folder / "two").exists()


def test_a_word_given_for_other_sums_does_not_count(scene: Scene, noised: Agreement) -> None:
    a = scene.a
    old = bundles.plan(a.signed(noised.id), people(0, 49)).confirm()
    send(a, (0, 50), scene.folder / "one", a.home.agreement(noised.id))
    with pytest.raises(Problem, match="adds to what"):
        bundles.export(a.signed(noised.id), people(0, 49), scene.folder / "two", seen=old)


def test_the_same_table_again_is_not_asked_and_adds_nothing(scene: Scene) -> None:
    plan = bundles.plan(scene.a.signed(), people(0, 60))
    assert not plan.asks
    assert "the same bytes" in str(plan.outlook.sentences[0])
    made = bundles.export(scene.a.signed(), people(0, 60), scene.folder / "again")
    assert made.resent
    assert (scene.folder / "again").read_bytes() == scene.bundle.read_bytes()


def forget_rows(party: Party) -> None:
    """As an earlier version left it: nothing tells what was delivered, so every row gets fresh noise."""
    for path in party.home.path.rglob("*.rows"):
        path.unlink()


def test_a_limit_stands_without_being_set(scene: Scene) -> None:
    a = scene.a
    for more in (1, 2):
        forget_rows(a)
        send(a, (0, 60 + more), scene.folder / "more")
    forget_rows(a)
    with pytest.raises(Problem, match="3 releases of the same people already, and your limit is 3"):
        send(a, (0, 63), scene.folder / "too many")
    assert not (scene.folder / "too many").exists()
    send(a, (200, 240), scene.folder / "others")  # other people
    forget_rows(a)
    a.home.ledger().set_limit("releases", 4)
    send(a, (0, 63), scene.folder / "allowed")


# ---- what is sealed


def secrets_of(party: Party) -> list[bytes]:
    ledger = party.home.ledger(party.own)
    return [ledger.key, *(one.seed for one in ledger.releases())]


def assert_nowhere(home: Home, secrets: list[bytes]) -> None:
    for name, content in everything(home.path).items():
        for secret in secrets:
            assert len(secret) == 32
            for form in (secret, secret.hex().encode(), base64.b64encode(secret)):
                assert form not in content, name


def test_key_and_seeds_lie_nowhere_in_the_clear(scene: Scene, noised: Agreement) -> None:
    send(scene.a, (0, 50), scene.folder / "one", scene.a.home.agreement(noised.id))
    with closing(sqlite3.connect(scene.a.home.ledger_path)) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert_nowhere(scene.a.home, secrets_of(scene.a))
    without = scene.a.home.ledger()
    assert all(one.seed == b"" for one in without.releases())
    with pytest.raises(ValueError, match="without its key"):
        without.fingerprint(people(0, 60))


def test_a_lost_key_is_a_problem_and_not_a_fresh_start(scene: Scene) -> None:
    key = scene.a.home.path / ledger_key.SEALED
    key.write_bytes(b"short")
    with pytest.raises(Problem, match="cannot be opened"):
        send(scene.a, (0, 61), scene.folder / "x")
    key.unlink()
    with pytest.raises(Problem, match="is missing"):
        send(scene.a, (0, 61), scene.folder / "x")
    assert not key.exists()


# ---- the step from the first layout


@pytest.fixture
def first_layout(tmp_path: Path) -> Home:
    """A home folder as the first version left it: key and seeds in the clear."""
    with tarfile.open(FIRST_LAYOUT) as archive:
        archive.extractall(tmp_path, filter="data")
    return Home(tmp_path / "demo" / "hospital_a" / "keys")


def demo_passphrase() -> str:
    from pprl_desktop.job import demo

    return demo.PASSPHRASE


def events_of(home: Home) -> list[tuple[int, str, str]]:
    with closing(sqlite3.connect(home.ledger_path)) as base:
        return base.execute("SELECT number, body, hash FROM event ORDER BY number").fetchall()


def test_a_home_of_the_first_version_is_sealed_when_it_is_unlocked(first_layout: Home) -> None:
    home = first_layout
    plain = home.path / ledger_key.PLAIN
    key, old = plain.read_bytes(), events_of(home)
    seed = next(json.loads(text)["seed"] for _, text, _ in old if '"seed"' in text)
    own = home.unlock(demo_passphrase())
    assert not plain.exists()
    assert_nowhere(home, [key, base64.b64decode(seed)])
    ledger = home.ledger(own)
    assert ledger.key == key
    assert ledger.releases()[0].seed == base64.b64decode(seed)
    assert [one.number for one in ledger.releases()] == [n for n, text, _ in old if '"kind": "release"' in text]
    for _, _, noted in old:
        assert ledger.verify(noted).whole
    assert not ledger.verify("ab" * 32).whole
    assert home.unlock(demo_passphrase()) == own


@pytest.mark.parametrize("moment", ["after the key", "after the ledger"])
def test_a_step_that_was_cut_short_is_done_anew(first_layout: Home, moment: str) -> None:
    home = first_layout
    plain = home.path / ledger_key.PLAIN
    key, old = plain.read_bytes(), home.ledger_path.read_bytes()
    home.unlock(demo_passphrase())
    plain.write_bytes(key)
    if moment == "after the key":
        home.ledger_path.write_bytes(old)
    own = home.unlock(demo_passphrase())
    assert not plain.exists()
    ledger = home.ledger(own)
    assert ledger.verify().whole
    assert len(ledger.releases()[0].seed) == 32
    assert '"seed"' not in "".join(text for _, text, _ in events_of(home))


# ---- repair


@pytest.mark.parametrize("what", ["older", "deleted", "damaged", "no key"])
def test_after_a_repair_releases_go_on_and_what_was_released_counts(scene: Scene, noised: Agreement, what: str) -> None:
    a = scene.a
    old = copy_of(a.home, scene.folder / "old.sqlite")
    send(a, (0, 50), scene.folder / "one", a.home.agreement(noised.id))
    damage: dict[str, Callable[[], object]] = {
        "older": lambda: put_back(a.home, old),
        "deleted": lambda: (gone(a.home), (a.home.path / ledger_key.SEALED).unlink()),
        "damaged": lambda: a.home.ledger_path.write_bytes(b"x" * 5000),
        "no key": lambda: (a.home.path / ledger_key.SEALED).unlink(),
    }
    if what == "damaged":
        gone(a.home)
    damage[what]()
    lost = {"older": 1, "deleted": 2, "damaged": 2, "no key": 0}[what]
    if what == "no key":
        with pytest.raises(Problem, match="is missing"):
            send(a, (0, 50), scene.folder / "x", a.home.agreement(noised.id))
    made = repair(a.home, a.own)
    assert made.entered == lost
    ledger = a.home.ledger(a.own)
    assert ledger.verify().whole
    assert len(ledger.releases()) == 2
    plan = bundles.plan(a.signed(noised.id), people(0, 49))
    assert "epsilon 4 per bit" in " ".join(map(str, plan.outlook.sentences))
    again = export(a.home, a.own, a.home.agreement(noised.id), people(0, 50), scene.folder / "again")
    if what in ("older", "damaged"):
        assert again.resent
        assert (scene.folder / "again").read_bytes() == (scene.folder / "one").read_bytes()
    if what != "older":
        return
    put_back(a.home, old)  # the copy from before the repair is older again
    with pytest.raises(Problem, match="older than"):
        send(a, (0, 50), scene.folder / "x", a.home.agreement(noised.id))


def test_there_must_be_something_to_repair(scene: Scene) -> None:
    before = everything(scene.a.home.path)
    with pytest.raises(Problem, match="nothing to repair"):
        repair(scene.a.home, scene.a.own)
    assert everything(scene.a.home.path) == before


# ---- sentences and modes


def test_a_full_disk_is_called_a_full_disk() -> None:
    def said(code: int) -> Problem:
        error = sqlite3.OperationalError("words that may quote a file")
        error.sqlite_errorcode = code
        return release_chain.translated(error, Path("releases.sqlite"))

    assert isinstance(said(sqlite3.SQLITE_FULL), Failure)
    assert "disk is full" in str(said(sqlite3.SQLITE_FULL).what)
    for code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR):
        assert "backup" not in str(said(code).sentence())


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of the folder there")
def test_home_folders_and_sealed_files_are_for_the_owner_only(scene: Scene) -> None:
    def modes() -> set[int]:
        return {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (home.path, *home.path.rglob("*"))}

    home = scene.b.home
    bundles.export(Signatory(home, scene.b.own, scene.b.agreement.id), people(30, 90), scene.folder / "b.pprl")
    from pprl_desktop.exchange import inbox

    inbox.open_file(home, scene.b.own, scene.bundle)
    assert modes() == {0}
    for path in home.path.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    home.unlock(PASSPHRASE)
    assert modes() == {0}


def test_a_ledger_whose_entries_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "releases.sqlite"
    ReleaseLedger(path)
    for body in ('{"kind": "release"}', "[]", "x", "[" * 100_000, '{"kind": "sealed", "entry": 9}'):
        with closing(sqlite3.connect(path)) as base, base:
            base.execute("DROP TRIGGER IF EXISTS no_removal")
            base.execute("DELETE FROM event")
            base.execute("INSERT INTO event VALUES (1, ?, 'x')", (body,))
        ledger = ReleaseLedger(path)
        assert not ledger.verify().whole
        told = 0
        for look in (ledger.releases, ledger.limits, ledger.disclosures):
            try:
                look()
            except Problem as problem:
                told += "cannot be read" in str(problem.what)
        assert told


# ---- the whole folder put back


@pytest.fixture
def usual(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Party:
    """A's home folder is the usual one of this account."""
    monkeypatch.setenv("PPRL_HOME", str(scene.a.home.path))
    monkeypatch.setenv("PPRL_STATE", str(scene.folder / "state"))
    return scene.a


def whole_put_back(home: Home, copy: Path) -> None:
    shutil.rmtree(home.path)
    shutil.copytree(copy, home.path)


def test_a_whole_home_folder_put_back_is_noticed_and_nothing_is_released(scene: Scene, usual: Party) -> None:
    copy = scene.folder / "backup"
    send(usual, (0, 61), scene.folder / "two.pprl")
    shutil.copytree(usual.home.path, copy)
    send(usual, (0, 62), scene.folder / "three.pprl")
    whole_put_back(usual.home, copy)
    for rows in ((0, 60), (0, 62), (0, 63)):
        with pytest.raises(Problem, match="older than what this computer has noted") as found:
            send(usual, rows, scene.folder / "four.pprl")
        assert "ask your partners" in str(found.value.do)
    assert not (scene.folder / "four.pprl").exists()
    assert not usual.home.ledger().verify().whole
    repair(usual.home, usual.own)
    assert usual.home.ledger().verify().whole
    send(usual, (0, 64), scene.folder / "four.pprl")
    whole_put_back(usual.home, copy)  # and once more: a repair forgives one gap, not the next
    with pytest.raises(Problem, match="older than what this computer has noted"):
        send(usual, (0, 65), scene.folder / "five.pprl")


def test_the_folder_from_before_the_first_release_is_noticed(scene: Scene, monkeypatch, strangers) -> None:
    a, b = strangers("North"), strangers("South")
    monkeypatch.setenv("PPRL_HOME", str(a.home.path))
    monkeypatch.setenv("PPRL_STATE", str(scene.folder / "state"))
    introduce(a, b)
    agree(a, b, scene.folder)
    shutil.copytree(a.home.path, scene.folder / "backup")
    send(a, (0, 60), scene.folder / "one.pprl")
    whole_put_back(a.home, scene.folder / "backup")
    with pytest.raises(Problem, match="older than what this computer has noted"):
        send(a, (0, 61), scene.folder / "two.pprl")


def test_the_newest_folder_goes_on_wherever_it_was_worked_with(scene: Scene, usual: Party, monkeypatch) -> None:
    """Moved to another computer and back again: the note here is older than the folder, and that is no harm."""
    send(usual, (0, 61), scene.folder / "two.pprl")
    away = usual.moved(scene.folder / "away")
    monkeypatch.setenv("PPRL_STATE", str(scene.folder / "state of the other computer"))
    monkeypatch.setenv("PPRL_HOME", str(away.home.path))
    agreed = away.agreement
    send(away, (100, 160), scene.folder / "three.pprl", agreed)
    monkeypatch.setenv("PPRL_STATE", str(scene.folder / "state"))
    monkeypatch.setenv("PPRL_HOME", str(usual.home.path))
    whole_put_back(usual.home, away.home.path)
    send(usual, (200, 260), scene.folder / "four.pprl")
    assert usual.home.ledger().verify().whole


def test_what_is_noted_outside_names_nobody_and_a_damaged_note_stops_nothing(scene: Scene, usual: Party) -> None:
    send(usual, (0, 61), scene.folder / "two.pprl")
    (note,) = (scene.folder / "state" / "ledger-ends").iterdir()
    assert set(json.loads(note.read_bytes())) == {"events", "head"}
    if sys.platform != "win32":
        assert stat.S_IMODE(note.stat().st_mode) == 0o600
    for content in (b"", b"[" * 900, b'{"events":-1,"head":"x"}', b"x" * 100_000):
        note.write_bytes(content)
        assert usual.home.ledger().verify().whole
    note.unlink()
    note.mkdir()
    send(usual, (100, 161), scene.folder / "three.pprl")


def test_other_home_folders_leave_no_note(scene: Scene, monkeypatch) -> None:
    monkeypatch.setenv("PPRL_STATE", str(scene.folder / "state"))
    send(scene.a, (0, 61), scene.folder / "two.pprl")
    assert not (scene.folder / "state").exists()
