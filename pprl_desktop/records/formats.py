"""Files that are no text: spreadsheets and the files of SAS, Stata, SPSS and Parquet, as tables of text.

Every cell becomes text by the rules below, which are told with the table; nothing else of the file is used. Formulas,
macros, links to other files and pictures are never run or followed: a formula counts by the value that was saved.
Text files are read by the program's own reader (reading.py), which names the line it cannot read exactly.
"""

from __future__ import annotations

import datetime
import io
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from pprl_desktop.records import moments, spss_scan
from pprl_desktop.records.packed import only_file, unpacked
from pprl_desktop.records.refused import (
    bomb,
    empty,
    locked,
    other_version,
    strange_letters,
    too_many,
    too_many_bytes,
    unreadable,
)
from pprl_desktop.records.table import Column, Table
from pprl_desktop.records.workbook_scan import impossible
from pprl_desktop.records.workbooks import SHEETS, read_sheet
from pprl_desktop.said import Said

STATISTICS = (".sas7bdat", ".xpt", ".dta", ".sav", ".zsav", ".por")
PARQUET = (".parquet",)
ENDINGS = (*SHEETS, *STATISTICS, *PARQUET)

# limits that stand before anything is parsed; a table of people beyond them is better given as CSV
MOST_BYTES = 1 << 30  # of the file
MOST_CELLS = 200_000_000
CHUNK = 1_000_000  # cells of a file of a statistics program that are held in memory as they came
CHUNK_BYTES = 48 << 20  # of such cells, as wide as the file says they may be
TEXT_TIMES = 12  # letters of distinct values for each byte of the file, beyond which it is no table of people
PARQUET_TIMES = 50  # bytes for each packed one: its own packing, before that of the values
DELTAS = ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")  # of texts
PARQUET_ROWS = 1 << 14  # read at a time
WIDEST = 64  # bytes of a value of a fixed number of bytes: numbers and keys have fewer
# what is tried in turn where a file does not say how its letters are written, or says so wrongly
ENCODINGS = {"dta": ("UTF-8", "WINDOWS-1252"), "xpt": ("UTF-8", "WINDOWS-1252")}
# these the library takes letter by letter, and gives each text the last letter of the one before: decoded here
DECODED = {"WINDOWS-1258": "cp1258"}
MOST_DICTIONARY = 16 << 20  # bytes at the beginning of an SPSS file that may describe its columns
NO_VALUE = 2.0**333  # that Stata wrote for a missing number until its version 7
TEXT_ALWAYS = 32 << 20  # letters that may be unpacked in any case

