"""What kind of file this is and how its bytes become text: strict UTF-8 first, then a fall-back that is said aloud.

Statistical guessing is left out on purpose: it garbles names without a word. Each step here either is certain
(a byte order mark, strict decoding) or is reported to the steward, who can choose another encoding.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.held import Held
from pprl_desktop.said import Said

BLOCK = 1 << 20  # bytes
FEW_SCRIPTS, SOME = 8, 32  # values of the high halves of UTF-16 in one script; pairs needed to judge by that
HEAD = 1 << 16  # bytes enough to tell UTF-16 without a mark, and what is not a text at all

# files that hold a table in a form that nothing here reads; as text under such a name they are read
OTHERS = (
    ".xlsb", ".numbers", ".doc", ".docx", ".pdf", ".rds", ".rdata", ".mdb", ".accdb", ".dbf", ".jmp", ".sas7bcat",
    ".feather", ".sqlite",
)  # fmt: skip

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: it starts with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_TEXT = (
    (
        b"PK\x03\x04",
        Said("a zip file or an Excel workbook (xlsx)"),
        Said(
            "If it is a workbook, rename it so that it ends in .xlsx; otherwise unpack it and choose the file inside."
        ),
    ),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        Said("an old Excel workbook (xls)"),
        Said("Rename it so that it ends in .xls, and choose it again."),
    ),
    (b"\x1f\x8b", Said("a gzip archive"), Said("Unpack it first.")),
    (b"BZh", Said("a bzip2 archive"), Said("Unpack it first.")),
    (b"\xfd7zXZ\x00", Said("an xz archive"), Said("Unpack it first.")),
    (b"7z\xbc\xaf\x27\x1c", Said("a 7-Zip archive"), Said("Unpack it first.")),
    (b"\x28\xb5\x2f\xfd", Said("a zstd archive"), Said("Unpack it first.")),
    (b"Rar!\x1a\x07", Said("a RAR archive"), Said("Unpack it first.")),
    (b"%PDF-", Said("a PDF document"), Said("Ask for the table as a CSV file.")),
    (b"\x89PNG", Said("a picture"), Said("Choose the table.")),
    (b"\xff\xd8\xff", Said("a picture"), Said("Choose the table.")),
    (b"SQLite format 3\x00", Said("an SQLite database"), Said("Export the table as a CSV file.")),
    (b"PAR1", Said("a Parquet file"), Said("Rename it so that it ends in .parquet, and choose it again.")),
    (b"PK\x05\x06", Said("a zip file with nothing in it"), Said("Choose the file with the table.")),
    (b"$FL2@(#)", Said("an SPSS file"), Said("Rename it so that it ends in .sav, and choose it again.")),
    (b"$FL3@(#)", Said("an SPSS file"), Said("Rename it so that it ends in .zsav, and choose it again.")),
    (b"<stata_dta>", Said("a Stata file"), Said("Rename it so that it ends in .dta, and choose it again.")),
    (
        bytes(12) + b"\xc2\xea\x81\x60",
        Said("a SAS file"),
        Said("Rename it so that it ends in .sas7bdat, and choose it again."),
    ),
    (
        b"HEADER RECORD*******LIB",
        Said("a SAS transport file"),
        Said("Rename it so that it ends in .xpt, and choose it again."),
    ),
    (b"age-encryption.org/", Said("an encrypted bundle"), Said("Open it as the partner's file, not as a table.")),
    (b"{\\rtf", Said("a formatted document (RTF)"), Said("Save the table as a CSV file.")),
)
_NOT_IN_CP1252 = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")
_ESCAPED = re.compile("[\udc80-\udcff]")
DAMAGED = "pprl-damaged-utf-8"  # name of the error handler below


@dataclass(frozen=True)
class Encoding:
    """`name` is Python's; `skip` bytes at the start are the byte order mark."""

    name: str
    skip: int = 0
    errors: str = "strict"
    warnings: tuple[Problem, ...] = ()
    nul_line: int = 0  # where the first NUL byte stands; they are removed

    @property
    def shown(self) -> str:
        """A name that the reading options take again."""
        if not self.skip:
            return self.name
        return "utf-8-sig" if self.name == "utf-8" else self.name.rsplit("-", 1)[0]


def _keep_damaged_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    raw = error.object[error.start : error.end]
    return "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in raw), error.end


codecs.register_error(DAMAGED, _keep_damaged_bytes)


