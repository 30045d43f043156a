"""The spool gives back what was put into it, in memory or on the disk, and leaves no file with a name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.blind import spool
from pprl_desktop.blind.spool import Spool


@pytest.mark.parametrize("held", [1 << 20, 100])
def test_arrays_come_back_as_they_were_put(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "HELD", held)
    random = np.random.default_rng(0)
    given = {name: random.integers(0, 256, shape, dtype=np.uint8) for name, shape in (("a", (50, 32)), ("b", (0, 10)))}
    made = Spool(given)
    made.put_parts("c", (6, 4), iter([np.full((4, 4), 1, np.uint8), np.full((2, 4), 2, np.uint8)]))
    assert list(made) == ["a", "b", "c"]
    assert made.nbytes == 50 * 32 + 24
    for name, array in given.items():
        assert made[name].shape == array.shape
        assert (made[name] == array).all()
    assert made["c"].tolist() == [[1] * 4] * 4 + [[2] * 4] * 2
    assert list(made.in_order(("c", "a"))) == ["c", "a"]


def test_what_goes_to_the_disk_has_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "HELD", 10)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = Spool({"a": np.zeros((1000, 32), np.uint8)})
    assert not list(tmp_path.iterdir())
    assert made["a"].shape == (1000, 32)