RULES = (
    Said("Text stays as it is; an empty cell, and an error such as #N/A, is missing."),
    Said("What SPSS, Stata or SAS mark as missing is missing, whatever value or letter stands for it."),
    Said("Whole numbers are written without a decimal point, others with as many digits as they have."),
    Said("A number counts by its value, not by how it is shown; leading zeros that a workbook shows are kept."),
    Said("Dates are written as year-month-day, with the time only where there is one; yes and no as TRUE and FALSE."),
    Said("A number that is marked as a date but stands for no day of the calendar is missing; such cells are counted."),
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
    labelled: int = 0  # columns of coded values that have labels


def is_other_format(path: Path) -> bool:
    return path.suffix.lower() in ENDINGS or Path(only_file(path)).suffix.lower() in ENDINGS


def read_other(
    path: Path, sheet: str = "", header_line: int | None = None, labels: bool = True, progress: Progress = NO_PROGRESS
) -> Converted:
    """`labels`: the labels of coded values instead of their codes (Stata, SPSS)."""
    with files.open_regular(path):  # neither a pipe nor a device
        pass
    if not path.stat().st_size:
        raise empty(path.name)
    if path.stat().st_size > MOST_BYTES:
        raise too_many_bytes(path.name, path.stat().st_size, MOST_BYTES)
    ending, inside = path.suffix.lower(), ""
    if ending not in ENDINGS:
        inside = only_file(path)
        ending = Path(inside).suffix.lower()
        if ending in SHEETS:
            raise _packed_sheet(path.name, inside)
    progress.at(0.0, "Reading the file")
    try:
        # in memory: nothing of a table is laid down in a file of its own
        data = unpacked(path.name, path.read_bytes(), endings=ENDINGS) if inside else None
        if ending in SHEETS:
            found = read_sheet(path, ending[1:], sheet, header_line, as_text, progress)
            return Converted(found.table, ending[1:], found.name, found.names, found.header_line, found.warnings)
        if sheet:
            told = Said("A file of the kind {ending} has no sheets.", ending=ending)
            raise Problem(told, do="Leave the sheet out.", place="sheet")
        if ending in PARQUET:
            return _parquet(path, data, progress)
        return _statistics(path, data, ending[1:], labels, progress)
    except (Problem, MemoryError, KeyboardInterrupt, SystemExit, Cancelled):
        raise
    except BaseException as error:  # these libraries raise what they like, panics too; nothing of the file is told
        if type(error).__name__ == "PasswordError":
            raise locked(path.name) from None
        if _is_of_letters(error):
            raise strange_letters(path.name) from None
        if "version of the file format" in str(error):
            raise other_version(path.name, ending) from None
        raise unreadable(path.name, ending) from None


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
        if value != value or value == NO_VALUE:  # the missing values of statistics programs
            return ""
        return str(int(value)) if value.is_integer() and abs(value) < 1e16 else repr(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return moments.written(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return as_text(value.item()) if hasattr(value, "item") else str(value)


# ---- statistics programs, Parquet


class _Growing:
    """A column that is taken in piece by piece: each distinct value becomes text once.

    `meant`: the labels of codes; `clock`: how numbers stand for dates; `letters`: how texts that came byte by byte
    are to be read; `single`: whether numbers were kept in four bytes, so that .1 comes as .10000000149.
    """

    def __init__(
        self,
        name: str,
        meant: Mapping[str, str] | None = None,
        clock: moments.Clock | moments.Periods | None = None,
        letters: str = "",
        single: bool = False,
    ) -> None:
        self.name, self.meant, self.clock, self.letters, self.single = name, meant or {}, clock, letters, single
        self.raw: dict[Any, int] = {}
        self.texts: dict[str, int] = {}
        self.codes = array("i")
        self.odd: set[float] = set()  # numbers that stand for no date
        self.impossible = 0  # cells with one of them
        self.size = 0  # letters of all distinct values

    def add(self, cells: Sequence[Any]) -> None:
        raw = self.raw
        for cell in cells:
            key = None if cell != cell else cell  # a missing number is not equal to itself
            code = raw.get(key)
            if code is None:
                text = self._text(key)
                self.size += len(text)
                code = raw[key] = self.texts.setdefault(text, len(self.texts))
            self.codes.append(code)
        if self.odd:
            self.impossible += sum(cell in self.odd for cell in cells)

    def _text(self, cell: Any) -> str:
        if self.single and isinstance(cell, float) and not cell.is_integer():
            cell = float(str(np.float32(cell)))
        text = _decoded(cell, self.letters) if isinstance(cell, str) else as_text(cell)
        if text in self.meant:
            return self.meant[text]
        if self.clock is None or not isinstance(cell, int | float):
            return text
        moment = self.clock.read(cell)
        if moment is None:
            self.odd.add(cell)
        return moment or ""

    def column(self) -> Column:
        values = np.empty(len(self.texts), dtype=object)
        values[:] = list(self.texts)
        return Column(self.name, values, np.frombuffer(self.codes, np.int32).copy())


def _packed_sheet(name: str, inside: str) -> Problem:
    return Problem(
        Said("'{name}' is a packed workbook ({inside}).", name=name, inside=inside),
        "A workbook is packed in itself; it is measured as it lies on the disk, before it is read.",
        "Unpack it and choose the workbook.",
        place="file",
    )


def _statistics(path: Path, data: bytes | None, ending: str, labels: bool, progress: Progress) -> Converted:
    kind = {"zsav": "sav"}.get(ending, ending)
    if kind == "sav":
        _must_be_sound(path, data, ending)
    for encoding in ENCODINGS.get(kind, ()):
        try:
            return _in_encoding(path, data, ending, kind, labels, encoding, progress)
        except Exception as error:
            if isinstance(error, Problem) or not _is_of_letters(error):
                raise
    return _in_encoding(path, data, ending, kind, labels, None, progress)


def _must_be_sound(path: Path, data: bytes | None, ending: str) -> None:
    """Its dictionary: the library crashes on one that contradicts itself, and the program with it."""
    if data is None:
        with path.open("rb") as file:
            data = file.read(MOST_DICTIONARY)
    try:
        spss_scan.check(data)
    except spss_scan.UnsoundError as error:
        raise unreadable(path.name, f".{ending}") from error


def _is_of_letters(error: BaseException) -> bool:
    """Whether a library gave up on a text, not on the file."""
    return isinstance(error, UnicodeError) or any(word in str(error) for word in ("character set", "encoding"))


def _in_encoding(
    path: Path, data: bytes | None, ending: str, kind: str, labels: bool, encoding: str | None, progress: Progress
) -> Converted:
    import pyreadstat

    reader: Callable[..., Any] = {
        "sas7bdat": pyreadstat.read_sas7bdat, "xpt": pyreadstat.read_xport, "dta": pyreadstat.read_dta,
        "sav": pyreadstat.read_sav, "por": pyreadstat.read_por,
    }[kind]  # fmt: skip

    def source() -> str | io.BytesIO:
        return str(path) if data is None else io.BytesIO(data)

    how = {"output_format": "dict", **({"encoding": encoding} if encoding else {})}
    _, about = reader(source(), metadataonly=True, **how)
    if letters := DECODED.get(about.file_encoding or "", ""):
        how["encoding"] = "ISO-8859-1"
        _, about = reader(source(), metadataonly=True, **how)
    rows = about.number_rows if about.number_rows and about.number_rows > 0 else 0  # some files do not say
    if rows * about.number_columns > MOST_CELLS or about.number_columns > MOST_CELLS // 1000:
        raise too_many(path.name, rows * about.number_columns, MOST_CELLS)
    labelled = {name: found for name, found in about.variable_value_labels.items() if found}
    meant = {
        name: {as_text(code): _decoded(str(label), letters) for code, label in found.items()}
        for name, found in (labelled if labels else {}).items()
    }
    clocks = {name: moments.of_statistics(kind, shown) for name, shown in about.original_variable_types.items()}
    columns = [
        _Growing(
            _decoded(str(name), letters),
            meant.get(name),
            clocks.get(name),
            letters,
            about.readstat_variable_types.get(name) == "float",
        )
        for name in about.column_names
    ]
    width = sum(about.variable_storage_width.get(name) or 8 for name in about.column_names)
    at_once = max(1, min(CHUNK // max(1, len(columns)), CHUNK_BYTES // max(1, width)))
    taken, size = 0, path.stat().st_size if data is None else len(data)
    while True:
        # dates come as numbers: the library gives up on the whole file for one that the calendar does not have
        held, _ = reader(source(), row_offset=taken, row_limit=at_once, disable_datetime_conversion=True, **how)
        cells = [held[name] for name in about.column_names]
        here = len(cells[0]) if cells else 0
        for one, found in zip(columns, cells, strict=True):
            one.add(found.tolist() if hasattr(found, "tolist") else found)
        taken += here
        if taken * len(columns) > MOST_CELLS:
            raise too_many(path.name, taken * len(columns), MOST_CELLS)
        _must_be_packed(columns, path.name, size)
        progress.at(taken / rows if rows > taken else 0.99)
        if here < at_once:
            break
    table = Table(tuple(one.column() for one in columns))
    _has_records(table, path.name)
    told = [_labels(len(labelled), labels)] if labelled else []
    if odd := sum(one.impossible for one in columns):
        told.append(impossible(odd))
    progress.at(1.0)
    return Converted(table, ending, "", (), 1, tuple(told), len(labelled))


def _decoded(text: str, letters: str) -> str:
    return text.encode("latin-1").decode(letters) if letters else text


def _must_be_packed(columns: Sequence[_Growing], name: str, size: int) -> None:
    """A file of a few bytes may unpack to gigabytes of text."""
    letters = sum(one.size for one in columns)
    if letters > max(TEXT_ALWAYS, TEXT_TIMES * size):
        raise bomb(name, letters, size)


def _labels(n: int, used: bool) -> Problem:
    if used:
        return Problem(
            Said("{n} {n|column has|columns have} labels; they stand for the codes.", n=n),
            do="If the partner has codes, choose the codes: on the page Data, or with --codes.",
            place="labels",
        )
    return Problem(
        Said("{n} {n|column has|columns have} labels; the codes were taken.", n=n),
        do="If the partner has the labels, choose them on the page Data.",
        place="labels",
    )


def _parquet(path: Path, data: bytes | None, progress: Progress) -> Converted:
    try:
        from pyarrow import BufferReader, parquet, types
    except ImportError:
        raise Problem(
            "Parquet files need a part that is not installed.",
            "It is very large and therefore optional.",
            "Install it with: pip install 'pprl-desktop[parquet]'. Or save the table as CSV.",
            place="file",
        ) from None
    size = path.stat().st_size if data is None else len(data)
    source: Any = path if data is None else BufferReader(data)
    with parquet.ParquetFile(source) as file:
        about, schema = file.metadata, file.schema_arrow
    if about.num_rows * about.num_columns > MOST_CELLS:
        raise too_many(path.name, about.num_rows * about.num_columns, MOST_CELLS)
    groups = [about.row_group(at) for at in range(about.num_row_groups)]
    unpacked = sum(one.total_byte_size for one in groups)
    if unpacked > max(TEXT_ALWAYS, PARQUET_TIMES * size):
        raise bomb(path.name, unpacked, size)
    odd = [one.name for one in schema if types.is_nested(one.type) or _is_wide(one.type)]
    kept = [name for name in schema.names if name not in odd]
    if odd and not kept:
        raise _only_lists(path.name)
    if any(str(one).startswith(DELTAS) for group in groups for one in _encodings(group)):
        raise _deltas(path.name)
    columns = [_Growing(name, single=types.is_float32(schema.field(name).type)) for name in kept]
    # as dictionaries: a text of megabytes that stands in every row is one text, in the file and here
    source = path if data is None else BufferReader(data)
    with parquet.ParquetFile(source, read_dictionary=kept) as file:
        for done, batch in enumerate(file.iter_batches(batch_size=PARQUET_ROWS, columns=kept if odd else None)):
            for one, found in zip(columns, batch.columns, strict=True):
                one.add(_cells(found))
            _must_be_packed(columns, path.name, size)
            progress.at(min(0.99, done * PARQUET_ROWS / max(1, about.num_rows)))
    table = Table(tuple(one.column() for one in columns))
    _has_records(table, path.name)
    progress.at(1.0)
    return Converted(table, "parquet", "", (), 1, (_left_out(odd),) if odd else ())


def _encodings(group: Any) -> list[str]:
    return [one for at in range(group.num_columns) for one in group.column(at).encodings]


def _only_lists(name: str) -> Problem:
    return Problem(
        Said("'{name}' holds no column of single values.", name=name),
        "What stands there are lists or records in themselves, or long bytes, and no values to compare.",
        "Save what is needed as columns of text or numbers, and choose that file.",
        place="file",
    )


def _deltas(name: str) -> Problem:
    return Problem(
        Said("The texts in '{name}' are packed in a way that is not read here.", name=name),
        "Each text says only how it differs from the one before: a small file could unpack to any size.",
        "Write it again without delta encoding, which is usual, or save it as CSV.",
        place="file",
    )


def _is_wide(kind: Any) -> bool:
    """Bytes of a fixed number that no number or key has: one such value fills every row."""
    return getattr(kind, "byte_width", 0) > WIDEST if str(kind).startswith("fixed_size_binary") else False


def _cells(found: Any) -> Sequence[Any]:
    if not hasattr(found, "dictionary"):
        return cast(Sequence[Any], found.to_pylist())
    values = [*found.dictionary.to_pylist(), None]
    return [values[-1 if at is None else at] for at in found.indices.to_pylist()]


def _left_out(names: Sequence[str]) -> Problem:
    return Problem(
        Said("{n} {n|column was|columns were} left out: {names:and}.", n=len(names), names=names),
        "What stands there are lists or records in themselves, or long bytes, and no values to compare.",
        "If it is needed, save it as a column of text.",
        place="columns",
    )


def _has_records(table: Table, name: str) -> None:
    if not table.rows:
        raise Problem(
            Said("'{name}' has a header but no records.", name=name),
            do="Choose the file that holds the records.",
            place="file",
        )
