"""Disk full, read-only folder, locked file, power cut: the old file or the new one, never half of one."""

from __future__ import annotations

import contextlib
import errno
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop import files
from pprl_desktop.exchange import bundles, letters, seal
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Failure, Problem

from .conftest import PASSPHRASE, Scene, export, people

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mounts, signals and limits of POSIX")

A, B = Keys.new(), Keys.new()
MANIFEST = Manifest(
    "data", "00" * 16, "00" * 32, 1, "00" * 32, A.public().party, B.public().party, "2026-01-01T00:00:00Z", ""
)
BIG = {"big": np.frombuffer(np.random.default_rng(0).bytes(3 << 20), np.uint8)}


@contextlib.contextmanager
def small_disk(folder: Path, megabytes: int, *options: str) -> Iterator[Path]:
    """A real file system of that size; skipped where mounting is not allowed."""
    place = folder / "disk"
    place.mkdir()
    said = ",".join([f"size={megabytes}m", *options])
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run([mount, "-t", "tmpfs", "-o", said, "tmpfs", place], capture_output=True).returncode
    ):
        pytest.skip("mounting a small disk is not allowed here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check before writing is switched off, so that the disk really runs full in the middle of the file."""
    monkeypatch.setattr(files, "need_space", lambda *_: None)
    with small_disk(tmp_path, 2) as disk:
        target = disk / "x.pprl"
        seal.seal(target, MANIFEST, {}, A, B.public())
        before = target.read_bytes()
        with pytest.raises(Failure, match="disk is full"):
            seal.seal(target, MANIFEST, BIG, A, B.public())
        assert target.read_bytes() == before
        assert [path.name for path in disk.iterdir()] == ["x.pprl"]


def test_a_full_disk_is_noticed_before_anything_is_written(tmp_path: Path) -> None:
    with small_disk(tmp_path, 2) as disk:
        with pytest.raises(Failure, match="disk is full"):
            seal.seal(disk / "x.pprl", MANIFEST, BIG, A, B.public())
        assert not list(disk.iterdir())


def test_a_full_disk_while_opening_leaves_the_home_as_it_was(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    from pprl_desktop.exchange import inbox

    from .conftest import everything

    before = everything(scene.b.home.path)
    monkeypatch.setattr(files, "SPARE", 1 << 60)
    with pytest.raises(Failure, match="disk is full"):
        inbox.open_file(scene.b.home, scene.b.own, scene.bundle)
    assert everything(scene.b.home.path) == before


def child(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)], capture_output=True, text=True
    )


def test_a_limit_on_the_size_of_files_leaves_nothing(tmp_path: Path) -> None:
    """The quota of a user, caused by the system's own limit on file sizes."""
    program = """
        import resource, signal, sys
        from pathlib import Path
        from pprl_desktop import files
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        try:
            files.write_bytes(Path(sys.argv[1]), bytes(3 << 20))
        except files.Failure as failure:
            print(failure)
    """
    target = tmp_path / "x"
    target.write_bytes(b"old")
    done = child(program, target)
    assert "disk is full" in done.stdout, done.stderr
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_read_only_disk_is_refused(tmp_path: Path) -> None:
    with small_disk(tmp_path, 2) as disk:
        (disk / "x").write_bytes(b"old")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with pytest.raises(Failure, match="read-only"):
            files.write_bytes(disk / "x", b"new")
        assert (disk / "x").read_bytes() == b"old"


def test_a_folder_one_may_not_write_in_is_refused() -> None:
    program = """
        import os, sys
        from pathlib import Path
        from pprl_desktop import files
        if os.geteuid() == 0:
            os.setuid(65534)  # the administrator may write everywhere; "nobody" may not
        try:
            files.write_bytes(Path(sys.argv[1]) / "x", b"new")
        except files.Failure as failure:
            print(failure)
    """
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "x").write_bytes(b"old")
        folder.chmod(0o555)
        done = child(program, folder)
        assert "does not allow it" in done.stdout, done.stderr
        assert (folder / "x").read_bytes() == b"old"
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_a_file_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    """A file held by the system, as another program's lock holds it on Windows."""
    target = tmp_path / "x"
    target.write_bytes(b"old")
    chattr = shutil.which("chattr")
    if chattr is None or subprocess.run([chattr, "+i", target], capture_output=True).returncode:
        pytest.skip("files cannot be held here")
    try:
        with pytest.raises(Failure, match="does not allow it"):
            files.write_bytes(target, b"new")
        assert target.read_bytes() == b"old"
        assert [path.name for path in tmp_path.iterdir()] == ["x"]
    finally:
        subprocess.run([chattr, "-i", target], check=True)


def test_two_programs_do_not_work_in_one_home_folder(scene: Scene) -> None:
    program = """
        import sys
        from pathlib import Path
        from pprl_desktop.exchange.home import Home
        from pprl_desktop.problem import Problem
        try:
            with Home(Path(sys.argv[1])).locked():
                print("in")
        except Problem as problem:
            print(problem)
    """
    with scene.a.home.locked():
        assert "Another PPRL Desktop is working" in child(program, scene.a.home.path).stdout
    assert child(program, scene.a.home.path).stdout == "in\n"


