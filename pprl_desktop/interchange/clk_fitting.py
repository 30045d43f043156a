"""Brings columns into the form a schema asks for where that is certain (case, the order of a date), and says so.

clkhash only checks and refuses. A steward whose names are in another case, or whose dates are written the other way
round, would have to edit the file; here the two changes that lose nothing are made, everything else is still refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from pprl_desktop.interchange.clk_encode import formatted
from pprl_desktop.interchange.clk_schema import Feature, Schema
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import Column, Table
from pprl_desktop.said import Said


@dataclass(frozen=True, eq=False)
class Fitted:
    table: Table
    notes: tuple[Said, ...]


def fitted(table: Table, schema: Schema, columns: Mapping[str, str]) -> Fitted:
    kept = {column.name: column for column in table.columns}
    notes = []
    for feature in schema.hashed:
        name = columns.get(feature.name, feature.name)
        column = table.column(name)
        made = _rewritten(table, column, feature)
        changed = sum(before != after for before, after in zip(column.values, made.values, strict=True))
        if changed:
            kept[name] = made
            notes.append(
                Said("{n} different {n|value|values} of '{feature}' {n|was|were} brought into the form of the schema.",
                     n=changed, feature=feature.name)
            )  # fmt: skip
    return Fitted(Table(tuple(kept.values())), tuple(notes))


def _rewritten(table: Table, column: Column, feature: Feature) -> Column:
    """Values that fit stay as they are; one that cannot be made to fit stays too, and is refused later."""
    form = feature.format
    assert form is not None
    fits = [formatted(str(value), feature) is not None for value in column.values]
    if all(fits):
        return column
    values = column.values.copy()
    if form.kind == "date":
        dates = clean(table, (Field.of("date", "date"),), {"date": column.name}).columns[0]
        for at in np.flatnonzero(~np.array(fits)).tolist():
            rows = np.flatnonzero(column.codes == at)
            text = dates.cell(int(rows[0])) if len(rows) else ""
            if len(text) == 8 and text.isdigit():
                values[at] = _as_asked(text, form.date) or values[at]
    elif form.case != "mixed":
        for at in np.flatnonzero(~np.array(fits)).tolist():
            text = str(values[at]).upper() if form.case == "upper" else str(values[at]).lower()
            if formatted(text, feature) is not None:
                values[at] = text
    return Column(column.name, values, column.codes)


def _as_asked(text: str, form: str) -> str:
    try:
        return datetime.strptime(text, "%Y%m%d").strftime(form)
    except ValueError:
        return ""
