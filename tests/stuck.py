"""A test run always ends: if no test starts or ends for SILENCE seconds, it ends as failed and names what ran last.

A worker that dies names its test through xdist, one that hangs inside a test is ended by pytest's faulthandler (both
are set in pyproject.toml). This watches for the rest: a worker that hangs between tests or while it ends.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

SILENCE = float(os.environ.get("PYTEST_SILENCE", "900"))  # s; longer than faulthandler_timeout
EXIT = 3  # pytest's code for an internal error


class Watch:
    """Lives in the controlling process only, so a worker's silence cannot silence it."""

    def __init__(self) -> None:
        self.heard = time.monotonic()
        self.running: dict[str, None] = {}
        self.last = "no test at all"
        threading.Thread(target=self._look, name="stuck", daemon=True).start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.heard = time.monotonic()
        self.running[nodeid] = None

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.heard = time.monotonic()
        self.running.pop(nodeid, None)
        self.last = nodeid

    def pytest_testnodeready(self, node: Any) -> None:
        self.heard = time.monotonic()

    def pytest_xdist_node_collection_finished(self, node: Any, ids: Any) -> None:
        self.heard = time.monotonic()

    def _look(self) -> None:
        while time.monotonic() - self.heard < SILENCE:
            time.sleep(min(SILENCE / 10, 5.0))
        told = ", ".join(self.running) or f"none; the last that ended: {self.last}"
        sys.__stderr__.write(f"\nFAILED: nothing happened for {SILENCE:.0f} s. Running: {told}\n")
        sys.__stderr__.flush()
        os._exit(EXIT)
