"""Every sentence that the core can hand to the window, read out of its source: for the test of the translations.

A value inside a sentence becomes a mark, ⟦0⟧; where the value is one of two words, the sentence is there twice.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pprl_desktop

ROOT = Path(pprl_desktop.__file__).parent
MARK = re.compile(r"⟦\d+⟧")
# the command line speaks English; the demo is one of its verbs
NOT_THE_WINDOW = ("ui", "verbs", "cli.py", "__main__.py", "job/demo.py")
NOT_TEXT = ("place",)  # arguments that name a control
# makers of keys, streams and word lists
NOT_SHOWN = ("repeatable", "compare_digest", "_seal", "new", "split", "Literal", "set", "encode", "joinpath", "Path")
# names of folders, columns, strata and controls, words that mean missing, and what only the command line shows
NAMES = {
    "PPRL Desktop", "PPRL Desktop ⟦1⟧", "Application Support", "column ⟦1⟧", "epsilon ⟦1⟧", "near ⟦1⟧%", "keine angabe",
    "not available", "no age header", "⟦0⟧ ⟦2⟧ to ⟦4⟧", "reviewer budget", "review budget", "pair budget",
    "field budget",
}  # fmt: skip
SHOWN_ERRORS = {"Problem", "Failure"}
_HINT = re.compile(r"^⟦\d+⟧(?=[A-Z])")  # a sentence of its own, or nothing, in front of this one
_SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN|COMMIT|ROLLBACK)\b")
_WORDS = re.compile(r"[A-Za-z]{2,}[,:;]? ['(⟦]?[A-Za-z0-9⟦]")
_SENTENCE = re.compile(r"[A-Z⟦'].*[.!?]", re.DOTALL)


def core_sentences() -> Iterator[tuple[str, str]]:
    """Place in the source, and the sentence."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if name.split("/")[0] in NOT_THE_WINDOW or name in NOT_THE_WINDOW or name.endswith("tuning.py"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        hidden = _hidden(tree)
        for node in ast.walk(tree):
            if id(node) in hidden:
                continue
            for text in (_HINT.sub("", one) for one in _texts(node)):
                if _for_people(text) and text not in NAMES:
                    yield f"{name}:{node.lineno}", text  # type: ignore[attr-defined]


def _texts(node: ast.AST) -> list[str]:
    """The texts an expression can have; none where it is not a text of its own."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return _product([_part(part, place) for place, part in enumerate(node.values)])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _texts(node.left), _texts(node.right)
        return _product([left, right]) if left and right else []
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    return []


def _part(part: ast.expr, place: int) -> list[str]:
    if isinstance(part, ast.Constant):
        return [str(part.value)]
    value = part.value if isinstance(part, ast.FormattedValue) else None
    words = _texts(value) if isinstance(value, ast.IfExp) else []
    if isinstance(value, ast.BoolOp):  # a text to fall back on
        words = [f"⟦{place}⟧", *_texts(value.values[-1])]
    return words or [f"⟦{place}⟧"]


def _product(parts: list[list[str]]) -> list[str]:
    return ["".join(found) for found in itertools.product(*parts)]


def _hidden(tree: ast.AST) -> set[int]:
    """Docstrings, parts of longer texts, programming errors, comparisons, dictionary keys and inner names."""
    found: set[int] = set()

    def hide(*nodes: ast.AST | None) -> None:
        for node in nodes:
            found.update(id(inner) for inner in ast.walk(node)) if node is not None else None

    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            hide(node.value)
        elif isinstance(node, ast.JoinedStr):
            hide(*node.values)
        elif isinstance(node, ast.BinOp | ast.IfExp) and _texts(node):
            hide(*ast.iter_child_nodes(node))
        elif (isinstance(node, ast.keyword) and node.arg in NOT_TEXT) or _called(node) in NOT_SHOWN:
            hide(node)
        elif isinstance(node, ast.Raise) and _called(node.exc) not in SHOWN_ERRORS and _called(node.exc)[:1].isupper():
            hide(node.exc)
        elif isinstance(node, ast.Assert):
            hide(node)
        elif isinstance(node, ast.Compare | ast.Subscript | ast.Match):
            hide(*([node.slice] if isinstance(node, ast.Subscript) else [node]))
        elif isinstance(node, ast.Dict):
            hide(*node.keys)
    return found


def _called(node: ast.AST | None) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _for_people(text: str) -> bool:
    plain = MARK.sub("", text)
    if _SQL.match(text) or "<" in plain or ("{" in plain and ":" in plain and ";" in plain):
        return False
    if not re.search(r"[a-z]{2}", plain):
        return False
    return bool(_WORDS.search(text)) or (bool(_SENTENCE.fullmatch(text)) and len(plain) > 4)
