"""Results: which pseudonyms were matched, out and in; and what follows from both sides' results."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pprl_desktop import files
from pprl_desktop.blind.plan import MAC, result_proofs
from pprl_desktop.codes.directions import Direction, once, words
from pprl_desktop.decisions.base import ACCEPT, REVIEW
from pprl_desktop.exchange import blind, blind_kept, letters, linking, refusals, strict
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.linking import AssignedPairs
from pprl_desktop.exchange.manifest import Entry, Manifest
from pprl_desktop.exchange.pseudonyms import PSEUDONYM, Pseudonyms, order_of, places_of
from pprl_desktop.exchange.seal import Opened
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.matching.reconcile import Pairs, Reconciled, as_pairs, reconcile
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.disclosures import PlannedDisclosure

LINK = 8  # bytes of a link id


@dataclass(frozen=True)
class ExportedResult:
    agreement: str
    sequence: int
    accepted: int
    to_review: int
    bytes: int
    sha256: str
    resent: bool


@dataclass(frozen=True, eq=False)
class Outcome:
    """Both results put together, in own rows and rows of the partner's bundle (which has no names)."""

    reconciled: Reconciled
    links: tuple[str, ...] = field(repr=False)  # one id per linked pair, the same on both sides
    to_review: tuple[str, ...] = field(repr=False)  # one id per open pair
    unsure: int = 0  # pairs between the lines of the own match that the results do not speak of

    @property
    def left_open(self) -> int:
        """Pairs that nobody decided, whatever the rule; none of them is linked."""
        return len(self.reconciled.open) + self.unsure

    def counts(self) -> dict[str, int]:
        merged = self.reconciled
        return {
            "both": len(merged.both), "only_mine": len(merged.only_mine), "only_theirs": len(merged.only_theirs),
            "linked": len(merged.linked), "open": len(merged.open),
        }  # fmt: skip


# ---- out


def export(signatory: Signatory, out: Path, progress: Progress = NO_PROGRESS) -> ExportedResult:
    """Writes the accepted pairs (and, where a review was agreed, those to review) for the partner, as pseudonyms."""
    with signatory.home.locked():
        agreement = signatory.agreement
        found = linking.kept(signatory)
        partner = linking.partner_names(signatory)
        body, arrays, hashed = _content(signatory, found, partner)
        band = arrays["band"]
        item = agreement.latest_sent("result")
        resent = item is not None and (item.table == hashed or _is_answered(signatory, item, found))
        entered = signatory.home.ledger().disclose(
            _disclosed(agreement, item.table if item and resent else hashed, len(band))
        )
        if item is None or not resent:
            said = _enter_answers(signatory, found, len(partner))

            def beside(target: Path, _sealed: Manifest) -> None:
                letters.seal_to_self(signatory.identity, letters.own_copy(target), agreement, body, arrays)

            agreement, item = letters.send(
                signatory, "result", body, arrays, statement=said, table=hashed, beside=beside,
                progress=progress.part(0.0, 0.9),
            )  # fmt: skip
        path = letters.kept_sent(signatory.home, agreement, item)
        sha256 = files.sha256(path)
        signatory.home.ledger().disclosure_written(entered, sha256)
        letters.publish(signatory.home, agreement, item, out, progress.part(0.9, 1.0))
        if agreement.terms.blind is not None:
            blind_kept.forget_blinds(signatory.home, agreement)
    return ExportedResult(
        agreement.id, item.sequence, int((band == ACCEPT).sum()), int((band == REVIEW).sum()), path.stat().st_size,
        sha256, resent,
    )  # fmt: skip


def is_current(signatory: Signatory) -> bool:
    """Whether the result sent last says what the match, with all decisions taken in, says now."""
    agreement = signatory.agreement
    item = agreement.latest_sent("result")
    if item is None:
        return False
    found = linking.kept(signatory)
    now = _content(signatory, found, linking.partner_names(signatory))[2]
    return item.table == now or _is_answered(signatory, item, found)


