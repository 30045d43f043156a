"""Dates as people write them, and the order of day and month made visible."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.records.cleaning import clean_values, date_report
from pprl_desktop.records.dates import parse, parse_many
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import Column


@pytest.mark.parametrize(
    ("written", "read", "form"),
    [
        ("1988-08-21", "19880821", "full"), ("19880821", "19880821", "full"), ("21.08.1988", "19880821", "full"),
        ("21.8.88", "19880821", "full"), ("8/21/1988", "19880821", "full"), ("21/8/1988", "19880821", "full"),
        ("1988/8/21", "19880821", "full"), ("1988.08.21", "19880821", "full"), ("21-AUG-88", "19880821", "full"),
        ("AUG 21, 1988", "19880821", "full"), ("21 AUGUST 1988", "19880821", "full"),
        ("3. MARZ 1988", "19880303", "full"),
        ("21ST OF AUGUST 1988", "19880821", "full"), ("DEZ 24 1988", "19881224", "full"),
        ("1988-08-21T00:00:00Z", "19880821", "full"), ("1988-08-21 12:30", "19880821", "full"),
        ("21.08.1988 00:00:00", "19880821", "full"), ("88/08/21", "19880821", "full"), ("21081988", "19880821", "full"),
        ("210888", "19880821", "full"), ("01.02.29", "20290201", "full"), ("01.02.30", "19300201", "full"),
        ("31.02.1990", "19900231", "full"),
        ("1988", "1988", "partial"), ("1988.0", "1988", "partial"), ("1988-08", "198808", "partial"),
        ("08/1988", "198808", "partial"), ("AUGUST 1988", "198808", "partial"), ("198808", "198808", "partial"),
        ("00.00.1988", "1988", "partial"), ("19880000", "1988", "partial"), ("1988-08-00", "198808", "partial"),
        ("44197", "20210101", "serial"), ("44197.0", "20210101", "serial"),
        ("13/14/1990", "13/14/1990", "text"), ("UNKNOWN", "UNKNOWN", "text"), ("00123", "00123", "text"),
        ("0001-01-01", "0001-01-01", "text"), ("1.2.1210", "1.2.1210", "text"), ("99999", "99999", "text"),
    ],
)  # fmt: skip
def test_forms(written: str, read: str, form: str) -> None:
    date = parse(written)
    assert (date.text, date.form) == (read, form)
    assert parse_many([written]) == [date]


def test_ambiguity_is_counted_and_the_column_proves_the_order() -> None:
    column = Column.of("d", ["02/03/1990", "04/25/1990", "12/31/1990", "05/05/1990", "30/01/1990"])
    report = date_report(column)
    assert (report.order, report.proven, report.ambiguous) == ("month-first", True, 1)
    assert (report.only_month_first, report.only_day_first) == (2, 1)
    read = clean_values(column.values, Field.of("d", "date"), column=column)
    assert read == ["19900203", "19900425", "19901231", "19900505", "19900130"]


def test_rows_decide_not_distinct_values() -> None:
    column = Column.of("d", ["04/25/1990"] * 5 + ["25/04/1990", "26/04/1990", "02/03/1990"])
    assert clean_values(column.values, Field.of("d", "date"), column=column)[-1] == "19900203"


def test_without_proof_the_order_is_assumed_and_said() -> None:
    report = date_report(Column.of("d", ["02/03/1990", "04/05/1990"]))
    assert (report.order, report.proven, report.ambiguous) == ("day-first", False, 2)
    assert "check" in str(report.sentence())


def test_the_steward_can_settle_the_order() -> None:
    field = Field.of("d", "date").with_cleaning(day_order="month-first")
    assert clean_values(np.array(["02/03/1990", "02.03.1990"], dtype=object), field) == ["19900203", "19900203"]
    assert clean_values(np.array(["02/03/1990", "02.03.1990"], dtype=object), Field.of("d", "date")) == ["19900302"] * 2


@settings(max_examples=200, deadline=None)
@given(st.dates(min_value=datetime.date(1931, 1, 1), max_value=datetime.date(2029, 12, 31)))
def test_every_real_date_survives_every_form(day: datetime.date) -> None:
    right = f"{day:%Y%m%d}"
    for form in ("%Y-%m-%d", "%d.%m.%Y", "%d.%m.%y", "%Y%m%d", "%d %B %Y", "%b %d, %Y", "%Y/%m/%d"):
        assert parse(f"{day:{form}}".upper()).text == right
    assert parse(f"{day:%m/%d/%Y}", "month-first").text == right
    assert parse(f"{day:%d/%m/%Y}", "day-first").text == right
