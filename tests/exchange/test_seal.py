"""Sealed files: whole or not at all, the same arrays back, and nothing left behind."""

from __future__ import annotations

import errno
import io
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from pprl_desktop.exchange import age, container, manifest, seal, strict
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Cancelled, Progress

SENDER, OWNER, OTHER = Keys.new(), Keys.new(), Keys.new()
MANIFEST = Manifest(
    "data",
    "00" * 16,
    "00" * 32,
    1,
    "00" * 32,
    SENDER.public().party,
    OWNER.public().party,
    "2026-01-01T00:00:00Z",
    "said",
)
PINS = [SENDER.public().sign]


def arrays() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    return {
        "random": rng.integers(0, 256, (3000, 128), dtype=np.uint8),
        "zeros": np.zeros((70_000, 16), np.uint8),
        "rows": rng.integers(-1, 50, 5000, dtype=np.int32),
        "empty": np.zeros((0, 16), np.uint8),
        "wide": np.arange(1000, dtype=np.uint64)[::-2],
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "x.pprl"
    seal.seal(target, MANIFEST, arrays(), SENDER, OWNER.public())
    return target


def test_the_same_arrays_come_back(path: Path) -> None:
    opened = seal.open_sealed(path, [OTHER, OWNER], PINS)
    opened.check()
    found = opened.load()
    for name, array in arrays().items():
        assert found[name].dtype == array.dtype
        assert (found[name] == array).all()
    assert {entry.codec for entry in opened.manifest.entries} == {"raw", "zstd"}
    assert replace(opened.manifest, entries=()) == MANIFEST
    assert opened.manifest.entry("rows").shape == (5000,)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st_numpy.arrays(st.sampled_from(list(manifest.DTYPES)), st_numpy.array_shapes(max_dims=2, min_side=0)),
        max_size=4,
    )
)
def test_any_arrays_come_back(tmp_path_factory: pytest.TempPathFactory, given_arrays: list[np.ndarray]) -> None:
    target = tmp_path_factory.mktemp("any") / "x.pprl"
    named = {f"a{at}": array for at, array in enumerate(given_arrays)}
    seal.seal(target, MANIFEST, named, SENDER, OWNER.public())
    found = seal.open_sealed(target, [OWNER], PINS).load()
    assert all((found[name] == array).all() and found[name].dtype == array.dtype for name, array in named.items())


def test_only_the_file_is_in_the_folder(path: Path) -> None:
    assert [one.name for one in path.parent.iterdir()] == ["x.pprl"]


def test_cancelling_leaves_the_old_file(path: Path) -> None:
    before = path.read_bytes()
    looks = iter([False] * 6 + [True] * 1000)
    with pytest.raises(Cancelled):
        seal.seal(path, MANIFEST, arrays(), SENDER, OWNER.public(), progress=Progress(cancelled=lambda: next(looks)))
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["x.pprl"]


def test_progress_goes_from_start_to_end(tmp_path: Path) -> None:
    seen: list[float] = []
    big = {"big": np.zeros((40 << 20,), np.uint8), "rest": np.arange(4 << 20, dtype=np.int32)}
    bar = Progress(lambda fraction, _: seen.append(fraction))
    bar.at(0.0, "sealing")
    seal.seal(tmp_path / "x", MANIFEST, big, SENDER, OWNER.public(), progress=bar)
    assert seen == sorted(seen)
    seal.open_sealed(tmp_path / "x", [OWNER], PINS).check(progress=Progress(lambda fraction, _: seen.append(fraction)))


def test_a_file_exchanged_after_opening_is_noticed(path: Path) -> None:
    opened = seal.open_sealed(path, [OWNER], PINS)
    seal.seal(path, replace(MANIFEST, sequence=2), arrays(), SENDER, OWNER.public())
    with pytest.raises(Problem, match="damaged or altered"):
        opened.check()


def test_a_missing_file_and_a_folder_are_problems(tmp_path: Path) -> None:
    for wrong in (tmp_path / "nothing", tmp_path):
        with pytest.raises(Problem):
            seal.open_sealed(wrong, [OWNER], PINS)


class Source:
    """A container as bytes, without the seal around it."""

    def __init__(self, data: bytes) -> None:
        self.rest = memoryview(data)

    def read(self, size: int) -> memoryview:
        given, self.rest = self.rest[:size], self.rest[size:]
        return given


def test_more_after_the_arrays_is_refused() -> None:
    with pytest.raises(Problem, match="damaged"):
        container.read_arrays(Source(b"more"), MANIFEST, lambda _: True, lambda _, __: None, NO_PROGRESS)


def test_a_size_that_is_not_that_of_the_file_is_refused() -> None:
    head = container.Head(SENDER.public().sign, strict.dumps(MANIFEST.as_plain()))
    assert container.read_manifest(head, head.size) == MANIFEST
    with pytest.raises(Problem, match="damaged"):
        container.read_manifest(head, head.size + 1)


