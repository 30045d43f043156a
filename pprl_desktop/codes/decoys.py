"""Decoys ("noise points"): records that do not exist, added to a bundle and dropped by their owner.

They hide how many records there are and cast doubt on any single one. They are not differential privacy: a decoy never
takes a real record away, and no epsilon follows from them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.table import CleanTable, Column

# Fields of these kinds come from one donor together: a town with another town's postcode would give a decoy away.
PLACES: tuple[FieldKind, ...] = ("text", "id", "category")
TRIES = 20  # a decoy equal to a real record is made again this often
KINDS = 12  # values of a category that make people of one kind (sex, group of origin); more are places
YEARS = 10.0  # years or units: what a date or a number counts as near, so that a first name has the right age
FEWEST = 20  # rows of one kind to draw from; with fewer, nearness in years is dropped, then the rarest category


def add_decoys(table: CleanTable, count: int, seed: int | None = None) -> tuple[CleanTable, npt.NDArray[np.bool_]]:
    """The table with `count` decoys among its rows, and which rows they are. Real rows keep their order.

    A decoy starts from one donor's categories and places. Each of its names, dates and numbers comes from another
    record of the same kind: same sex and other small categories, born about the same time. A first name of the other
    sex or of another generation would tell a decoy from a record. Gaps are taken over like values. Without a seed the
    choice comes from the operating system; a seed is for tests.
    """
    if count <= 0 or not table.rows:
        return table, np.zeros(table.rows, np.bool_)
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    codes = np.stack([column.codes for column in table.columns], axis=1)
    made = _recombined(table, codes, count, random)
    real = set(map(bytes, np.ascontiguousarray(codes)))
    for _ in range(TRIES):
        copies = [row for row, each in enumerate(made) if each.tobytes() in real]
        if not copies:
            break
        made[copies] = _recombined(table, codes, len(copies), random)
    is_decoy = np.zeros(table.rows + count, np.bool_)
    is_decoy[random.choice(len(is_decoy), count, replace=False)] = True
    mixed = np.empty((len(is_decoy), codes.shape[1]), np.int32)
    mixed[~is_decoy], mixed[is_decoy] = codes, made
    columns = tuple(
        Column(column.name, column.values, np.ascontiguousarray(mixed[:, place]))
        for place, column in enumerate(table.columns)
    )
    return CleanTable(table.fields, columns), is_decoy


def _recombined(
    table: CleanTable, codes: npt.NDArray[np.int32], count: int, random: np.random.Generator
) -> npt.NDArray[np.int32]:
    donor = random.integers(table.rows, size=count)
    made = codes[donor].copy()
    kinds = _kinds(table)
    free = [place for place, field in enumerate(table.fields) if field.kind not in PLACES]
    for place in free:
        made[:, place] = codes[_of_one_kind(kinds, donor, random), place]
    return made


def _kinds(table: CleanTable) -> list[npt.NDArray[np.int64]]:
    """Kinds of people from fine to coarse: a number per row for each way of telling them apart."""
    small = [column for column in table.columns if _is_small(table, column)]
    small.sort(key=lambda column: len(np.unique(column.codes)))  # the coarsest (sex) is kept longest
    eras = [_era(table, place) for place, field in enumerate(table.fields) if field.kind in ("date", "number")]
    steps = [[column.codes.astype(np.int64) for column in small[:many]] for many in range(len(small), -1, -1)]
    if eras:
        steps.insert(0, [*steps[0], eras[0]])
    return [_numbered(parts, table.rows) for parts in steps]


def _is_small(table: CleanTable, column: Column) -> bool:
    kind = next(field.kind for field in table.fields if field.name == column.name)
    return kind == "category" and len(np.unique(column.codes)) <= KINDS


def _era(table: CleanTable, place: int) -> npt.NDArray[np.int64]:
    """The decade of a date or a number; gaps are an era of their own."""
    column = table.columns[place]
    years = np.array([_year(str(value)) for value in column.values] + [-1.0])
    return np.floor(years / YEARS).astype(np.int64)[column.codes]


def _year(value: str) -> float:
    digits = "".join(sign for sign in value if sign.isdigit())
    return float(digits[:4]) if digits and len(digits) < 16 else -1.0


def _numbered(parts: list[npt.NDArray[np.int64]], rows: int) -> npt.NDArray[np.int64]:
    if not parts:
        return np.zeros(rows, np.int64)
    _, back = np.unique(np.stack(parts, axis=1), axis=0, return_inverse=True)
    return np.asarray(back.reshape(-1), dtype=np.int64)


def _of_one_kind(
    kinds: list[npt.NDArray[np.int64]], donor: npt.NDArray[np.int64], random: np.random.Generator
) -> npt.NDArray[np.int64]:
    """For each donor another row of its kind, at the finest step that has enough of them."""
    chosen = np.full(len(donor), -1, np.int64)
    for kind in kinds:
        order = np.argsort(kind, kind="stable")
        starts = np.searchsorted(kind[order], np.arange(kind.max(initial=0) + 2))
        mine = kind[donor]
        many = starts[mine + 1] - starts[mine]
        drawn = order[starts[mine] + random.integers(np.maximum(many, 1))]
        fits = (chosen < 0) & ((many >= FEWEST) | (kind is kinds[-1]))
        chosen[fits] = drawn[fits]
    return chosen
