"""What the steward keeps at the end: the linked, de-identified table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from pprl_desktop.problem import Problem
from pprl_desktop.records.writing import write_table
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.records.table import Column, Table

LINK_ID = "link_id"
FIRST_ID = "first_link_id"  # of an earlier run, where runs have ids of their own
FEW = 20  # rows below which every column may differ in each


@dataclass(frozen=True)
class Linked:
    """What was written and where."""

    path: str
    rows: int
    columns: tuple[str, ...]
    notes: tuple[Said, ...] = ()  # what the table tells beyond the links
    identifying: tuple[str, ...] = ()  # those of its columns that were compared, or number the own records

    def held(self) -> Said:
        """What the file holds, as it was written: never a promise that its columns do not keep."""
        if self.identifying:
            return Said(
                "{columns:and}; people are identified by {names:and}", columns=self.columns, names=self.identifying
            )
        return Said("{columns:and}; no column that was compared", columns=self.columns)


def will_hold(sensitive: Sequence[str], identifying: Sequence[str] = ()) -> tuple[Said, ...]:
    """What the linked table will hold, before it is written; a side without sensitive columns is told too."""
    said = [
        Said("The table will hold the link ids and these columns: {columns}.", columns=list(sensitive))
        if sensitive
        else Said(
            "No column is marked as sensitive: the table will hold the link ids and nothing else. They say how many "
            "of your records are linked, and the partner's table is joined by them."
        )
    ]
    if identifying:
        said.append(Said("With your permission it will also hold: {columns}.", columns=list(identifying)))
    return tuple(said)


def write_linked(
    path: Path,
    table: Table,
    outcome: Outcome,
    sensitive: Sequence[str],
    identifying: Sequence[str] = (),
    first: Mapping[int, str] = MappingProxyType({}),
) -> Linked:
    """One line per linked own row: the link id, which the partner has too, and the sensitive columns.

    Sorted by the random link id, so that the order of the own file does not show. `identifying` columns go
    in only where that was permitted separately; cells a spreadsheet would run are neutralised. `first`: own row ->
    link id in the first run in which its record was linked.
    """
    wanted = (*sensitive, *identifying)
    columns = [table.column(name) for name in wanted]
    pairs = outcome.reconciled.linked
    known = sum(own in first for own in pairs[:, 0].tolist())
    rows = sorted(
        [link, *([first.get(own, "")] if known else []), *(column.cell(own) for column in columns)]
        for own, link in zip(pairs[:, 0].tolist(), outcome.links, strict=True)
    )
    header = (LINK_ID, *([FIRST_ID] if known else []), *wanted)
    if len(set(header)) < len(header):
        raise Problem(
            "A column would stand twice in the linked table.",
            do="Take one of the two out of the sensitive columns.",
            place="sensitive",
        )
    write_table(path, header, rows)
    told = tuple(_like_an_id(one.name) for one in columns[: len(sensitive)] if _is_like_an_id(one))
    if known:
        told = (_linked_before(known), *told)
    return Linked(str(path), len(rows), header, told, tuple(identifying))


def _linked_before(n: int) -> Said:
    return Said(
        "{n} {n|record was|records were} linked with this partner in an earlier run: the column {column} holds the id "
        "that {n|it|each} had when it was first linked. Your partner finds its own; nothing was sent for it.",
        n=n, column=FIRST_ID,
    )  # fmt: skip


def _is_like_an_id(column: Column) -> bool:
    """Different in every record, and no measure: such a column names the person to whoever knows it."""
    filled = [str(value) for value in column.values if str(value).strip()]
    measures = sum("." in value or "," in value for value in filled)
    return len(column) >= FEW and len(filled) >= 0.98 * len(column) and measures < 0.5 * len(filled)


def _like_an_id(name: str) -> Said:
    return Said(
        "'{name}' is different in nearly every record: whoever knows it can tell who a row is. If it is an id, take "
        "it out of the sensitive columns and write the table again.",
        name=name,
    )


def not_written() -> Problem:
    return Problem(
        "The results could not be written.",
        "The folder is read-only or the disk is full.",
        "Choose another folder, or free some space.",
        place="output_folder",
    )
