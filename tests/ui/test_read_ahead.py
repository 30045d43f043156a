"""Libraries are read before they are loaded, and not loaded by that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pprl_desktop.ui.kit import read_ahead


def test_the_libraries_of_a_package_are_found() -> None:
    found = list(read_ahead.libraries_of("llvmlite"))
    assert any("llvmlite" in path.name for path in found)
    assert list(read_ahead.libraries_of("no_such_package")) == []


def test_reading_ahead_loads_nothing() -> None:
    program = (
        "import sys; from pprl_desktop.ui.kit import read_ahead; read_ahead.start().join();"
        "print(*(name for name in read_ahead.PACKAGES if name in sys.modules))"
    )
    here = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", program], cwd=here, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
