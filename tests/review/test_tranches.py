"""What binds a reviewer: a copied share opens one tranche, the next comes against the ledger of the last."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.review import share as shares
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.desk_files import LEDGER
from pprl_desktop.review.ledger import Ledger, head_path, read_entries, verify
from pprl_desktop.review.marks import Level
from tests.review.people import KEY
from tests.review.test_desk import ROWS, WORDS, review

SECRET = f"{WORDS} anna"


@pytest.fixture
def desk(tmp_path: Path):
    with Desk.create(tmp_path / "r", review(), WORDS) as made:
        yield made


def give(desk: Desk, out: Path, tranche: int = 3) -> Path:
    return desk.assign({"anna": SECRET}, out=out, tranche=tranche)["anna"]


def work(path: Path, out: Path, point: int = 6, decide: int = 99) -> Path:
    share = shares.open_share(path, SECRET)
    session = shares.start(path, share)
    for pair in session.order[:decide]:
        session.decide(point, "", pair)
    made = shares.return_decisions(session, share, out)
    session.ledger.close()
    return made


def test_a_copied_share_opens_one_tranche_and_not_all(desk, tmp_path) -> None:
    """The attack of the audit: as many copies as one likes, every cell opened in each, the original handed back."""
    path = give(desk, tmp_path / "out")
    seen: set[str] = set()
    for copy in range(13):
        other = tmp_path / f"copy{copy}" / path.name
        other.parent.mkdir()
        shutil.copy(path, other)
        share = shares.open_share(other, SECRET)
        session = shares.start(other, share)
        seen |= {str(value) for column in share.review.people.columns for value in column.values}
        for pair in session.order:
            for field in ("first", "born"):
                try:
                    while True:
                        session.reveal(field, pair, Level.FULL)
                except Problem:
                    pass
        session.ledger.close()
    everyone = {value for row in ROWS for value in row}
    held = {value for i in range(3) for row in (2 * i, 2 * i + 1) for value in ROWS[row]}
    assert len(seen) == len(held) < len(everyone)
    loss = desk.merge(work(path, tmp_path / "back"))
    assert loss.risk_percent == 0.0
    assert (loss.held_pairs, loss.held_records) == (3, 6)
    assert "every cell of the 3 pairs (6 records)" in loss.as_text()


def test_the_next_pairs_come_only_against_the_whole_ledger_of_the_last(desk, tmp_path) -> None:
    path = give(desk, tmp_path / "out")
    with pytest.raises(Problem, match="has not handed back"):
        desk.next_tranche("anna", tmp_path / "out")
    desk.merge(work(path, tmp_path / "some", decide=2))
    with pytest.raises(Problem, match="has not handed back"):
        desk.next_tranche("anna", tmp_path / "out")
    desk.merge(work(path, tmp_path / "all"))
    numbers, decided = [1], 3
    while (following := desk.next_tranche("anna", tmp_path / "out")) is not None:
        share = shares.open_share(path, SECRET)  # what lies beside it is taken in
        numbers.append(share.number)
        assert following.name == f"anna.{share.number}.tranche"
        loss = desk.merge(work(path, tmp_path / f"back{share.number}"))
        decided += len(share.review.pairs)
        assert loss.decided == decided
    assert numbers == [1, 2, 3]
    assert set(desk.outcome()) == {pair.id for pair in desk.review.pairs}
    assert desk.handed_out("anna") == (8, 16, 0)


def test_the_pairs_before_are_gone_from_the_share(desk, tmp_path) -> None:
    path = give(desk, tmp_path / "out")
    first = {pair.id for pair in shares.open_share(path, SECRET).review.pairs}
    desk.merge(work(path, tmp_path / "b"))
    desk.next_tranche("anna", tmp_path / "out")
    second = {pair.id for pair in shares.open_share(path, SECRET).review.pairs}
    assert len(first) == len(second) == 3
    assert not first & second


def test_a_reviewers_own_passphrase_goes_on_to_the_next_pairs(desk, tmp_path) -> None:
    path = give(desk, tmp_path / "out")
    desk.merge(work(path, tmp_path / "b"))
    shares.change_passphrase(path, SECRET, "words that only anna knows")
    desk.next_tranche("anna", tmp_path / "out")
    assert shares.open_share(path, "words that only anna knows").number == 2


def test_risk_over_all_tranches_is_that_of_the_share(desk, tmp_path) -> None:
    path = give(desk, tmp_path / "out", tranche=4)
    share = shares.open_share(path, SECRET)
    session = shares.start(path, share)
    for pair in session.order:
        session.reveal("first", pair, Level.FULL)
        session.decide(6, "", pair)
    back = shares.return_decisions(session, share, tmp_path / "b1")
    session.ledger.close()
    alone = desk.merge(back).risk_percent
    desk.next_tranche("anna", tmp_path / "out")
    both = desk.merge(work(path, tmp_path / "b2"))
    assert both.risk_percent == pytest.approx(alone / 2)
    assert both.pairs == 8


def test_a_share_holds_nobody_but_its_own_pairs(desk, tmp_path) -> None:
    share = shares.open_share(give(desk, tmp_path / "out", tranche=2), SECRET)
    assert len(share.review.people) == 4
    assert not share.review.own_crowd


def test_decisions_by_another_hand_are_refused(desk, tmp_path) -> None:
    """The manager's key is known to every reviewer; whose decisions they are shows in the signature."""
    written = desk.assign({"anna": SECRET, "ben": f"{WORDS} ben"}, out=tmp_path / "out")
    ben = shares.open_share(written["ben"], f"{WORDS} ben")
    anna = shares.open_share(written["anna"], SECRET)
    session = shares.start(written["anna"], anna)
    session.decide(1)
    forged = shares.Share(anna.review, "anna", anna.ledger_key, ben.notes, anna.back_to)
    shares.return_decisions(session, forged, tmp_path / "forged")
    session.ledger.close()
    with pytest.raises(Problem, match="not written by the reviewer"):
        desk.merge(tmp_path / "forged")


