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
MAY_IMPORT["rehearsal"] = MAY_IMPORT["blind"] | {"blind", "interchange"}
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
    "distributed", "dask", "tornado",
}  # fmt: skip
CLUSTER = "matching/engines/dask.py"  # the one exception, loaded only where a cluster is configured
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


# what the terminal and the window may call below job/: lookups, keys and contacts, and the desk of a reviewer, who
# has no agreement. Classes and constants are values and may be named; everything else is the job's
BELOW_THE_JOB = {
    "codes.base.method",
    "evaluation.play.peak_memory_mb",
    "exchange.blind.asks_again",
    "exchange.card", "exchange.contacts", "exchange.identity", "exchange.key_change",
    "exchange.refusals",
    "exchange.home.default_home", "exchange.passphrase.must_be_usable", "exchange.passphrase.strength",
    "exchange.recognised", "exchange.release_repair.repair",
    "records.names.no_such_column", "records.writing.write_csv",
    "review.desk_files.ledger_key", "review.estimates.cohens_kappa", "review.estimates.count",
    "review.estimates.estimate", "review.estimates.threshold_from_labels", "review.export.write_decisions",
    "review.graphemes.display_width",
    "review.ledger.verify", "review.mindfirl.read_review", "review.report.privacy_loss", "review.share",
    "review.share.change_passphrase", "review.share.latest_ledger", "review.share.open_share",
    "review.share.return_decisions", "review.sources.name_swaps", "review.sources.review_fields",
    "review.speech.how_common",
}  # fmt: skip


def test_terminal_and_window_call_the_job_and_nothing_below_it() -> None:
    """No recipe, no container, no matching call and no order of steps of their own."""
    called = set()
    for module, tree in modules():
        if room(module) not in {"verbs", "ui"}:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pprl_desktop."):
                there = (node.module or "").removeprefix("pprl_desktop.")
                if there.split(".")[0] in MAY_IMPORT.keys() - {"job", "project", "ui", "verbs"}:
                    called |= {f"{there}.{one.name}" for one in node.names if not one.name[0].isupper()}
    assert called <= BELOW_THE_JOB, called - BELOW_THE_JOB
    assert called >= BELOW_THE_JOB, "no longer called, so no longer allowed"


def test_what_is_imported_for_its_type_is_not_used_at_run_time() -> None:
    """The type checker does not see it, and whoever comes there gets a NameError."""
    wrong = []
    for module, tree in modules():
        types: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                inside = [one for one in ast.walk(node) if isinstance(one, ast.Import | ast.ImportFrom)]
                types |= {(alias.asname or alias.name).split(".")[0] for one in inside for alias in one.names}
        if types:
            wrong += [f"{module}:{node.lineno} {node.id}" for node in _used(tree, types)]
    assert not wrong


def _used(node: ast.AST, names: set[str]) -> Iterator[ast.Name]:
    """Uses of these names outside annotations, where nothing of the same name is local."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        inside = list(ast.walk(node))
        local = {one.arg for one in inside if isinstance(one, ast.arg)}
        local |= {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        imported = [one for one in inside if isinstance(one, ast.Import | ast.ImportFrom)]
        local |= {(alias.asname or alias.name).split(".")[0] for one in imported for alias in one.names}
        names = names - local
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        yield node
    is_cast = isinstance(node, ast.Call) and ast.unparse(node.func) == "cast"
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns"} or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            continue
        parts = value if isinstance(value, list) else [value]
        for part in parts[1:] if is_cast and field == "args" else parts:
            if isinstance(part, ast.AST):
                yield from _used(part, names)


def test_nothing_imports_a_network_module() -> None:
    wrong = [(m, n) for m, tree in modules() for n in imports(tree) if n.split(".")[0] in NETWORK and m != CLUSTER]
    wrong += [(m, n) for m, tree in modules() for n in imports(tree) if n.startswith("PySide6.QtNetwork")]
    assert not wrong


def test_cryptography_stays_in_its_rooms() -> None:
    users = {room(m) for m, tree in modules() if "cryptography" in {n.split(".")[0] for n in imports(tree)}}
    assert users <= CRYPTOGRAPHY_USERS


def test_nothing_waits_for_all_of_statistics() -> None:
    """scipy.stats takes a second of a core to load, as long as a thousand records take to be matched."""
    assert not [m for m, tree in modules() for n in imports(tree) if n.startswith("scipy.stats")]


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
