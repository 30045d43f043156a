"""What a library says to the terminal in the middle of a call is not let out.

The library that reads workbooks ends a call on a damaged file by a panic, which prints its reason before it becomes an
exception: "byte index 4 is not a char boundary; it is inside 'ü' of `Müller...`". A cell must not come out that way.
Such a library writes to the second file descriptor itself, so that is what is turned away, for as long as the call
lasts and for the whole process.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

STDERR = 2
_ONE_AT_A_TIME = threading.Lock()  # two at once would each keep what the other put there


@contextmanager
def hushed() -> Iterator[None]:
    with _ONE_AT_A_TIME:
        try:
            kept = os.dup(STDERR)
        except OSError:  # a window without a terminal has none
            yield
            return
        if sys.stderr is not None:
            with suppress(OSError, ValueError):
                sys.stderr.flush()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, STDERR)
        os.close(nowhere)
        try:
            yield
        finally:
            os.dup2(kept, STDERR)
            os.close(kept)
