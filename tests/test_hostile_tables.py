"""Tables of strangers: CSV files, MINDFIRL files, reference sets and files of other tools, changed in every way.

A table may hold anything, so most of them are read; what is read must be a table: as many cells in every column as
there are rows, all of them text, no name twice.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import warnings
import zipfile
from pathlib import Path

import pytest

from pprl_desktop.exchange import group_terms, strict
from pprl_desktop.interchange import clk_files, clk_schema, link_tokens
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.profile import profile
from pprl_desktop.records.reading import Reading, preview, read_table
from pprl_desktop.reference.load import from_file
from pprl_desktop.review import mindfirl
from pprl_desktop.review.plan import Review
from tests.hostility import Tally, mangled, memory_before, spoilt
from tests.interchange import clk_cases

QUICK, FULL = 60, 700
CELLS = (
    "", '"', '""', '"a""b"', "\0", "\r", "\n", ";", "\t", "9" * 5002, "-1", "1e999", "\ufeff", "\u202e", "\ud7ff",
    "=1+1", "31.02.2020", "0000-00-00", "NULL", "NaN", "Ａ", "a" * 70_000, "\x1b[2K", "é", "\u2028", ",", ",,,,", "'",
)  # fmt: skip
PEOPLE = "id,first_name,last_name,born,sex\n" + "".join(
    f'{i},{"ANNA BERTA CARLA DORA".split()[i % 4]},"MEYER{i}, J.",{1930 + i}-0{i % 9 + 1}-1{i % 9},F\n'
    for i in range(40)
)
PAIRS = "ID,voter_reg_num,first_name,last_name,dob,sex,race,cntfn,cntln\n" + "".join(
    f"{i},{i}{side},ADA,IVERS{'EO'[side]}N,08/0{i % 9 + 1}/1964,F,W,{i + 1},3\n" for i in range(12) for side in (0, 1)
)
NAMES = "first,last\n" + "".join(f"{'ABCDEFGHIJ'[i % 10]}NNA{i},MEYER{i}\n" for i in range(40))


def changed(draw: random.Random, text: str) -> bytes:
    """Cells, lines, separators and bytes that are not as they should be."""
    lines = text.split("\n")
    for _ in range(draw.choice((1, 1, 2, 8))):
        at = draw.randrange(len(lines))
        cells = lines[at].split(",")
        how, place = draw.randrange(6), draw.randrange(len(cells))
        if how == 0:
            cells[place] = draw.choice(CELLS)
        elif how == 1:
            cells.insert(place, draw.choice(CELLS))
        elif how == 2:
            del cells[place]
        elif how == 3:
            cells = cells * (draw.choice([2, 300]) if len(lines[at]) < 500 else 2)
        elif how == 4:
            cells = ["" for _ in cells]
        else:
            cells[place] = cells[place][::-1] + draw.choice(CELLS)
        lines[at] = draw.choice([",", ",", ",", ";", "\t", "|"]).join(cells)
    joined = draw.choice(["\n", "\n", "\r\n", "\r", "\n\n"]).join(lines)
    data = joined.encode(draw.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"]), "replace")
    if draw.random() < 0.3:
        data = mangled(draw, data)
    return gzip.compress(data, 1) if draw.random() < 0.03 else data


def table_is_wrong(found: Reading) -> str:
    table = found.table
    if len(set(table.names)) != len(table.names):
        return "a name twice"
    for column in table.columns:
        cells = column.cells()
        if len(cells) != table.rows or not all(isinstance(cell, str) for cell in cells):
            return "cells"
    return ""


def whole_way(path: Path) -> Reading:
    """Read, looked at, profiled and cleaned: all that a dropped file goes through before the steward decides."""
    preview(path)
    found = read_table(path)
    profile(found.table)
    if found.table.rows and found.table.columns:
        fields = [
            Field.of(column.name, kind) for column, kind in zip(found.table.columns, ("name", "date"), strict=False)
        ]
        clean(found.table, fields, {one.name: one.name for one in fields})
    return found


def review_is_wrong(found: Review) -> str:
    return "" if all(0 <= one < len(found.people) for pair in found.pairs for one in (pair.a, pair.b)) else "pairs"


CLKS = json.dumps({"clks": ["AAAAAAAAAAAAAAAAAAAAAA=="] * 20}).encode()
BLOCKS = json.dumps({"clknblocks": [["AAAAAAAAAAAAAAAAAAAAAA==", str(i), "é"] for i in range(20)]}).encode()
GROUP = {
    "format": "pprl-group", "version": 1, "name": "Three registries", "made": "2026-11-17T00:00:00Z",
    "computes": "11" * 32,
    "members": [{"name": f"Registry {i}", "sign": f"{i}{i}" * 32, "most": 1} for i in (1, 2, 3)],
}  # fmt: skip
GROUPED = json.dumps(GROUP, sort_keys=True, separators=(",", ":")).encode()


def clks_are_wrong(found: clk_files.Clks) -> str:
    part = found.smashed.part("record")
    if not found.smashed.rows or 8 * part.width != found.bits or (found.blocks and len(found.blocks) != len(part.rows)):
        return "shape"
    return "" if -1 <= part.rows.min() <= part.rows.max() < len(part.values) else "rows"


def changed_zip(draw: random.Random) -> bytes:
    """Names, sizes, ways of packing and content as nobody else writes them; then its bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", draw.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])) as made:
        for _ in range(draw.choice([1, 1, 2, 70])):
            name = draw.choice(["output/s.json", "output/s.json", "output/../s.json", "s.json", "output/\u202e.json"])
            content = draw.choice([CLKS, BLOCKS, mangled(draw, CLKS), bytes(3 << 20), b"[" * 99_999])
            with warnings.catch_warnings(action="ignore"):  # a name twice
                made.writestr(name, content)
    data = bytearray(out.getvalue())
    if draw.random() < 0.5:
        return mangled(draw, bytes(data))
    for _ in range(draw.choice([0, 1, 3])):  # in the list of files at its end: flags, ways, sizes, places
        at = draw.randrange(max(0, len(data) - 90), len(data) - 3)
        data[at : at + 4] = draw.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\1\0\0\0", draw.randbytes(4)])
    return bytes(data)


