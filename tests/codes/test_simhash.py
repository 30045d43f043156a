"""SimHash signatures: the same on both sides, kind to slips, silent about missing fields."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.codes import idf, simhash
from pprl_desktop.codes.base import Recipe, Settings, Smashed
from pprl_desktop.decisions.learn import learn
from pprl_desktop.decisions.rules import AdaptiveRule, BitsRule
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress
from pprl_desktop.records.fields import KINDS, Field
from pprl_desktop.records.table import MISSING, CleanTable, Column

SECRET = b"a shared secret of both parties!"
RECORD = Settings(decision="threshold", layout="record")
FIELD = Settings(decision="adaptive", layout="field")


def table(columns: dict[str, list[str]], kinds: dict[str, str] | None = None) -> CleanTable:
    fields = tuple(Field.of(name, (kinds or {}).get(name, "name")) for name in columns)
    made = []
    for name, cells in columns.items():
        column = Column.of(name, [cell for cell in cells if cell])
        codes = np.full(len(cells), MISSING, np.int32)
        codes[[bool(cell) for cell in cells]] = column.codes
        made.append(Column(name, column.values, codes))
    return CleanTable(fields, tuple(made))


def smash(clean: CleanTable, settings: Settings = RECORD, secret: bytes = SECRET) -> Smashed:
    return simhash.METHOD.smash(clean, Recipe("simhash", clean.fields, settings, secret=secret), NO_PROGRESS)


def bits(smashed: Smashed, part: str = "record") -> np.ndarray:
    found = smashed.part(part)
    return np.unpackbits(found.values[found.rows], axis=1)


def equal_share(smashed: Smashed, one: int, other: int) -> float:
    rows = bits(smashed)
    return float((rows[one] == rows[other]).mean())


PEOPLE = table({"last": ["MEIER", "MEYER", "SCHMIDT", "O'NEILL", "李"], "first": ["ANNA", "ANNA", "KARL", "", "小龍"]})


def test_the_signature_is_the_sign_of_the_weighted_sum_of_keyed_rows() -> None:
    """The slow twin: plain Python integers, piece by piece."""
    import hashlib
    import hmac
    import math

    from pprl_desktop.codes.base import derive
    from pprl_desktop.codes.qgrams import pieces

    fast = bits(smash(PEOPLE))
    key = derive(SECRET, "simhash/record/name")
    for row in range(PEOPLE.rows):
        sums = [0] * 1024
        for column in PEOPLE.columns:
            shown = pieces(column.cell(row), "name") if column.codes[row] >= 0 else []
            heavy = [idf.weight(piece, "name") for piece in shown]
            norm = math.isqrt(sum(w * w for w in heavy) << 20)
            for piece, weight in zip(shown, heavy, strict=True):
                stream = hashlib.shake_256(hmac.digest(key, piece.encode(), hashlib.sha256)).digest(128)
                whole = max(1, (weight * simhash.SCALE * 4 << 10) // norm)
                for bit in range(1024):
                    sums[bit] += whole if stream[bit // 8] >> (7 - bit % 8) & 1 else -whole
        assert fast[row].tolist() == [int(value > 0) for value in sums]


def test_signatures_are_the_same_everywhere_and_for_ever() -> None:
    """Two parties on different machines and versions must agree to the bit: a change of this hash breaks agreements."""
    import hashlib

    clean = table(
        {"n": ["MEIER"], "t": ["HAUPTSTR 5"], "d": ["1970-02-28"], "i": ["12345"], "z": ["42"], "c": ["F"]},
        dict(zip("ntdizc", KINDS, strict=True)),
    )
    assert hashlib.sha256(smash(clean).part("record").values.tobytes()).hexdigest()[:16] == "ec62310e93361210"


def test_a_slip_costs_little_and_a_stranger_is_at_a_distance() -> None:
    made = smash(PEOPLE)
    assert equal_share(made, 0, 1) > 0.8
    assert equal_share(made, 0, 2) < 0.7


def test_first_and_last_name_exchanged_cost_nothing() -> None:
    made = smash(table({"last": ["MEIER", "ANNA"], "first": ["ANNA", "MEIER"]}))
    assert equal_share(made, 0, 1) == 1.0


def test_another_secret_gives_unrelated_signatures() -> None:
    one, other = bits(smash(PEOPLE)), bits(smash(PEOPLE, secret=b"x" * 32))
    assert abs((one == other).mean() - 0.5) < 0.03


def test_a_missing_field_adds_nothing_and_a_record_without_fields_is_never_linked() -> None:
    made = smash(table({"last": ["MEIER", "MEIER", ""], "first": ["ANNA", "", ""]}))
    alone = smash(table({"last": ["MEIER"], "first": [""]}))
    assert made.part("record").rows[2] == -1
    assert (bits(made)[1] == bits(alone)[0]).all()


def test_equal_records_share_one_signature_and_unused_values_are_not_smashed() -> None:
    clean = table({"last": ["MEIER", "MEIER", "WEBER"]})
    assert len(smash(clean).part("record").values) == 2
    assert len(smash(clean.take(np.array([0, 1]))).part("record").values) == 1
    assert len(smash(clean.take(np.array([0, 1])), FIELD).part("last.bits").values) == 1


@given(st.lists(st.lists(st.sampled_from([-1, 0, 1, 7, 2**31 - 1]), min_size=4, max_size=4), max_size=30))
def test_equal_rows_are_found_as_by_sorting_whole_rows(rows: list[list[int]]) -> None:
    codes = np.array(rows, np.int32).reshape(-1, 4)
    distinct, which = np.unique(codes, axis=0, return_inverse=True)
    first, mine = simhash._alike(codes)
    assert np.array_equal(codes[first], distinct)
    assert np.array_equal(mine, which.reshape(-1))


def test_the_field_layout_has_bits_per_field_and_tokens_only_without_noise() -> None:
    made = smash(PEOPLE, FIELD)
    assert {part.name for part in made.parts if part.kind == "bits"} == {"last.bits", "first.bits"}
    assert any(part.kind == "token" for part in made.parts)
    assert all(part.kind == "bits" for part in smash(PEOPLE, replace(FIELD, epsilon=2.0)).parts)


def test_fields_of_one_kind_share_one_encoding() -> None:
    made = smash(table({"last": ["ANNA"], "first": ["ANNA"]}), FIELD)
    assert (made.part("last.bits").values == made.part("first.bits").values).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("settings", [RECORD, FIELD])
def test_every_kind_of_field_and_any_value_can_be_smashed(kind: str, settings: Settings) -> None:
    cells = ["1970-02-28", "42", "-3.5", "", "ŁÓDŹ", "x" * 500, "𝔘", "0"]
    made = smash(table({"f": cells}, {"f": kind}), settings)
    assert made.rows == len(cells)
    part = made.parts[0]
    assert part.rows[3] == -1
    assert part.values.shape == (7, 128)


@pytest.mark.parametrize("settings", [RECORD, FIELD])
def test_empty_tables_and_one_row(settings: Settings) -> None:
    for cells in ([], ["MEIER"]):
        clean = table({"last": cells})
        made = smash(clean, settings)
        assert made.rows == len(cells)
        rule = learn(clean, made, Recipe("simhash", clean.fields, settings), 0, NO_PROGRESS)
        assert isinstance(rule, BitsRule | AdaptiveRule)


def test_the_weights_come_from_the_public_list_and_are_capped() -> None:
    assert idf.weight("\x02Q", "name") > idf.weight("AN", "name") > 0
    assert idf.weight("QX", "name") == idf.weight("ŁÓ", "name") == idf.CAP


def test_what_is_wrong_with_a_recipe_is_said_before_the_work() -> None:
    fields = PEOPLE.fields
    assert simhash.METHOD.problems(Recipe("simhash", fields, simhash.METHOD.defaults())) == ()
    assert simhash.METHOD.problems(Recipe("simhash", fields, RECORD)) == ()
    for settings in (replace(RECORD, bits=7), replace(RECORD, decision="svm"), replace(FIELD, decision="threshold")):
        assert simhash.METHOD.problems(Recipe("simhash", fields, settings))
    assert simhash.METHOD.problems(Recipe("simhash", (), FIELD))


def test_smashing_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        simhash.METHOD.smash(PEOPLE, Recipe("simhash", PEOPLE.fields, RECORD), Progress(cancelled=lambda: True))
