"""The window in every state a steward may meet, one after the other: empty, waiting, warned, refused, locked, done.

Made with the sample, by the same job as the demo, which halts at each stage. The tour takes pictures of them and the
tests listen to them; both go through `play`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop import resources
from pprl_desktop.job.demo import PASSPHRASE, Stage, stages

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from pprl_desktop.ui.shell.main_window import MainWindow

WAIT = 180.0  # s for the work a page starts when it is shown
SETTLE = 0.3  # s for timers and layouts
TURNS = 30  # and as often the window must have had its turn: seconds alone are nothing on a busy machine
SECRET = "four quiet rivers turn north"  # of the reviews made here
OWN_ROWS = 300  # of each own file
Act = Callable[["Set"], None]


@dataclass(frozen=True)
class Scene:
    """A name such as "agreement-waiting" and what brings the window there."""

    name: str
    act: Act
    waits: bool = True  # for the work that the page starts; not where the work itself is to be seen


class Set:
    """The window, the folder for what it needs, and the two projects of the present stage."""

    def __init__(self, app: QApplication, window: MainWindow, place: Path) -> None:
        self.app, self.window, self.place = app, window, place
        self.sides: tuple[Path, Path] | None = None

    @property
    def desk(self) -> Any:
        return self.window.desk

    @property
    def pane(self) -> Any:
        return self.window.pane()

    def open(self, side: int, page: str, *, locked: bool = False) -> None:
        """The project of one hospital at the present stage, on a page."""
        assert self.sides is not None
        self.desk.open_project(self.sides[side])
        self.desk.unlocked(None if locked else self.desk.home.unlock(PASSPHRASE))
        self.settle()
        self.window.show_pane(page)
        self.wait()

    def new(self, name: str, table: Path | None = None, kind: str = "partner") -> None:
        """A fresh project with an empty home, and a table in it."""
        path = self.place / f"{name}.pprlproject"
        number = 1
        while path.exists():
            number += 1
            path = self.place / f"{name} {number}.pprlproject"
        self.desk.create_project(path, name, kind)
        self.desk.change("Open the sample", home=str(self.place / f"keys of {path.stem}"))
        if table is not None:
            self.window.open_file(table)
            self.wait()

    def file(self, name: str, text: str) -> Path:
        path = self.place / name
        path.write_text(text, encoding="utf-8")
        return path

    def next(self) -> None:
        self.wait()
        self.window.go_next()
        self.wait()

    def wait(self) -> None:
        """Until nothing works any more."""
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            self.app.processEvents()
            if self.desk.jobs.idle():
                break
            time.sleep(0.01)
        self.settle()

    def until(self, stands: Callable[[], object]) -> None:
        """What is started a moment later, and so is not at work yet."""
        end = time.monotonic() + WAIT
        while not stands() and time.monotonic() < end:
            self.settle()

    def settle(self) -> None:
        end, turns = time.monotonic() + SETTLE, 0
        while time.monotonic() < end or turns < TURNS:
            self.app.processEvents()
            turns += 1
            time.sleep(0.01)


# before anything is agreed ----------------------------------------------------------------------------


def _show(page: str, name: str = "New project") -> Act:
    def act(on: Set) -> None:
        on.new(name)
        on.window.show_pane(page)

    return act


def _contacts_nobody(on: Set) -> None:
    """An identity, open, and nobody to exchange with yet."""
    from pprl_desktop.exchange import identity

    on.new("New project")
    home, made = on.desk.home, identity.new("Heart Registry (sample)")
    home.create(made, PASSPHRASE)
    on.desk.unlocked(made)
    on.window.show_pane("contacts")


def _data_refused(on: Set) -> None:
    on.new("New project")
    on.window.open_file(on.file("only a heading.csv", "nr,first_name,last_name,born\n"))


def _people(odd: bool) -> str:
    """Forty people; `odd`: copies, a date that cannot be, words for missing, codes for sex."""
    source = resources.find("samples", "hospital_a.csv").read_text(encoding="utf-8").splitlines()
    lines = source[:41]
    if odd:
        cells = [line.split(",") for line in source[41:47]]
        dates = source[0].split(",").index("birth_date")
        city = source[0].split(",").index("city")
        for number, one in enumerate(cells):
            one[dates] = "1753-01-01" if number < 2 else one[dates]
            one[city] = "unknown" if number > 1 else one[city]
        copies = [",".join([f"X{n}", *line.split(",")[1:]]) for n, line in enumerate(lines[1:9])]
        lines = [*lines, *(",".join(one) for one in cells), *copies]
    return "\n".join(lines) + "\n"


def _data_remarks(on: Set) -> None:
    on.new("New project", on.file("people.csv", _people(odd=True)))


def _fields_twice(on: Set) -> None:
    on.new("New project", resources.find("samples", "hospital_a.csv"))
    on.next()
    columns = dict(on.desk.need_project().choices.columns)
    columns["first_name"] = columns["last_name"]
    on.desk.change("Choose column", columns=tuple(columns.items()))
    on.window.show_pane("fields")


def _method_measuring(on: Set) -> None:
    on.new("New project", resources.find("samples", "hospital_a.csv"))
    on.next()
    on.window.go_next()
    on.settle()


def _reading(on: Set) -> None:
    """A hundred thousand rows take a moment to read."""
    lines = resources.find("samples", "hospital_a.csv").read_text(encoding="utf-8").splitlines()
    many = [line for n in range(150) for line in (f"{n}-{one}" for one in lines[1:])]
    on.new("New project")
    on.window.open_file(on.file("many people.csv", "\n".join([lines[0], *many]) + "\n"))


def _settings_refused(on: Set) -> None:
    on.new("New project")
    on.window.show_pane("settings")
    box = on.pane.places_of["engine"]
    box.setText("dask:tcp://grid.example:8786")
    box.editingFinished.emit()
    on.pane._check_cluster()
    box.setText("")
    box.editingFinished.emit()


FIRST = (
    Scene("contacts-empty", _show("contacts")),
    Scene("contacts-nobody", _contacts_nobody),
    Scene("data-empty", _show("data")),
    Scene("data-reading", _reading, waits=False),
    Scene("data-refused", _data_refused),
    Scene("data-remarks", _data_remarks),
    Scene("fields-twice", _fields_twice),
    Scene("method-measuring", _method_measuring, waits=False),
    Scene("agreement-nobody", _show("agreement")),
    Scene("post-empty", _show("post")),
    Scene("releases-empty", _show("releases")),
    Scene("groups-empty", _show("groups")),
    Scene("other_tools-empty", _show("other_tools")),
    Scene("settings-refused", _settings_refused),
)


# with a partner, by stage -----------------------------------------------------------------------------


def _at(side: int, page: str, *, locked: bool = False) -> Act:
    return lambda on: on.open(side, page, locked=locked)


def _take(side: int, page: str, name: str) -> Act:
    """A file of the post is dropped on the window."""

    def act(on: Set) -> None:
        on.open(side, page)
        assert on.sides is not None
        on.window.open_file(on.sides[0].parent.parent / "post" / name)

    return act


def _unlock_refused(on: Set) -> None:
    on.open(0, "agreement", locked=True)
    card = on.pane.identity
    card.typed.edit.setText("not the passphrase at all")
    card.open_button.click()


def _contacts_compare(on: Set) -> None:
    """A card came and was not compared yet."""
    from pprl_desktop.exchange import identity
    from pprl_desktop.exchange.home import Home

    on.open(0, "contacts")
    other = Home(on.place / "registry")
    if not other.exists:
        other.create(identity.new("Cancer Registry (sample)"), PASSPHRASE)
    card = on.place / "cancer registry.pprlcard"
    card.write_bytes(other.own_card_bytes())
    on.window.open_file(card)


def _groups_making(on: Set) -> None:
    on.open(0, "groups")
    on.pane._begin()


def _other_tools(on: Set) -> None:
    on.open(0, "other_tools")
    on.pane.format.setCurrentIndex(1)


def _next_delivery(on: Set) -> None:
    """Another table under the same agreement."""
    on.open(0, "data")
    lines = resources.find("samples", "hospital_a.csv").read_text(encoding="utf-8").splitlines()
    on.pane.take_next(str(on.file("next delivery.csv", "\n".join([*lines[:700], *_newcomers(lines)]) + "\n")))


def _newcomers(lines: list[str]) -> list[str]:
    return [line.replace("a", "e", 1).replace(line.split(",")[0], f"N{n}") for n, line in enumerate(lines[700:760])]


def _asked(on: Set) -> None:
    on.open(0, "review")
    partnership = on.desk.partnership()
    ask = on.place / "ask.pprl"
    if not ask.exists():
        partnership.ask(ask)
    on.window.show_pane("review")


def _matching(on: Set) -> None:
    """The partner's file is here, and the page matches as soon as it is seen."""
    on.open(0, "partner")
    on.window.show_pane("match")
    on.settle()


