"""The Windows installer compiles, installs for one user and removes itself; around a stub, since only Windows freezes.

uv run pytest -m frozen tests/packaging/test_windows.py    (needs makensis, and wine for the second test)
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.loading import load

pytestmark = pytest.mark.frozen


@pytest.fixture
def setup(tmp_path: Path) -> Path:
    if not shutil.which("makensis"):
        pytest.skip("makensis is not installed")
    app = tmp_path / "app"
    (app / "_internal").mkdir(parents=True)
    for name in ("pprl-desktop.exe", "PPRL Desktop.exe", "_internal/library.dll"):
        (app / name).write_bytes(b"MZ stub")
    made: Path = load("windows").installer(app, tmp_path)
    return made


def test_it_compiles(setup: Path) -> None:
    assert setup.read_bytes()[:2] == b"MZ"


def test_it_installs_for_the_user_and_leaves_nothing(setup: Path, tmp_path: Path) -> None:
    if not shutil.which("wine"):
        pytest.skip("wine is not installed")
    prefix = tmp_path / "wine"
    env = os.environ | {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "DISPLAY": ""}

    def wine(*command: str) -> str:
        done = subprocess.run(["wine", *command], env=env, capture_output=True, text=True, timeout=180, check=True)
        return done.stdout

    def found() -> list[Path]:
        return [path for path in prefix.rglob("*") if "pprl" in path.name.lower()]

    wine(str(setup), "/S")
    place = next(path for path in found() if path.name == "PPRL Desktop" and path.is_dir())
    assert (place / "_internal" / "library.dll").is_file()
    assert "AppData" in place.as_posix()  # the user's own folder: no administrator needed
    assert "PPRLDesktop.Project" in wine("reg", "query", r"HKCU\Software\Classes\.pprlproject")
    wine(str(place / "uninstall.exe"), "/S", f"_?={_windows_path(place, prefix)}")
    left = [path for path in found() if path != place and path.name != "uninstall.exe"]
    assert left == []
    gone = subprocess.run(["wine", "reg", "query", r"HKCU\Software\Classes\.pprlproject"], env=env, capture_output=True)
    assert gone.returncode != 0


def _windows_path(path: Path, prefix: Path) -> str:
    """_?= keeps the uninstaller in the foreground (it then cannot delete itself and its own folder)."""
    return "C:\\" + str(path.relative_to(prefix / "drive_c")).replace("/", "\\")
