"""Question and answer of the method blind as sealed files, and what each side keeps until the result.

The asker keeps, sealed, the seed of its blinds (destroyed when the result is written, unless it is kept for an auditor)
and a copy of its question. The answerer's scalars live in memory only, while the answer is made; it keeps the keys of
its records, to check the result. Each file is entered in the ledger before it exists, with the guesses that it allows.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pprl_desktop import files
from pprl_desktop.blind import answer as answering
from pprl_desktop.blind import group, opened, question
from pprl_desktop.blind.answer import Answer
from pprl_desktop.blind.opened import Opened
from pprl_desktop.blind.plan import NAME, Plan, record_names
from pprl_desktop.blind.spool import Spool
from pprl_desktop.codes.base import derive
from pprl_desktop.exchange import agreeing, blind_kept, bundles, clock, deliveries, letters, linking, refusals, strict
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.blind_kept import spooled
from pprl_desktop.exchange.blind_terms import BlindTerms, Direction, other
from pprl_desktop.exchange.container import Arrays
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.disclosures import PlannedDisclosure
    from pprl_desktop.exchange.releases import ReleaseLedger

QUESTION, ANSWER = "question", "answer"


@dataclass(frozen=True)
class Asked:
    agreement: str
    sequence: int
    records: int
    points: int
    bytes: int
    sha256: str
    resent: bool  # the same bytes as before
    seed_kept: bool  # for an auditor, also after the result
    left_out: int = 0  # keys and values that were more than agreed


@dataclass(frozen=True)
class History:
    """What the ledger says of a partner and the method blind, over all agreements but one."""

    agreements: int = 0  # under which something was asked or answered
    answers: int = 0  # that it was given
    guesses: int = 0  # that they allow
    coverage: float = 0.0  # of them, added up: nobody knows how much they overlap

    def and_now(self, guesses: int, coverage: float) -> Before:
        return Before(self.answers, self.guesses, self.coverage, guesses, coverage)

    def said(self, partner: str) -> Said:
        return Said(
            "{partner} was given {answers|one answer|{answers} answers} to blind questions: together {guesses} "
            "guesses, which reach up to {share:decimals 1} of 100 records.",
            partner=partner, answers=self.answers, guesses=self.guesses, share=100 * self.coverage,
        )  # fmt: skip


@dataclass(frozen=True)
class Before:
    """What this partner could ask so far, over all agreements, and with this run."""

    runs: int
    guesses: int  # in earlier runs
    coverage: float  # of them, added up: nobody knows how much they overlap
    now: int
    now_coverage: float

    def sentences(self) -> tuple[Said, ...]:
        if not self.runs:
            return ()
        return (
            Said(
                "This partner has asked in {runs|one earlier run|{runs} earlier runs}: {guesses} guesses, which reach "
                "up to {share:decimals 1} of 100 records.",
                runs=self.runs, guesses=self.guesses, share=100 * self.coverage,
            ),
            Said(
                "With this one: {guesses} guesses, up to {share:decimals 1} of 100 records.",
                guesses=self.guesses + self.now, share=100 * min(self.coverage + self.now_coverage, 1.0),
            ),
        )  # fmt: skip


@dataclass(frozen=True)
class Answered:
    agreement: str
    sequence: int
    records: int
    guesses: int
    coverage: float
    bytes: int
    sha256: str
    resent: bool
    notes: tuple[Said, ...]


# ---- who does what


def terms_of(agreement: Agreement) -> BlindTerms:
    found = agreement.terms.blind
    if found is None:
        raise Problem(
            "This agreement is not about the method blind.",
            "There are no questions under it: each side sends a bundle.",
            "Export the bundle.",
            place="agreement",
        )
    return found


def own_direction(agreement: Agreement) -> Direction:
    found = terms_of(agreement).asked_by(agreement.role)
    if found is None:
        raise Problem(
            "Your partner asks under this agreement, and you answer.",
            do="Wait for the question, then answer it.",
            place="agreement",
        )
    return found


def partner_direction(agreement: Agreement) -> Direction:
    found = terms_of(agreement).asked_by(other(agreement.role))
    if found is None:
        raise Problem(
            "You ask under this agreement, and your partner answers.", do="Make the question.", place="agreement"
        )
    return found


def plan_of(agreement: Agreement, direction: Direction) -> Plan:
    return terms_of(agreement).plan(agreement.terms.fields, direction)


def _must_fit(table: CleanTable, agreement: Agreement) -> None:
    terms = terms_of(agreement)
    terms.must_not_be_over(clock.now())
    bundles.must_fit(table, agreement.terms)
    declared = terms.size(agreement.role)
    answers = terms.asked_by(other(agreement.role)) is not None
    if table.rows > declared or (answers and table.rows != declared):
        raise Problem(
            Said("The table has {rows} records; the agreement says {declared}.", rows=table.rows, declared=declared),
            "The decision needs the true number, and so do the limits.",
            "Use the table that was measured for the agreement, or make a new agreement with the true number.",
            place="table",
        )


# ---- the question


def ask(
    signatory: Signatory,
    table: CleanTable,
    out: Path,
    progress: Progress = NO_PROGRESS,
    *,
    keep_seed: bool = False,
    ids: Sequence[str] | None = None,
) -> Asked:
    """The sealed question. The same table gives the same bytes again; another one is refused: one run, one question.

    `ids`: the own record numbers, by which the next run knows a changed record again.
    """
    with signatory.home.locked():
        agreement = signatory.agreement
        letters.partner_of(signatory)
        direction = own_direction(agreement)
        _must_fit(table, agreement)
        plan, secret = plan_of(agreement, direction), agreeing.recipe_of(signatory).secret
        ledger = signatory.ledger()
        hashed = bundles.table_hash(table, ledger.key)
        item = agreement.latest_sent(QUESTION)
        resent = item is not None
        if item is not None and item.table != hashed:
            raise second_question()
        planned = planned_for(agreement, QUESTION, f"{agreement.id}{hashed}", table.rows, sum(direction.rows))
        seed = blind_kept.kept_seed(signatory, hashed) if item is None else None
        entered = ledger.disclose(planned)
        points, left_out = sum(count for _, count in plan.batches()), 0
        if item is None and seed is not None:
            try:
                asker = question.asker(table, plan, secret, progress.part(0.0, 0.1))
                made = question.ask(asker, seed, progress=progress.part(0.1, 0.8))
                left_out = made.left_out
            finally:
                group.wipe(seed)

            def beside(target: Path, sealed: Manifest) -> None:
                copied: Plain = {"table": hashed, "sealed": sealed.as_plain()}  # an auditor makes its manifest again
                letters.seal_to_self(signatory.identity, letters.own_copy(target), agreement, copied, made)
                deliveries.keep_rows(signatory, agreement, target, table, ids)
                if not terms_of(agreement).mutual:  # otherwise a record's name is the one in the own answer
                    names = np.frombuffer(os.urandom(NAME * table.rows), np.uint8).reshape(-1, NAME)
                    blind_kept.keep_map(signatory.identity, target, names, np.arange(table.rows, dtype=np.int32))

            body = {"bound": bound(secret, agreement, QUESTION, made)}
            agreement, item = letters.send(
                signatory, QUESTION, body, made, statement=agreement.terms.statement,
                table=hashed, beside=beside, progress=progress.part(0.8, 0.95),
            )  # fmt: skip
        assert item is not None
        path = letters.kept_sent(signatory.home, agreement, item)
        if keep_seed and blind_kept.seed_path(signatory.home, agreement).is_file():
            files.write_bytes(
                blind_kept.audit_path(signatory.home, agreement),
                blind_kept.seed_path(signatory.home, agreement).read_bytes(),
            )
        sha256 = files.sha256(path)
        ledger.disclosure_written(entered, sha256)
        letters.publish(signatory.home, agreement, item, out, progress.part(0.95, 1.0))
    kept = blind_kept.audit_path(signatory.home, agreement).is_file()
    return Asked(agreement.id, item.sequence, table.rows, points, path.stat().st_size, sha256, resent, kept, left_out)


def second_question() -> Problem:
    return Problem(
        "A question was asked under this agreement already, about another table.",
        "Each question lets the asker guess anew: one agreement allows one question.",
        "Use the table of the first question, or make a new agreement: its guesses are added to these, and its links "
        "get new ids.",
        place="question",
    )


def check_question(signatory: Signatory, letter: letters.Letter, progress: Progress) -> int:
    """That a question is the agreed one, whole and of valid points; gives the number of points."""
    agreement = signatory.agreement
    direction = partner_direction(agreement)
    terms_of(agreement).must_not_be_over(clock.now())
    if agreement.latest_received(QUESTION) is not None:
        raise Problem(
            "This is a second question under one agreement.",
            "Each question lets the partner guess anew: one agreement allows one question.",
            "Do not answer it. A new agreement, whose guesses are added to these, would allow another.",
            place="question",
        )
    plan = plan_of(agreement, direction)
    shapes = {name: (count, group.SIZE) for name, count in plan.batches()}
    arrays = _checked(signatory, letter, QUESTION, shapes, progress.part(0.0, 0.4))
    answering.check_question(plan, arrays)
    done, total = 0, max(sum(count for _, count in plan.batches()), 1)
    for points in arrays.values():
        part = progress.part(0.4 + 0.6 * done / total, 0.4 + 0.6 * (done + len(points)) / total)
        if not group.valid(points, progress=part).all():
            raise group.invalid_point()
        done += len(points)
    return total


# ---- the answer


def history(ledger: ReleaseLedger, partner: str, besides: str = "") -> History:
    """`partner`: its key; `besides`: an agreement that is not counted."""
    organisation = ledger.organisation()  # a partner that has changed its key has asked before all the same
    asked = [
        one
        for one in ledger.disclosures()
        if one.what in (QUESTION, ANSWER)
        and organisation(one.partner) == organisation(partner)
        and one.agreement != besides
        and not one.received
    ]
    given = [one for one in asked if one.what == ANSWER]
    reached = sum(float(one.coverage or 1.0) for one in given)
    return History(
        len({one.agreement for one in asked}), len(given), sum(one.guesses for one in given), min(reached, 1.0)
    )


def before(home: Home, agreement: Agreement, now: int, coverage: float) -> Before:
    """What this partner could guess so far, in other runs, and with this one."""
    return history(home.ledger(), agreement.partner_side.party.sign, agreement.id).and_now(now, coverage)


def answer(
    signatory: Signatory,
    table: CleanTable,
    out: Path,
    coverage: float,
    progress: Progress = NO_PROGRESS,
    *,
    again: bool = False,
    ids: Sequence[str] | None = None,
) -> Answered:
    """The sealed answer to the one question. `coverage` as measured on this table now; `again` is the steward's word
    where this partner has asked in earlier runs; `ids` as in ask()."""
    with signatory.home.locked():
        agreement = signatory.agreement
        letters.partner_of(signatory)
        direction, asked = partner_direction(agreement), agreement.latest_received(QUESTION)
        if asked is None:
            raise Problem("The partner's question is not here yet.", do="Open it first.", place="open")
        _must_fit(table, agreement)
        ledger = signatory.ledger()
        hashed = bundles.table_hash(table, ledger.key)
        item = agreement.latest_sent(ANSWER)
        resent = item is not None
        if item is not None and item.table != hashed:
            raise Problem(
                "The question was answered already, from another table.",
                "A second answer would let the partner ask its guesses again.",
                "Send the first answer again, or make a new agreement.",
                place="answer",
            )
        guesses = sum(direction.asked)
        sum_ = before(signatory.home, agreement, guesses, coverage)
        if sum_.runs and not again and not resent:
            raise asks_again(sum_)
        planned = planned_for(
            agreement, ANSWER, f"{asked.digest}{hashed}", table.rows, guesses, coverage=f"{coverage:.6f}"
        )
        entered = ledger.disclose(planned)
        if item is None:
            agreement, item = _answer(signatory, table, direction, asked, hashed, ids, progress.part(0.0, 0.95))
        path = letters.kept_sent(signatory.home, agreement, item)
        sha256 = files.sha256(path)
        ledger.disclosure_written(entered, sha256)
        letters.publish(signatory.home, agreement, item, out, progress.part(0.95, 1.0))
    return Answered(
        agreement.id, item.sequence, table.rows, guesses, coverage, path.stat().st_size, sha256, resent,
        sum_.sentences(),
    )  # fmt: skip


def asks_again(sum_: Before) -> Problem:
    return Problem(
        "This partner has asked before.",
        Said("{parts:sentences}", parts=sum_.sentences()),
        "Answer only if you want these sums, and say so.",
        place="again",
    )


def _answer(
    signatory: Signatory,
    table: CleanTable,
    direction: Direction,
    asked: Item,
    hashed: str,
    ids: Sequence[str] | None,
    progress: Progress,
) -> tuple[Agreement, Item]:
    agreement = signatory.agreement
    plan, secret = plan_of(agreement, direction), agreeing.recipe_of(signatory).secret
    points = spooled(letters.reopen(signatory, asked))
    seed = group.random_seed()  # in memory alone: with it the scalars are gone
    try:
        made, kept = answering.answer(table, plan, secret, points, seed, progress=progress.part(0.0, 0.9))
    finally:
        group.wipe(seed)
    arrays = made.arrays
    keys = kept.keys[kept.slot_of]  # by own row

    def beside(target: Path, _sealed: Manifest) -> None:
        blind_kept.keep_map(signatory.identity, target, record_names(keys), np.arange(table.rows, dtype=np.int32), keys)
        deliveries.keep_rows(signatory, agreement, target, table, ids)

    body = {"bound": bound(secret, agreement, ANSWER, arrays), "question": asked.digest}
    return letters.send(
        signatory, ANSWER, body, arrays, statement=agreement.terms.statement, table=hashed,
        beside=beside, progress=progress.part(0.9, 1.0),
    )  # fmt: skip


def check_answer(signatory: Signatory, letter: letters.Letter, progress: Progress) -> int:
    """That an answer belongs to the question sent, has the agreed shape, and one scalar answered each part."""
    agreement = signatory.agreement
    direction, sent = own_direction(agreement), agreement.latest_sent(QUESTION)
    if sent is None:
        raise refusals.does_not_fit("question", "It answers a question that was never asked.")
    if agreement.latest_received(ANSWER) is not None:
        raise Problem(
            "This is a second answer to one question.",
            "The first one is here already.",
            "Do not use it. Ask the partner what it is for.",
            place="answer",
        )
    plan = plan_of(agreement, direction)
    shapes = answering.shapes(plan)
    body = letter.opened.manifest.body
    arrays = _checked(signatory, letter, ANSWER, shapes, progress.part(0.0, 0.7), frozenset({"question"}))
    if strict.hexes(body, "question", 32, place="body.") != sent.digest:
        raise refusals.does_not_fit("question", "It answers another question than the one sent.")
    opened.check_answer(plan, blind_kept.own_question(signatory, sent), Answer(arrays))
    progress.at(1.0)
    return plan.slots


def _checked(
    signatory: Signatory,
    letter: letters.Letter,
    kind: str,
    shapes: dict[str, tuple[int, int]],
    progress: Progress,
    more: frozenset[str] = frozenset(),
) -> Spool:
    """First the manifest, then the arrays: exactly these, of these shapes, and bound to the agreement's secret."""
    agreement = signatory.agreement
    manifest = letter.opened.manifest
    strict.only(manifest.body, {"bound", *more}, place="body.")
    told = strict.hexes(manifest.body, "bound", 32, place="body.")
    if {entry.name: (entry.dtype, entry.shape) for entry in manifest.entries} != {
        name: ("uint8", shape) for name, shape in shapes.items()
    } or [entry.name for entry in manifest.entries] != list(shapes):
        raise refusals.does_not_fit(kind, "It has other parts, or more or fewer points, than the agreement allows.")
    secret = agreeing.recipe_of(signatory).secret
    if not hmac.compare_digest(told, _bound(secret, agreement, kind, _hashes(manifest))):
        raise refusals.malformed("body.bound", "It was not made with the secret of this agreement.")
    return spooled(letter.opened, progress)


