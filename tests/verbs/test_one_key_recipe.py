"""One way, of blind: the keys that are rehearsed are those that are evaluated, proposed and shown in the window."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop import cli
from pprl_desktop.codes.keys import choose as room
from pprl_desktop.codes.keys.recipe import KeyRecipe
from pprl_desktop.evaluation import blind as evaluation
from pprl_desktop.job import blind as job
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.project.choices import Choices
from tests.exchange.conftest import FIELDS, PASSPHRASE, introduce, make_party, people

ROWS = 120


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[KeyRecipe]:
    """The keys that were really chosen, in the order in which they were asked for."""
    seen: list[KeyRecipe] = []
    plain: Callable[..., room.Choice] = room.choose

    def watched(*args: Any, **kwargs: Any) -> room.Choice:
        made = plain(*args, **kwargs)
        seen.append(made.recipe)
        return made

    for module in (job, evaluation):
        monkeypatch.setattr(module, "choose", watched)
    return seen


@pytest.mark.parametrize("coverage", ["0.3", "0.5"])
def test_the_keys_that_are_rehearsed_are_evaluated_and_proposed(
    coverage: str, chosen: list[KeyRecipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    a, b = make_party(tmp_path / "a", "General Hospital"), make_party(tmp_path / "b", "Cancer Registry")
    introduce(a, b)
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    records = list(zip(map(str, range(ROWS)), *(column.cells() for column in people(0, ROWS).columns), strict=True))
    for one, rows in ((path, records), (other, records[::-1])):  # the same people, in another order
        with one.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows([["id", *(each.name for each in FIELDS)], *rows])
    truth = tmp_path / "truth.csv"
    truth.write_text("id_a,id_b\n" + "".join(f"{row},{row}\n" for row in range(ROWS)), encoding="utf-8")
    wanted = ",".join(f"{one.name}:{one.kind}" for one in FIELDS)
    common = ["--fields", wanted, "--method", "blind", "--coverage", coverage]
    assert cli.main(["rehearse", str(path), *common]) == 0
    assert cli.main(["evaluate", str(path), str(other), "--truth", str(truth), "--id", "id", *common]) == 0
    argv = ["agree", "propose", "--with", "Cancer Registry", *common, "--home", str(a.home.path)]
    argv += ["--table", str(path), "--partner-rows", str(ROWS), "--out", str(tmp_path / "p.pprl")]
    assert cli.main(argv) == 0
    signed = a.home.agreements()[-1].terms.blind
    assert signed is not None
    own = OwnTable()
    fields = tuple((one.name, one.name) for one in FIELDS)
    choices = Choices(table_path=str(path), fields=FIELDS, columns=fields)
    shown = job.prepare_own(own, choices, job.Wish(ROWS, float(coverage)))
    assert [one.words() for one in chosen] == [signed.recipe.words()] * len(chosen)
    assert len(chosen) >= 4
    assert shown.terms.recipe == signed.recipe
    capsys.readouterr()
