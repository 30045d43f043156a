"""Records that are wider or narrower than the header: counted, named by line, and never shifted."""

from __future__ import annotations

from typing import Literal

from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

Ragged = Literal["refuse", "pad", "leave out"]
NAMED_LINES = 5  # of many such lines, so many are named


class RaggedRows:
    """Decides about each record of another width, and remembers the lines for one message at the end."""

    def __init__(self, width: int, policy: Ragged) -> None:
        self._width = width
        self._policy = policy
        self.refused: list[tuple[int, int]] = []  # (line, cells), the first few
        self.refused_count = 0
        self.trimmed_line, self.trimmed = 0, 0
        self.padded_line, self.padded = 0, 0

    def settle(self, cells: list[str], line: int) -> list[str] | None:
        """The record in the right width, or None if it does not enter the table."""
        width = self._width
        if len(cells) > width and not any(cell.strip() for cell in cells[width:]):
            self.trimmed_line = self.trimmed_line or line
            self.trimmed += 1
            return cells[:width]
        if len(cells) < width and self._policy == "pad":
            self.padded_line = self.padded_line or line
            self.padded += 1
            return cells + [""] * (width - len(cells))
        self.refused_count += 1
        if len(self.refused) < NAMED_LINES:
            self.refused.append((line, len(cells)))
        return None

    def conclude(self) -> tuple[Problem, ...]:
        """Raises if records had to be refused; otherwise what the steward should know."""
        told = []
        if self.refused:
            problem = self._refusal()
            if self._policy != "leave out":
                raise problem
            told.append(problem)
        if self.trimmed:
            told.append(
                Problem(
                    Said(
                        "{n} {n|line has|lines have} empty cells after the last column, first line {line}.",
                        n=self.trimmed,
                        line=self.trimmed_line,
                    ),
                    "The empty cells were left out.",
                    "Nothing to do if the columns look right.",
                    place=f"line {self.trimmed_line}",
                )
            )
        if self.padded:
            told.append(
                Problem(
                    Said(
                        "{n} {n|line is|lines are} too short, the first is line {line}.",
                        n=self.padded,
                        line=self.padded_line,
                    ),
                    "Their last cells were taken as empty, as you chose.",
                    "Check that line.",
                    place=f"line {self.padded_line}",
                )
            )
        return tuple(told)

    def _refusal(self) -> Problem:
        line, cells = self.refused[0]
        more = ["…"] if self.refused_count > len(self.refused) else []
        which = [*(line for line, _ in self.refused), *more]
        counts = Said(
            "line {line} has {cells|one cell|{cells} cells}, the header has {width}",
            line=line,
            cells=cells,
            width=self._width,
        )
        if self._policy == "leave out":
            return Problem(
                Said(
                    "{n|Line {which} has|{n} lines ({which}) have} another number of cells than the header "
                    "and {n|was|were} left out.",
                    n=self.refused_count, which=which,
                ),
                Said("For example, {counts}.", counts=counts),
                "Check them: separators inside cells need quotes around the cell.",
                place=f"line {line}",
            )  # fmt: skip
        return Problem(
            Said(
                "{n|Line {which} has|{n} lines ({which}) have} another number of cells than the header.",
                n=self.refused_count,
                which=which,
            ),
            Said("For example, {counts}; guessing would put values into the wrong columns.", counts=counts),
            "Correct the file (a separator inside a cell needs quotes), choose another separator or leave them out.",
            place=f"line {line}",
        )
