"""What is known beforehand to work badly is said beforehand."""

from __future__ import annotations

import pytest

from pprl_desktop.blind import meter
from pprl_desktop.records.fields import Field

NAMES = (Field.of("last_name"), Field.of("first_name"))


@pytest.mark.parametrize("kind", ["number", "category"])
def test_a_year_of_birth_alone_is_warned_of_in_large_tables(kind: str) -> None:
    fields = (*NAMES, Field.of("year", kind))
    assert len(meter.warnings(fields, meter.MANY_FOR_YEARS + 1)) == 1
    assert meter.warnings(fields, meter.MANY_FOR_YEARS) == ()


@pytest.mark.parametrize("kind", ["date", "id", "text"])
def test_a_date_a_number_or_a_place_is_enough(kind: str) -> None:
    assert meter.warnings((*NAMES, Field.of("more", kind)), 10 * meter.MANY_FOR_YEARS) == ()
