"""Files of one's own: two that are linked, or one whose duplicates are found. No key, no partner; nothing leaves.

The same engine as with a partner, on numbers that are made here and thrown away (the field layout without noise loses
least of a value). Terminal, window and tests go through OwnFiles; what outlives a restart is in the project, and row
numbers and scores, never a value, in a file beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pprl_desktop.codes.directions import Direction
from pprl_desktop.codes.directions import suggested as direction_of
from pprl_desktop.decisions.base import ACCEPT, Match, MatchOptions
from pprl_desktop.job import own_kept
from pprl_desktop.job.own_table import OwnTable, Seen, as_choices
from pprl_desktop.matching.persons import Persons, persons
from pprl_desktop.matching.standing import CHECK_FIELDS
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices, Kind
from pprl_desktop.project.project import SUFFIX, Project
from pprl_desktop.records.counterparts import Counterparts, counterparts
from pprl_desktop.records.fields import Field
from pprl_desktop.records.reading import ReadOptions
from pprl_desktop.review import sources
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.marks import Cap
from pprl_desktop.review.plan import Policy
from pprl_desktop.said import Said, from_plain, to_plain

if TYPE_CHECKING:
    from pprl_desktop.job.held_twice import HeldTwice
    from pprl_desktop.records.table import CleanTable

METHOD = "bloom"  # measured on fresh populations beside split and simhash: tests/benchmarks/own_files.py

Pairs = dict[tuple[int, int], bool]


@dataclass(frozen=True)
class ReviewRules:
    """What the manager of a review decides; the usual ones hide the score and let every field be opened."""

    budget: Fraction = Fraction(3, 10)
    kappa: int = 1
    blind: bool = True
    audit: int = 0  # pairs drawn from the accepted and the rejected band too
    caps: Mapping[str, Cap] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Outcome:
    """What is linked after matching and review."""

    pairs: tuple[tuple[int, int], ...] = field(repr=False)  # rows: of both files, or of the one; the earlier first
    people: Persons = field(repr=False)  # the rows of the second file come after those of the first
    records: int  # that have a link
    persons: int  # they belong to
    open: int  # pairs that nobody decided
    decided: int  # pairs a reviewer decided
    differ: int = 0  # pairs on which reviewers differ, and nobody settled it


class OwnFiles:
    """Of one open project. Give it the choices with each call, as OwnTable wants them."""

    def __init__(self, project: Project, first: OwnTable | None = None) -> None:
        self.project = project
        self.first = first or OwnTable()
        self.second = OwnTable()

    @property
    def two(self) -> bool:
        return self.project.choices.kind == "two files"

    @classmethod
    def opened(
        cls,
        path: Path,
        files: tuple[Path, ...],
        how: tuple[ReadOptions, ...] = (),
        *,
        again: bool = False,
        progress: Progress = NO_PROGRESS,
    ) -> OwnFiles:
        """The project at `path`, made and filled with every suggestion where there is none yet.

        An existing one goes on where it was: with the same files, unless `again` says to read them anew. `how`: of each
        file, what is not to be found out.
        """
        kind: Kind = "two files" if len(files) == 2 else "one file"
        place = path.with_suffix(SUFFIX)
        fresh = not place.exists()
        project = Project.create(place, path.stem, kind) if fresh else Project.open(place)
        own = cls(project)
        try:
            own._must_be_about(kind, files, again=again)
            if fresh or again or not project.choices.table_path:
                own.begin(files, how, progress)
            elif how:
                own._must_be_read(how)
        except BaseException:
            project.close()
            if fresh:  # nothing of it was ever used
                place.unlink(missing_ok=True)
            raise
        return own

    def _must_be_about(self, kind: Kind, files: tuple[Path, ...], *, again: bool) -> None:
        choices = self.project.choices
        if choices.kind != kind:
            raise Problem(
                "This project is not about these files.",
                "It is of another kind: with a partner, two files, or one.",
                "Choose another folder or project.",
                place="project",
            )
        held = [Path(one.table_path).resolve() for one in self.sides()]
        if choices.table_path and not again and held != [one.resolve() for one in files]:
            raise Problem(
                "The project in this folder is about other files.",
                do="Choose another folder, or say that the files are to be read anew.",
                place="project",
            )

    def _must_be_read(self, how: tuple[ReadOptions, ...]) -> None:
        """What is said of reading holds for files that were read so, or are to be read."""
        for side, said in zip(self.sides(), map(as_choices, how), strict=True):
            held = {name: getattr(side, name) for name in said}
            usual = as_choices(ReadOptions())
            if any(said[name] not in (usual[name], held[name]) for name in said):
                raise Problem(
                    "The files of this project were read in another way.",
                    do="Say that they are to be read anew (--again).",
                    place="project",
                )

    def sides(self) -> tuple[Choices, ...]:
        choices = self.project.choices
        return (choices, choices.second_file()) if self.two else (choices,)

    def remarks(self) -> tuple[tuple[str, Problem], ...]:
        """File, and what there was to say when it was first read: afterwards it is read as was found out then."""
        return self._remarks_now() or own_kept.remarks(self.project)

    def _remarks_now(self) -> tuple[tuple[str, Problem], ...]:
        tables = (self.first, self.second) if self.two else (self.first,)
        named = zip(self.sides(), tables, strict=True)
        return tuple((Path(side.table_path).name, one) for side, table in named for one in table.warnings)

    def begin(
        self, files: tuple[Path, ...], how: tuple[ReadOptions, ...] = (), progress: Progress = NO_PROGRESS
    ) -> tuple[Seen, ...]:
        """Reads the files and follows every suggestion: columns, fields, who is held twice."""
        project = self.project
        read = [Choices(**as_choices(one)) for one in how or [ReadOptions()] * len(files)]
        seen = [self.first.load(files[0], read[0], progress.part(0.0, 0.3))]
        _must_have_records(seen[0])
        project.change("Load table", **seen[0].changes())
        project.confirm("data")
        if self.two:
            seen.append(self.second.load(files[1], read[1], progress.part(0.3, 0.6)))
            _must_have_records(seen[1])
            project.change("Load table", second=Choices(**seen[1].changes()))
            project.confirm("data_b")
            paired = self.paired(project.choices, seen[0], seen[1], progress.part(0.6, 0.7))
            project.change("Suggest fields", **paired.changes(project.choices))
            self.suggest_direction(progress.part(0.7, 1.0))
        return tuple(seen)

    def suggest_direction(self, progress: Progress = NO_PROGRESS) -> tuple[HeldTwice | None, HeldTwice | None]:
        """Who is held twice decides how often a person may occur; the steward may choose otherwise."""
        choices = self.project.choices
        found = self.held_twice(choices, progress)
        self.project.change("Choose direction", settings=replace(choices.settings, direction=direction_for(found)))
        return found

    # the files and their fields -------------------------------------------------------------------

    def clean(self, choices: Choices, progress: Progress = NO_PROGRESS) -> tuple[CleanTable, ...]:
        """Both files, or the one, in the agreed form; refused where a file is another one than was loaded."""
        if not choices.fields:
            raise no_fields()
        first = self.first.clean(choices, progress.part(0.0, 0.5 if self.two else 1.0))
        return (first, self.second.clean(choices.second_file(), progress.part(0.5, 1.0))) if self.two else (first,)

    def paired(self, choices: Choices, seen: Seen, other: Seen, progress: Progress = NO_PROGRESS) -> Paired:
        """Which columns of both files hold the same thing; the steward may correct each."""
        must_be_two(seen, other)
        tables = self.first.table(choices), self.second.table(choices.second_file())
        return Paired(counterparts(tables, (seen.profile, other.profile), progress))

    def held_twice(
        self, choices: Choices, progress: Progress = NO_PROGRESS
    ) -> tuple[HeldTwice | None, HeldTwice | None]:
        """How many people each file holds more than once, in the fields that are compared."""
        if not choices.fields:
            return None, None
        one = self.first.held_twice(choices, progress.part(0.0, 0.5))
        other = self.second.held_twice(choices.second_file(), progress.part(0.5, 1.0)) if self.two else None
        return one, other

    # the match ------------------------------------------------------------------------------------

    def match(self, choices: Choices, progress: Progress = NO_PROGRESS) -> Match:
        """Every pair that may be one person, with bands; kept beside the project before it is given back."""
        from pprl_desktop.codes import recipe as recipes
        from pprl_desktop.matching.party import match_tables, one_table

        tables = self.clean(choices, progress.part(0.0, 0.2))
        self._must_hold_something(tables)
        settings = recipes.settings(METHOD, direction=choices.settings.direction)
        # a fixed secret: what is smashed here is never written down, and the same files give the same scores again
        recipe = recipes.build(METHOD, choices.fields, settings)
        if self.two:
            made = match_tables(tables[0], tables[1], recipe, self._options(choices), progress.part(0.2, 0.98))
        else:
            ready = one_table(tables[0], recipe, progress.part(0.2, 0.32))
            made = self._decided(ready.scored(progress.part(0.32, 0.95)), choices, progress.part(0.95, 0.98))
        made = _without_partner(made)
        own_kept.keep(self.project, choices, made)
        own_kept.keep_remarks(self.project, self._remarks_now())
        progress.at(1.0)
        return made

    def decide(self, match: Match, choices: Choices, progress: Progress = NO_PROGRESS) -> Match:
        """Bands and assignment again, on the same scores, with other lines."""
        return _without_partner(self._decided(match.scored, choices, progress))

    def kept_match(self, choices: Choices, progress: Progress = NO_PROGRESS) -> Match | None:
        """The finished match of these files and fields, with the present lines; None: it has to be made."""
        found = own_kept.kept(self.project, choices, self._sizes(choices))
        lines = (choices.accept, choices.review)
        if found is None or lines == (None, None) or lines == (found.accept, found.review):
            return found
        return self.decide(found, choices, progress)

    def _decided(self, scored: Any, choices: Choices, progress: Progress) -> Match:
        from pprl_desktop.matching.decide import decide

        made = decide(scored, self._options(choices), progress)
        if not self.two and not len(made.accepted()):  # nobody is held twice: a finding, and no reason for doubt
            made = replace(made, reasons=(), cures=(), second_opinion={})
        return made

    def _options(self, choices: Choices) -> MatchOptions:
        direction = choices.settings.direction if self.two else "many-to-many"
        return MatchOptions(direction, accept=choices.accept, review=choices.review)

    def _must_hold_something(self, tables: tuple[CleanTable, ...]) -> None:
        for table, which in zip(tables, (Said("first"), Said("second")), strict=False):
            if not table.rows or all((column.codes < 0).all() for column in table.columns):
                raise Problem(
                    Said("The {which} file holds nothing to compare.", which=which),
                    "No record of it has a value in the fields that were chosen.",
                    "Choose other columns, or another file.",
                    place="fields",
                )

    @staticmethod
    def about(choices: Choices) -> str:
        """Names what a match is of: files, fields, direction."""
        return own_kept.matched(choices)

    def other_numbers(self, choices: Choices) -> list[str] | None:
        """The record numbers of the second file; rows of the one file go by their place."""
        return self.second.numbers(choices.second_file()) if self.two else None

    def _sizes(self, choices: Choices) -> tuple[int, int]:
        return choices.rows, choices.second_file().rows if self.two else choices.rows

    # the review -----------------------------------------------------------------------------------

    def review(
        self,
        choices: Choices,
        match: Match,
        folder: Path,
        passphrase: str,
        rules: ReviewRules | None = None,
        progress: Progress = NO_PROGRESS,
    ) -> Desk:
        """The uncertain pairs on the manager's desk: to be decided here, or handed out in shares."""
        rules = rules or ReviewRules()
        if not len(match.to_review()) and not rules.audit:
            raise Problem(
                "There are no uncertain pairs to review.",
                do="Move the lines apart on the page before, or draw a sample of the sure ones.",
                place="pairs",
            )
        tables = self.clean(choices, progress.part(0.0, 0.8))
        fields = tuple(replace(f, cap=rules.caps.get(f.name, "none")) for f in sources.review_fields(choices.fields))
        swaps = sources.name_swaps([one.name for one in fields])
        policy = Policy(
            fields, reviewer_budget=rules.budget, kappa=rules.kappa, blind=rules.blind, name_swaps=swaps
        )  # fmt: skip
        title = self.project.title
        if self.two:
            made = sources.from_match(match, tables[0], tables[1], policy, title, rules.audit)
        else:
            made = sources.from_duplicates(match, tables[0], policy, title, rules.audit)
        progress.at(0.9, "Sealing the review")
        return Desk.create(folder, made, passphrase)

    def take_in(self, desk: Desk) -> int:
        """The decisions become part of the result, beside those of earlier reviews of the same files. How many hold.

        They are about records, not about scores: another field or another line leaves them as they are.
        """
        people, numbers = desk.review.people, {pair.id: pair for pair in desk.review.pairs}
        choices = self.project.choices
        decided, differ = self.decisions(choices), self.differing(choices)
        for pair_id, same in desk.outcome().items():
            pair = numbers[pair_id]
            rows = int(people.source[pair.a]), int(people.source[pair.b])
            if same is None:
                decided.pop(rows, None)
            else:
                decided[rows] = same
        for one in desk.conflicts():
            differ.add((int(people.source[numbers[one.pair].a]), int(people.source[numbers[one.pair].b])))
        listed = [[a, b, int(same)] for (a, b), same in sorted(decided.items())]
        made = {"of": own_kept.files_of(choices), "decided": listed, "differ": sorted(differ - decided.keys())}
        self.project.keep("decided", json.dumps(made).encode())
        return len(decided)

    def decisions(self, choices: Choices) -> Pairs:
        """What reviewers decided about these files; nothing where the files are others by now."""
        return {(a, b): bool(same) for a, b, same in self._taken_in(choices, "decided", 3)}

    def differing(self, choices: Choices) -> set[tuple[int, int]]:
        """Pairs on which reviewers differ and nobody settled it: they stay as the match had them."""
        return {(a, b) for a, b in self._taken_in(choices, "differ", 2)}

    def _taken_in(self, choices: Choices, what: str, numbers: int) -> list[tuple[int, ...]]:
        kept = self.project.artefact("decided")
        try:
            plain = json.loads(kept) if kept else {}
            if plain.get("of") != own_kept.files_of(choices):
                return []
            first, second = self._sizes(choices)
            found = [tuple(int(one) for one in row) for row in plain.get(what, [])]
            held = all(len(row) == numbers and 0 <= row[0] < first and 0 <= row[1] < second for row in found)
            return found if held else []
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            return []

    # the result -----------------------------------------------------------------------------------

    def outcome(self, choices: Choices, match: Match, progress: Progress = NO_PROGRESS) -> Outcome:
        scored, decided = match.scored, self.decisions(choices)
        kept = match.kept()
        columns = (scored.own, scored.partner, match.band, scored.probability)
        chance = {
            (a, b): (band, likely) for a, b, band, likely in zip(*(c[kept].tolist() for c in columns), strict=True)
        }
        links = {pair: likely for pair, (band, likely) in chance.items() if band == ACCEPT and decided.get(pair, True)}
        links |= {pair: 1.0 for pair, same in decided.items() if same}
        first, second = self._sizes(choices)
        shift = first if self.two else 0
        sides = np.repeat(np.array([0, 1], np.int8), [first, second]) if self.two else np.zeros(first, np.int8)
        people = persons(
            sides,
            ((a, shift + b, likely if likely == likely else 0.5) for (a, b), likely in links.items()),
            ((a, shift + b) for (a, b), same in decided.items() if not same),
            progress,
        )
        followed = tuple(sorted(pair for pair in links if people.label[pair[0]] == people.label[shift + pair[1]]))
        linked = np.unique([row for a, b in followed for row in (a, shift + b)]) if followed else np.zeros(0, np.int64)
        still_open = sum(band != ACCEPT and pair not in decided for pair, (band, _) in chance.items())
        return Outcome(
            followed, people, len(linked), len(np.unique(people.label[linked.astype(np.int64)])), still_open,
            len(decided), len(self.differing(choices)),
        )  # fmt: skip


