"""Review letters: the pairs a partner asks about, and the cells that answer; checked whole before they are kept.

A request names pairs by the pseudonyms of both bundles, so that whoever answers can compare them with the own match.
An answer holds the agreed fields of some of the records asked about, in clear, and of no others.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.exchange import letters, linking, refusals, strict
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.exchange.pseudonyms import PSEUDONYM, Pseudonyms, places_of
from pprl_desktop.exchange.seal import Opened
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

ASK, ANSWER = "ask", "answer"
MAX_CELLS = 64 << 20  # bytes of all cells of one answer
MAX_CELL = 1000  # characters of one cell
NEVER_LEFT = ("Cc", "Cf", "Cs", "Zl", "Zp")  # kinds of characters that no cleaning leaves in a cell
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Request:
    """Pairs the partner asks about, in own rows (-1: a decoy) and rows of the partner's bundle."""

    digest: str  # of the letter
    own: Rows = field(repr=False)
    partner: Rows = field(repr=False)


@dataclass(frozen=True, eq=False)
class Answer:
    """The partner's cells, one list per agreed field, under the pseudonyms of the partner's bundle."""

    digest: str
    names: Pseudonyms = field(repr=False)
    fields: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...] = field(repr=False)


@dataclass(frozen=True)
class Checked:
    """What came in, in this program's own count."""

    step: str
    records: int
    fields: tuple[str, ...]


def must_be_agreed(agreement: Agreement) -> None:
    """Cells travel only under a rule that has a review."""
    if agreement.terms.rule != "review":
        raise Problem(
            "No review was agreed, so no cell is asked for or sent.",
            Said("The rule of the agreement is '{rule}'.", rule=agreement.terms.rule),
            "Make a new agreement with the rule 'review' if both sides want one.",
            place="rule",
        )


# ---- written


def request_body(agreement: Agreement, pairs: int) -> Plain:
    sent, received = linking.both_bundles(agreement)
    return {"step": ASK, "pairs": pairs, "mine": sent.digest, "yours": received.digest}


def answer_body(agreement: Agreement, request: str, records: int) -> Plain:
    sent, _ = linking.both_bundles(agreement)
    names = [one.name for one in agreement.terms.fields]
    return {"step": ANSWER, "records": records, "fields": names, "mine": sent.digest, "request": request}


def packed(names: Pseudonyms, columns: Sequence[Sequence[str]]) -> dict[str, Array]:
    """Names, and for every field its cells as one run of bytes and where each ends."""
    if any(len(cell) > MAX_CELL for cells in columns for cell in cells):
        raise Problem(
            "A cell that would leave is longer than a review letter may hold.",
            Said("The partner would refuse a cell of more than {most} characters.", most=MAX_CELL),
            "Look whether the file has a quote that is never closed.",
            place="review",
        )
    arrays: dict[str, Array] = {"mine": np.ascontiguousarray(names)}
    for number, cells in enumerate(columns):
        data = [cell.encode("utf-8") for cell in cells]
        arrays[f"f{number}.text"] = np.frombuffer(b"".join(data), dtype=np.uint8)
        arrays[f"f{number}.ends"] = np.cumsum([len(each) for each in data], dtype=np.int64)
    size = sum(array.nbytes for array in arrays.values())
    if size > MAX_CELLS:
        raise Problem(
            "The answer would be larger than a review letter may be.",
            Said("It would hold {size} bytes of {max_cells}.", size=size, max_cells=MAX_CELLS),
            "Ask the partner to review fewer pairs.",
            place="review",
        )
    return arrays


def content_of(body: Plain, arrays: dict[str, Array]) -> str:
    """Names a letter by its random names alone: nothing that could be tested against a person."""
    names = [array for name, array in sorted(arrays.items()) if name in ("mine", "yours")]
    return hashlib.sha256(b"".join((strict.dumps(body), *(array.tobytes() for array in names)))).hexdigest()


