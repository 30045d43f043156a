"""Finds a reference set by name or makes one from a user's CSV file."""

from __future__ import annotations

import csv
import os
import re
from functools import cache
from pathlib import Path

from pprl_desktop import resources
from pprl_desktop.problem import Problem, did_you_mean
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.cleaning import clean_column
from pprl_desktop.records.fields import Field
from pprl_desktop.records.reading import ReadOptions, read_table
from pprl_desktop.reference.derived import DIGITS, digits, from_secret
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import Said, sentences

BUILT_IN = ("us-200", "us-2000", "places-200")
FEWEST_RECORDS = 20
FEWEST_DISTINCT = 10  # fewer distinct values cannot tell names apart


def names() -> tuple[str, ...]:
    """What the steward can pick without a file of their own."""
    return (*BUILT_IN, "secret-200")


def reference_set(
    name_or_path: str | os.PathLike[str], secret: bytes = b"", progress: Progress = NO_PROGRESS
) -> ReferenceSet:
    name = os.fspath(name_or_path)
    if name in BUILT_IN:
        return _built_in(name)
    if found := re.fullmatch(r"secret-([0-9]{1,6})", name):
        return from_secret(secret, int(found[1]))
    path, sheet = place_of(name)
    if path.exists() and not path.is_dir():
        return _kept(path, sheet, progress)
    raise Problem(
        Said("There is no reference set '{name}'.", name=path.name),
        Said("Built in are: {names}; a file of your own is the other possibility.", names=names()),
        sentences(did_you_mean(name, names()), "Choose one of these or check the file's path."),
        place="reference",
    )


def place_of(name: str) -> tuple[Path, str]:
    """A file, or 'workbook.xlsx#sheet'; a file whose own name has that sign is the file."""
    path, _, sheet = name.rpartition("#")
    return (Path(path), sheet) if path and not Path(name).exists() else (Path(name), "")


def _kept(path: Path, sheet: str, progress: Progress) -> ReferenceSet:
    """The file as last read while it is unchanged: the window asks after every click."""
    status = path.stat()
    key = (f"{path.resolve()}#{sheet}", status.st_mtime_ns, status.st_size)
    made = _READ.get(key)
    if made is None:
        made = from_file(path, sheet, progress)
        _READ.clear()
        _READ[key] = made
    return made


_READ: dict[tuple[str, int, int], ReferenceSet] = {}  # the last file only


@cache
def _built_in(name: str) -> ReferenceSet:
    with resources.find("reference", f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    made = ReferenceSet.of(name, header, rows)
    return with_digits(made)


def with_digits(reference: ReferenceSet, secret: bytes = b"") -> ReferenceSet:
    """The same set with the attribute "digits", from the secret if there is one, else from a fixed public seed."""
    if DIGITS in reference.attributes:
        return reference
    attributes = (*reference.attributes, DIGITS)
    return ReferenceSet(reference.name, attributes, (*reference.columns, digits(secret, reference.size)))


def from_file(path: Path, sheet: str = "", progress: Progress = NO_PROGRESS) -> ReferenceSet:
    """Columns become attributes, cleaned like names; rows with an empty cell are left out."""
    table = read_table(path, ReadOptions(sheet=sheet), progress.part(0.0, 0.5)).table
    cleaned = [
        clean_column(column, Field.of(column.name, "name"), progress.part(0.5, 1.0)).cells() for column in table.columns
    ]
    records = [record for record in zip(*cleaned, strict=True) if all(record)]
    if len(records) < FEWEST_RECORDS:
        raise Problem(
            Said("The file has {n} complete {n|record|records}, too few for a reference set.", n=len(records)),
            Said("At least {n} are needed to tell values apart; 200 are usual.", n=FEWEST_RECORDS),
            "Add records or choose a built-in set.",
            place="reference",
        )
    for name, column in zip(table.names, zip(*records, strict=True), strict=True):
        if len(set(column)) < FEWEST_DISTINCT:
            raise Problem(
                Said("The column '{name}' has only {n} different {n|value|values}.", name=name, n=len(set(column))),
                Said("At least {n} are needed to tell values apart.", n=FEWEST_DISTINCT),
                "Remove this column from the file or choose a built-in set.",
                place=name,
            )
    return with_digits(ReferenceSet.of(path.name, table.names, records))
