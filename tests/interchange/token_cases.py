"""People as files have them, tidy and not, for the token rules."""

from __future__ import annotations

import random

FIRST = [
    "Anna",
    "Jean-Luc",
    "Dr. John",
    "Mary Ann",
    "J.",
    "Zoë",
    "Łukasz",
    "José María",
    "O",
    "Bob Jr.",
    "X Æ",
    "Mr. Al",
    "Unknown",
    "  Eve ",
    "Ann M.",
    "Ana-Sofía",
]
LAST = [
    "Smith",
    "O'Brien",
    "Ng",
    "Xu",
    "Li",
    "St. James",
    "Müller",
    "Núñez III",
    "de la Cruz",
    "Strauß",
    "Test",
    "Q",
    "Bc",
    "Ay",
    "Jones Jr.",
    "van der Berg",
    "N/A",
    " Øst ",
]
SEX = ["M", "F", "male", "Female", "m", "unknown", "", "X", " F ", "MALE"]
BORN = [
    "1980-02-29",
    "02/28/1981",
    "1981/12/01",
    "31.12.1999",
    "1899-01-01",
    "2200-01-01",
    "1980-13-01",
    "",
    "12-25-1970",
    "1980-02-30",
    "1970-01-01T10:00:00Z",
]
ZIP = [
    "94105",
    "941",
    "9410",
    "94105-1234",
    "941051234",
    "00012",
    "12345",
    "K1A 0A6",
    "K1A",
    "K2P 1L4",
    "k2p1l4",
    "k2p",
    "H0H",
    "123456",
    "",
    "55512",
    " 60601 ",
]
SSN = [
    "123-45-6780",
    "123456780",
    "1234567",
    "000-12-3456",
    "666121234",
    "900121234",
    "123-00-1234",
    "123-45-0000",
    "111-11-1111",
    "12345678.0",
    "12 3456780",
    "",
    "x",
    "111111111",
    "1234567890",
    " 123456780 ",
    "123-456780",
    "12345-6780",
    "1111-11-111",
    "123456780.00",
    "000000000",
]


def people(rng: random.Random, count: int) -> list[dict[str, str]]:
    choices = {"first_name": FIRST, "last_name": LAST, "sex": SEX, "birth_date": BORN, "postal_code": ZIP, "ssn": SSN}
    return [{name: rng.choice(some) for name, some in choices.items()} for _ in range(count)]