def answered_before(signatory: Signatory) -> dict[str, Rows]:
    """Own rows in the answers sent so far, by the bundle that they are about."""
    agreement = signatory.agreement
    found: dict[str, Rows] = {}
    for item in agreement.sent:
        path = letters.own_copy(signatory.sent_path(item))
        if item.kind == "review" and path.is_file():
            opened = letters.open_own(signatory.identity, path)
            if opened.manifest.body.get("step") == ANSWER:
                about, rows = str(opened.manifest.body.get("mine")), opened.load()["rows"].astype(np.int64)
                found[about] = np.union1d(found.get(about, rows), rows)
    return found


# ---- read


def check(signatory: Signatory, letter: letters.Letter, progress: Progress = NO_PROGRESS) -> Checked:
    """Every part of a letter that just came; what it claims to hold is counted here."""
    agreement = signatory.agreement
    must_be_agreed(agreement)
    opened = letter.opened
    step = strict.one_of(opened.manifest.body, "step", (ASK, ANSWER), place="body.")
    if opened.manifest.raw > MAX_CELLS:
        raise refusals.larger_than_agreed("bytes", opened.manifest.raw, MAX_CELLS)
    letters.must_be_packed(letter)
    if step == ASK:
        asked = request_of(signatory, opened, progress)
        return Checked(ASK, len(np.unique(asked.own[asked.own >= 0])), ())
    strict.only(opened.manifest.body, {"step", "records", "fields", "mine", "request"}, place="body.")
    found = answer_of(agreement, opened, progress)
    requested = _requested(signatory, strict.hexes(opened.manifest.body, "request", 32, place="body."))
    if (places_of(found.names, requested) < 0).any():
        raise refusals.does_not_fit("pseudonyms", "It holds cells that were not asked for.")
    return Checked(ANSWER, len(found.names), found.fields)


def request_of(signatory: Signatory, opened: Opened, progress: Progress = NO_PROGRESS) -> Request:
    agreement = signatory.agreement
    body = opened.manifest.body
    if set(body) == {"step", "records", "yours"}:
        raise Problem(
            "The request was made by an older version of PPRL Desktop.",
            "It names records instead of pairs, so it cannot be compared with your own match.",
            "Ask the partner to update and to ask again.",
            place="review",
        )
    strict.only(body, {"step", "pairs", "mine", "yours"}, place="body.")
    pairs = strict.integer(body, "pairs", 1, agreement.terms.limits.rows * 100, place="body.")
    sent, received = linking.both_bundles(agreement)
    if strict.hexes(body, "mine", 32, place="body.") != received.digest:
        raise refusals.does_not_fit("mine", "It speaks of another bundle of the partner than the one opened last.")
    if strict.hexes(body, "yours", 32, place="body.") != sent.digest:
        raise refusals.does_not_fit("yours", "It speaks of another bundle of yours than the one exported last.")
    _must_be(opened.manifest, dict.fromkeys(("mine", "yours"), ("uint8", (pairs, PSEUDONYM))))
    arrays = opened.load(progress)
    names = linking.own_names(signatory)
    mine = places_of(arrays.pop("mine"), linking.partner_names(signatory))
    yours = places_of(arrays.pop("yours"), names.pseudonyms)
    if (mine < 0).any() or (yours < 0).any():
        raise refusals.does_not_fit("pseudonyms", "It names a record that is in neither bundle.")
    if len(np.unique(mine * (len(names.pseudonyms) + 1) + yours)) != pairs:
        raise refusals.does_not_fit("pairs", "A pair stands in it twice.")
    return Request(opened.digest, names.rows.astype(np.int64)[yours], mine)


