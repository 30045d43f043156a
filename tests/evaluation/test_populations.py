"""The generator that judges the decision: what it promises to contain is in it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pprl_desktop.records.table import Table
from tests.benchmarks.populations import SCHEMES, World, draw, make

PLAIN = replace(
    draw(3, 400), culture="american", people=(400, 300), overlap=0.5, households=0.0, twins=0.0, dirt=(0.0, 0.0),
    missing=(0.0, 0.0), moved=0.0, renamed=0.0, twice=(0.0, 0.0), columns=SCHEMES[0], renamed_columns=False, formats=(),
    namesakes=0.0, institutions=0.0, gaps_by_group=0.0,
)  # fmt: skip


def empty(table: Table, name: str, of: np.ndarray) -> float:
    cells = np.array(table.column(name).cells())
    return float(np.mean(cells[of] == ""))


def test_a_seed_gives_the_same_files_and_another_seed_others() -> None:
    one, again, other = make(draw(7, 100)), make(draw(7, 100)), make(draw(8, 100))
    assert one.a.columns[1].cells() == again.a.columns[1].cells()
    assert one.truth == again.truth
    assert one.world != other.world


def test_sizes_go_from_thirty_to_two_hundred_thousand() -> None:
    sizes = [max(draw(seed, None).people) for seed in range(300)]
    assert min(sizes) < 60
    assert max(sizes) > 100_000


def test_overlap_is_as_asked() -> None:
    assert len(make(PLAIN).truth) == 150
    assert not make(replace(PLAIN, overlap=0.0)).truth
    assert len(make(replace(PLAIN, overlap=1.0)).truth) == 300


def test_one_group_lacks_what_others_have() -> None:
    made = make(replace(PLAIN, gaps_by_group=0.8, group="women"))
    women = np.array(made.a.column("sex").cells()) == "F"
    assert empty(made.a, "zip", women) > 0.6
    assert empty(made.a, "zip", ~women) == 0.0


def test_many_strangers_share_an_address_and_namesakes_a_name() -> None:
    def most(world: World, *names: str) -> int:
        table = make(world).a
        rows = list(zip(*(table.column(name).cells() for name in names), strict=True))
        return max(rows.count(row) for row in set(rows))

    assert most(PLAIN, "street", "zip") < 4
    assert most(replace(PLAIN, institutions=0.4), "street", "zip") > 20
    assert most(replace(PLAIN, namesakes=0.3), "first_name", "last_name") > most(PLAIN, "first_name", "last_name")


def test_the_second_file_may_code_a_category_otherwise() -> None:
    made = make(replace(PLAIN, formats=("sex",), sexes=("2", "1")))
    assert set(made.a.column("sex").cells()) == {"F", "M"}
    assert set(made.b.column("sex").cells()) == {"1", "2"}


def test_a_changed_last_name_can_stand_in_another_column() -> None:
    world = replace(PLAIN, renamed=0.5, columns=("first", "last", "middle", "maiden", "dob"))
    made = make(world)
    old, new, maiden, middle = (
        table.column(name).cells()
        for table, name in (
            (made.a, "last_name"),
            (made.b, "last_name"),
            (made.b, "maiden_name"),
            (made.b, "middle_name"),
        )
    )
    changed = [(a, b) for a, b in made.truth if old[a] != new[b]]
    assert len(changed) > 40
    assert all(maiden[b] == old[a] for a, b in changed)
    assert any(middle[b] == old[a] for a, b in changed)
