"""Linux: a .tar.zst to unpack anywhere and a .deb with desktop entry, icons, file types and clean removal."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from pprl_desktop import __version__

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "packaging" / "linux"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
# what the bundle does not bring along, by Debian 12 and Ubuntu 22.04 names: the graphics driver's libraries, the
# keyboard's and the fonts' descriptions
DEPENDS = "libegl1, libgl1, libxcb1, xkb-data, fontconfig-config"
RECOMMENDS = "libwayland-client0, libwayland-cursor0, libwayland-egl1"
FILE_TYPES = ("project", "bundle", "card")
_GLIBC = re.compile(rb"\0GLIBC_2\.(\d+)(?=\0)")


def packages(app: Path, dist: Path) -> None:
    print(archive(app, dist).name)
    print(debian(app, dist).name)


def strip(app: Path) -> None:
    """Debugging symbols out: some wheels ship them. Libraries in *.libs, rewritten by their makers, would break."""
    files = [
        str(path)
        for path in app.rglob("*.so*")
        if path.is_file() and not path.is_symlink() and not any(part.endswith(".libs") for part in path.parts)
    ]
    subprocess.run(["strip", "--strip-unneeded", *files], check=True)


def share(app: Path) -> None:
    """Libraries that two wheels bring along alike lie there once, with links in the other places."""
    found: dict[bytes, Path] = {}
    for path in sorted(app.rglob("*.so*")):
        if path.is_file() and not path.is_symlink():
            digest = hashlib.sha256(path.read_bytes()).digest()
            first = found.setdefault(digest, path)
            if first != path:
                path.unlink()
                path.symlink_to(os.path.relpath(first, path.parent))


def archive(app: Path, dist: Path) -> Path:
    import zstandard

    target = dist / f"pprl-desktop-{__version__}-linux-x86_64.tar.zst"
    packer = zstandard.ZstdCompressor(level=12, threads=-1)
    with (
        target.open("wb") as file,
        packer.stream_writer(file) as packed,
        tarfile.open(fileobj=packed, mode="w|") as tar,
    ):
        tar.add(app, arcname=f"pprl-desktop-{__version__}")
    return target


def debian(app: Path, dist: Path) -> Path:
    target = dist / f"pprl-desktop_{__version__}_amd64.deb"
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "deb"
        lay_out(app, tree)
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", str(tree), str(target)],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    return target


def glibc(app: Path) -> str:
    """The newest version of the C library that any file asks for: on an older system the program cannot start."""
    newest = 0
    for path in app.rglob("*"):
        if path.is_file() and not path.is_symlink() and (".so" in path.name or path.name == "pprl-desktop"):
            newest = max([newest, *(int(found) for found in _GLIBC.findall(path.read_bytes()))])
    return f"2.{newest}"


def lay_out(app: Path, tree: Path) -> None:
    """The package's files where the system wants them."""
    # not /opt: no package owns that folder, so removing this one would take it along
    shutil.copytree(app, tree / "usr" / "lib" / "pprl-desktop", symlinks=True)
    (tree / "usr" / "bin").mkdir(parents=True)
    os.symlink("../lib/pprl-desktop/pprl-desktop", tree / "usr" / "bin" / "pprl-desktop")
    copy(HERE / "pprl-desktop.desktop", tree / "usr" / "share" / "applications" / "pprl-desktop.desktop")
    copy(HERE / "pprl-desktop.xml", tree / "usr" / "share" / "mime" / "packages" / "pprl-desktop.xml")
    copy(ROOT / "LICENSE", tree / "usr" / "share" / "doc" / "pprl-desktop" / "copyright")
    icons = tree / "usr" / "share" / "icons" / "hicolor"
    copy(ROOT / "resources" / "icons" / "app.svg", icons / "scalable" / "apps" / "pprl-desktop.svg")
    for size in SIZES:
        picture = ROOT / "resources" / "icons" / f"app-{size}.png"
        copy(picture, icons / f"{size}x{size}" / "apps" / "pprl-desktop.png")
        for kind in FILE_TYPES:
            copy(picture, icons / f"{size}x{size}" / "mimetypes" / f"application-x-pprl-{kind}.png")
    control = tree / "DEBIAN"
    control.mkdir()
    room = sum(path.stat().st_size for path in tree.rglob("*") if path.is_file() and not path.is_symlink()) // 1024
    (control / "control").write_text(
        f"Package: pprl-desktop\nVersion: {__version__}\nArchitecture: amd64\nSection: science\nPriority: optional\n"
        f"Maintainer: The PPRL Desktop authors <pprl-desktop@localhost>\nInstalled-Size: {room}\n"
        f"Depends: libc6 (>= {glibc(app)}), {DEPENDS}\nRecommends: {RECOMMENDS}\n"
        "Description: link records of two organisations without showing the rest\n"
        " An offline program for data stewards: smashed data, sealed bundles, masked review.\n",
        encoding="utf-8",
    )
    for name in ("postinst", "postrm"):
        copy(HERE / name, control / name)
        (control / name).chmod(0o755)
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink() and path.is_dir():
            path.chmod(0o755)


def copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
