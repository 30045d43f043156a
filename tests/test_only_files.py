"""A pipe, a device or a folder in the place of a file is refused at once, whatever kind of file was expected."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes and devices of the POSIX kind")

OPEN = """
    import sys
    from pathlib import Path
    from pprl_desktop import files
    from pprl_desktop.exchange import card, identity, inbox, refusals
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.passphrase import Cost
    from pprl_desktop.problem import Problem
    from pprl_desktop.project.project import Project
    from pprl_desktop.records.reading import preview, read_table
    from pprl_desktop.reference.load import reference_set
    from pprl_desktop.review import mindfirl, share
    from pprl_desktop.review.ledger import read_entries
    from pprl_desktop.review.sealing import read_with_key

    home = Home(Path(sys.argv[1]))
    own = identity.new("General Hospital")
    home.create(own, "four unrelated words here", Cost(memory=8, passes=1, lanes=1))
    kinds = {
        "table": read_table,
        "preview of a table": preview,
        "reference set": reference_set,
        "card": card.read_file,
        "letter": lambda path: inbox.open_file(home, own, path),
        "share": lambda path: share.open_share(path, "four unrelated words here"),
        "decisions": lambda path: read_with_key(path, "decisions", own.keys),
        "ledger of a review": read_entries,
        "MINDFIRL pairs": mindfirl.read_review,
        "MINDFIRL frequencies": mindfirl.read_frequencies,
        "project": Project.open,
        "identity": lambda path: files.read_bytes(path, 9999, refusals.not_a_bundle()),
        "hash": files.sha256,
    }
    for path in map(Path, sys.argv[2:]):
        for kind, act in kinds.items():
            print(kind, path.name, flush=True)
            try:
                act(path)
            except Problem:
                continue
            raise SystemExit(f"{kind}: {path.name} was accepted")
"""


def test_only_files_are_opened_and_nothing_waits(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    ways = [str(pipe), str(folder), "/dev/zero", "/dev/null"]
    try:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(OPEN), str(tmp_path / "home"), *ways],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    except subprocess.TimeoutExpired as hung:
        pytest.fail(f"waits for ever: {(hung.stdout or b'').decode().splitlines()[-1]}")
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
