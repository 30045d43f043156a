"""The house in figures: how the code is built, counted from its source.

    python -m tests.benchmarks.house [PACKAGE]

Modules and lines; where recipes are built; who drives smash, learn and match; functions that carry home, identity and
agreement apart; numbers outside a tuning; regular expressions over sentences; argument lists; imports inside functions
that hide a cycle. PACKAGE is another version of pprl_desktop to count. How often the main path reads and smashes is
counted by tests.benchmarks.once.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "pprl_desktop"
DECIDING = ("decisions", "matching", "methods")  # rooms whose numbers can change a result; the last was split since
# numbers outside a tuning that decide nothing, each under its reason; whatever is not named here counts as deciding
ADAPTIVE, SVM, THRESHOLD = "decisions.adaptive", "decisions.svm", "decisions.threshold"
DASK = "matching.engines"
NOT_DECIDING: dict[str, dict[str, str]] = {
    "codes and places: names for whole numbers": {
        f"{ADAPTIVE}.levels": "DIFFERS WORD LEVELS MISSING EQUAL_BUT_FOR_NOISE",
        f"{ADAPTIVE}.dependence": "OTHER",
        f"{ADAPTIVE}.token_levels": "LEVEL",
        "decisions.base": "REJECT",
        f"{DASK}.store": "SEAL",
    },
    "the unit that a tuning or a whole-number weight is written in": {
        f"{ADAPTIVE}.dependence": "RARITY_ROWS",
        f"{SVM}.rule": "UNIT",
        f"{SVM}.kernels": "GRID",
    },
    "arithmetic: where floating point stops telling apart": {
        f"{ADAPTIVE}.listed_scan": "ROUNDING",
        f"{ADAPTIVE}.strangers": "ROUNDING",
        f"{ADAPTIVE}.similarity": "SLACK",
        f"{ADAPTIVE}.weights": "LARGE",
        f"{ADAPTIVE}.unseen": "STEP REACH",
        f"{SVM}.search": "SLACK",
        f"{THRESHOLD}.probability": "MOST",
    },
    "plans of an exact search: another value takes longer and finds the same": {
        f"{ADAPTIVE}.kernels": "LANES",
        f"{ADAPTIVE}.listed_kernels": "AHEAD LINES LINE",
        f"{ADAPTIVE}.similarity": "DIRECTIONS SKETCHED GRAIN TILE ROOM WHOLE",
        f"{ADAPTIVE}.listed_scan": "PLAN_ROWS STEPS UNIT_WORK",
        f"{ADAPTIVE}.value_lists": "UNIT_CELLS LEAST_VALUES",
        f"{SVM}.bounds": "SPLITTING ITERATIONS SAMPLE",
        f"{SVM}.kernels": "FIRST DIMENSIONS PIVOTS TILE STEPS BINS",
        f"{SVM}.search": "REMEMBERED SAMPLED CUTS SECOND_LOOK COMBINED BLOCKS START_ROOM",
    },
    "pieces of work between two looks at Cancel": {
        f"{ADAPTIVE}.candidates": "BLOCK_PAIRS",
        f"{ADAPTIVE}.dependence": "AT_ONCE",
        f"{ADAPTIVE}.levels": "BLOCK_CELLS PAIRS_AT_ONCE",
        f"{ADAPTIVE}.opened": "AT_ONCE",
        f"{ADAPTIVE}.patterns": "SLOTS",
        f"{ADAPTIVE}.similarity": "PAIRS_AT_ONCE",
        "decisions.nearest": "QUERIES",
        "decisions.plain": "BLOCK",
        "decisions.plain_learning": "AT_ONCE",
        f"{THRESHOLD}.lsh": "BUFFER WORK",
        f"{THRESHOLD}.record_evidence": "PAIRS_AT_ONCE",
        "matching.groups": "EVERY",
        "matching.persons": "EVERY",
    },
    "limits of memory and time: what they leave out is told with the result": {
        f"{ADAPTIVE}.candidates": "TABLE_CELLS SAMPLE_ROWS SAMPLE_PAIRS",
        f"{ADAPTIVE}.levels": "MANY",
        f"{ADAPTIVE}.listed_scan": "FULL_SCAN ROW_WORK SAMPLE_ROWS SAMPLE_WORK",
        f"{ADAPTIVE}.strangers": "TABLE_CELLS",
        f"{ADAPTIVE}.run": "SMALL",
        f"{ADAPTIVE}.value_lists": "MOST_CELLS ENTRIES SMALL SAMPLE",
        "decisions.base": "DEFAULT_MEMORY",
        f"{SVM}.join": "SMALLEST_ROOM",
        f"{THRESHOLD}.lsh": "EXACT_PAIRS GAIN EXACT_COST",
        f"{THRESHOLD}.scan": "PER_ROW_NOISY",
    },
    "what an outlook foresees of memory and time": {
        f"{ADAPTIVE}.learning": "BYTES_PER_PAIR",
        "decisions.nearest": "ODDS SAMPLED BYTES_PER_PAIR",
        "decisions.plain": "PER_ROW PER_CELL BYTES_PER_PAIR",
        f"{SVM}.join": "PER_PAIR COPIES PER_EVIDENCE BUFFERS",
        f"{THRESHOLD}.scan": "BYTES_PER_PAIR BUFFERS",
        "matching.match": "WORTH_TELLING",
    },
    "a cluster's patience": {
        f"{DASK}.dask": "AHEAD RETRIES CONNECT PATIENCE PIECES LEAST_PIECES LOOK_EVERY",
        f"{DASK}.remote": "WORKS_KEPT",
        f"{DASK}.store": "KEPT_DAYS",
    },
}
# in versions before the list above, by the words of the name
LIMITS = re.compile(
    r"(MAX|MOST|LIMIT|BUFFER|BYTES|ROOM|TILE|BLOCK|CHUNK|SIZE|SEED|VERSION|MEMORY|CACHE|STEPS|BINS|PIECE|WORK\b|AT_ONCE"
    r"|LONGEST|EVERY|PARALLEL|THREADS|SECONDS|GRID|DIMENSIONS|PIVOTS|CODE|BITS\b)"
)


def trees(package: Path = PACKAGE) -> dict[str, ast.Module]:
    """Dotted name -> syntax tree."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        if "_resources" not in path.parts:
            name = ".".join(("pprl_desktop", *path.relative_to(package).with_suffix("").parts))
            found[name.removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def code_lines(package: Path = PACKAGE) -> int:
    """Lines that hold code: no blank line, no comment, no text that stands for itself."""
    total = 0
    for path in package.rglob("*.py"):
        if "_resources" in path.parts:
            continue
        source = path.read_text(encoding="utf-8")
        lines: set[int] = set()
        skip = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING)
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type not in (*skip, tokenize.ENDMARKER):
                lines |= set(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(ast.parse(source)):
            alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if alone and isinstance(node.value.value, str):
                lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        total += len(lines)
    return total


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def arguments(function: ast.FunctionDef) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def longest_arguments(found: Mapping[str, ast.AST]) -> list[tuple[int, str]]:
    counted = [(len(arguments(one)), f"{name}.{one.name}") for name, tree in found.items() for one in functions(tree)]
    return sorted(counted, reverse=True)


def carried_apart(found: Mapping[str, ast.AST]) -> list[str]:
    """Functions that take a home, an identity and an agreement as three arguments, by their names or types."""
    apart = []
    for name, tree in found.items():
        for one in functions(tree):
            names = {argument.arg for argument in arguments(one)}
            written = [ast.unparse(argument.annotation) for argument in arguments(one) if argument.annotation]
            types = {word for text in written for word in re.findall(r"\w+", text)}
            by_name = "home" in names and names & {"own", "identity"} and names & {"agreement", "pact"}
            if by_name or ({"Home", "Identity"} <= types and types & {"Agreement", "Pact"}):
                apart.append(f"{name}.{one.name}")
    return apart


def _imports(tree: ast.AST, known: set[str], *, inside: bool = False) -> Iterator[tuple[str, bool]]:
    """(module, whether a function imports it), without those for types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in known else node.module, inside
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((full, inside) for a in node.names if (full := f"{node.module}.{a.name}") in known)
        deeper = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from _imports(node, known, inside=deeper)


def hidden_cycles(found: Mapping[str, ast.AST] | None = None) -> list[tuple[str, str]]:
    """(module, what one of its functions imports) where that module imports the first again, however far away."""
    found = trees() if found is None else found
    edges = {name: set(_imports(tree, set(found))) for name, tree in found.items()}
    graph = {name: {there for there, _ in one if there != name} for name, one in edges.items()}

    def reached(start: str) -> set[str]:
        seen, left = set(), [start]
        while left:
            for there in graph.get(left.pop(), set()) - seen:
                seen.add(there)
                left.append(there)
        return seen

    return [(name, there) for name, one in edges.items() for there, inside in one if inside and name in reached(there)]


def callers(found: Mapping[str, ast.AST], *wanted: str) -> list[str]:
    """Modules that call all of these functions."""
    made = []
    for name, tree in found.items():
        called = {ast.unparse(node.func).split(".")[-1] for node in ast.walk(tree) if isinstance(node, ast.Call)}
        if set(wanted) <= called:
            made.append(name)
    return made


def recipe_builders(found: Mapping[str, ast.AST]) -> list[str]:
    made = []
    for name, tree in found.items():
        imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        bases = [node for node in imported if str(node.module).endswith((".codes.base", ".methods.base"))]
        known = any(alias.name == "Recipe" for node in bases for alias in node.names)
        if known and callers({name: tree}, "Recipe"):
            made.append(name)
    return made


FORESIGHT = f"pprl_desktop.{ADAPTIVE}.outlook."  # every number of it foresees memory and time, and decides nothing


def not_deciding() -> set[str]:
    return {
        f"pprl_desktop.{module}.{name}"
        for modules in NOT_DECIDING.values()
        for module, names in modules.items()
        for name in names.split()
    }


def numbers_outside(found: Mapping[str, ast.AST], *, by_name: bool = False) -> tuple[list[str], list[str]]:
    """Numeric constants of modules in the rooms that decide, outside a tuning: those that may change results, and
    limits, plans and formats: by the list above, or, in another version of the package, by the words of the name."""
    deciding, bounding = [], []
    known = not_deciding()
    for name, tree in found.items():
        parts = name.split(".")
        if len(parts) < 3 or parts[1] not in DECIDING or "tuning" in parts[-1]:
            continue
        for node in ast.iter_child_nodes(tree):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                value = getattr(node, "value", None)
                names = [one.id for one in ast.walk(target) if isinstance(one, ast.Name) and one.id.isupper()]
                holds = value is not None and any(
                    isinstance(one, ast.Constant) and type(one.value) in (int, float) for one in ast.walk(value)
                )
                if names and holds and not isinstance(value, ast.Call):
                    full = f"{name}.{names[0]}"
                    bounds = full in known or full.startswith(FORESIGHT)
                    bounds = any(LIMITS.search(one) for one in names) if by_name else bounds
                    (bounding if bounds else deciding).append(full)
    return deciding, bounding


def sentence_patterns(package: Path = PACKAGE) -> list[str]:
    """Templates that a catalogue of rendered sentences is searched by: `{v1}` stands for whatever matches there."""
    catalogue = package.parent / "resources" / "i18n" / "de-core.json"
    return [one for one in json.loads(catalogue.read_text("utf-8")) if "{v" in one] if catalogue.is_file() else []


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", nargs="?", type=Path, default=PACKAGE)
    parser.add_argument("--names", action="store_true", help="list what was counted")
    args = parser.parse_args()
    found = trees(args.package)
    deciding, bounding = numbers_outside(found, by_name=args.package.resolve() != PACKAGE)
    longest = longest_arguments(found)
    rows: dict[str, list[str]] = {
        "modules that build a recipe": recipe_builders(found),
        "modules that smash, learn and match": callers(found, "smash", "learn", "match"),
        "functions with home, identity and agreement apart": carried_apart(found),
        "numbers outside a tuning that may change results": deciding,
        "limits, plans and formats among the numbers": bounding,
        "regular expressions over sentences": sentence_patterns(args.package),
        "imports inside functions that hide a cycle": [" -> ".join(one) for one in hidden_cycles(found)],
    }
    print(f"{len(found):>7,}  modules\n{code_lines(args.package):>7,}  lines of code")
    print(f"{longest[0][0]:>7,}  arguments of {longest[0][1]}, then {longest[1][0]} of {longest[1][1]}")
    for what, names in rows.items():
        print(f"{len(names):>7,}  {what}")
        if args.names:
            print("".join(f"           {name}\n" for name in names), end="")


if __name__ == "__main__":
    main()
