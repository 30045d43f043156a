"""What the gate gives out: cells, previews, the state of the meter. None of it holds a character that is not open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from pprl_desktop.problem import Problem
from pprl_desktop.review.marks import CellType, Drawing, Level, MaskKind
from pprl_desktop.said import Said


@dataclass(frozen=True)
class Cell:
    """Both rows of one field of one pair, as far as they are open."""

    pair: str
    field: str
    type: CellType
    kind: MaskKind
    level: Level
    drawing: Drawing
    frequency: tuple[str, str]  # unique, rare, common, very common; empty where not shown
    next: Level | None  # what the next click opens
    closed: Said  # why there is no next click
    spoken: Said


@dataclass(frozen=True)
class Preview:
    """What the next click on a cell would be charged, to the last digit, and whether the gate would allow it."""

    field: str
    level: Level
    cost: Fraction
    k: tuple[int, int]  # records each row could still be, at least: the least crowd of its class
    characters: tuple[int, int]  # differing ones it would show in each row; 0 where the picture does not count them
    shows: Said  # what it would open, in words that tell no more than the picture does
    refusal: Problem | None


@dataclass(frozen=True)
class Meter:
    """The state of the privacy meter."""

    risk: Fraction  # KAPR of what is open
    charged: Fraction  # the same with the least crowd of each class, as previews told it: what the limit is for
    limit: Fraction
    characters: Fraction  # share of all characters under review that is open
    pair_risk: Fraction  # of the pair on its own scale
    smallest_k: int  # over the two rows of the pair
    together_k: int  # the same, over everything shown of the two records in all their pairs
    opened: int  # cells above masked, in all pairs


@dataclass(frozen=True)
class Disclosure:
    """What a reveal changed."""

    cell: Cell
    cost: Fraction
    meter: Meter


@dataclass(frozen=True)
class RecordTrace:
    """What has been shown of one record in all its pairs together. No value, no row number."""

    pairs: int
    cells: int
    k: int
