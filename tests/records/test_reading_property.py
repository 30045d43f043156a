"""Random tables in random dialects come back cell by cell; Python's csv module is the slow, obvious twin."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pprl_desktop.problem import Problem
from pprl_desktop.records.cutting import cut
from pprl_desktop.records.dialect import Dialect
from pprl_desktop.records.parsing import parse
from pprl_desktop.records.reading import ReadOptions, read_table
from pprl_desktop.records.table import Table

TEXT = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=12)
NASTY = st.text(st.sampled_from(list("ab1 \t\"',;|\n\réßŁ漢\u2028\x85\x0b")), max_size=8)
CELL = st.one_of(TEXT, NASTY, st.sampled_from(["", "Null", "0123", "1,5", '"', "a\r\nb"]))
SEPARATORS = st.sampled_from([",", ";", "\t", "|", "¦"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 5))
    return draw(st.lists(st.lists(CELL, min_size=width, max_size=width), min_size=1, max_size=12))


def rows_of(table: Table) -> list[list[str]]:
    return [list(row) for row in zip(*(column.cells() for column in table.columns), strict=True)]


def written(rows: list[list[str]], separator: str, end: str, quoting: int) -> str:
    """Python's writer leaves a lone line break of the other kind unquoted; such a file could not be read by anyone."""
    if any("\n" in cell or "\r" in cell for row in rows for cell in row):
        quoting = csv.QUOTE_ALL
    stream = io.StringIO(newline="")
    header = [f"column {index}" for index in range(len(rows[0]))]
    writer = csv.writer(stream, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerow(header)
    writer.writerows(rows)
    return stream.getvalue()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=tables(),
    separator=SEPARATORS,
    end=ENDS,
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    size=st.integers(1, 60),
)
def test_a_written_table_comes_back_whatever_the_blocks(
    rows: list[list[str]], separator: str, end: str, quoting: int, size: int
) -> None:
    text = written(rows, separator, end, quoting)
    blocks = [text[start : start + size] for start in range(0, len(text), size)]
    table, _ = parse(blocks, Dialect(separator, '"', header_line=1, width=len(rows[0])))
    assert rows_of(table) == rows
    for column in table.columns:
        assert len(set(column.values)) == len(column.values)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    rows=tables(),
    separator=SEPARATORS,
    end=ENDS,
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"]),
)
def test_a_written_file_comes_back_in_any_unicode_encoding(
    rows: list[list[str]], separator: str, end: str, encoding: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(written(rows, separator, end, csv.QUOTE_MINIMAL).encode(encoding))
        options = ReadOptions(encoding=encoding, separator=separator, quote='"', header_line=1)
        assert rows_of(read_table(path, options).table) == rows


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.sampled_from(list('ab,"\n\r ')), max_size=40), width=st.integers(1, 4))
def test_the_quick_way_agrees_with_the_csv_module_on_anything_it_takes(text: str, width: int) -> None:
    block = cut(text, Dialect(width=width), width)
    if block is None:
        return
    twin = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    columns = [
        [cell.replace(2 * block.doubled, '"') if block.doubled else cell for cell in cells.texts()]
        for cells in block.columns
    ]
    assert [list(row) for row in zip(*columns, strict=True)] == twin


@settings(max_examples=300, deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=200), st.text(st.sampled_from(list('ab,;\t"\n\r\0é')), max_size=80).map(str.encode)
    )
)
def test_any_bytes_give_a_table_or_a_problem(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(data)
        try:
            table = read_table(path).table
        except Problem:
            return
        assert len({len(column) for column in table.columns}) == 1


@pytest.mark.parametrize("separator", ["||", "::", "~|~"])
def test_long_separators_inside_quotes_are_text(separator: str) -> None:
    text = f'a{separator}b\n1{separator}"x{separator}y"\n2{separator}z\n'
    table, _ = parse([text], Dialect(separator, '"', header_line=1, width=2))
    assert rows_of(table) == [["1", f"x{separator}y"], ["2", "z"]]
