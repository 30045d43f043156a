"""Spreadsheets as tables of text: .xlsx and .xlsm, .xls, .ods.

A workbook is a stranger's file: workbook_scan.py finds out what its sheets would take before they are laid out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records import moments, opendocument
from pprl_desktop.records.biff import COLUMNS
from pprl_desktop.records.headers import header_names, looks_like_record
from pprl_desktop.records.hushed import hushed
from pprl_desktop.records.refused import too_many
from pprl_desktop.records.table import Table, collected
from pprl_desktop.records.workbook_scan import (
    MOST_CELLS,
    PIECE,
    Scanned,
    impossible,
    links,
    mixed,
    open_packed,
    other_kind,
    scan,
    scan_document,
    tell_formulas,
)
from pprl_desktop.said import Said

SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
HEAD = 200  # rows that the line of the names is found out from


@dataclass(frozen=True, eq=False)
class Sheet:
    """One sheet as it was read."""

    table: Table
    name: str
    names: tuple[str, ...]  # of all sheets
    header_line: int
    warnings: tuple[Problem, ...]


def read_sheet(
    path: Path,
    ending: str,
    wanted: str,
    header_line: int | None,
    as_text: Callable[[Any], str],
    progress: Progress = NO_PROGRESS,
) -> Sheet:
    """`wanted`: the name of the sheet; "" takes the first in sight with a table, else the first that holds anything."""
    if ending == "ods":
        names, chosen, width, rows, scanned = _document(path, wanted, as_text, progress.part(0.0, 0.5))
    else:
        names, chosen, width, rows, scanned = _workbook(path, ending, wanted, as_text, progress.part(0.0, 0.5))
    progress.at(0.5)
    table, line, warnings = with_header(rows, width, header_line, path.name, progress.part(0.5, 1.0))
    told = [*scanned.told, *warnings]
    if unseen := scanned.unseen.get(chosen, 0):
        told.insert(0, _unseen(unseen))
    if scanned.impossible:
        told.append(impossible(scanned.impossible))
    if not wanted and len(names) > 1:
        told.append(_which_sheet(chosen, names))
    return Sheet(table, chosen, names, line, tuple(told))


_Found = tuple[tuple[str, ...], str, int, Iterator[tuple[int, list[str]]], "Scanned"]  # sheets, taken, width, rows


def _workbook(path: Path, ending: str, wanted: str, as_text: Callable[[Any], str], progress: Progress) -> _Found:
    """.xlsx and .xls, by the library."""
    scanned = scan(path, ending, progress)
    from python_calamine import load_workbook

    with hushed():
        book = load_workbook(str(path))
    names = tuple(book.sheet_names)
    _must_have(wanted, names)
    found: tuple[str, Any, int, Iterator[tuple[int, list[str]]]] | None = None
    hidden = {one.name for one in book.sheets_metadata if "Hidden" in str(one.visible)}
    for name in [wanted] if wanted else sorted(names, key=hidden.__contains__):  # what is seen comes first
        with hushed():
            page = book.get_sheet_by_name(name)
        cells = (page.total_height + 1) * (page.total_width + 1)
        if cells > MOST_CELLS:
            raise too_many(path.name, cells, MOST_CELLS)
        rows = _rows(page, scanned.shown.get(name, {}), scanned.odd_days.get(name, {}), as_text)
        first = list(islice((row for row in rows if any(row[1])), 2))
        table = len(first) == 2 and len(first[0][1]) > 1
        if first and (found is None or table):
            found = name, page, len(first[0][1]), chain(first, rows)
        if table:
            break
    if found is None:
        return names, wanted or (names[-1] if names else ""), 0, iter(()), scanned
    chosen, page, width, taken = found
    if chosen in scanned.mixed:
        raise mixed(chosen)
    scanned.impossible = list(scanned.odd_days.get(chosen, {}).values()).count("")
    if page.merged_cell_ranges:
        scanned.told.append(_merged(len(page.merged_cell_ranges)))
    return names, chosen, width, taken, scanned


def _document(path: Path, wanted: str, as_text: Callable[[Any], str], progress: Progress) -> _Found:
    """.ods, read here."""
    with open_packed(path) as packed:
        scanned = scan_document(path, packed)
        document = opendocument.Document(
            wanted, as_text, MOST_CELLS, lambda found, most: _too_many(path, found, most), lambda: _refuse(path)
        )
        with packed.open("content.xml") as file:
            document.take(_attended(file, packed.getinfo("content.xml").file_size, progress))
    _must_have(wanted, document.names)
    if document.linked:
        scanned.told.append(links())
    kept = document.kept
    if kept.merged:
        scanned.told.append(_merged(kept.merged))
    tell_formulas(scanned, kept.formulas, 0)
    scanned.impossible, scanned.unseen = kept.impossible, {kept.name: kept.unseen}
    full = ((line, row + [""] * (kept.width - len(row))) for line, row in kept.rows)
    return tuple(document.names), kept.name, kept.width, full, scanned


def _must_have(wanted: str, names: Sequence[str]) -> None:
    if wanted and wanted not in names:
        raise Problem(
            Said("There is no sheet '{name}'.", name=wanted), Said("The file has: {names}.", names=list(names)),
            "Choose one of them.", place="sheet",
        )  # fmt: skip


def _rows(
    page: Any, shown: Mapping[int, int | moments.Clock], odd_days: Mapping[int, str], as_text: Callable[[Any], str]
) -> Iterator[tuple[int, list[str]]]:
    """Lines counted from one, and their cells as text."""
    with hushed():
        rows = page.to_python(skip_empty_area=False)
    for line, row in enumerate(rows, 1):
        texts = [as_text(cell) for cell in row]
        first = line * COLUMNS
        if shown:
            for at, cell in enumerate(row):
                if type(cell) in (int, float) and (how := shown.get(first + at)):
                    texts[at] = _as_shown(cell, texts[at], how)
        if odd_days:  # the library takes some for a time of day, others for a number
            texts = [odd_days.get(first + at, text) for at, text in enumerate(texts)]
        yield line, texts


def _as_shown(number: float, text: str, how: int | moments.Clock) -> str:
    if isinstance(how, int):
        return text.zfill(how) if text.isdigit() else text
    return moments.of_serial(how, number) or ""


def with_header(
    rows: Iterable[tuple[int, list[str]]],
    width: int,
    header_line: int | None,
    name: str,
    progress: Progress = NO_PROGRESS,
) -> tuple[Table, int, tuple[Problem, ...]]:
    """The table below its line of names. Rows are taken one by one: only distinct values are kept."""
    filled = ((line, row) for line, row in rows if line >= (header_line or 0) and any(cell.strip() for cell in row))
    head = list(islice(filled, HEAD))
    if not head:
        raise Problem(Said("The file '{name}' is empty.", name=name), do="Choose another file or sheet.", place="file")
    start = 0
    if header_line is None:  # a title above the table has few cells
        wide = [place for place, (_, row) in enumerate(head) if 2 * sum(map(bool, row)) > width]
        start = wide[0] if wide else 0
        if looks_like_record(head[start][1], [row for _, row in head[start + 1 :]]):
            start = start - 1
    if header_line == 0 or start < 0:
        warnings: tuple[Problem, ...] = () if header_line == 0 else (headless(),)
        names, line = tuple(f"column {place + 1}" for place in range(width)), 0
        below: Iterable[tuple[int, list[str]]] = head
    else:
        line, header = head[start]
        below = head[start + 1 :]
        two = len(below) > 1 and _goes_on(header, [row for _, row in below])
        if two:
            header, below = in_two_lines(header, below[0][1]), below[1:]
        names, warnings = header_names(header)
        if two:
            warnings = (_two_lines(line, head[start + 1][0]), *warnings)
    table = collected(names, (row for _, row in chain(below, filled)), progress)
    if not table.rows:
        raise Problem(
            Said("'{name}' has a header but no records.", name=name),
            do="Choose the file or sheet that holds the records.",
            place="file",
        )
    return table, line, warnings


def _goes_on(header: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the line below the names names more: what has no name above is named there, and it is no record."""
    first, rest = below[0], below[1:]
    named = sum(not above.strip() and bool(cell.strip()) for above, cell in zip(header, first, strict=True))
    return named > 0 and not looks_like_record(first, rest)