def test_deleting_the_review_removes_tranches_and_their_ledgers(desk, tmp_path) -> None:
    path = give(desk, tmp_path / "out")
    desk.merge(work(path, tmp_path / "out" / "b1"))
    desk.next_tranche("anna", tmp_path / "out")
    work(path, tmp_path / "out" / "b2")
    desk.delete()
    assert sorted(each.name for each in (tmp_path / "out").iterdir()) == []


# ---- an older ledger, and one without its head


def ledger_with(path: Path, entries: int) -> None:
    with Ledger.create(path, KEY, "ab" * 32, "anna") as ledger:
        for _ in range(entries):
            ledger.append({"what": "decide", "who": "anna", "pair": "1", "point": "6"})


def test_a_ledger_without_its_head_is_refused(tmp_path) -> None:
    path = tmp_path / "l.db"
    ledger_with(path, 1)
    older = path.read_bytes()
    with Ledger(path, KEY) as ledger:
        ledger.append({"what": "decide", "who": "anna", "pair": "2", "point": "6"})
    head_path(path).unlink()
    for data in (path.read_bytes(), older):
        path.write_bytes(data)
        with pytest.raises(Problem, match="not whole"):
            Ledger(path, KEY)
        with pytest.raises(Problem, match="not whole"):
            read_entries(path)
        assert not verify(path, KEY).ok


def test_a_head_of_another_hand_or_half_a_head_is_refused(tmp_path) -> None:
    path = tmp_path / "l.db"
    ledger_with(path, 2)
    head = head_path(path).read_text()
    for text in ("", head[:20], "0" * 12 + head[12:], head.replace(head.split()[2], "00" * 32)):
        head_path(path).write_text(text)
        with pytest.raises(Problem, match="not whole"):
            Ledger(path, KEY)


def test_a_ledger_without_entries_is_refused(tmp_path) -> None:
    path = tmp_path / "l.db"
    ledger_with(path, 2)
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as base:
        base.execute("DELETE FROM entries")
        base.commit()
    head_path(path).unlink()
    with pytest.raises(Problem, match="not whole"):
        Ledger(path, KEY)


def test_an_older_ledger_of_the_desk_is_refused_with_its_older_head(desk) -> None:
    ledger = desk.folder / LEDGER
    older = (ledger.read_bytes(), head_path(ledger).read_bytes())
    desk.session().reveal("first", "1")
    desk.close()
    newer = (ledger.read_bytes(), head_path(ledger).read_bytes())
    ledger.write_bytes(older[0])
    head_path(ledger).write_bytes(older[1])
    with pytest.raises(Problem, match="missing or older"):
        Desk.open(desk.folder, WORDS)
    for path in (ledger, head_path(ledger)):
        path.unlink()
    with pytest.raises(Problem, match="missing or older"):
        Desk.open(desk.folder, WORDS)
    ledger.write_bytes(newer[0])
    head_path(ledger).write_bytes(newer[1])
    with Desk.open(desk.folder, WORDS) as again:
        assert again.session().gate.risk > 0
