"""The review band of a match with a partner: ask for the cells of the uncertain pairs, answer, and review them.

Only the identifying cells of the requested records travel, sealed to the partner of the agreement. The one who
asks names pseudonyms of the partner's bundle; the one who answers decides to, and sees how many records it is.
k is then counted over the rows at hand, which can only overstate the risk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW
from pprl_desktop.exchange import letters, linking, refusals, strict
from pprl_desktop.exchange.bundles import PSEUDONYM
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.linking import Found
from pprl_desktop.exchange.pact import Pact
from pprl_desktop.exchange.seal import Opened
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.review.plan import Policy, Review, Stratum
from pprl_desktop.review.sources import BAND_NAMES, Listed, from_tables

ASK, ANSWER = "ask", "answer"
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Sent:
    records: int  # asked for, or answered
    left_out: int  # asked for, but a decoy of our own
    bytes: int


def ask(home: Home, own: Identity, pact: Pact, out: Path, progress: Progress = NO_PROGRESS) -> Sent:
    """Names the partner's records of the review band, by the pseudonyms of the partner's own bundle."""
    with home.locked():
        pact = home.pact(pact.id)
        found = linking.kept(home, own, pact)
        rows = np.unique(found.partner[found.band == REVIEW])
        if not len(rows):
            raise Problem("There are no pairs to review.", do="Set the review band wider.", place="review")
        names = linking.partner_names(home, own, pact)[rows]
        body = {"step": ASK, "records": len(rows), "yours": found.data_received}
        said = f"Asks for the identifying cells of {len(rows)} records in the review band."
        pact, item = letters.send(home, own, pact, "review", body, {"yours": names}, statement=said, progress=progress)
        letters.publish(home, pact, item, out)
        return Sent(len(rows), 0, out.stat().st_size)


def answer(
    home: Home, own: Identity, pact: Pact, table: CleanTable, out: Path, progress: Progress = NO_PROGRESS
) -> Sent:
    """Sends the agreed fields of the records asked for, and of no others."""
    with home.locked():
        pact = home.pact(pact.id)
        opened = _latest(home, own, pact, ASK)
        sent, _ = linking.both_bundles(pact)
        if strict.hexes(opened.manifest.body, "yours", 32, place="body.") != sent.digest:
            raise refusals.does_not_fit("yours", "It speaks of another bundle of yours than the one exported last.")
        asked = _names(opened.load(progress.part(0.0, 0.2)), opened)
        own_names = linking.own_names(home, own, pact)
        at = {name.tobytes(): int(row) for name, row in zip(own_names.pseudonyms, own_names.rows, strict=True)}
        if any(name.tobytes() not in at for name in asked):
            raise refusals.does_not_fit("pseudonyms", "It names a record that is not in your bundle.")
        rows = np.array([at[name.tobytes()] for name in asked], dtype=np.int64)
        if rows.max(initial=-1) >= table.rows:
            raise Problem("This is not the table you exported.", do="Use the table as exported.", place="table")
        real = rows >= 0
        arrays: dict[str, Any] = {"mine": np.ascontiguousarray(asked[real])}
        for number, column in enumerate(table.columns):
            arrays |= _packed(number, [column.cell(int(row)) for row in rows[real]])
        body = {
            "step": ANSWER,
            "records": int(real.sum()),
            "fields": [f.name for f in table.fields],
            "mine": sent.digest,
        }
        said = f"The cells of {int(real.sum())} records in {len(table.fields)} fields, in clear, for masked review."
        pact, item = letters.send(
            home, own, pact, "review", body, arrays, statement=said, progress=progress.part(0.2, 1.0)
        )
        letters.publish(home, pact, item, out)
        return Sent(int(real.sum()), int((~real).sum()), out.stat().st_size)


def from_answer(
    home: Home,
    own: Identity,
    pact: Pact,
    table: CleanTable,
    policy: Policy,
    title: str = "",
    progress: Progress = NO_PROGRESS,
) -> Review:
    """The review over the own table and the partner's cells that came back."""
    opened = _latest(home, own, pact, ANSWER)
    found = linking.kept(home, own, pact)
    if strict.hexes(opened.manifest.body, "mine", 32, place="body.") != found.data_received:
        raise refusals.does_not_fit("mine", "It speaks of another bundle of the partner than the one matched.")
    arrays = opened.load(progress)
    names = _names(arrays, opened)
    bundle = linking.partner_names(home, own, pact)
    row_of = {name.tobytes(): row for row, name in enumerate(bundle)}
    at = {row_of[name.tobytes()]: i for i, name in enumerate(names) if name.tobytes() in row_of}
    theirs = _table(arrays, opened, table, len(names))
    wanted = np.flatnonzero((found.band == REVIEW) & np.isin(found.partner, list(at)))
    pairs = [Listed(int(found.own[i]), at[int(found.partner[i])], float(found.score[i])) for i in wanted]
    made = from_tables(table, theirs, pairs, policy, title, _strata(found))
    return replace(made, own_crowd=False)