@dataclass(frozen=True)
class Paired:
    columns: tuple[Counterparts, ...]

    def changes(self, choices: Choices) -> dict[str, Any]:
        """For Project.change: fields of both files, each with its column."""
        fields = tuple(Field.of(one.first, one.kind).with_cleaning(missing_words=one.words) for one in self.columns)
        second = replace(
            choices.second_file(), fields=(), columns=tuple((one.first, one.second) for one in self.columns)
        )
        return {"fields": fields, "columns": tuple((f.name, f.name) for f in fields), "second": second, "mapping": ()}


def direction_for(found: tuple[HeldTwice | None, HeldTwice | None]) -> Direction:
    """What is suggested where so many people are held twice in either file."""
    one, other = found
    return direction_of(one.share if one else None, other.share if other else None)


def must_be_two(seen: Seen, other: Seen) -> None:
    if (seen.sha256, seen.sheet) == (other.sha256, other.sheet):
        raise same_file()


def _must_have_records(seen: Seen) -> None:
    if not seen.rows:
        raise Problem("The table has no records.", do="Choose a file with at least one record.", place="table_path")


def same_file() -> Problem:
    return Problem(
        "Both files are the same.",
        "Every record would find itself.",
        "Choose another file or sheet, or look for duplicates within the one.",
        place="table_path",
    )


def no_fields() -> Problem:
    return Problem(
        "The two files share no column that identifies a person.",
        "Neither headings nor contents of one fit those of the other.",
        "Say by hand which columns belong together.",
        place="fields",
    )


_CHECK_COLUMNS = Said("Check that the columns that were compared hold the same thing, written in the same way.")
_SIDES = {"own": Said("first"), "partner's": Said("second")}


def _without_partner(match: Match) -> Match:
    """What the engine says of the own and the partner's file is here about the first and the second."""

    def said(one: Said) -> Said:
        plain = to_plain(one)
        for name, value in one.values:
            if isinstance(value, Said) and value.template in _SIDES:
                plain["with"][name] = to_plain(_SIDES[value.template])
        return from_plain(plain)

    cures = tuple(_CHECK_COLUMNS if one == CHECK_FIELDS else one for one in match.cures)
    return replace(match, warnings=tuple(map(said, match.warnings)), cures=cures)
