"""The rehearsal on CLKs and tokens counts what an attack with the secret really reads."""

from __future__ import annotations

import itertools

import pytest

from pprl_desktop.interchange import clk_schema, link_tokens
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Table
from pprl_desktop.rehearsal import formats

COLUMNS = {name: name for name in ("first_name", "last_name", "sex", "birth_date")}
PEOPLE = [
    ["JAMES", "SMITH", "M", "1980-02-29"],
    ["MARY", "JOHNSON", "F", "1975-05-05"],
    ["QWXZY", "SMITH", "F", "1960-01-01"],  # nobody's list has this first name
    ["JOHN", "ZZYZXQ", "M", "1961-01-01"],  # nor this last name
    ["LINDA", "BROWN", "F", ""],  # no date: only T5
]


def schema(case: str = "upper") -> clk_schema.Schema:
    hashing = {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerFeature": 100}}
    text = {"type": "string", "encoding": "utf-8", "case": case}
    features = [{"identifier": name, "format": text, "hashing": hashing} for name in ("first_name", "last_name")]
    config = {"l": 1024, "kdf": {"type": "HKDF"}}
    return clk_schema.from_plain({"version": 3, "clkConfig": config, "features": features})


def test_tokens_are_counted_as_a_real_dictionary_reads_them() -> None:
    table = Table.of(list(COLUMNS), PEOPLE)
    secret = b"a shared secret"
    made = {(one.record, one.rule): one.token for one in link_tokens.tokens(table, COLUMNS, secret)}
    # the attack for real, on short lists: T5 gives the surname, T3 then the first name and the day
    firsts, lasts = ("JAMES", "MARY", "LINDA", "JOHN"), ("SMITH", "JOHNSON", "BROWN")
    days = sorted({row[3] for row in PEOPLE if row[3]})
    t5 = {link_tokens.token_of(f"{last}|{first[:3]}|{sex}", secret): last
          for last, first, sex in itertools.product(lasts, firsts, ("MALE", "FEMALE"))}  # fmt: skip
    t3 = {link_tokens.token_of(f"{last}|{first}|{sex}|{day}", secret)
          for last, first, sex, day in itertools.product(lasts, firsts, ("MALE", "FEMALE"), days)}  # fmt: skip
    surnames = sum(made.get((str(row + 1), "T5")) in t5 for row in range(len(PEOPLE)))
    both = sum(made.get((str(row + 1), "T3")) in t3 for row in range(len(PEOPLE)))
    found = formats.rehearse_tokens(table, COLUMNS)
    assert found.partner.last is not None
    assert found.partner.both is not None
    assert (found.partner.last.hits, found.partner.both.hits) == (surnames, both) == (3, 2)


@pytest.mark.parametrize("case", ["upper", "lower", "mixed"])
def test_clks_are_read_whatever_the_case_of_the_schema(case: str) -> None:
    turn = {"upper": str.upper, "lower": str.lower, "mixed": str.title}[case]
    names = ("first_name", "last_name")
    table = Table.of(names, [[turn(one) for one in row[:2]] for row in PEOPLE])
    found = formats.rehearse_clks(table, schema(case), b"a shared secret", {})
    assert found.partner.both is not None
    assert found.partner.both.hits == 3, "the three whose names are on the lists"


def test_without_a_name_there_is_nobody_to_name() -> None:
    with pytest.raises(Problem, match="no name"):
        formats.rehearse_tokens(Table.of(["sex"], [["M"]]), {"sex": "sex"})