def bound(secret: bytes, agreement: Agreement, kind: str, arrays: Arrays) -> str:
    """Binds what is sent to the agreement's secret: a signature alone does not make a question or an answer."""
    hashes = [(name, hashlib.sha256(np.ascontiguousarray(one).data).hexdigest()) for name, one in arrays.items()]
    return _bound(secret, agreement, kind, hashes)


def _hashes(manifest: Manifest) -> list[tuple[str, str]]:
    return [(entry.name, entry.sha256) for entry in manifest.entries]


def _bound(secret: bytes, agreement: Agreement, kind: str, hashes: list[tuple[str, str]]) -> str:
    told = strict.dumps({"agreement": agreement.id, "kind": kind, "arrays": [list(one) for one in hashes]})
    return hmac.new(derive(secret, "pprl-blind-bound/v1"), told, hashlib.sha256).hexdigest()


# ---- reading the answer


def read_answer(signatory: Signatory, table: CleanTable, progress: Progress = NO_PROGRESS) -> Opened:
    """The opened records; read once, then kept sealed at home, so that the blinds are needed no longer."""
    agreement = signatory.agreement
    sent, received = linking.both_bundles(agreement)
    linking.must_be_exported(signatory.home, signatory.identity, sent, table)
    path = signatory.folder / "opened.pprl"
    if path.is_file():
        kept = letters.open_own(signatory.identity, path)
        if kept.manifest.body.get("answer") == received.digest:
            return blind_kept.opened_again(kept.load(), table)
    plan, secret = (
        plan_of(agreement, own_direction(agreement)),
        agreeing.recipe_of(signatory).secret,
    )
    with signatory.home.locked():
        seed = blind_kept.kept_seed(signatory, sent.table, make=False)
        try:
            asker = question.asker(table, plan, secret, progress.part(0.0, 0.1))
            asked = blind_kept.own_question(signatory, sent)
            given = Answer(spooled(letters.reopen(signatory, received)))
            made = opened.open_answer(asker, seed, asked, given, progress=progress.part(0.1, 0.95))
        finally:
            group.wipe(seed)
        letters.seal_to_self(
            signatory.identity, path, agreement, {"answer": received.digest}, blind_kept.opened_arrays(made, table)
        )
    return made


def planned_for(
    agreement: Agreement, what: str, content: str, records: int, guesses: int, coverage: str = ""
) -> PlannedDisclosure:
    from pprl_desktop.exchange.disclosures import PlannedDisclosure

    made = PlannedDisclosure(
        "question" if what == QUESTION else "answer", agreement.partner_side.party.sign, agreement.id,
        hashlib.sha256(content.encode()).hexdigest(), records, guesses=guesses,
    )  # fmt: skip
    return replace(made, coverage=coverage)
