"""Cells in clear for a review: asking for them, what an answer would send, and sending it once that was confirmed.

A partner's request is never trusted. What leaves is intersected here with the own review band and with what both
results name, bounded by the signed terms and the organisation's limit, and entered in the ledger before its file.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pprl_desktop import files
from pprl_desktop.decisions.base import REVIEW
from pprl_desktop.exchange import letters, linking, results
from pprl_desktop.exchange import review_letters as format_
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.exchange.pseudonyms import order_of
from pprl_desktop.exchange.review_letters import Request, Rows
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.disclosures import PlannedDisclosure
    from pprl_desktop.exchange.releases import ReleaseLedger

FORMS = 3  # examples of the form of a field's values


@dataclass(frozen=True)
class Asked:
    pairs: int
    records: int  # of the partner
    bytes: int


@dataclass(frozen=True)
class FieldInClear:
    """A field whose cells would leave. The forms have its letters and digits taken out: no value is shown."""

    name: str
    filled: int  # cells that are not missing
    forms: tuple[str, ...]  # the most frequent ones, such as AAAAA or 9999-99-99


@dataclass(frozen=True, eq=False)
class InClear:
    """What an answer to the partner's request would send in clear. Nothing is written while it is made."""

    partner: str  # its name
    request: str  # digest of the letter
    asked: int  # pairs the partner names
    withheld: int  # of them: neither uncertain here nor named by both results
    records: int  # own records whose cells would leave
    fresh: int  # of them: not sent in clear before
    before: int  # own records sent in clear to this partner under this agreement so far
    elsewhere: int  # the same under other agreements, under whatever key
    most: int  # that may be, by the signed terms
    of: int  # records of the own table
    fields: tuple[FieldInClear, ...]
    content: str  # names exactly this answer; a confirmation holds for no other
    resent: bool  # the same answer was written before: the same bytes go again
    proved: bool = False  # blind, and this side only answered: the partner's result alone names the pairs, with proofs
    blocked: Problem | None = None  # why it may not be sent
    rows: Rows = field(repr=False, default_factory=lambda: np.empty(0, np.int64))

    def why(self) -> Said:
        """What makes these pairs ones to be answered."""
        if self.proved:
            return Said(
                "With blind you have no match of your own: {partner} names these pairs, each with the proof that it "
                "opened your record. A partner who guessed a key has that proof, too.",
                partner=self.partner,
            )
        return Said("Because these pairs are uncertain in your own match, or both results name them.")

    def sentences(self) -> tuple[Said, ...]:
        """What leaves, to whom, and what follows from it; in the words of this side."""
        names = ", ".join(one.name for one in self.fields)
        said = [
            Said("{partner} asks about {asked|one pair|{asked} pairs}.", partner=self.partner, asked=self.asked),
            Said(
                "The cells of {records} of your {of} records would leave in clear: {names}.",
                records=self.records,
                of=self.of,
                names=names,
            ),
            Said(
                "{partner} can read, keep and copy these cells; masking happens on their screen, not in the file.",
                partner=self.partner,
            ),
            self.why(),
        ]
        if self.withheld:
            proof = Said("the partner's result does not name them")
            shared = Said("they are neither uncertain in your own match nor named by both results")
            said.append(
                Said(
                    "{withheld} of the pairs are not answered: {why}.",
                    withheld=self.withheld,
                    why=proof if self.proved else shared,
                )
            )
        if self.before:
            said.append(
                Said(
                    "{n} {n|record was|records were} sent in clear to this partner under this agreement before.",
                    n=self.before,
                )
            )
        if self.elsewhere:
            said.append(
                Said(
                    "{n} {n|record was|records were} sent in clear to this partner under other agreements, which have "
                    "limits of their own.",
                    n=self.elsewhere,
                )
            )
        said.append(
            Said(
                "Agreed {most|is at most one record|are at most {most} records} in clear, all answers together.",
                most=self.most,
            )
        )
        if self.resent:
            said.append(Said("This answer was written before: the same bytes are written again, and nothing is added."))
        return tuple(said)


@dataclass(frozen=True)
class SentInClear:
    records: int
    withheld: int
    bytes: int
    sha256: str
    resent: bool