def _content(signatory: Signatory, found: AssignedPairs, partner: Pseudonyms) -> tuple[Plain, dict[str, Array], str]:
    """What a result says, and its hash."""
    agreement = signatory.agreement
    told = found.band == ACCEPT
    if agreement.terms.rule == "review":
        told |= found.band == REVIEW
    mine = linking.own_names(signatory).of_rows(found.own[told])
    yours = partner[found.partner[told]]
    order = order_of(mine, yours)  # by random names: neither the order of the file nor the score shows
    arrays: dict[str, Array] = {"mine": mine[order], "yours": yours[order], "band": found.band[told][order]}
    if agreement.terms.blind is not None:
        keys = blind_kept.opened_keys(Signatory(signatory.home, signatory.identity, agreement.id))[found.partner[told]]
        arrays["proof"] = result_proofs(keys[order], _session(agreement), arrays["mine"], arrays["band"])
    body: Plain = {"pairs": int(told.sum()), "mine": found.data_sent, "yours": found.data_received}
    hashed = hashlib.sha256(b"".join((strict.dumps(body), *(array.tobytes() for array in arrays.values())))).hexdigest()
    return body, arrays, hashed


def _disclosed(agreement: Agreement, content: str, pairs: int) -> PlannedDisclosure:
    from pprl_desktop.exchange.disclosures import PlannedDisclosure

    data = linking.both_bundles(agreement)[0]
    return PlannedDisclosure("result", agreement.partner_side.party.sign, agreement.id, content, pairs, of=data.release)


# ---- in


def check(signatory: Signatory, letter: letters.Letter, progress: Progress = NO_PROGRESS) -> int:
    """That a result speaks of the two bundles exchanged last, and of pairs that can exist: how many it accepts."""
    agreement = signatory.agreement
    manifest = letter.opened.manifest
    body = manifest.body
    strict.only(body, {"pairs", "mine", "yours"}, place="body.")
    pairs = strict.integer(body, "pairs", 0, 1 << 31, place="body.")
    if agreement.terms.blind is not None:
        blind.partner_direction(agreement)  # a run decides once: who only answers sends no result
    sent, received = linking.partner_bundles(agreement)
    if strict.hexes(body, "mine", 32, place="body.") != received.digest:
        raise refusals.does_not_fit("mine", "It speaks of another bundle of the partner than the one opened last.")
    if strict.hexes(body, "yours", 32, place="body.") != sent.digest:
        raise refusals.does_not_fit("yours", "It speaks of another bundle of yours than the one exported last.")
    shapes = {"mine": (pairs, PSEUDONYM), "yours": (pairs, PSEUDONYM), "band": (pairs,)}
    if agreement.terms.blind is not None:
        shapes["proof"] = (pairs, MAC)
    found = {entry.name: (entry.dtype, entry.shape) for entry in manifest.entries}
    if found != {name: ("uint8", shape) for name, shape in shapes.items()}:
        raise refusals.malformed("entries", "There must be two lists of pseudonyms and their bands, of one length.")
    alone = once(agreement.direction)
    if pairs > agreement.terms.limits.rows * (1 if any(alone) else 100):
        raise refusals.larger_than_agreed("pairs", pairs, agreement.terms.limits.rows)
    letters.must_be_packed(letter)
    arrays: dict[str, Array] = {}

    def visit(entry: Entry, array: Array) -> None:
        arrays[entry.name] = array

    letter.opened.check(lambda _: True, visit, progress)
    own_names = linking.own_names(signatory).pseudonyms
    if agreement.terms.blind is not None:
        partner_names = np.unique(arrays["mine"], axis=0)  # names that only this result makes known
    else:
        partner_names = linking.partner_names(signatory)
    mine, yours = places_of(arrays["mine"], partner_names), places_of(arrays["yours"], own_names)
    if (mine < 0).any() or (yours < 0).any():
        raise refusals.does_not_fit("pseudonyms", "It names a record that is in neither bundle.")
    if not np.isin(arrays["band"], (REVIEW, ACCEPT)).all():
        raise refusals.malformed("band", "A pair is neither accepted nor to be reviewed.")
    if agreement.terms.blind is not None:
        _must_be_opened(signatory, arrays)
    keys = mine * (len(own_names) + 1) + yours
    accepted = arrays["band"] == ACCEPT
    twice = len(np.unique(keys)) != len(keys)
    for side, only_one in zip((yours, mine), alone, strict=True):
        twice |= only_one and len(np.unique(side[accepted])) != accepted.sum()
    if twice:
        told = Said("A record is accepted twice, but {direction} was agreed.", direction=words(agreement.direction))
        raise refusals.does_not_fit("pairs", told)
    return int(accepted.sum())


