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


def test_every_name_that_the_papers_cite_is_in_the_source() -> None:
    """`module.name` stands in that module, `Class.method` in the source, `file.py` and `python -m x` somewhere."""
    sources = {path: path.read_text(encoding="utf-8") for path in [*PACKAGE.rglob("*.py"), *ROOT.glob("tests/**/*.py")]}
    missing, looked = [], 0
    for paper in PAPERS:
        text = paper.read_text(encoding="utf-8")
        for name in re.findall(r"`([a-z_]+\.py)`", text):
            looked += 1
            missing += [] if any(path.name == name for path in sources) else [name]
        for name in re.findall(r"python\s+-m\s+(tests\.[\w.]+)", text):
            looked += 1
            missing += [] if ROOT.joinpath(*name.split(".")).with_suffix(".py") in sources else [name]
        for place, name in re.findall(r"`(\w+)\.(\w+)`", text):
            if name in {"py", "csv"}:
                continue
            looked += 1
            holds = rf"\b(class|def) {name}\b|^\s*{name}\b.* = "
            within = [one for path, one in sources.items() if path.stem == place or f"class {place}" in one]
            missing += [] if any(re.search(holds, one, re.MULTILINE) for one in within) else [f"{place}.{name}"]
    assert looked > 10
    assert not missing


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
