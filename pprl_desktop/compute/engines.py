"""Where blocks of heavy work run: in threads of this computer, or on whatever engine is in use.

A stage cuts its work into blocks and hands both to `threads.in_blocks`. Work that is `Portable` may be given to an
engine: it is a frozen value that holds arrays of numbers and can be called on a block. All other work (closures, and
whatever touches clear values) always runs here. The engine is in use within `using()`, as numpy's error settings are,
and threads that a stage starts inherit it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, Protocol, TypeVar

from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

T = TypeVar("T")
R = TypeVar("R")


class Portable(ABC, Generic[T, R]):
    """Work on one block that needs nothing but its own attributes: numbers, arrays of numbers, names of fields."""

    @abstractmethod
    def __call__(self, block: T) -> R: ...

    def stop(self) -> None:
        """Nobody wants the rest: a kernel that looks at a flag of its own ends now."""


class Engine(Protocol):
    """Runs portable work on every block and gives the results in the order of the blocks."""

    @property
    def name(self) -> str:
        """As the steward knows it."""

    def threads(self) -> int:
        """Blocks that run at the same time."""

    def run(
        self, work: Portable[Any, R], blocks: Sequence[Any], progress: Progress, what: Said | str
    ) -> Iterator[R]: ...


_in_use: ContextVar[Engine | None] = ContextVar("engine", default=None)


def in_use() -> Engine | None:
    return _in_use.get()


@contextmanager
def using(engine: Engine | None) -> Iterator[None]:
    mark = _in_use.set(engine)
    try:
        yield
    finally:
        _in_use.reset(mark)
