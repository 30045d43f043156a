"""A document for people who sign or judge: facts, figures, what protects and what stays open. Plain values, no layout.

Proposal, agreement, export check and report are of this one shape; the window draws it for the screen and for paper.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pprl_desktop.said import Said

Words = Said | str  # a str is somebody's own words or a name, and is shown as it is
Tint = Literal["", "accent", "warm", "danger"]


@dataclass(frozen=True)
class Fact:
    name: Said
    what: Words
    strong: bool = False
    brief: bool = False  # also told where there is room for a few facts only


@dataclass(frozen=True)
class Figure:
    """A large number with a small bar. `share` is None where there is nothing to draw."""

    value: Words
    unit: Words
    what: Said
    note: Words
    share: float | None = None
    tint: Tint = "accent"


@dataclass(frozen=True)
class Cell:
    """Of a table: words, a tag, or a bar with words behind it."""

    words: Words
    right: bool = False
    tag: Tint | Literal["neutral"] = ""
    share: float | None = None


@dataclass(frozen=True)
class Listed:
    """A table with its heading and a line below it."""

    title: Said
    header: tuple[Said, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: Words = ""


@dataclass(frozen=True)
class Part:
    """A heading with facts, sentences or a table, for the pages behind the first."""

    title: Said
    facts: tuple[Fact, ...] = ()
    sentences: tuple[Words, ...] = ()
    listed: Listed | None = None


@dataclass(frozen=True)
class Document:
    kicker: Said
    title: Words
    note: Words
    facts: tuple[Fact, ...] = ()
    facts_title: Said | None = None
    lead: Figure | None = None  # the one number of the page
    figures: tuple[Figure, ...] = ()
    listed: Listed | None = None
    protects: tuple[Words, ...] = ()
    stays_open: tuple[Words, ...] = ()
    signatures: tuple[Fact, ...] = ()
    foot: Words = ""
    aside: tuple[Words, ...] = ()  # at the right of the title
    parts: tuple[Part, ...] = field(default_factory=tuple)  # from the second page on