def _session(agreement: Agreement, *, partner: bool = False) -> str:
    direction = blind.partner_direction(agreement) if partner else blind.own_direction(agreement)
    return blind.plan_of(agreement, direction).session


def _must_be_opened(signatory: Signatory, arrays: dict[str, Array]) -> None:
    """Each record named was really opened: the proof needs its key."""
    agreement = signatory.agreement
    names = linking.own_names(signatory)
    rows = names.rows[places_of(arrays["yours"], names.pseudonyms)]
    keys = blind_kept.answered_keys(Signatory(signatory.home, signatory.identity, agreement.id))[rows]
    proofs = result_proofs(keys, _session(agreement, partner=True), arrays["mine"], arrays["band"])
    if (proofs != arrays["proof"]).any():
        raise refusals.does_not_fit("proof", "It names a record that the partner did not open.")


# ---- both


def outcome(signatory: Signatory) -> Outcome:
    """What both results give under the agreed rule. Own decoys are dropped here, by their owner."""
    agreement = signatory.agreement
    agreement.must_be_in_force()
    if agreement.terms.blind is not None and not agreement.terms.blind.mutual:
        return _outcome_of_asker(signatory)
    sent, received = linking.exchanged(
        agreement, "result", "result",
        Problem("Your own result was not exported yet.", do="Export it first.", place="result"),
        Problem("The partner's result is not here yet.", do="Import it first.", place="result"),
    )  # fmt: skip
    names, partner = linking.own_names(signatory), linking.partner_names(signatory)
    mine = letters.open_own(signatory.identity, letters.own_copy(signatory.sent_path(sent)))
    theirs = letters.reopen(signatory, received)
    _same_bundles(agreement, mine, theirs)
    a, b = mine.load(), theirs.load()
    own_rows = names.rows.astype(np.int64)
    my_pairs = own_rows[places_of(a["mine"], names.pseudonyms)], places_of(a["yours"], partner), a["band"]
    their_pairs = own_rows[places_of(b["yours"], names.pseudonyms)], places_of(b["mine"], partner), b["band"]
    terms = agreement.terms
    direction = agreement.direction
    merged = reconcile(_in(ACCEPT, *my_pairs), _in(ACCEPT, *their_pairs), terms.rule, direction=direction)
    if terms.rule == "review":
        uncertain = np.concatenate([_in(REVIEW, *my_pairs), _in(REVIEW, *their_pairs), merged.open])
        merged = replace(merged, open=_still_open(uncertain, merged.linked, direction))
    own_names = names.of_rows(np.arange(int(own_rows.max(initial=-1)) + 1, dtype=np.int32))
    linked, open_ = (_link_ids(agreement, own_names, partner, pairs) for pairs in (merged.linked, merged.open))
    return Outcome(merged, linked, open_, _unsure(signatory, merged))


