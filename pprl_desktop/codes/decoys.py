"""Decoys ("noise points"): records that do not exist, added to a bundle and dropped by their owner.

They hide how many records there are and cast doubt on any single one. They are not differential privacy: a decoy never
takes a real record away, and no epsilon follows from them. A number that belongs to one person (an insurance number) is
invented: nobody's, of the form of the others, with their check digit where it is one of the usual kinds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.table import CleanTable, Column

# Fields of these kinds come from one donor together: a town with another town's postcode would give a decoy away.
PLACES: tuple[FieldKind, ...] = ("text", "id", "category")
TRIES = 20  # a decoy equal to a real record is made again this often
KINDS = 12  # values of a category that make people of one kind (sex, group of origin); more are places
YEARS = 10.0  # years or units: what a date or a number counts as near, so that a first name has the right age
PERSONAL = 0.5  # share of rows with a value nobody else has: above, an id is a person's and not a place's
INVENTED = 1500  # numbers tried for a decoy; then it, and those after it, go without one
SURE = 0.99  # share of real numbers that a check digit must fit, to be asked of the invented ones
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
    columns = []
    for place, column in enumerate(table.columns):
        whole = Column(column.name, column.values, np.ascontiguousarray(mixed[:, place]))
        personal = table.fields[place].kind == "id" and _is_personal(column)
        columns.append(_with_invented(whole, is_decoy, random) if personal else whole)
    return CleanTable(table.fields, tuple(columns)), is_decoy


# ---- numbers of persons -------------------------------------------------------------------------


def _is_personal(column: Column) -> bool:
    counts = column.counts()
    return bool((counts == 1).sum() > PERSONAL * counts.sum())


def _with_invented(column: Column, is_decoy: npt.NDArray[np.bool_], random: np.random.Generator) -> Column:
    """The column with a new number in place of each decoy's, sign by sign from other numbers of the same length."""
    real = [str(value) for value in column.values]
    taken = set(real)
    by_length: dict[int, list[str]] = {}
    for value in real:
        by_length.setdefault(len(value), []).append(value)
    checks = [check for check in CHECKS if len(real) >= FEWEST and np.mean([check(one) for one in real]) >= SURE]
    codes = column.codes.copy()
    made: list[str] = []
    full = False  # whether there is no free number left
    for row in np.flatnonzero(is_decoy & (codes >= 0)).tolist():
        alike = by_length[len(real[codes[row]])]
        codes[row] = -1
        for _ in range(0 if full else INVENTED):
            drawn = random.integers(len(alike), size=len(alike[0]))
            value = "".join(alike[which][at] for at, which in enumerate(drawn.tolist()))
            if value not in taken and all(check(value) for check in checks):
                taken.add(value)
                codes[row] = len(real) + len(made)
                made.append(value)
                break
        full = codes[row] < 0
    values = np.empty(len(real) + len(made), dtype=object)
    values[:] = [*real, *made]
    return Column(column.name, values, codes)


def _digits(value: str) -> list[int]:
    return [int(sign) for sign in value if sign.isdecimal()]


def _luhn(value: str) -> bool:
    """ISO/IEC 7812: bank cards, many insurance numbers."""
    turned = _digits(value)[::-1]
    return len(turned) > 1 and sum(sum(divmod(2 * d, 10)) if at % 2 else d for at, d in enumerate(turned)) % 10 == 0


def _modulo_11(value: str) -> bool:
    """Weights falling to one: NHS numbers, and most that end in a digit modulo 11."""
    turned = _digits(value)[::-1]
    return len(turned) > 1 and sum((at + 1) * d for at, d in enumerate(turned)) % 11 == 0


def _modulo_11_10(value: str) -> bool:
    """ISO/IEC 7064 MOD 11,10: German tax and Croatian personal numbers."""
    found, rest = _digits(value), 10
    for digit in found[:-1]:
        rest = (rest + digit) % 10 or 10
        rest = 2 * rest % 11
    return len(found) > 1 and (rest + found[-1]) % 10 == 1


def _modulo_97(value: str) -> bool:
    """French and Belgian personal numbers: two digits that make up to 97."""
    found = "".join(map(str, _digits(value)))
    return len(found) > 3 and 97 - int(found[:-2]) % 97 == int(found[-2:])


CHECKS: tuple[Callable[[str], bool], ...] = (_luhn, _modulo_11, _modulo_11_10, _modulo_97)


# ---- the rest of a decoy ------------------------------------------------------------------------


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
