"""The papers beside the code are true: what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "pprl_desktop"
PAPERS = [PACKAGE / "ARCHITECTURE.md", ROOT / "README.md", ROOT / ".github" / "CONTRIBUTING.md"]


def test_every_file_that_the_papers_name_exists() -> None:
    named = {
        (paper.name, name)
        for paper in PAPERS
        for name in re.findall(r"`([\w./-]+/[\w./-]*)`", paper.read_text(encoding="utf-8"))
    }
    assert named
    assert not [(p, name) for p, name in named if not any((base / name).exists() for base in (ROOT, PACKAGE))]


def test_every_room_is_on_the_map() -> None:
    text = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert not [room for room in rooms if not re.search(rf"^{room}/ |^verbs/ {room}/ ", text, re.MULTILINE)]


def test_sections_cited_in_the_code_are_there() -> None:
    text = (PACKAGE / "ARCHITECTURE.md").read_text(encoding="utf-8")
    sections = set(re.findall(r"^#{2,3} ([\d.]+?)\.? ", text, re.MULTILINE))
    cited = {
        (path.name, number)
        for folder in (PACKAGE, ROOT / "tests")
        for path in folder.rglob("*.py")
        for number in re.findall(r"ARCHITECTURE (\d(?:\.\d)?)", path.read_text(encoding="utf-8"))
    }
    assert cited
    assert not [one for one in cited if one[1] not in sections]
