"""Style and types are tests like the others."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*command: str) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff_finds_nothing() -> None:
    run("ruff", "check", "pprl_desktop", "tests", "packaging")


def test_code_is_formatted() -> None:
    run("ruff", "format", "--check", "pprl_desktop", "tests", "packaging")


def test_types_are_strict_outside_the_window() -> None:
    run("mypy")
