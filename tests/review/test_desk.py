"""Roles: a manager divides a review, reviewers work in sealed files, conflicts come back, delete cleans up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Table
from pprl_desktop.review import share as shares
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.desk_files import ledger_key
from pprl_desktop.review.ledger import verify
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import ReviewField
from pprl_desktop.review.roles import Vote, deal, majority
from tests.review.people import make_review

WORDS = "four quite unrelated words"
ROWS = [(f"{name}{i}", f"19{50 + i}-01-0{1 + i % 8}") for i in range(8) for name in ("MARTHA", "MARHTA")]
PAIRS = [(2 * i, 2 * i + 1) for i in range(8)]


def review(**policy):
    fields = (ReviewField("first", frequency=True), ReviewField("born", "date"))
    return make_review(ROWS, PAIRS, fields=fields, scores=[i / 8 for i in range(8)], **policy)


@pytest.fixture
def desk(tmp_path):
    with Desk.create(tmp_path / "r", review(), WORDS) as made:
        yield made


def work(path: Path, points: dict[str, int], reveal: str = "", out: Path | None = None) -> Path:
    """A reviewer decides the pairs of a share and hands it back."""
    share = shares.open_share(path, f"{WORDS} {path.stem}")
    session = shares.start(path, share)
    for pair in session.order:
        if reveal:
            session.reveal(reveal, pair)
        session.decide(points.get(pair, 6), "a note" if pair in points else "", pair)
    made = shares.return_decisions(session, share, out or path.with_suffix(shares.RETURN_SUFFIX))
    session.ledger.close()
    return made


def hand_out(desk, *names: str, **more) -> dict[str, Path]:
    return desk.assign({name: f"{WORDS} {name}" for name in names}, **more)


def test_a_desk_opens_only_with_its_passphrase(desk) -> None:
    desk.close()
    with Desk.open(desk.folder, WORDS) as again:
        assert again.review.fingerprint() == desk.review.fingerprint()
    with pytest.raises(Problem, match="cannot be opened"):
        Desk.open(desk.folder, "another passphrase")
    with pytest.raises(Problem, match="no review"):
        Desk.open(desk.folder / "nowhere", WORDS)
    with pytest.raises(Problem, match="something in that folder"):
        Desk.create(desk.folder, review(), WORDS)
    assert verify(desk.folder / "ledger.db", ledger_key(desk.folder, WORDS)).ok


def test_nothing_personal_lies_open_in_the_folder(desk) -> None:
    session = desk.session()
    session.reveal("first", "1")
    session.decide(6, "Martha is known here", "1")
    hand_out(desk, "anna")
    written = list(desk.folder.iterdir())
    assert {"people.age", "ledger.db", "anna.share"} <= {path.name for path in written}
    for path in written:
        data = path.read_bytes()
        assert b"MARTHA" not in data
        assert b"known here" not in data
        assert b"1950" not in data or path.name == "ledger.db"


def test_weak_and_impossible_choices_are_refused(desk, tmp_path) -> None:
    with pytest.raises(Problem, match="too short"):
        Desk.create(tmp_path / "x", review(), "short")
    with pytest.raises(Problem, match="no pairs"):
        Desk.create(tmp_path / "y", replace(review(), pairs=()), WORDS)
    for names, more, words in (
        ((), {}, "No reviewer"),
        (("manager",), {}, "has a share already"),
        (("anna",), {"overlap": 0.5}, "overlap"),
        (("anna", "ben"), {"overlap": 1.5}, "overlap"),
        (("x" * 65,), {}, "name of 1 to 64"),
    ):
        with pytest.raises(Problem, match=words):
            hand_out(desk, *names, **more)


def test_shares_and_overlap() -> None:
    dealt = deal([str(i) for i in range(10)], ["a", "b"], 0.4)
    assert set(dealt["a"]) | set(dealt["b"]) == {str(i) for i in range(10)}
    assert len(set(dealt["a"]) & set(dealt["b"])) == 4
    everything = deal([str(i) for i in range(5)], ["a", "b"], 1.0)
    assert sorted(everything["a"]) == sorted(everything["b"]) == [str(i) for i in range(5)]
    assert deal(["1"], ["a", "b"], 0.0) == {"a": ["1"], "b": []}
    even = deal([str(i) for i in range(22)], ["a", "b"], 0.5)  # not the same one of two in turn, each time
    assert {name: len(pairs) for name, pairs in even.items()} == {"a": 17, "b": 16}


def test_the_budget_of_the_review_is_divided(tmp_path) -> None:
    with Desk.create(tmp_path / "r", review(review_budget=Fraction(1, 2)), WORDS) as desk:
        written = hand_out(desk, "anna", "ben", overlap=1.0)
        share = shares.open_share(written["anna"], f"{WORDS} anna")
        assert share.review.policy.review_budget == Fraction(1, 4)


def test_the_reviewer_takes_an_own_passphrase(desk) -> None:
    path = hand_out(desk, "anna")["anna"]
    shares.change_passphrase(path, f"{WORDS} anna", "my very own words")
    assert shares.open_share(path, "my very own words").reviewer == "anna"
    with pytest.raises(Problem, match="cannot be opened"):
        shares.open_share(path, f"{WORDS} anna")


@pytest.mark.parametrize("whole_crowd", [True, False])
def test_votes_come_back_and_conflicts_are_settled(desk, tmp_path, whole_crowd) -> None:
    written = hand_out(desk, "anna", "ben", overlap=1.0, whole_crowd=whole_crowd, out=tmp_path / "out")
    loss = desk.merge(work(written["anna"], {"1": 1, "2": 0}, reveal="first"))
    assert loss.reviewer == "anna"
    assert loss.risk_percent > 0
    assert loss.decided == 8
    desk.merge(work(written["ben"], {"3": 2}))
    conflicts = {conflict.pair: conflict for conflict in desk.conflicts()}
    assert set(conflicts) == {"1", "3"}
    assert {(v.reviewer, v.point) for v in conflicts["1"].votes} == {("anna", 1), ("ben", 6)}
    assert [v.note for v in conflicts["1"].votes if v.reviewer == "anna"] == ["a note"]
    assert conflicts["1"].opened == (Level.PARTIAL, Level.MASKED)
    cells = desk.look_at("1")
    assert cells[0].drawing.text(0).count("*") < len(cells[0].drawing.above)
    assert cells[0].level == Level.PARTIAL
    assert desk.outcome()["2"] is True  # "cannot tell" against "same"
    assert desk.outcome()["1"] is None
    third = desk.third_opinion("carla", f"{WORDS} carla")
    desk.merge(work(third["carla"], {"1": 1}))
    assert desk.outcome()["1"] is False
    assert desk.outcome()["3"] is True
    desk.resolve("3", 2)
    assert desk.outcome()["3"] is False
    assert desk.conflicts() == ()
    with pytest.raises(Problem, match="no conflict"):
        desk.third_opinion("dora", f"{WORDS} dora")
    with pytest.raises(Problem, match="not a decision"):
        desk.resolve("3", 9)
    with pytest.raises(Problem, match="no pair"):
        desk.resolve("ffff", 1)
    assert {name: back for name, (_, back) in desk.shares().items()} == {"anna": True, "ben": True, "carla": True}
    assert {loss.reviewer for loss in desk.losses()} == {"anna", "ben", "carla", "manager"}
    assert "MARTHA" not in "".join(loss.as_text() for loss in desk.losses())


def test_decisions_that_do_not_fit_are_refused(desk, tmp_path) -> None:
    written = hand_out(desk, "anna")
    first = work(written["anna"], {}, out=tmp_path / "first.decisions")
    share = shares.open_share(written["anna"], f"{WORDS} anna")
    session = shares.start(written["anna"], share)
    session.decide(1, pair="1")
    newer = shares.return_decisions(session, share, tmp_path / "newer.decisions")
    session.ledger.close()
    desk.merge(newer)
    with pytest.raises(Problem, match="older than"):
        desk.merge(first)
    with Desk.create(tmp_path / "other", review(), WORDS) as other, pytest.raises(Problem, match="another review"):
        other.merge(newer)
    with pytest.raises(Problem, match="not a reviewer's decisions"):
        desk.merge(desk.folder / "desk.age")
    newer.write_bytes(newer.read_bytes()[:-20])
    with pytest.raises(Problem, match="damaged"):
        desk.merge(newer)


def returned(path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[dict], object], *, begin=None) -> Path:
    """The decisions of a reviewer whose program writes them changed like this."""
    share = shares.open_share(path, f"{WORDS} anna")
    session = shares.start(path, share)
    if begin is not None:
        begin(session)
    real = shares.sealing.write_to_key

    def changed(out, kind, plain, *rest) -> None:
        change(plain)
        real(out, kind, plain, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(shares.sealing, "write_to_key", changed)
        made = shares.return_decisions(session, share, path.with_name("d"))
    session.ledger.close()
    return made


def test_an_altered_ledger_does_not_come_in(desk, monkeypatch) -> None:
    back = returned(
        hand_out(desk, "anna")["anna"],
        monkeypatch,
        lambda plain: plain["entries"].pop(),
        begin=lambda session: session.reveal("first", "1"),
    )
    with pytest.raises(Problem, match="not whole"):
        desk.merge(back)


def test_majority() -> None:
    assert majority([Vote("a", 6), Vote("b", 1)]) is None
    assert majority([Vote("a", 6), Vote("b", 0)]) is True
    assert majority([Vote("a", 1), Vote("b", 2), Vote("c", 6)]) is False
    assert majority([Vote("a", 0)]) is None


def test_export_and_delete_leave_nothing(desk, tmp_path) -> None:
    written = hand_out(desk, "anna", out=tmp_path / "shares")
    desk.merge(work(written["anna"], {}))
    table = Table.of(("id", "income"), [(str(i), f"={i}") for i in range(len(ROWS))])
    lines = desk.export(tmp_path / "linked.csv", [table], [["income"]])
    assert lines == 16
    with pytest.raises(Problem, match="permission"):
        desk.export(tmp_path / "named.csv", [table], [[]], identifying=True)
    desk.permit_identifying()
    assert desk.identifying
    desk.export(tmp_path / "named.csv", [table], [[]], "pairs", identifying=True)
    assert "MARTHA0" in (tmp_path / "named.csv").read_text("utf-8-sig")
    gone = desk.delete()
    assert len(gone) > 6
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_permission_can_be_given_at_the_start(tmp_path) -> None:
    with Desk.create(tmp_path / "r", review(), WORDS, identifying=True) as desk:
        assert desk.ledger.entries[-1].body["kind"] == "identifying export"


@pytest.mark.parametrize("missing", ["entries", "notes", "seal", "reviewer"])
def test_a_decisions_file_made_otherwise_is_refused_in_words(desk, monkeypatch, missing) -> None:
    back = returned(hand_out(desk, "anna")["anna"], monkeypatch, lambda plain: plain.pop(missing))
    with pytest.raises(Problem, match="does not read as one"):
        desk.merge(back)


def test_more_than_the_budget_does_not_come_in(tmp_path) -> None:
    with Desk.create(tmp_path / "r", review(reviewer_budget=Fraction(1, 10**6)), WORDS) as desk:
        path = hand_out(desk, "anna")["anna"]
        share = shares.open_share(path, f"{WORDS} anna")
        session = shares.start(path, share)
        session.gate.grant(0, (Level.FULL, Level.FULL))  # what only a manager may do
        back = shares.return_decisions(session, share, tmp_path / "d")
        session.ledger.close()
        with pytest.raises(Problem, match="over the budget"):
            desk.merge(back)
