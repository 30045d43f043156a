"""Which fields are evidence."""

from __future__ import annotations

from dataclasses import replace

from pprl_desktop.decisions.rules import counted
from pprl_desktop.records.fields import Field

FIRST, LAST, FULL = (Field.of(name) for name in ("first", "last", "full"))


def test_what_is_derived_from_fields_that_stay_counts_once() -> None:
    full = replace(FULL, derived=("first", "last"))
    assert counted((full, FIRST, LAST)) == (FIRST, LAST)
    assert counted((full, FIRST)) == (full, FIRST)


def test_fields_that_call_each_other_derived_do_not_all_vanish() -> None:
    first, last = replace(FIRST, derived=("last",)), replace(LAST, derived=("first",))
    assert counted((first, last)) == (last,)
