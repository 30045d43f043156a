"""The installed program compiles its kernels once per machine and version, and runs nobody else's machine code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pprl_desktop.compute.kernel_cache import own

# a module whose source file is gone, as in the frozen program
RUN = """
import sys
sys.frozen = True
import numpy as np
from pprl_desktop.compute import assignment_kernels, bit_planes
from pprl_desktop.compute.bits import Similarity, above, prepare
rows = np.random.default_rng(0).integers(0, 256, (64, 16), dtype=np.uint8)
found = above(rows, prepare(rows), Similarity.dice(128), 0.5, 1000, threads=1)
stats = [bit_planes.above.stats, bit_planes.fill_planes.stats]
print(len(found.own), sum(sum(one.cache_hits.values()) for one in stats),
      sum(sum(one.cache_misses.values()) for one in stats))
"""


def run(cache: Path) -> tuple[int, int, int]:
    done = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), "LOCALAPPDATA": str(cache), "HOME": str(cache)},
    )  # fmt: skip
    found, hits, misses = map(int, done.stdout.split())
    return found, hits, misses


def test_the_second_start_compiles_nothing(tmp_path: Path) -> None:
    found, hits, misses = run(tmp_path)
    assert found
    assert (hits, misses) == (0, 2)
    assert run(tmp_path) == (found, 2, 0)
    assert list(tmp_path.rglob("kernels-*/*.nbc"))


@pytest.mark.skipif(sys.platform == "win32", reason="modes of the POSIX kind")
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    run(tmp_path)
    (folder,) = tmp_path.rglob("kernels-*")
    folder.chmod(0o777)
    before = sorted(folder.iterdir())
    found, hits, _ = run(tmp_path)
    assert found
    assert hits == 0
    assert sorted(folder.iterdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="modes of the POSIX kind")
def test_only_the_own_closed_folder_is_trusted(tmp_path: Path) -> None:
    assert own(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o775)
    assert not own(tmp_path / "open")
    (tmp_path / "link").symlink_to(tmp_path / "new")
    assert not own(tmp_path / "link")
    (tmp_path / "file").write_text("")
    assert not own(tmp_path / "file")
    if os.getuid() == 0:
        (tmp_path / "theirs").mkdir(mode=0o700)
        os.chown(tmp_path / "theirs", 12345, 12345)
        assert not own(tmp_path / "theirs")
