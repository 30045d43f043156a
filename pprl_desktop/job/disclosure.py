"""The report on one agreement: what was agreed, released, matched and disclosed; from records kept at home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from pprl_desktop.codes.base import REGISTRY, method
from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.exchange.disclosures import CLEAR, WORDS
from pprl_desktop.exchange.release_totals import repeated as repeated
from pprl_desktop.job.report import Cell, Grid, Report, Section
from pprl_desktop.matching.reconcile import RULE_WORDS
from pprl_desktop.privacy.claims import BOUNDS, MECHANISMS, UNITS
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.evaluation.figures import Figures
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.disclosures import Disclosure
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.linking import AssignedPairs
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.privacy.claims import Statement


STATES: dict[str, Said] = {
    "proposed": Said("proposed"),
    "in force": Said("in force"),
    "declined": Said("declined"),
    "ended": Said("ended"),
}
KINDS: dict[str, Said] = {
    "agreement": Said("agreement"),
    "data": Said("data"),
    "question": Said("question"),
    "answer": Said("answer"),
    "result": Said("result"),
    "receipt": Said("receipt"),
    "review": Said("review"),
    "group_links": WORDS["group links"],
    "groups": WORDS["groups"],
}


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
    found: AssignedPairs | None = None  # the match as it was kept, where the match itself is no longer at hand
    matched: Sequence[Said] = ()  # the sentences on the match as they were kept, in place of both
    outcome: Outcome | None = None
    figures: Figures | None = None  # only where the truth is known, as in the sample
    review: Sequence[Said] = ()  # sentences of the review's own privacy-loss report
    table: Said | None = None  # what the linked table holds, once it is written


def report(happened: Happened, title: str) -> Report:
    sections = [
        _agreement(happened.agreement),
        _privacy(happened.statement, happened.agreement),
        _rehearsal(happened.rehearsal),
        _releases(happened.home, happened.agreement),
        _beside(happened.home, happened.agreement),
        _files(happened.agreement),
        Section(Said("How it was matched"), _matched(happened)),
        _results(happened),
        _review(happened),
    ]
    return Report(title, datetime.now(UTC).strftime("%Y-%m-%d"), tuple(one for one in sections if one is not None))


def _agreement(agreement: Agreement) -> Section:
    from pprl_desktop.exchange.terms_words import in_words

    signed = (
        Said("Signed by both sides.")
        if agreement.state == "in force"
        else Said("State: {state}.", state=STATES[agreement.state])
    )
    return Section(
        Said("What was agreed"),
        (Said("Agreement {id}. {signed}", id=agreement.id[:16], signed=signed), *in_words(agreement.terms)),
    )


def only_answers(agreement: Agreement) -> bool:
    """With blind, the side that is asked compares nothing and decides nothing."""
    return agreement.terms.blind is not None and agreement.terms.blind.asked_by(agreement.role) is None


def _matched(happened: Happened) -> tuple[Said, ...]:
    if only_answers(happened.agreement):
        partner = happened.agreement.partner_side.name
        return (Said("{partner} asked, so it compares and decides; this side compares nothing.", partner=partner),)
    return tuple(happened.matched) or match_sentences(happened.match, happened.found)


def _privacy(statement: Statement | None, agreement: Agreement) -> Section | None:
    """What the agreement does not say already: its words hold what protects and what does not."""
    from pprl_desktop.exchange.terms_words import in_words

    if statement is None:
        return None
    agreed = in_words(agreement.terms)
    rows = tuple((one.value, one.unit, BOUNDS[one.bound], one.basis) for one in statement.numbers)
    grid = Grid((Said("epsilon"), Said("unit"), Said("bound"), Said("from")), rows) if rows else None
    sentences = tuple(one for one in (statement.summary, *statement.sentences) if one not in agreed)
    return Section(Said("What the numbers promise"), sentences, grid) if sentences or grid is not None else None


def _rehearsal(rehearsal: Rehearsed | None) -> Section:
    if rehearsal is None:
        return Section(Said("Attack rehearsal"), (Said("No rehearsal was made before the release."),))
    return Section(Said("Attack rehearsal"), tuple(rehearsal.sentences()))


def _releases(home: Home, agreement: Agreement) -> Section:
    rows: list[tuple[Cell, ...]] = [
        (
            one.number,
            Said("{day:date}", day=one.time[:10]),
            method(one.method).title if one.method in REGISTRY else one.method,
            MECHANISMS.get(one.mechanism, one.mechanism),
            one.epsilon or Said("none"),
            UNITS.get(one.unit, one.unit),
            one.decoys,
            one.sent,
        )
        for one in home.ledger().releases()
        if one.agreement == agreement.id
    ]
    header = (
        Said("number"), Said("day"), Said("method"), Said("mechanism"), Said("epsilon"), Said("unit"), Said("decoys"),
        Said("sent again"),
    )  # fmt: skip
    grid = Grid(header, tuple(rows)) if rows else None
    return Section(Said("What left this computer"), left_sentences(home, agreement), grid)


def _beside(home: Home, agreement: Agreement) -> Section | None:
    rows: list[tuple[Cell, ...]] = [
        (
            one.number, Said("{day:date}", day=one.time[:10]), Said("received") if one.received else Said("sent"),
            WORDS[one.what], one.records, ", ".join(one.fields), one.file[:16], one.sent,
        )
        for one in home.ledger().disclosures()
        if one.agreement == agreement.id
    ]  # fmt: skip
    if not rows:
        return None
    header = (
        Said("number"), Said("day"), Said("direction"), Said("what"), Said("records"), Said("fields"), Said("file"),
        Said("sent again"),
    )  # fmt: skip
    return Section(Said("Results, requests and cells in clear"), (), Grid(header, tuple(rows)))


def left_sentences(home: Home, agreement: Agreement) -> tuple[Said, ...]:
    """What left under an agreement and what did not, counted in the ledger; nothing here is said without an entry."""
    ledger = home.ledger()
    checked = ledger.verify()
    if not checked.whole:
        return (
            Said("The record of releases is damaged: an entry was changed or is missing."),
            Said("What left cannot be told from it."),
        )
    releases = [one for one in ledger.releases() if one.agreement == agreement.id]
    beside = [one for one in ledger.disclosures() if one.agreement == agreement.id]
    results = [one for one in beside if one.what == "result"]
    # with blind no bundle leaves: question and answer are about the whole table
    rows = releases[-1].table.rows if releases else max((one.records for one in beside if one.guesses), default=0)
    said = [
        Said(
            "The record of releases is whole: {events|one entry|{events} entries}, last hash {head}.",
            events=checked.events,
            head=checked.head[:16],
        ),
        Said(
            "Under this agreement it holds {releases} {releases|bundle|bundles} of numbers and {results} "
            "{results|result|results} that left.",
            releases=len(releases),
            results=len(results),
        ),
        *(said for _, said in repeated(releases)),
        *_blind_sentences(beside),
        *_clear_sentences(beside, rows),
    ]
    entered = {one.number for one in releases} | {one.content for one in beside if not one.received}
    asked = {one.what for one in beside if not one.received}  # one question and one answer under an agreement
    missing = sum(
        item.kind not in asked
        if item.kind in ("question", "answer")
        else (item.release if item.kind == "data" else item.table) not in entered
        for item in agreement.sent
    )
    if missing:
        said.append(
            Said(
                "{missing} of {sent} files that were sent {missing|is not in the record: it is|are not in the "
                "record: they are} older than such entries, or the record was replaced. What {missing|it|they} "
                "held is not told here. In a terminal, 'pprl-desktop releases repair' enters {missing|it|them} again, "
                "as far as the agreements know.",
                missing=missing,
                sent=len(agreement.sent),
            )
        )
    elif agreement.sent:
        said.append(
            Said(
                "{sent|The one file that was sent under this agreement is|All {sent} files that were sent under this "
                "agreement are} in the record.",
                sent=len(agreement.sent),
            )
        )
    return tuple(said)


def _blind_sentences(beside: Sequence[Disclosure]) -> list[Said]:
    """Of the method blind: what was asked, and how much an answer lets a lying partner try."""
    said = []
    for one in beside:
        if one.what == "question":
            said.append(
                Said("A question about {records} records left: uniformly random points, nothing else.",
                     records=one.records)
            )  # fmt: skip
        elif one.what == "answer":
            said.append(
                Said(
                    "An answer about {records} records left. It allows {guesses} guesses, with which a partner who "
                    "lies in every question reaches up to {share:decimals 1} of 100 of them.",
                    records=one.records,
                    guesses=one.guesses,
                    share=100 * float(one.coverage or 1.0),
                )
            )
    return said


def _clear_sentences(beside: Sequence[Disclosure], rows: int) -> list[Said]:
    """Whose cells went and came in clear."""
    said = []
    sent = [one for one in beside if one.what == CLEAR and not one.received]
    came = [one for one in beside if one.what == CLEAR and one.received]
    if sent:
        names = ", ".join(dict.fromkeys(name for one in sent for name in one.fields))
        said.append(
            Said(
                "In clear: the cells of {sent} of {rows} records were sent for the review ({names}). The partner "
                "can read and keep them.",
                sent=sum(one.fresh for one in sent),
                rows=rows,
                names=names,
            )
        )
    else:
        said.append(Said("No cell of a record was sent in clear: the record has no such entry."))
    if came:
        said.append(
            Said(
                "The partner sent the cells of {came} {came|record|records} in clear for the review.",
                came=sum(one.records for one in came),
            )
        )
    return said


def _files(agreement: Agreement) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for direction, items in ((Said("sent"), agreement.sent), (Said("received"), agreement.received)):
        rows += [(direction, KINDS.get(item.kind, item.kind), item.sequence, item.digest[:16]) for item in items]
    if not rows:
        return Section(Said("Files exchanged"), (Said("No file has been exchanged yet."),))
    return Section(
        Said("Files exchanged"), (), Grid((Said("direction"), Said("kind"), Said("number"), Said("hash")), tuple(rows))
    )


def match_sentences(match: Match | None, found: AssignedPairs | None) -> tuple[Said, ...]:
    """What the report says of a match; of one that was only kept at home, without its forecast."""
    known = match or found
    if known is None:
        return (Said("This side has not matched yet."),)
    accepted, uncertain = (int((known.band == code).sum()) for code in (ACCEPT, REVIEW))
    sentences = [
        Said(
            "{accepted|One pair was|{accepted} pairs were} accepted and {uncertain} {uncertain|was|were} "
            "uncertain; accepted at a score of {accept:figures 4} or more.",
            accepted=accepted,
            uncertain=uncertain,
            accept=known.accept,
        )
    ]
    if match is None:
        return tuple(sentences)
    expected: dict[str, Any] = dict(match.expected)
    if expected.get("precision", float("nan")) == expected.get("precision") and match.reliable:
        sentences.append(
            Said(
                "Forecast, not fact: about {wrong:decimals 1} of 100 accepted pairs are wrong and about "
                "{missed:decimals 1} of 100 shared people are missed.",
                wrong=100 * (1 - expected["precision"]),
                missed=100 * (1 - expected["recall"]),
            )
        )
        sentences += match.scored.caveats()
    if match.second_opinion:
        sentences.append(
            Said(
                "Second opinion, by fields that were left out: {low:decimals 1} to {high:decimals 1} of 100 accepted "
                "pairs are wrong.",
                low=100 * (1 - match.second_opinion["high"]),
                high=100 * (1 - match.second_opinion["low"]),
            )
        )
    if "recall" in match.second_opinion:
        sentences.append(
            Said(
                "Second opinion, by pairs found without a field: {low:decimals 1} to {high:decimals 1} of 100 shared "
                "people are missed, or more.",
                low=100 * (1 - match.second_opinion["recall_high"]),
                high=100 * (1 - match.second_opinion["recall_low"]),
            )
        )
    if not match.reliable:
        sentences += [Said("No figure can be relied on here."), *match.reasons, *match.cures]
    return (*sentences, *match.warnings)


def _unsure(outcome: Outcome) -> list[Said]:
    """Pairs that the rule leaves to nobody."""
    if not outcome.unsure:
        return []
    return [Said("{n} {n|pair|pairs} of which this side's match is unsure {n|is|are} not linked.", n=outcome.unsure)]


def _put_together(agreement: Agreement, counts: dict[str, int]) -> list[Said]:
    """Which pairs are linked, and by whose decision."""
    blind = agreement.terms.blind
    if blind is not None and not blind.mutual:
        asks = agreement.partner_side if only_answers(agreement) else agreement.own_side
        return [
            Said("{asks} asked, so it decides: {linked} {linked|pair is|pairs are} linked.", asks=asks.name,
                 linked=counts["linked"])
        ]  # fmt: skip
    return [
        Said(
            "Both sides accepted {both} {both|pair|pairs}; {mine} {mine|was|were} accepted by this side only, {theirs} "
            "by the partner only.",
            both=counts["both"],
            mine=counts["only_mine"],
            theirs=counts["only_theirs"],
        ),
        Said(
            "{rule}: {linked} {linked|pair is|pairs are} linked, and {open} {open|is|are} left for review.",
            rule=RULE_WORDS[agreement.terms.rule],
            linked=counts["linked"],
            open=counts["open"],
        ),
    ]


def _results(happened: Happened) -> Section:
    if happened.outcome is None:
        return Section(Said("Result"), (Said("The results of both sides have not been put together yet."),))
    counts = happened.outcome.counts()
    sentences = [
        *_put_together(happened.agreement, counts),
        *_unsure(happened.outcome),
        Said("The results hold no value of a record: they tell this side which of its own rows the partner also has."),
        *([happened.table] if happened.table is not None else []),
    ]
    if happened.figures is not None:
        figures = happened.figures
        sentences.append(
            Said(
                "Measured against the known truth: precision {precision:decimals 4}, recall {recall:decimals 4}.",
                precision=figures.precision,
                recall=figures.recall,
            )
        )
    return Section(Said("Result"), tuple(sentences))


def _review(happened: Happened) -> Section:
    """The review's own report where the review is at hand; else what the ledger says of the decisions taken in."""
    taken = [one for one in happened.home.ledger().reviews() if one.agreement == happened.agreement.id]
    entered = taken[-1].sentences() if taken else ()
    return Section(Said("Masked review"), (*entered, *happened.review) or (Said("No pair was reviewed."),))
