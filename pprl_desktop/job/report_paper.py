"""The first page of the report, for an ethics board: who, what, how many, what left, how sure; the rest behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pprl_desktop.exchange.disclosures import CLEAR, WORDS
from pprl_desktop.job.disclosure import only_answers
from pprl_desktop.job.document import Cell, Document, Fact, Figure, Listed, Part
from pprl_desktop.job.papers import field_title, how, hundred, linked
from pprl_desktop.job.report import Grid, Report
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreement import Agreement
    from pprl_desktop.exchange.disclosures import Disclosure
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.job.kept import KeptMatch, Range
    from pprl_desktop.job.review_path import Decided
    from pprl_desktop.privacy.claims import Statement


@dataclass(frozen=True)
class FirstPage:
    """What the first page is made of; every part from what was measured, signed or entered."""

    home: Home
    agreement: Agreement
    title: str
    day: str  # ISO
    rows: int
    linked: int
    open: int
    match: KeptMatch | None
    named: Range | None  # of the own people, by the partner, as rehearsed
    reviewed: Decided | None
    statement: Statement | None


def report_document(told: FirstPage, report: Report) -> Document:
    agreement, terms = told.agreement, told.agreement.terms
    me, partner = agreement.own_side.name, agreement.partner_side.name
    purpose = Said("“{words}”", words=terms.purpose) if terms.purpose else Said("not stated")
    return Document(
        kicker=Said("Report of a record linkage"),
        title=told.title,
        note=Said("{one} and {other}", one=me, other=partner),
        aside=(Said("written {day:date}", day=told.day), Said("by {name}", name=me)),
        lead=Figure(
            Said("{n}", n=told.linked), "", Said("{n|person is|people are} in both tables", n=told.linked),
            Said("of {rows} records of {me}; {n} left open", rows=told.rows, me=me, n=told.open),
        ),
        figures=_sure(told.match, blind=told.agreement.terms.blind is not None),
        facts_title=Said("Who, what, why"),
        facts=(
            Fact(Said("Purpose"), purpose),
            Fact(Said("Basis"), Said("an agreement of {day:date}, signed by both", day=terms.made[:10])),
            Fact(Said("Compared"), ", ".join(field_title(one.name) for one in terms.fields)),
            Fact(Said("How"), how(terms)),
            Fact(Said("A pair is linked"), linked(terms)),
            Fact(Said("Decided by"), _decided(told)),
        ),
        listed=_left(told),
        protects=told.statement.protects if told.statement is not None else (),
        stays_open=told.statement.leaves_open if told.statement is not None else (),
        parts=tuple(
            Part(one.title, sentences=one.sentences, listed=_listed(one.grid)) for one in report.sections
        ),
    )  # fmt: skip


def _sure(match: KeptMatch | None, *, blind: bool) -> tuple[Figure, ...]:
    """With blind nobody compared those who share no key: how many of them are missed is not forecast."""
    if match is None or match.wrong is None or match.missed is None:
        return ()
    missed = Said("people with a shared key missed") if blind else Said("shared people missed")
    return (
        forecast(Said("links wrong"), *match.wrong, reliable=match.reliable),
        forecast(missed, *match.missed, reliable=match.reliable),
    )


def forecast(what: Said, share: float, low: float, high: float, *, reliable: bool) -> Figure:
    """A number that nothing confirms is not printed large: whoever judges would go by it."""
    if not reliable:
        return Figure(Said("not known"), "", what, Said("not reliable: no second opinion confirms it"))
    note = Said("between {low:decimals 1} and {high:decimals 1}, a forecast", low=100 * low, high=100 * high)
    return Figure(hundred(share), Said("of 100"), what, note, share, "warm")


def _decided(told: FirstPage) -> Said:
    if only_answers(told.agreement):
        return Said("{partner}, because it asked", partner=told.agreement.partner_side.name)
    program = told.match.accepted if told.match is not None else told.linked
    if told.reviewed is None or not told.reviewed.pairs:
        return Said("the program ({n} {n|pair|pairs} accepted here)", n=program)
    return Said(
        "the program ({n} {n|pair|pairs} accepted here) and a reviewer at masked records "
        "({same} of {pairs} the same)",
        n=program, same=told.reviewed.same, pairs=told.reviewed.pairs,
    )  # fmt: skip


def _left(told: FirstPage) -> Listed:
    """Every entry of the ledger under this agreement, in the order of time."""
    ledger, me, partner = told.home.ledger(), told.agreement.own_side.name, told.agreement.partner_side.name
    rows: list[tuple[str, tuple[Cell, ...]]] = []
    named = Cell("–") if told.named is None else Cell(
        Said("{n} of 100", n=hundred(told.named[0])), share=told.named[0]
    )  # fmt: skip
    for release in ledger.releases():
        if release.agreement == told.agreement.id:
            rows.append((release.time, (
                _day(release.time), Cell(me), Cell(Said("bundle")), Cell(Said("{n}", n=release.table.rows), right=True),
                Cell(Said("smashed"), tag="accent"), named,
            )))  # fmt: skip
    for one in ledger.disclosures():
        if one.agreement == told.agreement.id:
            form, reach = _form(one, partner)
            rows.append((one.time, (
                _day(one.time), Cell(partner if one.received else me), Cell(WORDS[one.what]),
                Cell(Said("{n}", n=one.records), right=True), form, reach,
            )))  # fmt: skip
    return Listed(
        Said("What left, and in which form"),
        (Said("Date"), Said("From"), Said("What"), Said("Records"), Said("Form"), Said("Could be named")),
        tuple(cells for _, cells in sorted(rows, key=lambda one: one[0])),
        Said(
            "Never part of these files: sensitive columns, record numbers, and names of columns that are no agreed "
            "field."
        ),
    )


def _form(one: Disclosure, partner: str) -> tuple[Cell, Cell]:
    """In which form it left, and how many of its people could be named by whoever has it."""
    if one.what == CLEAR:
        return Cell(Said("IN CLEAR"), tag="danger"), Cell(Said("all {n}", n=one.records), share=1.0, tag="danger")
    if one.what == "answer":
        share = float(one.coverage or 1.0)
        reach = Cell(Said("{n} of 100, if {partner} lied", n=hundred(share), partner=partner), share=share)
        return Cell(Said("blind"), tag="accent"), reach
    if one.what == "question":
        return Cell(Said("blind"), tag="accent"), Cell(Said("none"))
    told = one.what in ("result", "group links", "groups")
    return Cell(Said("numbers"), tag="neutral"), Cell(Said("those they hold too") if told else Said("none"))


def _day(time: str) -> Cell:
    return Cell(Said("{day:date}", day=time[:10]))


def _listed(grid: Grid | None) -> Listed | None:
    if grid is None:
        return None
    return Listed(Said(""), grid.header, tuple(tuple(_cell(one) for one in line) for line in grid.rows))


def _cell(value: Said | str | float) -> Cell:
    if isinstance(value, Said | str):
        return Cell(value)
    words = Said("{n:figures 4}", n=value) if isinstance(value, float) else Said("{n}", n=value)
    return Cell(words, right=True)
