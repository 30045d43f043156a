"""A planted surname never reaches a log, a message, a temporary file or a file name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PLANTED = "Xylowitzky"
ROWS = "".join(
    f"{n},{PLANTED if n == 7 else 'Person' + chr(65 + n % 26)},Anna,19{50 + n % 40}-01-02\n" for n in range(60)
)
GOOD = "id,last_name,first_name,birth_date\n" + ROWS
CASES = {
    "good": GOOD,
    "ragged": GOOD + f"61,{PLANTED},Anna,1950-01-01,{PLANTED}\n",
    "open quote": GOOD + f'61,"{PLANTED},Anna,1950-01-01\n62,x,y,z\n',
    "same ids": GOOD + f"7,{PLANTED},Anna,1950-01-01\n",
    "bad bytes": GOOD + f"61,{PLANTED}\udcff,Anna,1950-01-01\n",
    "no header": f"{PLANTED}\n",
}
VERBS = (
    ("profile", "table.csv"),
    ("evaluate", "table.csv", "table.csv", "--truth", "truth.csv", "--id", "id", "--fields",
     "last_name:name,first_name:name,birth_date:date", "--method", "bloom"),
    ("rehearse", "table.csv", "--fields", "last_name:name,first_name:name", "--method", "bloom", "--sample", "20"),
    ("export", "table.csv", "--out", "bundle.pprl"),
)  # fmt: skip


@pytest.mark.parametrize("case", list(CASES))
def test_no_verb_tells_or_leaves_it_anywhere(case: str, tmp_path: Path) -> None:
    work, home, temporary = (tmp_path / name for name in ("work", "home", "tmp"))
    for folder in (work, home, temporary):
        folder.mkdir()
    table = work / "table.csv"
    table.write_bytes(CASES[case].encode("utf-8", "surrogateescape"))
    (work / "truth.csv").write_text("id_a,id_b\n1,1\n2,2\n", encoding="utf-8")
    places = {"HOME": str(home), "PPRL_HOME": str(home / "keys"), "TMPDIR": str(temporary)}
    env = {**os.environ, **places, "PPRL_PASSPHRASE": "a passphrase for tests"}
    wanted = VERBS if case == "good" else (*VERBS[:1], VERBS[1])
    for verb in wanted:
        done = subprocess.run(
            [sys.executable, "-m", "pprl_desktop", *verb], cwd=work, env=env, capture_output=True, text=True
        )
        assert PLANTED not in done.stdout + done.stderr, verb[0]
        assert "Traceback" not in done.stderr
    for path in tmp_path.rglob("*"):
        assert PLANTED not in path.name
        if path.is_file() and path != table:
            assert PLANTED.encode() not in path.read_bytes(), path.name
            assert PLANTED.upper().encode() not in path.read_bytes(), path.name
