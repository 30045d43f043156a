"""The report on one agreement: what was agreed, released, matched and disclosed; from records kept at home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.job.report import Cell, Grid, Report, Section

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.evaluation.figures import Figures
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.linking import Found
    from pprl_desktop.exchange.pact import Pact
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.privacy.claims import Statement

NEVER_SENT = (
    "Never sent: the table itself, the passphrase and private keys, the map from pseudonyms to own rows, "
    "the sensitive columns."
)


class Rehearsed(Protocol):
    """A rehearsal, as it was just played or as it was kept."""

    def sentences(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, eq=False)
class Happened:
    """What the report speaks of; parts that did not happen are None and are said to be missing."""

    home: Home
    pact: Pact
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
        _agreement(happened.pact),
        _privacy(happened.statement),
        _rehearsal(happened.rehearsal),
        _releases(happened.home, happened.pact),
        _files(happened.pact),
        Section("How it was matched", tuple(happened.matched) or match_sentences(happened.match, happened.found)),
        _results(happened),
        _review(happened.review),
    ]
    return Report(title, datetime.now(UTC).strftime("%Y-%m-%d"), tuple(one for one in sections if one is not None))


def _agreement(pact: Pact) -> Section:
    from pprl_desktop.exchange.terms import in_words

    signed = "Signed by both sides." if pact.state == "in force" else f"State: {pact.state}."
    return Section("What was agreed", (f"Agreement {pact.id[:16]}. {signed}", *in_words(pact.terms)))


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


def _releases(home: Home, pact: Pact) -> Section:
    ledger = home.ledger()
    checked = ledger.verify()
    rows: list[tuple[Cell, ...]] = [
        (one.number, one.time[:10], one.method, one.mechanism, one.epsilon or "none", one.unit, one.decoys, one.sent)
        for one in ledger.releases()
        if one.agreement == pact.id
    ]
    whole = (
        f"The record of releases is whole: {checked.events} entries, last hash {checked.head[:16]}."
        if checked.whole
        else "The record of releases is damaged: an entry was changed or is missing."
    )
    header = ("number", "day", "method", "mechanism", "epsilon", "unit", "decoys", "sent again")
    return Section("What left this computer", (whole, NEVER_SENT), Grid(header, tuple(rows)) if rows else None)


def _files(pact: Pact) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for direction, items in (("sent", pact.sent), ("received", pact.received)):
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
        f"Under the agreed rule '{happened.pact.terms.rule}', {counts['linked']:,} pairs are linked "
        f"and {counts['open']:,} are left for review.",
        "Of each linked pair this side knows only which of its own rows the partner also has.",
    ]
    if happened.figures is not None:
        figures = happened.figures
        sentences.append(
            f"Measured against the known truth: precision {figures.precision:.4f}, recall {figures.recall:.4f}."
        )
    return Section("Result", tuple(sentences))


def _review(sentences: Sequence[str]) -> Section:
    return Section("Masked review", tuple(sentences) or ("No pair was reviewed.",))
