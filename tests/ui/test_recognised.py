# ruff: noqa: F811 (a fixture of another room is a name and an argument)
"""Any file of this program, dropped or opened anywhere, is recognised, named, and led to its step in its project."""

from __future__ import annotations

import pytest

from pprl_desktop.job.partnership import Partnership
from pprl_desktop.problem import Problem
from pprl_desktop.ui.panes.post import look
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.exchange.conftest import Scene, _scene, agree, everything, export, offer, people, scene  # noqa: F401


def at_desk_of_b(window: MainWindow, scene: Scene, *, agreement: str = "", unlocked: bool = True) -> None:
    window.desk.create_project(scene.folder / "b.pprlproject", "Heart outcomes")
    partner = scene.b.partner.id
    window.desk.change("home", home=str(scene.b.home.path), agreement=agreement, partner=partner if agreement else "")
    window.desk.unlocked(scene.b.own if unlocked else None)
    look(window.desk)  # as the step list does a moment later: the ledger is made now and not while something is told


def told(window: MainWindow, qtbot) -> str:  # type: ignore[no-untyped-def]
    qtbot.waitUntil(lambda: window.desk.jobs.busy() is None and bool(window.pane().messages.banners()))
    return " ".join(f"{one.what.text()} {one.more.text()}" for one in window.pane().messages.banners())


def test_the_partners_bundle_dropped_on_another_page_is_led_to_its_step(
    window: MainWindow, scene: Scene, qtbot
) -> None:  # type: ignore[no-untyped-def]
    at_desk_of_b(window, scene, agreement=scene.b.agreement.id)
    window.show_pane("settings")
    window.open_file(scene.bundle)
    qtbot.waitUntil(lambda: bool(window.desk.project.choices.partner_path))
    assert window.current == "partner"


def test_the_own_bundle_opened_by_mistake_is_said_to_be_the_own(window: MainWindow, scene: Scene, qtbot) -> None:  # type: ignore[no-untyped-def]
    at_desk_of_b(window, scene, agreement=scene.b.agreement.id)
    own = scene.folder / "b1.pprl"
    export(scene.b.home, scene.b.own, scene.b.agreement, people(0, 50), own)
    window.open_file(own)
    words = told(window, qtbot)
    assert "your own file: Bundle" in words
    assert "Send it to General Hospital" in words
    assert not window.desk.project.choices.partner_path


def test_a_bundle_of_another_agreement_is_not_filed_under_either(window: MainWindow, scene: Scene, qtbot) -> None:  # type: ignore[no-untyped-def]
    first = scene.b.agreement.id
    second = agree(scene.a, scene.b, scene.folder, offer(purpose="another one"))
    export(scene.a.home, scene.a.own, scene.a.home.agreement(second.id), people(0, 40), scene.folder / "a2.pprl")
    at_desk_of_b(window, scene, agreement=first)
    before = everything(scene.b.home.path)
    window.open_file(scene.folder / "a2.pprl")
    assert "Bundle of General Hospital, for an agreement that no project here goes by" in told(window, qtbot)
    assert everything(scene.b.home.path) == before
    assert not window.desk.project.choices.partner_path


def test_a_file_of_another_project_leads_there(window: MainWindow, scene: Scene, qtbot) -> None:  # type: ignore[no-untyped-def]
    at_desk_of_b(window, scene, agreement=scene.b.agreement.id)
    window.desk.create_project(scene.folder / "other.pprlproject", "Other")
    window.desk.change("home", home=str(scene.b.home.path))
    window.desk.unlocked(scene.b.own)
    window.open_file(scene.bundle)
    assert "for the project “Heart outcomes”" in told(window, qtbot)
    (banner,) = window.pane().messages.banners()
    next(one for one in banner.findChildren(type(window.next)) if one.text() == "Open it there").click()
    window.desk.unlocked(scene.b.own)
    qtbot.waitUntil(lambda: bool(window.desk.project.choices.partner_path))
    assert window.desk.project.title == "Heart outcomes"


