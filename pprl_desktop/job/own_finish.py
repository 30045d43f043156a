"""The end of linking files of one's own: the linked, de-identified table and the report; nothing of it leaves."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop import files
from pprl_desktop.job import kept
from pprl_desktop.job.disclosure import match_sentences
from pprl_desktop.job.document import Cell, Document, Fact, Figure, Listed, Part
from pprl_desktop.job.outputs import Linked, not_written
from pprl_desktop.job.papers import field_title
from pprl_desktop.job.report import Report, Section, to_html
from pprl_desktop.job.report_paper import forecast
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.writing import must_be_writable, write_table
from pprl_desktop.said import ENGLISH, Language, Said, sentences

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.job.own_files import Outcome, OwnFiles
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.project.project import Project
    from pprl_desktop.records.table import Table

ID_BYTES = 6  # of the random number of a person: new in every table that is written


@dataclass(frozen=True)
class Permitted:
    """What the linked table may hold beside the columns that were chosen for it; each by a word of its own."""

    identifying: bool = False  # the columns that were compared
    record_numbers: bool = False  # the own record numbers: with them each line is found again in its file


@dataclass(frozen=True)
class HandedOut:
    """A share of the review that was written for somebody else, as its ledger tells."""

    reviewer: str
    pairs: int
    records: int = 0  # all that are under review, where they went along as the crowd


@dataclass(frozen=True)
class OwnFinished:
    linked: Linked
    report: str
    told: Report = field(repr=False)
    document: Document = field(repr=False)
    outcome: Outcome = field(repr=False)


def finish(
    own: OwnFiles,
    folder: Path,
    match: Match,
    permitted: Permitted | None = None,
    *,
    review: Sequence[Said] = (),
    language: Language = ENGLISH,
    progress: Progress = NO_PROGRESS,
) -> OwnFinished:
    permitted = permitted or Permitted()
    choices, project = own.project.choices, own.project
    must_write(choices.output_form)
    tables = [own.first.table(choices, progress.part(0.0, 0.3))]
    if own.two:
        tables.append(own.second.table(choices.second_file(), progress.part(0.3, 0.6)))
    outcome = own.outcome(choices, match, progress.part(0.6, 0.8))
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        linked = _write_table(folder / f"linked.{choices.output_form}", own, tables, outcome, permitted)
        told = _report(own, match, outcome, linked, review)
        document = _document(project, match, outcome, linked, told)
        page = folder / "report.html"
        files.write_text(page, to_html(told, language))
    except OSError:
        raise not_written() from None
    progress.at(1.0)
    return OwnFinished(linked, str(page), told, document, outcome)


def must_write(form: str) -> None:
    """Before any work: whether the table can be written here in this form."""
    must_be_writable(f".{form}")


# the table ----------------------------------------------------------------------------------------


def held_columns(choices: Choices, permitted: Permitted) -> tuple[tuple[tuple[str, str], ...], ...]:
    """What the table will hold, file by file: the heading there, and the column it comes from."""
    sides = [choices] if choices.kind != "two files" else [choices, choices.second_file()]
    names = []
    for side in sides:
        wanted = list(side.sensitive)
        if permitted.identifying:
            wanted += [column for _, column in side.columns]
        if permitted.record_numbers and side.id_column:
            wanted.append(side.id_column)
        names.append(list(dict.fromkeys(wanted)))
    taken = [name for side in names for name in side] + ["person_id"]
    made = []
    for letter, side_names in zip("ab", names, strict=False):
        made.append(tuple((f"{n}_{letter}" if taken.count(n) > 1 else n, n) for n in side_names))
    return tuple(made)


def _must_have_one_use(side: Choices) -> None:
    """As with a partner: the mark 'sensitive' is no way around the permission for compared columns and numbers."""
    both = [name for name in side.sensitive if name == side.id_column or name in dict(side.columns).values()]
    if both:
        raise Problem(
            Said("The column '{column}' goes into the result and identifies people as well.", column=both[0]),
            "Compared columns and record numbers are written only where that was permitted.",
            "Take it out of the sensitive columns, and permit it if it is wanted.",
            place=both[0],
        )


def _write_table(path: Path, own: OwnFiles, tables: Sequence[Table], outcome: Outcome, permitted: Permitted) -> Linked:
    """Two files: a line per link. One file: a line per record, with one number for all records of a person.

    Sorted by random numbers, so that the order of the files does not show.
    """
    for side in own.sides():
        _must_have_one_use(side)
    columns = held_columns(own.project.choices, permitted)
    header = ["person_id", *(heading for side in columns for heading, _ in side)]
    cells = [[table.column(name) for _, name in side] for table, side in zip(tables, columns, strict=True)]
    label = outcome.people.label
    numbers: dict[int, str] = {}

    def number(row: int) -> str:
        return numbers.setdefault(int(label[row]), secrets.token_hex(ID_BYTES))

    if own.two:
        lines = [
            [number(a), *(one.cell(a) for one in cells[0]), *(one.cell(b) for one in cells[1])]
            for a, b in outcome.pairs
        ]
    else:
        lines = [[number(row), *(one.cell(row) for one in cells[0])] for row in range(tables[0].rows)]
    lines.sort()
    write_table(path, header, lines)
    return Linked(str(path), len(lines), tuple(header), identifying=_identifying(own.project.choices, columns))


def _identifying(choices: Choices, held: Sequence[Sequence[tuple[str, str]]]) -> tuple[str, ...]:
    """Headings of the table behind which a compared column or the own record number stands, permitted or chosen."""
    sides = (choices, choices.second_file())
    known = [{side.id_column, *(column for _, column in side.columns)} for side in sides]
    return tuple(heading for of, side in zip(known, held, strict=False) for heading, name in side if name in of)


# the report ---------------------------------------------------------------------------------------


def handed_out(project: Project) -> tuple[HandedOut, ...]:
    """Shares written for other reviewers: read from the ledger of the review, which holds each before its file does."""
    from pprl_desktop.review.desk_files import LEDGER
    from pprl_desktop.review.ledger import read_entries

    path = Path(project.choices.review_path) / LEDGER if project.choices.review_path else None
    if path is None or not path.is_file():
        return ()
    held: dict[str, HandedOut] = {}
    for entry in read_entries(path):
        if entry.what == "assign":
            name = str(entry.body.get("who", ""))
            before = held.get(name, HandedOut(name, 0))
            pairs, records = (int(entry.body.get(one, 0)) for one in ("rows", "records"))
            held[name] = HandedOut(name, before.pairs + pairs, max(before.records, records))
    return tuple(held.values())


def left(project: Project) -> tuple[Said, ...]:
    """What left this computer, counted: agreements, releases and shares of this project."""
    shares = handed_out(project)
    if project.choices.agreement:  # a project of own files never has one; if it has, this is not the page for it
        return (Said("This project has an agreement: see its record of releases."),)
    if not shares:
        return (Said("Nothing left this computer: no file was written for anybody else."),)
    pairs, records = sum(one.pairs for one in shares), max(one.records for one in shares)
    if records:
        first = Said(
            "Files for {n|one reviewer|{n} reviewers} were written, sealed, with the cells of all {records} records: "
            "with them crowds are exact, and whoever copies such a file holds everybody. Nothing else was written for "
            "anybody.",
            n=len(shares), records=records,
        )  # fmt: skip
    else:
        first = Said(
            "Files for {n|one reviewer|{n} reviewers} were written, sealed, with the cells of {pairs|one "
            "pair|{pairs} pairs}; nothing else was written for anybody.",
            n=len(shares), pairs=pairs,
        )  # fmt: skip
    return (first, *(_share_said(one) for one in shares))


def _share_said(one: HandedOut) -> Said:
    if one.records:
        return Said("{name}: all {records} records in sealed shares.", name=one.reviewer, records=one.records)
    return Said("{name}: {n} {n|pair|pairs} in sealed shares.", name=one.reviewer, n=one.pairs)


READ = Said("How the files were read")


def _what(choices: Choices) -> tuple[Said, ...]:
    names = tuple(field_title(one.name) for one in choices.fields)
    if choices.kind != "two files":
        return (
            _with_sheet(
                Said("One file with {n} records (SHA-256 {hash}).", n=choices.rows, hash=choices.table_sha256[:16]),
                choices,
            ),
            Said("Compared were: {names:and}.", names=names),
        )
    second = choices.second_file()
    return (
        _with_sheet(
            Said("First file: {n} records (SHA-256 {hash}).", n=choices.rows, hash=choices.table_sha256[:16]), choices
        ),
        _with_sheet(
            Said("Second file: {n} records (SHA-256 {hash}).", n=second.rows, hash=second.table_sha256[:16]), second
        ),
        Said("Compared were: {names:and}.", names=names),
        often_said(choices),
    )


def _with_sheet(file: Said, side: Choices) -> Said:
    return sentences(file, Said("Of its sheets, '{sheet}'.", sheet=side.sheet)) if side.sheet else file


def often_said(choices: Choices) -> Said:
    first, second = (
        Said("several times") if often else Said("once")
        for often in (choices.settings.direction.startswith("many"), choices.settings.direction.endswith("many"))
    )
    return Said("The first file may hold a person {first}, the second {second}.", first=first, second=second)


def result_said(choices: Choices, outcome: Outcome) -> tuple[Said, ...]:
    if not outcome.pairs:
        said = [
            Said("Nobody was found in both files.")
            if choices.kind == "two files"
            else Said("Nobody was found twice among {n|one record|{n} records}.", n=choices.rows)
        ]
    elif choices.kind == "two files":
        said = [
            Said(
                "{n|One link|{n} links} between {people} people of both files.",
                n=len(outcome.pairs),
                people=outcome.persons,
            )
        ]
    else:
        said = [
            Said(
                "{people|One person has|{people} people have} {records} records{people|| between them}; without "
                "repeats the file holds {n|one person|{n} people}.",
                people=outcome.persons, records=outcome.records,
                n=choices.rows - outcome.records + outcome.persons,
            )
        ]  # fmt: skip
    if outcome.decided:
        said.append(Said("{n} {n|pair was|pairs were} decided by reviewers.", n=outcome.decided))
    if outcome.differ:
        said.append(
            Said(
                "Reviewers differ on {n} {n|pair|pairs}, and nobody settled it: "
                "{n|it stays|they stay} as the match had {n|it|them}.",
                n=outcome.differ,
            )
        )
    if outcome.open:
        said.append(Said("{n} uncertain {n|pair is|pairs are} left open and not linked.", n=outcome.open))
    if outcome.people.refused:
        said.append(
            Said(
                "{n|One link contradicts others or a reviewer and was|{n} links contradict others or a "
                "reviewer and were} left out.",
                n=outcome.people.refused,
            )
        )
    return tuple(said)


def table_said(linked: Linked) -> tuple[Said, ...]:
    if len(linked.columns) == 1:
        return (
            Said("The table holds {rows|one line|{rows} lines} with the random number of a person, and no other "
                 "column.",
                 rows=linked.rows),
        )  # fmt: skip
    return (
        Said("The table holds {rows|one line|{rows} lines}: the random number of a person, and {columns:and}.",
             rows=linked.rows,
             columns=linked.columns[1:]),
    )  # fmt: skip


def _report(own: OwnFiles, match: Match, outcome: Outcome, linked: Linked, review: Sequence[Said]) -> Report:
    project = own.project
    choices, reviewed = project.choices, tuple(review) or kept.review_of(project).said
    read = tuple(Said("{file}: {told}", file=file, told=sentences(one.what, one.why)) for file, one in own.remarks())
    sections = (
        Section(Said("What was compared"), _what(choices)),
        *((Section(READ, read),) if read else ()),
        Section(Said("What left this computer"), left(project)),
        Section(Said("How it was matched"), match_sentences(match, None)),
        Section(Said("Masked review"), reviewed or (Said("No pair was reviewed."),)),
        Section(Said("Result"), (*result_said(choices, outcome), *table_said(linked))),
    )  # fmt: skip
    return Report(project.title, datetime.now(UTC).strftime("%Y-%m-%d"), sections)


def _document(project: Project, match: Match, outcome: Outcome, linked: Linked, report: Report) -> Document:
    """The first page for an ethics board, as with a partner: what, how many, how sure, what left."""
    choices = project.choices
    two = choices.kind == "two files"
    lead = Figure(
        Said("{n}", n=outcome.persons), "",
        (
            Said("{n|person is|people are} in both files", n=outcome.persons)
            if two
            else Said("{n|person is|people are} held more than once", n=outcome.persons)
        ),
        Said("{n} {n|pair|pairs} left open", n=outcome.open),
    )  # fmt: skip
    shares = handed_out(project)
    rows = tuple((Cell(one.reviewer), Cell(Said("{n}", n=one.pairs), right=True),
                  Cell(Said("all records, sealed") if one.records else Said("sealed"), tag="accent"))
                 for one in shares)  # fmt: skip
    return Document(
        kicker=Said("Report of a record linkage"),
        title=project.title,
        note=Said("Two files of one organisation") if two else Said("One file, looked through for duplicates"),
        aside=(Said("written {day:date}", day=report.date),),
        lead=lead,
        figures=_sure(match, two=two),
        facts_title=Said("Who, what, why"),
        facts=(
            Fact(Said("Compared"), ", ".join(field_title(one.name) for one in choices.fields)),
            Fact(Said("Records"), Said("{a} and {b}", a=choices.rows, b=choices.second_file().rows)
                 if two else Said("{n}", n=choices.rows)),
            Fact(Said("Decided by"), _decided(outcome)),
            Fact(Said("Table"), table_said(linked)[0]),
        ),
        listed=Listed(
            Said("What left, and in which form"), (Said("For"), Said("Pairs"), Said("Form")), rows, left(project)[0]
        ),
        parts=tuple(Part(one.title, sentences=one.sentences) for one in report.sections),
    )  # fmt: skip


def _decided(outcome: Outcome) -> Said:
    if not outcome.decided:
        return Said("the program alone")
    return Said("the program, and reviewers at masked records ({n} {n|pair|pairs})", n=outcome.decided)


def _sure(match: Match, *, two: bool) -> tuple[Figure, ...]:
    expected = match.expected
    if "recall" not in expected or not len(match.accepted()):
        return ()
    made = []
    missed = Said("shared people missed") if two else Said("repeated records missed")
    for what, name in ((Said("links wrong"), "precision"), (missed, "recall")):
        share, low, high = (1 - float(expected.get(f"{name}{end}", expected[name])) for end in ("", "_high", "_low"))
        made.append(forecast(what, share, low, high, reliable=match.reliable))
    return tuple(made)
