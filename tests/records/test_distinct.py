"""The numpy hash table against a plain dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.records.distinct import Cells, factorise, factorise_rows, factorise_texts


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(st.text(max_size=4), st.text(min_size=7, max_size=30), st.just("x" * 100)), max_size=40))
def test_codes_and_first_places_are_those_of_a_dictionary(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "ignore").decode() for text in texts]
    seen: dict[str, int] = {}
    right = [seen.setdefault(text, len(seen)) for text in texts]
    codes, where = factorise_texts(texts)
    assert codes.tolist() == right
    assert [texts[place] for place in where] == list(seen)
    cells = Cells.from_texts(texts) if texts else None
    if cells is not None:
        assert cells.texts() == texts


def test_keys_that_crowd_into_the_same_slots_are_told_apart() -> None:
    keys = (np.arange(5_000, dtype=np.uint64) % np.uint64(1_250)) << np.uint64(52)
    codes, where = factorise(keys)
    assert len(where) == 1_250
    assert (keys[where][codes] == keys).all()


@given(
    st.integers(1, 40).flatmap(
        lambda rows: st.integers(1, 20).flatmap(
            lambda width: st.lists(st.binary(min_size=width, max_size=width), min_size=rows, max_size=rows)
        )
    )
)
def test_rows_alike_are_found_as_numpy_finds_them(rows: list[bytes]) -> None:
    values = np.array([list(row) for row in rows], dtype=np.uint8).reshape(len(rows), -1) % 3
    first, which = factorise_rows(values)
    assert (values[first][which] == values).all()
    assert len(first) == len(set(map(tuple, values.tolist())))
    assert all((values[place] != values[:place]).any(axis=1).all() for place in first)


def test_of_no_rows_none_are_alike() -> None:
    first, which = factorise_rows(np.zeros((0, 5)))
    assert first.tolist() == which.tolist() == []
