"""A review of two tables that one steward holds, of the pairs that matching them finds uncertain."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.job.reviewing import ReviewPlan, look_at, make_review
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import Field

FIRST = "ANNA BERTA CARLA DORA EMIL FRITZ GUSTAV HANNA IDA JAKOB".split()
LAST = "MEYER SCHULZ BECKER KOCH RICHTER KLEIN WOLF NEUMANN SCHWARZ BRAUN".split()


def written(path: Path, first: str, people: list[tuple[str, str, str]]) -> Path:
    lines = [f"id,{first},surname,born", *(f"{i},{','.join(one)}" for i, one in enumerate(people))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_two_tables_are_matched_and_some_pairs_of_each_band_are_put_on_the_desk(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    people = [
        (str(rng.choice(FIRST)), str(rng.choice(LAST)), f"19{rng.integers(30, 99)}-0{rng.integers(1, 9)}-1{i % 9}")
        for i in range(120)
    ]
    slips = [(a[:-1] if i % 4 == 0 else a, b, c) for i, (a, b, c) in enumerate(people[:80])]
    a, b = written(tmp_path / "a.csv", "first_name", people), written(tmp_path / "b.csv", "given", slips)
    fields = (Field.of("first_name"), Field.of("surname"), Field.of("born", "date"))
    choices = Choices(table_path=str(a), fields=fields, columns=tuple((one.name, one.name) for one in fields))
    second = look_at(b, fields)
    assert dict(second.columns)["first_name"] == "given"
    plan = ReviewPlan(str(b), second.columns, title="two tables", audit=5)
    with make_review(OwnTable(), choices, plan, tmp_path / "desk", "four unrelated words here") as desk:
        assert 0 < len(desk.review.pairs) <= 80