@pytest.mark.parametrize(("length", "word"), [(50, "damaged"), (1 << 21, "1 MiB")])
def test_a_manifest_that_ends_early_or_is_too_long_is_refused(length: int, word: str) -> None:
    data = container.MAGIC + SENDER.public().sign + bytes(64) + length.to_bytes(4, "little") + b"{}"
    with pytest.raises(Problem, match=word):
        container.read_head(Source(data), PINS)


def test_a_manifest_over_one_mebibyte_cannot_be_written(tmp_path: Path) -> None:
    huge = replace(MANIFEST, body={"text": "x" * (1 << 20)})
    with pytest.raises(Problem, match="1 MiB"):
        seal.seal(tmp_path / "x", huge, {}, SENDER, OWNER.public())
    assert not list(tmp_path.iterdir())


def test_an_array_that_is_not_in_the_manifest_is_named(path: Path) -> None:
    with pytest.raises(Problem, match=r"entries\.other"):
        seal.open_sealed(path, [OWNER], PINS).manifest.entry("other")


def test_small_secrets_sealed_to_oneself() -> None:
    data = seal.seal_bytes(b"secret" * 30_000, OWNER.public())
    assert seal.open_bytes(data, [OTHER, OWNER]) == b"secret" * 30_000
    for wrong in (data[:-1], b"x" + data, b""):
        with pytest.raises(Problem, match="home folder"):
            seal.open_bytes(wrong, [OWNER])
    with pytest.raises(Problem, match="home folder"):
        seal.open_bytes(data, [OTHER])


def test_compatibility_mode_has_one_plain_stanza(tmp_path: Path) -> None:
    seal.seal(tmp_path / "x", MANIFEST, {}, SENDER, OWNER.public(), "x25519")
    head = (tmp_path / "x").read_bytes().split(b"\n---")[0]
    assert head.count(b"-> ") == 1
    assert b"-> X25519 " in head
    assert seal.open_sealed(tmp_path / "x", [OWNER], PINS).load() == {}


def test_the_default_is_post_quantum(path: Path) -> None:
    head = path.read_bytes().split(b"\n---")[0]
    assert head.count(b"-> ") == 1
    assert b"-> mlkem768x25519 " in head


def test_nothing_secret_is_in_a_repr(path: Path) -> None:
    shown = repr((OWNER, seal.open_sealed(path, [OWNER], PINS)))
    for seed in (OWNER.seal_seed, OWNER.sign_seed):
        assert seed.hex() not in shown
        assert repr(seed)[2:-1] not in shown  # the whole of it: a few bytes of a random key turn up anywhere


def test_a_time_that_is_none_is_malformed() -> None:
    with pytest.raises(Problem, match="made"):
        manifest.parse(strict.dumps(replace(MANIFEST, made="yesterday").as_plain()))


def test_raw_bytes_must_be_what_the_shape_says() -> None:
    entry = manifest.Entry("x", "uint8", (5,), 6, "raw", "00" * 32)
    with pytest.raises(Problem, match=r"entries\[0\]\.bytes"):
        manifest.parse(strict.dumps(replace(MANIFEST, entries=(entry,)).as_plain()))


class _Full:
    """A file on a disk with room for some chunks only."""

    def __init__(self, room: int) -> None:
        self.written, self._room = bytearray(), room

    def write(self, data: bytes | memoryview) -> None:
        if len(self.written) + len(data) > self._room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.written += data


SIZES = (0, 1, age.CHUNK, age.CHUNK + 1, age.TOGETHER * age.CHUNK, (age.TOGETHER + 1) * age.CHUNK + 7)


@pytest.mark.parametrize("size", SIZES)
def test_what_is_sealed_in_pieces_is_read_back_whole(size: int) -> None:
    """Around the borders of a chunk and of what is written at once."""
    out, plain, keys = io.BytesIO(), os.urandom(size), Keys.new()
    writer = age.encrypt(out, keys.public().recipient("x25519"))
    for start in range(0, size, 100_003):
        writer.write(plain[start : start + 100_003])
    writer.close()
    out.seek(0)
    opened = age.decrypt(out, [*keys.identities()])
    read = b"".join(iter(lambda: bytes(opened.read(1 << 20)), b""))
    assert read == plain


@pytest.mark.parametrize("room", [0, 500_000, 2_499_500])
def test_a_disk_that_fills_while_sealing_is_told(room: int) -> None:
    """Also where only what close() writes does not fit."""
    keys = Keys.new()

    def write() -> None:
        writer = age.encrypt(_Full(room), keys.public().recipient("x25519"))
        for _ in range(2500):
            writer.write(bytes(1000))
        writer.close()

    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        write()
