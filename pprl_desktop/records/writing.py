"""Writes a table for people: whole or not at all, as text or for the programs they go on with.

One rule for every form: a cell that a spreadsheet would run becomes text by an apostrophe before it, also where the
form itself runs nothing, because tables are converted. A cell is text, with its leading zeros.
"""

from __future__ import annotations

import csv
import datetime
import io
import os
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

EVERY = 5_000  # rows between two looks at the Cancel button
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what spreadsheets run (OWASP, CSV injection)
MOST_ROWS = (1 << 20) - 1  # of a sheet, below its header
LONGEST_CELL = 32_767  # characters of a cell of a workbook
LONGEST_NAME = 32  # characters of a variable of Stata
LONGEST_LABEL = 80  # of its label
LONGEST_TEXT = 2045  # bytes of a text of fixed length in Stata; longer ones are kept apart
UNDATED = datetime.datetime(1980, 1, 1)  # in every file: when the table was written is nobody's business
_NOT_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff\ud800-\udfff]")


def harmless(cell: str) -> str:
    """A cell that a spreadsheet shows instead of running; numbers stay numbers."""
    if not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return "'" + cell
    return cell


def write_csv(
    path: str | os.PathLike[str],
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    for_spreadsheet: bool = False,
    progress: Progress = NO_PROGRESS,
) -> None:
    """UTF-8; the file appears under its name only when it is complete.

    `for_spreadsheet`: cells it would run become text, and a byte order mark makes Excel read names right.
    """
    with files.replacing(Path(path)) as out:
        text = io.TextIOWrapper(out, encoding="utf-8-sig" if for_spreadsheet else "utf-8", newline="")
        writer = csv.writer(text)
        made = (map(harmless, row) for row in rows) if for_spreadsheet else rows
        writer.writerow(list(map(harmless, header)) if for_spreadsheet else header)
        for row in _attended(made, progress):
            writer.writerow(row)
        text.detach()  # flushes; the file itself is closed by its own block


def write_table(
    path: Path, header: Sequence[str], rows: Iterable[Sequence[str]], progress: Progress = NO_PROGRESS
) -> None:
    """As its name ends: .csv, .xlsx, .dta or .parquet. Cells that a spreadsheet would run are neutralised in each."""
    ending = path.suffix.lower()
    must_be_writable(ending)
    if ending == ".csv":
        write_csv(path, header, rows, for_spreadsheet=True, progress=progress)
        return
    safe = ([harmless(cell) for cell in row] for row in rows)
    with files.replacing(path) as out:
        _WRITERS[ending](out, [harmless(name) for name in header], _attended(safe, progress))


def must_be_writable(ending: str) -> None:
    """Before any work: whether a table of this kind can be written here."""
    if ending not in ENDINGS:
        raise Problem(
            Said("A table cannot be written as '{ending}'.", ending=ending),
            Said("The forms are: {forms}.", forms=list(ENDINGS)),
            "Choose one of them.",
            place="form",
        )
    if ending == ".parquet":
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise Problem(
                "Parquet files need a part that is not installed.",
                "It is very large and therefore optional.",
                "Install it with: pip install 'pprl-desktop[parquet]'. Or choose another form.",
                place="form",
            ) from None


def _attended(rows: Iterable[Any], progress: Progress) -> Iterator[Any]:
    for count, row in enumerate(rows):
        if count % EVERY == 0:
            progress.check()
        yield row


# ---- Excel


def _xlsx(out: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Text cells only: nothing in them is a formula, a link or a number that loses its zeros."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in _PARTS.items():
            book.writestr(_entry(name), text)
        with book.open(_entry("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(_START.encode())
            sheet.write(_row(1, header))
            for number, row in enumerate(rows, 2):
                if number > MOST_ROWS + 1:
                    raise Problem(
                        Said("A workbook holds at most {most} rows.", most=MOST_ROWS),
                        do="Choose CSV, Stata or Parquet.",
                        place="form",
                    )
                sheet.write(_row(number, row))
            sheet.write(b"</sheetData></worksheet>")


def _entry(name: str) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name, UNDATED.timetuple()[:6])
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def _row(number: int, cells: Sequence[str]) -> bytes:
    made = []
    for cell in cells:
        if len(cell) > LONGEST_CELL:
            raise Problem(
                Said("A cell is longer than the {most} characters that a workbook holds.", most=LONGEST_CELL),
                do="Choose CSV, Stata or Parquet.",
                place="form",
            )
        text = escape(_NOT_XML.sub(lambda found: f"_x{ord(found[0]):04X}_", cell))
        made.append(f'<c t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>' if cell else "<c/>")
    return f'<row r="{number}">{"".join(made)}</row>'.encode()


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_START = f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'
_PARTS = {
    "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/></Types>',
    "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="linked" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}


# ---- Stata and Parquet, by pandas


def _dta(out: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    frame, names = _frame(header, rows), stata_names(header)
    frame.columns = list(names)
    labels = {name: title[:LONGEST_LABEL] for name, title in zip(names, header, strict=True) if name != title}
    widest = {name: max((len(cell.encode()) for cell in frame[name]), default=0) for name in names}
    frame.to_stata(
        out, write_index=False, version=118, variable_labels=labels, time_stamp=UNDATED,
        convert_strl=[name for name, width in widest.items() if width > LONGEST_TEXT],
    )  # fmt: skip


def _parquet(out: IO[bytes], header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    frame = _frame(header, rows)
    frame.mask(frame == "", None).to_parquet(out, engine="pyarrow", index=False)


def _frame(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Any:
    import pandas

    return pandas.DataFrame(list(rows), columns=list(header), dtype=object)


def stata_names(header: Sequence[str]) -> tuple[str, ...]:
    """Names as Stata allows them: letters, digits and underscores, 32 at most; the title goes into the label."""
    made: list[str] = []
    for title in header:
        name = re.sub(r"\W", "_", title)[:LONGEST_NAME] or "column"
        name = name if name[0].isalpha() or name[0] == "_" else f"_{name}"[:LONGEST_NAME]
        number = 1
        while name.casefold() in {one.casefold() for one in made} or name in _RESERVED:
            number += 1
            name = f"{name[: LONGEST_NAME - 4]}_{number}"
        made.append(name)
    return tuple(made)


_RESERVED = frozenset(
    "_all _b _coef _cons _n _N _pi _pred _rc _skip byte double float if in int long strL using with aggregate array "
    "boolean break case catch class colvector complex const continue default delegate delete do else eltypedef end "
    "enum explicit export external for friend function global goto inline local".split()
)
_WRITERS: Mapping[str, Callable[[IO[bytes], Sequence[str], Iterable[Sequence[str]]], None]] = {
    ".xlsx": _xlsx, ".dta": _dta, ".parquet": _parquet,
}  # fmt: skip
ENDINGS = (".csv", *_WRITERS)
