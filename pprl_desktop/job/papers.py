"""The agreement as a document: what a steward reads before signing, and keeps afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pprl_desktop.codes.base import method
from pprl_desktop.exchange.group_terms import UNCOMPARED
from pprl_desktop.job.document import Document, Fact, Figure, Part, Words
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.blind_terms import BlindTerms
    from pprl_desktop.exchange.group_terms import Group
    from pprl_desktop.exchange.terms import Terms
    from pprl_desktop.job.kept import Range
    from pprl_desktop.privacy.claims import Statement

Stage = Literal["draft", "proposed", "read", "signed"]


@dataclass(frozen=True)
class Measured:
    """What was measured on the own table under these terms; None: not yet."""

    rows: int = 0
    found: Range | None = None
    named: Range | None = None
    reach: float | None = None  # with blind: of the own records, by a partner who lies in every question


RULES = {
    "both": Said("A pair is linked only if both sides accept it."),
    "either": Said("A pair is linked if one side accepts it and nothing speaks against it."),
    "review": Said("A pair that only one side accepts goes to the masked review."),
}


def agreement_document(
    terms: Terms, stage: Stage, me: str, statement: Statement | None, measured: Measured
) -> Document:
    """`me` is the name of the reading side."""
    one, other = terms.proposer.name, terms.accepter.name
    partner = other if me == one else one
    day = terms.made[:10]
    kicker, note = {
        "draft": (Said("Draft of a proposal"), Said("Not written yet. Nothing is signed, nothing has left.")),
        "proposed": (
            Said("Proposal for an agreement"),
            Said("Proposed and signed by {name} on {day:date}. Valid when {other} signs it too.", name=one, day=day,
                 other=other),
        ),
        "read": (
            Said("Proposal for an agreement"),
            Said("Proposed and signed by {name} on {day:date}. Valid when you sign it too.", name=one, day=day),
        ),
        "signed": (
            Said("Agreement"), Said("Proposed by {name} on {day:date}, signed by both sides.", name=one, day=day),
        ),
    }[stage]  # fmt: skip
    return Document(
        kicker=kicker,
        title=Said("Whom do {one} and {other} both hold?", one=one, other=other),
        note=note,
        facts=_facts(terms, me, measured),
        figures=_figures(terms, partner, measured),
        protects=statement.protects if statement is not None else (),
        stays_open=statement.leaves_open if statement is not None else (),
        signatures=_signatures(terms, stage),
        parts=(_details(terms, statement),),
    )


def _facts(terms: Terms, me: str, measured: Measured) -> tuple[Fact, ...]:
    purpose = Said("“{words}”", words=terms.purpose) if terms.purpose else Said("not stated")

    one, other = terms.blind.sizes if terms.blind is not None else (0, 0)
    told = {terms.proposer.name: one, terms.accepter.name: other}

    def who(name: str) -> Words:
        n = (measured.rows if name == me else 0) or told[name]
        if name == me:
            return (
                Said("{name}, {n|one record|{n} records} (you)", name=name, n=n)
                if n
                else Said("{name} (you)", name=name)
            )
        return Said("{name}, {n|one record|{n} records}", name=name, n=n) if n else name

    return (
        Fact(Said("Purpose"), purpose),
        Fact(Said("Who proposes"), who(terms.proposer.name), strong=True),
        Fact(Said("Who signs too"), who(terms.accepter.name), strong=True),
        Fact(Said("Compared"), ", ".join(map(field_title, (one.name for one in terms.fields))), brief=True),
        Fact(Said("How"), how(terms), brief=True),
        Fact(Said("A person occurs"), _occurs(terms)),
        Fact(Said("A pair is linked"), linked(terms), brief=True),
        Fact(Said("In clear"), _clear(terms)),
        *([Fact(Said("Group"), _group(terms.group))] if terms.group is not None else []),
    )  # fmt: skip


def linked(terms: Terms) -> Said:
    """Which pairs count; where one side asks and the other only answers, the asking one decides alone."""
    if terms.blind is None or terms.blind.mutual:
        return RULES[terms.rule]
    asks = terms.proposer.name if terms.blind.directions[0].asks == "proposer" else terms.accepter.name
    if terms.rule == "review":
        return Said("If {asks} accepts it; pairs it is unsure of may be reviewed, masked.", asks=asks)
    return Said("If {asks} accepts it; pairs it is unsure of stay unlinked.", asks=asks)


def _group(group: Group) -> Said:
    """What is consented to beyond the two."""
    return Said(
        "'{group}' of {names:and}. {who} puts the links of all together; each party is told who else holds its "
        "people, also through third parties. {uncompared}",
        uncompared=UNCOMPARED,
        group=group.name,
        names=group.names,
        who=group.member(group.computes).name,
    )


def _occurs(terms: Terms) -> Said:
    """The direction is written from the proposer's side."""
    one, other = terms.proposer.name, terms.accepter.name
    return {
        "one-to-one": Said("once in each table"),
        "one-to-many": Said("once at {one}, perhaps several times at {other}", one=one, other=other),
        "many-to-one": Said("perhaps several times at {one}, once at {other}", one=one, other=other),
        "many-to-many": Said("perhaps several times in both tables"),
    }[terms.settings.direction]


