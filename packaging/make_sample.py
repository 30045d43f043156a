"""Makes resources/samples: two hospitals with partly the same fictional people, and the truth.

    python packaging/make_sample.py

Names are drawn from the built-in public name lists by frequency and combined at random; towns and
streets are invented. Any likeness to a real person is chance. The same seed gives the same files.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

from pprl_desktop.reference.names import dictionary

SEED = 20260901
ROWS_A, ROWS_B, SHARED = 1500, 1200, 800
HERE = Path(__file__).resolve().parent.parent / "resources" / "samples"

TOWNS = [a + b for a in ("Alder", "Brook", "Cross", "Fern", "Hazel", "Kings", "Lark", "Marsh", "Oak", "Willow")
         for b in ("bury", "dale", "field", "mouth", "stead", "wick")][:40]  # fmt: skip
STREETS = [f"{a} {b}" for a in ("Mill", "Station", "Church", "Orchard", "Garden", "Harbour", "Meadow", "Quarry", "Park")
           for b in ("Street", "Lane", "Road", "Close")]  # fmt: skip
# first names that go with the sex column, most usual first
WOMEN = """Mary Linda Patricia Barbara Susan Margaret Dorothy Lisa Nancy Karen Betty Helen Sandra Donna Carol
Ruth Sharon Michelle Laura Sarah Kimberly Deborah Jessica Shirley Cynthia Angela Melissa Brenda Amy
Anna Rebecca Virginia Kathleen Pamela Martha Debra Amanda Stephanie Carolyn Christine Marie Janet
Catherine Frances Ann Joyce Diane Alice Julie Heather Teresa Doris Gloria Evelyn Jean Cheryl Mildred
Katherine Joan Ashley Judith Rose Janice Kelly Nicole Judy Christina Kathy Theresa Beverly Denise
Tammy Irene Jane Lori Rachel Marilyn Andrea Kathryn Louise Sara Anne Jacqueline Wanda Bonnie Julia
Ruby Lois Tina Phyllis Norma Paula Diana Annie Lillian Emily Robin Greta Ingrid Odette Saskia Yelena
Noor Amina""".split()
MEN = """James John Robert Michael William David Richard Charles Joseph Thomas Christopher Daniel Paul Mark
Donald George Kenneth Steven Edward Brian Ronald Anthony Kevin Jason Matthew Gary Timothy Jose Larry
Jeffrey Frank Scott Eric Stephen Andrew Raymond Gregory Joshua Jerry Dennis Walter Patrick Peter
Harold Douglas Henry Carl Arthur Ryan Roger Joe Juan Jack Albert Jonathan Justin Terry Gerald Keith
Samuel Willie Ralph Lawrence Nicholas Roy Benjamin Bruce Brandon Adam Harry Fred Wayne Billy Steve
Louis Jeremy Aaron Randy Howard Eugene Carlos Russell Bobby Victor Martin Ernest Phillip Todd Jesse
Craig Alan Shawn Clarence Sean Philip Chris Johnny Earl Anton Dmitri Henrik Lars Mateo Omar Yusuf""".split()
DIAGNOSES = ("I21.4", "I25.1", "I48.9", "I50.0", "I10", "E11.9", "J44.1", "N18.3", "C50.9", "K35.8")
THERAPIES = ("PCI", "CABG", "ablation", "pacemaker", "medication", "rehabilitation", "observation")
NEIGHBOURS = {
    "a": "sq", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk",
    "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "wa", "r": "et", "s": "ad", "t": "ry",
    "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "x",
}  # fmt: skip
SOUNDS = (("ph", "f"), ("ck", "k"), ("ie", "y"), ("ey", "y"), ("sch", "sh"), ("th", "t"), ("ll", "l"), ("nn", "n"))


@dataclass(frozen=True)
class Person:
    last: str
    first: str
    middle: str
    born: date
    sex: str
    house: int
    street: str
    town: int


def last_names(rng: random.Random, count: int) -> list[str]:
    names = dictionary("last")
    return [str(name).title() for name in rng.choices(list(names.values), weights=names.counts.tolist(), k=count)]


def first_name(rng: random.Random, sex: str) -> str:
    names = WOMEN if sex == "F" else MEN
    return names[min(int(rng.expovariate(1 / 35)), rng.randrange(len(names)))]  # a few are very common


def people(rng: random.Random, count: int) -> list[Person]:
    made: list[Person] = []
    for last in last_names(rng, count):
        sex = rng.choice("FM")
        first, middle = first_name(rng, sex), first_name(rng, sex)
        born = date(1930, 1, 1) + timedelta(days=rng.randrange(365 * 75))
        house, street, town = rng.randrange(1, 140), rng.choice(STREETS), int(rng.triangular(0, len(TOWNS), 0))
        if made and rng.random() < 0.12:  # a relative at the same address: the hard neighbour
            other = rng.choice(made)
            last, house, street, town = other.last, other.house, other.street, other.town
        if rng.random() < 0.25:
            middle = ""
        elif rng.random() < 0.3:
            middle = middle[0]
        made.append(Person(last, first, middle, born, sex, house, street, min(town, len(TOWNS) - 1)))
    return made


def slip(rng: random.Random, word: str) -> str:
    """One slip of the hand or the ear."""
    if len(word) < 2:
        return word
    at = rng.randrange(1, len(word))
    kind = rng.random()
    if kind < 0.25:
        return word[:at] + rng.choice(NEIGHBOURS.get(word[at].lower(), "e")) + word[at + 1 :]
    if kind < 0.45:
        return word[:at] + word[at + 1 :]
    if kind < 0.6:
        return word[:at] + word[at] + word[at:]
    if kind < 0.8 and at + 1 < len(word):
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    for spelled, heard in SOUNDS:
        if spelled in word.lower():
            return word.lower().replace(spelled, heard, 1).capitalize()
    return word[:at] + rng.choice("aeiourstln") + word[at:]


def seen_elsewhere(rng: random.Random, person: Person, strangers: Sequence[Person]) -> Person:
    """The same person as another hospital wrote them down, perhaps years later."""
    if rng.random() < 0.12:
        person = replace(person, last=slip(rng, person.last))
    if rng.random() < 0.10:
        person = replace(person, first=slip(rng, person.first))
    if rng.random() < 0.35 and len(person.middle) > 1:
        person = replace(person, middle=person.middle[0])
    elif rng.random() < 0.15:
        person = replace(person, middle="")
    if rng.random() < 0.05 and person.sex == "F":  # married: the old name moves to the middle
        person = replace(person, middle=person.last, last=rng.choice(strangers).last)
    if rng.random() < 0.02:
        person = replace(person, last=person.first, first=person.last)
    if rng.random() < 0.04 and person.born.day <= 12:
        person = replace(person, born=person.born.replace(month=person.born.day, day=person.born.month))
    elif rng.random() < 0.03:
        person = replace(person, born=person.born.replace(year=person.born.year + rng.choice((-1, 1, 10)), day=1))
    if rng.random() < 0.2:
        other = rng.choice(strangers)
        person = replace(person, house=other.house, street=other.street, town=other.town)
    return person


def postcode(person: Person) -> str:
    return f"{10200 + 37 * person.town + person.house % 3:05d}"


def blank(rng: random.Random, text: str, share: float) -> str:
    return "" if rng.random() < share else text


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def main() -> None:
    rng = random.Random(SEED)
    crowd = people(rng, ROWS_A + ROWS_B - SHARED)
    shared, only_a, only_b = crowd[:SHARED], crowd[SHARED:ROWS_A], crowd[ROWS_A:]
    a = [(k, person) for k, person in enumerate(shared)] + [(-1, person) for person in only_a]
    b = [(k, seen_elsewhere(rng, person, crowd)) for k, person in enumerate(shared)]
    b += [(-1, person) for person in only_b]
    rng.shuffle(a)
    rng.shuffle(b)
    HERE.mkdir(parents=True, exist_ok=True)
    ids_a = {k: f"A{row:05d}" for row, (k, _) in enumerate(a, 1)}
    ids_b = {k: f"{70000 + row}" for row, (k, _) in enumerate(b, 1)}
    write(
        HERE / "hospital_a.csv",
        ("patient_no", "last_name", "first_name", "middle_name", "birth_date", "sex", "street", "city", "postcode",
         "diagnosis"),
        [
            (f"A{row:05d}", p.last, blank(rng, p.first, 0.01), p.middle, blank(rng, p.born.isoformat(), 0.02), p.sex,
             f"{p.house} {p.street}", TOWNS[p.town], postcode(p), rng.choice(DIAGNOSES))
            for row, (_, p) in enumerate(a, 1)
        ],
    )  # fmt: skip
    write(
        HERE / "hospital_b.csv",
        ("case_id", "surname", "given_name", "second_name", "dob", "gender", "address", "town", "zip", "therapy"),
        [
            (f"{70000 + row}", p.last.upper(), p.first.upper(), p.middle.upper(),
             blank(rng, p.born.strftime("%d.%m.%Y"), 0.03), blank(rng, p.sex, 0.02),
             blank(rng, f"{p.street} {p.house}", 0.05), TOWNS[p.town].upper(), postcode(p), rng.choice(THERAPIES))
            for row, (_, p) in enumerate(b, 1)
        ],
    )  # fmt: skip
    write(HERE / "truth.csv", ("id_a", "id_b"), sorted((ids_a[k], ids_b[k]) for k in range(SHARED)))


if __name__ == "__main__":
    main()
