"""Options that several verbs share: tables, fields, method and its settings."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from pprl_desktop.methods.base import Recipe
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.table import Table

METHODS = ("split", "split-svm", "simhash", "bloom", "dp-nn", "plain")
# a fixed secret is right where both parties are played on one computer; real agreements make a fresh one
REHEARSED_SECRET = b"both parties are played on this computer"


def method_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("method")
    group.add_argument("--method", default="split", choices=METHODS, help="default: split")
    group.add_argument("--decision", choices=("adaptive", "svm", "threshold", "nearest"), help="default: the method's")
    group.add_argument("--layout", choices=("field", "record"), help="default: the method's")
    group.add_argument("--kernel", choices=("linear", "rbf"), help="of split-svm (default: linear)")
    group.add_argument("--reference", default="us-200", metavar="NAME|FILE", help="reference set (default: us-200)")
    group.add_argument(
        "--epsilon", type=positive, metavar="E", help="noise: per bit, edit or query as the method says (default: none)"
    )
    group.add_argument("--noise", choices=("one-sided", "two-sided"), help="default: one-sided")
    direction = group.add_mutually_exclusive_group()
    direction.add_argument("--one-to-one", action="store_true", default=True, help="the default")
    direction.add_argument("--one-to-many", action="store_false", dest="one_to_one")


def positive(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return number


def parse_fields(text: str, table: Table) -> tuple[Field, ...]:
    """'last_name,dob:date': a field without a type gets the one the profile guesses."""
    from pprl_desktop.records.fields import Field

    found = []
    for item in (piece.strip() for piece in text.split(",") if piece.strip()):
        name, _, kind = item.partition(":")
        found.append(Field.of(name, kind or guessed_kind(table, name)))
    names = [one.name for one in found]
    if not found or len(set(names)) < len(names):
        raise Problem(
            "The list of fields is empty or names a field twice.",
            do="Give the columns that identify a person, such as --fields last_name,first_name,birth_date:date.",
            place="fields",
        )
    return tuple(found)


def guessed_kind(table: Table, column: str) -> str:
    from pprl_desktop.records.profile import guess_kind

    return guess_kind(table.column(column))


def columns_for(fields: Sequence[Field], text: str | None) -> dict[str, str]:
    """Field -> column; 'surname,given_name' in the order of the fields, or nothing where names agree."""
    names = [one.name for one in fields]
    columns = [piece.strip() for piece in text.split(",")] if text else names
    if len(columns) != len(names):
        raise Problem(
            f"{len(columns)} columns were given for {len(names)} fields.",
            do="Give one column for each field, in the same order.",
            place="columns",
        )
    return dict(zip(names, columns, strict=True))


def read(path: str, progress: Progress = NO_PROGRESS) -> Table:
    from pprl_desktop.records.reading import read_table

    return read_table(Path(path), progress=progress).table


def _decision_of(layout: str | None, method: str) -> dict[str, Any]:
    """A layout chosen by hand brings the decision that goes with it; another one can still be named."""
    from pprl_desktop.methods.base import RECORD_LAYOUTS

    if layout is None or method not in RECORD_LAYOUTS:
        return {}
    return {"decision": "threshold" if layout == "record" else "adaptive"}


def recipe_from(args: argparse.Namespace, fields: tuple[Field, ...], secret: bytes = REHEARSED_SECRET) -> Recipe:
    from pprl_desktop.methods.base import Recipe, method, with_noise
    from pprl_desktop.methods.mapping import default_mapping
    from pprl_desktop.reference.load import reference_set

    made = method(args.method)
    given: Mapping[str, Any] = {
        name: getattr(args, name)
        for name in ("decision", "layout", "kernel", "epsilon", "noise")
        if getattr(args, name) is not None
    }
    settings = replace(made.defaults(), one_to_one=args.one_to_one)
    if args.epsilon is not None or getattr(args, "sweep", None):
        settings = replace(with_noise(args.method, settings, args.epsilon or 1.0), epsilon=args.epsilon)
    settings = replace(settings, **{**_decision_of(args.layout, args.method), **given})
    reference = reference_set(args.reference, secret) if made.uses_reference else None
    mapping = default_mapping(fields, reference) if reference is not None else ()
    recipe = Recipe(args.method, fields, settings, reference, mapping, secret)
    wrong = made.problems(recipe)
    if wrong:
        raise wrong[0]
    return recipe