def test_a_proposal_can_be_read_before_there_is_a_project(window: MainWindow, scene: Scene, qtbot, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setenv("PPRL_HOME", str(scene.b.home.path))
    monkeypatch.setattr("pprl_desktop.ui.desk.usual_folder", lambda: scene.folder / "Documents")
    Partnership.propose(scene.a.home, scene.a.own, scene.a.partner.id, offer(purpose="new"), scene.folder / "p.pprl")
    window.desk.unlocked(scene.b.own)
    window.open_file(scene.folder / "p.pprl")
    assert "Proposal for an agreement of General Hospital" in told(window, qtbot)
    (banner,) = window.pane().messages.banners()
    next(one for one in banner.findChildren(type(window.next)) if one.text() == "Read it").click()
    qtbot.waitUntil(lambda: window.current == "agreement" and window.desk.jobs.busy() is None)
    assert window.desk.project.title.startswith("Agreement of ")


def test_a_sealed_file_waits_for_the_key_and_then_opens(window: MainWindow, scene: Scene, qtbot) -> None:  # type: ignore[no-untyped-def]
    at_desk_of_b(window, scene, agreement=scene.b.agreement.id, unlocked=False)
    window.open_file(scene.bundle)
    assert "is sealed for you" in told(window, qtbot)
    window.desk.unlocked(scene.b.own)
    qtbot.waitUntil(lambda: bool(window.desk.project.choices.partner_path))
    assert window.current == "partner"


def test_the_terminal_refuses_the_own_file_and_another_agreement_too(scene: Scene) -> None:
    with pytest.raises(Problem, match="your own file"):
        Partnership.open(scene.a.home, scene.a.own, scene.bundle)
    Partnership.propose(scene.a.home, scene.a.own, scene.a.partner.id, offer(purpose="x"), scene.folder / "x.pprl")
    with pytest.raises(Problem, match="your own file"):
        Partnership.open(scene.a.home, scene.a.own, scene.folder / "x.pprl")
    with pytest.raises(Problem, match="another agreement"):
        Partnership.open(scene.b.home, scene.b.own, scene.bundle, expected="0" * 64)


def test_a_proposal_taken_in_before_leads_to_its_project_and_never_into_own_files(
    window: MainWindow, scene: Scene, qtbot
) -> None:  # type: ignore[no-untyped-def]
    Partnership.propose(scene.a.home, scene.a.own, scene.a.partner.id, offer(purpose="new"), scene.folder / "p.pprl")
    received = Partnership.open(scene.b.home, scene.b.own, scene.folder / "p.pprl")
    made = Partnership.accept(scene.b.home, scene.b.own, received.proposal, scene.folder / "yes.pprl", {})
    at_desk_of_b(window, scene, agreement=made.id)
    window.desk.create_project(scene.folder / "own.pprlproject", "Both lists", kind="two files")
    window.desk.change("home", home=str(scene.b.home.path))
    window.desk.unlocked(scene.b.own)
    window.open_file(scene.folder / "p.pprl")
    assert "for the project “Heart outcomes”" in told(window, qtbot)
    assert window.current != "agreement"


def test_what_was_said_of_an_earlier_file_does_not_hide_what_is_said_of_this_one(
    window: MainWindow, scene: Scene, qtbot
) -> None:  # type: ignore[no-untyped-def]
    at_desk_of_b(window, scene, agreement=scene.b.agreement.id)
    (scene.folder / "picture.png").write_bytes(b"no picture")
    window.open_file(scene.folder / "gone.csv")
    assert "not there any more" in told(window, qtbot)
    window.open_file(scene.folder / "picture.png")
    (banner,) = window.pane().messages.banners()
    assert "(.png) is not used here" in banner.what.text()
    window.open_files([scene.folder / "gone.csv", scene.folder / "picture.png"])
    qtbot.waitUntil(lambda: len(window.pane().messages.banners()) == 2)  # of several at once, each is told


def test_of_two_files_in_the_wrong_order_the_refusal_of_the_first_stays(
    window: MainWindow, scene: Scene, qtbot
) -> None:  # type: ignore[no-untyped-def]
    """The second one was taken in, and nothing said any more that the first was not."""
    second = scene.folder / "a2.pprl"
    export(scene.a.home, scene.a.own, scene.a.agreement, people(0, 40), second)
    at_desk_of_b(window, scene, agreement=scene.b.agreement.id)
    window.open_files([second, scene.bundle])
    qtbot.waitUntil(lambda: bool(window.desk.project.choices.partner_path) and window.desk.jobs.busy() is None)
    words = told(window, qtbot)
    assert "wrong sequence" in words
    assert "a bundle of 60 records, as agreed" in words
