"""What the computer keeps of the program: no image of the memory with keys in it, nothing others can look into."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PROGRAM = """
    import ctypes, os, resource, sys
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    from pathlib import Path
    from pprl_desktop.exchange import identity
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.passphrase import Cost
    made = identity.new("General Hospital")
    Home(Path(sys.argv[1]) / "home").create(made, "four unrelated words here", Cost(memory=8, passes=1, lanes=1))
    Home(Path(sys.argv[1]) / "home").unlock("four unrelated words here")
    print(resource.getrlimit(resource.RLIMIT_CORE))
    if sys.platform == "linux":
        print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))  # PR_GET_DUMPABLE
    sys.stdout.flush()
    os.abort()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of the POSIX kind")
def test_a_crash_with_unlocked_keys_leaves_no_image_of_the_memory(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode < 0, done.stderr
    assert done.stdout.split("\n")[0] == "(0, 0)"
    if sys.platform == "linux":
        assert done.stdout.split("\n")[1] == "0"
    assert {path.name for path in tmp_path.iterdir()} == {"home"}


@pytest.mark.skipif(sys.platform == "win32", reason="modes of the POSIX kind")
def test_everything_in_the_home_folder_is_closed_to_others(tmp_path: Path) -> None:
    import os

    from .conftest import agree, export, introduce, make_party, people

    before = os.umask(0)  # the most careless setting
    try:
        a, b = make_party(tmp_path / "a", "General Hospital"), make_party(tmp_path / "b", "Cancer Registry")
        introduce(a, b)
        agree(a, b, tmp_path)
        export(a.home, a.own, a.home.agreement(), people(0, 30), tmp_path / "a1.pprl")
    finally:
        os.umask(before)
    for home in (a.home.path, b.home.path):
        modes = {str(path.relative_to(home)): path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))}
        assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
