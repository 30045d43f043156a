"""Made-up populations with everything that breaks linkage, different for every seed: nobody can tune to them.

A seed draws a `World` (who lives there, how the two files were kept, which columns they have); `make` draws the people
and the two files. Nobody here exists: American names come from the bundled public lists, others from syllables.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from pprl_desktop.records.table import Table
from pprl_desktop.reference.names import dictionary

Random = np.random.Generator
Person = dict[str, str]
CULTURES = ("american", "german", "few surnames", "two surnames", "few first names", "mixed")
TODAY = 2024
NICKNAMES = {
    "WILLIAM": "BILL", "ROBERT": "BOB", "RICHARD": "DICK", "JAMES": "JIM", "JOHN": "JACK", "MARGARET": "PEGGY",
    "ELIZABETH": "LIZ", "PATRICIA": "PAT", "JENNIFER": "JEN", "MICHAEL": "MIKE", "THOMAS": "TOM", "CHARLES": "CHUCK",
    "JOSEPH": "JOE", "DANIEL": "DAN", "SUSAN": "SUE", "DOROTHY": "DOT", "KATHERINE": "KATE", "EDWARD": "TED",
}  # fmt: skip


@dataclass(frozen=True)
class World:
    seed: int
    culture: str
    people: tuple[int, int]  # in the first file, in the second
    overlap: float  # share of the smaller file's people that the other holds too
    households: float  # share of people who live with others
    twins: float  # share of the people who have a twin in the same household
    regions: int  # each with a culture, towns and names of its own where the culture is mixed
    dirt: tuple[float, float]  # share of cells with a slip, per file
    missing: tuple[float, float]  # share of empty cells, per file
    moved: float  # share of the shared people who have another address in the second file
    renamed: float  # share who have another last name there
    twice: tuple[float, float]  # share of the people whom a file holds more than once
    columns: tuple[str, ...]
    renamed_columns: bool  # headings in another language, on both sides alike
    formats: tuple[str, ...]  # what the second file writes otherwise
    namesakes: float = 0.0  # share of the people who have first and last name of somebody else
    juniors: float = 0.1  # share of second men of a household who have the first name of the first
    institutions: float = 0.0  # share of the people who live at one of a few addresses: hospitals, homes, barracks
    gaps_by_group: float = 0.0  # share of the cells that a file lacks beyond `missing`, of one group of people only
    group: str = "old"  # that group: the old, women, or one region
    sexes: tuple[str, str] = ("FEMALE", "MALE")  # how the second file writes F and M where `formats` has "sex"
    recoded: bool = False  # whether the second file has codes for the words of "status" and "language"
    doubles: float = 0.0  # share of the people who live with somebody of the same name: father and son

    def said(self) -> str:
        return (
            f"{self.culture}, {self.people[0]}x{self.people[1]}, overlap {self.overlap:.2f}, twice "
            f"{self.twice[0]:.2f}/{self.twice[1]:.2f}, dirt {self.dirt[0]:.2f}/{self.dirt[1]:.2f}, "
            f"moved {self.moved:.2f}, renamed {self.renamed:.2f}, twins {self.twins:.2f}, "
            f"namesakes {self.namesakes:.2f}, institutions {self.institutions:.2f}, "
            f"gaps of {self.group} {self.gaps_by_group:.2f}, doubles {self.doubles:.2f}, "
            f"formats {'+'.join((*self.formats, *(('recoded',) if self.recoded else ()))) or '-'}: "
            f"{' '.join(self.columns)}"
        )


@dataclass(frozen=True, eq=False)
class Population:
    world: World
    a: Table
    b: Table
    truth: frozenset[tuple[int, int]]  # rows
    person_a: tuple[int, ...] = field(repr=False)
    person_b: tuple[int, ...] = field(repr=False)

    def one_to_one_at_most(self) -> int:
        """Pairs that a result can hold in which every record stands once."""
        in_b = _counted(self.person_b)
        return sum(min(count, in_b.get(person, 0)) for person, count in _counted(self.person_a).items())


def _counted(people: Sequence[int]) -> dict[int, int]:
    values, counts = np.unique(np.asarray(people), return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


# ---- worlds

# columns beside the names, by what kind of file it is; REDUNDANT ones repeat others
SCHEMES: tuple[tuple[str, ...], ...] = (
    ("first", "last", "dob", "sex", "street", "zip", "city"),
    ("first", "last", "dob"),
    ("first", "middle", "last", "year", "sex"),
    ("first", "last", "middle"),
    ("first", "last", "dob", "city", "region", "country"),
    ("first", "last", "day", "month", "year", "zip"),
    ("first", "last", "age", "sex", "city"),
    ("full", "dob", "street", "city"),
    ("first", "last", "dob", "phone", "email"),
    ("first", "last", "maiden", "dob", "birthplace"),
    ("first", "last", "street", "zip", "city", "phone"),
)
REDUNDANT = ("full", "first_last", "initials", "age", "year", "city", "region", "zip3", "country", "email")


CATEGORIES = {  # what the first file writes, and the second where it has codes of its own
    "status": (("SINGLE", "MARRIED", "DIVORCED", "WIDOWED"), ("10", "20", "31", "32")),
    "language": (("ENGLISH", "GERMAN", "SPANISH", "TURKISH", "POLISH"), ("E", "D", "ES", "TR", "PL")),
}
SEXES = (("FEMALE", "MALE"), ("2", "1"), ("W", "M"), ("WEIBLICH", "MAENNLICH"), ("MRS", "MR"), ("FRAU", "HERR"))
SMALLEST, LARGEST = 30, 200_000  # people, where a seed draws the size too


def draw(seed: int, size: int | None = 2500) -> World:
    """A world for a seed, with files of about `size` people; None: from 30 to 200,000, most of them small."""
    random = np.random.default_rng([seed, 15])
    more_of_it = np.random.default_rng([seed, 16])  # what came later is drawn apart: earlier worlds stay as they were
    if size is None:
        size = int(SMALLEST * (LARGEST / SMALLEST) ** (more_of_it.random() ** 1.5))
    columns = list(SCHEMES[int(random.integers(len(SCHEMES)))])
    if random.random() < 0.4:
        more = [one for one in REDUNDANT if one not in columns]
        columns += [str(one) for one in random.choice(more, size=int(random.integers(1, 5)), replace=False)]
    people = [max(int(size * random.uniform(0.6, 1.3)), min(size, SMALLEST)) for _ in range(2)]
    if random.random() < 0.15:
        side = int(random.integers(2))
        people[side] = max(people[side] // 12, min(size, SMALLEST))  # a small file against a large one
    overlap = float(random.choice([0.0, 0.01, 0.05, 0.2, 0.5, 0.8, 1.0], p=[0.15, 0.05, 0.1, 0.2, 0.25, 0.15, 0.1]))
    dirty = random.choice([0.0, 0.02, 0.06, 0.15], size=2, p=[0.25, 0.4, 0.25, 0.1])
    gaps = random.choice([0.0, 0.03, 0.12], size=2, p=[0.4, 0.4, 0.2])
    twice = random.choice([0.0, 0.05, 0.2, 0.5], size=2, p=[0.5, 0.2, 0.2, 0.1])
    possible = ("sex", "dob", "phone", "case", "zip4")
    later = np.random.default_rng([seed, 17])
    columns += [one for one in CATEGORIES if later.random() < 0.15]
    formats = tuple(one for one in possible if random.random() < 0.2)
    return World(
        seed,
        str(random.choice(CULTURES)),
        (people[0], people[1]),
        overlap,
        float(random.choice([0.0, 0.4, 0.8])),
        float(random.choice([0.0, 0.0, 0.03])),
        int(random.choice([1, 4, 12])),
        (float(dirty[0]), float(dirty[1])),
        (float(gaps[0]), float(gaps[1])),
        float(random.choice([0.0, 0.1, 0.4])),
        float(random.choice([0.0, 0.05, 0.2])),
        (float(twice[0]), float(twice[1])),
        tuple(columns),
        bool(random.random() < 0.3),
        formats,
        float(more_of_it.choice([0.0, 0.02, 0.1], p=[0.5, 0.35, 0.15])),
        float(more_of_it.choice([0.0, 0.1, 0.4])),
        float(more_of_it.choice([0.0, 0.02, 0.15], p=[0.5, 0.35, 0.15])),
        float(more_of_it.choice([0.0, 0.3, 0.8], p=[0.6, 0.3, 0.1])),
        str(more_of_it.choice(["old", "women", "region"])),
        SEXES[int(more_of_it.integers(len(SEXES)))],
        bool(later.random() < 0.5),
        float(np.random.default_rng([seed, 20]).choice([0.0, 0.1, 1.0], p=[0.9, 0.06, 0.04])),
    )


CONDITIONS = ("whole", "nobody", "hundredth", "thirty", "few")


def under(world: World, condition: str) -> World:
    """The same world with nobody shared, one in a hundred, 30 people against 30, or 200 against all."""
    if condition == "nobody":
        return replace(world, overlap=0.0)
    if condition == "hundredth":
        return replace(world, overlap=0.01)
    if condition == "thirty":
        return replace(world, people=(30, 30))
    if condition == "few":
        return replace(world, people=(min(200, world.people[0]), max(world.people)))
    return world


# ---- people


@dataclass(frozen=True, eq=False)
class _Names:
    firsts: dict[str, list[str]]  # by sex
    lasts: list[str]
    first_share: dict[str, np.ndarray]
    last_share: np.ndarray
    two: bool = False

    def first(self, random: Random, sex: str) -> str:
        return self.firsts[sex][int(np.searchsorted(self.first_share[sex], random.random()))]

    def last(self, random: Random) -> str:
        pick = [self.lasts[int(np.searchsorted(self.last_share, random.random()))] for _ in range(1 + self.two)]
        return " ".join(pick)


def _steep(count: int, power: float) -> np.ndarray:
    weight = 1.0 / np.arange(1, count + 1) ** power
    return np.append(np.cumsum(weight / weight.sum())[:-1], 1.0)


@cache
def _american() -> tuple[list[str], np.ndarray, list[str], np.ndarray]:
    first, last = dictionary("first"), dictionary("last")
    return (
        list(first.values)[:1500], np.cumsum(first.counts[:1500] / first.counts[:1500].sum()),
        list(last.values)[:20_000], np.cumsum(last.counts[:20_000] / last.counts[:20_000].sum()),
    )  # fmt: skip


def _word(random: Random, syllables: Sequence[str], low: int, high: int) -> str:
    return "".join(random.choice(syllables, int(random.integers(low, high + 1))))


def _syllables(random: Random, count: int) -> list[str]:
    vowels, consonants = list("AAEEIIOU"), [*"BDFGHKLMNPRSTVWZ", "SCH", "TR", "ST", "KH", "NG", "CH"]
    return [str(random.choice(consonants)) + str(random.choice(vowels)) for _ in range(count)]


def _names(random: Random, culture: str) -> _Names:
    if culture == "american":
        firsts, first_share, lasts, last_share = _american()
        order = {"M": firsts[::2], "F": firsts[1::2]}
        weight = np.diff(first_share, prepend=0.0)
        shares = {"M": weight[::2], "F": weight[1::2]}
        return _Names(order, lasts, {s: np.append(np.cumsum(w / w.sum())[:-1], 1.0) for s, w in shares.items()},
                      np.append(last_share[:-1], 1.0))  # fmt: skip
    lasts_count, firsts_count, last_power, first_power = {
        "german": (4000, 250, 0.75, 0.9),
        "few surnames": (30, 300, 1.1, 0.6),
        "two surnames": (300, 200, 0.9, 0.9),
        "few first names": (1500, 40, 0.8, 1.1),
    }[culture]
    parts = _syllables(random, 40)
    short = culture == "few surnames"
    lasts = list(dict.fromkeys(_word(random, parts, 1 if short else 2, 2 if short else 4) for _ in range(lasts_count)))
    firsts = {
        sex: list(dict.fromkeys(_word(random, parts, 2, 3) + end for _ in range(firsts_count)))
        for sex, end in (("F", "A"), ("M", ""))
    }
    return _Names(
        firsts,
        lasts,
        {sex: _steep(len(names), first_power) for sex, names in firsts.items()},
        _steep(len(lasts), last_power),
        culture == "two surnames",
    )


def residents(world: World, random: Random, count: int) -> list[Person]:
    one_culture = _names(random, world.culture) if world.culture != "mixed" else None
    regions = []
    for _ in range(world.regions):
        known = one_culture or _names(random, str(random.choice(CULTURES[:-1])))
        towns = [_word(random, _syllables(random, 12), 2, 4) for _ in range(int(random.integers(2, 15)))]
        regions.append((known, towns, f"{_word(random, _syllables(random, 9), 2, 3)}LAND"))
    streets = [f"{_word(random, _syllables(random, 20), 2, 3)} STREET" for _ in range(300)]
    institutions: list[Person] = []
    made: list[Person] = []
    categories = any(one in CATEGORIES for one in world.columns)
    while len(made) < count:
        at = min(int(world.regions * random.random() ** 1.5), world.regions - 1)
        names, towns, region = regions[at]
        town = int(len(towns) * random.random() ** 1.7)
        home = {
            "street": f"{streets[int(random.integers(len(streets)))]} {random.integers(1, 150)}",
            "zip": f"{10_000 + 900 * at + 7 * town + random.integers(0, 3)}",
            "city": towns[town],
            "region": region,
            "country": f"C{at % 3}",
            "phone": f"0{random.integers(10**8, 10**9)}",
        }
        if random.random() < world.institutions:  # a few addresses that many unrelated people share
            if len(institutions) < 3:
                institutions.append(home)
            home = institutions[int(random.integers(len(institutions)))]
        family, size = names.last(random), 1
        if random.random() < world.households:
            size = int(random.integers(2, 6))
        sibling = None
        for member in range(size):
            sex = "FM"[int(random.integers(2))]
            born = int(random.integers(1930, 2012)), int(random.integers(1, 13)), int(random.integers(1, 29))
            first = names.first(random, sex)
            twin = sibling if sibling and random.random() < world.twins * size else None
            born = sibling = twin or born
            last = family if member < 2 or random.random() < 0.85 else names.last(random)
            if member == 1 and made and sex == "M" and random.random() < world.juniors and not twin:
                first = made[-1]["first"] if made[-1]["sex"] == "M" else first  # a junior
            if made and random.random() < world.namesakes:
                other = made[int(random.integers(len(made)))]
                first, last, sex = other["first"], other["last"], other["sex"]
            made.append(
                {
                    "first": first,
                    "last": last,
                    "middle": names.first(random, sex) if random.random() < 0.7 else "",
                    "maiden": names.last(random) if sex == "F" and random.random() < 0.5 else last,
                    "sex": sex,
                    "born": f"{born[0]}-{born[1]:02}-{born[2]:02}",
                    "status": CATEGORIES["status"][0][int(4 * random.random() ** 1.5)] if categories else "",
                    "language": CATEGORIES["language"][0][int(5 * random.random() ** 2)] if categories else "",
                    "birthplace": towns[int(len(towns) * random.random())],
                    "email": f"{first.lower()}.{last.split()[0].lower()}{random.integers(1, 99)}@mail.example",
                    **home,
                }
            )
            if world.doubles and random.random() < world.doubles:
                made.append(_double(made[-1], names, random))
    return made[:count]


def _double(person: Person, names: _Names, random: Random) -> Person:
    """Somebody of the same name at the same address, a generation apart."""
    year = int(person["born"][:4])
    year += int(random.integers(18, 40)) * (1 if year < 1970 else -1)
    made = {**person, "born": f"{year}-{int(random.integers(1, 13)):02}-{int(random.integers(1, 29)):02}"}
    made["middle"] = names.first(random, person["sex"]) if random.random() < 0.7 else ""
    made["email"] = person["email"].replace("@", f"{year % 100}@")
    return made


# ---- files


def make(world: World) -> Population:
    random = np.random.default_rng([world.seed, 51])
    n_a, n_b = world.people
    shared = round(world.overlap * min(n_a, n_b))
    everyone = residents(world, random, n_a + n_b - shared)
    order = random.permutation(len(everyone))  # households are torn apart between the files, as in life
    held = order[:n_a].tolist(), np.concatenate([order[:shared], order[n_a:]]).tolist()
    newcomers = residents(world, random, max(len(everyone) // 10, 10))
    later = {
        person: _later(everyone[person], newcomers[int(random.integers(len(newcomers)))], world, random)
        for person in held[1]
    }
    files, whose = [], []
    for side, people in enumerate(held):
        rows: list[list[str]] = []
        owner: list[int] = []
        for person in people:
            true = everyone[person] if side == 0 else later[person]
            times = 1
            if random.random() < world.twice[side]:
                times += 1 + int(random.random() < 0.2)
            for _ in range(times):
                rows.append(_record(written(true, world, side, random), world, side))
                owner.append(person)
        turn = random.permutation(len(rows))
        files.append([[f"{'AB'[side]}{place}", *rows[row]] for place, row in enumerate(turn.tolist())])
        whose.append(tuple(owner[row] for row in turn.tolist()))
    by_person: dict[int, list[int]] = {}
    for row, person in enumerate(whose[1]):
        by_person.setdefault(person, []).append(row)
    truth = frozenset((i, j) for i, person in enumerate(whose[0]) for j in by_person.get(person, ()))
    header = ["rec_id", *(_heading(one, world) for one in world.columns)]
    return Population(world, Table.of(header, files[0]), Table.of(header, files[1]), truth, whose[0], whose[1])


def _later(person: Person, other: Person, world: World, random: Random) -> Person:
    """The same person as the second file knows them, years later."""
    made = dict(person)
    if random.random() < world.moved:
        made.update({name: other[name] for name in ("street", "zip", "city", "region", "country", "phone")})
    if random.random() < world.renamed:
        made["maiden"] = made["last"]  # the old name stands in another column, or nowhere
        if random.random() < 0.3:
            made["middle"] = made["last"]
        made["last"] = other["last"]
    return made


def written(person: Person, world: World, side: int, random: Random) -> Person:
    """With the slips and gaps of one record. Redundant columns repeat the slip: they are made from the same cells."""
    made = dict(person)
    gaps = world.missing[side] + (world.gaps_by_group if _in_group(person, world) else 0.0)
    for name in ("first", "last", "middle", "maiden", "street", "city", "zip", "phone", "email", "birthplace"):
        if made[name] and random.random() < world.dirt[side]:
            made[name] = _slip(made[name], random)
        if random.random() < gaps and name not in ("first", "last"):
            made[name] = ""
    if random.random() < world.dirt[side] / 3:
        made["first"] = NICKNAMES.get(made["first"], made["first"][:1])
    if random.random() < world.dirt[side] / 6:
        made["first"], made["last"] = made["last"], made["first"]
    if random.random() < world.dirt[side]:
        year, month, day = made["born"].split("-")
        kind = int(random.integers(5))
        if kind == 0:
            made["born"] = f"{year}-{day}-{month}" if int(day) <= 12 else made["born"]
        elif kind == 1:
            made["born"] = f"{int(year) + int(random.choice([-10, -1, 1, 10]))}-{month}-{day}"
        elif kind == 2:
            made["born"] = f"{year}-{month}-{int(random.integers(1, 29)):02}"
        elif kind == 3:
            made["born"] = f"{year}-01-01"  # what clerks type where they know the year only
        else:
            made["born"] = str(random.choice(["1900-01-01", f"{year}-00-00", f"{year}-{month}-00"]))
    if random.random() < gaps:
        made["born"] = ""
    return made


def _in_group(person: Person, world: World) -> bool:
    if world.group == "women":
        return person["sex"] == "F"
    return person["country"] == "C0" if world.group == "region" else person["born"] < "1955"


def _slip(text: str, random: Random) -> str:
    letters = string.digits if text.isdigit() else string.ascii_uppercase
    at = int(random.integers(len(text)))
    kind = int(random.integers(4))
    if kind == 0:
        return text[:at] + str(random.choice(list(letters))) + text[at + 1 :]
    if kind == 1 and len(text) > 2:
        return text[:at] + text[at + 1 :]
    if kind == 2:
        return text[:at] + str(random.choice(list(letters))) + text[at:]
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


_CELLS: dict[str, Callable[[Person], str]] = {
    "dob": lambda p: p["born"],
    "year": lambda p: p["born"][:4],
    "month": lambda p: p["born"][5:7].lstrip("0"),
    "day": lambda p: p["born"][8:].lstrip("0"),
    "age": lambda p: str(TODAY - int(p["born"][:4])) if p["born"] else "",
    "full": lambda p: " ".join(filter(None, (p["first"], p["middle"], p["last"]))),
    "first_last": lambda p: f"{p['last']}, {p['first']}",
    "initials": lambda p: p["first"][:1] + p["last"][:1],
    "zip3": lambda p: p["zip"][:3],
}


def _record(person: Person, world: World, side: int) -> list[str]:
    cells = []
    for column in world.columns:
        cell = _CELLS[column](person) if column in _CELLS else person[column]
        if side and cell:
            if column == "sex" and "sex" in world.formats:
                cell = world.sexes["FM".index(cell)]
            elif column == "dob" and "dob" in world.formats:
                cell = f"{cell[8:]}.{cell[5:7]}.{cell[:4]}"
            elif column == "phone" and "phone" in world.formats:
                cell = f"+49 {cell[1:4]} {cell[4:]}"
            elif column == "zip" and "zip4" in world.formats:
                cell = f"{cell}-0001"
            elif column in ("last", "full") and "case" in world.formats:
                cell = cell.title()
            elif column in CATEGORIES and world.recoded:
                words, codes = CATEGORIES[column]
                cell = codes[words.index(cell)]
        cells.append(cell)
    return cells


_HEADINGS = {
    "first": "first_name", "last": "last_name", "middle": "middle_name", "maiden": "maiden_name",
    "dob": "date_of_birth", "year": "birth_year", "month": "birth_month", "day": "birth_day", "full": "full_name",
    "first_last": "name", "phone": "phone", "birthplace": "place_of_birth", "zip3": "zip_area",
}  # fmt: skip
_ELSEWHERE = {
    "first": "Vorname", "last": "Nachname", "middle": "Zweitname", "maiden": "Geburtsname", "dob": "Geburtsdatum",
    "year": "Geburtsjahr", "month": "Geburtsmonat", "day": "Geburtstag", "full": "Name", "first_last": "Name, Vorname",
    "phone": "Telefon", "birthplace": "Geburtsort", "zip": "PLZ", "city": "Wohnort", "street": "Strasse",
    "sex": "Geschlecht", "region": "Land", "age": "Alter", "zip3": "PLZ-Gebiet",
}  # fmt: skip


def _heading(column: str, world: World) -> str:
    return (_ELSEWHERE if world.renamed_columns else _HEADINGS).get(column, column)
