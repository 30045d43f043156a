"""What a workbook would take and what it holds beside cells, from its packed bytes, before anything is laid out.

In pieces and without a tree: two cells in opposite corners make a sheet of 17 billion. Formulas, macros and links are
counted and told; none of them is ever run or followed.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records import biff, moments
from pprl_desktop.said import Said

MOST_UNPACKED = 4 << 30  # bytes of what a workbook holds packed
MOST_RATIO = 200  # unpacked bytes for each packed one: more is no table
ALWAYS = 64 << 20  # bytes that may be unpacked whatever the ratio
MOST_CELLS = 100_000_000  # of a sheet, empty ones included: what the reader lays out, at 24 bytes each
MOST_ROWS = 1 << 20  # of a sheet of any spreadsheet program
MOST_PARTS = 10_000  # files inside a workbook
PIECE = 1 << 20  # bytes of XML that are looked at in one go
OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # .xls, and whatever Office encrypts
ZIP = b"PK\x03\x04"
MACROS = ("vbaProject.bin", "Scripts/", "Basic/")
LINKS = ("externalLinks/", "connections.xml")
_REF = re.compile(rb"<(?:\w+:)?c\s(?:[^>]*?\s)?r\s*=\s*[\"']([A-Z]{1,3})[0-9]")
_ROW = re.compile(rb"<(?:\w+:)?(?:row|c)\s(?:[^>]*?\s)?r\s*=\s*[\"'][A-Z]{0,3}([0-9]+)")
_CELL = re.compile(rb"<(?:\w+:)?c[\s>/]")
_TAG = re.compile(rb"<(?:\w+:)?(row|c)[\s>/]")
_STYLED = re.compile(rb"<(?:\w+:)?c\s([^>]*)>")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s>/]")
_UNSAVED = re.compile(
    rb"<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</"
)
_ZEROS = re.compile(r"^(0{2,20})(;.*)?$")


@dataclass
class Scanned:
    """What the scan found."""

    told: list[Problem] = field(default_factory=list)
    # sheet -> place of a cell -> the digits that a number shows, or the moment that it stands for
    shown: Mapping[str, Mapping[int, int | moments.Clock]] = field(default_factory=dict)
    impossible: int = 0  # cells with a date that the calendar does not have


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
    except Problem:
        packed.close()
        raise
    return packed


def _must_be_small(path: Path, inside: Sequence[zipfile.ZipInfo]) -> None:
    size = sum(one.file_size for one in inside)
    if len(inside) > MOST_PARTS or size > MOST_UNPACKED or size > max(MOST_RATIO * path.stat().st_size, ALWAYS):
        raise bomb(path.name, size >> 20, path.stat().st_size >> 20)


def _scan_workbook(path: Path, packed: zipfile.ZipFile, progress: Progress) -> Scanned:
    """Every part is looked at, whatever its name: which one is taken for a sheet is for the reader to say."""
    found = Scanned()
    names = packed.namelist()
    _tell_parts(found, names)
    pads = _padding_styles(packed)
    titles = _sheet_parts(packed) if pads else {}
    padded: dict[str, dict[int, int | moments.Clock]] = {}
    formulas = unsaved = 0
    for place, name in enumerate(names):
        progress.at(place / len(names), "Looking into the file")
        extent = _Extent()
        for text in _pieces(path, packed, name):
            if not extent.take(text):
                continue
            if extent.cells > MOST_CELLS:
                raise too_large(path.name, extent.cells, MOST_CELLS)
            formulas += len(_FORMULA.findall(text))
            unsaved += len(_UNSAVED.findall(text))
            if pads and name in titles:
                padded.setdefault(titles[name], {}).update(_padded(text, pads))
    found.shown = padded
    tell_formulas(found, formulas, unsaved)
    return found


class _Extent:
    """How large a sheet is, from its cells: the corners count, whatever it says of itself."""

    def __init__(self) -> None:
        self.columns: set[bytes] = set()
        self.wide = self.high = self.run = 0

    @property
    def cells(self) -> int:
        return self.wide * (self.high or MOST_ROWS if self.wide * MOST_ROWS > MOST_CELLS else 1)

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
        if self.wide * MOST_ROWS > MOST_CELLS:  # only then the number of rows matters
            self.high = max(self.high, max(map(int, set(_ROW.findall(text))), default=0), 1)
        return tags > 0


def _pieces(path: Path, packed: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """A part in pieces that end behind a cell; nothing of a part that is no XML."""
    most = packed.getinfo(name).file_size
    with packed.open(name) as file:
        kept, taken = b"", 0
        while block := file.read(PIECE):
            if any("sheetData".encode(code) in block for code in ("utf-16-le", "utf-16-be")):
                raise other_kind(path)  # a sheet in an encoding that no spreadsheet program writes
            if not taken and not block.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
                return
            taken += len(block)
            if taken > most:
                raise bomb(path.name, taken >> 20, path.stat().st_size >> 20)
            whole = kept + block
            end = max(whole.rfind(b"</c>"), whole.rfind(b"</row>"), whole.rfind(b"/>"))
            end = end if end >= 0 and len(block) == PIECE else len(whole)
            kept = whole[end:] if len(whole) - end < 8 * PIECE else b""
            yield whole[:end]
        if kept:
            yield kept


def _number(letters: bytes) -> int:
    """AA is 27."""
    made = 0
    for one in letters:
        made = 26 * made + one - 64
    return made


def _padding_styles(packed: zipfile.ZipFile) -> dict[int, int]:
    """Styles that show a whole number with leading zeros: their place among the styles, and the digits."""
    try:
        text = packed.read("xl/styles.xml").decode("utf-8", "replace")
    except KeyError:
        return {}
    formats = {}
    for tag in re.findall(r"<numFmt\s[^>]*>", text):
        known = dict(re.findall(r"(\w+)=\"([^\"]*)\"", tag))
        if (zeros := _ZEROS.match(known.get("formatCode", ""))) and known.get("numFmtId", "").isdigit():
            formats[known["numFmtId"]] = len(zeros[1])
    used = re.search(r"<cellXfs.*?</cellXfs>", text, re.DOTALL)
    styles = re.findall(r"<xf\s[^>]*numFmtId=\"(\d+)\"", used[0]) if used and formats else []
    return {place: formats[one] for place, one in enumerate(styles) if one in formats}


def _sheet_parts(packed: zipfile.ZipFile) -> dict[str, str]:
    """Part -> name of its sheet."""
    from html import unescape

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
        style = re.search(rb"\bs=\"(\d+)\"", tag)
        if style is None or int(style[1]) not in pads or re.search(rb"\bt=\"(?!n\")", tag):
            continue
        place = re.search(rb"\br=\"([A-Z]{1,3})([0-9]{1,7})\"", tag)
        if place is not None:
            yield int(place[2]) * 16384 + _number(place[1]) - 1, pads[int(style[1])]


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
        raise too_large(path.name, seen.cells, MOST_CELLS)
    if seen.locked:
        raise locked(path.name)
    if _holds(path, "_VBA_PROJECT".encode("utf-16-le")):
        found.told.append(_macros())
    if seen.links:
        found.told.append(links())
    tell_formulas(found, seen.formulas, 0)
    found.shown = seen.shown
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
        "The number in it stands for a day before the year 1 or after 9999.",
        "If the record matters, put the date right in the program that made the file.",
        place="file",
    )


def too_large(name: str, found: int, most: int) -> Problem:
    return Problem(
        Said("'{name}' is too large to be read in this form.", name=name),
        Said("It has {found}; the most is {most}.", found=found, most=most),
        "Save the table as CSV and choose that.",
        place="file",
    )


def bomb(name: str, size: int, packed: int) -> Problem:
    return Problem(
        Said("'{name}' would become very large when it is unpacked.", name=name),
        Said("It holds {size} MB in a file of {packed} MB.", size=size, packed=packed),
        "Save the table as CSV and choose that.",
        place="file",
    )


def locked(name: str) -> Problem:
    return Problem(
        Said("'{name}' is protected by a password.", name=name),
        "A protected workbook cannot be read here.",
        "Open it in the program that made it, take the password off, and save it again.",
        place="file",
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
    return Problem(
        Said("'{name}' cannot be read as {ending}.", name=name, ending=ending),
        "It is damaged, cut short, or of another kind.",
        "Open it in the program that made it, save it again, or save it as CSV.",
        place="file",
    )