def answer_of(agreement: Agreement, opened: Opened, progress: Progress = NO_PROGRESS) -> Answer:
    body = opened.manifest.body
    records = strict.integer(body, "records", 0, agreement.terms.limits.rows, place="body.")
    fields = tuple(one.name for one in agreement.terms.fields)
    if body.get("fields") != list(fields):
        raise refusals.does_not_fit("fields", "It holds other fields than agreed.")
    if strict.hexes(body, "mine", 32, place="body.") != linking.both_bundles(agreement)[1].digest:
        raise refusals.does_not_fit("mine", "It speaks of another bundle of the partner than the one opened last.")
    expected: dict[str, tuple[str, tuple[int, ...] | None]] = {"mine": ("uint8", (records, PSEUDONYM))}
    for number in range(len(fields)):
        expected |= {f"f{number}.text": ("uint8", None), f"f{number}.ends": ("int64", (records,))}
    _must_be(opened.manifest, expected)
    arrays = opened.load(progress)
    names = np.ascontiguousarray(arrays["mine"])
    if len(np.unique(names, axis=0)) != records:
        raise refusals.malformed("mine", "A record stands in it twice.")
    cells = tuple(
        _unpacked(number, arrays[f"f{number}.text"], arrays[f"f{number}.ends"]) for number in range(len(fields))
    )
    return Answer(opened.digest, names, fields, cells)


def latest(signatory: Signatory, step: str) -> Opened:
    """The newest review letter of the partner that is of this step."""
    agreement = signatory.agreement
    for item in sorted(agreement.received, key=lambda one: -one.sequence):
        if item.kind == "review":
            opened = letters.reopen(signatory, item)
            if opened.manifest.body.get("step") == step:
                opened.check()
                return opened
    raise Problem(
        "The partner has not asked for cells yet." if step == ASK
        else "The partner has not sent cells for the review yet.",
        do="Open the partner's file first.", place="review",
    )  # fmt: skip


def _requested(signatory: Signatory, request: str) -> Pseudonyms:
    """The partner's records that our own letter asked about."""
    agreement = signatory.agreement
    item = next((one for one in agreement.sent if one.kind == "review" and one.digest == request), None)
    path = letters.own_copy(signatory.sent_path(item)) if item is not None else None
    if path is None or not path.is_file():
        raise refusals.does_not_fit("request", "It answers a request that was never made.")
    opened = letters.open_own(signatory.identity, path)
    if opened.manifest.body.get("step") != ASK:
        raise refusals.does_not_fit("request", "It answers a letter that asked for nothing.")
    names: Pseudonyms = np.unique(opened.load()["yours"], axis=0)
    return names


def _must_be(manifest: Manifest, expected: dict[str, tuple[str, tuple[int, ...] | None]]) -> None:
    found = {entry.name: entry for entry in manifest.entries}
    if set(found) != set(expected):
        raise refusals.malformed("entries", "There are other arrays than a review letter has.")
    for name, (dtype, shape) in expected.items():
        entry = found[name]
        if entry.dtype != dtype or (len(entry.shape) != 1 if shape is None else entry.shape != shape):
            raise refusals.malformed(name, "It has not the shape that was agreed.")


def _unpacked(number: int, text: Array, ends: Array) -> tuple[str, ...]:
    last = int(ends[-1]) if len(ends) else 0
    if last != text.size or (np.diff(ends, prepend=0) < 0).any():
        raise refusals.malformed(f"f{number}", "Its cells are not whole or not in order.")
    data, start, cells = text.tobytes(), 0, []
    for end in ends.tolist():
        try:
            cell = data[start:end].decode("utf-8") if end - start <= 4 * MAX_CELL else None
        except UnicodeDecodeError as error:
            raise refusals.malformed(f"f{number}", "A cell is not text.") from error
        if cell is None or len(cell) > MAX_CELL or any(unicodedata.category(sign) in NEVER_LEFT for sign in cell):
            raise refusals.malformed(f"f{number}", "A cell is not as the agreed cleaning leaves it.")
        cells.append(cell)
        start = end
    return tuple(cells)
