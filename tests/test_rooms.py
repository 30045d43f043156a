"""The rule between the rooms: one direction, Qt only in ui, no network, nothing heavy at start-up."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "pprl_desktop"

# room -> the rooms it may import; the plain modules beside the rooms are open to all
MAY_IMPORT: dict[str, set[str]] = {
    "compute": set(),
    "records": {"compute"},
    "reference": {"compute", "records"},
    "codes": {"compute", "records", "reference"},
    "privacy": {"compute", "records", "reference", "codes"},
    "decisions": {"compute", "records", "reference", "codes", "privacy"},
    "matching": {"compute", "records", "reference", "codes", "privacy", "decisions"},
}
MAY_IMPORT["interchange"] = MAY_IMPORT["matching"] | {"matching"}
MAY_IMPORT["blind"] = MAY_IMPORT["matching"] | {"matching"}
MAY_IMPORT["rehearsal"] = MAY_IMPORT["blind"] | {"blind"}
MAY_IMPORT["evaluation"] = MAY_IMPORT["rehearsal"] | {"rehearsal"}
MAY_IMPORT["exchange"] = MAY_IMPORT["rehearsal"] | {"rehearsal"}
MAY_IMPORT["review"] = MAY_IMPORT["exchange"] | {"exchange"}
MAY_IMPORT["project"] = set(MAY_IMPORT)
MAY_IMPORT["job"] = set(MAY_IMPORT)
MAY_IMPORT["ui"] = set(MAY_IMPORT)
MAY_IMPORT["verbs"] = set(MAY_IMPORT)

WINDOW_CALLERS = {"cli.py", "verbs/demo.py", "verbs/tour.py"}  # they open the window, inside a function
QT = {"PySide6", "shiboken6", "pyqtgraph"}
NETWORK = {
    "socket", "ssl", "http", "urllib", "ftplib", "smtplib", "imaplib", "poplib", "telnetlib", "xmlrpc",
    "socketserver", "asyncio", "requests", "httpx", "aiohttp", "urllib3", "websockets", "webbrowser",
}  # fmt: skip
HEAVY = {"sklearn", "scipy", "numba", "PySide6", "pandas"}
CRYPTOGRAPHY_USERS = {"exchange", "privacy"}


def modules() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if "_resources" not in path.parts:
            yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "imports are absolute"
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(module: str) -> str:
    return module.split("/")[0] if "/" in module else ""


def test_rooms_import_in_one_direction() -> None:
    wrong = []
    for module, tree in modules():
        here = room(module)
        if not here:
            continue
        for name in imports(tree):
            parts = name.split(".")
            if parts[0] != "pprl_desktop" or len(parts) < 2:
                continue
            there = parts[1]
            if there == "cli" and here in {"verbs"}:
                continue
            if there == "ui" and module in WINDOW_CALLERS:
                continue
            if there in MAY_IMPORT and there != here and there not in MAY_IMPORT[here]:
                wrong.append(f"{module} imports {name}")
    assert not wrong


def test_only_the_window_imports_qt() -> None:
    assert not [m for m, tree in modules() if room(m) != "ui" and QT & {n.split(".")[0] for n in imports(tree)}]


def test_the_window_never_holds_a_clear_table() -> None:
    """Cells reach the window through the review gate, or as the own steward's preview from the own table."""
    clear = ("pprl_desktop.records.table", "pprl_desktop.records.reading", "pprl_desktop.records.cleaning")
    wrong = []
    for module, tree in modules():
        if room(module) != "ui":
            continue
        wrong += [f"{module} imports {name}" for name in imports(tree) if name.startswith(clear)]
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
        named = [(node.lineno, node.func.attr) for node in calls if isinstance(node.func, ast.Attribute)]
        # OwnTable.clean(choices) and OwnTable.table(choices) are for work inside the core
        wrong += [f"{module}:{line} asks for a table" for line, name in named if name in ("clean", "table")]
    assert not wrong


def test_nothing_imports_a_network_module() -> None:
    wrong = [(m, n) for m, tree in modules() for n in imports(tree) if n.split(".")[0] in NETWORK]
    wrong += [(m, n) for m, tree in modules() for n in imports(tree) if n.startswith("PySide6.QtNetwork")]
    assert not wrong


def test_cryptography_stays_in_its_rooms() -> None:
    users = {room(m) for m, tree in modules() if "cryptography" in {n.split(".")[0] for n in imports(tree)}}
    assert users <= CRYPTOGRAPHY_USERS


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_load_nothing_heavy(argument: str) -> None:
    program = (
        "import sys\nfrom pprl_desktop import cli\n"
        f"cli.main([{argument!r}])\n"
        "print('LOADED', *sorted(m for m in sys.modules if '.' not in m))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    loaded = set(out.rsplit("LOADED", 1)[1].split())
    assert not loaded & (HEAVY | {"numpy"})


@pytest.mark.parametrize("name", sorted(MAY_IMPORT))
def test_each_room_tells_the_way_through_it_and_what_it_may_import(name: str) -> None:
    said = ast.get_docstring(ast.parse((PACKAGE / name / "__init__.py").read_text(encoding="utf-8"))) or ""
    assert len(said.splitlines()) > 3
    assert "May import" in " ".join(said.split())