def whole_zip(path: Path) -> list[clk_files.Clks]:
    return [clk_files.read_zip(path, name) for name in clk_files.names_in_zip(path)]


def group_is_wrong(found: group_terms.Group) -> str:
    signs = [one.sign for one in found.members]
    if len(signs) < 3 or signs != sorted(set(signs)) or found.computes not in signs:
        return "members"
    return "" if all(map(strict.shows, (found.name, *found.names))) else "names"


def run(kind: str, folder: Path, count: int) -> None:
    draw, path = random.Random(f"{kind}{count}"), folder / "hostile.csv"
    path.write_text(PEOPLE)
    whole_way(path)  # the libraries are loaded
    tally = Tally(kind)
    schema = clk_cases.schema(random.Random(1))
    for _ in range(count):
        if kind == "table":
            path.write_bytes(changed(draw, PEOPLE))
            tally.case(lambda: whole_way(path), table_is_wrong)
        elif kind == "MINDFIRL pairs":
            path.write_bytes(changed(draw, PAIRS))
            tally.case(lambda: mindfirl.read_review(path), review_is_wrong)
        elif kind == "MINDFIRL frequencies":
            path.write_bytes(changed(draw, "".join(f"{'FL'[i % 2]},NAME{i},{i}\n" for i in range(30))))
            tally.case(lambda: mindfirl.read_frequencies(path))
        elif kind == "reference set":
            path.write_bytes(changed(draw, NAMES))
            tally.case(lambda: from_file(path), lambda found: "" if found.size >= 20 else "too few")
        elif kind == "schema of CLKs":
            path.write_bytes(json.dumps(spoilt(draw, schema)).encode() if draw.random() < 0.8 else b"[" * 99_999)
            tally.case(lambda: clk_schema.read(path))
        elif kind in ("CLKs", "CLKs with blocks"):
            good = CLKS if kind == "CLKs" else BLOCKS
            path.write_bytes(
                mangled(draw, good) if draw.random() < 0.5 else json.dumps(spoilt(draw, json.loads(good))).encode()
            )
            tally.case(lambda: clk_files.read(path), clks_are_wrong)
        elif kind == "zip of CLKs":
            path.write_bytes(changed_zip(draw))
            tally.case(lambda: whole_zip(path), lambda found: next(filter(None, map(clks_are_wrong, found)), ""))
        elif kind == "group file":
            path.write_bytes(
                json.dumps(spoilt(draw, GROUP)).encode() if draw.random() < 0.8 else mangled(draw, GROUPED)
            )
            tally.case(lambda: group_terms.read(path), group_is_wrong)
        else:
            good_lines = "RuleId,Token,RecordId\n" + f"T1,{'A' * 43}=,1\n" * 9
            path.write_bytes(changed(draw, good_lines))
            tally.case(lambda: link_tokens.read(path))
    path.unlink()
    tally.finish(len(list(folder.iterdir())))


