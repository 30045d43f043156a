"""What a workbook would take and what it holds beside cells, from its packed bytes, before anything is laid out.

In pieces and without a tree: two cells in opposite corners make a sheet of 17 billion. Formulas, macros and links are
counted and told; none of them is ever run or followed.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records import biff, moments
from pprl_desktop.records.refused import bomb, locked, too_many, too_many_bytes, unreadable
from pprl_desktop.said import Said

MOST_UNPACKED = 4 << 30  # bytes of what a workbook holds packed
MOST_RATIO = 200  # unpacked bytes for each packed one: more is no table
ALWAYS = 64 << 20  # bytes that may be unpacked whatever the ratio
MOST_CELLS = 100_000_000  # of a sheet, empty ones included: what the reader lays out, at 24 bytes each
MOST_ROWS = 1 << 20  # of a sheet of any spreadsheet program
MOST_PARTS = 10_000  # files inside a workbook
MOST_STYLES = 1 << 16  # of cells, in any spreadsheet program
MOST_DIGITS = 18  # of a row or a column that are looked at
PIECE = 1 << 20  # bytes of XML that are looked at in one go
OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # .xls, and whatever Office encrypts
ZIP = b"PK\x03\x04"
T = TypeVar("T")
MACROS = ("vbaProject.bin", "Scripts/", "Basic/")
LINKS = ("externalLinks/", "connections.xml")
# places of cells and rows, in whatever tag: the reader takes small letters and any number of them, any prefix of a tag,
# and a > within an attribute
_REF = re.compile(rb"r\s*=\s*[\"']([A-Za-z]+)[0-9]")
_ROW = re.compile(rb"r\s*=\s*[\"'][A-Za-z]*([0-9]+)")
_FAR = re.compile(rb"r\s*=\s*[\"'][A-Za-z]*([0-9]{7,})")
_CELL = re.compile(rb"<(?:[^\s<>/:]+:)?c[\s>/]")
_TAG = re.compile(rb"<(?:[^\s<>/:]+:)?(row|c)[\s>/]")
_UNPLACED = re.compile(rb"<(?:[^\s<>/:]+:)?row(?:\s+(?!r\s*=)[^\s=>]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*\s*/?>")
_UNSEEN = re.compile(  # a hidden row that holds cells; nothing in it is tried twice
    rb"<(?:\w+:)?row(?:(?!\shidden)[^<>])*+\shidden\s*+=\s*+[\"'](?:1|true)[\"'][^<>]*+>\s*+<(?:\w+:)?c[\s>/]"
)
_STYLED = re.compile(rb"<(?:\w+:)?c\s([^>]*)>")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_UNSAVED = re.compile(
    rb"<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</"
)
# cells whose number may stand for no day: below 1, day 60, seven digits and more
_ODD = re.compile(
    rb"<(?:\w+:)?c\s([^>]*[^>/])>\s*(?:<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>))?\s*"
    rb"<(?:\w+:)?v>\s*([-+.0][^<]*|60(?:\.[^<]*)?|[0-9]{7}[^<]*|[0-9.]*[eE][^<]*)<"
)
# and every cell with a number
_NUMBER = re.compile(
    rb"<(?:\w+:)?c\s([^>]*[^>/])>\s*(?:<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>))?\s*<(?:\w+:)?v>\s*([-+.0-9][^<]*)<"
)
_STRINGS = re.compile(rb"uniqueCount\s*=\s*[\"']([0-9]+)")  # for so many texts the reader takes memory at once
_ZEROS = re.compile(r"^(0{2,20})(;.*)?$")


@dataclass
class Scanned:
    """What the scan found."""

    told: list[Problem] = field(default_factory=list)
    # sheet -> place of a cell -> the digits that a number shows, or the moment that it stands for
    shown: Mapping[str, Mapping[int, int | moments.Clock]] = field(default_factory=dict)
    # sheet -> place of a cell with a date that the library does not tell right -> the date, "" where it has none;
    # all dates where days are counted from 1904, which the library overlooks in what newer programs write
    odd_days: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    unseen: Mapping[str, int] = field(default_factory=dict)  # sheet -> rows that the program hides
    impossible: int = 0  # such cells of the sheet that is read
    mixed: frozenset[str] = frozenset()  # sheets of which the library takes the numbers of a chart for cells


def scan(path: Path, ending: str, progress: Progress) -> Scanned:
    if ending == "xls":
        return _scan_ole(path)
    with open_packed(path) as packed:
        if "content.xml" in packed.namelist():
            raise other_kind(path, "ods")
        return _scan_workbook(path, packed, progress)


def open_packed(path: Path) -> zipfile.ZipFile:
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith(OLE):
        raise locked(path.name) if _holds(path, "EncryptedPackage".encode("utf-16-le")) else other_kind(path, "xls")
    if not start.startswith(ZIP):
        raise other_kind(path)
    packed = zipfile.ZipFile(path)
    try:
        _must_be_small(path, packed.infolist())
        if any(one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for one in packed.infolist()):
            raise zipfile.BadZipFile  # what other ways of packing take of memory is said by the file itself
    except (Problem, zipfile.BadZipFile):
        packed.close()
        raise
    return packed


def _must_be_small(path: Path, inside: Sequence[zipfile.ZipInfo]) -> None:
    size = sum(one.file_size for one in inside)
    if len(inside) > MOST_PARTS or size > MOST_UNPACKED or size > max(MOST_RATIO * path.stat().st_size, ALWAYS):
        raise bomb(path.name, size, path.stat().st_size)


def _scan_workbook(path: Path, packed: zipfile.ZipFile, progress: Progress) -> Scanned:
    """Every part is looked at, whatever its name: which one is taken for a sheet is for the reader to say."""
    found = Scanned()
    names = packed.namelist()
    _tell_parts(found, names)
    pads, dated = _styles(packed)
    titles = _sheet_parts(packed)
    padded: dict[str, dict[int, int | moments.Clock]] = {}
    odd_days: dict[str, dict[int, str]] = {}
    unseen: Counter[str] = Counter()
    formulas = unsaved = 0
    for place, name in enumerate(names):
        progress.at(place / len(names), "Looking into the file")
        extent = _Extent()
        for text in _pieces(path, packed, name):
            if (texts := max(map(_row, _STRINGS.findall(text)), default=0)) > packed.getinfo(name).file_size:
                raise too_many(path.name, texts, packed.getinfo(name).file_size)
            if not extent.take(text):
                continue
            if extent.cells > MOST_CELLS:
                raise too_many(path.name, extent.cells, MOST_CELLS)
            formulas += len(_FORMULA.findall(text))
            unsaved += len(_UNSAVED.findall(text))
            if name in titles:
                unseen[titles[name]] += len(_UNSEEN.findall(text))
                if pads:
                    padded.setdefault(titles[name], {}).update(_padded(text, pads))
                if dated:
                    odd_days.setdefault(titles[name], {}).update(_odd_days(text, dated))
    found.shown, found.odd_days, found.unseen = padded, odd_days, unseen
    tell_formulas(found, formulas, unsaved)
    return found


class _Extent:
    """How large a sheet is, from its cells: the corners count, whatever it says of itself."""

    def __init__(self) -> None:
        self.columns: set[bytes] = set()
        self.wide = self.high = self.run = 0
        self.unplaced = 0  # rows that do not say which they are: each stands below the one before

    @property
    def cells(self) -> int:
        placed = (self.high or MOST_ROWS) if self.wide * MOST_ROWS > MOST_CELLS or self.high > MOST_ROWS else 1
        return self.wide * (placed + self.unplaced)

    def take(self, text: bytes) -> bool:
        """Whether there are cells in it."""
        tags, refs = len(_CELL.findall(text)), _REF.findall(text)
        new = set(refs) - self.columns
        self.columns |= new
        self.wide = max(self.wide, max(map(_number, new), default=0))
        if tags > len(refs):  # cells without a place stand one behind the other
            for kind in _TAG.findall(text):
                self.run = self.run + 1 if kind == b"c" else 0
                self.wide = max(self.wide, self.run)
        self.unplaced += len(_UNPLACED.findall(text))
        far = max(map(_row, _FAR.findall(text)), default=0)
        if self.wide * MOST_ROWS > MOST_CELLS:  # only then the number of rows matters
            self.high = max(self.high, max(map(_row, set(_ROW.findall(text))), default=0), 1)
        elif far > MOST_ROWS:
            self.high = max(self.high, far)
        return tags > 0


def _pieces(path: Path, packed: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """A part in pieces that end behind a cell. What it is called and how it begins says nothing: the reader takes a
    sheet from any part."""
    most = packed.getinfo(name).file_size
    with packed.open(name) as file:
        kept, taken = b"", 0
        while block := file.read(PIECE):
            if any("sheetData".encode(code) in block for code in ("utf-16-le", "utf-16-be")):
                raise other_kind(path)  # a sheet in an encoding that no spreadsheet program writes
            taken += len(block)
            if taken > most:
                raise bomb(path.name, taken, path.stat().st_size)
            whole = kept + block
            end = max(whole.rfind(b"</c>"), whole.rfind(b"</row>"), whole.rfind(b"/>"))
            if end <= 0:  # whatever a tag is called, it is not cut in two
                end = whole.rfind(b"<")
            end = end if end >= 0 and len(block) == PIECE else len(whole)
            if len(whole) - end >= 8 * PIECE:  # a single cell
                raise too_many_bytes(path.name, len(whole), 8 * PIECE)
            kept = whole[end:]
            yield whole[:end]
        if kept:
            yield kept


def _number(letters: bytes) -> int:
    """AA is 27."""
    made = 0
    for one in letters.upper()[:MOST_DIGITS]:
        made = 26 * made + one - 64
    return made


def _row(digits: bytes) -> int:
    """More digits than any row has say enough; a number of thousands of them is not read."""
    return int(digits.lstrip(b"0")[:MOST_DIGITS] or b"0")


def _styles(packed: zipfile.ZipFile) -> tuple[dict[int, int], dict[int, moments.Clock]]:
    """Styles that show a whole number with leading zeros, and those that show a date or time: their place among the
    styles, and the digits or the clock."""
    try:
        text = packed.read("xl/styles.xml").decode("utf-8", "replace")
        book = packed.read("xl/workbook.xml").decode("utf-8", "replace")
    except KeyError:
        return {}, {}
    patterns = {}
    for tag in re.findall(r"<(?:\w+:)?numFmt\s[^>]*>", text):
        known = dict(re.findall(r"(\w+)=\"([^\"]*)\"", tag))
        if known.get("numFmtId", "").isdigit():
            patterns[int(known["numFmtId"])] = unescape(known.get("formatCode", ""))
    from_1904 = re.search(r"\bdate1904=\"(?:1|true)\"", book) is not None
    used = re.search(r"<((?:\w+:)?cellXfs).*?</\1>", text, re.DOTALL)
    pads, dated = {}, {}
    listed = re.finditer(r"<(?:\w+:)?xf\s[^>]*numFmtId=\"(\d+)\"", used[0]) if used else iter(())
    for place, one in enumerate(found[1] for found in islice(listed, MOST_STYLES)):
        pattern = patterns.get(int(one))
        if zeros := _ZEROS.match(pattern or ""):
            pads[place] = len(zeros[1])
        elif clock := moments.of_workbook(int(one), pattern, from_1904):
            dated[place] = clock
    return pads, dated


def _sheet_parts(packed: zipfile.ZipFile) -> dict[str, str]:
    """Part -> name of its sheet."""
    try:
        book = packed.read("xl/workbook.xml").decode("utf-8", "replace")
        links = packed.read("xl/_rels/workbook.xml.rels").decode("utf-8", "replace")
    except KeyError:
        return {}
    targets = {}
    for tag in re.findall(r"<Relationship\s[^>]*>", links):
        known = dict(re.findall(r"(\w+)=\"([^\"]*)\"", tag))
        targets[known.get("Id", "")] = known.get("Target", "").removeprefix("/xl/").removeprefix("/")
    made = {}
    for tag in re.findall(r"<(?:\w+:)?sheet\s[^>]*>", book):
        known = dict(re.findall(r"([\w:]+)=\"([^\"]*)\"", tag))
        part = targets.get(next((value for key, value in known.items() if key.endswith(":id")), ""), "")
        made[f"xl/{part}"] = unescape(known.get("name", ""))
    return made


def _padded(text: bytes, pads: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    for tag in _STYLED.findall(text):
        if digits := _of_style(tag, pads):
            yield from ((place, digits) for place in _place(tag))


def _odd_days(text: bytes, dated: Mapping[int, moments.Clock]) -> Iterator[tuple[int, str]]:
    from_1904 = next(iter(dated.values())).start.year == 1904
    for tag, number in (_NUMBER if from_1904 else _ODD).findall(text):
        if clock := _of_style(tag, dated):
            shown = moments.of_serial(clock, _float(number)) or ""
            yield from ((place, shown) for place in _place(tag))


def _of_style(tag: bytes, styles: Mapping[int, T]) -> T | None:
    """What the style of a cell with a number says; `tag`: its attributes."""
    style = re.search(rb"\bs=\"(\d+)\"", tag)
    if style is None or re.search(rb"\bt=\"(?!n\")", tag):
        return None
    return styles.get(int(style[1]))


def _place(tag: bytes) -> list[int]:
    found = re.search(rb"\br=\"([A-Z]{1,3})([0-9]{1,7})\"", tag)
    return [int(found[2]) * biff.COLUMNS + _number(found[1]) - 1] if found else []


def _float(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0  # no number: the library says so


def scan_document(path: Path, packed: zipfile.ZipFile) -> Scanned:
    found = Scanned()
    names = packed.namelist()
    if "content.xml" not in names:
        raise other_kind(path, "xlsx" if any(name.startswith("xl/") for name in names) else "")
    if b"encryption-data" in packed.read("META-INF/manifest.xml") if "META-INF/manifest.xml" in names else False:
        raise locked(path.name)
    _tell_parts(found, names)
    return found


def _scan_ole(path: Path) -> Scanned:
    with path.open("rb") as file:
        start = file.read(8)
    if not start.startswith(OLE):
        raise other_kind(path, "xlsx" if start.startswith(ZIP) else "")
    if _holds(path, "EncryptedPackage".encode("utf-16-le")):
        raise locked(path.name)
    found = Scanned()
    seen = biff.seen(path.read_bytes())
    if seen is None:
        raise other_kind(path)
    if seen.cells > MOST_CELLS:
        raise too_many(path.name, seen.cells, MOST_CELLS)
    if seen.locked:
        raise locked(path.name)
    if _holds(path, "_VBA_PROJECT".encode("utf-16-le")):
        found.told.append(_macros())
    if seen.links:
        found.told.append(links())
    tell_formulas(found, seen.formulas, 0)
    found.shown, found.odd_days, found.mixed = seen.shown, seen.odd_days, frozenset(seen.mixed)
    found.unseen = seen.unseen
    return found


def _holds(path: Path, wanted: bytes) -> bool:
    with path.open("rb") as file:
        before = b""
        while block := file.read(PIECE):
            if wanted in before + block:
                return True
            before = block[-len(wanted) :]
    return False


def _tell_parts(found: Scanned, names: Sequence[str]) -> None:
    if any(part in name for name in names for part in MACROS):
        found.told.append(_macros())
    if any(part in name for name in names for part in LINKS):
        found.told.append(links())


def tell_formulas(found: Scanned, formulas: int, unsaved: int) -> None:
    if unsaved:
        found.told.append(
            Problem(
                Said("{n} {n|formula has|formulas have} no saved value: those cells are empty.", n=unsaved),
                "Formulas are never run here.",
                "Open the file in the program that made it, save it again, and load it again.",
                place="file",
            )
        )
    elif formulas:
        found.told.append(
            Problem(
                Said("{n} {n|cell is a formula|cells are formulas}: the values that were saved count.", n=formulas),
                "Formulas are never run here.",
                place="file",
            )
        )


def _macros() -> Problem:
    return Problem("The file holds macros. They were ignored.", place="file")


def links() -> Problem:
    return Problem("The file holds links to other files. They were not followed.", place="file")


def impossible(n: int) -> Problem:
    return Problem(
        Said("{n} {n|cell holds|cells hold} a date that the calendar does not have: {n|it is|they are} missing.", n=n),
        "The number in it stands for no day: it lies before the first or behind the last that dates can have.",
        "If the record matters, put the date right in the program that made the file.",
        place="file",
    )


def mixed(sheet: str) -> Problem:
    return Problem(
        Said(
            "The sheet '{sheet}' holds a chart, and in an .xls its numbers cannot be told from the cells.", sheet=sheet
        ),
        "A chart keeps a copy of its numbers among the cells.",
        "Save it as .xlsx or as CSV in a spreadsheet program, or take the chart out, and choose it again.",
        place="sheet",
    )


def other_kind(path: Path, kind: str = "") -> Problem:
    """A file that is not what its name says; `kind` is what it is, where that is known."""
    name, ending = path.name, path.suffix.lower()
    if kind:
        return Problem(
            Said("'{name}' is in truth a file of the kind .{kind}.", name=name, kind=kind),
            Said("Its name ends in {ending}.", ending=ending),
            Said("Rename it so that it ends in .{kind}, and choose it again.", kind=kind),
            place="file",
        )
    with path.open("rb") as file:
        start = file.read(2048)
    if start.strip() and b"\0" not in start and not start.startswith(ZIP):
        web = b"<html" in start.lower() or b"<table" in start.lower()
        return Problem(
            Said("'{name}' is no workbook: it holds text.", name=name),
            Said("Programs on the web often give a page the name of a workbook.") if web else "",
            "Open it in a spreadsheet program and save it as .xlsx."
            if web
            else "If it is a table of text, rename it so that it ends in .csv, and choose it again.",
            place="file",
        )
    return unreadable(name, ending)
