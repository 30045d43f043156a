"""Strict JSON: one text for one value, and never anything but a value or a Problem."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.exchange import card, identity, manifest, strict, terms
from pprl_desktop.problem import Problem

WHOLE = st.integers(-strict.MAX_INTEGER, strict.MAX_INTEGER)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAIN = st.recursive(WHOLE | TEXT, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))
ANY = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner, max_size=4),
)

NOBODY = manifest.Party("00" * 32, "00" * 32)
ENTRY = manifest.Entry("x", "uint8", (3,), 3, "raw", "00" * 32)
MANIFEST = manifest.Manifest(
    "data", "00" * 16, "00" * 32, 1, "00" * 32, NOBODY, NOBODY, "2026-01-01T00:00:00Z", "", {}, (ENTRY,)
)


@given(st.dictionaries(TEXT, PLAIN, max_size=5))
def test_a_value_is_written_in_one_way_and_read_back(value: dict[str, object]) -> None:
    data = strict.dumps(value)
    assert strict.loads(data) == value
    assert strict.dumps(strict.loads(data)) == data


@given(st.binary(max_size=200) | ANY.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")))
def test_anything_else_is_a_problem(data: bytes) -> None:
    try:
        value = strict.loads(data)
    except Problem:
        return
    assert strict.dumps(value) == data


@pytest.mark.parametrize("value", [1.5, True, None, b"x", {1: "x"}, {"x": [None]}, {"x": {"y": 2.0}}])
def test_nothing_else_can_be_written(value: object) -> None:
    with pytest.raises(TypeError):
        strict.dumps(value)


READERS: list[Callable[[bytes], object]] = [
    manifest.parse, card.read, terms.parse, lambda data: identity.unlock(data, "a passphrase")
]  # fmt: skip
KEYS = st.sampled_from(
    [
        "format",
        "version",
        "name",
        "kind",
        "id",
        "from",
        "to",
        "entries",
        "body",
        "fields",
        "settings",
        "kdf",
        "salt",
        "limits",
    ]
)
STARTS = [{}, MANIFEST.as_plain(), {"format": card.FORMAT, "version": 1}, {"format": terms.FORMAT, "version": 1},
          {"format": identity.FORMAT, "version": 1}]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(READERS), st.sampled_from(STARTS), st.dictionaries(KEYS | TEXT, PLAIN, max_size=4))
def test_documents_with_any_content_are_problems_or_documents(
    reader: Callable[[bytes], object], start: dict[str, object], more: dict[str, object]
) -> None:
    try:
        reader(strict.dumps({**start, **more}))
    except Problem as problem:
        found = problem
    else:
        return
    assert str(found.what).endswith(".")


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None])
def test_only_a_whole_number_is_one(value: object) -> None:
    """A decisions file with `true` for its number was merged, and the desk could not be read again."""
    with pytest.raises(Problem):
        strict.integer({"number": value}, "number", 0, 9)
