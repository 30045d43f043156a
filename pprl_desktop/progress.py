"""Progress and cancellation: the one way long work talks to whoever waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable

from pprl_desktop.said import NOTHING, Said, as_said

REPORT_EVERY = 0.05  # seconds: often enough for a smooth bar, rare enough to cost nothing


class Cancelled(Exception):  # noqa: N818 - not an error: the steward asked for it
    """The steward pressed Cancel; whoever started the work still has the last good state."""


class Progress:
    """Give `at()` a fraction of the work done; it raises Cancelled when asked to stop.

    A stage hands a slice of its own bar to the next function with `part()`.
    """

    def __init__(
        self,
        report: Callable[[float, Said], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        *,
        start: float = 0.0,
        end: float = 1.0,
        attended: bool = False,
    ) -> None:
        self._report = report
        self._cancelled = cancelled
        self._attended = attended
        self._start = start
        self._end = end
        self._last = 0.0
        self._what = NOTHING

    def at(self, fraction: float, what: Said | str = NOTHING) -> None:
        """A text given as it is must be a literal, as with a Problem."""
        self.check()
        if self._report is None:
            return
        now = time.monotonic()
        text = as_said(what)
        new_text = bool(text) and text != self._what
        if new_text:
            self._what = text
        if new_text or fraction >= 1.0 or now - self._last >= REPORT_EVERY:
            self._last = now
            inside = min(max(fraction, 0.0), 1.0)
            self._report(self._start + inside * (self._end - self._start), self._what)

    @property
    def can_be_cancelled(self) -> bool:
        return self._cancelled is not None

    @property
    def attended(self) -> bool:
        """Somebody else hears Cancel while this work runs (compute/attended): no call needs a listener of its own."""
        return self._attended

    def check(self) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled

    def part(self, start: float, end: float) -> Progress:
        width = self._end - self._start
        child = Progress(
            self._report,
            self._cancelled,
            start=self._start + start * width,
            end=self._start + end * width,
            attended=self._attended,
        )
        child._what = self._what
        return child


NO_PROGRESS = Progress()
