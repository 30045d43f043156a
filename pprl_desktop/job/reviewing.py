"""Making a masked review of two tables that one steward holds: pairs from a list, or found by matching them.

The clear tables are read and dropped in here; what comes back is the manager's desk, whose gate gives cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.job.offers import guess_columns
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.review.marks import Cap, Level
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.records.table import CleanTable, Table
    from pprl_desktop.review.desk import Desk
    from pprl_desktop.review.plan import Policy, Review


@dataclass(frozen=True)
class SecondTable:
    """What was understood of the other table; `columns` is a suggestion for each field, '' where none fits."""

    path: str
    rows: int
    names: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]
    id_column: str
    sheet: str = ""  # of a workbook
    sheets: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReviewPlan:
    """The manager's choices. Without `pairs_path` the two tables are matched, and the uncertain band is reviewed."""

    second_path: str
    columns: tuple[tuple[str, str], ...]  # field -> column of the second table
    second_id: str = ""
    second_sheet: str = ""  # of a workbook
    pairs_path: str = ""
    title: str = ""
    budget: Fraction = Fraction(3, 10)
    kappa: int = 1
    start: Level = Level.MASKED
    blind: bool = True
    audit: int = 0  # pairs drawn from the accepted and the rejected band too
    caps: Mapping[str, Cap] = field(default_factory=dict)


def look_at(path: Path, fields: Sequence[Field], sheet: str = "", progress: Progress = NO_PROGRESS) -> SecondTable:
    """Reads the other table once, to suggest which of its columns holds which field."""
    from pprl_desktop.records.profile import profile
    from pprl_desktop.records.reading import ReadOptions, read_table

    reading = read_table(path, ReadOptions(sheet=sheet), progress.part(0.0, 0.7))
    seen = profile(reading.table, progress.part(0.7, 1.0))
    names = reading.table.names
    guessed = guess_columns(fields, seen, {})
    columns = tuple((one.name, guessed.get(one.name, "")) for one in fields)
    return SecondTable(
        str(path), reading.table.rows, names, columns, seen.id_column, reading.sheet, reading.sheets
    )  # fmt: skip


def make_review(
    own_table: OwnTable,
    choices: Choices,
    plan: ReviewPlan,
    folder: Path,
    passphrase: str,
    progress: Progress = NO_PROGRESS,
) -> Desk:
    from pprl_desktop.records.cleaning import clean
    from pprl_desktop.records.reading import ReadOptions, read_table
    from pprl_desktop.review import sources
    from pprl_desktop.review.desk import Desk
    from pprl_desktop.review.plan import Policy

    missing = [name for name, column in plan.columns if not column]
    if missing:
        raise Problem(
            Said("The second table has no column for '{missing}'.", missing=missing[0]),
            do="Pick the column that holds it.",
            place=missing[0],
        )
    own = own_table.clean(choices, progress.part(0.0, 0.2))
    how = ReadOptions(sheet=plan.second_sheet)
    second = read_table(Path(plan.second_path), how, progress.part(0.2, 0.35)).table
    partner = clean(second, choices.fields, dict(plan.columns), progress.part(0.35, 0.45))
    fields = tuple(replace(one, cap=plan.caps.get(one.name, "none")) for one in sources.review_fields(choices.fields))
    policy = Policy(
        fields,
        reviewer_budget=plan.budget,
        kappa=plan.kappa,
        start=plan.start,
        blind=plan.blind,
        name_swaps=sources.name_swaps([one.name for one in fields]),
    )
    if plan.pairs_path:
        listed = read_table(Path(plan.pairs_path), progress=progress.part(0.45, 0.5)).table
        table = own_table.table(choices)
        for column, which in ((choices.id_column, Said("first")), (plan.second_id, Said("second"))):
            if not column:
                raise Problem(
                    Said("The {which} table has no column with record numbers.", which=which),
                    "The list names its pairs by them.",
                    "Say on the page Data which column holds them, or review what matching finds.",
                    place="id_column",
                )
        pairs = sources.read_pairs(listed, table.column(choices.id_column), second.column(plan.second_id))
        review = sources.from_tables(own, partner, pairs, policy, plan.title)
    else:
        found = _match(choices, own, partner, progress.part(0.5, 0.9))
        review = sources.from_match(found, own, partner, policy, plan.title, plan.audit)
    progress.at(0.95, "Sealing the review")
    return Desk.create(folder, review, passphrase)


@dataclass(frozen=True, eq=False)
class ListedPairs:
    """A list of pairs over two tables, by the ids in a column of each."""

    a: Table = field(repr=False)
    b: Table = field(repr=False)
    pairs: Table = field(repr=False)
    id_a: str
    id_b: str
    columns_b: Mapping[str, str]  # field -> column of the second table


def of_pairs(
    listed: ListedPairs,
    fields: tuple[Field, ...],
    policy: Policy,
    title: str = "",
    frequencies: Path | None = None,
    progress: Progress = NO_PROGRESS,
) -> Review:
    """The review of a list. `frequencies` is a file that says how common each value is."""
    from pprl_desktop.records.cleaning import clean
    from pprl_desktop.review import mindfirl, sources

    pairs = sources.read_pairs(listed.pairs, listed.a.column(listed.id_a), listed.b.column(listed.id_b))
    a = clean(listed.a, fields, {}, progress.part(0.0, 0.5))
    b = clean(listed.b, fields, dict(listed.columns_b), progress.part(0.5, 1.0))
    review = sources.from_tables(a, b, pairs, policy, title)
    return sources.with_counts(review, mindfirl.read_frequencies(frequencies)) if frequencies else review


def _match(choices: Choices, own: CleanTable, partner: CleanTable, progress: Progress) -> Match:
    """Both tables are at hand, so nothing is noised; the method is the one of the project."""
    from pprl_desktop.decisions.base import MatchOptions
    from pprl_desktop.matching.party import match_tables

    recipe = choices.recipe(replace(choices.settings, epsilon=None))
    options = MatchOptions(choices.settings.direction, accept=choices.accept, review=choices.review)
    return match_tables(own, partner, recipe, options, progress)
