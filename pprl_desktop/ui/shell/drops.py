"""A file from outside, dropped or opened anywhere: said what it is, then led to its page in its project."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.words import day_words
from pprl_desktop.ui.panes.unlock import IdentityCard

if TYPE_CHECKING:
    from pprl_desktop.exchange.recognised import Recognised
    from pprl_desktop.ui.kit.settings import Known
    from pprl_desktop.ui.shell.main_window import MainWindow

PROJECT = ".pprlproject"
PLAIN = (".csv", ".tsv", ".tab", ".txt", ".gz", ".zip")  # beside the formats of other programs
CARD = ".pprlcard"
GROUP = ".pprlgroup"
SHARE = ".share"  # of a review; its passphrase opens it, and no key
EXCHANGE = (".pprl", ".age")  # every sealed file of the partner
# where a file of each kind is looked at; kinds that are not here are taken in where the steward is
PAGES = {
    "proposal": "agreement",
    "accepted": "agreement",
    "declined": "agreement",
    "data": "partner",
    "question": "partner",
    "answer": "partner",
    "result": "results",
    "review_request": "review",
    "review_cells": "review",
}


def take(window: MainWindow, path: Path) -> None:
    from pprl_desktop.exchange import recognised
    from pprl_desktop.records.formats import ENDINGS

    suffix = path.suffix.lower()
    if not path.is_file():
        raise Problem(tr("This file is not there any more."), do=tr("Choose it where it is now."))
    if suffix == PROJECT:
        window.desk.open_project(path)
    elif suffix == SHARE:
        window.show_pane("share")
        window.pane().take_file(str(path))
    elif suffix in (CARD, *EXCHANGE) or recognised.is_sealed(path):
        _look_at(window, path)
    elif suffix == GROUP:
        _show_group(window, path)
    elif window.pane().accepts(suffix):
        window.pane().take_file(str(path))
    elif suffix in (*PLAIN, *ENDINGS):
        window.show_pane(_data_page(window))
        window.pane().take_file(str(path))
    else:
        raise Problem(
            tr("A file of this kind ({ending}) is not used here.", ending=suffix or tr("without ending")),
            tr("Accepted are tables ({endings}), contact cards, sealed files from the partner, and projects.",
               endings=", ".join((*PLAIN, *ENDINGS))),
            tr("Save a table of another program as CSV first."),
            place="file",
        )  # fmt: skip


def _show_group(window: MainWindow, path: Path) -> None:
    """In a project, the group that its proposal is to be part of; elsewhere what it says."""
    from pprl_desktop.job.groups import in_words, read_file

    if window.desk.project is not None and window.desk.project.choices.kind == "partner":
        window.show_pane("agreement")
        window.pane().take_file(str(path))
        return
    group = read_file(path)
    window.show_pane("groups")
    window.pane().say("info", group.name, " ".join(tr_core(one) for one in in_words(group)))


def _data_page(window: MainWindow) -> str:
    """Where a table belongs: of two own files, to the second once the first is there."""
    project = window.desk.project
    if project is None:
        return "welcome"
    choices = project.choices
    return "data_b" if choices.kind == "two files" and choices.table_path and choices.second is None else "data"


def _look_at(window: MainWindow, path: Path) -> None:
    from pprl_desktop.job.partnership import Partnership

    home, own = window.desk.home, window.desk.identity()
    window.pane().run(
        tr("Looking at the file"),
        lambda _progress: Partnership.recognise(home, own, path),
        lambda found: _lead(window, found),
        key="file.look",
    )


def _lead(window: MainWindow, found: Recognised) -> None:
    if found.kind in ("card", "own_card"):
        window.show_pane("contacts")
        window.pane().take_file(str(found.path))
    elif found.kind == "own":
        _own(window, found)
    elif found.kind == "locked":
        _wait_for_key(window, found.path)
    elif found.kind not in PAGES:
        _take_in(window, found)
    elif _belongs_here(window, found):
        _open(window, found)
    elif found.kind == "proposal" and _project_of(window, found) is None:
        _offer_project(window, found)
    else:
        _other_project(window, found)


def _open(window: MainWindow, found: Recognised) -> None:
    window.show_pane(PAGES[found.kind])
    window.pane().take_file(str(found.path))


def _belongs_here(window: MainWindow, found: Recognised) -> bool:
    project = window.desk.project
    if project is None or project.choices.kind != "partner":
        return False
    choices = project.choices
    if choices.agreement and choices.agreement == found.agreement:
        return True
    if found.kind in ("proposal", "accepted", "declined"):
        return not choices.agreement and choices.partner in ("", found.contact)
    return False


def _own(window: MainWindow, found: Recognised) -> None:
    from pprl_desktop.exchange import refusals

    partner = str(dict(found.said.values)["partner"])
    what = dict(found.said.values)["what"]
    window.pane().show_problem(refusals.own_file(what, partner))  # type: ignore[arg-type]


def _wait_for_key(window: MainWindow, path: Path) -> None:
    """The file is kept in mind; it opens as soon as the key does."""
    window.waiting_file = path
    window.show_pane("agreement" if window.desk.project is not None else "contacts")
    window.pane().say(
        "info",
        tr("{file} is sealed for you.", file=path.name),
        tr("Unlock your key; then it is opened and led to its place."),
    )
    for card in window.pane().findChildren(IdentityCard):
        card.ask()


def _take_in(window: MainWindow, found: Recognised) -> None:
    """A receipt or a new key: taken in wherever the steward is. What belongs to a group, on its page."""
    from pprl_desktop.job.partnership import Partnership

    home, own = window.desk.home, window.desk.identity()
    assert own is not None
    if found.kind in ("group_links", "groups"):
        window.show_pane("groups")
    window.pane().run(
        tr("Checking the file"),
        lambda progress: Partnership.open(home, own, found.path, progress),
        lambda received: _taken_in(window, tr_core(received.sentence)),
    )


def _taken_in(window: MainWindow, sentence: str) -> None:
    if window.current == "groups":
        window.pane().enter()
    window.pane().say("info", sentence)


def _offer_project(window: MainWindow, found: Recognised) -> None:
    """A proposal can be read before there is anything else: a project is made for it, named after the day (the name
    of the partner stands below it anyway)."""
    window.show_pane("welcome")
    window.pane().messages.clear()

    def read() -> None:
        window.desk.create_named(tr("Agreement of {day}", day=day_words(datetime.now(UTC).isoformat())))
        window.open_file(found.path)

    window.pane().say(
        "info", tr_core(found.said), tr("Nothing to choose before you read it."), (tr("Read it"), read), lead=True
    )


def _other_project(window: MainWindow, found: Recognised) -> None:
    """Named, and never filed here: it belongs to the project that goes by its agreement."""
    known = _project_of(window, found)
    here = window.pane()
    here.messages.clear()
    if known is not None:
        path = Path(known.path)

        def go() -> None:
            window.desk.open_project(path)
            window.open_file(found.path)

        text = tr("{file}, for the project “{project}”", file=tr_core(found.said), project=known.title)
        here.say("info", text, tr("It was not opened here."), (tr("Open it there"), go), lead=True)
        return
    here.show_problem(
        Problem(
            tr("{file}, for an agreement that no project here goes by", file=tr_core(found.said)),
            tr("It was not opened: it would not fit this project."),
            tr("Open the project it belongs to, or ask the partner which agreement it is for."),
            place="agreement",
        )
    )


def _project_of(window: MainWindow, found: Recognised) -> Known | None:
    answer = found.kind in ("accepted", "declined")
    for one in window.desk.preferences.known:
        if not Path(one.path).is_file():
            continue
        if one.agreement == found.agreement or (answer and not one.agreement and one.contact == found.contact):
            return one
    return None