def take_in(home: Home, own: Identity, pact: Pact, review: Review, outcome: Mapping[str, bool | None]) -> Found:
    """The kept match with the reviewed pairs accepted or rejected as decided; undecided ones stay in the band.

    Where one-to-one was agreed, a pair is accepted only if neither record is accepted in another pair.
    """
    opened = _latest(home, own, pact, ANSWER)
    names = _names(opened.load(), opened)
    row_of = {name.tobytes(): row for row, name in enumerate(linking.partner_names(home, own, pact))}
    found = linking.kept(home, own, pact)
    at = {(int(a), int(b)): i for i, (a, b) in enumerate(zip(found.own, found.partner, strict=True))}
    band = found.band.copy()
    taken = {(side, int(row)) for side, rows in ((0, found.own), (1, found.partner)) for row in rows[band == ACCEPT]}
    source = review.people.source
    for pair in sorted(review.pairs, key=lambda one: -(one.score or 0.0)):
        same = outcome.get(pair.id)
        a, b = int(source[pair.a]), row_of.get(names[int(source[pair.b])].tobytes(), -1)
        place = at.get((a, b))
        if same is None or place is None or band[place] != REVIEW:
            continue
        free = not pact.terms.settings.one_to_one or not {(0, a), (1, b)} & taken
        if same and free:
            band[place] = ACCEPT
            taken |= {(0, a), (1, b)}
        elif not same:
            band[place] = REJECT
    changed = replace(found, band=band)
    linking.keep_found(home, own, pact, changed)
    return changed


def _latest(home: Home, own: Identity, pact: Pact, step: str) -> Opened:
    """The newest review letter of the partner that is of this step."""
    for item in sorted(pact.received, key=lambda one: -one.sequence):
        if item.kind == "review":
            opened = letters.reopen(home, own, pact, item)
            if opened.manifest.body.get("step") == step:
                opened.check()
                return opened
    what = "asked for cells yet" if step == ASK else "sent cells for the review yet"
    raise Problem(f"The partner has not {what}.", do="Open the partner's file first.", place="review")


def _names(arrays: dict[str, Any], opened: Opened) -> Bytes:
    body = opened.manifest.body
    count = strict.integer(body, "records", 0, 1 << 31, place="body.")
    names = arrays.get("yours" if body["step"] == ASK else "mine")
    if names is None or names.dtype != np.uint8 or names.shape != (count, PSEUDONYM):
        raise refusals.malformed("entries", "There must be one pseudonym for each record.")
    return np.ascontiguousarray(names)


def _packed(number: int, cells: list[str]) -> dict[str, Any]:
    """Cells as one run of bytes and where each ends."""
    data = [cell.encode("utf-8") for cell in cells]
    ends = np.cumsum([len(each) for each in data], dtype=np.int64)
    return {f"f{number}.text": np.frombuffer(b"".join(data), dtype=np.uint8), f"f{number}.ends": ends}


def _table(arrays: dict[str, Any], opened: Opened, table: CleanTable, records: int) -> CleanTable:
    if opened.manifest.body.get("fields") != [f.name for f in table.fields]:
        raise refusals.does_not_fit("fields", "It holds other fields than agreed.")
    columns = []
    for number, field in enumerate(table.fields):
        text, ends = arrays.get(f"f{number}.text"), arrays.get(f"f{number}.ends")
        if text is None or ends is None or ends.shape != (records,) or (records and int(ends[-1]) != text.size):
            raise refusals.malformed(f"f{number}", "Its cells are not whole.")
        if (np.diff(ends, prepend=0) < 0).any():
            raise refusals.malformed(f"f{number}", "Its cells are not in order.")
        data, start, cells = text.tobytes(), 0, []
        for end in ends.tolist():
            try:
                cells.append(data[start:end].decode("utf-8"))
            except UnicodeDecodeError as error:
                raise refusals.malformed(f"f{number}", "A cell is not text.") from error
            start = end
        columns.append(_column(field.name, cells))
    return CleanTable(table.fields, tuple(columns))


def _column(name: str, cells: list[str]) -> Column:
    code: dict[str, int] = {}
    codes = [code.setdefault(cell, len(code)) if cell else -1 for cell in cells]
    values = np.empty(len(code), dtype=object)
    values[:] = list(code)
    return Column(name, values, np.array(codes, dtype=np.int32))


def _strata(found: Found) -> tuple[Stratum, ...]:
    """Bands of the kept match with their sizes; rejected pairs were not kept, so recall speaks of these alone."""
    made = []
    for band in (REJECT, REVIEW, ACCEPT):
        scores = found.score[found.band == band]
        if len(scores):
            made.append(
                Stratum(BAND_NAMES[band], float(scores.min()), float(scores.max()), len(scores), band == ACCEPT)
            )
    return tuple(made)
