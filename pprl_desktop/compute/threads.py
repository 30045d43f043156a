"""Compiled functions and threads: how heavy work is cut into blocks that can be cancelled."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from pprl_desktop.compute.attended import THREAD
from pprl_desktop.compute.attended import interruptible as interruptible
from pprl_desktop.compute.engines import Portable, in_use
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

T = TypeVar("T")
R = TypeVar("R")


def jit(function: Callable[..., Any], any_order: bool = False) -> Any:
    """numba.njit without the interpreter lock, cached on disk where that is safe.

    A source tree or wheel caches beside the file (numba falls back to the user's cache where that folder is read-only),
    the installed program in a folder of its own (kernel_cache.py).

    `any_order` lets sums of floats be added in vector lanes. Their last digits then depend on the processor: only for
    bounds that have room for that, never for what decides.
    """
    return _compiled(function, {"reassoc", "contract"} if any_order else False)


def _compiled(function: Callable[..., Any], freedom: Any = False) -> Any:
    import numba

    if getattr(sys, "frozen", False):
        from numba.core import config

        config.CACHE_LOCATOR_CLASSES = "pprl_desktop.compute.kernel_cache.OwnFolder"
    try:
        return numba.njit(nogil=True, cache=True, fastmath=freedom)(function)
    except RuntimeError:  # no folder for the cache can be found, written or trusted
        return numba.njit(nogil=True, fastmath=freedom)(function)


def jit_bound(function: Callable[..., Any]) -> Any:
    return jit(function, any_order=True)


def jit_each_run(function: Callable[..., Any]) -> Any:
    """For functions that call a compiled one of another file: the cache would not notice when only that one changes.

    In the installed program they change together, with its version.
    """
    import numba

    return _compiled(function) if getattr(sys, "frozen", False) else numba.njit(nogil=True)(function)


def threads_of(asked: int) -> int:
    return asked if asked > 0 else (os.cpu_count() or 1)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Matrix products of our own threads run in one thread each: threads within threads wait for each other."""
    from threadpoolctl import threadpool_limits  # comes with scikit-learn

    with threadpool_limits(1, user_api="blas"):
        yield


def in_blocks(
    work: Callable[[T], R],
    blocks: Sequence[T],
    threads: int = 0,
    progress: Progress = NO_PROGRESS,
    what: Said | str = "",
) -> Iterator[R]:
    """Runs `work` on each block in threads and yields the results in order; Cancel waits for running blocks only.

    Work that is portable goes to the engine in use, where there is one (engines.py).
    """
    engine = in_use()
    if engine is not None and isinstance(work, Portable):
        yield from engine.run(work, blocks, progress, what)
        return
    count = threads_of(threads)
    total = len(blocks)
    with ThreadPoolExecutor(count, THREAD) as pool:
        waiting: list[Future[R]] = []
        given = 0
        try:
            for done in range(total):
                while given < total and len(waiting) < 2 * count + 2:
                    waiting.append(pool.submit(work, blocks[given]))
                    given += 1
                progress.at(done / total, what)
                while not waiting[0].done():
                    wait(waiting[:1], timeout=0.05, return_when=FIRST_COMPLETED)
                    progress.check()
                yield waiting.pop(0).result()
        finally:
            for future in waiting:
                future.cancel()
            if isinstance(work, Portable):
                work.stop()
    progress.at(1.0, what)
