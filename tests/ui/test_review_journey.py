"""A review with the partner through both windows: asked, answered in clear, decided, taken in, told again, finished.

The two hospitals have other headings, dates and codes. Everything before the results is played by the demo's job.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QWidget

from pprl_desktop.job.demo import PASSPHRASE, stages
from pprl_desktop.ui.kit import i18n
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.ui.test_journey import Steward

SECRET = "four quiet rivers turn north"
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", ["en", "de"])
def test_one_asks_the_other_sends_cells_and_both_end_with_the_same_links(  # type: ignore[no-untyped-def]
    language: str, open_window: Callable[..., MainWindow], tmp_path: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = {"path": ""}
    for name in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, name, staticmethod(lambda *_a, **_k: (chosen["path"], "")))
    projects = next(paths for stage, *paths in stages(tmp_path / "job", rule="review") if stage == "told")
    anna, bernd = (
        Steward(open_window("--light", f"--language={language}"), tmp_path, qtbot, lambda p: chosen.update(path=str(p)))
        for _ in range(2)
    )
    try:
        for one, path in zip((anna, bernd), projects, strict=True):
            one.window.open_file(path)
            one.wait()
            one.window.desk.unlocked(one.window.desk.home.unlock(PASSPHRASE))

        # anna asks
        anna.window.show_pane("review")
        asks = anna.pane.with_partner
        qtbot.waitUntil(lambda: asks.stands is not None and asks.ask.isVisible())
        unsure = asks.stands.unsure
        assert unsure
        anna.press(asks.ask, tmp_path / "ask.pprl")
        qtbot.waitUntil(lambda: asks.open.isVisible())

        # bernd drops it anywhere, sees what would leave, and confirms it
        bernd.window.show_pane("settings")
        bernd.window.open_file(tmp_path / "ask.pprl")
        qtbot.waitUntil(lambda: bernd.window.current == "review")
        answer = bernd.pane.answer
        qtbot.waitUntil(lambda: answer.planned is not None)
        assert not answer.write.isEnabled()
        answer.known.click()
        bernd.press(answer.write, tmp_path / "cells.pprl")
        assert (tmp_path / "cells.pprl").is_file()
        qtbot.waitUntil(lambda: bernd.pane.with_partner.send.isVisible())
        assert str(tmp_path / "cells.pprl") in words(bernd.pane.with_partner.send)
        assert [one.what for one in bernd.window.desk.home.ledger().disclosures()][-1] == "clear cells"

        # anna decides every pair by its key
        anna.window.open_file(tmp_path / "cells.pprl")
        new = asks.new
        qtbot.waitUntil(lambda: new.isVisible())
        for field in (new.secret, new.again):
            qtbot.keyClicks(field.edit, SECRET)
        anna.press(new.make)
        qtbot.waitUntil(lambda: anna.pane.panel.session is not None)
        session = anna.pane.panel.session
        assert session.advance().to_go
        while session.advance().to_go:
            qtbot.keyClick(anna.window.focusWidget(), Qt.Key.Key_6)
        assert anna.pane.summary.isVisible()

        # taken in, written and sent again; both go by it
        before = anna.window.desk.partnership().outcome().counts()["linked"]
        anna.press(anna.window.next)
        qtbot.waitUntil(lambda: anna.window.current == "results")
        assert not anna.window.next.isEnabled(), "what leaves is confirmed each time"
        anna.pane.known.click()
        qtbot.waitUntil(lambda: anna.window.next.isEnabled())
        anna.press(anna.window.next)
        result = Path(anna.window.desk.need_project().choices.result_path)
        qtbot.waitUntil(result.is_file)
        qtbot.waitUntil(lambda: anna.pane.sent.isVisible())
        assert str(result) in words(anna.pane.sent)
        bernd.window.open_file(result)
        for one in (anna, bernd):
            one.wait()
            one.window.show_pane("results")
            qtbot.waitUntil(lambda o=one: o.window.desk.findings.outcome is not None)
        linked = [one.window.desk.findings.outcome.counts()["linked"] for one in (anna, bernd)]
        assert linked[0] == linked[1] >= before

        # the report tells what left in clear
        for one in (anna, bernd):
            for _ in range(3):  # by Next alone, past the review where pairs are left open
                if one.window.current != "finish":
                    one.press(one.window.next)
                    one.wait()
            assert one.window.current == "finish"
            qtbot.waitUntil(lambda o=one: o.window.next.isEnabled())
            one.press(one.window.next)
            project = one.window.desk.need_project()
            qtbot.waitUntil(lambda p=project: p.state("finish").state == "done")
            assert (Path(project.choices.output_folder) / "linked.csv").is_file()
        assert {one.state for one in anna.window.desk.need_project().states()} == {"done"}
    finally:
        i18n.install(None, "en")


def words(shown: QWidget) -> str:
    return " ".join(one.text() for one in shown.findChildren(QLabel))
