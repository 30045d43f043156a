"""The workplace of one open project: clear tables and what is computed from them stay here, in memory.

The window and the verbs ask for the next piece of work and get plain answers; they never hold a clear
table. Nothing in here is saved: after reopening, tables are read again and checked against their hash.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Settings
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.evaluation.tables import Row
    from pprl_desktop.exchange.bundles import Exported
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.identity import Identity
    from pprl_desktop.privacy.claims import Statement
    from pprl_desktop.records.cleaning import BeforeAfter
    from pprl_desktop.records.profile import Profile
    from pprl_desktop.records.table import CleanTable, Table
    from pprl_desktop.reference.overlap import Overlap
    from pprl_desktop.rehearsal.rehearse import Rehearsal

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Seen:
    """What was understood of a table. `changes` are the choices that follow, suggestions included."""

    path: str
    rows: int
    columns: tuple[str, ...]
    encoding: str
    separator: str
    header_line: int
    warnings: tuple[Problem, ...]
    profile: Profile
    sha256: str

    def changes(self) -> dict[str, Any]:
        """For Project.change: the table, and defaults that run all the way."""
        return {
            "table_path": self.path,
            "table_sha256": self.sha256,
            "rows": self.rows,
            "encoding": self.encoding,
            "separator": self.separator,
            "header_line": self.header_line,
            **suggested(self.profile),
        }


def suggested(profile: Profile) -> dict[str, Any]:
    """Matching fields, id and sensitive columns as the profile suggests them."""
    from pprl_desktop.records.fields import Field

    fields = tuple(Field.of(name, profile.column(name).kind) for name in profile.matching)
    return {
        "fields": fields,
        "columns": tuple((one.name, one.name) for one in fields),
        "sensitive": tuple(profile.sensitive),
        "id_column": profile.id_column,
        "mapping": (),
    }


def file_sha256(path: Path, progress: Progress = NO_PROGRESS) -> str:
    digest, size, done = hashlib.sha256(), max(path.stat().st_size, 1), 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            done += len(block)
            progress.at(done / size)
    return digest.hexdigest()


class Workplace:
    """Give it the choices with each call: it keeps results as long as the choices they came from are the same."""

    def __init__(self) -> None:
        self._table: Table | None = None
        self._table_sha256 = ""
        self._clean: CleanTable | None = None
        self._clean_key: object = None

    # data -----------------------------------------------------------------------------------------

    def load(self, path: Path, choices: Choices | None = None, progress: Progress = NO_PROGRESS) -> Seen:
        """Read and profile a table. Reading options set by hand come with `choices`."""
        from pprl_desktop.records.profile import profile
        from pprl_desktop.records.reading import ReadOptions, read_table

        options = ReadOptions()
        if choices is not None:
            options = ReadOptions(choices.encoding, choices.separator, header_line=choices.header_line)
        reading = read_table(path, options, progress.part(0.0, 0.5))
        seen = profile(reading.table, progress.part(0.5, 0.9))
        digest = file_sha256(path, progress.part(0.9, 1.0))
        self._table, self._table_sha256 = reading.table, digest
        return Seen(
            str(path),
            reading.table.rows,
            (*reading.table.names, *(one.name for one in seen.joined)),
            reading.encoding,
            reading.separator,
            reading.header_line,
            reading.warnings,
            seen,
            digest,
        )

    def table(self, choices: Choices, progress: Progress = NO_PROGRESS) -> Table:
        """The clear table, for work inside the core only; read again after reopening the project."""
        if self._table is None or self._table_sha256 != choices.table_sha256:
            if not choices.table_path:
                raise Problem("No table is loaded yet.", do="Choose a CSV file.", place="table_path")
            path = Path(choices.table_path)
            if not path.is_file():
                raise Problem(
                    "The table is no longer where it was.",
                    "The file was moved, renamed or deleted.",
                    "Put it back, or choose it again on the page Data.",
                    place="table_path",
                )
            seen = self.load(path, choices, progress)
            if seen.sha256 != choices.table_sha256:
                self._table = None
                raise Problem(
                    "The table has changed since it was loaded.",
                    "Results made from the old file no longer fit it.",
                    "Load it again on the page Data.",
                    place="table_path",
                )
        assert self._table is not None
        return self._table

    def head(self, rows: int = 50) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and first rows of the own table, for its own steward's eyes on the page Data."""
        if self._table is None:
            return (), []
        shown = min(rows, self._table.rows)
        cells = [[column.cell(row) for row in range(shown)] for column in self._table.columns]
        return self._table.names, list(zip(*cells, strict=True))

    def before_after(self, choices: Choices, progress: Progress = NO_PROGRESS) -> tuple[BeforeAfter, ...]:
        """What cleaning does to each field, with a few own examples for its own steward's eyes."""
        from pprl_desktop.records.cleaning import before_after

        table = self.table(choices, progress.part(0.0, 0.7))
        return tuple(before_after(table, choices.fields, dict(choices.columns), progress=progress.part(0.7, 1.0)))

    def clean(self, choices: Choices, progress: Progress = NO_PROGRESS) -> CleanTable:
        from pprl_desktop.records.cleaning import clean

        key = (choices.table_sha256, choices.fields, choices.columns)
        if self._clean is None or self._clean_key != key:
            table = self.table(choices, progress.part(0.0, 0.7))
            self._clean = clean(table, choices.fields, dict(choices.columns), progress.part(0.7, 1.0))
            self._clean_key = key
        return self._clean

    def smashed_example(self, choices: Choices, field_name: str, text: str) -> tuple[str, tuple[int, ...]]:
        """A typed value after cleaning, and the first numbers that would leave for it."""
        from pprl_desktop.codes.base import method
        from pprl_desktop.records.cleaning import clean
        from pprl_desktop.records.table import Table

        recipe = choices.recipe()
        table = Table.of([one.name for one in choices.fields], [[text] * len(choices.fields)])
        cleaned = clean(table, choices.fields, {one.name: one.name for one in choices.fields})
        smashed = method(choices.method).smash(cleaned, recipe, NO_PROGRESS)
        value = cleaned.column(field_name).cell(0)
        parts = smashed.of_field(field_name) or smashed.parts
        numbers = next((part.values[0] for part in parts if part.role == "value" and len(part.values)), ())
        return value, tuple(int(number) for number in numbers)

    # method and privacy ---------------------------------------------------------------------------

    def statement(self, choices: Choices, settings: Settings | None = None) -> Statement:
        from pprl_desktop.privacy.statements import statement

        return statement(choices.recipe(settings), choices.rows)

    def forecast(
        self, choices: Choices, settings: Settings | None = None, *, most: int = 2000, progress: Progress = NO_PROGRESS
    ) -> Forecast:
        """Expected precision and recall on synthetic pairs of the own records."""
        from pprl_desktop.evaluation.synthetic import forecast

        clean = self.clean(choices, progress.part(0.0, 0.2))
        return forecast(clean, choices.recipe(settings), most=most, progress=progress.part(0.2, 1.0))

    def rehearse(
        self, choices: Choices, *, sample: int = 300, changes: bool = True, progress: Progress = NO_PROGRESS
    ) -> Rehearsal:
        """The partner played against the own smashed data; with `changes`, against stronger settings too."""
        from pprl_desktop.rehearsal.rehearse import rehearse

        clean = self.clean(choices, progress.part(0.0, 0.2))
        return rehearse(clean, choices.recipe(), sample=sample, changes=changes, progress=progress.part(0.2, 1.0))

    def sweep(self, choices: Choices, *, most: int = 1000, progress: Progress = NO_PROGRESS) -> tuple[Row, ...]:
        """Found, wrong and named at the usual epsilons, on synthetic pairs of the own records."""
        from pprl_desktop.codes.recipe import changed
        from pprl_desktop.decisions.base import MatchOptions
        from pprl_desktop.evaluation.figures import Truth
        from pprl_desktop.evaluation.synthetic import synthetic_pairs
        from pprl_desktop.evaluation.tables import NEAREST_EPSILONS, PSH_EPSILONS, Contest, frontier

        made = synthetic_pairs(self.clean(choices, progress.part(0.0, 0.1)), 0, most)
        options = MatchOptions(one_to_one=choices.settings.one_to_one)
        contest = Contest(made.a, made.b, Truth(made.truth), options)
        nearest = choices.settings.decision == "nearest"
        epsilons: tuple[float | None, ...] = NEAREST_EPSILONS if nearest else (*PSH_EPSILONS, None)
        recipe = choices.recipe()
        recipes = [
            replace(recipe, settings=changed(recipe.method, recipe.settings, epsilon=epsilon)) for epsilon in epsilons
        ]
        return frontier(contest, recipes, sample=200, progress=progress.part(0.1, 1.0))

    def overlap(self, choices: Choices, progress: Progress = NO_PROGRESS) -> Overlap:
        """How many own values stand in the reference set, and why that matters."""
        from pprl_desktop.reference.overlap import overlap

        recipe = choices.recipe()
        assert recipe.reference is not None
        return overlap(self.clean(choices, progress), recipe.reference, recipe.mapping)

    # exchange -------------------------------------------------------------------------------------

    def export(
        self, choices: Choices, home: Home, own: Identity, out: Path, progress: Progress = NO_PROGRESS
    ) -> Exported:
        """The sealed bundle of the agreement in force."""
        from pprl_desktop.exchange import bundles

        table = self.clean(choices, progress.part(0.0, 0.2))
        return bundles.export(home, own, home.pact(choices.agreement), table, out, progress=progress.part(0.2, 1.0))

    def match_memory(self, choices: Choices, home: Home, own: Identity, progress: Progress = NO_PROGRESS) -> int:
        """Bytes that match() will take at most."""
        from pprl_desktop.exchange import linking

        table = self.clean(choices, progress.part(0.0, 0.3))
        return linking.memory_needed(home, own, home.pact(choices.agreement), table, progress.part(0.3, 1.0))

    def match(self, choices: Choices, home: Home, own: Identity, progress: Progress = NO_PROGRESS) -> Match:
        """The own table against the partner's bundle, with borders set by hand where the steward did."""
        from pprl_desktop.exchange import linking

        table = self.clean(choices, progress.part(0.0, 0.1))
        return linking.match_with_partner(
            home,
            own,
            home.pact(choices.agreement),
            table,
            accept=choices.accept,
            review=choices.review,
            progress=progress.part(0.1, 1.0),
        )
