"""What the operating system must not keep of this process once a secret key is in its memory."""

from __future__ import annotations

import contextlib
import sys
from functools import cache

_PR_SET_DUMPABLE = 4  # linux/prctl.h
_NO_HEAP = 1  # Windows: WER_FAULT_REPORTING_FLAG_NOHEAP


@cache
def no_core_dump() -> None:
    """From now on a crash writes no image of the memory, and on Linux no other program of the user can read it.

    The limit alone is not enough on Linux: where a program takes the dumps, the kernel hands them over regardless.
    """
    import ctypes

    with contextlib.suppress(OSError, ValueError, AttributeError):
        if sys.platform == "win32":
            ctypes.windll.kernel32.WerSetFlags(_NO_HEAP)
        else:
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
