"""The first page of the report: of each file that left, whom its receiver can name by it."""

from __future__ import annotations

from pathlib import Path

from pprl_desktop.exchange import clear_cells, inbox
from pprl_desktop.job.kept import KeptMatch
from pprl_desktop.job.report import Report
from pprl_desktop.job.report_paper import FirstPage, _sure, report_document
from tests.exchange import blinded
from tests.exchange.conftest import Party
from tests.exchange.test_clear_cells import scene
from tests.review.test_partner import answered, matched, review_offer


def reach(party: Party) -> dict[str, str]:
    """What left or came -> whom it names."""
    told = FirstPage(party.home, party.agreement, "", "2026-01-01", 0, 0, 0, None, None, None, None)
    listed = report_document(told, Report("", "2026-01-01")).listed
    assert listed is not None
    return {str(row[2].words): str(row[5].words) for row in listed.rows}


def test_results_and_cells_in_clear_do_not_say_that_nobody_can_be_named(tmp_path: Path) -> None:
    a, b = scene(tmp_path, review_offer())
    matched(a, b)
    b.job().send_result(tmp_path / "result.pprl")
    clear_cells.ask(a.signed(), tmp_path / "ask.pprl")
    inbox.open_file(b.home, b.own, tmp_path / "ask.pprl")
    answered(b, tmp_path / "answer.pprl")
    found = reach(b)
    assert (found["result"], found["clear cells"]) == ("those they hold too", "all 4")
    assert reach(a)["request for cells"] == "none"


def test_an_answer_says_how_far_its_guesses_reach(tmp_path: Path) -> None:
    two = blinded.agree(blinded.introduced(tmp_path))
    two.open("b", two.ask())
    two.answer()
    (entered,) = two.b.home.ledger().disclosures()
    assert reach(two.a)["question"] == "none"
    assert reach(two.b)["answer"].startswith(f"{100 * float(entered.coverage):.0f} of 100, if ")


def test_with_blind_the_forecast_is_of_those_who_share_a_key() -> None:
    """Nobody compared the others, so nobody knows how many of them are missed."""
    match = KeptMatch(0.983, 0.987, (), (0.017, 0.006, 0.027), (0.013, 0.002, 0.024), 386, reliable=True)
    said = {blind: [str(one.what) for one in _sure(match, blind=blind)] for blind in (True, False)}
    assert said == {
        True: ["links wrong", "people with a shared key missed"],
        False: ["links wrong", "shared people missed"],
    }


def test_a_forecast_that_nothing_confirms_is_no_number() -> None:
    match = KeptMatch(0.95, 0.95, (), (0.05, 0.03, 0.07), (0.05, 0.03, 0.07), 561, reliable=False)
    assert [(str(one.value), one.share) for one in _sure(match, blind=False)] == [("not known", None)] * 2