def in_two_lines(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """The name in the lower line, where it has one; what stands over several columns only where it tells them apart."""
    made = [below.strip() or above.strip() for above, below in zip(upper, lower, strict=True)]
    over, last = [], ""
    for above in upper:
        last = above.strip() or last
        over.append(last)
    return [
        f"{above} {name}" if name and made.count(name) > 1 and above != name else name
        for above, name in zip(over, made, strict=True)
    ]


def _two_lines(first: int, second: int) -> Problem:
    return Problem(
        Said("The names of the columns stand in lines {first} and {second}.", first=first, second=second),
        "The lower name was taken where there is one.",
        Said("If line {line} holds a record, give every column a name in the line above it, in the file.", line=second),
        place="header",
    )


def _attended(file: IO[bytes], size: int, progress: Progress) -> Iterator[bytes]:
    taken = 0
    while block := file.read(PIECE):
        progress.at(min(1.0, taken / max(size, 1)))
        taken += len(block)
        yield block


def _too_many(path: Path, found: int, most: int) -> None:
    raise too_many(path.name, found, most)


def _refuse(path: Path) -> None:
    raise other_kind(path)


def _merged(n: int) -> Problem:
    return Problem(
        Said("The sheet has {n} {n|merged range|merged ranges}: only the first cell of each holds a value.", n=n),
        "The other cells of it are missing.",
        "If records are affected, unmerge the cells in the spreadsheet program and save it again.",
        place="sheet",
    )


def _unseen(n: int) -> Problem:
    return Problem(
        Said(
            "{n} {n|row is|rows are} hidden in the sheet, by a filter or by hand: {n|it was|they were} read too.", n=n
        ),
        "A filter hides records and leaves them in the file.",
        "If they are not meant, copy what is seen into a new file, and choose that one.",
        place="sheet",
    )


def _which_sheet(chosen: str, names: Sequence[str]) -> Problem:
    others = [name for name in names if name != chosen]
    return Problem(
        Said("The sheet '{name}' was read; the file also has: {others}.", name=chosen, others=others),
        do="If this is the wrong one, choose the sheet: on the page Data, or with --sheet.",
        place="sheet",
    )


def headless() -> Problem:
    return Problem(
        "The first line was taken for a record: the file seems to have no column names.",
        "It looks like the lines below it. The columns are called 'column' and their number.",
        "If the first line holds the column names, choose it as the header line.",
        place="header",
    )
