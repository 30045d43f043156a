"""A reviewer at work: orders, blind, decisions, undo and redo, notes, resume, suggestion, speech."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.exchange.keys import Keys
from pprl_desktop.problem import Problem
from pprl_desktop.review.decisions import POINTS
from pprl_desktop.review.ledger import Ledger
from pprl_desktop.review.marks import Level
from pprl_desktop.review.masking import draw, mask
from pprl_desktop.review.plan import ReviewField
from pprl_desktop.review.session import LEGEND, ReviewSession, seconds_per_pair
from pprl_desktop.review.share import note_sealers
from pprl_desktop.review.speech import spoken
from pprl_desktop.review.suggest import experience
from tests.review.people import KEY, make_review

PEOPLE = (
    ("MARTHA", "WINTER", "1964-08-09"),
    ("MARHTA", "WINTER", "1964-09-08"),
    ("JON", "ABEND", "1950-12-28"),
    ("JOHN", "ABEND", "1905-12-28"),
    ("BERT", "MOOR", ""),
    ("LINDA", "MOOR", "1930-05-06"),
)
PAIRS = ((0, 1), (2, 3), (4, 5))
NOTES = Keys.new()


def review(**policy):
    fields = [ReviewField("first"), ReviewField("last"), ReviewField("born", "date")]
    return make_review(PEOPLE, PAIRS, fields=fields, scores=[0.5, 0.9, 0.1], **policy)


def opened(path: Path, made) -> ReviewSession:
    exists = path.exists()
    ledger = Ledger(path, KEY) if exists else Ledger.create(path, KEY, made.fingerprint(), "anna")
    return ReviewSession(made, ledger, "anna", *note_sealers(NOTES))


@pytest.fixture
def session(tmp_path):
    made = opened(tmp_path / "l", review())
    yield made
    made.ledger.close()


def test_orders(session) -> None:
    assert sorted(session.order) == ["1", "2", "3"]
    session.set_order("score")
    assert session.order == ("2", "1", "3")
    session.set_order("field", "first")
    assert session.order[-1] == "3"  # the pair whose first names differ entirely comes after the two slips
    with pytest.raises(Problem, match="not an order"):
        session.set_order("alphabet")  # type: ignore[arg-type]
    with pytest.raises(Problem, match="no field"):
        session.set_order("field", "shoe size")


def test_the_score_is_hidden_unless_the_manager_shows_it(session, tmp_path) -> None:
    assert session.view("1").score is None
    seeing = opened(tmp_path / "other", review(blind=False))
    assert seeing.view("1").score == 0.5
    seeing.ledger.close()


def test_a_view_has_everything_for_the_screen(session) -> None:
    view = session.view("1")
    assert [cell.field for cell in view.cells] == ["first", "last", "born"]
    assert view.cells[0].drawing.text(0) == "***@&*"
    assert [p.level for p in view.previews] == [Level.PARTIAL, Level.FULL, Level.PARTIAL]
    assert view.meter.risk == 0
    assert (view.of, view.decision, view.note) == (3, None, "")
    assert view.suggestion is not None
    assert str(view.suggestion.sentence).startswith(view.suggestion.field)
    assert LEGEND


def test_decide_goes_on_to_the_next_undecided_pair(session) -> None:
    session.set_order("score")
    done = session.decide(6)
    assert (done.step.pair, done.step.now.words, done.current) == ("2", POINTS[6], "1")
    assert done.advance.to_go == 2
    assert session.upcoming() == ("3",)
    session.decide(0)
    last = session.decide(1)
    assert last.current is None
    assert (last.advance.decided, last.advance.cannot_tell) == (3, 1)
    assert [d.pair for d in session.decisions.latest(2)] == ["3", "1"]
    assert session.view().id in ("1", "2", "3")
    with pytest.raises(Problem, match="not a decision"):
        session.decide(7, pair="1")


def test_decisions_are_undone_and_redone_but_disclosures_are_not(session) -> None:
    session.reveal("first", "1")
    before = session.gate.risk
    session.decide(6, pair="1")
    session.decide(2, pair="1")
    assert session.undo().step.now.point == 6
    assert session.undo().step.now is None
    assert session.current == "1"
    with pytest.raises(Problem, match="no decision to take back"):
        session.undo()
    assert session.redo().step.now.point == 6
    assert session.redo().step.now.point == 2
    with pytest.raises(Problem, match="no decision to bring back"):
        session.redo()
    session.undo()
    session.decide(4, pair="2")
    with pytest.raises(Problem, match="no decision to bring back"):
        session.redo()
    assert session.gate.risk == before > 0


def test_a_review_resumes_where_it_was_left(tmp_path) -> None:
    first = opened(tmp_path / "l", review())
    first.set_order("score")
    first.decide(6)
    first.go("3")
    first.reveal("first")
    first.annotate("odd spelling", "3")
    first.decide(5, "seen before", "2")
    first.undo()
    first.go("3")
    first.ledger.close()
    again = opened(tmp_path / "l", review())
    assert again.current == "3"
    assert again.order == first.order
    assert again.note("3") == "odd spelling"
    assert again.decisions.current["2"].point == 6
    assert again.gate.levels(2)[0] == Level.FULL
    again.ledger.close()


def test_notes_are_sealed(session, tmp_path) -> None:
    session.decide(3, "Frau Winter, siehe Akte", "1")
    assert session.note("1") == "Frau Winter, siehe Akte"
    assert b"Akte" not in (tmp_path / "l").read_bytes()


def test_moving_stops_at_either_end(session) -> None:
    assert session.go(session.order[0]).number == 1
    assert session.step(-1).number == 1
    assert session.step(1).number == 2
    assert session.step(5).number == 3
    with pytest.raises(Problem, match="no pair"):
        session.go("ffff")
    with pytest.raises(Problem, match="no pair"):
        session.decide(1, pair="ffff")


def test_a_review_without_pairs_says_so(tmp_path) -> None:
    empty = opened(tmp_path / "e", make_review(PEOPLE, [], ("variable",) * 3))
    with pytest.raises(Problem, match="no pairs"):
        empty.view()
    empty.ledger.close()


def test_the_pace_leaves_breaks_out(session) -> None:
    assert seconds_per_pair(session.ledger.entries) is None
    for pair in ("1", "2", "3"):
        session.decide(6, pair=pair)
    assert session.advance().minutes_left == 0


def test_the_suggestion_learns_and_respects_the_gate(session) -> None:
    for pair in ("1", "2"):
        session.reveal("born", pair)
        session.decide(6, pair=pair)
    assert experience(session.ledger.entries) == {("born", "partial"): (2, 2)}
    from fractions import Fraction

    from pprl_desktop.review.suggest import suggest

    view = session.view("3")
    assert suggest(view.cells, [None] * 3, {}) is None
    favourite = suggest(view.cells, view.previews, {("last", "full"): (1000, 1000)})
    assert favourite.field in ("first", "last", "born")
    assert favourite.cost >= Fraction(0)
    alike = replace(view.cells[0], kind="identical")
    assert suggest([alike], view.previews[:1], {}) is None  # what is the same on both sides settles nothing


def test_the_suggestion_depends_only_on_what_is_visible(tmp_path) -> None:
    """Other people with the same marks and the same costs get the same suggestion."""
    same_shape = (("ABCDEF", "GHIJKL", "1964-08-09"), ("ABCEDF", "GHIJKL", "1964-09-08"))
    other = (("MNOPQR", "STUVWX", "1953-07-06"), ("MNOQPR", "STUVWX", "1953-06-07"))
    found = []
    for number, rows in enumerate((same_shape, other)):
        made = make_review(rows, [(0, 1)], ("variable", "variable", "date"))
        each = opened(tmp_path / str(number), made)
        found.append(each.view("1").suggestion)
        each.ledger.close()
    assert found[0] == found[1]


# --- speech -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "a", "b", "level", "said"),
    [
        ("variable", "MARTHA", "MARHTA", 0, "two neighbouring characters changed places, 4 characters are the same."),
        ("variable", "JON", "JOHN", 1, "one extra character below, 3 characters are the same. Below: 2 hidden, H, 1"),
        ("variable", "SHIESHA", "SHAMEESHA", 0, "one character differs, 2 extra characters below, 6 characters are"),
        ("variable", "AUSTIN", "WELLER", 0, "too different to compare"),
        ("variable", "ANN", "ANN", 0, "identical. Nothing opened."),
        ("variable", "ANN", "ANN", 2, "identical. Both: ANN."),
        ("variable", "", "ANN", 0, "missing above"),
        ("variable", "ANN", "", 0, "missing below"),
        ("variable", "", "", 0, "missing in both"),
        ("category", "W", "B", 2, "different. Above: W. Below: B."),
        ("date", "1964-08-09", "1964-09-08", 0, "month and day changed places"),
        ("variable", "A B", "A-B", 1, "Above: 1 hidden, space, 1 hidden. Below: 1 hidden, hyphen, 1 hidden."),
    ],
)  # fmt: skip
def test_speech(type, a, b, level, said) -> None:
    made = mask(type, a, b)
    assert said in str(spoken("name", made.kind, draw(made, a, b, Level(level), "none")))


def test_speech_of_frequencies_and_name_swaps() -> None:
    made = mask("variable", "ANN", "ANN")
    drawing = draw(made, "ANN", "ANN", Level.MASKED, "none")
    assert str(spoken("n", "identical", drawing, ("rare", "rare"))).endswith("How common: rare.")
    assert "above unique, below not known" in str(spoken("n", "identical", drawing, ("unique", "")))
    assert "first and last name changed places" in str(spoken("n", "swapped", drawing))


@given(st.text(alphabet="ABC", min_size=1, max_size=6), st.text(alphabet="ABC", min_size=1, max_size=6))
def test_speech_says_no_more_than_the_picture(a: str, b: str) -> None:
    """Two cells with the same picture are spoken of in the same words, whatever their hidden characters are."""
    other = str.maketrans("ABC", "XYZ")
    texts = []
    for x, y in ((a, b), (a.translate(other), b.translate(other))):
        made = mask("variable", x, y)
        texts.append(spoken("name", made.kind, draw(made, x, y, Level.MASKED, "none")))
    assert texts[0] == texts[1]


def test_the_next_click_is_described_without_telling_more(session) -> None:
    assert [str(p.shows) for p in session.view("1").previews] == [
        "Opens the 2 characters that differ.", "Opens the value.", "Opens the 4 characters that differ.",
    ]  # fmt: skip
    assert str(session.view("2").previews[0].shows) == "Opens the characters that differ: 0 above, 1 below."
    assert str(session.view("3").previews[0].shows) == "Opens both values."
    assert str(session.view("3").previews[2].shows) == "Opens the value."
    from pprl_desktop.review.speech import next_words

    assert str(next_words(mask("fixed", "123456", "123457"), Level.FULL, "last4")) == "Opens the last 4 characters."
    assert (
        str(next_words(mask("fixed", "123456", "123457"), Level.PARTIAL, "none")) == "Opens the character that differs."
    )


def test_a_session_opened_in_one_thread_works_in_another(session) -> None:
    import threading

    failed = []

    def work() -> None:
        try:
            session.reveal("first", "1")
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed
