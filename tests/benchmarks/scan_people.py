"""Fictional people for the benchmarks: public first and last names with their frequencies, dates and postcodes."""

from __future__ import annotations

import datetime

import numpy as np

from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.names import dictionary


def people(rows: int, seed: int = 0) -> CleanTable:
    random = np.random.default_rng(seed)
    first, last = dictionary("first"), dictionary("last")
    days = [(datetime.date(1930, 1, 1) + datetime.timedelta(day)).isoformat() for day in range(28_000)]
    codes = [f"{code:05d}" for code in range(10_000, 30_000, 3)]
    drawn = {
        ("last_name", "name"): (last.values, random.choice(len(last), rows, p=last.shares)),
        ("first_name", "name"): (first.values, random.choice(len(first), rows, p=first.shares)),
        ("birth_date", "date"): (days, random.integers(len(days), size=rows)),
        ("postcode", "id"): (codes, random.integers(len(codes), size=rows)),
    }
    fields = tuple(Field.of(*named) for named in drawn)
    columns = tuple(
        Column(name, np.array(values, object), picked.astype(np.int32)) for (name, _), (values, picked) in drawn.items()
    )
    return CleanTable(fields, columns)
