"""MINDFIRL's own files: the pair file with a header, the numbered file its screen reads, and the frequency file.

Pair file, with header: pair id (PairID, or ID), perhaps GroupID, DB and ID of the record, then the fields; two lines
per pair. Screen file, without header: pair id, number, count of the first name, first name, last name, count of the
last name, date of birth, sex, race, further columns, a mask per field, three figures.
Frequency file, without header: F or L, name, count.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import TextIOWrapper
from pathlib import Path

import numpy as np

from pprl_desktop.exchange.review_letters import NEVER_LEFT
from pprl_desktop.files import open_regular
from pprl_desktop.problem import Problem
from pprl_desktop.records.reading import ReadOptions, read_table
from pprl_desktop.records.table import Column, Table
from pprl_desktop.review.marks import CellType
from pprl_desktop.review.plan import Pair, People, Policy, Review, ReviewField
from pprl_desktop.review.sources import default_strata, name_swaps, random_ids
from pprl_desktop.said import Said

MISSING_WORDS = {"", "NA", "N/A", "NULL"}
LONGEST_COUNT = 12  # digits
SCREEN_COLUMNS = 18  # without further columns; each further one adds itself and its mask
SCREEN_FIELDS = ("voter_reg_num", "first_name", "last_name", "dob", "sex", "race")
SCREEN_PLACES = (1, 3, 4, 6, 7, 8)
NOT_SHOWN = re.compile(r"pair_?id|group_?id|db|id|type|file_?id|cntfn|cntln|same|info\d+", re.IGNORECASE)
KNOWN_TYPES: dict[str, CellType] = {
    "voter_reg_num": "fixed", "first_name": "variable", "last_name": "variable", "dob": "date", "sex": "category",
    "race": "category",
}  # fmt: skip


@dataclass(frozen=True)
class Lines:
    """A file of either layout in one shape: per line the pair, the record and the cells of the fields."""

    fields: tuple[str, ...]
    pair: tuple[str, ...]
    record: tuple[str, ...]  # "" where the file names no record: then every line is one
    cells: tuple[tuple[str, ...], ...]
    counts: dict[str, dict[str, int]]


def read_review(path: Path, frequencies: Path | None = None, title: str = "", **policy: object) -> Review:
    """A review from MINDFIRL's files. The rows of the file are the data set that k counts."""
    lines = read_lines(path)
    counts = {**lines.counts, **(read_frequencies(frequencies) if frequencies else {})}
    records: dict[tuple[str, ...], int] = {}
    rows: list[tuple[str, ...]] = []
    grouped: dict[str, list[int]] = {}
    for number, (pair, record, cells) in enumerate(zip(lines.pair, lines.record, lines.cells, strict=True)):
        key = (record,) if record else ("line", str(number))
        if key not in records:
            records[key] = len(rows)
            rows.append(cells)
        grouped.setdefault(pair, []).append(records[key])
    for members in grouped.values():
        if len(members) != 2 or members[0] == members[1]:
            raise Problem(
                "A pair of this file does not have two records.",
                Said("Every pair id stands on two lines; one stands on {members}.", members=len(members)),
                "Check the file.",
                place="pairs",
            )
    fields = tuple(
        ReviewField(name, _type(name, [row[j] for row in rows]), frequency=name in ("first_name", "last_name"))
        for j, name in enumerate(lines.fields)
    )
    chosen = Policy(fields, name_swaps=name_swaps(lines.fields))
    chosen = replace(chosen, **policy)  # type: ignore[arg-type]
    columns = tuple(_column(name, [row[j] for row in rows]) for j, name in enumerate(lines.fields))
    ids = random_ids(len(grouped))
    pairs = tuple(Pair(id_, a, b) for id_, (a, b) in zip(ids, grouped.values(), strict=True))
    side = np.zeros(len(rows), dtype=np.int8)
    people = People(columns, side, np.arange(len(rows)), tuple(counts.get(name, {}) for name in lines.fields))
    import secrets

    return Review(secrets.token_hex(8), title, chosen, people, pairs, default_strata(pairs), own_crowd=False)


def read_lines(path: Path) -> Lines:
    if _has_header(path):
        return _with_header(read_table(path, ReadOptions(separator=",", header_line=1)).table)
    return _screen(read_table(path, ReadOptions(separator=",", header_line=0)).table)


def _has_header(path: Path) -> bool:
    try:
        with open_regular(path) as source, TextIOWrapper(source, "utf-8-sig", errors="replace", newline="") as file:
            first = next(csv.reader(file), [])
    except (OSError, csv.Error) as error:
        raise Problem("The pair file cannot be read.", do="Check the name.", place="file") from error
    return bool(first) and not first[0].strip().isdigit()


