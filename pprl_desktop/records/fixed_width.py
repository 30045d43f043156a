"""Text with fixed widths: a small layout says which characters of a line make up which column.

    id 1-6, last_name 7-26, first_name 27-41, born 42-49

Characters are counted from one, not bytes. Blanks around a cell are padding and dropped. A line that ends early has
empty cells at its end, as programs leave trailing blanks off; what stands behind the last column is left out and told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import Table, collected
from pprl_desktop.said import Said

MOST_COLUMNS = 1000
LONGEST_LINE = 1 << 20  # characters
_PIECE = re.compile(r"^(?P<name>\S(?:.*\S)?)\s+(?P<first>[0-9]{1,7})(?:\s*-\s*(?P<last>[0-9]{1,7}))?$")

RULES = (
    Said("Characters are counted from one; blanks around a cell are padding and dropped."),
    Said("A line that ends early has empty cells at its end."),
)


@dataclass(frozen=True)
class Cut:
    """One column: from which character to which, both included."""

    name: str
    first: int
    last: int


def parse_layout(text: str) -> tuple[Cut, ...]:
    """'id 1-6, last_name 7-26', with commas, semicolons or lines between."""
    pieces = [piece.strip() for piece in re.split(r"[,;\r\n]", text) if piece.strip()]
    if not pieces or len(pieces) > MOST_COLUMNS:
        raise _wrong(Said("It names no column.") if not pieces else Said("It names too many columns."))
    cuts = []
    for piece in pieces:
        found = _PIECE.match(piece.replace("=", " ").replace(":", " "))
        if found is None:
            raise _wrong(Said("'{piece}' is no name with a range of characters.", piece=piece))
        first, last = int(found["first"]), int(found["last"] or found["first"])
        if not 1 <= first <= last <= LONGEST_LINE:
            raise _wrong(Said("The range of '{name}' is not counted upwards from 1.", name=found["name"]))
        cuts.append(Cut(found["name"], first, last))
    cuts.sort(key=lambda cut: cut.first)
    for one, other in pairwise(cuts):
        if other.first <= one.last:
            raise _wrong(Said("'{one}' and '{other}' share characters.", one=one.name, other=other.name))
    names = [cut.name for cut in cuts]
    twice = next((name for name in names if names.count(name) > 1), "")
    if twice:
        raise _wrong(Said("The column '{name}' is there twice.", name=twice))
    return tuple(cuts)


def read_fixed(
    blocks: Iterable[str],
    cuts: tuple[Cut, ...],
    header_line: int | None,
    name: str,
    progress: Progress = NO_PROGRESS,
) -> tuple[Table, int, tuple[Problem, ...]]:
    """The table, the line of the names (0: none) and what was noticed. Without a given line, names are recognised."""
    made = _Lines(cuts, header_line)
    table = collected([cut.name for cut in cuts], made.rows(blocks), progress)
    if not table.rows:
        raise Problem(
            Said("The file '{name}' is empty.", name=name), "It holds no records.", "Choose another file.", place="file"
        )
    return table, made.header, made.warnings()


class _Lines:
    def __init__(self, cuts: tuple[Cut, ...], header_line: int | None) -> None:
        self.cuts, self.wanted = cuts, header_line
        self.header = header_line or 0
        self.slices = [slice(cut.first - 1, cut.last) for cut in cuts]
        self.beyond, self.short = [0, 0], [0, 0]  # lines, and the first of them

    def rows(self, blocks: Iterable[str]) -> Iterable[list[str]]:
        end, needed = self.cuts[-1].last, self.cuts[-1].first
        names = [cut.name.casefold() for cut in self.cuts]
        for number, line in enumerate(_lines(blocks), 1):
            if number <= self.header or not line.strip():
                continue
            if "\t" in line:
                raise Problem(
                    Said("Line {line} holds a tab.", line=number),
                    "How many characters it stands for cannot be known: cells would shift.",
                    "Replace tabs by blanks in the program that wrote the file, or choose a separator instead.",
                    place=f"line {number}",
                )
            cells = [line[cut].strip() for cut in self.slices]
            if self.wanted is None and not self.header and [cell.casefold() for cell in cells] == names:
                self.header = number
                continue
            if len(line) > end and line[end:].strip():
                self.beyond = [self.beyond[0] + 1, self.beyond[1] or number]
            if len(line) < needed:
                self.short = [self.short[0] + 1, self.short[1] or number]
            yield cells

    def warnings(self) -> tuple[Problem, ...]:
        told = []
        if self.beyond[0]:
            told.append(
                Problem(
                    Said(
                        "{n} {n|line goes|lines go} on behind the last column; the first is line {line}.",
                        n=self.beyond[0], line=self.beyond[1],
                    ),
                    "What stands there was left out.",
                    "Add it to the layout if it is needed.",
                    place="widths",
                )
            )  # fmt: skip
        if self.short[0]:
            told.append(
                Problem(
                    Said(
                        "{n} {n|line ends|lines end} before the last column; the first is line {line}.",
                        n=self.short[0], line=self.short[1],
                    ),
                    "The cells that are not there are missing.",
                    "Check the layout if this is not so in the file.",
                    place="widths",
                )
            )  # fmt: skip
        return tuple(told)


def _lines(blocks: Iterable[str]) -> Iterable[str]:
    """Whole lines; only line feed and carriage return end one, as in every program that writes such files."""
    kept = ""
    for block in blocks:
        text = kept + block
        if len(text) - len(block) > LONGEST_LINE:
            raise Problem(
                "A line is too long for a table of fixed widths.",
                do="Check that the file is text, or choose a separator instead.",
                place="file",
            )
        ended = text.endswith("\r")  # its line feed may come with the next block
        parts = re.split(r"\r\n|\n|\r", text[:-1] if ended else text)
        kept = parts.pop() + ("\r" if ended else "")
        yield from parts
    if kept:
        yield kept.rstrip("\r")


def _wrong(why: Said) -> Problem:
    return Problem(
        "The layout of the fixed widths cannot be used.",
        why,
        "Write a name and its characters for each column: id 1-6, last_name 7-26, born 27-34.",
        place="widths",
    )
