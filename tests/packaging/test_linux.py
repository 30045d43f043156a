"""The .deb installs into a bare Debian 12 without Python, works there without a network, and leaves nothing.

uv run --group package packaging/build.py --installers
uv run pytest -m frozen -n 0 tests/packaging/test_linux.py      (as root; needs debootstrap, xvfb on the host)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
APP = ROOT / "dist" / "pprl-desktop" / "pprl-desktop"
pytestmark = pytest.mark.frozen
START_LIMIT = 3.0  # seconds to the first answer of the frozen program, a promise of the installer issue


@pytest.fixture(scope="module")
def app() -> Path:
    if not APP.exists():
        pytest.skip("build it first: uv run --group package packaging/build.py")
    return APP


def test_the_frozen_program_does_the_whole_job_without_a_network(app: Path, tmp_path: Path) -> None:
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("needs root and unshare")
    command = ["unshare", "--net", str(app), "demo", "--headless", "--out", str(tmp_path / "demo")]
    done = subprocess.run(command, capture_output=True, text=True, env={"HOME": str(tmp_path), "PATH": ""})
    assert done.returncode == 0, done.stderr


def test_the_frozen_program_starts_quickly(app: Path) -> None:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run([str(app), "--version"], check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    print(f"frozen start: {min(times):.2f} s (limit {START_LIMIT} s)")


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare Debian 12 in a folder."""
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("needs root and debootstrap")
    folder = tmp_path_factory.mktemp("debian")
    done = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(folder)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("debootstrap could not reach the package archive")
    for name in ("sources.list", "apt.conf.d", "trusted.gpg.d"):  # how this machine reaches the archive
        source, target = Path("/etc/apt") / name, folder / "etc" / "apt" / name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copyfile(source, target)
    shutil.copyfile("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    return folder


def inside(debian: Path, *command: str, network: bool = False, **env: str) -> subprocess.CompletedProcess[str]:
    alone = [] if network else ["unshare", "--net"]
    plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", **env}
    if network:
        plain |= {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    return subprocess.run(
        [*alone, "chroot", str(debian), *command], capture_output=True, text=True, env=plain, timeout=900
    )


def files(debian: Path) -> set[str]:
    skip = ("proc", "sys", "dev", "tmp", "root", "var/cache", "var/lib/apt", "var/log", "var/lib/dpkg")
    found = set()
    for path in debian.rglob("*"):
        name = path.relative_to(debian).as_posix()
        if not name.startswith(skip):
            found.add(name)
    return found


def test_the_package_installs_works_and_leaves_nothing(app: Path, debian: Path) -> None:
    package = next((ROOT / "dist").glob("*.deb"))
    shutil.copyfile(package, debian / "tmp" / "pprl.deb")
    assert inside(debian, "sh", "-c", "command -v python3").returncode != 0
    # what the package needs of the system comes first, so that the comparison is of the package alone
    inside(debian, "apt-get", "update", "-qq", network=True)
    needs = inside(debian, "dpkg-deb", "-f", "/tmp/pprl.deb", "Depends").stdout.replace("(>= 2.35)", "").split(",")
    done = inside(
        debian, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "xvfb", "xauth", "x11-apps",
        *(need.strip() for need in needs), network=True, DEBIAN_FRONTEND="noninteractive",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    before = files(debian)
    done = inside(debian, "dpkg", "-i", "/tmp/pprl.deb")
    assert done.returncode == 0, done.stderr

    done = inside(debian, "pprl-desktop", "demo", "--headless", "--out", "/tmp/demo")
    assert done.returncode == 0, done.stderr
    assert (debian / "tmp" / "demo").is_dir()

    script = (
        "Xvfb :7 -screen 0 1280x800x24 & sleep 2; export DISPLAY=:7; "
        "pprl-desktop & sleep 8; xwd -root -out /tmp/window.xwd; kill %2; kill %1; wait"
    )
    inside(debian, "bash", "-c", script)
    picture = debian / "tmp" / "window.xwd"
    assert picture.stat().st_size > 1_000_000
    assert len(set(picture.read_bytes()[4000:400_000:997])) > 4, "the screen stayed empty"
    print(f"screenshot: {picture}")

    done = inside(debian, "dpkg", "--purge", "pprl-desktop")
    assert done.returncode == 0, done.stderr
    assert files(debian) == before
