"""The Windows installer compiles, installs for one user and removes itself; around a stub, since only Windows freezes.

uv run pytest -m frozen -n 0 tests/packaging/test_windows.py    (needs makensis, and wine for all but the first test)
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.packaging.loading import load

pytestmark = pytest.mark.frozen
CLASSES = r"HKCU\Software\Classes"
UNINSTALL = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\PPRL Desktop"
KINDS = {".pprlproject": "PPRLDesktop.Project", ".pprl": "PPRLDesktop.Bundle", ".pprlcard": "PPRLDesktop.Card"}


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("makensis"):
        pytest.skip("makensis is not installed")
    folder = tmp_path_factory.mktemp("windows")
    app = folder / "app"
    (app / "_internal").mkdir(parents=True)
    for name in ("pprl-desktop.exe", "PPRL Desktop.exe", "_internal/library.dll"):
        (app / name).write_bytes(b"MZ stub")
    made: Path = load("windows").installer(app, folder)
    return made


class Wine:
    """One Windows user's computer in a folder."""

    def __init__(self, prefix: Path) -> None:
        self.prefix = prefix
        self.env = os.environ | {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "DISPLAY": ""}

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["wine", *command], env=self.env, capture_output=True, text=True, timeout=240)

    def value(self, key: str, *name: str) -> str:
        """What the registry holds, or '' where the key is not there."""
        done = self.run("reg", "query", key, *(("/v", *name) if name else ("/ve",)))
        return done.stdout if done.returncode == 0 else ""

    def place(self) -> Path:
        return next(path for path in self.prefix.rglob("PPRL Desktop") if path.is_dir())

    def traces(self) -> list[Path]:
        return [path for path in self.prefix.rglob("*") if "pprl" in path.name.lower()]

    def uninstall(self) -> None:
        """_?= keeps the uninstaller in the foreground (it then cannot delete itself and its own folder)."""
        place = self.place()
        windows = "C:\\" + str(place.relative_to(self.prefix / "drive_c")).replace("/", "\\")
        done = self.run(str(place / "uninstall.exe"), "/S", f"_?={windows}")
        assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wine]:
    if not shutil.which("wine"):
        pytest.skip("wine is not installed")
    made = Wine(tmp_path_factory.mktemp("prefix") / "wine")
    yield made
    subprocess.run(["wineserver", "-k"], env=made.env, check=False, capture_output=True)


def test_it_compiles(setup: Path) -> None:
    assert setup.read_bytes()[:2] == b"MZ"


def test_it_installs_for_the_user_and_leaves_nothing(setup: Path, wine: Wine) -> None:
    assert wine.run(str(setup), "/S").returncode == 0
    place = wine.place()
    assert (place / "_internal" / "library.dll").is_file()
    assert "AppData" in place.as_posix()  # the user's own folder: no administrator needed
    for suffix, kind in KINDS.items():
        assert kind in wine.value(rf"{CLASSES}\{suffix}")
        opens = wine.value(rf"{CLASSES}\{kind}\shell\open\command")
        assert 'PPRL Desktop.exe" "%1"' in opens.replace("\\\\", "\\")
    assert "PPRL Desktop" in wine.value(UNINSTALL, "DisplayName")
    assert "/S" in wine.value(UNINSTALL, "QuietUninstallString")
    wine.uninstall()
    left = [path for path in wine.traces() if path != place and path.name != "uninstall.exe"]
    assert left == []
    for suffix, kind in KINDS.items():
        assert wine.value(rf"{CLASSES}\{suffix}") == ""
        assert wine.value(rf"{CLASSES}\{kind}") == ""
    assert wine.value(UNINSTALL, "DisplayName") == ""


def test_a_newer_version_replaces_the_older_one_as_a_whole(setup: Path, wine: Wine) -> None:
    wine.run(str(setup), "/S")
    place = wine.place()
    (place / "_internal" / "of_an_older_version.dll").write_bytes(b"MZ")
    (place / "notes of the user.txt").write_text("mine", encoding="utf-8")
    assert wine.run(str(setup), "/S").returncode == 0
    assert not (place / "_internal" / "of_an_older_version.dll").exists()
    wine.run("reg", "add", rf"{CLASSES}\.pprl", "/ve", "/d", "Another.Program", "/f")
    wine.uninstall()
    assert (place / "notes of the user.txt").is_file()  # only what was installed goes
    assert "Another.Program" in wine.value(rf"{CLASSES}\.pprl")
