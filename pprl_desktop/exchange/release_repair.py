"""Repairing a release ledger that is older than the agreements, cut, damaged or gone: from what their records know."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from pprl_desktop import files
from pprl_desktop.exchange import agreeing, bundles, clock, ledger_key
from pprl_desktop.exchange.agreement import Item
from pprl_desktop.exchange.fingerprint import Fingerprint
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.release_repair_beside import known_of
from pprl_desktop.exchange.releases import Planned, ReleaseLedger
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Failure, Problem
from pprl_desktop.said import Said


@dataclass(frozen=True)
class Repaired:
    entered: int  # releases that the agreements knew and the ledger did not
    beside: int  # and results, questions, answers, requests, cells in clear, letters of a group
    set_aside: str  # name of the damaged file, kept for whoever looks into it; "" where there was none

    def sentences(self) -> tuple[Said, ...]:
        said = [
            Said(
                "The record of releases is repaired: {entered|one release was|{entered} releases were} entered "
                "again from the agreements. Whom {entered|it was|they were} about is not known any more, so "
                "{entered|it is|they are} counted in full with every later one.",
                entered=self.entered,
            ),
            Said(
                "Entered again beside them: {n} {n|result, question, answer or request|results, questions, answers and "
                "requests}. How far the guesses of an answer reached is not known any more: it counts as the whole "
                "table.",
                n=self.beside,
            ),
            Said(
                "What left under agreements that are no longer in the home folder, and files for other tools, may be "
                "missing in it. Limits that were set since are to be set again. The repair itself is an entry and "
                "stays visible."
            ),
        ]
        if self.set_aside:
            said.append(Said("The damaged file is kept as {set_aside}.", set_aside=self.set_aside))
        return tuple(said)


def repair(home: Home, own: Identity) -> Repaired:
    """A ledger on which releases can go on. A copy put back from a backup is never what this needs."""
    with home.locked():
        aside = _set_aside(home)
        key_lost = False
        try:
            key = ledger_key.open_key(home.ledger_path, own)
        except Problem:
            key, key_lost = ledger_key.new_key(home.ledger_path, own), True
        found = ReleaseLedger(home.ledger_path, key)
        known = {one.number: one.agreement for one in found.releases_without_seeds()}
        noted = home.noted()
        lost = [
            (agreement, item)
            for agreement in home.agreements()
            for item in agreement.sent
            if item.kind == "data" and item.release and known.get(item.release) != agreement.id
        ]
        instead = found.missing((*noted.anchors, noted.outside))
        if not (lost or instead or aside or key_lost or known_of(home, own, found.disclosures())):
            raise Problem(
                "The record of releases fits your agreements.", do="There is nothing to repair.", place="releases"
            )
        numbers = found.repair(
            instead, [_planned(Signatory(home, own, agreement.id), item) for agreement, item in lost]
        )
        for (agreement, item), number in zip(lost, numbers, strict=True):
            now = home.agreement(agreement.id)
            sent = tuple(replace(one, release=number) if one == item else one for one in now.sent)
            home.keep_agreement(replace(now, sent=sent))
        beside = known_of(home, own, found.disclosures())
        found.repair_beside(beside)
        home.note(found.anchor)
    return Repaired(len(lost), len(beside), aside)


def _set_aside(home: Home) -> str:
    """Moves a ledger out of the way whose chain is broken or that cannot be read; gives its new name."""
    path = home.ledger_path
    if not path.is_file():
        return ""
    try:
        problem = ReleaseLedger(path).verify().problem
    except Problem as error:
        problem = error
    if problem is None or isinstance(problem, Failure):
        if problem is not None:
            raise problem
        return ""
    stamp = clock.now().replace(":", "").replace("-", "")
    target = path.with_name(f"releases-damaged-{stamp}.sqlite")
    try:
        for end in ("", "-wal", "-shm"):
            beside = path.with_name(path.name + end)
            if beside.exists():
                os.replace(beside, target.with_name(target.name + end))
    except OSError as error:
        raise files.refused(error) from error
    return target.name


def _planned(signatory: Signatory, item: Item) -> Planned:
    """The release as the agreement and the map of its pseudonyms still tell it."""
    agreement = signatory.agreement
    recipe = agreeing.recipe_of(signatory)
    try:
        rows = int((bundles.own_map(signatory, item).rows >= 0).sum())
    except Problem:  # the map is gone as well
        rows = agreement.terms.limits.rows
    table = Fingerprint("", "", rows, np.zeros(0, np.uint64))
    said = bundles.bundle_statement(recipe, rows)
    return Planned(table, agreement.partner_side.party.sign, agreement.id, said, recipe.settings.decoys)
