"""One way: what is rehearsed, evaluated, proposed, shown in the window and sent is the same recipe, bit for bit."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop import cli
from pprl_desktop.codes.base import REGISTRY, Recipe, Smashed, method
from pprl_desktop.exchange import agreeing
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.job.offers import offer_of
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.exchange.conftest import FIELDS, PASSPHRASE, Party, introduce, make_party, people

EPSILONS = (None, 0.3, 0.5, 1.0, 4.0)
WANTED = ",".join(f"{one.name}:{one.kind}" for one in FIELDS)


def cases() -> Iterator[tuple[str, str]]:
    """Every method that may leave, in its usual layout ('') and in each one that can be asked for."""
    for name in REGISTRY:
        if method(name).exportable and method(name).smashes:
            yield name, ""
            for layout in ("field", "record"):
                asked = replace(method(name).defaults(), layout=layout)  # type: ignore[arg-type]
                if method(name).both_layouts or asked == method(name).defaults():
                    yield name, layout


@dataclass(frozen=True)
class Post:
    """Two stewards who know each other, one table of each, and the truth about them."""

    a: Party
    b: Party
    folder: Path
    tables: tuple[str, str]
    truth: str


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> Post:
    folder = tmp_path_factory.mktemp("post")
    a, b = make_party(folder / "a", "General Hospital"), make_party(folder / "b", "Cancer Registry")
    introduce(a, b)
    tables = tuple(write(folder / f"{name}.csv", people(start, start + 30)) for name, start in (("a", 0), ("b", 10)))
    (folder / "truth.csv").write_text("id_a,id_b\n10,0\n11,1\n", encoding="utf-8")
    return Post(a, b, folder, (tables[0], tables[1]), str(folder / "truth.csv"))


def write(path: Path, table: CleanTable) -> str:
    cells = [column.cells() for column in table.columns]
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([["id", *(one.name for one in table.fields)]])
        csv.writer(out).writerows([str(row), *record] for row, record in enumerate(zip(*cells, strict=True)))
    return str(path)


class Spy:
    """Looks at what a method is really asked to smash; `stop` ends the work there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.recipes: list[Recipe] = []
        self.smashed: list[tuple[CleanTable, Smashed]] = []
        self.stop = True
        smash: Any = type(method("bloom")).smash

        def seen(made: Any, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
            self.recipes.append(recipe)
            if self.stop and table.rows > 1:  # one made-up record only tells the shape
                raise Problem("Seen.")
            done: Smashed = smash(made, table, recipe, progress)
            self.smashed.append((table, done))
            return done

        monkeypatch.setattr(type(method("bloom")), "smash", seen)

    def recipe(self) -> Recipe:
        """The one of the last table."""
        return self.recipes[-1]


@pytest.mark.parametrize(("name", "layout"), list(cases()))
def test_what_is_rehearsed_is_what_is_evaluated_proposed_shown_and_sent(
    name: str, layout: str, post: Post, window: MainWindow, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    pane = method_page(window, post)
    assert cli.main(["releases", "limit", "releases", "500", "--home", str(post.a.home.path)]) == 0
    spy = Spy(monkeypatch)
    for epsilon in EPSILONS:
        asked = [*(("--layout", layout) if layout else ()), *(("--epsilon", str(epsilon)) if epsilon else ())]
        common = ["--fields", WANTED, "--method", name, *asked]
        spy.stop = True
        assert cli.main(["rehearse", post.tables[0], *common]) == 2
        rehearsed = spy.recipe()
        assert cli.main(["evaluate", *post.tables, "--truth", post.truth, "--id", "id", *common]) == 2
        assert spy.recipe() == rehearsed, "evaluate"
        agreement = proposed(post, common)
        signed = agreeing.recipe_of(post.a.signed(agreement.id))
        assert replace(signed, secret=rehearsed.secret) == rehearsed, "agree propose"
        choose(pane, name, layout, epsilon)
        choices = window.desk.project.choices
        assert choices.recipe() == rehearsed, "the window"
        offer = offer_of(choices)
        assert (offer.method, offer.settings, offer.fields) == (name, rehearsed.settings, rehearsed.fields)
        sent(post, agreement, rehearsed, signed.secret, spy)
    capsys.readouterr()


def test_a_method_of_one_file_and_one_line_is_on_every_path(
    post: Post, open_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """On the command line, in the agreement and the bundle, in the rehearsal and on the method page."""
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    monkeypatch.setitem(REGISTRY, "toy", "tests.codes.toy_method")
    common = ["--fields", WANTED, "--method", "toy"]
    assert cli.main(["evaluate", *post.tables, "--truth", post.truth, "--id", "id", *common, "--json"]) == 0
    evaluated = json.loads(capsys.readouterr().out)
    assert evaluated["method"] == "toy"
    assert evaluated["predicted_pairs"] > 0
    assert cli.main(["rehearse", post.tables[0], *common, "--json"]) == 0
    rehearsed = json.loads(capsys.readouterr().out)
    assert rehearsed["method"] == "toy"
    assert rehearsed["sampled"] == 30
    agreement = proposed(post, common)
    assert (agreement.state, agreement.terms.method) == ("in force", "toy")
    argv = ["export", post.tables[0], "--agreement", agreement.id, "--home", str(post.a.home.path), "--adds-up"]
    assert cli.main([*argv, "--out", str(post.folder / "toy.pprl")]) == 0
    assert Partnership.open(post.b.home, post.b.own, post.folder / "toy.pprl").rows == 30
    pane = method_page(open_window(), post)
    titles = {way.method: pane._title(way) for way in pane._offered()}
    assert titles["toy"] == "Toy letters"
    capsys.readouterr()


def proposed(post: Post, common: list[str]) -> Agreement:
    """By the verb; accepted by the partner, so that a bundle may leave."""
    proposal, answer = post.folder / "proposal.pprl", post.folder / "answer.pprl"
    argv = ["agree", "propose", "--with", "Cancer Registry", *common, "--home", str(post.a.home.path)]
    assert cli.main([*argv, "--out", str(proposal)]) == 0
    seen = Partnership.read_proposal(post.b.home, post.b.own, proposal)
    agreement = Partnership.accept(post.b.home, post.b.own, seen, answer)
    Partnership.open(post.a.home, post.a.own, answer)
    return post.a.home.agreement(agreement.id)


def sent(post: Post, agreement: Agreement, rehearsed: Recipe, secret: bytes, spy: Spy) -> None:
    """The exported bundle is made of the very bytes that the rehearsed recipe gives under the agreed secret."""
    spy.stop, spy.smashed = False, []
    out = post.folder / "bundle.pprl"
    argv = ["export", post.tables[0], "--agreement", agreement.id, "--home", str(post.a.home.path), "--adds-up"]
    assert cli.main([*argv, "--out", str(out)]) == 0
    assert replace(spy.recipe(), secret=rehearsed.secret) == rehearsed, "the exported bundle"
    table, made = next((table, made) for table, made in spy.smashed if table.rows == 30)
    again = method(rehearsed.method).smash(table, replace(rehearsed, secret=secret), NO_PROGRESS)
    assert [(part.name, part.values.tobytes()) for part in made.parts] == [
        (part.name, part.values.tobytes()) for part in again.parts
    ]
    out.unlink()


def method_page(window: MainWindow, post: Post) -> Any:
    from pprl_desktop.job.own_table import OwnTable

    window.desk.create_project(post.folder / f"{id(window)}.pprlproject", "One way")
    seen = OwnTable().load(Path(post.tables[0]))
    window.desk.findings.seen = seen
    fields = tuple(Field.of(one.name, one.kind) for one in FIELDS)
    columns = tuple((one.name, one.name) for one in fields)
    window.desk.change("Load table", **{**seen.changes(), "fields": fields, "columns": columns})
    window.show_pane("method")
    pane = window.pane()
    monkey: Any = pane
    monkey._ask = lambda: None  # the pictures are not looked at here
    return pane


def choose(pane: Any, name: str, layout: str, epsilon: float | None) -> None:
    """As a steward does: the method, then the noise, then perhaps another layout."""
    if method(name).page == "expert":
        pane.expert.others[0].click()
    else:
        pane._choose(name)
    if epsilon is not None:
        pane.expert.slider.settled.emit(epsilon)
    if layout and pane.expert.layout_of.isEnabled():
        pane.expert.layout_of.setCurrentIndex(pane.expert.layout_of.findData(layout))
        pane.expert.layout_of.activated.emit(pane.expert.layout_of.currentIndex())