def field_title(name: str) -> str:
    """last_name -> Last name; the field's own words stay."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def how(terms: Terms) -> Said:
    """In the words of the screen; every setting stands in the part for experts."""
    title = method(terms.method).title
    if terms.blind is not None:
        return _blind(terms, terms.blind)
    if terms.settings.epsilon is None:
        return Said("{method}, without noise", method=title)
    return Said("{method}, with noise", method=title)


def _blind(terms: Terms, blind: BlindTerms) -> Said:
    title, most = method(terms.method).title, max(sum(one.asked) for one in blind.directions)
    if blind.mutual:
        return Said("{method}: both sides ask and answer, at most {n:count} questions each", method=title, n=most)
    sides = (terms.proposer.name, terms.accepter.name)
    asks, answers = sides if blind.directions[0].asks == "proposer" else sides[::-1]
    return Said(
        "{method}: {asks} asks at most {n:count} questions, {answers} answers",
        method=title, asks=asks, answers=answers, n=most,
    )  # fmt: skip


def _clear(terms: Terms) -> Said:
    if terms.rule != "review":
        return Said("Nothing: no review was agreed.")
    return Said(
        "At most {n} of 100 records of each side, for the review, each time shown and confirmed first.",
        n=terms.limits.clear,
    )


def _figures(terms: Terms, partner: str, measured: Measured) -> tuple[Figure, ...]:
    made = []
    if measured.found is not None:
        share, low, high = measured.found
        made.append(
            Figure(
                hundred(share), Said("of 100"), Said("would be found"),
                Said("a forecast on your own records, {low:count} to {high:count}", low=100 * low, high=100 * high),
                share,
            )
        )  # fmt: skip
    if measured.named is not None:
        share, low, high = measured.named
        made.append(
            Figure(
                hundred(share), Said("of 100"), Said("of your people could be named"),
                Said("by {partner}, with a telephone book; {low:count} to {high:count}", partner=partner, low=100 * low,
                     high=100 * high),
                share, "warm",
            )
        )  # fmt: skip
    if terms.blind is not None and measured.reach is not None:
        made.append(
            Figure(
                hundred(measured.reach), Said("of 100"), Said("of your records within reach"),
                Said("of a partner who lies in every question, by your own table; at most twice if it plans its keys. "
                     "Agreed are at most {most:count}.", most=100 * terms.blind.coverage),
                measured.reach, "warm",
            )
        )  # fmt: skip
    elif terms.blind is not None:
        made.append(
            Figure(
                hundred(terms.blind.coverage), Said("of 100"), Said("of either side's records within reach"),
                Said("of a partner who lies in every question; the agreed limit, at most twice if it plans its keys"),
                terms.blind.coverage, "warm",
            )
        )  # fmt: skip
    if terms.rule == "review" and terms.limits.clear:  # nothing in clear is a fact above, not a figure
        clear = terms.limits.clear
        made.append(
            Figure(
                str(clear), Said("of 100"), Said("records at most in clear"),
                Said("for the review, after you confirm"), clear / 100, "danger",
            )
        )  # fmt: skip
    return tuple(made)


def hundred(share: float) -> str:
    """Whole hundredths; what is not nothing never reads as 0."""
    whole = round(100 * share)
    return "<1" if share > 0 and whole == 0 else str(whole)


def _signatures(terms: Terms, stage: Stage) -> tuple[Fact, ...]:
    first = Said("not yet") if stage == "draft" else Said("signed on {day:date}", day=terms.made[:10])
    return (
        Fact(Said("{name}", name=terms.proposer.name), first),
        Fact(Said("{name}", name=terms.accepter.name), Said("signed") if stage == "signed" else Said("not yet")),
    )


def _details(terms: Terms, statement: Statement | None) -> Part:
    """For experts: everything that is signed, to the last setting."""
    from pprl_desktop.exchange.terms_words import in_words

    said = tuple(line for line in in_words(terms) if str(line).strip())
    return Part(Said("For experts: all that is signed"), sentences=said)


def export_document(terms: Terms, me: str, statement: Statement | None, measured: Measured) -> Document:
    """What is about to leave, for whoever has to permit it."""
    partner = terms.accepter.name if me == terms.proposer.name else terms.proposer.name
    return Document(
        kicker=Said("Check before export"),
        title=Said("What {me} sends to {partner}", me=me, partner=partner),
        note=Said("Nothing has left yet."),
        facts=(
            Fact(Said("What"), Said("numbers made of the fields, under random names, in random order")),
            Fact(Said("To whom"), partner, strong=True),
            Fact(Said("In which form"), Said("smashed: {how}", how=how(terms))),
            Fact(Said("How many"), Said("{n|one record|{n} records}", n=measured.rows)),
            Fact(Said("Fields"), ", ".join(field_title(one.name) for one in terms.fields)),
            Fact(Said("In clear"), Said("nothing")),
        ),
        figures=_figures(terms, partner, measured),
        protects=statement.protects if statement is not None else (),
        stays_open=statement.leaves_open if statement is not None else (),
        parts=(_details(terms, statement),),
    )
