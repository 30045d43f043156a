"""What came out of a match, kept at home, sealed; and the two bundles it belongs to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import Match, Numbers, Rows
from pprl_desktop.exchange import bundles, letters
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.decimals import decimal
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.pseudonyms import PseudonymMap, Pseudonyms, places_of
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable


@dataclass(frozen=True, eq=False)
class AssignedPairs:
    """Pairs of a match that survived the assignment, in own rows and rows of the partner's bundle."""

    own: Rows
    partner: Rows
    band: npt.NDArray[np.uint8]
    score: Numbers = field(repr=False)
    probability: Numbers = field(repr=False)
    accept: float
    review: float
    data_sent: str  # digest of the own bundle it belongs to
    data_received: str  # digest of the partner's
    matched: npt.NDArray[np.uint8] | None = None  # the bands before a review; None: there was none

    def count(self, band: int) -> int:
        return int((self.band == band).sum())


def exchanged(agreement: Agreement, own: str, theirs: str, not_sent: Problem, not_here: Problem) -> tuple[Item, Item]:
    """The last files of these kinds that were sent and received, or the Problem that says which one is missing."""
    sent, received = agreement.latest_sent(own), agreement.latest_received(theirs)
    if sent is None:
        raise not_sent
    if received is None:
        raise not_here
    return sent, received


def both_bundles(agreement: Agreement) -> tuple[Item, Item]:
    """The bundles exchanged last, or a Problem that says which one is missing; with blind, question and answer."""
    if agreement.terms.blind is not None:
        return _asked_and_answered(agreement)
    return exchanged(
        agreement, "data", "data",
        Problem("Your own bundle was not exported yet.", do="Export it first.", place="export"),
        Problem("The partner's bundle is not here yet.", do="Open it first.", place="open"),
    )  # fmt: skip


def _asked_and_answered(agreement: Agreement) -> tuple[Item, Item]:
    """What the own decision rests on: own question and the partner's answer; of who only answers, the reverse."""
    if agreement.terms.blind is not None and agreement.terms.blind.asked_by(agreement.role) is None:
        return partner_bundles(agreement)
    return exchanged(
        agreement, "question", "answer",
        Problem("Your question was not written yet.", do="Ask first.", place="ask"),
        Problem("The partner's answer is not here yet.", do="Open it first.", place="open"),
    )  # fmt: skip


def partner_bundles(agreement: Agreement) -> tuple[Item, Item]:
    """What the partner's decision rests on, seen from here."""
    if agreement.terms.blind is None:
        return both_bundles(agreement)
    sent, received = agreement.latest_sent("answer"), agreement.latest_received("question")
    if received is None:
        raise Problem("The partner's question is not here yet.", do="Open it first.", place="open")
    if sent is None:
        raise Problem("The question was not answered yet.", do="Answer it first.", place="answer")
    return sent, received


def must_be_exported(home: Home, own: Identity, sent: Item, table: CleanTable) -> None:
    """That a table is the one behind the pseudonyms of the bundle, row by row."""
    if bundles.table_hash(table, home.ledger(own).key) != sent.table:
        raise Problem(
            "This is not the table you exported under this agreement.",
            "A row, a cell or the order of the rows is different.",
            "Use the table as exported, or export this one first.",
            place="table",
        )


def keep(signatory: Signatory, made: Match) -> AssignedPairs:
    """Keeps the pairs of a match at home, sealed; replaces an earlier one."""
    agreement = signatory.agreement
    sent, received = both_bundles(agreement)
    chosen = np.flatnonzero(made.chosen)
    found = AssignedPairs(
        made.scored.own[chosen].astype(np.int32),
        made.scored.partner[chosen].astype(np.int32),
        made.band[chosen].astype(np.uint8),
        made.scored.score[chosen].astype(np.float64),
        made.scored.probability[chosen].astype(np.float64),
        float(made.accept),
        float(made.review),
        sent.digest,
        received.digest,
    )
    keep_pairs(signatory, found)
    return found


def keep_pairs(signatory: Signatory, found: AssignedPairs) -> None:
    """Sealed at home; replaces what was kept before."""
    agreement = signatory.agreement
    body = {
        "accept": decimal(found.accept), "review": decimal(found.review),
        "sent": found.data_sent, "received": found.data_received,
    }  # fmt: skip
    arrays: dict[str, Array] = {
        "own": found.own, "partner": found.partner, "band": found.band,
        "score": found.score.view(np.uint64), "probability": found.probability.view(np.uint64),
    }  # fmt: skip
    if found.matched is not None:
        arrays["matched"] = found.matched
    with signatory.home.locked():
        letters.seal_to_self(signatory.identity, _path(signatory), agreement, body, arrays)


def kept(signatory: Signatory) -> AssignedPairs:
    agreement = signatory.agreement
    path = _path(signatory)
    if not path.is_file():
        raise Problem("There is no match yet.", do="Match your table with the partner's bundle first.", place="match")
    opened = letters.open_own(signatory.identity, path, "Match again.")
    arrays = opened.load()
    body = opened.manifest.body
    found = AssignedPairs(
        arrays["own"], arrays["partner"], arrays["band"],
        arrays["score"].view(np.float64), arrays["probability"].view(np.float64),
        float(body["accept"]), float(body["review"]), body["sent"], body["received"], arrays.get("matched"),
    )  # fmt: skip
    sent, received = both_bundles(agreement)
    if (found.data_sent, found.data_received) != (sent.digest, received.digest):
        raise Problem(
            "The match is older than the bundles.",
            "A newer bundle was exported or opened since.",
            "Match again.",
            place="match",
        )
    return found


def partner_names(signatory: Signatory) -> Pseudonyms:
    """The pseudonyms of the partner's bundle, without the rest of it; with blind, those that are known here."""
    agreement = signatory.agreement
    if agreement.terms.blind is not None:
        return _known_names(signatory)
    return bundles.load_names(letters.reopen(signatory, both_bundles(agreement)[1]))


def own_names(signatory: Signatory) -> PseudonymMap:
    """Of the own rows. With blind, whoever answers names its records by what opens them."""
    agreement = signatory.agreement
    item = both_bundles(agreement)[0]
    if agreement.terms.blind is not None and agreement.terms.blind.mutual:
        item = partner_bundles(agreement)[0]
    return bundles.own_map(signatory, item)


def _known_names(signatory: Signatory) -> Pseudonyms:
    """Names of the records that were opened, in the order of the match; then those that the partner's result names."""
    from pprl_desktop.blind.plan import record_names
    from pprl_desktop.exchange import blind_kept

    agreement = signatory.agreement
    opened = record_names(blind_kept.opened_keys(Signatory(signatory.home, signatory.identity, agreement.id)))
    item = agreement.latest_received("result")
    if item is None:
        return opened
    told = np.unique(letters.reopen(signatory, item).load()["mine"], axis=0)
    return np.concatenate([opened, told[places_of(told, opened) < 0]])


def _path(signatory: Signatory) -> Path:
    return signatory.folder / "match.pprl"