def _outcome_of_asker(signatory: Signatory) -> Outcome:
    """With blind the asker decides, once; both sides go by its result."""
    agreement = signatory.agreement
    names, partner = linking.own_names(signatory), linking.partner_names(signatory)
    if blind.terms_of(agreement).asked_by(agreement.role) is not None:
        sent = agreement.latest_sent("result")
        if sent is None:
            raise Problem("Your own result was not exported yet.", do="Export it first.", place="result")
        told = letters.open_own(signatory.identity, letters.own_copy(signatory.sent_path(sent))).load()
        mine, yours = told["mine"], told["yours"]
    else:
        received = agreement.latest_received("result")
        if received is None:
            raise Problem("The partner's result is not here yet.", do="Import it first.", place="result")
        told = letters.reopen(signatory, received).load()
        mine, yours = told["yours"], told["mine"]
    own_rows = names.rows.astype(np.int64)
    pairs = own_rows[places_of(mine, names.pseudonyms)], places_of(yours, partner), told["band"]
    linked, nothing = _in(ACCEPT, *pairs), as_pairs([], [])
    open_ = _still_open(_in(REVIEW, *pairs), linked, agreement.direction)
    by_row = names.of_rows(np.arange(int(own_rows.max(initial=-1)) + 1, dtype=np.int32))
    ids = [_link_ids(agreement, by_row, partner, some) for some in (linked, open_)]
    return Outcome(Reconciled(linked, nothing, nothing, linked, open_), ids[0], ids[1])


def must_name(signatory: Signatory, mine: Pseudonyms) -> None:
    """With blind the partner knows our records by the result alone, which must have named them before."""
    agreement = signatory.agreement
    sent = agreement.latest_sent("result")
    told = mine[:0]
    if sent is not None:
        told = letters.open_own(signatory.identity, letters.own_copy(signatory.sent_path(sent))).load()["mine"]
    if (places_of(mine, told) < 0).any():
        raise Problem(
            "The result does not name these pairs yet.",
            "With blind the partner knows the uncertain pairs from the result alone.",
            "Send the result first, then ask for the cells.",
            place="result",
        )


def named_by_both(signatory: Signatory) -> Pairs:
    """Pairs that the own result and the partner's both name, whatever band they give; none before both are here."""
    agreement = signatory.agreement
    sent, received = agreement.latest_sent("result"), agreement.latest_received("result")
    if agreement.terms.blind is not None and not agreement.terms.blind.mutual:
        return _proved_pairs(signatory, received)
    if sent is None or received is None:
        return as_pairs([], [])
    names, partner = linking.own_names(signatory), linking.partner_names(signatory)
    mine = letters.open_own(signatory.identity, letters.own_copy(signatory.sent_path(sent)))
    theirs = letters.reopen(signatory, received)
    try:
        _same_bundles(agreement, mine, theirs)
    except Problem:  # they speak of earlier bundles
        return as_pairs([], [])
    a, b = mine.load(), theirs.load()
    own_rows = names.rows.astype(np.int64)
    told = _pairs(own_rows[places_of(a["mine"], names.pseudonyms)], places_of(a["yours"], partner))
    heard = _pairs(own_rows[places_of(b["yours"], names.pseudonyms)], places_of(b["mine"], partner))
    both = sorted(pair for pair in told & heard if pair[0] >= 0)
    return as_pairs([own_row for own_row, _ in both], [other for _, other in both])


def _proved_pairs(signatory: Signatory, received: Item | None) -> Pairs:
    """With blind only the asker decides: the pairs of its result, each with the proof that our record was opened."""
    if received is None:
        return as_pairs([], [])
    names, partner = linking.own_names(signatory), linking.partner_names(signatory)
    told = letters.reopen(signatory, received).load()
    own_rows = names.rows.astype(np.int64)
    return as_pairs(own_rows[places_of(told["yours"], names.pseudonyms)], places_of(told["mine"], partner))


def _pairs(own: npt.NDArray[np.int64], partner: npt.NDArray[np.int64]) -> set[tuple[int, int]]:
    return set(zip(own.tolist(), partner.tolist(), strict=True))


