"""The test command ends, whatever a test does, and names the one that did it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

DIES = "import os, signal\ndef test_dies():\n    os.kill(os.getpid(), signal.SIGKILL)\n"
HANGS = "import time\ndef test_hangs():\n    time.sleep(600)\n"
HANGS_LATER = (
    "import time, pytest\n"
    "@pytest.fixture(scope='session', autouse=True)\n"
    "def odd():\n    yield\n    time.sleep(600)\n"
    "def test_hangs_later():\n    pass\n"
)
FINE = "def test_fine():\n    pass\n"


@pytest.mark.skipif(sys.platform == "win32", reason="the signals are those of other systems")
@pytest.mark.parametrize(
    ("text", "limit", "silence", "told"),
    [
        (DIES, 60, 60, "test_odd.py::test_dies"),
        (HANGS, 1, 60, "test_odd.py::test_hangs"),
        (HANGS_LATER, 120, 25, "test_odd.py::test_hangs_later"),
    ],
    ids=["dies", "hangs", "hangs-later"],
)
def test_a_dead_or_stuck_worker_ends_the_run_and_names_the_test(
    tmp_path: Path, text: str, limit: int, silence: int, told: str
) -> None:
    (tmp_path / "test_odd.py").write_text(text, encoding="utf-8")
    (tmp_path / "test_fine.py").write_text(FINE, encoding="utf-8")
    (tmp_path / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"), "utf-8")
    # the project's own options, on two tests that are not the project's
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path), "-n", "2",
         "-p", "no:cacheprovider", "-o", f"faulthandler_timeout={limit}", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=240, env={**os.environ, "PYTEST_SILENCE": str(silence)},
    )  # fmt: skip
    assert done.returncode != 0
    assert told in done.stdout + done.stderr
