"""How often a person may occur on each side: one-to-one, one-to-many, many-to-one, many-to-many.

Said from the first file to the second, in an agreement from the proposer's to the accepter's: "one-to-many" lets a
record of the first file have several counterparts, and a record of the second file only one.
"""

from __future__ import annotations

from typing import Literal, get_args

from pprl_desktop.said import Said

Direction = Literal["one-to-one", "one-to-many", "many-to-one", "many-to-many"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
SELDOM = 0.01  # share of records that repeat a person up to which a file is taken to hold everyone once


def turned(direction: Direction) -> Direction:
    """The same, seen from the other file."""
    other: dict[Direction, Direction] = {"one-to-many": "many-to-one", "many-to-one": "one-to-many"}
    return other.get(direction, direction)


def once(direction: Direction) -> tuple[bool, bool]:
    """Whether a record of the first file, and of the second, may have one counterpart only."""
    return direction.endswith("one"), direction.startswith("one")


def suggested(repeats: float | None, theirs: float | None) -> Direction:
    """From the shares of records that repeat a person in the first file and in the second; None: nobody looked."""
    first, second = ("many" if share is not None and share > SELDOM else "one" for share in (repeats, theirs))
    made: Direction = f"{first}-to-{second}"  # type: ignore[assignment]
    return made


def words(direction: Direction) -> Said:
    said: dict[Direction, Said] = {
        "one-to-one": Said("one-to-one"),
        "one-to-many": Said("one-to-many"),
        "many-to-one": Said("many-to-one"),
        "many-to-many": Said("many-to-many"),
    }
    return said[direction]


def of_flag(one_to_one: bool) -> Direction:
    """As earlier versions wrote it down: what was not one-to-one was free on both sides."""
    return "one-to-one" if one_to_one else "many-to-many"
