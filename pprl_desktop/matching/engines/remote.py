"""What a worker of the cluster runs: load the work by its hash, do some blocks, write the sealed result.

Every task is a load task: it carries names and a few numbers, never the data, so that a worker that dies loses nothing
that another one cannot fetch again. Workers need this program, of the same version, and the folder.
"""

from __future__ import annotations

import importlib.metadata
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pprl_desktop import __version__
from pprl_desktop.compute import packing
from pprl_desktop.compute.threads import one_blas_thread
from pprl_desktop.matching.engines.store import Store

WORKS_KEPT = 2  # per worker: the stage at hand and the one before it
DECIDING = ("numpy", "numba", "scipy")  # other versions may round otherwise: results would not be the same to the bit


def versions() -> dict[str, str]:
    """Of this program and of what computes in it."""
    return {"pprl-desktop": __version__, **{name: importlib.metadata.version(name) for name in DECIDING}}


class OtherVersion(Exception):  # noqa: N818 - what it is, not that it went wrong
    """The worker runs another version than the workstation."""


@dataclass(frozen=True)
class Task:
    """One piece of a stage: some blocks of some work. `key` seals the result and is not shown."""

    folder: str
    work: str
    name: str
    blocks: bytes = field(repr=False)
    key: bytes = field(repr=False)
    versions: tuple[tuple[str, str], ...] = ()


_held: OrderedDict[str, Any] = OrderedDict()
_lock = threading.Lock()


def run(task: Task) -> int:
    """Does the blocks of a task, in this order; gives the size of what was written."""
    if dict(task.versions) != versions():
        raise OtherVersion(versions()["pprl-desktop"])
    store = Store(Path(task.folder))
    work = _work(store, task.work)
    with one_blas_thread():
        done = [work(block) for block in packing.loads(task.blocks)]
    return store.put_done(task.name, task.key, done)


def _work(store: Store, name: str) -> Any:
    with _lock:
        if name not in _held:
            while len(_held) >= WORKS_KEPT:
                _held.popitem(last=False)
            _held[name] = store.get_work(name)
        _held.move_to_end(name)
        return _held[name]