def refuse_what_is_no_table(head: bytes, name: str) -> None:
    """A .csv that is really something else is named for what it is."""
    found = next(((what, do) for magic, what, do in _NOT_TEXT if head.startswith(magic)), None)
    start = head[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<table", b"<head")):
        found = (Said("a web page (HTML)"), Said("Open it in a spreadsheet and save it as 'CSV UTF-8'."))
    elif start.startswith((b"[{", b'["', b'{"', b"{\n", b"{ ")):
        found = (Said("a JSON file"), Said("Export the table as a CSV file."))
    elif start.startswith(b"<?xml"):
        found = (Said("an XML file"), Said("Export the table as a CSV file."))
    ending = next((one for one in OTHERS if name.lower().endswith(one)), "")
    if ending and (found or b"\0" in head):
        raise Problem(
            Said("'{name}' is a file of the kind {ending}, which is not read here.", name=name, ending=ending),
            do="Open it in the program that made it, and save its table as .xlsx or as CSV.",
            place="file",
        )
    if found:
        what, do = found
        raise Problem(
            Said("'{name}' is {what}, not a text table.", name=name, what=what),
            "Its ending does not say what it is.",
            do,
            place="file",
        )


def find_encoding(file: Held, asked: str = "", progress: Progress = NO_PROGRESS, limit: int | None = None) -> Encoding:
    """Looks at the whole file (or at `limit` bytes of it) before anything is parsed."""
    found = _find(file, asked, progress, limit)
    return found if found.name.startswith(("utf-16", "utf-32")) else replace(found, nul_line=_nul_line(file, limit))


def _nul_line(file: Held, limit: int | None) -> int:
    for done, block, _ in blocks(file, limit):
        if b"\0" in block:
            return line_at(file, done - len(block) + block.index(b"\0"))
    return 0


def _find(file: Held, asked: str, progress: Progress, limit: int | None) -> Encoding:
    with file.open() as source:
        head = source.read(HEAD)
    mark = next(((len(bom), name) for bom, name in _BOMS if head.startswith(bom)), None)
    if asked:
        chosen = _asked(asked, mark)
        return _utf8(file, chosen.skip, progress, limit, sure=True) if chosen.name == "utf-8" else chosen
    refuse_what_is_no_table(head, file.name)
    if mark:
        skip, name = mark
        if name != "utf-8":
            return Encoding(name, skip)
        return _utf8(file, skip, progress, limit)
    if wide := _wide_without_mark(head):
        told = Problem(
            Said("The file has no byte order mark; it is read as {wide}.", wide=wide.upper()),
            "Every second byte of it is empty.",
            "Check the first rows, and choose the encoding by hand if they look wrong.",
            place="encoding",
        )
        return Encoding(wide, warnings=(told,))
    return _utf8(file, 0, progress, limit)


def _asked(asked: str, mark: tuple[int, str] | None) -> Encoding:
    try:
        name = codecs.lookup(asked).name
        "".encode(name)
    except (LookupError, TypeError, AttributeError) as error:
        raise Problem(
            Said("The encoding '{asked}' is unknown.", asked=asked),
            "",
            "Use for example utf-8, utf-16, cp1252 or latin-1.",
            place="encoding",
        ) from error
    if name in ("utf-16", "utf-32", "utf-8-sig"):  # the mark says the byte order; without one it is little-endian
        plain = {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}[name]
        return Encoding(mark[1], mark[0]) if mark and mark[1].startswith(plain[:6]) else Encoding(plain)
    if mark and mark[1] == name:
        return Encoding(name, mark[0])
    return Encoding(name)


def _wide_without_mark(head: bytes) -> str:
    """UTF-16 without a mark: the empty halves of separators and digits are all on the same side."""
    even, odd = head[0::2], head[1::2]
    if _is_high_half(odd, even):
        name = "utf-16-le"
    elif _is_high_half(even, odd):
        name = "utf-16-be"
    else:
        return ""
    try:
        text = codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeDecodeError:
        return ""
    return name if ("\n" in text or "\r" in text) and "\0" not in text else ""


def _is_high_half(half: bytes, other: bytes) -> bool:
    """High halves are often zero, and in one script they take few values; low halves are never zero in a text."""
    zeros = half.count(0)
    if not zeros or other.count(0) > 0.02 * zeros:
        return False
    few = len(set(half)) <= FEW_SCRIPTS and len(half) >= SOME
    return zeros > 0.2 * len(half) or (few and zeros > 0.05 * len(half))


def _utf8(file: Held, skip: int, progress: Progress, limit: int | None, *, sure: bool = False) -> Encoding:
    bad = _first_bad_line(file, progress, limit)
    if bad is None:
        return Encoding("utf-8", skip)
    line, good_marks, bad_marks, undefined = bad
    if sure or skip or good_marks > bad_marks:
        told = Problem(
            Said(
                "{n} damaged {n|place|places}, the first in line {line}: the file is UTF-8 otherwise.",
                n=bad_marks,
                line=line,
            ),
            "There each byte was kept as one Western European character.",
            "Check that line, or choose the encoding by hand.",
            place=f"line {line}",
        )
        return Encoding("utf-8", skip, DAMAGED, (told,))
    name = "latin-1" if undefined else "cp1252"
    told = Problem(
        Said("The file is not UTF-8 (line {line}); it is read as {name} (Western European).", line=line, name=name),
        "Such files do not say which encoding they use.",
        "Check names with accents or umlauts, and choose the encoding by hand if they look wrong.",
        place=f"line {line}",
    )
    return Encoding(name, warnings=(told,))


def _first_bad_line(file: Held, progress: Progress, limit: int | None) -> tuple[int, int, int, bool] | None:
    """Line of the first byte that is not UTF-8, bytes in good and in damaged places, and whether cp1252 lacks one."""
    size = max(file.size, 1)
    first, good, bad, undefined = 0, 0, 0, False
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")  # a damaged byte becomes a half surrogate
    for done, block, last in blocks(file, limit):
        progress.at(done / size, "Checking the encoding")
        if block.isascii() and not decoder.getstate()[0]:
            continue
        text = decoder.decode(block, last and limit is None)
        damaged = len(_ESCAPED.findall(text)) if not _is_clean(text) else 0
        if damaged and not first:
            found = _ESCAPED.search(text)
            inside = text[: found.start() if found else 0].encode("utf-8", "surrogateescape")
            first = line_at(file, done - len(block)) + line_ends(inside)
        good += len(block) - len(text)
        bad += damaged
        undefined = undefined or any(byte in block for byte in _NOT_IN_CP1252)
    return (first, good, bad, undefined) if first else None


def _is_clean(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def blocks(file: Held, limit: int | None = None) -> Iterator[tuple[int, bytes, bool]]:
    """Bytes read so far, a block, and whether it is the last one."""
    done = 0
    with file.open() as source:
        block = source.read(BLOCK if limit is None else min(BLOCK, limit))
        while block:
            done += len(block)
            ahead = source.read(BLOCK if limit is None else min(BLOCK, limit - done))
            yield done, block, not ahead
            block = ahead


def line_at(file: Held, offset: int) -> int:
    """The line in which that byte stands (in encodings where a line feed is one byte)."""
    line = 1
    for _, block, _ in blocks(file, offset):
        line += line_ends(block)
    return line


def line_ends(data: bytes) -> int:
    """LF, CR LF and lone CR each end a line (a CR LF cut in two by a block counts twice: harmless in a message)."""
    return data.count(b"\n") + (data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else 0)


def texts(file: Held, encoding: Encoding, progress: Progress = NO_PROGRESS, limit: int | None = None) -> Iterator[str]:
    """The file as text, block by block; a byte that the encoding lacks is a Problem that names the line."""
    decoder = codecs.getincrementaldecoder(encoding.name)(encoding.errors)
    size = max(file.size, 1)
    skip = encoding.skip
    for done, block, last in blocks(file, limit):
        progress.at(done / size)
        try:
            text = decoder.decode(block[skip:], last and limit is None)
        except UnicodeDecodeError:
            line = _bad_line(file, encoding)
            raise Problem(
                Said("Line {line} cannot be read as {name}.", line=line, name=encoding.name),
                "The bytes there are not text in this encoding.",
                "Choose another encoding; cp1252 and latin-1 are frequent.",
                place=f"line {line}",
            ) from None
        skip = 0
        yield text


def _bad_line(file: Held, encoding: Encoding) -> int:
    """The line of the first byte that cannot be decoded: reads again, which only a file with an error costs."""
    decoder = codecs.getincrementaldecoder(encoding.name)()
    line = 1
    for _, block, last in blocks(file):
        try:
            line += decoder.decode(block, last).count("\n")
        except UnicodeDecodeError as error:
            return line + error.object[: error.start].decode(encoding.name, "ignore").count("\n")
    return line
