"""What another process is handed: equal after the journey, the same bytes every time, never a text of a table."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pprl_desktop.compute import packing
from pprl_desktop.compute.bits import Similarity, prepare

numbers = hnp.arrays(
    st.sampled_from([np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64, np.bool_]),
    hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9)
values: st.SearchStrategy[Any] = st.recursive(
    plain | numbers,
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and bool(a == b)


@given(values)
def test_what_was_packed_comes_out_equal(value: Any) -> None:
    assert same(value, packing.loads(packing.dumps(value)))


@given(values)
def test_the_same_value_gives_the_same_bytes(value: Any) -> None:
    assert packing.dumps(value) == packing.dumps(packing.loads(packing.dumps(value)))


def test_objects_of_this_package_travel_with_their_attributes() -> None:
    planes = prepare(np.random.default_rng(1).integers(0, 256, (300, 16), dtype=np.uint8))
    again = packing.loads(packing.dumps({"planes": planes, "similarity": Similarity.dice(128, 0.1)}))
    assert same(vars(again["planes"]), vars(planes))
    assert again["similarity"] == Similarity.dice(128, 0.1)
    again["planes"].ones[0] = 7  # what arrives can be worked on


@pytest.mark.parametrize("dtype", ["U5", "S5", "O"])
def test_an_array_of_texts_is_refused(dtype: str) -> None:
    with pytest.raises(packing.NotPortable):
        packing.dumps({"cells": np.array(["SMITH", "JONES"], dtype=dtype)})


def test_only_classes_of_this_package_are_packed_and_made() -> None:
    @dataclass
    class Local:
        number: int

    for stranger in (Local(1), np.random.default_rng(0), print, packing):
        with pytest.raises(packing.NotPortable):
            packing.dumps(stranger)
    for tree in (
        {"object": ["subprocess:Popen", [["args", "true"]]]},
        {"object": ["pprl_desktop.compute.packing:dumps", []]},
        {"named": ["os:system", ["true"]]},
        {"code": "1"},
    ):
        with pytest.raises(packing.NotPortable):
            packing.decode(tree, lambda name: bytearray())


def test_another_process_packs_the_same_bytes() -> None:
    """Names of finished blocks come from these bytes: a restarted program must find its own again."""
    program = (
        "import hashlib, numpy as np\n"
        "from pprl_desktop.compute import packing\n"
        "from pprl_desktop.compute.bits import Similarity\n"
        "value = {'a': Similarity.hamming(1024, 0.1), 'b': (np.arange(9), 'last_name', 0.1), 'c': range(3)}\n"
        "print(hashlib.sha256(packing.dumps(value)).hexdigest())\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1