def ask(signatory: Signatory, out: Path, progress: Progress = NO_PROGRESS) -> Asked:
    """Names the pairs of the own review band, by the pseudonyms of both bundles. No value is in it."""
    with signatory.home.locked():
        agreement = signatory.agreement
        format_.must_be_agreed(agreement)
        found = linking.kept(signatory)
        wanted = np.flatnonzero(found.band == REVIEW)
        if not len(wanted):
            raise Problem("There are no pairs to review.", do="Set the review band wider.", place="review")
        partner = linking.partner_names(signatory)
        records = len(np.unique(found.partner[wanted]))
        refused = _more_than_agreed(agreement, records, len(partner))
        if refused is not None:
            raise refused
        mine = linking.own_names(signatory).of_rows(found.own[wanted])
        yours = partner[found.partner[wanted]]
        if agreement.terms.blind is not None:
            results.must_name(signatory, mine)
        order = order_of(mine, yours)  # by random names: the order of the file and the score do not show
        arrays = {"mine": mine[order], "yours": yours[order]}
        body = format_.request_body(agreement, len(wanted))
        planned = _planned(agreement, "request for cells", format_.content_of(body, arrays), len(wanted))
        ledger = signatory.home.ledger()
        entered = ledger.disclose(planned)
        item = _sent_before(agreement, planned.content)
        if item is None:

            def beside(target: Path, _sealed: Manifest) -> None:
                letters.seal_to_self(signatory.identity, letters.own_copy(target), agreement, body, arrays)

            agreement, item = letters.send(
                signatory, "review", body, arrays, table=planned.content, beside=beside, progress=progress
            )
        path = letters.kept_sent(signatory.home, agreement, item)
        ledger.disclosure_written(entered, files.sha256(path))
        letters.publish(signatory.home, agreement, item, out)
        return Asked(len(wanted), records, path.stat().st_size)


def too_many(signatory: Signatory) -> Problem | None:
    """Why a request for the own review band would not be answered, before it is written; None where it would be."""
    found = linking.kept(signatory)
    records = len(np.unique(found.partner[found.band == REVIEW]))
    return _more_than_agreed(signatory.agreement, records, len(linking.partner_names(signatory)))


def _more_than_agreed(agreement: Agreement, records: int, names: int) -> Problem | None:
    """By the size of the partner's table: `names` are its records as far as they are known here, decoys among them."""
    blind = agreement.terms.blind
    if blind is not None:  # who asks knows the names of opened records only; the true sizes were signed
        rows = blind.sizes[0 if agreement.role == "accepter" else 1]
    else:
        rows = max(names - agreement.terms.settings.decoys, 0)
    most = agreement.terms.limits.clear_records(rows)
    if records <= most:
        return None
    return Problem(
        Said(
            "The review band holds {records|one record|{records} records} of the partner; the agreement allows "
            "{most} in clear.",
            records=records,
            most=most,
        ),
        "The partner would not answer.",
        "Draw the two lines closer together, or make a new agreement that allows more.",
        place="review",
    )


def would_leave(signatory: Signatory, table: CleanTable, progress: Progress = NO_PROGRESS) -> InClear:
    """What answering the partner's latest request would send, by the own count. Nothing is written."""
    agreement = signatory.agreement
    agreement.must_be_in_force()
    format_.must_be_agreed(agreement)
    request = format_.request_of(signatory, format_.latest(signatory, format_.ASK), progress.part(0.0, 0.3))
    sent, _ = linking.both_bundles(agreement)
    linking.must_be_exported(signatory.home, signatory.identity, sent, table)
    shared = _shared(signatory, request)
    rows = np.unique(request.own[shared])
    names = linking.own_names(signatory).of_rows(rows)
    body = format_.answer_body(agreement, request.digest, len(rows))
    content = format_.content_of(body, {"mine": names[order_of(names)]})
    ledger = signatory.home.ledger()
    before, fresh = _sent_so_far(signatory, ledger, rows)
    most, elsewhere = agreement.terms.limits.clear_records(table.rows), _elsewhere(agreement, ledger)
    resent = _sent_before(agreement, content) is not None
    progress.at(1.0)
    return InClear(
        agreement.partner_side.name, request.digest, len(shared), int((~shared).sum()), len(rows), fresh, before,
        elsewhere, most, table.rows, tuple(_form(column, rows) for column in table.columns), content, resent,
        _only_answers(agreement),
        None if resent else _blocked(agreement, ledger, content, len(rows), before, fresh, most), rows,
    )  # fmt: skip


def answer(
    signatory: Signatory, table: CleanTable, out: Path, confirmed: InClear, progress: Progress = NO_PROGRESS
) -> SentInClear:
    """Sends what was shown and confirmed, and nothing else: if it is another answer by now, nothing is written."""
    with signatory.home.locked():
        agreement = signatory.agreement
        now = would_leave(signatory, table, progress.part(0.0, 0.3))
        if (now.content, now.records) != (confirmed.content, confirmed.records):
            raise Problem(
                "What would leave is not what was shown.",
                "A newer request, another match or another table has changed it since.",
                "Look at it again before you confirm.",
                place="review",
            )
        if now.blocked is not None:
            raise now.blocked
        names = linking.own_names(signatory).of_rows(now.rows)
        order = order_of(names)
        rows, names = now.rows[order], names[order]
        arrays = format_.packed(names, [[column.cell(int(row)) for row in rows] for column in table.columns])
        body = format_.answer_body(agreement, now.request, len(rows))
        ledger = signatory.home.ledger()
        entered = ledger.disclose(_planned_cells(agreement, now.content, len(rows), now.fresh))
        item = _sent_before(agreement, now.content)
        if item is None:

            def beside(target: Path, _sealed: Manifest) -> None:
                letters.seal_to_self(signatory.identity, letters.own_copy(target), agreement, body, {"rows": rows})

            agreement, item = letters.send(
                signatory, "review", body, arrays, table=now.content, release=entered.of, beside=beside,
                progress=progress.part(0.3, 1.0),
            )  # fmt: skip
        path = letters.kept_sent(signatory.home, agreement, item)
        sha256 = files.sha256(path)
        ledger.disclosure_written(entered, sha256)
        letters.publish(signatory.home, agreement, item, out)
        return SentInClear(len(rows), now.withheld, path.stat().st_size, sha256, now.resent)


