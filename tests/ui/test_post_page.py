# ruff: noqa: F811 (a fixture of another room is a name and an argument)
"""Post: the next file to send says where it lies, waiting says for whom, and every file is in the list."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLabel, QToolButton

from pprl_desktop.job import post
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.project.choices import Choices
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.exchange.conftest import Scene, _scene, scene  # noqa: F401
from tests.exchange.test_clear_cells import scene as reviewed
from tests.review.test_partner import THERE, answered, asked, review_offer


def words(window: MainWindow) -> str:
    pane = window.pane()
    return " ".join(one.text() for one in pane.findChildren(QLabel) if one.isVisibleTo(pane))


def desk_of(window: MainWindow, scene: Scene, party) -> None:  # type: ignore[no-untyped-def]
    window.desk.create_project(scene.folder / "job.pprlproject", "Job")
    window.desk.change(
        "home", home=str(party.home.path), agreement=party.agreement.id, partner=party.home.contacts()[0].id
    )


def test_an_empty_post_says_what_comes_first(window: MainWindow, tmp_path) -> None:  # type: ignore[no-untyped-def]
    window.desk.create_project(tmp_path / "job.pprlproject", "Job")
    window.show_pane("post")
    assert "Nothing was sent or received yet" in words(window)


def test_the_file_to_send_says_where_it_lies_until_it_has_gone(window: MainWindow, scene: Scene, qtbot) -> None:  # type: ignore[no-untyped-def]
    desk_of(window, scene, scene.a)
    folder = window.desk.project.folder / "post"
    folder.mkdir(parents=True)
    shutil.copy(scene.bundle, folder / "bundle.pprl")
    window.show_pane("post")
    assert "Send to Cancer Registry: Bundle" in words(window)
    assert str(folder / "bundle.pprl") in words(window)
    assert "Waiting for a file of Cancer Registry: Bundle" in words(window)
    qtbot.waitUntil(lambda: window.beside.buttons["post"].entry.count == 1)
    qtbot.waitUntil(lambda: window.steps.buttons["partner"].entry.mark == "waiting")
    assert "Cancer Registry" in window.steps.buttons["partner"].entry.why
    window.pane().sent.click()
    assert "Send to Cancer Registry" not in words(window)


def test_what_came_in_is_listed_with_its_form(window: MainWindow, scene: Scene) -> None:
    Partnership.open(scene.b.home, scene.b.own, scene.bundle)
    desk_of(window, scene, scene.b)
    window.show_pane("post")
    told = words(window)
    assert "Post with General Hospital" in told
    for expected in ("received", "Bundle", "smashed", "Proposal for an agreement", "Signed agreement"):
        assert expected in told


def test_a_request_is_told_from_the_cells_in_clear(tmp_path: Path) -> None:
    a, b = reviewed(tmp_path, review_offer())
    asked(a, b, tmp_path)
    for party in (a, b):
        told = post.of_project(party.home, Choices(agreement=party.agreement.id), tmp_path / "none")
        assert [(one.kind, one.form) for one in told.letters if one.kind.startswith("review")] == [
            ("review_request", "numbers")
        ], "no value is in a request"
    assert post.of_project(a.home, Choices(agreement=a.agreement.id), tmp_path / "none").awaited is not None
    answered(b, tmp_path / "answer.pprl", THERE)
    Partnership.open(a.home, a.own, tmp_path / "answer.pprl")
    for party in (a, b):
        told = post.of_project(party.home, Choices(agreement=party.agreement.id), tmp_path / "none")
        assert {(one.kind, one.form) for one in told.letters if one.kind.startswith("review")} == {
            ("review_request", "numbers"), ("review_cells", "clear"),
        }  # fmt: skip


def test_a_file_whose_copy_is_lost_is_written_once_more(window: MainWindow, scene: Scene, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    desk_of(window, scene, scene.a)
    window.show_pane("post")
    assert "sent, file 1" in words(window), "as the partner's program names it"
    out = scene.folder / "once more.pprl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, **_more: (str(out), ""))
    tools = [one for one in window.pane().findChildren(QToolButton) if "once more" in one.accessibleName()]
    next(one for one in tools if "Bundle" in one.accessibleName()).click()
    assert out.read_bytes() == scene.bundle.read_bytes()
    assert [one.sent for one in scene.a.home.ledger().releases()] == [1]
    assert str(out) in words(window), "it is found where it was written"
