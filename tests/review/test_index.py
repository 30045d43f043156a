"""The bitmaps count the same records as looking at every record does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.review import index
from pprl_desktop.review.graphemes import graphemes
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.kapr import Constraint
from tests.review import slow_crowd
from tests.review.people import missing_aware

VALUE = st.one_of(
    st.text(alphabet="ABé\u0301", max_size=3), st.sampled_from(["", "AB", "x" * 70 + "y", "A\r\nB", "A\0"])
)


@st.composite
def crowds(draw):
    records = draw(st.integers(1, 40))
    fields = draw(st.integers(1, 3))
    columns = [missing_aware(f"f{j}", draw(st.lists(VALUE, min_size=records, max_size=records))) for j in range(fields)]

    def constraint(column):
        kind = draw(st.sampled_from(["none", "equal", "shared", "pattern", "both"]))
        if kind == "none" or not len(column.values):
            return None
        code = draw(st.integers(0, len(column.values) - 1))
        if kind == "equal":
            return Constraint(code=code)
        if kind == "shared":
            return Constraint(shared=True)
        text = graphemes(column.values[code])
        places = draw(st.sets(st.sampled_from(range(len(text))), max_size=3)) if text else set()
        return Constraint(None, len(text), tuple((p, text[p]) for p in sorted(places)), kind == "both")

    return columns, [constraint(c) for c in columns], [constraint(c) for c in columns]


@pytest.mark.parametrize("sparse", [2, 10**9], ids=["row lists", "bitmaps"])
@pytest.mark.parametrize("memory", [0, 1 << 30], ids=["no room", "room"])
def test_bitmaps_equal_brute_force(sparse: int, memory: int) -> None:
    @settings(max_examples=60, deadline=None)
    @given(crowds())
    def check(case) -> None:
        columns, now, after = case
        crowd = Crowd(columns, memory=memory)
        assert crowd.count(now) == slow_crowd.count(columns, now)
        assert crowd.previews(now, after) == slow_crowd.previews(columns, now, after)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "SPARSE", sparse)
        check()


def test_a_character_nobody_has_is_compatible_with_nobody() -> None:
    column = missing_aware("name", ["ANNA", "BERT"])
    assert Crowd([column]).count([Constraint(None, 4, ((0, "X"),))]) == 0
    assert Crowd([column]).count([Constraint(None, 9, ())]) == 0


def test_frequencies_and_size() -> None:
    crowd = Crowd([missing_aware("name", ["ANNA", "BERT", "ANNA", ""])])
    assert [crowd.frequency(0, code) for code in (0, 1)] == [2, 1]
    assert crowd.nbytes() > 0
    assert Crowd([missing_aware("name", ["", ""])]).count([None]) == 2


@pytest.mark.parametrize("distinct", [3, 70_000, 200_000])
def test_rows_are_sorted_by_value(distinct: int) -> None:
    codes = np.random.default_rng(distinct).integers(-1, distinct, 50_000).astype(np.int32)
    assert (index.rows_by_value(codes) == np.argsort(codes, kind="stable")).all()
    assert len(index.rows_by_value(codes[:0])) == 0
