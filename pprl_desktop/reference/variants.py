"""Other forms of given names: Bill is William, Gosia is Malgorzata, Sasha may be Aleksandr or Aleksandra.

The table is the project's own (resources/names/given_variants.txt). Two names are forms of one if they share a group;
lines of one language that begin alike are one group, the lines "from language to language" are groups of their own.
"""

from __future__ import annotations

from functools import cache

from pprl_desktop import resources
from pprl_desktop.records.fields import Cleaning
from pprl_desktop.records.normalise import one

VERSION = 1  # of the table; tokens of different versions never meet
MOST = 3  # groups a name is looked up in: more than 96 of 100 names of the table have fewer
AS_WRITTEN = Cleaning()  # how the table is written: capitals without accents
ABROAD = "# The same name from language to language"


def groups_of(value: str) -> tuple[str, ...]:
    """The groups of a given name, or of the first of several; none where the table does not know it."""
    known = _table()
    if value in known:
        return known[value]
    name = one(value, AS_WRITTEN)  # whatever cleaning was agreed
    return known.get(name) or known.get(name.split(" ")[0], ())


@cache
def _table() -> dict[str, tuple[str, ...]]:
    text = resources.find("names", "given_variants.txt").read_text(encoding="utf-8")
    here, abroad = text.split(ABROAD)
    found: dict[str, dict[str, None]] = {}  # name -> its groups, in order
    for prefix, lines in (("", here), ("~", abroad)):
        for line in lines.splitlines():
            if not line or line.startswith("#"):
                continue
            names = line.split(" ")
            for name in names:
                found.setdefault(name, {})[prefix + names[0]] = None
    return {name: tuple(groups)[:MOST] for name, groups in found.items()}
