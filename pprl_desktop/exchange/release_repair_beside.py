"""What left beside bundles, as the agreements still know it: for a ledger that has lost its entries.

So a maximum of cells in clear, and the guesses of earlier answers, hold although the ledger was lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from pprl_desktop import files
from pprl_desktop.exchange import blind, groups, letters, review_letters
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.disclosures import CLEAR, Disclosure, PlannedDisclosure, What, same_as
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.review_letters import ANSWER, Rows
from pprl_desktop.exchange.seal import Opened
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem

Lost = tuple[PlannedDisclosure, str]  # and SHA-256 of its file, as far as it is still here
KINDS: dict[str, What] = {"result": "result", groups.LINKS: "group links", groups.TOLD: "groups"}


def known_of(home: Home, own: Identity, entered: Iterable[Disclosure]) -> list[Lost]:
    """What the agreements know and the ledger does not; what cannot be read any more counts in full."""
    held, made = list(entered), []
    for agreement in home.agreements():
        signatory = Signatory(home, own, agreement.id)
        shown: dict[str, list[Rows]] = {}  # bundle -> own rows of which cells went in clear
        for item in agreement.sent:
            planned = _planned(signatory, agreement, item, shown)
            if planned is not None and same_as(planned, held) is None:
                path = signatory.sent_path(item)
                made.append((planned, files.sha256(path) if path.is_file() else ""))
        made += [lost for lost in _came(signatory, agreement) if same_as(lost[0], held) is None]
    return made


def _planned(
    signatory: Signatory, agreement: Agreement, item: Item, shown: dict[str, list[Rows]]
) -> PlannedDisclosure | None:
    if item.kind in (blind.QUESTION, blind.ANSWER):
        return _of_blind(agreement, item)
    plain = PlannedDisclosure("result", agreement.partner_side.party.sign, agreement.id, item.table, 0)
    copy = _own_copy(signatory, item)
    if item.kind in KINDS:
        body = copy.manifest.body if copy is not None else {}
        counts = [body[name] for name in ("pairs", "links", "records") if isinstance(body.get(name), int)]
        return replace(plain, what=KINDS[item.kind], records=counts[0] if counts else agreement.terms.limits.rows)
    if item.kind != "review":
        return None
    names = tuple(one.name for one in agreement.terms.fields)
    if copy is None:
        most = agreement.terms.limits.clear_records(agreement.terms.limits.rows)
        return replace(plain, what=CLEAR, records=most, fresh=most, fields=names)
    body = copy.manifest.body
    if body.get("step") != ANSWER:
        return replace(plain, what="request for cells", records=body["pairs"])
    rows = copy.load()["rows"].astype(np.int64)
    before = shown.setdefault(body["mine"], [])
    fresh = int((~np.isin(rows, np.concatenate([np.empty(0, np.int64), *before]))).sum())
    before.append(rows)
    return replace(plain, what=CLEAR, records=len(rows), fresh=fresh, fields=names)


def _of_blind(agreement: Agreement, item: Item) -> PlannedDisclosure:
    """How far the guesses of an answer reach was told while it was made only: it counts as the whole table."""
    rows = blind.terms_of(agreement).size(agreement.role)
    if item.kind == blind.QUESTION:
        guesses = sum(blind.own_direction(agreement).rows)
        return blind.planned_for(agreement, item.kind, f"{agreement.id}{item.table}", rows, guesses)
    asked = agreement.latest_received(blind.QUESTION)
    content = f"{asked.digest if asked is not None else ''}{item.table}"
    return blind.planned_for(agreement, item.kind, content, rows, sum(blind.partner_direction(agreement).asked))


def _own_copy(signatory: Signatory, item: Item) -> Opened | None:
    path = letters.own_copy(signatory.sent_path(item))
    try:
        return letters.open_own(signatory.identity, path) if path.is_file() else None
    except Problem:
        return None


def _came(signatory: Signatory, agreement: Agreement) -> Iterable[Lost]:
    """The partner's cells in clear that are on this computer."""
    for item in agreement.received:
        if item.kind != "review":
            continue
        try:
            body = letters.reopen(signatory, item).manifest.body
        except Problem:  # the letter, or the partner's card, is gone
            continue
        if body.get("step") == review_letters.ANSWER:
            names, partner = tuple(map(str, body["fields"])), agreement.partner_side.party.sign
            yield (
                PlannedDisclosure(
                    CLEAR, partner, agreement.id, item.digest, int(body["records"]), fields=names, received=True
                ),
                "",
            )