def test_what_a_power_cut_left_is_removed_by_the_next_write(tmp_path: Path) -> None:
    target = tmp_path / "odd [name].pprl"
    (tmp_path / ".odd [name].pprl.0123456789abcdef.part").write_bytes(b"half")
    (tmp_path / ".other.pprl.0123456789abcdef.part").write_bytes(b"not ours")
    files.write_bytes(target, b"whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".other.pprl.0123456789abcdef.part", target.name]


def test_a_file_being_written_by_another_program_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "x"
    with files.replacing(target) as first:
        files.write_bytes(target, b"second")
        first.write(b"first")
    assert target.read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (FileNotFoundError(errno.ENOENT, "x"), "not found"), (IsADirectoryError(errno.EISDIR, "x"), "folder"),
        (OSError(errno.ENOSPC, "x"), "disk is full"), (OSError(errno.EDQUOT, "x"), "disk is full"),
        (OSError(errno.EROFS, "x"), "read-only"), (PermissionError(errno.EACCES, "x"), "open in another program"),
        (OSError(errno.EIO, "Input/output error"), "Input/output error"), (OSError("odd"), "OSError"),
    ],
)  # fmt: skip
def test_what_the_computer_refuses_is_said_in_words(error: OSError, word: str) -> None:
    assert word in str(files.refused(error).sentence())


def test_files_of_the_home_folder_are_for_the_owner_only(scene: Scene) -> None:
    private = [scene.a.home.path / "identity.json", scene.a.home.folder(scene.a.agreement.id) / "secret"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in private)


EXPORT = """
    import sys
    from pathlib import Path
    from pprl_desktop.exchange.home import Home
    sys.path.insert(0, sys.argv[3])
    import importlib.util
    spec = importlib.util.spec_from_file_location("scene", Path(sys.argv[3]) / "conftest.py")
    scene = importlib.util.module_from_spec(spec)
    sys.modules["scene"] = scene
    spec.loader.exec_module(scene)
    home = Home(Path(sys.argv[1]))
    own = home.unlock(scene.PASSPHRASE)
    numbers = range(int(sys.argv[4]), int(sys.argv[4]) + 40)
    tables = [scene.people(k % 800, k % 800 + 60 + k // 800) for k in numbers]  # no two alike, all within the limit
    print("ready", flush=True)
    for table in tables:
        scene.export(home, own, home.agreement(), table, Path(sys.argv[2]))
    print("done", flush=True)
"""


def kill_in_a_loop(scene: Scene, times: int) -> None:
    rng = random.Random(11)
    scene.a.home.ledger().set_limit("releases", None)
    home, out = scene.a.home.path, scene.folder / "out.pprl"
    for turn in range(times):
        arguments = [home, out, Path(__file__).parent, 40 * turn]
        command = [sys.executable, "-c", textwrap.dedent(EXPORT), *map(str, arguments)]
        running = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert running.stdout is not None
        assert running.stdout.readline() == b"ready\n"
        time.sleep(rng.random() * 0.3)
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdout.close()
        check_whole(scene, out)
    final = people(0, 59)
    export(scene.a.home, scene.a.own, scene.a.agreement, final, out)
    check_whole(scene, out)
    left = [path.name for path in (*out.parent.iterdir(), *home.rglob("*")) if path.name.endswith(".part")]
    assert not [name for name in left if name.startswith((".out.pprl", ".record.json"))]


def check_whole(scene: Scene, out: Path) -> None:
    """What lies on the disk after a kill: a whole file or none, and a home folder that says the truth."""
    pins = [scene.a.own.keys.public().sign]
    if out.exists():
        seal.open_sealed(out, [scene.b.own.keys], pins).check()
    home = Home(scene.a.home.path)
    assert home.unlock(PASSPHRASE) == scene.a.own
    agreement = home.agreement()
    for item in agreement.sent:
        path = letters.sent_path(home, agreement, item)
        opened = seal.open_sealed(path, [scene.b.own.keys], pins)
        opened.check()
        assert opened.digest == item.digest
        names = bundles.own_map(Signatory(home, scene.a.own, agreement.id), item)
        assert len(names.rows) == opened.manifest.body["rows"]
    assert home.ledger().verify().whole
    numbers = {release.number for release in home.ledger().releases()}
    assert {item.release for item in agreement.sent} <= numbers


def test_a_power_cut_during_export(scene: Scene) -> None:
    kill_in_a_loop(scene, 3)


@pytest.mark.slow
def test_many_power_cuts_during_export(scene: Scene) -> None:
    kill_in_a_loop(scene, 60)


def test_an_export_cut_before_it_was_published_is_published_the_same(scene: Scene) -> None:
    """The release is entered and sealed at home, then the target folder fails: the next try sends those bytes."""
    table = people(0, 80)
    with pytest.raises(Problem):
        export(scene.a.home, scene.a.own, scene.a.agreement, table, scene.folder / "missing" / "x.pprl")
    made = export(scene.a.home, scene.a.own, scene.a.agreement, table, scene.folder / "x.pprl")
    assert made.resent
    again = export(scene.a.home, scene.a.own, scene.a.agreement, table, scene.folder / "y.pprl")
    assert again.sha256 == made.sha256
    assert (scene.folder / "x.pprl").read_bytes() == (scene.folder / "y.pprl").read_bytes()
