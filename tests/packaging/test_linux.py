"""The .deb installs into a bare Debian 12 without Python, works there without a network, and leaves nothing.

uv run --group package packaging/build.py --installers
uv run pytest -m frozen -n 0 -s tests/packaging/test_linux.py      (as root; needs debootstrap)

The pictures of the window are kept in dist/pictures, to be looked at. BARE_DEBIAN=folder uses a system that debootstrap
made before.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from tests.packaging.loading import load

ROOT = Path(__file__).resolve().parent.parent.parent
DIST = ROOT / "dist"
APP = DIST / "pprl-desktop" / "pprl-desktop"
PICTURES = DIST / "pictures"
pytestmark = pytest.mark.frozen
START_LIMIT = 3.0  # seconds, a promise of the installer
NO_NETWORK = ("unshare", "--net")


@pytest.fixture(scope="module")
def app() -> Path:
    if not APP.exists():
        pytest.skip("build it first: uv run --group package packaging/build.py --installers")
    return APP


def need_root(*programs: str) -> None:
    missing = [name for name in programs if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        pytest.skip(f"needs root and {', '.join(programs)}")


def test_the_frozen_program_does_every_job_without_a_network(app: Path) -> None:
    need_root("unshare")
    load("check").check(app, NO_NETWORK)


def test_the_frozen_program_starts_quickly(app: Path) -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([str(app), "--version"], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    print(f"frozen start: {min(times):.2f} s (limit {START_LIMIT} s)")
    assert min(times) < START_LIMIT


def test_the_window_is_on_the_screen_quickly(app: Path, tmp_path: Path) -> None:
    """From the start of the program to the window, on a screen of its own."""
    if not shutil.which("Xvfb") or not shutil.which("xwininfo"):
        pytest.skip("needs xvfb and x11-utils")
    env = {"DISPLAY": ":93", "HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    screen = subprocess.Popen(["Xvfb", ":93", "-screen", "0", "1440x900x24", "-nolisten", "tcp"])
    times = []
    try:
        while subprocess.run(["xwininfo", "-root"], env=env, capture_output=True).returncode:
            assert screen.poll() is None, "the screen did not start"
            time.sleep(0.05)
        for _ in range(3):
            start = time.perf_counter()
            program = subprocess.Popen([str(app)], env=env)
            while not shown(env) and program.poll() is None:
                time.sleep(0.02)
            times.append(time.perf_counter() - start)
            assert program.poll() is None, "the program ended"
            program.terminate()
            program.wait()
    finally:
        screen.terminate()
        screen.wait()
    print(f"window of the frozen program: {', '.join(f'{one:.2f}' for one in times)} s (limit {START_LIMIT} s)")
    assert min(times) < START_LIMIT


def shown(env: dict[str, str]) -> bool:
    tree = subprocess.run(["xwininfo", "-root", "-tree"], env=env, capture_output=True, text=True).stdout
    windows = [line.split()[0] for line in tree.splitlines() if '"PPRL Desktop"' in line]
    command = ["xwininfo", "-id", *windows[:1]]
    return bool(windows) and "IsViewable" in subprocess.run(command, env=env, capture_output=True, text=True).stdout


def test_nothing_of_the_bundle_is_missing_or_left_over(app: Path) -> None:
    """No link without its file, no file of Python's development, no second toolkit."""
    folder = app.parent
    assert [path for path in folder.rglob("*") if path.is_symlink() and not path.exists()] == []
    names = {path.name for path in folder.rglob("*")}
    assert not [name for name in names if name.startswith(("libgtk", "libgdk", "libQt6Network", "libQt6Qml"))]
    inside = {path.name for path in (folder / "_internal").iterdir()}
    assert not {name.split("-")[0] for name in inside} & {*load("inventory").strangers(), "matplotlib", "tkinter"}
    assert not [name for name in names if name.endswith((".pyx", ".pxd", ".cpp", ".h", ".build"))]
    libraries = [path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink()]
    assert len({hashlib.sha256(path.read_bytes()).digest() for path in libraries}) == len(libraries)
    if shutil.which("readelf"):
        command = ["readelf", "-SW", *map(str, libraries)]
        sections = subprocess.run(command, capture_output=True, text=True).stdout
        assert ".debug_info" not in sections


