"""A finished match is there again after a restart, without comparing anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pprl_desktop.ui.shell.main_window import MainWindow
from tests.exchange.conftest import FIELDS
from tests.exchange.test_clear_cells import scene
from tests.review.test_partner import HERE, review_offer


def wait(window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    for _ in range(2):  # what ended may have started something more
        qtbot.wait(50)
        qtbot.waitUntil(lambda: window.desk.jobs.idle())
    qtbot.wait(20)


def test_a_finished_match_survives_a_restart(open_window: Callable[..., MainWindow], tmp_path: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    a, _b = scene(tmp_path, review_offer())
    lines = zip(*(column.cells() for column in HERE.columns), strict=True)
    text = "\n".join(["first_name,last_name,born", *(",".join(line) for line in lines)])
    (tmp_path / "here.csv").write_text(text + "\n")
    window = open_window()
    window.desk.create_project(tmp_path / "p" / "p.pprlproject")
    window.open_file(tmp_path / "here.csv")
    wait(window, qtbot)
    received = a.agreement.latest_received("data")
    assert received is not None
    window.desk.change(
        "as agreed", home=str(a.home.path), agreement=a.agreement.id, rule="review", fields=FIELDS,
        columns=tuple((one.name, one.name) for one in FIELDS), partner=a.agreement.contact, bundle_path="b",
        partner_path="p", partner_sha256=received.digest,
    )  # fmt: skip
    for step in ("data", "fields", "method", "agreement", "export", "partner"):
        window.desk.confirm(step)
    window.desk.unlocked(a.own)
    window.show_pane("match")  # a first match starts by itself
    wait(window, qtbot)
    before = window.desk.findings.match
    assert before is not None
    path = window.desk.need_project().path
    window.desk.close_project()  # without Next: the match was finished, that is enough

    again = open_window()
    again.open_file(path)
    again.desk.unlocked(a.own)
    started: list[str] = []
    again.desk.jobs.started.connect(lambda job: started.append(job.title))
    again.show_pane("match")
    wait(again, qtbot)
    after = again.desk.findings.match
    assert after is not None
    assert "Matching" not in started
    assert len(after.accepted()) == len(before.accepted())
    shown = again.desk.findings.shown
    assert shown is not None
    assert repr(shown.rows) == repr(window_rows(before, a))  # with the evidence of each field
    again.pane()._set_lines(before.review, before.accept + 1.0)
    wait(again, qtbot)
    assert again.desk.findings.match is not None
    assert again.desk.findings.match.accept == before.accept + 1.0
    again.desk.unlocked(None)
    again.show_pane("match")
    qtbot.waitUntil(lambda: again.pane().identity.isVisible() and not again.pane().pages.isVisible())
    head, card = again.pane().sentence, again.pane().identity
    top = card.mapTo(again.pane(), card.rect().topLeft()).y()
    assert (
        top - head.mapTo(again.pane(), head.rect().bottomLeft()).y() < 60
    )  # the head is not blown up to fill the page


def window_rows(match, party):  # type: ignore[no-untyped-def]
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.ui.panes.match_pairs import table_rows

    return table_rows(match, Partnership(party.home, party.own, party.agreement.id).partner_names())
