"""Builds the application for this system, then checks what it built.

    python packaging/build.py                 the frozen application in dist/
    python packaging/build.py --installers    and what this system installs from (.deb and .tar.zst, .exe, .dmg)
    python packaging/build.py --check         only check an application that is already there

Needs the dependency group `package`: uv run --group package packaging/build.py
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "packaging"))

import check  # noqa: E402
import inventory  # noqa: E402
import linux  # noqa: E402
import macos  # noqa: E402
import windows  # noqa: E402

from pprl_desktop import __version__  # noqa: E402

DIST = ROOT / "dist"
APP = DIST / "pprl-desktop"


def program() -> Path:
    """What a steward will start: on macOS the one inside the .app, which is what ships there."""
    if sys.platform == "darwin":
        return DIST / "PPRL Desktop.app" / "Contents" / "MacOS" / "pprl-desktop"
    return APP / ("pprl-desktop.exe" if sys.platform == "win32" else "pprl-desktop")


def freeze() -> None:
    """PyInstaller's onedir bundle, with the inventory of what is inside."""
    inventory.write(ROOT / "resources" / "about")
    subprocess.run(
        [sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN",
         "--distpath", str(DIST), "--workpath", str(ROOT / "build"), str(ROOT / "packaging" / "pprl_desktop.spec")],
        check=True, cwd=ROOT,
    )  # fmt: skip
    if sys.platform.startswith("linux"):
        linux.strip(APP)
        linux.share(APP)


def sizes() -> None:
    """What takes the room, by component."""
    total: Counter[str] = Counter()
    inside = APP / "_internal"
    for path in APP.rglob("*"):
        if path.is_file() and not path.is_symlink():
            parts = path.relative_to(inside).parts if inside in path.parents else ("program",)
            name = parts[0].removesuffix(".libs") if len(parts) > 1 else "python and system libraries"
            total[name if parts[0] != "program" else "program"] += path.stat().st_size
    print(f"{sum(total.values()) / 1e6:8.1f} MB in all")
    for name, size in total.most_common(15):
        print(f"{size / 1e6:8.1f} MB  {name}")


def checksums() -> None:
    """One line per file to download; the bill of materials lies beside them."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, "linux")
    bill = f"pprl-desktop-{__version__}-{system}-{platform.machine().lower()}.cdx.json"
    shutil.copyfile(ROOT / "resources" / "about" / "sbom.cdx.json", DIST / bill)
    made = sorted(path for path in DIST.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in made]
    (DIST / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print("\n".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only check what is there")
    parser.add_argument("--installers", action="store_true", help="also make this system's installers")
    args = parser.parse_args()
    if not args.check:
        freeze()
    check.check(program())
    sizes()
    if args.installers:
        maker = {"win32": windows.installer, "darwin": macos.image}.get(sys.platform, linux.packages)
        maker(APP, DIST)
        checksums()


if __name__ == "__main__":
    main()
