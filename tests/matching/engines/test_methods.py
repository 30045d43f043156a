"""Every method hands its blocks to the engine in use, and what comes back packed is what threads give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pprl_desktop.compute import packing
from pprl_desktop.compute.engines import Portable, using
from pprl_desktop.decisions.adaptive import listed_scan
from pprl_desktop.decisions.threshold import lsh
from pprl_desktop.matching.engines.store import Store
from tests.matching.cases import CASES, prepared
from tests.matching.engines.test_dask import digest
from tests.matching.people import two_files

CLEAR = ("plain",)  # compares values in clear, which never leave


class Elsewhere:
    """An engine that packs work and results as a cluster does, and runs them here."""

    name = "elsewhere"
    threads = 2

    def __init__(self, folder: Path) -> None:
        self._store = Store(folder)
        self._store.prepare()
        self.stages: set[str] = set()

    def run(self, work: Portable, blocks, progress, what) -> Iterator:  # type: ignore[no-untyped-def, type-arg]
        self.stages.add(type(work).__name__)
        again = self._store.get_work(self._store.put_work(work))
        for block in packing.loads(packing.dumps(list(blocks))):
            yield packing.loads(packing.dumps(again(block)))


@pytest.mark.parametrize("case", CASES)
def test_a_method_runs_elsewhere_as_it_does_here(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_scan, "FULL_SCAN", 0.0)
    monkeypatch.setattr(lsh, "EXACT_PAIRS", 0)
    left, right, _ = two_files(1, 300, 100)
    run = prepared(case, left, right)
    here, engine = run.match(), Elsewhere(tmp_path)
    with using(engine):
        there = run.match()
    assert digest(here) == digest(there)
    assert bool(engine.stages) == (case not in CLEAR)