def _same_bundles(agreement: Agreement, mine: Opened, theirs: Opened) -> None:
    sent, received = linking.both_bundles(agreement)
    if (mine.manifest.body["mine"], mine.manifest.body["yours"]) != (sent.digest, received.digest):
        raise Problem("Your result is older than the bundles.", do="Match and export it again.", place="result")
    sent, received = linking.partner_bundles(agreement)
    if (theirs.manifest.body["yours"], theirs.manifest.body["mine"]) != (sent.digest, received.digest):
        raise Problem(
            "The partner's result is older than the bundles.", do="Ask the partner to match again.", place="result"
        )


def _in(wanted: int, own: npt.NDArray[np.int64], partner: npt.NDArray[np.int64], band: Array) -> Pairs:
    """Pairs of one band, without those of own decoys."""
    keep = (band == wanted) & (own >= 0)
    return as_pairs(own[keep], partner[keep])


def _unsure(signatory: Signatory, merged: Reconciled) -> int:
    """Under a rule without a review the unsure pairs stay at home: they are told all the same."""
    try:
        found = linking.kept(signatory)
    except Problem:  # who only answered has no match
        return 0
    unsure = as_pairs(found.own, found.partner)[found.band == REVIEW]
    between = _still_open(unsure, merged.linked, signatory.agreement.direction)
    told = {tuple(pair) for pair in merged.open.tolist()}
    return sum(tuple(pair) not in told for pair in between.tolist())


def _still_open(pairs: Pairs, linked: Pairs, direction: Direction) -> Pairs:
    """Each uncertain pair once; a linked row that may have one counterpart only has no further question."""
    pairs = np.unique(pairs, axis=0)
    for side in np.flatnonzero(once(direction)):
        pairs = pairs[~np.isin(pairs[:, side], linked[:, side])]
    known = {tuple(pair) for pair in linked.tolist()}
    return pairs[[tuple(pair) not in known for pair in pairs.tolist()]]


def _link_ids(agreement: Agreement, own: Pseudonyms, partner: Pseudonyms, pairs: Pairs) -> tuple[str, ...]:
    """The same text on both sides for the same pair, and without meaning for anyone else."""
    start = b"pprl-link/v1\0" + bytes.fromhex(agreement.id)
    found = []
    for mine, theirs in pairs.tolist():
        both = (own[mine].tobytes(), partner[theirs].tobytes())
        ordered = both if agreement.role == "proposer" else both[::-1]
        found.append(hashlib.sha256(start + b"".join(ordered)).hexdigest()[: 2 * LINK])
    return tuple(found)


def _is_answered(signatory: Signatory, item: Item, found: AssignedPairs) -> bool:
    """Answers under noise are given once per question: another draw would let the partner average the noise away."""
    agreement = signatory.agreement
    if agreement.terms.settings.decision != "nearest":
        return False
    body = letters.open_own(signatory.identity, letters.own_copy(signatory.sent_path(item))).manifest.body
    return (body["mine"], body["yours"]) == (found.data_sent, found.data_received)


def _enter_answers(signatory: Signatory, found: AssignedPairs, queries: int) -> str:
    """Answers under noise are a release of their own: in the ledger, once per bundle of questions, before they go."""
    agreement = signatory.agreement
    terms = agreement.terms
    if terms.settings.decision != "nearest":
        return ""
    from pprl_desktop.exchange import agreeing
    from pprl_desktop.exchange.release_totals import ANSWERS
    from pprl_desktop.exchange.releases import Planned
    from pprl_desktop.privacy.statements import statement

    ledger = signatory.ledger()
    data = linking.both_bundles(agreement)[0]
    before = next(one for one in ledger.releases() if one.number == data.release)
    said = statement(agreeing.recipe_of(signatory), before.table.rows, queries)
    answers = f"{agreement.id}{ANSWERS}{found.data_received[:16]}"
    ledger.enter(Planned(before.table, agreement.partner_side.party.sign, answers, said))
    return said.text()
