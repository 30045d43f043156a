"""Link ids of earlier runs of the method blind, found again at home.

A run of blind is an agreement of its own with fresh random names on both sides, so that an answer tells nobody who
stayed, who changed and who came. Its links have new ids. Beside each question and answer lie, sealed to the own
identity, the keyed fingerprints of the own rows, as beside a bundle (deliveries.py). By them the next run finds the own
records again, and with them the id that each had when it was first linked. Each side finds its own without a word to
the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from pprl_desktop.exchange import deliveries, letters, results
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable

LETTERS = ("question", "answer")


def first_ids(signatory: Signatory, table: CleanTable, ids: Sequence[str] | None) -> dict[int, str]:
    """Own row -> the link id that its record had when it was first linked with this partner, in an earlier run."""
    found: dict[int, str] = {}
    for earlier in _earlier(signatory):
        with suppress(Problem):  # it came to no result, or nothing of its rows is kept
            for row, link in _links_of(earlier, table, ids).items():
                found.setdefault(row, link)
    return found


def _earlier(signatory: Signatory) -> list[Signatory]:
    """Runs with the same organisation, the first one first."""
    ledger, agreement = signatory.ledger(), signatory.agreement
    whose = ledger.organisation()
    partner = whose(agreement.partner_side.party.sign)
    runs: dict[str, None] = {}
    for one in ledger.disclosures():
        if one.agreement == agreement.id:
            break
        if one.what in LETTERS and not one.received and whose(one.partner) == partner:
            runs[one.agreement] = None
    return [Signatory(signatory.home, signatory.identity, id) for id in runs if signatory.home.has_agreement(id)]


def _links_of(earlier: Signatory, table: CleanTable, ids: Sequence[str] | None) -> dict[int, str]:
    """Of records that had one link there; by their values only where the same fields were compared."""
    agreement, key = earlier.agreement, earlier.ledger().key
    sent = next(item for kind in LETTERS if (item := agreement.latest_sent(kind)) is not None)
    path = deliveries.rows_path(earlier.sent_path(sent))
    if not path.is_file():
        return {}
    opened = letters.open_own(earlier.identity, path)
    kept = opened.load()
    numbers, rows = deliveries.of_ids(ids, key, table.rows), len(kept["ids"])
    marks, then = deliveries.fingerprints(table, key), kept["marks"]
    if opened.manifest.body.get("fields") != [one.name for one in table.fields]:
        marks, then = numbers, kept["ids"]
    places = deliveries.found_again(marks, numbers, then, kept["ids"], np.arange(rows), np.ones(rows, np.bool_))
    outcome = results.outcome(earlier)
    own = outcome.reconciled.linked[:, 0]
    times = np.bincount(own, minlength=rows)
    link = {row: id for row, id in zip(own.tolist(), outcome.links, strict=True) if times[row] == 1}
    return {row: link[place] for row, place in enumerate(places.tolist()) if place in link}
