"""Made-up people of several languages, for files that no real set stands for (stress.py). Nobody here exists.

A person is a row of NAMES; a scenario takes the columns it wants. Names, towns and streets follow a steep frequency,
a household shares last name, address and telephone, and a zip code belongs to one town, a town to one county.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pprl_desktop.codes.corrupt import Rates, corrupt
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column

KINDS = {
    "last": "name", "first": "name", "middle": "name", "born": "date", "sex": "category", "street": "text",
    "zip": "id", "town": "text", "county": "text", "country": "text", "phone": "id", "year": "number",
}  # fmt: skip
NAMES = tuple(KINDS)
Person = list[str]


@dataclass(frozen=True)
class Shape:
    """How names of a language are built: syllables, how many, how many different names, how steep their frequency."""

    syllables: str
    last: tuple[int, int] = (2, 3)  # syllables, from and to
    first: tuple[int, int] = (2, 3)
    lasts: int = 1500
    firsts: int = 250
    steep: float = 2.0
    double: bool = False  # two last names


SHAPES = {
    "german": Shape("MUEL HOF SCHMI BAU BRAU WIN KEL LER MANN BERG STEIN FELD ER EN HEIN RICH WAL TER GER HARD LIN DE"),
    "chinese": Shape("LI WANG ZHA NG CHEN LIU YA WU XU SUN MA ZHU HU GU LIN HE GAO", (1, 1), (1, 2), 100, 180, 3.0),
    "spanish": Shape("GAR CIA LO PEZ MAR TI NEZ RO DRI GUEZ PE SAN CHEZ RA MI REZ TO RRES DO", (2, 3), double=True),
    "arabic": Shape("AL ABD MU HAM MAD HAS SAN KHA LID FA TIM YUS UF SA LEH NOOR DIN RAH MAN", (2, 3), (2, 2), 700),
    "vietnamese": Shape("NGUY TRAN LE PHAM HOA PHAN VU DA BUI DO HO NGO DUO LY AN MINH THU LAN", (1, 1), (1, 2), 16),
}


def people(random: np.random.Generator, count: int, shape: str = "german", household: int = 1) -> list[Person]:
    made = SHAPES[shape]
    last, first = _pool(random, made, made.lasts, made.last), _pool(random, made, made.firsts, made.first)
    streets, towns = _pool(random, made, 400, (3, 4)), _pool(random, made, 120, (3, 3))
    rows: list[Person] = []
    while len(rows) < count:
        place, house = _steep(random, len(towns), 2.0), random.integers(1, 80)
        family = last[_steep(random, len(last), made.steep)]
        if made.double:
            family += " " + last[_steep(random, len(last), made.steep)]
        address = [
            f"{streets[_steep(random, len(streets), 1.5)]} {house}", f"{20000 + 37 * place + random.integers(0, 3)}",
            towns[place], f"{towns[place // 8]}SHIRE", "ATLANTIS", f"{random.integers(10**8, 10**9)}",
        ]  # fmt: skip
        for _ in range(int(random.integers(1, 2 * household)) if household > 1 else 1):
            year = int(random.integers(1930, 2012))
            born = f"{year}{random.integers(1, 13):02d}{random.integers(1, 29):02d}"
            given = [first[_steep(random, len(first), made.steep)] for _ in range(2)]
            rows.append([family, given[0], given[1], born, str(random.choice(["F", "M"])), *address, str(year)])
    return rows[:count]


def _pool(random: np.random.Generator, shape: Shape, count: int, parts: tuple[int, int]) -> list[str]:
    syllables = shape.syllables.split()
    return ["".join(random.choice(syllables, random.integers(parts[0], parts[1] + 1))) for _ in range(count)]


def _steep(random: np.random.Generator, count: int, power: float) -> int:
    return int(count * random.random() ** power)


def table(columns: Sequence[str], rows: Sequence[Person]) -> CleanTable:
    made = []
    for name in columns:
        column = Column.of(name, [row[NAMES.index(name)] for row in rows])
        blank = np.flatnonzero(column.values == "")
        codes = np.where(np.isin(column.codes, blank), MISSING, column.codes).astype(np.int32)
        made.append(Column(name, column.values, codes))
    return CleanTable(tuple(Field.of(name, KINDS[name]) for name in columns), tuple(made))


def blanked(made: CleanTable, share: float, random: np.random.Generator) -> CleanTable:
    """Cells emptied at random."""
    columns = [
        Column(one.name, one.values, np.where(random.random(made.rows) < share, MISSING, one.codes).astype(np.int32))
        for one in made.columns
    ]
    return CleanTable(made.fields, tuple(columns))


def slips(made: CleanTable, seed: int, touched: float = 0.5, further: float = 0.25) -> CleanTable:
    return corrupt(made, seed, Rates(touched=touched, further=further))