def test_the_archive_runs_where_it_is_unpacked(app: Path, tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    packed = next(DIST.glob("*.tar.zst"), None)
    if packed is None:
        pytest.skip("build it first with --installers")
    with (
        packed.open("rb") as file,
        zstandard.ZstdDecompressor().stream_reader(file) as plain,
        tarfile.open(fileobj=plain, mode="r|") as tar,
    ):
        tar.extractall(tmp_path, filter="tar")
    program = next(tmp_path.glob("pprl-desktop-*/pprl-desktop"))
    done = subprocess.run([program, "--version"], env={"PATH": ""}, capture_output=True, text=True)
    assert done.stdout.startswith("pprl-desktop ")


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare Debian 12 in a folder, with what the package needs of the system and a screen to look at."""
    need_root("debootstrap", "chroot", "unshare")
    package = next(DIST.glob("*.deb"), None)
    if package is None:
        pytest.skip("build it first with --installers")
    folder = Path(os.environ.get("BARE_DEBIAN") or tmp_path_factory.mktemp("debian"))
    if not (folder / "etc" / "debian_version").exists():
        command = ["debootstrap", "--variant=minbase", "bookworm", str(folder)]
        if subprocess.run(command, capture_output=True).returncode:
            pytest.skip("debootstrap could not reach the package archive")
    shutil.copyfile(package, folder / "tmp" / "pprl.deb")
    if Path("/etc/resolv.conf").exists():
        shutil.copyfile("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    (folder / "usr" / "sbin" / "policy-rc.d").write_text("#!/bin/sh\nexit 101\n")  # starts no service in the folder
    (folder / "usr" / "sbin" / "policy-rc.d").chmod(0o755)
    fields = [inside(folder, "dpkg-deb", "-f", "/tmp/pprl.deb", name).stdout for name in ("Depends", "Recommends")]
    needs = [need.split("(")[0].strip() for need in ",".join(fields).split(",")]
    inside(folder, "apt-get", "update", "-qq", network=True)
    done = inside(
        folder, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "xvfb", "xauth", "x11-apps",
        "shared-mime-info", "desktop-file-utils", *needs, network=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def inside(folder: Path, *command: str, network: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", **env}
    plain["DEBIAN_FRONTEND"] = "noninteractive"
    if network:
        plain |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    # /proc is mounted in a namespace of the command's own, so that nothing stays mounted whatever happens
    alone = ["unshare", "--mount", *(() if network else ("--net",))]
    enter = ["sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', str(folder)]
    return subprocess.run([*alone, *enter, *command], capture_output=True, text=True, env=plain, timeout=900)


def files(folder: Path) -> set[str]:
    """Everything but what belongs to the user, the kernel and the package manager's own books."""
    skip = {"proc", "sys", "dev", "tmp", "root", "var/cache", "var/lib/apt", "var/log", "var/lib/dpkg"}
    found = set()
    for place, folders, names in os.walk(folder):
        here = Path(place).relative_to(folder)
        folders[:] = [name for name in folders if (here / name).as_posix() not in skip]
        found |= {(here / name).as_posix() for name in (*folders, *names)}
    return found


def picture(folder: Path, name: str, *arguments: str) -> bytes:
    """What a screen in there shows some seconds after the start, as an xwd dump; kept as PNG."""
    script = (
        "Xvfb :7 -screen 0 1440x900x24 -nolisten tcp & screen=$!; sleep 3; export DISPLAY=:7; "
        f"pprl-desktop {' '.join(arguments)} 2> /tmp/{name}.err & program=$!; sleep 15; "
        f"xwd -root -out /tmp/{name}.xwd; kill $program; sleep 1; kill $screen; wait"
    )
    inside(folder, "bash", "-c", script)
    dump = folder / "tmp" / f"{name}.xwd"
    PICTURES.mkdir(parents=True, exist_ok=True)
    save_png(dump, PICTURES / f"{name}.png")
    complaint = (folder / "tmp" / f"{name}.err").read_text(errors="replace")
    assert "Traceback" not in complaint, complaint
    assert "rror" not in complaint, complaint
    return dump.read_bytes()


def save_png(dump: Path, target: Path) -> None:
    """An xwd file of a true-colour screen: a head of big-endian numbers, colours, lines."""
    from PySide6.QtGui import QImage

    data = dump.read_bytes()
    head = struct.unpack(">25I", data[:100])
    start, width, height, line, colours = head[0], head[4], head[5], head[12], head[19]
    layout = QImage.Format.Format_RGB32 if head[11] == 32 else QImage.Format.Format_BGR888
    picture = QImage(data[start + 12 * colours :], width, height, line, layout)
    assert picture.save(str(target))


def test_the_package_installs_works_and_leaves_nothing(debian: Path) -> None:
    assert inside(debian, "sh", "-c", "command -v python3 || command -v python").returncode != 0
    before = files(debian)
    done = inside(debian, "dpkg", "-i", "/tmp/pprl.deb")
    assert done.returncode == 0, done.stderr

    assert inside(debian, "pprl-desktop", "--version").stdout.startswith("pprl-desktop ")
    done = inside(debian, "pprl-desktop", "demo", "--headless", "--out", "/tmp/demo")
    assert done.returncode == 0, done.stderr
    assert (debian / "tmp" / "demo" / "hospital_a" / "report.html").is_file()

    for kind, file in (
        ("project", "demo/hospital_a/hospital_a.pprlproject"),
        ("bundle", "demo/post/bundle_of_b.pprl"),
        ("card", "demo/post/card_of_b.pprlcard"),
    ):
        types = (debian / "usr/share/mime/globs2").read_text(encoding="utf-8")
        assert f"application/x-pprl-{kind}:*{Path(file).suffix}" in types
        known = (debian / "usr/share/applications/mimeinfo.cache").read_text(encoding="utf-8")
        assert f"application/x-pprl-{kind}=pprl-desktop.desktop" in known
    assert inside(debian, "desktop-file-validate", "/usr/share/applications/pprl-desktop.desktop").stdout == ""

    for name, arguments in (
        ("welcome", ["--light"]),
        ("project", ["/tmp/demo/hospital_a/hospital_a.pprlproject"]),
    ):
        seen = picture(debian, name, *arguments)
        assert len(seen) > 1_000_000
        assert len(set(seen[4000:4_000_000:997])) > 20, "the screen stayed empty"

    done = inside(debian, "dpkg", "--purge", "pprl-desktop")
    assert done.returncode == 0, done.stderr
    left = files(debian) - before
    assert left == set()
    assert before - files(debian) == set()
    assert "pprl" not in (debian / "usr/share/mime/globs2").read_text(encoding="utf-8")
    assert (debian / "tmp" / "demo" / "hospital_a").is_dir()  # the steward's own work stays
