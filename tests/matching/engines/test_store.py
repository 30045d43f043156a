"""The folder a cluster shares: others who write there are noticed, a half-written block is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.compute.bits import Similarity
from pprl_desktop.matching.engines.store import Damaged, Store

KEY = b"k" * 32


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path)
    made.prepare()
    return made


def test_work_is_found_by_its_hash_and_arrays_are_written_once(store: Store) -> None:
    big = np.arange(1000)
    first = store.put_work((Similarity.dice(64), big, big.copy()))
    assert store.put_work((Similarity.dice(64), big, big)) == first
    assert len(list((store.folder / "arrays").iterdir())) == 1
    similarity, again, _ = store.get_work(first)
    assert similarity == Similarity.dice(64)
    assert (again == big).all()


def test_writing_to_a_loaded_array_changes_no_file(store: Store) -> None:
    name = store.put_work(np.zeros(10))
    store.get_work(name)[:] = 7
    assert (store.get_work(name) == 0).all()


@pytest.mark.parametrize("part", ["arrays", "works"])
def test_altered_work_is_not_run(store: Store, part: str) -> None:
    name = store.put_work((np.arange(1000), "last_name"))
    (path,) = (store.folder / part).iterdir()
    data = bytearray(path.read_bytes())
    data[5] ^= 1
    path.write_bytes(data)
    with pytest.raises((Damaged, ValueError)):
        store.get_work(name)


def test_a_finished_block_counts_only_with_its_seal(store: Store) -> None:
    store.put_done("block-1", KEY, [np.arange(3)])
    (result,) = store.get_done("block-1", KEY)
    assert (result == np.arange(3)).all()
    assert store.get_done("block-1", b"x" * 32) is None  # sealed by somebody else
    path = store.folder / "done" / "block-1"
    (store.folder / "done" / "block-2").write_bytes(path.read_bytes())
    assert store.get_done("block-2", KEY) is None  # another block's result in its place
    path.write_bytes(path.read_bytes()[:-1])
    assert store.get_done("block-1", KEY) is None  # cut off
    assert store.get_done("block-3", KEY) is None


def test_only_the_own_user_may_read_what_lies_there(store: Store) -> None:
    store.put_work(np.arange(9))
    assert store.folder.stat().st_mode & 0o077 == 0
    assert all(path.stat().st_mode & 0o077 == 0 for path in (store.folder / "arrays").iterdir())


def test_after_a_run_nothing_stays(store: Store) -> None:
    store.put_work(np.arange(9))
    store.put_done("block", KEY, 1)
    store.clear()
    assert not store.folder.exists()
