"""The rehearsal on formats of other tools: whoever holds the secret, against exactly the CLKs or tokens that leave.

A CLK is a record's bits in one row, so the attack is the one on our own record codes (record.py), with the schema
hashing the attacker's lists. A token is a keyed hash of a few attributes: it is read if these can be made from lists,
step by step (T5 gives the surname and three letters, T3 then the first name and the date), so who is read is worked
out from the lists and need not be hashed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from pprl_desktop.codes.recipe import of_other_tool
from pprl_desktop.interchange import link_tokens
from pprl_desktop.interchange.clk_encode import encode, formatted
from pprl_desktop.interchange.clk_schema import Feature, Schema
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.roles import role
from pprl_desktop.records.table import MISSING, CleanTable, Column, Table
from pprl_desktop.reference.names import dictionary
from pprl_desktop.rehearsal.dictionaries import Guesses, guesses_for
from pprl_desktop.rehearsal.findings import Names
from pprl_desktop.rehearsal.record import decode_record
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.rehearsal.stage import Stage, named
from pprl_desktop.rehearsal.target import Target
from pprl_desktop.said import Said

SAMPLE = 300  # own records attacked
NAMES = ("first", "last", "middle")


@dataclass(frozen=True)
class FormatRehearsal:
    """What whoever holds the secret reads in a file for another tool, at least."""

    format: str
    rows: int
    sampled: int
    partner: Names
    guessing: Names
    notes: tuple[Said, ...] = ()

    @property
    def headline(self) -> Said:
        n = self.partner.named.figure()
        if self.partner.any_order is not None:
            return Said("Whoever holds the secret could name at least {n} of 100 records by first and last name.", n=n)
        return Said("Whoever holds the secret could name at least {n} of 100 records by one name.", n=n)

    def sentences(self) -> tuple[Said, ...]:
        said = [
            self.headline,
            Said(
                "{n} of {rows} records were attacked with public lists of names. Better lists would name more.",
                n=self.sampled,
                rows=self.rows,
            ),
            Said("By guessing the most frequent names it would be {share}.", share=self.guessing.named.of_records()),
        ]
        return (*said, *self.notes)

    def as_dict(self) -> dict[str, Any]:
        return {
            "format": self.format, "rows": self.rows, "sampled": self.sampled, "partner": self.partner.as_dict(),
            "guessing": self.guessing.as_dict(), "sentences": [str(one) for one in self.sentences()],
        }  # fmt: skip


# ---- CLKs


def rehearse_clks(
    table: Table,
    schema: Schema,
    secret: bytes,
    columns: Mapping[str, str],
    *,
    sample: int = SAMPLE,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> FormatRehearsal:
    """`table` is in the form of the schema already."""
    stage = _staged(table, schema, secret, columns, sample, seed)

    def smash(made: CleanTable, part: Progress) -> Any:
        return encode(Table(made.columns), schema, secret, {}, part).smashed()

    progress.at(0.0, "Hashing the lists")
    sent = smash(stage.sample, progress.part(0.0, 0.1))
    target = Target(stage.sample, stage.recipe, (sent,), stage.guesses, maker=smash)
    read = decode_record(target, seed, progress.part(0.1, 1.0))
    likeliest = {
        one.field.name: np.full(len(stage.chosen), one.values[one.likeliest], dtype=object) for one in stage.guesses
    }
    note = Said(
        "Someone without the secret was not played: similar values have similar bits, and that is known to be enough "
        "where many records are at hand."
    )
    progress.at(1.0)
    return FormatRehearsal("CLKs", table.rows, len(stage.chosen), named(stage, read), named(stage, likeliest), (note,))


def _staged(table: Table, schema: Schema, secret: bytes, columns: Mapping[str, str], sample: int, seed: int) -> Stage:
    fields, kept = [], []
    for feature in schema.hashed:
        column = table.column(columns.get(feature.name, feature.name))
        fields.append(Field.of(feature.name, _kind(feature)))
        blank = np.array([formatted(str(value), feature) in (None, "") for value in column.values], dtype=bool)
        codes = np.where((column.codes < 0) | blank[column.codes], MISSING, column.codes).astype(np.int32)
        kept.append(Column(feature.name, column.values, codes))
    whole = CleanTable(tuple(fields), tuple(kept))
    by_name = {feature.name: feature for feature in schema.hashed}
    guesses = tuple(
        _in_form(one, by_name[one.field.name], whole.column(one.field.name))
        for one in guesses_for(whole, whole.fields, {}, {})
    )
    roles: dict[str, str] = {}
    for one in guesses:
        roles.setdefault(one.role, one.field.name)
    if "first" not in roles and "last" not in roles:
        raise _no_names()
    # the key of what is kept between rehearsals: another schema hashes otherwise
    key = hashlib.sha256(repr(replace(schema, warnings=())).encode() + b"\0" + secret).digest()
    order = np.random.default_rng(seed).permutation(table.rows)
    return Stage(
        whole, whole, order[: max(1, sample)], of_other_tool("clk", whole.fields, key), guesses,
        roles.get("first", ""), roles.get("last", ""),
    )  # fmt: skip


def _kind(feature: Feature) -> FieldKind:
    assert feature.format is not None
    if role(feature.name) in NAMES:
        return "name"
    kinds: Mapping[str, FieldKind] = {"date": "date", "integer": "number", "enum": "category"}
    return kinds.get(feature.format.kind, "text")


def _in_form(one: Guesses, feature: Feature, own: Column) -> Guesses:
    """The list as the schema writes it: the case of the own column, its order of a date."""
    assert feature.format is not None
    if one.role == "other" and feature.format.kind != "date":
        return one  # the values of the own column, which are in the form already
    texts = [str(value) for value in own.values[:200]]
    if feature.format.kind == "date":
        values = [_day(str(value), feature.format.date) for value in one.values]
    elif sum(text == text.upper() for text in texts) > len(texts) / 2:
        values = [str(value).upper() for value in one.values]
    elif sum(text == text.lower() for text in texts) > len(texts) / 2:
        values = [str(value).lower() for value in one.values]
    else:
        values = [str(value).title() for value in one.values]
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return replace(one, values=made)


def _day(text: str, form: str) -> str:
    for known in ("%Y%m%d", "%Y-%m-%d"):
        try:
            return datetime.strptime(text, known).strftime(form)
        except ValueError:
            continue
    return text


# ---- Open Link Tokens


def rehearse_tokens(table: Table, columns: Mapping[str, str], progress: Progress = NO_PROGRESS) -> FormatRehearsal:
    """Every record of the table: a token is read if its attributes are on lists."""
    progress.at(0.0, "Looking up the lists")
    cells = link_tokens.attributes_of(table, columns)
    rules = {
        rule: np.array([bool(one) for one in link_tokens.signatures(rule, cells, table.rows)], bool)
        for rule in link_tokens.RULES
    }
    lists = {
        "first_name": _normalised("first", link_tokens.first_name),
        "last_name": _normalised("last", link_tokens.last_name),
    }
    first, last = (np.array([str(text).upper() for text in cells.get(name, [])], object) for name in lists)
    if not len(first) or not len(last):
        raise _no_names()
    listed = [np.isin(column, list(known)) for column, known in zip((first, last), lists.values(), strict=True)]
    starts = {name[:3] for name in lists["first_name"]}
    with_start = np.array([text[:3] in starts for text in first], bool)
    by_t5 = rules["T5"] & listed[1] & with_start  # the surname, three letters and the sex
    by_date = (rules["T1"] | rules["T2"] | rules["T3"]) & listed[1] & listed[0]  # tried with every date
    last_read, first_read = by_t5 | by_date, by_date & (rules["T2"] | rules["T3"])
    there = first != "", last != ""
    both = there[0] & there[1]
    partner = Names(
        Share.among(first_read, there[0]), Share.among(last_read, there[1]), Share.among(first_read & last_read, both),
        Share.among(first_read & last_read, both),
    )  # fmt: skip
    common = [max(set(column.tolist()), key=column.tolist().count) for column in (first, last)]
    hit = (first == common[0]) & (last == common[1])
    guessed = Names(
        Share.among(first == common[0], there[0]), Share.among(last == common[1], there[1]),
        Share.among(hit, both), Share.among(hit, both),
    )  # fmt: skip
    tries = len(lists["last_name"]) * len(starts) * 2
    notes = [
        Said(
            "The surname alone could be read of at least {share}.", share=Share.among(last_read, there[1]).of_records()
        ),
        Said("That takes {tries} tries for T5, once for the whole file: minutes on one computer.", tries=tries),
    ]
    if rules["T4"].any():
        notes.append(Said("T4 falls to trying all social security numbers: there are fewer than a billion."))
    progress.at(1.0)
    return FormatRehearsal("tokens", table.rows, table.rows, partner, guessed, tuple(notes))


def _normalised(which: Any, normalise: Any) -> frozenset[str]:
    return frozenset(filter(None, (normalise(name).upper() for name in dictionary(which).values)))


def _no_names() -> Problem:
    return Problem(
        "There is no name among the matching fields.",
        "The rehearsal counts how many people could be named.",
        "Say which field holds the first and which the last name.",
        place="fields",
    )
