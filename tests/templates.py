"""Every template that the program can say, read out of its source: for the tests of the translations.

A sentence is a literal: the first argument of Said(), or a text given as it is to one of the few who take such.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pprl_desktop

ROOT = Path(pprl_desktop.__file__).parent
# who takes a literal as a sentence, and at which places; by name where it is given by name
TAKES: dict[str, tuple[int, ...]] = {
    "Said": (0,), "as_said": (0,), "sentences": tuple(range(9)),
    "Problem": (0, 1, 2), "Failure": (0, 1, 2), "NeverClosed": (0, 1, 2),
    "malformed": (1,), "does_not_fit": (1,), "at": (1,), "in_blocks": (4,), "looking": (2,),
    "tr": (0,), "tr_n": (0, 1), "change": (0,), "_keep": (0,),
}  # fmt: skip
BY_NAME = ("what", "why", "do")
ONLY_THERE = {"change": "ui", "_keep": "ui/panes/fields", "tr": "ui", "tr_n": "ui"}  # mean something else elsewhere
# the terminal speaks English, and so does what is said before a window can open
ENGLISH_ONLY = ("verbs", "cli.py", "__main__.py", "job/demo.py", "ui/tour.py", "ui/kit/libraries.py")


class Place(NamedTuple):
    where: str
    name: str  # who is given the text
    node: ast.expr  # the text
    call: ast.Call


def given() -> Iterator[Place]:
    """Everything that stands where a template is expected, literal or not."""
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if file.startswith(ENGLISH_ONLY):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = called(node)
            if not isinstance(node, ast.Call) or name not in TAKES or not file.startswith(ONLY_THERE.get(name, "")):
                continue
            texts = [node.args[at] for at in TAKES[name] if at < len(node.args)]
            texts += [one.value for one in node.keywords if one.arg in BY_NAME and len(TAKES[name]) > 1]
            for text in texts:
                yield from (Place(f"{file}:{text.lineno}", name, one, node) for one in _choices(text))


def templates() -> Iterator[tuple[str, str]]:
    for place in given():
        if isinstance(place.node, ast.Constant) and isinstance(place.node.value, str) and place.node.value:
            yield place.where, place.node.value


def called(node: ast.AST) -> str:
    func = node.func if isinstance(node, ast.Call) else None
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _choices(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.IfExp):
        return [*_choices(node.body), *_choices(node.orelse)]
    if isinstance(node, ast.BoolOp):
        return [one for value in node.values for one in _choices(value)]
    return [node]
