"""Bloom filters: the same on both sides, alike for like values, comparable across fields, hardened on request."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pprl_desktop.codes import bloom, qgrams
from pprl_desktop.codes.base import Part, Recipe, Settings, Smashed, method
from pprl_desktop.codes.bloom import METHOD, Filler, hashes_per_piece
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.rules import AdaptiveRule, BitsRule
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import MISSING, CleanTable, Column


def people(*rows: tuple[str, ...], kinds: tuple[str, ...] = ("name", "name", "date")) -> CleanTable:
    names = ("last", "first", "born")[: len(kinds)]
    columns = []
    for name, cells in zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True):
        column = Column.of(name, cells)
        codes = np.where(np.array([column.cell(i) == "" for i in range(len(column))], bool), MISSING, column.codes)
        columns.append(Column(name, column.values, codes.astype(np.int32)))
    return CleanTable(tuple(Field.of(n, k) for n, k in zip(names, kinds, strict=True)), tuple(columns))


def recipe(table: CleanTable, **settings: object) -> Recipe:
    return Recipe("bloom", table.fields, replace(Settings(), **settings), secret=b"s" * 32)


def smash(table: CleanTable, **settings: object) -> Smashed:
    return METHOD.smash(table, recipe(table, **settings), NO_PROGRESS)


def bits(part: Part, row: int) -> np.ndarray:
    return np.unpackbits(part.values[part.rows[row]])


def dice(a: np.ndarray, b: np.ndarray) -> float:
    return 2 * float((a & b).sum()) / float(a.sum() + b.sum())


PEOPLE = people(("SMITH", "JOHN", "19760312"), ("SMYTH", "SMITH", "19760321"), ("KOWALSKI", "", "20010101"))


def test_it_is_the_registered_method() -> None:
    assert method("bloom").made is METHOD


def test_the_same_table_gives_the_same_bits() -> None:
    one, two = smash(PEOPLE), smash(PEOPLE)
    assert one.parts
    assert all(
        (a.values == b.values).all() and (a.rows == b.rows).all() for a, b in zip(one.parts, two.parts, strict=True)
    )


def test_like_names_share_bits_and_strangers_few() -> None:
    part = smash(PEOPLE).part("last.bits")
    assert dice(bits(part, 0), bits(part, 1)) > dice(bits(part, 0), bits(part, 2)) + 0.2


def test_fields_of_one_kind_share_one_encoding() -> None:
    smashed = smash(PEOPLE)
    assert (bits(smashed.part("last.bits"), 0) == bits(smashed.part("first.bits"), 1)).all()


def test_a_missing_value_has_no_filter_and_an_empty_record_none_at_all() -> None:
    assert smash(PEOPLE).part("first.bits").rows[2] == -1
    nobody = people(("", "", ""), ("SMITH", "", ""))
    assert smash(nobody, layout="record", decision="threshold").part("record").rows.tolist() == [-1, 1]


def test_about_the_intended_share_of_bits_is_set() -> None:
    share = bits(smash(PEOPLE).part("last.bits"), 0).mean()
    assert 0.2 < share < 0.6
    assert hashes_per_piece(8, 1024) > hashes_per_piece(16, 1024)


def test_the_record_layout_has_one_filter_per_record() -> None:
    made = smash(PEOPLE, layout="record", decision="threshold")
    assert [part.name for part in made.parts] == ["record"]
    assert made.parts[0].values.shape == (3, 128)


def test_positions_repeat_the_slow_definition() -> None:
    """The twin: first + i * second + (i^3 - i) / 6 modulo the bits, from one keyed digest."""
    import hashlib
    import hmac

    digest = hmac.digest(b"key", b"AB", hashlib.sha256)
    first, second = int.from_bytes(digest[:4], "little"), int.from_bytes(digest[8:12], "little") | 1
    slow = [(first + i * second + (i**3 - i) // 6) % 512 for i in range(30)]
    assert Filler(b"key", 30, 512).places("AB").tolist() == slow


def test_balanced_filters_have_as_many_ones_as_zeros() -> None:
    part = smash(PEOPLE, balanced=True).part("last.bits")
    assert part.values.shape[1] == 256
    assert {int(bits(part, row).sum()) for row in range(3)} == {1024}


def test_folding_halves_the_filter() -> None:
    assert smash(PEOPLE, fold=1).part("last.bits").values.shape[1] == 64


def test_records_of_different_salt_cannot_be_compared() -> None:
    same = people(("SMITH", "JOHN", "19760312"), ("SMITH", "JOHN", "19770312"))
    part = smash(same, salt_field="born").part("last.bits")
    assert dice(bits(part, 0), bits(part, 1)) < 0.7
    assert (bits(smash(same).part("last.bits"), 0) == bits(smash(same).part("last.bits"), 1)).all()


@pytest.mark.parametrize(
    ("settings", "place"),
    [({"bits": 12}, "bits"), ({"bits": 1000, "fold": 3}, "bits"), ({"salt_field": "zip"}, "salt_field"),
     ({"layout": "record"}, "decision")],
)  # fmt: skip
def test_wrong_settings_are_named_before_any_work(settings: dict[str, object], place: str) -> None:
    assert [problem.place for problem in METHOD.problems(recipe(PEOPLE, **settings))] == [place]


def test_the_layout_decides_the_rule() -> None:
    field = learn(PEOPLE, smash(PEOPLE), recipe(PEOPLE), 0, NO_PROGRESS)
    assert isinstance(field, AdaptiveRule)
    assert [comparison.field for comparison in field.comparisons] == ["last", "first", "born"]
    record = {"layout": "record", "decision": "threshold"}
    rule = learn(PEOPLE, smash(PEOPLE, **record), recipe(PEOPLE, **record), 0, NO_PROGRESS)
    assert isinstance(rule, BitsRule)


@pytest.mark.parametrize("layout", ["field", "record"])
def test_no_rows_and_one_row_are_fine(layout: str) -> None:
    decision = "adaptive" if layout == "field" else "threshold"
    for table in (people(), people(("SMITH", "JOHN", "19760312"))):
        made = smash(table, layout=layout, decision=decision)
        assert made.rows == table.rows
        learn(table, made, recipe(table, layout=layout, decision=decision), 0, NO_PROGRESS)


def test_near_numbers_and_dates_share_pieces() -> None:
    def share(a: str, b: str, kind: str) -> float:
        left, right = set(qgrams.pieces(a, kind)), set(qgrams.pieces(b, kind))  # type: ignore[arg-type]
        return 2 * len(left & right) / (len(left) + len(right))

    assert share("1949", "1950", "number") > share("1949", "1960", "number")
    assert share("19760312", "19760313", "date") > 0.6 > share("19760312", "19851129", "date")
    assert share("27932", "27923", "id") > 0.4
    assert qgrams.pieces("x.5", "number"), "what is no number is text"


def record_filters_one_by_one(table: CleanTable, made: Recipe) -> list[list[int]]:
    """The slow twin: every record's pieces hashed anew, bit by bit."""
    salts = bloom.salts_of(table, made) or [""] * table.rows
    filters = []
    for row in range(table.rows):
        bits = [0] * made.settings.bits
        for column, one in zip(table.columns, table.fields, strict=True):
            filler = bloom.record_filler(made, table.fields, one.name, salts[row])
            for piece in qgrams.pieces(column.cell(row), one.kind) if column.cell(row) else ():
                for at in filler.places(piece):
                    bits[at] = 1
        filters.append(bits)
    return filters


@pytest.mark.parametrize("changes", [{}, {"salt_field": "born"}, {"fold": 1}, {"balanced": True}, {"bits": 1000}])
def test_record_filters_are_those_of_the_slow_twin(changes: dict[str, object]) -> None:
    table = people(
        ("MEYER", "ADA", "19500102"), ("", "", ""), ("MEYER", "", "19500103"), ("OZ", "IVY", ""),
        ("MEYER", "ADA", "19500102"),
    )  # fmt: skip
    made = recipe(table, layout="record", **changes)
    (part,) = METHOD.smash(table, made, NO_PROGRESS).parts
    expected = bloom.hardened(np.array(record_filters_one_by_one(table, made), dtype=np.bool_), made)
    assert part.rows.tolist() == [0, -1, 2, 3, 4]
    assert (part.values[[0, 2, 3, 4]] == expected[[0, 2, 3, 4]]).all()
