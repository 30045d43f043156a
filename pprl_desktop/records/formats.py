"""Files that are no text: spreadsheets and the files of SAS, Stata, SPSS and Parquet, as tables of text.

Every cell becomes text by the rules below, which are told with the table; nothing else of the file is used. Formulas,
macros, links to other files and pictures are never run or followed: a formula counts by the value that was saved.
Text files are read by the program's own reader (reading.py), which names the line it cannot read exactly.
"""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.headers import header_names, looks_like_record
from pprl_desktop.records.table import Column, Table
from pprl_desktop.said import Said

SHEETS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
STATISTICS = (".sas7bdat", ".xpt", ".dta", ".sav", ".zsav", ".por")
PARQUET = (".parquet",)
ENDINGS = (*SHEETS, *STATISTICS, *PARQUET)

# limits that stand before anything is parsed; a table of people beyond them is better given as CSV
MOST_BYTES = 1 << 30  # of the file
MOST_UNPACKED = 4 << 30  # of what a spreadsheet holds packed
MOST_RATIO = 200  # unpacked bytes for each packed one: more is no table
MOST_CELLS = 200_000_000
MACROS = ("vbaProject.bin", "Scripts/", "Basic/")
LINKS = ("externalLinks/", "connections.xml")

RULES = (
    Said("Text stays as it is; an empty cell is missing."),
    Said("Whole numbers are written without a decimal point, others with as many digits as they have."),
    Said("Dates are written as year-month-day, with the time only where there is one; yes and no as TRUE and FALSE."),
    Said("Of a formula the value that was saved counts; formulas, macros and links are never run or followed."),
)


@dataclass(frozen=True, eq=False)
class Converted:
    table: Table
    shown: str  # "xlsx" and so on, in the place of an encoding
    sheet: str  # "" where the file has none
    sheets: tuple[str, ...]
    header_line: int
    warnings: tuple[Problem, ...]


