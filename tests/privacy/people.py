"""Made-up people for the rehearsal's tests: names from the built-in lists, drawn by frequency."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.codes.mapping import default_mapping
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.load import reference_set
from pprl_desktop.reference.names import NameList, dictionary

SECRET = b"a secret for tests, thirty-two b"
NAMES = (Field.of("last_name"), Field.of("first_name"))
FIVE = (*NAMES, Field.of("middle_name"), Field.of("town", "text"), Field.of("birth", "date"))


def people(rows: int, fields: tuple[Field, ...] = NAMES, seed: int = 1) -> CleanTable:
    rng = np.random.default_rng(seed)
    columns = []
    for field in fields:
        if field.kind == "date":
            cells = [f"{rng.integers(1930, 2010)}{rng.integers(1, 13):02}{rng.integers(1, 29):02}" for _ in range(rows)]
        elif field.kind == "name":
            names = dictionary("last" if "last" in field.name else "first")
            cells = [names.values[place] for place in rng.choice(len(names), rows, p=names.shares)]
        else:
            cells = [f"TOWN{rng.integers(0, 40):02}" for _ in range(rows)]
        columns.append(Column.of(field.name, cells))
    return CleanTable(fields, tuple(columns))


def recipe(name: str, fields: tuple[Field, ...] = NAMES, **settings: Any) -> Recipe:
    made = method(name)
    if settings.get("layout") == "record":
        settings.setdefault("decision", "threshold")
    chosen = replace(made.defaults(), **settings)
    if not made.uses_reference:
        return Recipe(name, fields, chosen, secret=SECRET)
    reference = reference_set("us-200")
    return Recipe(name, fields, chosen, reference, default_mapping(fields, reference), SECRET)


def short(table: CleanTable, extra: int = 800) -> dict[str, NameList]:
    """Short dictionaries that hold the table's own names and others, so that quick tests stay quick."""
    lists = {}
    for field in table.fields:
        if field.kind == "name":
            names = dictionary("last" if "last" in field.name else "first")
            shares = dict(zip(names.values, names.counts.tolist(), strict=True))
            wanted = dict.fromkeys([*names.values[:extra], *map(str, table.column(field.name).values)])
            lists[field.name] = NameList(tuple(wanted), np.array([max(1, shares.get(one, 1)) for one in wanted]))
    return lists