def _shared(signatory: Signatory, request: Request) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of the pairs asked about are uncertain in the own match, or named by both results.

    Who only answers (blind) has no match of its own: there it is the pairs that the result names with a proof.
    """
    agreement = signatory.agreement
    known: set[tuple[int, int]] = set()
    if not _only_answers(agreement):
        found = linking.kept(signatory)
        band = found.band == REVIEW
        known = set(zip(found.own[band].tolist(), found.partner[band].tolist(), strict=True))
    known |= {(one, other) for one, other in results.named_by_both(signatory).tolist()}
    asked = zip(request.own.tolist(), request.partner.tolist(), strict=True)
    return np.fromiter((pair in known and pair[0] >= 0 for pair in asked), bool, len(request.own))


def _only_answers(agreement: Agreement) -> bool:
    """Blind, and the partner asks: this side has no match of its own."""
    blind = agreement.terms.blind
    return blind is not None and blind.asked_by(agreement.role) is None


def _sent_so_far(signatory: Signatory, ledger: ReleaseLedger, rows: Rows) -> tuple[int, int]:
    """Own records in clear so far under this agreement, and how many of these rows are not among them.

    The ledger and the copies at home are asked; the one that knows more counts, so that losing one gives nothing. Of a
    later delivery a record counts anew.
    """
    from pprl_desktop.exchange.disclosures import clear_records

    agreement = signatory.agreement
    earlier = format_.answered_before(signatory)
    known = earlier.get(linking.both_bundles(agreement)[0].digest, np.empty(0, np.int64))
    entered = clear_records(ledger.disclosures(), agreement.partner_side.party.sign, agreement.id)
    return max(entered, sum(map(len, earlier.values()))), int((~np.isin(rows, known)).sum())


def _elsewhere(agreement: Agreement, ledger: ReleaseLedger) -> int:
    """Records of which this partner got cells in clear under other agreements."""
    from pprl_desktop.exchange.disclosures import clear_records

    entered, sign = ledger.disclosures(), agreement.partner_side.party.sign
    every = clear_records(entered, sign, organisation=ledger.organisation())
    return every - clear_records(entered, sign, agreement.id)


def _blocked(
    agreement: Agreement, ledger: ReleaseLedger, content: str, records: int, before: int, fresh: int, most: int
) -> Problem | None:
    from pprl_desktop.exchange.disclosures import blocked, same_as

    if not records:
        return Problem(
            "No cell would leave: none of the pairs asked about is uncertain here or named by both results.",
            do="Match first, or exchange the results; or tell the partner that there is nothing to answer.",
            place="review",
        )
    planned = _planned_cells(agreement, content, records, fresh)
    entered = ledger.disclosures()
    if same_as(planned, entered) is not None:  # entered, and cut off before its file was finished: counted already
        return None
    if before + fresh > most:
        return Problem(
            Said(
                "That would be {before|one record|{before} records} in clear; the agreement allows {most}.",
                before=before + fresh,
                most=most,
            ),
            "All answers under the agreement count together.",
            "Ask the partner to draw the two lines closer together, or make a new agreement that allows more.",
            place="limits",
        )
    return blocked(planned, entered, ledger.limits(), ledger.organisation())


def _planned(agreement: Agreement, what: str, content: str, records: int) -> PlannedDisclosure:
    from typing import cast

    from pprl_desktop.exchange.disclosures import PlannedDisclosure, What

    data = linking.both_bundles(agreement)[0]
    return PlannedDisclosure(
        cast(What, what), agreement.partner_side.party.sign, agreement.id, content, records, of=data.release
    )


def _planned_cells(agreement: Agreement, content: str, records: int, fresh: int) -> PlannedDisclosure:
    from dataclasses import replace

    from pprl_desktop.exchange.disclosures import CLEAR

    names = tuple(one.name for one in agreement.terms.fields)
    return replace(_planned(agreement, CLEAR, content, records), fresh=fresh, fields=names)


def _sent_before(agreement: Agreement, content: str) -> Item | None:
    return next((item for item in agreement.sent if item.kind == "review" and item.table == content), None)


def _form(column: Column, rows: Rows) -> FieldInClear:
    cells = [cell for cell in (column.cell(int(row)) for row in rows) if cell]
    forms = Counter("".join(_sign(sign) for sign in cell) for cell in cells)
    return FieldInClear(column.name, len(cells), tuple(form for form, _ in forms.most_common(FORMS)))


def _sign(sign: str) -> str:
    if sign.isalpha():
        return "A"
    return "9" if sign.isnumeric() else sign if sign in " -'./" else "?"