def _request(on: Set) -> None:
    on.open(1, "review")
    on.window.open_file(on.place / "ask.pprl")


def _answering(on: Set) -> None:
    on.open(1, "review")
    on.pane._answer()


def _answered(on: Set) -> None:
    """The partner's cells have come: the review can start."""
    on.open(1, "review")
    partnership, table, choices = on.desk.partnership(), on.desk.own_table, on.desk.need_project().choices
    partnership.answer(table, choices, on.place / "cells.pprl", partnership.would_leave(table, choices))
    on.desk.close_project()
    on.open(0, "review")
    on.window.open_file(on.place / "cells.pprl")


def _reviewing(on: Set) -> None:
    on.open(0, "review")
    on.pane._make_with_partner(SECRET)
    on.until(lambda: on.desk.findings.session is not None)


def _decided(on: Set) -> None:
    """Every pair is decided: the summary."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    session = on.desk.findings.session
    for number in range(session.advance().to_go if session is not None else 0):
        QTest.keyClick(on.window.focusWidget(), Qt.Key.Key_6 if number % 3 else Qt.Key.Key_1)
        on.app.processEvents()


def _continued(on: Set) -> None:
    on.desk.close_project()
    on.open(0, "review")


BY_STAGE: dict[Stage, tuple[Scene, ...]] = {
    "cards": (
        Scene("contacts-locked", _at(0, "contacts", locked=True)),
        Scene("contacts-compare", _contacts_compare),
        Scene("agreement-propose", _at(0, "agreement")),
        Scene("agreement-locked", _at(0, "agreement", locked=True)),
        Scene("agreement-wrong-passphrase", _unlock_refused),
        Scene("groups-making", _groups_making),
        Scene("other_tools-tokens", _other_tools),
    ),
    "proposed": (
        Scene("agreement-waiting", _at(0, "agreement")),
        Scene("agreement-reading", _take(1, "agreement", "proposal.pprl")),
        Scene("post-waiting", _at(0, "post")),
    ),
    "agreed": (
        Scene("agreement-agreed", _at(1, "agreement")),
        Scene("export-before", _at(0, "export")),
        Scene("partner-empty", _at(1, "partner")),
    ),
    "sent": (
        Scene("partner-waiting", _at(0, "partner")),
        Scene("partner-refused", _take(0, "partner", "bundle_of_a.pprl")),
        Scene("export-locked", _at(1, "export", locked=True)),
    ),
    "exchanged": (
        Scene("partner-here", _at(0, "partner")),
        Scene("match-locked", _at(0, "match", locked=True)),
        Scene("match-running", _matching, waits=False),
    ),
    "matched": (
        Scene("match-found", _at(0, "match")),
        Scene("results-before", _at(0, "results")),
        Scene("review-ask", _at(0, "review")),
    ),
    "told": (
        Scene("results-both", _at(0, "results")),
        Scene("review-waiting", _asked),
        Scene("review-request", _request),
        Scene("review-answering", _answering),
        Scene("review-start", _answered),
        Scene("review-pair", _reviewing),
        Scene("review-decided", _decided),
        Scene("review-continue", _continued),
        Scene("finish-before", _at(1, "finish")),
        Scene("finish-locked", _at(1, "finish", locked=True)),
        Scene("data-next-delivery", _next_delivery),
    ),
}

BLIND: dict[Stage, tuple[Scene, ...]] = {
    "cards": (Scene("blind-method", _at(0, "method")), Scene("blind-propose", _at(0, "agreement"))),
    "proposed": (Scene("blind-reading", _take(1, "agreement", "proposal.pprl")),),
    "agreed": (Scene("blind-question", _at(0, "export")),),
    "sent": (Scene("blind-waiting", _at(0, "partner")), Scene("blind-answering", _at(1, "partner"))),
    "exchanged": (Scene("blind-answered", _at(1, "partner")),),
    "matched": (Scene("blind-results", _at(0, "results")), Scene("blind-theirs", _at(1, "match"))),
}


# files of one's own -----------------------------------------------------------------------------------


def _own_file(on: Set, name: str) -> Path:
    lines = resources.find("samples", name).read_text(encoding="utf-8").splitlines()
    return on.file(name, "\n".join(lines[: OWN_ROWS + 1]) + "\n")


def _own_first(on: Set) -> None:
    on.new("Both lists", _own_file(on, "hospital_a.csv"), "two files")


def _own_second(on: Set) -> None:
    on.next()


def _own_second_loaded(on: Set) -> None:
    on.window.open_file(_own_file(on, "hospital_b.csv"))


def _own_match(on: Set) -> None:
    on.next()
    on.until(lambda: on.desk.findings.match is not None)


def _own_review(on: Set) -> None:
    on.next()


def _own_pair(on: Set) -> None:
    from pprl_desktop.ui.panes.own_review import Begin

    begin: Begin = on.pane.begin
    begin.audit.setValue(3)
    for one in (begin.secret, begin.again):
        one.edit.setText(SECRET)
    begin.make.click()
    on.until(lambda: on.desk.findings.session is not None)


OWN = (
    Scene("own-data", _own_first),
    Scene("own-second-empty", _own_second),
    Scene("own-second", _own_second_loaded),
    Scene("own-fields", lambda on: on.next()),
    Scene("own-match", _own_match),
    Scene("own-review", _own_review),
    Scene("own-pair", _own_pair),
    Scene("own-decided", _decided),
    Scene("own-finish-before", lambda on: on.next()),
    Scene("own-finish", lambda on: on.next()),
)

NAMES: tuple[str, ...] = tuple(
    one.name
    for some in (FIRST, *BY_STAGE.values(), *BLIND.values(), OWN)
    for one in some
)  # fmt: skip


def play(on: Set, wanted: Callable[[str], bool] = lambda _name: True) -> Iterator[str]:
    """Each state by its name, while it stands. A state of own files or of a review comes with those before it."""
    for scene in FIRST:
        yield from _one(on, scene, wanted)
    for some, rule, blind in ((BY_STAGE, "review", False), (BLIND, "both", True)):
        last = max((n for n, stage in enumerate(some) if any(wanted(one.name) for one in some[stage])), default=-1)
        if last < 0:
            continue
        for number, (stage, own, other) in enumerate(stages(on.place / f"stages {blind}", rule=rule, blind=blind)):
            on.sides = own, other
            row = some[stage]
            ends = max((n for n, one in enumerate(row) if wanted(one.name)), default=-1)
            for scene in row[: ends + 1] if stage == "told" else [one for one in row if wanted(one.name)]:
                yield from _one(on, scene, wanted, always=True)
            on.desk.close_project()
            if number == last:
                break
    ends = max((n for n, one in enumerate(OWN) if wanted(one.name)), default=-1)
    for scene in OWN[: ends + 1]:
        yield from _one(on, scene, wanted, always=True)
    on.desk.close_project()


def _one(on: Set, scene: Scene, wanted: Callable[[str], bool], *, always: bool = False) -> Iterator[str]:
    """`always`: what comes after it builds on it, seen or not."""
    if not (always or wanted(scene.name)):
        return
    scene.act(on)
    if scene.waits:
        on.wait()
    if wanted(scene.name):
        yield scene.name
    if not scene.waits:
        on.desk.jobs.cancel()
        on.wait()
