"""Blocks in threads, and compiled functions that start anywhere."""

from __future__ import annotations

import threading
import time

import pytest

from pprl_desktop.compute.threads import in_blocks, jit
from pprl_desktop.progress import Cancelled, Progress


def test_results_come_in_order_whatever_finishes_first() -> None:
    def work(number: int) -> int:
        time.sleep(0.01 if number % 3 == 0 else 0.0)
        return number * number

    assert list(in_blocks(work, range(20), threads=4)) == [number * number for number in range(20)]


def test_no_blocks_give_nothing() -> None:
    assert list(in_blocks(lambda number: number, [])) == []


def test_cancel_stops_within_two_tenths_of_a_second() -> None:
    asked = threading.Event()
    threading.Timer(0.1, asked.set).start()
    start = time.monotonic()
    with pytest.raises(Cancelled):
        list(in_blocks(lambda _: time.sleep(0.05), range(1000), threads=2, progress=Progress(cancelled=asked.is_set)))
    assert time.monotonic() - start < 0.1 + 0.2 + 0.3  # the last for a busy machine


def test_a_failure_in_a_block_is_raised_and_the_rest_is_dropped() -> None:
    def work(number: int) -> int:
        if number == 3:
            raise ValueError("three")
        return number

    with pytest.raises(ValueError, match="three"):
        list(in_blocks(work, range(100), threads=2))


def test_without_a_folder_for_the_cache_it_still_runs() -> None:
    """Code without a source file, as in an installation numba cannot find its way in."""
    scope: dict[str, object] = {}
    exec(compile("def plus(x):\n    return x + 1\n", "/nowhere/at/all/plus.py", "exec"), scope)
    assert jit(scope["plus"])(1) == 2  # type: ignore[arg-type]
