"""Refusals of files that are no text: each is said in one way, whatever kind of file it is."""

from __future__ import annotations

from pprl_desktop.problem import Problem
from pprl_desktop.said import Said


def too_many(name: str, found: int, most: int) -> Problem:
    return _too_large(
        name, Said("Rows, columns or cells: {found:count}; the most is {most:count}.", found=found, most=most)
    )


def too_many_bytes(name: str, found: int, most: int) -> Problem:
    return _too_large(
        name, Said("It has {found:count} MB; the most is {most:count}.", found=found >> 20, most=most >> 20)
    )


def bomb(name: str, unpacked: int, packed: int) -> Problem:
    """`unpacked`: bytes that it would become, as far as that was followed."""
    size, of = max(1, unpacked >> 20), max(1, packed >> 10)
    return _too_large(
        name, Said("Unpacked it would take {size:count} MB or more, out of {of:count} KB.", size=size, of=of)
    )


def _too_large(name: str, why: Said) -> Problem:
    return Problem(
        Said("'{name}' is too large to be read in this form.", name=name),
        why,
        "Look at it in the program that made it. If it holds a table of people, save that as CSV and choose the CSV.",
        place="file",
    )


def empty(name: str) -> Problem:
    return Problem(
        Said("The file '{name}' is empty.", name=name),
        "It holds no header and no records.",
        "Choose another file.",
        place="file",
    )


def locked(name: str) -> Problem:
    return Problem(
        Said("'{name}' is protected by a password.", name=name),
        "A protected workbook cannot be read here.",
        "Open it in the program that made it, take the password off, and save it again.",
        place="file",
    )


def strange_letters(name: str) -> Problem:
    return Problem(
        Said("The text in '{name}' is in an encoding that cannot be read here.", name=name),
        "Another one would give other letters.",
        "Save it in UTF-8 in the program that made it, or save it as CSV.",
        place="file",
    )


def other_version(name: str, ending: str) -> Problem:
    return Problem(
        Said("'{name}' is in a version of {ending} that cannot be read here.", name=name, ending=ending),
        "It is very old, or newer than this program.",
        "Open it in the program that made it, save it again in a usual version, or save it as CSV.",
        place="file",
    )


def unreadable(name: str, ending: str) -> Problem:
    return Problem(
        Said("'{name}' cannot be read as {ending}.", name=name, ending=ending),
        "It is damaged, cut short, protected by a password, or of another kind.",
        "Open it in the program that made it, save it again, or save it as CSV.",
        place="file",
    )