KINDS = (
    "table", "MINDFIRL pairs", "MINDFIRL frequencies", "reference set", "schema of CLKs", "CLKs", "CLKs with blocks",
    "zip of CLKs", "link tokens", "group file",
)  # fmt: skip


@pytest.mark.parametrize("cell", ["9" * 5002, "²", "٣", "1e999", "-", "Ⅷ"])
def test_a_number_that_no_age_has_is_read_as_text(tmp_path: Path, cell: str) -> None:
    path = tmp_path / "people.csv"
    rows = [f"{i},ANNA{i},{1930 + i}-01-11,{cell if i % 3 else i}" for i in range(60)]
    path.write_text("\n".join(["id,name,born,age", *rows]), encoding="utf-8")
    assert table_is_wrong(whole_way(path)) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_tables_of_strangers_are_read_right_or_refused(tmp_path: Path, kind: str) -> None:
    run(kind, tmp_path, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_tables_of_strangers(tmp_path: Path, kind: str) -> None:
    run(kind, tmp_path, FULL)


def test_a_zip_of_a_few_bytes_that_unpacks_to_much_costs_little(tmp_path: Path) -> None:
    """Blanks, one endless row, millions of empty rows, and a list of tens of thousands of files."""
    path, tally = tmp_path / "bomb.zip", Tally("zip that unpacks to much")
    for content in (b" " * (40 << 20), b'{"clks": ["' + b"A" * (40 << 20), b'{"clks": [' + b"[]," * (14 << 20)):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            made.writestr("output/s.json", content)
        del content
        tally.base = memory_before()
        assert not tally.case(lambda: whole_zip(path))
    with zipfile.ZipFile(path, "w") as made:
        for number in range(66_000):
            made.writestr(f"output/{number}.json", b"")
    del made
    tally.base = memory_before()
    assert not tally.case(lambda: whole_zip(path))
    tally.finish()


@pytest.mark.parametrize("row", ["[]", "{}", "1", '""', '"AA"', '["AAAA", 1]', "[[[[[[]]]]]]"])
def test_a_file_of_rows_that_are_no_clk_is_refused_at_the_first(tmp_path: Path, row: str) -> None:
    path, tally = tmp_path / "clks.json", Tally("CLKs that are none")
    for name in ("clks", "clknblocks"):
        with path.open("w") as out:
            out.write(f'{{"{name}": [{row}')
            for _ in range(100):
                out.write(f",{row}" * 10_000)
            out.write("]}")
        tally.base = memory_before()
        assert not tally.case(lambda: clk_files.read(path))
    tally.finish()


def test_a_file_with_a_hole_in_place_of_its_content_costs_nothing(tmp_path: Path) -> None:
    """Three gigabytes of zeros that take no room on the disk."""
    path, tally = tmp_path / "zeros.csv", Tally("file of zeros")
    with path.open("wb") as out:
        out.truncate(3 << 30)
    for act in (lambda: preview(path), lambda: read_table(path)):
        assert not tally.case(act)
    tally.finish()


@pytest.mark.parametrize("unit", [b"\0", b"a,b\n", b"a", b'"', b"\n", b","])
def test_a_packed_table_of_a_few_bytes_that_unpacks_to_much_costs_little(tmp_path: Path, unit: bytes) -> None:
    path, tally = tmp_path / "people.csv.gz", Tally("packed table that unpacks to much")
    for size in (5 << 20, 40 << 20):  # the first is unpacked, the second is not
        path.write_bytes(gzip.compress(unit * (size // len(unit)), 9))
        for act in (preview, read_table):
            tally.base = memory_before()
            tally.case(lambda act=act: act(path))
    tally.finish()


def test_a_mindfirl_file_brings_no_sign_that_turns_a_cell_round_or_is_not_seen(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS.replace("ADA", "A\u202eD\u200bA\x1b").replace("IVERS", "\u2066IVERS"), encoding="utf-8")
    found = mindfirl.read_review(path)
    cells = [str(value) for column in found.people.columns for value in column.values]
    assert "ADA" in cells
    assert all(map(strict.shows, cells))
