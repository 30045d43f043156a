"""The report on one agreement: what was agreed, released, matched and disclosed; from records kept at home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.exchange.disclosures import CLEAR
from pprl_desktop.job.report import Cell, Grid, Report, Section
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.evaluation.figures import Figures
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.disclosures import Disclosure
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.linking import Found
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.privacy.claims import Statement


class Rehearsed(Protocol):
    """A rehearsal, as it was just played or as it was kept."""

    def sentences(self) -> tuple[Said, ...]: ...


@dataclass(frozen=True, eq=False)
class Happened:
    """What the report speaks of; parts that did not happen are None and are said to be missing."""

    home: Home
    agreement: Agreement
    statement: Statement | None = None
    rehearsal: Rehearsed | None = None
    match: Match | None = None
    found: Found | None = None  # the match as it was kept, where the match itself is no longer at hand
    matched: Sequence[str] = ()  # the sentences on the match as they were kept, in place of both
    outcome: Outcome | None = None
    figures: Figures | None = None  # only where the truth is known, as in the sample
    review: Sequence[str] = ()  # sentences of the review's own privacy-loss report


def report(happened: Happened, title: str) -> Report:
    sections = [
        _agreement(happened.agreement),
        _privacy(happened.statement),
        _rehearsal(happened.rehearsal),
        _releases(happened.home, happened.agreement),
        _beside(happened.home, happened.agreement),
        _files(happened.agreement),
        Section("How it was matched", tuple(happened.matched) or match_sentences(happened.match, happened.found)),
        _results(happened),
        _review(happened),
    ]
    return Report(title, datetime.now(UTC).strftime("%Y-%m-%d"), tuple(one for one in sections if one is not None))


def _agreement(agreement: Agreement) -> Section:
    from pprl_desktop.exchange.terms import in_words

    signed = "Signed by both sides." if agreement.state == "in force" else f"State: {agreement.state}."
    return Section("What was agreed", (f"Agreement {agreement.id[:16]}. {signed}", *in_words(agreement.terms)))


def _privacy(statement: Statement | None) -> Section | None:
    if statement is None:
        return None
    rows = tuple((one.value, one.unit, one.bound, one.basis) for one in statement.numbers)
    grid = Grid(("epsilon", "unit", "bound", "from"), rows) if rows else None
    sentences = (
        statement.summary,
        *statement.sentences,
        *(f"Protects: {one}" for one in statement.protects),
        *(f"Does not protect: {one}" for one in statement.leaves_open),
    )
    return Section("What the numbers promise", sentences, grid)


def _rehearsal(rehearsal: Rehearsed | None) -> Section:
    if rehearsal is None:
        return Section("Attack rehearsal", ("No rehearsal was made before the release.",))
    return Section("Attack rehearsal", tuple(rehearsal.sentences()))


def _releases(home: Home, agreement: Agreement) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (one.number, one.time[:10], one.method, one.mechanism, one.epsilon or "none", one.unit, one.decoys, one.sent)
        for one in home.ledger().releases()
        if one.agreement == agreement.id
    ]
    header = ("number", "day", "method", "mechanism", "epsilon", "unit", "decoys", "sent again")
    grid = Grid(header, tuple(rows)) if rows else None
    return Section("What left this computer", left_sentences(home, agreement), grid)


def _beside(home: Home, agreement: Agreement) -> Section | None:
    rows: list[tuple[Cell, ...]] = [
        (
            one.number, one.time[:10], "received" if one.received else "sent", one.what, one.records,
            ", ".join(one.fields), one.file[:16], one.sent,
        )
        for one in home.ledger().disclosures()
        if one.agreement == agreement.id
    ]  # fmt: skip
    if not rows:
        return None
    header = ("number", "day", "direction", "what", "records", "fields", "file", "sent again")
    return Section("Results, requests and cells in clear", (), Grid(header, tuple(rows)))


def left_sentences(home: Home, agreement: Agreement) -> tuple[str, ...]:
    """What left under an agreement and what did not, counted in the ledger; nothing here is said without an entry."""
    ledger = home.ledger()
    checked = ledger.verify()
    if not checked.whole:
        return (
            "The record of releases is damaged: an entry was changed or is missing.",
            "What left cannot be told from it.",
        )
    releases = [one for one in ledger.releases() if one.agreement == agreement.id]
    beside = [one for one in ledger.disclosures() if one.agreement == agreement.id]
    results = [one for one in beside if one.what == "result"]
    said = [
        f"The record of releases is whole: {checked.events} entries, last hash {checked.head[:16]}.",
        f"Under this agreement it holds {len(releases):,} bundles of numbers and {len(results):,} results that left.",
        *_clear_sentences(beside, releases[-1].table.rows if releases else 0),
    ]
    entered = {one.number for one in releases} | {one.content for one in beside if not one.received}
    missing = sum((item.release if item.kind == "data" else item.table) not in entered for item in agreement.sent)
    if missing:
        said.append(
            f"{missing:,} of {len(agreement.sent):,} files that were sent are not in the record: they are older than "
            "such entries, or the record was replaced. What they held is not told here."
        )
    elif agreement.sent:
        said.append(f"All {len(agreement.sent):,} files that were sent under this agreement are in the record.")
    return tuple(said)


def _clear_sentences(beside: Sequence[Disclosure], rows: int) -> list[str]:
    """Whose cells went and came in clear."""
    said = []
    sent = [one for one in beside if one.what == CLEAR and not one.received]
    came = [one for one in beside if one.what == CLEAR and one.received]
    if sent:
        names = ", ".join(dict.fromkeys(name for one in sent for name in one.fields))
        said.append(
            f"In clear: the cells of {sum(one.fresh for one in sent):,} of {rows:,} records were sent for the review "
            f"({names}). The partner can read and keep them."
        )
    else:
        said.append("No cell of a record was sent in clear: the record has no such entry.")
    if came:
        said.append(
            f"The partner sent the cells of {sum(one.records for one in came):,} records in clear for the review."
        )
    return said


def _files(agreement: Agreement) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for direction, items in (("sent", agreement.sent), ("received", agreement.received)):
        rows += [(direction, item.kind, item.sequence, item.digest[:16]) for item in items]
    if not rows:
        return Section("Files exchanged", ("No file has been exchanged yet.",))
    return Section("Files exchanged", (), Grid(("direction", "kind", "number", "hash"), tuple(rows)))


def match_sentences(match: Match | None, found: Found | None) -> tuple[str, ...]:
    """What the report says of a match; of one that was only kept at home, without its forecast."""
    known = match or found
    if known is None:
        return ("This side has not matched yet.",)
    accepted, uncertain = (int((known.band == code).sum()) for code in (ACCEPT, REVIEW))
    sentences = [
        f"{accepted:,} pairs were accepted and {uncertain:,} were uncertain; "
        f"accepted at a score of {known.accept:.4g} or more."
    ]
    if match is None:
        return tuple(sentences)
    expected: dict[str, Any] = dict(match.expected)
    if expected.get("precision", float("nan")) == expected.get("precision"):
        sentences.append(
            f"Forecast, not fact: about {100 * (1 - expected['precision']):.1f} of 100 accepted pairs are wrong "
            f"and about {100 * (1 - expected['recall']):.1f} of 100 shared people are missed."
        )
        sentences += match.scored.caveats()
    return (*sentences, *match.warnings)


def _results(happened: Happened) -> Section:
    if happened.outcome is None:
        return Section("Result", ("The results of both sides have not been put together yet.",))
    counts = happened.outcome.counts()
    sentences = [
        f"Both sides accepted {counts['both']:,} pairs; {counts['only_mine']:,} were accepted by this side only, "
        f"{counts['only_theirs']:,} by the partner only.",
        f"Under the agreed rule '{happened.agreement.terms.rule}', {counts['linked']:,} pairs are linked "
        f"and {counts['open']:,} are left for review.",
        "Of each linked pair this side knows only which of its own rows the partner also has.",
    ]
    if happened.figures is not None:
        figures = happened.figures
        sentences.append(
            f"Measured against the known truth: precision {figures.precision:.4f}, recall {figures.recall:.4f}."
        )
    return Section("Result", tuple(sentences))


def _review(happened: Happened) -> Section:
    """The review's own report where the review is at hand; else what the ledger says of the decisions taken in."""
    taken = [one for one in happened.home.ledger().reviews() if one.agreement == happened.agreement.id]
    entered = taken[-1].sentences() if taken else ()
    return Section("Masked review", (*entered, *happened.review) or ("No pair was reviewed.",))
