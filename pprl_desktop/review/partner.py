"""The review band of a match with a partner, made from the cells that came back, and taken into the match.

exchange.clear_cells asks and answers. k is counted over the rows at hand, which can only overstate the risk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pprl_desktop.codes.directions import once
from pprl_desktop.decisions.base import ACCEPT, BAND_NAMES, REJECT, REVIEW
from pprl_desktop.exchange import linking, refusals
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.linking import AssignedPairs
from pprl_desktop.exchange.pseudonyms import places_of
from pprl_desktop.exchange.review_letters import ANSWER, answer_of, latest
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.review.plan import Policy, Review, Stratum
from pprl_desktop.review.report import PrivacyLoss, cells_opened
from pprl_desktop.review.sources import Listed, from_tables


def from_answer(
    signatory: Signatory, table: CleanTable, policy: Policy, title: str = "", progress: Progress = NO_PROGRESS
) -> Review:
    """The review over the own table and the partner's cells that came back."""
    agreement = signatory.agreement
    came = answer_of(agreement, latest(signatory, ANSWER), progress)
    found = linking.kept(signatory)
    if came.fields != tuple(one.name for one in table.fields):
        raise refusals.does_not_fit("fields", "It holds other fields than agreed.")
    places = places_of(came.names, linking.partner_names(signatory))
    at = {int(row): i for i, row in enumerate(places) if row >= 0}
    theirs = CleanTable(
        table.fields, tuple(_column(name, list(cells)) for name, cells in zip(came.fields, came.cells, strict=True))
    )
    wanted = np.flatnonzero((found.band == REVIEW) & np.isin(found.partner, list(at)))
    pairs = [Listed(int(found.own[i]), at[int(found.partner[i])], float(found.score[i])) for i in wanted]
    made = from_tables(table, theirs, pairs, policy, title, _strata(found))
    return replace(made, own_crowd=False)


def take_in(
    signatory: Signatory, review: Review, outcome: Mapping[str, bool | None], losses: Sequence[PrivacyLoss] = ()
) -> AssignedPairs:
    """The kept match with the reviewed pairs accepted or rejected as decided; undecided ones stay in the band.

    Decisions are put on the bands as they were matched: taken in again, a changed decision counts as it is now.

    What was decided, and what the reviewers opened for it (`losses`), is entered in the ledger of the home folder.

    Where a record may have one counterpart only, a pair is accepted if the record is accepted in no other.
    """
    agreement = signatory.agreement
    came = answer_of(agreement, latest(signatory, ANSWER))
    places = places_of(came.names, linking.partner_names(signatory))
    found = linking.kept(signatory)
    at = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(found.own, found.partner, strict=True))}
    matched = found.band if found.matched is None else found.matched
    band = matched.copy()
    taken = {(side, int(row)) for side, rows in ((0, found.own), (1, found.partner)) for row in rows[band == ACCEPT]}
    source = review.people.source
    for pair in sorted(review.pairs, key=lambda one: -(one.score or 0.0)):
        same = outcome.get(pair.id)
        a, b = int(source[pair.a]), int(places[int(source[pair.b])])
        place = at.get((a, b))
        if same is None or place is None or band[place] != REVIEW:
            continue
        alone = once(agreement.direction)
        free = not (alone[0] and (0, a) in taken) and not (alone[1] and (1, b) in taken)
        if same and free:
            band[place] = ACCEPT
            taken |= {(0, a), (1, b)}
        elif not same:
            band[place] = REJECT
    changed = replace(found, band=band, matched=matched)
    _enter(signatory.home, agreement, review, outcome, losses)
    linking.keep_pairs(signatory, changed)
    return changed


def _enter(
    home: Home, agreement: Agreement, review: Review, outcome: Mapping[str, bool | None], losses: Sequence[PrivacyLoss]
) -> None:
    from pprl_desktop.exchange.disclosures import TakenIn

    decided = [outcome[pair.id] for pair in review.pairs if pair.id in outcome]
    told = TakenIn(
        agreement.id,
        sum(one is True for one in decided),
        sum(one is False for one in decided),
        sum(one is None for one in decided),
        len(losses),
        cells_opened(losses),
        f"{max((loss.risk_percent for loss in losses), default=0.0):.4f}",
        max((loss.singled_out for loss in losses), default=0),
        losses[-1].head if losses else "",
    )
    ledger = home.ledger()
    earlier = [one for one in ledger.reviews() if one.agreement == agreement.id]
    if not earlier or replace(earlier[-1], number=0, time="") != told:
        ledger.take_in_review(told)


def _column(name: str, cells: list[str]) -> Column:
    code: dict[str, int] = {}
    codes = [code.setdefault(cell, len(code)) if cell else -1 for cell in cells]
    values = np.empty(len(code), dtype=object)
    values[:] = list(code)
    return Column(name, values, np.array(codes, dtype=np.int32))


def _strata(found: AssignedPairs) -> tuple[Stratum, ...]:
    """Bands of the kept match with their sizes; rejected pairs were not kept, so recall speaks of these alone."""
    made = []
    for band in (REJECT, REVIEW, ACCEPT):
        scores = found.score[found.band == band]
        if len(scores):
            made.append(
                Stratum(BAND_NAMES[band], float(scores.min()), float(scores.max()), len(scores), band == ACCEPT)
            )
    return tuple(made)
