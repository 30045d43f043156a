"""Options that several verbs share: tables, fields, method and its settings."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.records.fields import Field
    from pprl_desktop.records.reading import ReadOptions
    from pprl_desktop.records.table import Table

MOST_EPSILON = 1000.0  # beyond it no bit, edit or answer ever changes
ANY_EPSILON = 1.0  # stands for those of a sweep


def method_options(parser: argparse.ArgumentParser, *, blind: bool = False) -> None:
    """`blind` for the verbs that can play that method: it asks and answers instead of sending a bundle."""
    from pprl_desktop.codes.base import DECISIONS, LAYOUTS, REGISTRY, USUAL

    group = parser.add_argument_group("method")
    group.add_argument("--method", default=USUAL, choices=tuple(REGISTRY), help=f"default: {USUAL}")
    if blind:
        group.add_argument(
            "--coverage", type=share, metavar="SHARE",
            help="of blind: share of the records that a lying partner may be able to guess (default: 0.1)",
        )  # fmt: skip
    group.add_argument("--decision", choices=tuple(DECISIONS), help="default: the method's")
    group.add_argument("--layout", choices=tuple(LAYOUTS), help="default: the method's")
    group.add_argument("--kernel", choices=("linear", "rbf"), help="of split-svm (default: linear)")
    group.add_argument("--reference", default="us-200", metavar="NAME|FILE|WORKBOOK#SHEET",
                       help="reference set (default: us-200)")  # fmt: skip
    group.add_argument(
        "--epsilon", type=positive, metavar="E", help="noise: per bit, edit or query as the method says (default: none)"
    )
    group.add_argument("--noise", choices=("one-sided", "two-sided"), help="default: one-sided")
    direction = group.add_mutually_exclusive_group()
    said = {
        "one-to-one": "nobody is held twice (the default)",
        "one-to-many": "the second file may hold a person several times",
        "many-to-one": "the first file may",
        "many-to-many": "both may",
    }
    for name, words in said.items():
        direction.add_argument(f"--{name}", action="store_const", const=name, dest="direction", help=words)
    parser.set_defaults(direction="one-to-one")


def memory_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--memory", type=_megabytes, default=2048, metavar="MB", help="for pairs (default: 2048)")


def engine_options(parser: argparse.ArgumentParser) -> None:
    """Where blocks run; cli.py opens it around the verb."""
    group = parser.add_argument_group("a cluster of the own organisation")
    group.add_argument(
        "--engine", default="threads", metavar="dask:tls://HOST:PORT",
        help="run blocks of work there instead of in threads of this computer; workers see smashed data",
    )  # fmt: skip
    group.add_argument("--tls-ca", type=Path, metavar="FILE", help="certificate of the authority")
    group.add_argument("--tls-cert", type=Path, metavar="FILE", help="the own certificate")
    group.add_argument("--tls-key", type=Path, metavar="FILE", help="its key")
    group.add_argument("--cluster-folder", type=Path, metavar="DIR", help="a folder that the workers share")


def positive(text: str) -> float:
    """An epsilon."""
    number = _number(text)
    if not 0 < number <= MOST_EPSILON:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number above 0" if not number > MOST_EPSILON
            else f"{text} is as good as no noise: leave it out, or give at most {MOST_EPSILON:g}"
        )  # fmt: skip
    return number


def share(text: str) -> float:
    """A part of one."""
    number = _number(text)
    if not 0 < number <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share above 0 and up to 1")
    return number


def score(text: str) -> float:
    """A threshold on the scale of the scores."""
    number = _number(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number")
    return number


def seed(text: str) -> int:
    return _whole(text, 0, (1 << 32) - 1)


def _megabytes(text: str) -> int:
    return _whole(text, 1, 1 << 24)


def _whole(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from {least} to {most}")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def parse_fields(text: str, table: Table) -> tuple[Field, ...]:
    """'last_name,dob:date': a field without a type gets the one the profile guesses; derived ones are marked."""
    from pprl_desktop.job.own_table import named_fields

    items = [piece.strip() for piece in text.split(",") if piece.strip()]
    names = [item.partition(":")[0].strip() for item in items]
    twice = next((name for name in names if names.count(name) > 1), "")
    if not items or twice:
        raise Problem(
            f"The list of fields names '{twice}' twice." if twice else "The list of fields is empty.",
            do="Give the columns that identify a person, such as --fields last_name,first_name,birth_date:date.",
            place="fields",
        )
    kinds = [item.partition(":")[2].strip() for item in items]
    return named_fields(table, list(zip(names, kinds, names, strict=True)))


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
    twice = next((name for name in columns if columns.count(name) > 1), "")
    if twice:
        raise Problem(
            f"The column '{twice}' was given for two fields.",
            do="Give another column for each field, in the same order.",
            place="columns",
        )
    return dict(zip(names, columns, strict=True))


def reading_options(parser: argparse.ArgumentParser, *, tables: int = 1) -> None:
    """How tables are read, for every verb that reads one."""
    twice = "; once more for the second table ('' for the first, if only that one needs it)" if tables > 1 else ""
    twice += ", a third time for the list of pairs" if tables > 2 else ""
    group = parser.add_argument_group("how a table is read")
    group.add_argument(
        "--sheet", action="append", default=[], metavar="NAME",
        help=f"of a workbook; otherwise the first with a table{twice}",
    )  # fmt: skip
    group.add_argument("--codes", action="store_true", help="codes instead of labels (Stata, SPSS)")
    group.add_argument(
        "--widths", action="append", default=[], metavar="LAYOUT",
        help=f"text with fixed widths: 'id 1-6, last_name 7-26', or a file that says so{twice}",
    )  # fmt: skip
    group.add_argument(
        "--make", action="append", default=[], metavar="STEP",
        help="a column made of others: 'born = date(year, month, day)', 'address = join(street, number)', "
        "'first, last = name(full_name)', 'last, first = split(full_name, \",\")'; may be given several times",
    )  # fmt: skip


def how_read(args: argparse.Namespace, place: int = 0) -> ReadOptions:
    """What the options say of the first table of a verb, or of the second."""
    from pprl_desktop.records.reading import ReadOptions

    sheet = args.sheet[place] if place < len(args.sheet) else ""
    widths = args.widths[place] if place < len(args.widths) else ""
    return ReadOptions(sheet=sheet, labels=not args.codes, widths=_layout(widths), made=tuple(args.make))


def _layout(text: str) -> str:
    """As it is, or out of a small file of that name."""
    from pprl_desktop import files

    if not text or any(sign.isspace() for sign in text.strip()) or not Path(text).is_file():
        return text
    problem = Problem("The file with the layout cannot be read.", do="Give a small text file.", place="widths")
    try:
        return files.read_bytes(Path(text), 1 << 16, problem).decode("utf-8")
    except UnicodeDecodeError:
        raise problem from None


def read(path: str, progress: Progress = NO_PROGRESS, options: ReadOptions | None = None) -> Table:
    from pprl_desktop.job import own_table

    return own_table.read(Path(path), progress, options)


def _no_idle_option(args: argparse.Namespace, defaults: Settings, settings: Settings) -> None:
    """An option that changes nothing is a misunderstanding, and is said before any work starts."""
    from pprl_desktop.codes.base import method

    name, idle = args.method, ""
    compared = getattr(args, "compare", False)
    if args.layout not in (None, defaults.layout) and not method(name).both_layouts:
        if settings.decision != "nearest":  # that method says so itself, with its reason
            idle = f"'{name}' has no {args.layout} layout."
    elif args.kernel is not None and settings.decision != "svm" and not compared:
        idle = f"'{name}' decided by '{settings.decision}' has no kernel."
    elif args.noise == "two-sided" and settings.decision == "nearest":
        idle = f"The noise of '{name}' is in its answers and has no sides."
    elif args.noise == "two-sided" and settings.epsilon is None and not getattr(args, "sweep", None):
        idle = "Without an epsilon there is no noise for two sides."
    if idle:
        option = next(one for one in ("layout", "kernel", "noise") if getattr(args, one) is not None)
        raise Problem(idle, do=f"Leave --{option} out, or see 'pprl-desktop evaluate --help'.", place=option)


def settings_from(args: argparse.Namespace, **more: Any) -> Settings:
    """What the options ask for; `more` is what only one verb has."""
    from pprl_desktop.codes.base import method
    from pprl_desktop.project.choices import Choices

    names = ("decision", "layout", "kernel", "epsilon", "noise")
    given = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
    if getattr(args, "sweep", None) and method(args.method).exportable:
        given.setdefault("epsilon", ANY_EPSILON)
    settings = Choices.for_method(args.method, direction=args.direction, **{**given, **more}).settings
    _no_idle_option(args, method(args.method).defaults(), settings)
    return settings


def choices_from(args: argparse.Namespace, fields: Sequence[Field], columns: Mapping[str, str]) -> Choices:
    """What a steward without a project has chosen: fields with their columns, method, settings and reference set."""
    from pprl_desktop.project.choices import Choices

    return Choices(
        fields=tuple(fields), columns=tuple((one.name, columns[one.name]) for one in fields), method=args.method,
        settings=settings_from(args), reference=args.reference,
    )  # fmt: skip