def is_other_format(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS


def read_other(
    path: Path, sheet: str = "", header_line: int | None = None, labels: bool = True, progress: Progress = NO_PROGRESS
) -> Converted:
    """`labels`: the labels of coded values instead of their codes (Stata, SPSS)."""
    if path.stat().st_size > MOST_BYTES:
        raise _too_large(path.name, path.stat().st_size >> 20, MOST_BYTES >> 20)
    ending = path.suffix.lower()
    progress.at(0.0, "Reading the file")
    try:
        if ending in SHEETS:
            return _spreadsheet(path, ending[1:], sheet, header_line, progress)
        if sheet:
            told = Said("A file of the kind {ending} has no sheets.", ending=ending)
            raise Problem(told, do="Leave the sheet out.", place="sheet")
        if ending in PARQUET:
            return _parquet(path, progress)
        return _statistics(path, ending[1:], labels, progress)
    except (Problem, MemoryError):
        raise
    except Exception as error:  # these libraries raise what they like; nothing of the file is in the sentence
        raise Problem(
            Said("'{name}' cannot be read as {ending}.", name=path.name, ending=ending),
            Said("It is damaged, protected by a password, or of another kind ({kind}).", kind=type(error).__name__),
            "Open it in the program that made it, save it again, or save it as CSV.",
            place="file",
        ) from None


def as_text(value: Any) -> str:
    """One cell by the rules above."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value != value:  # the missing value of statistics programs
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        whole = value.time() == datetime.time(0)
        return value.date().isoformat() if whole else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return as_text(value.item()) if hasattr(value, "item") else str(value)


# ---- spreadsheets


def _spreadsheet(path: Path, ending: str, wanted: str, header_line: int | None, progress: Progress) -> Converted:
    told = _looked_into(path) if ending != "xls" else ()
    from python_calamine import load_workbook

    book = load_workbook(str(path))
    names = tuple(book.sheet_names)
    if wanted and wanted not in names:
        raise Problem(
            Said("There is no sheet '{name}'.", name=wanted), Said("The file has: {names}.", names=list(names)),
            "Choose one of them.", place="sheet",
        )  # fmt: skip
    rows: list[list[Any]] = []
    chosen = wanted
    for name in [wanted] if wanted else names:
        page = book.get_sheet_by_name(name)
        if page.total_height * page.total_width > MOST_CELLS:
            raise _too_large(path.name, page.total_height * page.total_width, MOST_CELLS)
        rows = page.to_python(skip_empty_area=False)
        chosen = name
        if any(cell != "" for row in rows for cell in row):
            break
    progress.at(0.6)
    texts = [[as_text(cell) for cell in row] for row in rows]
    table, line, warnings = _with_header(texts, header_line, path.name)
    if not wanted and len(names) > 1:
        told = (*told, _which_sheet(chosen, names))
    progress.at(1.0)
    return Converted(table, ending, chosen, names, line, (*told, *warnings))


def _with_header(
    rows: Sequence[Sequence[str]], header_line: int | None, name: str
) -> tuple[Table, int, tuple[Problem, ...]]:
    filled = [(line, list(row)) for line, row in enumerate(rows, 1) if any(cell.strip() for cell in row)]
    if header_line:
        filled = [(line, row) for line, row in filled if line >= header_line]
    if not filled:
        raise Problem(Said("The file '{name}' is empty.", name=name), do="Choose another file or sheet.", place="file")
    width = max(len(row) for _, row in filled)
    filled = [(line, row + [""] * (width - len(row))) for line, row in filled]
    start = 0
    if header_line is None:  # a title above the table has few cells
        wide = [place for place, (_, row) in enumerate(filled) if 2 * sum(map(bool, row)) > width]
        start = wide[0] if wide else 0
        first, below = filled[start][1], [row for _, row in filled[start + 1 :]]
        if looks_like_record(first, below):
            start = start - 1
    if header_line == 0 or start < 0:
        told = () if header_line == 0 else (_headless(),)
        return _columns([f"column {place + 1}" for place in range(width)], [row for _, row in filled]), 0, told
    line, header = filled[start]
    names, warnings = header_names(header)
    records = [row for _, row in filled[start + 1 :]]
    if not records:
        raise Problem(
            Said("'{name}' has a header but no records.", name=name),
            do="Choose the file or sheet that holds the records.",
            place="file",
        )
    return _columns(names, records), line, warnings


def _columns(names: Iterable[str], rows: Sequence[Sequence[str]]) -> Table:
    cells = zip(*rows, strict=True)
    return Table(tuple(Column.of(name, column) for name, column in zip(names, cells, strict=True)))


def _looked_into(path: Path) -> tuple[Problem, ...]:
    """What a packed spreadsheet holds, before any of it is unpacked."""
    told = []
    with zipfile.ZipFile(path) as packed:
        inside = packed.infolist()
    size = sum(one.file_size for one in inside)
    if size > MOST_UNPACKED or size > max(MOST_RATIO * path.stat().st_size, 64 << 20):
        raise Problem(
            Said("'{name}' would become very large when it is unpacked.", name=path.name),
            Said("It holds {size} MB in a file of {packed} MB.", size=size >> 20, packed=path.stat().st_size >> 20),
            "Save the table as CSV and choose that.",
            place="file",
        )
    names = [one.filename for one in inside]
    if any(part in name for name in names for part in MACROS):
        told.append(Problem("The file holds macros. They were ignored.", place="file"))
    if any(part in name for name in names for part in LINKS):
        told.append(Problem("The file holds links to other files. They were not followed.", place="file"))
    return tuple(told)


# ---- statistics programs, Parquet


def _statistics(path: Path, ending: str, labels: bool, progress: Progress) -> Converted:
    import pyreadstat

    kind = {"zsav": "sav"}.get(ending, ending)
    reader: Callable[..., Any] = {
        "sas7bdat": pyreadstat.read_sas7bdat, "xpt": pyreadstat.read_xport, "dta": pyreadstat.read_dta,
        "sav": pyreadstat.read_sav, "por": pyreadstat.read_por,
    }[kind]  # fmt: skip
    options: dict[str, Any] = {"output_format": "dict"}
    _, about = reader(str(path), metadataonly=True, **options)
    if (about.number_rows or 0) * about.number_columns > MOST_CELLS:
        raise _too_large(path.name, about.number_rows * about.number_columns, MOST_CELLS)
    columns, about = reader(str(path), **options)
    progress.at(0.7)
    told: tuple[Problem, ...] = ()
    labelled = dict(about.variable_value_labels) if labels else {}
    made = []
    for name, values in columns.items():
        meant = {as_text(code): str(label) for code, label in labelled.get(name, {}).items()}
        texts = [as_text(value) for value in values]
        made.append(Column.of(str(name), [meant.get(text, text) for text in texts] if meant else texts))
    if labelled:
        told = (
            Problem(
                Said("{n} {n|column has|columns have} labels; they stand for the codes.", n=len(labelled)),
                do="If the partner has codes, save the file without labels.",
                place="file",
            ),
        )
    table = Table(tuple(made))
    _has_records(table, path.name)
    progress.at(1.0)
    return Converted(table, ending, "", (), 1, told)


def _parquet(path: Path, progress: Progress) -> Converted:
    try:
        from pyarrow import parquet
    except ImportError:
        raise Problem(
            "Parquet files need a part that is not installed.",
            "It is very large and therefore optional.",
            "Install it with: pip install 'pprl-desktop[parquet]'. Or save the table as CSV.",
            place="file",
        ) from None
    with parquet.ParquetFile(path) as file:
        about = file.metadata
        if about.num_rows * about.num_columns > MOST_CELLS:
            raise _too_large(path.name, about.num_rows * about.num_columns, MOST_CELLS)
        held = file.read()
    progress.at(0.6)
    made = [Column.of(str(name), map(as_text, held.column(name).to_pylist())) for name in held.column_names]
    table = Table(tuple(made))
    _has_records(table, path.name)
    progress.at(1.0)
    return Converted(table, "parquet", "", (), 1, ())


def _has_records(table: Table, name: str) -> None:
    if not table.rows:
        raise Problem(
            Said("'{name}' has a header but no records.", name=name),
            do="Choose the file that holds the records.",
            place="file",
        )


def _which_sheet(chosen: str, names: Sequence[str]) -> Problem:
    others = [name for name in names if name != chosen]
    return Problem(
        Said("The sheet '{name}' was read; the file also has: {others}.", name=chosen, others=others),
        do="If this is the wrong one, save the right sheet in a file of its own.",
        place="sheet",
    )


def _headless() -> Problem:
    return Problem(
        "The first line was taken for a record: the file seems to have no column names.",
        "It looks like the lines below it. The columns are called 'column' and their number.",
        "If the first line holds the column names, choose it as the header line.",
        place="header",
    )


def _too_large(name: str, found: int, most: int) -> Problem:
    return Problem(
        Said("'{name}' is too large to be read in this form.", name=name),
        Said("It has {found}; the most is {most}.", found=found, most=most),
        "Save the table as CSV and choose that.",
        place="file",
    )
