"""Blind in two windows: one side asks, the other answers; three files, and nothing a dictionary could read."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from pprl_desktop.job.demo import first_of_both
from pprl_desktop.ui.kit.i18n import tr
from tests.ui import test_journey
from tests.ui.test_journey import Steward, meet

answer, stewards, language = test_journey.answer, test_journey.stewards, test_journey.language  # its fixtures
ROWS = 500  # of each hospital: smaller tables are too easily guessed


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    return first_of_both(tmp_path, ROWS)


def test_one_asks_and_the_other_answers(
    stewards: tuple[Steward, Steward], tables: tuple[Path, Path], tmp_path: Path
) -> None:
    anna, bernd = stewards
    post = tmp_path / "post"
    meet(anna, bernd, (tables[1], tables[0]), post)

    anna.window.show_pane("method")
    use = next(
        one for one in anna.pane.findChildren(QPushButton) if one.accessibleName() == tr("Use {way}", way=tr("Blind"))
    )
    use.click()
    assert anna.window.desk.need_project().choices.method == "blind"
    for step in ("data", "fields", "method"):
        anna.window.desk.confirm(step)
    anna.window.show_pane("agreement")
    anna.wait()
    assert not anna.window.next.isEnabled()
    assert anna.pane.reason() == tr("Say how many records the partner has.")
    assert "review" in [anna.pane.start.rule.itemData(i) for i in range(anna.pane.start.rule.count())]
    note = tr("No review is agreed: unsure pairs stay unlinked, and no value ever goes in clear.")
    assert anna.pane.start.rule_note.text() == note
    anna.pane.blind.rows.setValue(bernd.window.desk.need_project().choices.rows)
    anna.pane.blind.bound.setCurrentIndex(anna.pane.blind.bound.findData(0.3))  # so small a table is easily guessed
    anna.pane.blind.changed.emit()
    anna.qtbot.waitUntil(lambda: anna.window.next.isEnabled())
    anna.press(anna.window.next, post / "proposal.pprl")

    bernd.window.show_pane("agreement")
    bernd.take(post / "proposal.pprl")
    bernd.qtbot.waitUntil(lambda: bernd.pane.blind.weighed is not None)
    assert bernd.pane.reason() == ""
    figures = [str(one.what) for one in bernd.pane.read.document.figures]
    assert figures == ["of your records within reach"]  # counted here, on the first page of what is signed
    assert tr("of your records within reach of a liar") in bernd.pane.blind.number.accessibleName()
    bernd.press(bernd.window.next, post / "signed.pprl")
    anna.take(post / "signed.pprl")

    # the question, the answer
    for one in (anna, bernd):
        one.next("export")
    assert anna.window.steps_named()["export"] == tr("Question")
    anna.pane.known.setChecked(True)
    anna.press(anna.window.next, post / "question.pprl")
    anna.next("partner")
    bernd.next("partner")
    asks, answers = "Heart registry", "St. Anne"
    assert bernd.pane.reason() == tr("The question of {partner} is not here yet.", partner=asks)
    bernd.take(post / "question.pprl")
    bernd.qtbot.waitUntil(lambda: bernd.pane.answering.weighed is not None)
    assert bernd.pane.reason() == tr("Say that you may answer it.")
    bernd.pane.answering.known.setChecked(True)
    assert not (post / "answer.pprl").exists()
    bernd.press(bernd.window.next, post / "answer.pprl")
    bernd.qtbot.waitUntil(lambda: bernd.pane.reason() == "" and bernd.pane.sent.isVisibleTo(bernd.pane))
    assert bernd.pane.title.text() == tr("Send your answer to {partner}", partner=asks)
    assert [one.kind for one in bernd.pane.messages.banners()] == ["good"]  # the question is not announced any more
    anna.take(post / "answer.pprl")
    anna.next("match")
    anna.pane._match()
    anna.wait()
    assert anna.window.desk.findings.match is not None, [b.accessibleName() for b in anna.pane.messages.banners()]

    # the result, and both go by it
    anna.next("results")
    assert tr("your question of {day}", day="x")[:8] in anna.pane.slip.findChildren(QLabel)[-1].text()
    anna.pane.known.setChecked(True)
    anna.press(anna.window.next, post / "result.pprl")
    bernd.next("match")
    bernd.next("results")
    bernd.take(post / "result.pprl")
    for one in (anna, bernd):
        one.qtbot.waitUntil(lambda o=one: o.window.desk.findings.outcome is not None)
    linked = [one.window.desk.findings.outcome.counts()["linked"] for one in (anna, bernd)]
    assert linked[0] == linked[1] >= 270
    assert anna.pane.title.text() == tr("Your result is written")
    assert bernd.pane.title.text() == tr("The result of {partner} is here", partner=asks)
    for one in (anna, bernd):  # one side decides: nothing was "found by both"
        assert not any(shown.isVisibleTo(one.pane) for shown in one.pane.numbers.values())

    # other lines: the result that was sent is out of date, and the page says so
    anna.window.show_pane("match")
    anna.qtbot.waitUntil(lambda: anna.pane.found.isVisibleTo(anna.pane))
    scores = sorted({float(one) for one in anna.pane.histogram.scores})
    anna.pane._set_lines(scores[0], scores[-1])
    anna.qtbot.waitUntil(lambda: len(anna.window.desk.findings.match.accepted()) < linked[0])
    anna.next("results")
    assert anna.pane.title.text() == tr("Send {partner} your new result", partner=answers)
    anna.pane.known.setChecked(True)
    anna.press(anna.window.next)
    anna.qtbot.waitUntil(lambda: anna.pane.title.text() == tr("Your result is written") and not anna.pane.reason())
    for one in (anna, bernd):
        one.next("review")
        one.window.show_pane("finish")
        one.press(one.window.next)
        folder = Path(one.window.desk.need_project().choices.output_folder)
        assert (folder / "linked.csv").is_file()
        assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")

    # the next delivery is a run of its own, with the same choices
    newer = tmp_path / "newer.csv"
    newer.write_text("".join(tables[1].read_text(encoding="utf-8").splitlines(keepends=True)[:-5]), encoding="utf-8")
    before = anna.window.desk.need_project().choices
    anna.window.show_pane("data")
    anna.wait()
    anna.pane.take_next(str(newer))
    anna.wait()
    now = anna.window.desk.need_project().choices
    assert (now.agreement, now.bundle_path, now.rows) == ("", "", before.rows - 5)
    assert (now.method, now.partner, now.fields) == ("blind", before.partner, before.fields)
    said = " ".join(banner.accessibleName() for banner in anna.pane.messages.banners())
    assert tr("With blind each delivery is a run of its own: propose the terms again.") in said
    anna.window.show_pane("agreement")
    assert anna.pane._agreement() is None  # the old one allows no second question


@pytest.mark.slow
@pytest.mark.parametrize("language", ["de"], indirect=True)
def test_one_asks_and_the_other_answers_in_german(
    language: str, stewards: tuple[Steward, Steward], tables: tuple[Path, Path], tmp_path: Path
) -> None:
    test_one_asks_and_the_other_answers(stewards, tables, tmp_path)
    assert stewards[0].window.steps_named()["export"] == "Ihre Datei", "nothing is agreed for the next delivery yet"
    assert stewards[1].window.steps_named()["export"] == "Frage"
