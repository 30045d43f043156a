"""The folder a cluster shares: others who write there are noticed, a half-written block is none."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.compute import packing
from pprl_desktop.compute.bits import Similarity
from pprl_desktop.matching.engines.store import Damaged, Store, _seal
from pprl_desktop.problem import Problem

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


def test_what_another_run_or_somebody_else_put_there_stays(store: Store, tmp_path: Path) -> None:
    store.put_work(np.arange(9))
    other = Store(tmp_path)
    other.put_done("another", KEY, [1])
    (store.folder / "done" / "notes.txt").write_text("not ours")
    store.clear()
    assert sorted(path.name for path in store.folder.rglob("*") if path.is_file()) == ["another", "notes.txt"]


@pytest.mark.parametrize("linked", ["", "arrays", "works", "done"])
def test_a_link_in_the_shared_folder_is_not_followed(tmp_path: Path, linked: str) -> None:
    """Whoever may write in the shared folder must not have the program remove, or open, files of the steward's."""
    mine, shared = tmp_path / "Documents", tmp_path / "shared"
    mine.mkdir(mode=0o755)
    old = mine / ("ab" * 32)  # old, and with a name like ours
    old.write_text("mine")
    os.utime(old, (0, 0))
    link = shared / "pprl-desktop-blocks" / linked
    link.parent.mkdir(parents=True)
    link.symlink_to(mine, target_is_directory=True)
    with pytest.raises(Problem, match="holds a link"):
        Store(shared).prepare()
    assert old.exists()
    assert mine.stat().st_mode & 0o777 == 0o755


def test_only_old_files_of_our_own_are_tidied_up(store: Store) -> None:
    store.put_done("ab" * 16 + "-" + "cd" * 16, KEY, [1])
    (store.folder / "done" / "notes.txt").write_text("not ours")
    for path in (store.folder / "done").iterdir():
        os.utime(path, (0, 0))
    Store(store.folder.parent).prepare()
    assert [path.name for path in (store.folder / "done").iterdir()] == ["notes.txt"]


def test_an_array_that_is_rewritten_after_the_check_changes_nothing(store: Store) -> None:
    name = store.put_work(np.zeros(100_000))
    array = store.get_work(name)
    (path,) = (store.folder / "arrays").iterdir()
    with open(path, "r+b") as out:
        out.write(np.ones(100_000).tobytes())
    assert (array == 0).all()


@pytest.mark.parametrize(
    "tree",
    [
        {"object": ["os:environ", []]},
        {"object": ["pprl_desktop.nowhere:Thing", []]},
        {"named": ["pprl_desktop.problem:Problem", ["x"]]},
        {"array": ["9", "<f8", [3]]},
        {"array": ["0", "O", [1]]},
        {"array": ["0", "<f8", [1 << 40]]},
        {"scalar": ["<f8", "zz"]},
        {"range": ["a"]},
        {"range": [0, 5, 0]},
        {"float": "x"},
        {"dict": [[{"list": []}, 1]]},
        {"tuple": 5},
        {"one": 1, "two": 2},
        {"nothing": 1},
    ],
)  # fmt: skip
def test_what_a_worker_sealed_and_is_no_result_is_damaged(store: Store, tree: object) -> None:
    head = packing.text_of({"tree": tree, "places": [[0, 8]]})
    data = packing.MARK + len(head).to_bytes(8, "little") + head + bytes(64)
    (store.folder / "done" / "block").write_bytes(_seal("block", KEY, data) + data)
    assert store.is_done("block", KEY)
    with pytest.raises(Damaged):
        store.get_done("block", KEY)


def test_nesting_without_end_is_damaged(store: Store) -> None:
    head = b'{"tree":' + b'{"list":[' * 50_000 + b"]}" * 50_000 + b',"places":[]}'
    data = packing.MARK + len(head).to_bytes(8, "little") + head
    (store.folder / "done" / "block").write_bytes(_seal("block", KEY, data) + data)
    with pytest.raises(Damaged):
        store.get_done("block", KEY)
