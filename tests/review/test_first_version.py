"""Reviews made by the first version, which had a container of its own, still open, go on, and are kept in the new one.

fixtures/first_version.tar.xz was written by that program: a desk with two decisions, a share with work on it, and the
decisions file of its reviewer.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from pprl_desktop.exchange import age, container, passphrase_seal
from pprl_desktop.problem import Problem
from pprl_desktop.review import sealing
from pprl_desktop.review import share as shares
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.desk_files import DESK, KEY, PEOPLE
from tests.review.test_desk import WORDS, review


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with tarfile.open(Path(__file__).parent / "fixtures" / "first_version.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


def is_container(path: Path, identity: age.Identity) -> bool:
    with open(path, "rb") as source:
        return bytes(age.decrypt(source, [identity]).read(5)) == container.PROGRAM


def test_a_desk_of_the_first_version_opens_and_is_converted(old: Path) -> None:
    with Desk.open(old / "r", WORDS) as desk:
        assert desk.review.fingerprint() == review().fingerprint()
        assert [desk.review.people.value(0, row) for row in (0, 1)] == ["MARTHA0", "MARHTA0"]
        assert [pair.score for pair in desk.review.pairs] == [i / 8 for i in range(8)]
        assert desk.outcome() == {"1": True, "2": False}
        assert desk.session().note("1") == "a note of the manager"
        keys = desk._keys
    assert is_container(old / "r" / KEY, passphrase_seal.PassphraseSeal(WORDS))
    assert all(is_container(old / "r" / name, keys.identities()[0]) for name in (PEOPLE, DESK))
    with Desk.open(old / "r", WORDS) as again:
        assert again.outcome() == {"1": True, "2": False}


def test_a_share_and_decisions_of_the_first_version_are_worked_on_and_merged(old: Path) -> None:
    share = shares.open_share(old / "out" / "anna.share", f"{WORDS} anna")
    assert (share.reviewer, share.number, share.of) == ("anna", 1, 1)
    session = shares.start(old / "out" / "anna.share", share)
    assert session.advance().decided == 5
    session.ledger.close()
    with Desk.open(old / "r", WORDS) as desk:
        loss = desk.merge(old / "out" / "anna.decisions")
        assert (loss.decided, loss.held_pairs, loss.held_records) == (5, 8, len(desk.review.people))
        with pytest.raises(Problem, match="has not handed back"):
            desk.next_tranche("anna")


def test_a_signed_desk_does_not_take_unsigned_records(old: Path, tmp_path: Path) -> None:
    """A reviewer knows the key that the desk is sealed to; records slipped in by one are refused."""
    unsigned = (old / "r" / PEOPLE).read_bytes()
    with Desk.open(old / "r", WORDS):
        pass
    (old / "r" / PEOPLE).write_bytes(unsigned)
    with pytest.raises(Problem, match="damaged or not part of a review"):
        Desk.open(old / "r", WORDS)


def test_the_limits_stand_before_an_old_file_is_unpacked(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "PLAIN_ROOM", 0)
    monkeypatch.setattr(sealing, "RATIO", 0)
    with pytest.raises(Problem, match="damaged or not part of a review"):
        shares.open_share(old / "out" / "anna.share", f"{WORDS} anna")


def test_a_share_sealed_with_scrypt_opens_and_is_sealed_anew(tmp_path, monkeypatch) -> None:
    """As the second version sealed them at first: the container, under age's own way with passphrases."""
    scrypt = age.Passphrase(f"{WORDS} anna".encode(), 10)
    with monkeypatch.context() as then, Desk.create(tmp_path / "r", review(), WORDS) as desk:
        then.setattr(passphrase_seal.PassphraseSeal, "wrap", lambda _, file_key: scrypt.wrap(file_key))
        path = desk.assign({"anna": f"{WORDS} anna"}, out=tmp_path / "out")["anna"]
    assert b"-> scrypt" in path.read_bytes()
    shares.change_passphrase(path, f"{WORDS} anna", "five unrelated words for anna")
    assert passphrase_seal.STANZA.encode() in path.read_bytes()
    assert shares.open_share(path, "five unrelated words for anna").reviewer == "anna"