def _with_header(table: Table) -> Lines:
    lower = {name.casefold().replace("_", ""): name for name in table.names}
    pair = lower.get("pairid") or lower.get("id")
    if pair is None:
        raise Problem(
            "This is not a pair file of MINDFIRL.",
            "It has no column PairID or ID.",
            "Choose the pair file, or make the review from two tables.",
            place="file",
        )
    fields = tuple(name for name in table.names if not NOT_SHOWN.fullmatch(name))
    if not fields:
        raise Problem(
            "The pair file has no field to show.",
            "Beside pair and record numbers it has no column.",
            "Choose the pair file, or make the review from two tables.",
            place="file",
        )
    record = [""] * table.rows
    if "pairid" in lower and "id" in lower:
        side = table.column(lower["db"]).cells() if "db" in lower else [""] * table.rows
        record = [f"{db} {id_}" for db, id_ in zip(side, table.column(lower["id"]).cells(), strict=True)]
    columns = [[_cell(text) for text in table.column(name).cells()] for name in fields]
    counts: dict[str, dict[str, int]] = {}
    for name, column in (("first_name", "cntfn"), ("last_name", "cntln")):
        if column in lower and name in fields:
            counts[name] = _counts(columns[fields.index(name)], table.column(lower[column]).cells())
    return Lines(fields, tuple(table.column(pair).cells()), tuple(record), tuple(zip(*columns, strict=True)), counts)


def _screen(table: Table) -> Lines:
    width = len(table.columns)
    further = (width - SCREEN_COLUMNS) // 2
    if width < SCREEN_COLUMNS or (width - SCREEN_COLUMNS) % 2:
        raise Problem(
            "This is not a screen file of MINDFIRL.",
            Said(
                "It has {width|one column|{width} columns} instead of {screen_columns} (and two for each further "
                "field).",
                width=width,
                screen_columns=SCREEN_COLUMNS,
            ),
            "Choose the pair file, or make the review from two tables.",
            place="file",
        )
    places = (*SCREEN_PLACES, *range(9, 9 + further))
    fields = (*SCREEN_FIELDS, *(f"info{i + 1}" for i in range(further)))
    columns = [[_cell(text) for text in table.columns[place].cells()] for place in places]
    counts = {
        "first_name": _counts(columns[1], table.columns[2].cells()),
        "last_name": _counts(columns[2], table.columns[5].cells()),
    }
    keep = [j for j, name in enumerate(fields) if not NOT_SHOWN.fullmatch(name)]
    cells = tuple(zip(*(columns[j] for j in keep), strict=True))
    return Lines(tuple(fields[j] for j in keep), tuple(table.columns[0].cells()), ("",) * table.rows, cells, counts)


def read_frequencies(path: Path) -> dict[str, dict[str, int]]:
    table = read_table(path, ReadOptions(separator=",", header_line=0)).table
    if len(table.columns) != 3:
        raise Problem(
            "This is not a frequency file of MINDFIRL.",
            "Its lines are F or L, a name, and a count.",
            "Choose the frequency file.",
            place="frequencies",
        )
    found: dict[str, dict[str, int]] = {"first_name": {}, "last_name": {}}
    kinds, names, counts = (column.cells() for column in table.columns)
    for line, (kind, name, count) in enumerate(zip(kinds, names, counts, strict=True), start=1):
        if kind.upper() not in ("F", "L") or _count(count) is None:
            raise Problem(
                Said("Line {line} of the frequency file is not F or L, a name, and a count.", line=line),
                do="Correct the line.",
                place="frequencies",
            )
        found["first_name" if kind.upper() == "F" else "last_name"][_cell(name)] = _count(count) or 0
    return found


def _counts(names: Sequence[str], counts: Sequence[str]) -> dict[str, int]:
    pairs = zip(names, counts, strict=True)
    return {name: number for name, count in pairs if name and (number := _count(count))}


def _count(text: str) -> int | None:
    """A plain whole number of a length that people can have counted to."""
    stripped = text.strip()
    return int(stripped) if stripped.isdecimal() and len(stripped) <= LONGEST_COUNT else None


def _cell(text: str) -> str:
    """Without what turns the direction of writing or stands there unseen: cells are shown letter by letter."""
    stripped = "".join(sign for sign in text if unicodedata.category(sign) not in NEVER_LEFT).strip()
    return "" if stripped.upper() in MISSING_WORDS else stripped


def _type(name: str, values: Sequence[str]) -> CellType:
    """By the names MINDFIRL uses; else short code-like columns are categories."""
    known = KNOWN_TYPES.get(name.casefold())
    if known is not None:
        return known
    distinct = {value for value in values if value}
    return "category" if len(distinct) <= 12 and all(len(value) <= 3 for value in distinct) else "variable"


def _column(name: str, cells: Sequence[str]) -> Column:
    code: dict[str, int] = {}
    codes = [code.setdefault(cell, len(code)) if cell else -1 for cell in cells]
    values = np.empty(len(code), dtype=object)
    values[:] = list(code)
    return Column(name, values, np.array(codes, dtype=np.int32))
