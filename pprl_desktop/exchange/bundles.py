"""Data bundles: smashed data under random pseudonyms out, and the partner's in. The map to own rows stays at home."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from pprl_desktop import files
from pprl_desktop.codes.base import Part, PartKind, Recipe, Smashed, derive, method
from pprl_desktop.exchange import agreeing, deliveries, letters, refusals, seal, strict
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.carried import Carried
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.decimals import decimal
from pprl_desktop.exchange.disclosures import CLEAR
from pprl_desktop.exchange.manifest import Entry, Manifest
from pprl_desktop.exchange.pseudonyms import PSEUDONYM as PSEUDONYM
from pprl_desktop.exchange.pseudonyms import PseudonymMap, Pseudonyms, is_increasing, order_of
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.exchange.terms import Terms
from pprl_desktop.matching import party
from pprl_desktop.privacy.claims import UNITS
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import FieldKind
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.said import Said, sentences

if TYPE_CHECKING:
    from pprl_desktop.exchange.release_totals import Outlook
    from pprl_desktop.exchange.releases import Planned
    from pprl_desktop.privacy.claims import Statement

KINDS: tuple[PartKind, ...] = ("distances", "bits", "token")
MAP_ROW = PSEUDONYM + 4  # bytes: a random name and a number
HELD_BYTES = 1 << 30  # of a partner's arrays, kept in memory from the check to the match

# invented values of each kind: enough to see every part a recipe can make
_EXAMPLES: dict[FieldKind, tuple[str, str, str]] = {
    "name": ("BERT MARIA LOUISE", "J", "SMITH"),  # all parts: words, an initial, three groups of other forms
    "text": ("MAIN STREET", "J", "SMITH"),
    "date": ("19700203", "1970", "197002"),
    "id": ("12345", "A1", "7"),
    "number": ("42", "1970", "0"),
    "category": ("F", "M", "OTHER"),
}


@dataclass(frozen=True)
class Exported:
    """What was written, for the steward and the report."""

    agreement: str
    sequence: int
    rows: int
    decoys: int
    bytes: int
    sha256: str  # of the sealed file
    resent: bool  # the same bytes as before
    statement: Said
    notes: tuple[Said, ...]  # what earlier releases add up to
    carried: Carried | None = None  # what was taken over from the delivery before


@dataclass(frozen=True, eq=False)
class PartnerBundle:
    smashed: Smashed
    pseudonyms: Pseudonyms = field(repr=False)


Smash = Callable[[CleanTable, Recipe, Progress], Smashed]


# ---- out


@dataclass(frozen=True, eq=False)
class Plan:
    """A bundle before it is made: what it would add up to. Nothing was written or entered for it."""

    outlook: Outlook
    planned: Planned
    table: str  # keyed hash of the table, rows in order
    head: str  # end of the ledger that it was computed from
    resend: Item | None  # the very same table was sent before: the same bytes go again
    confirmed: bool = False

    @property
    def asks(self) -> bool:
        """Whether the steward must be asked: it adds to something that this partner has already."""
        return self.outlook.asks

    def question(self) -> Problem:
        return Problem(
            "This release adds to what the partner has already.",
            sentences(*self.outlook.sentences),
            "Look at the sums, then confirm that you want it.",
            place="releases",
        )

    def confirm(self) -> Plan:
        """With the steward's word that the sums were seen."""
        return replace(self, confirmed=True)


def plan(signatory: Signatory, table: CleanTable, ids: Sequence[str] | None = None) -> Plan:
    """What an export of this table would add up to; a Problem where it may not be made at all.

    `ids` are the own record numbers, which tell a changed row from a new one in the next delivery.
    """
    with signatory.home.locked():
        return _plan(signatory, table, ids)


def _plan(signatory: Signatory, table: CleanTable, ids: Sequence[str] | None = None) -> Plan:
    from pprl_desktop.exchange.release_totals import again
    from pprl_desktop.exchange.releases import Planned

    agreement = signatory.agreement
    contact = letters.partner_of(signatory)
    recipe = agreeing.recipe_of(signatory)
    if not method(recipe.method).smashes:
        from pprl_desktop.codes.blind import no_bundle

        raise no_bundle()
    must_fit(table, agreement.terms)
    ledger = signatory.ledger()
    said = bundle_statement(recipe, table.rows)
    carried = deliveries.compare(ledger.key, table, deliveries.known(signatory, agreement), ids).carried
    if carried is not None:
        clear = [one for one in ledger.disclosures() if one.what == CLEAR and one.agreement == agreement.id]
        carried = replace(carried, shown=sum(one.records for one in clear if not one.received))
    sent = [one for one in agreement.sent if one.kind == "data"]
    planned = Planned(
        ledger.fingerprint(table), contact.card.party.sign, agreement.id, said, recipe.settings.decoys, carried,
        lost=bool(sent) and carried is None,
    )  # fmt: skip
    view, hashed = ledger.outlook(planned), table_hash(table, ledger.key)
    # the record decides as well: whatever the ledger says, a table whose file lies here is not given other noise
    # with the rows at hand, what is not the last one is delivered anew: the partner has opened that file already
    resend = next((one for one in (sent[-1:] if carried is not None else sent) if one.table == hashed), None)
    if resend is None and view.resend is not None and any(one.release == view.resend.number for one in sent):
        raise Problem(
            "This is the exported table with its rows in another order.",
            "The rows behind the pseudonyms would be mixed up.",
            "Use the file as it was when it was exported first.",
            place="table",
        )
    if resend is None and view.blocked is not None:
        raise view.blocked
    return Plan(again(resend.made) if resend is not None else view, planned, hashed, ledger.head, resend)


def export(
    signatory: Signatory,
    table: CleanTable,
    out: Path,
    progress: Progress = NO_PROGRESS,
    smash: Smash = party.smash,
    *,
    seen: Plan | None = None,
    ids: Sequence[str] | None = None,
) -> Exported:
    """Smashes the table, adds noise and decoys as agreed, seals it for the partner and writes it to `out`.

    The same table under the same agreement gives the same bytes again, and so does a row of another table that was
    delivered before (deliveries.py). Every release is in the ledger before
    its file exists. One that adds to earlier ones needs the plan that the steward has `seen` and confirmed.
    """
    recipe = agreeing.recipe_of(signatory)
    with signatory.home.locked():
        agreement = signatory.agreement
        ledger = signatory.ledger()
        made = seen if seen is not None and seen.head == ledger.head else _plan(signatory, table, ids)
        if made.planned.agreement != agreement.id or made.table != table_hash(table, ledger.key):
            raise ValueError("the plan is about something else")
        if made.asks and not made.confirmed:
            raise made.question()
        said, item, notes = made.planned.statement, made.resend, made.outlook.sentences
        if item is None:
            release = ledger.enter(made.planned)
            agreement, item = _send(
                signatory, table, recipe, made.table, release.number, release.seed, said.text(),
                smash, ids, progress.part(0.0, 0.9),
            )  # fmt: skip
            ledger.written(release, files.sha256(signatory.sent_path(item)))
        else:
            letters.kept_sent(signatory.home, agreement, item)
            ledger.resent(item.release)
            if deliveries.number(signatory, agreement, item, table, ids):
                notes += (Said("The record numbers are kept here now: by them the next delivery tells who changed."),)
        path = signatory.sent_path(item)
        letters.publish(signatory.home, agreement, item, out, progress.part(0.9, 1.0))
    return Exported(
        agreement.id, item.sequence, table.rows, recipe.settings.decoys, path.stat().st_size, files.sha256(path),
        made.resend is not None, said.summary, notes,
        made.planned.carried if made.resend is None else None,
    )  # fmt: skip


def _send(
    signatory: Signatory,
    table: CleanTable,
    recipe: Recipe,
    hashed: str,
    release: int,
    seed: bytes,
    said: str,
    smash: Smash,
    ids: Sequence[str] | None,
    progress: Progress,
) -> tuple[Agreement, Item]:
    agreement = signatory.agreement
    before = deliveries.known(signatory, agreement)
    now = deliveries.compare(signatory.ledger().key, table, before, ids, recipe.settings.decoys)
    rows = now.own_rows
    smashed = smash(now.table if recipe.settings.decoys else table, recipe, progress.part(0.0, 0.6))
    smashed = released(smashed, recipe, seed, progress.part(0.6, 0.8))
    if smashed.epsilon is not None and before is not None:
        copies = [own_copy(signatory, item).smashed for item in before.items]
        smashed = deliveries.with_the_same_noise(smashed, now, copies)
    fresh = np.frombuffer(os.urandom(PSEUDONYM * len(rows)), np.uint8).reshape(-1, PSEUDONYM)
    pseudonyms = now.names(fresh)
    order = order_of(pseudonyms)  # sorting by random names is a random order: the order of the file tells nothing
    bundle = PartnerBundle(reordered(smashed, order), pseudonyms[order])
    names = PseudonymMap(bundle.pseudonyms, rows[order])
    body, arrays = to_arrays(bundle)

    def beside(target: Path, _sealed: Manifest) -> None:
        files.write_bytes(_map_path(target), seal.seal_bytes(names.to_bytes(), signatory.identity.keys.public()))
        deliveries.keep(signatory, agreement, target, now, pseudonyms, order, release)
        if smashed.epsilon is not None:  # the same noise for the next delivery, and for noise on both sides
            letters.seal_to_self(signatory.identity, letters.own_copy(target), agreement, body, arrays)

    return letters.send(
        signatory, "data", body, arrays, statement=said, table=hashed, release=release,
        beside=beside, progress=progress.part(0.8, 1.0),
    )  # fmt: skip


def bundle_statement(recipe: Recipe, rows: int) -> Statement:
    """What can be said of the bundle. Nearest-neighbour noise is in the answers: its bundle leaves without any."""
    from pprl_desktop.privacy.statements import statement

    said = statement(recipe, rows)
    if recipe.settings.decision != "nearest":
        return said
    summary = Said(
        "The bundle with the questions leaves without noise: epsilon unlimited. The noise is in the answers."
    )
    return replace(
        said, mechanism="none", epsilon="", unit="", summary=summary, sentences=(summary,), numbers=(), theorems=()
    )


def released(smashed: Smashed, recipe: Recipe, seed: bytes, progress: Progress) -> Smashed:
    """With the agreed noise. Nearest-neighbour noise is in the answer, not in the bundle."""
    if recipe.settings.epsilon is None or recipe.settings.decision == "nearest":
        return smashed
    from pprl_desktop.privacy.keystream import Keystream
    from pprl_desktop.privacy.noise import noised

    return noised(smashed, recipe.settings.epsilon, Keystream(derive(seed, "noise")), progress)


def reordered(smashed: Smashed, order: npt.NDArray[np.int64]) -> Smashed:
    """Rows in a new order, and values numbered by it: how values were numbered before would tell the old order."""
    return replace(smashed, rows=len(order), parts=tuple(_reordered(part, order) for part in smashed.parts))


def _reordered(part: Part, order: npt.NDArray[np.int64]) -> Part:
    rows = part.rows[order]
    present = rows >= 0
    used, first, codes = np.unique(rows[present], return_index=True, return_inverse=True)
    by_appearance = np.argsort(first, kind="stable")
    rank = np.empty(len(used), np.int32)
    rank[by_appearance] = np.arange(len(used), dtype=np.int32)
    new_rows = np.full(len(rows), -1, np.int32)
    new_rows[present] = rank[codes]
    return replace(part, rows=new_rows, values=part.values[used[by_appearance]])


def to_arrays(bundle: PartnerBundle) -> tuple[Plain, dict[str, Array]]:
    smashed = bundle.smashed
    arrays: dict[str, Array] = {"pseudonyms": bundle.pseudonyms}
    for at, part in enumerate(smashed.parts):
        arrays[f"part{at}.rows"] = part.rows
        arrays[f"part{at}.values"] = part.values
    body: Plain = {
        "method": smashed.method,
        "rows": smashed.rows,
        "epsilon": decimal(smashed.epsilon),
        "parts": [
            {"name": part.name, "field": part.field, "kind": part.kind, "role": part.role} for part in smashed.parts
        ],
    }
    return body, arrays


# ---- in


def check(
    letter: letters.Letter, agreement: Agreement, recipe: Recipe, progress: Progress = NO_PROGRESS
) -> PartnerBundle | None:
    """That a data bundle is exactly what was agreed: first by its manifest, then by its arrays.

    What was read is handed on, so that matching need not decrypt it again; None where it is too much to be held on the
    partner's word alone.
    """
    manifest = letter.opened.manifest
    _check_body(manifest, agreement.terms, recipe)
    sizes = {entry.name: entry.shape[0] for entry in manifest.entries}
    hold, held = _may_hold(manifest), dict[str, Array]()

    def visit(entry: Entry, array: Array) -> None:
        if hold:
            held[entry.name] = array
        if entry.name.endswith(".values"):
            return
        if entry.name == "pseudonyms":
            if not is_increasing(array):
                raise refusals.malformed("pseudonyms", "They are not in order, or one stands twice.")
        elif array.min() < -1 or array.max() >= sizes[entry.name.replace(".rows", ".values")]:
            raise refusals.malformed(entry.name, "A row points to a value that is not there.")

    letter.opened.check(lambda entry: hold or not entry.name.endswith(".values"), visit, progress)
    return _bundle(manifest.body, held) if hold else None


def _may_hold(manifest: Manifest) -> bool:
    """Whether the arrays may stay in memory before all of them are known to be good: what unpacks to far more than it
    is on the disk, or is large, is run through in pieces first."""
    return manifest.raw <= min(HELD_BYTES, letters.PACKED_TIMES * manifest.stored)


def _check_body(manifest: Manifest, agreed: Terms, recipe: Recipe) -> None:
    body = manifest.body
    strict.only(body, {"method", "rows", "epsilon", "parts"}, place="body.")
    rows = strict.integer(body, "rows", 1, 1 << 31, place="body.")
    if rows > agreed.limits.rows + recipe.settings.decoys:
        raise refusals.larger_than_agreed("rows", rows, agreed.limits.rows)
    if strict.text(body, "method", place="body.") != agreed.method:
        raise refusals.does_not_fit("method", Said("Agreed was {method}.", method=agreed.method))
    noise = "" if recipe.settings.decision == "nearest" else agreed.epsilon
    if strict.text(body, "epsilon", place="body.") != noise:
        unit = UNITS.get(agreed.unit, agreed.unit)
        none = Said("Agreed was no noise.")
        why = Said("Agreed was {epsilon:exact} {unit}.", epsilon=noise, unit=unit) if noise else none
        raise refusals.does_not_fit("epsilon", why)
    found = [_part(item, at) for at, item in enumerate(strict.mappings(body, "parts", 1000, place="body."))]
    expected = expected_parts(recipe)
    # a token part in which nobody has a token is left out by its maker; everything else must be there, in this order
    needed = [part for part in expected if part in found or part[2] != "token"]
    if found != needed:
        wrong = next((b[0] for a, b in zip_longest(found, needed, fillvalue=("parts",)) if a != b), "parts")
        raise refusals.does_not_fit(wrong, "The bundle has other parts than the agreed fields and method make.")
    shapes: dict[str, tuple[str, tuple[int, ...]]] = {"pseudonyms": ("uint8", (rows, PSEUDONYM))}
    for at, part in enumerate(found):
        values = manifest.entry(f"part{at}.values")
        count = values.shape[0]
        shapes[f"part{at}.rows"] = ("int32", (rows,))
        shapes[f"part{at}.values"] = ("uint8", (count, expected[part]))
        if count > rows:
            raise refusals.malformed(values.name, "It has more values than there are rows.")
    if [entry.name for entry in manifest.entries] != list(shapes):
        raise refusals.malformed("entries", "There are other arrays than the bundle's parts need.")
    for entry in manifest.entries:
        if (entry.dtype, entry.shape) != shapes[entry.name]:
            raise refusals.malformed(entry.name, "It has not the shape that was agreed.")


def _part(item: Plain, at: int) -> tuple[str, str, str, str]:
    place = f"body.parts[{at}]."
    strict.only(item, {"name", "field", "kind", "role"}, place=place)
    return (
        strict.text(item, "name", place=place),
        strict.text(item, "field", place=place),
        strict.one_of(item, "kind", KINDS, place=place),
        strict.text(item, "role", place=place),
    )


def expected_parts(recipe: Recipe) -> dict[tuple[str, str, str, str], int]:
    """(name, field, kind, role) -> width of every part the recipe can make, by smashing invented records."""
    columns = tuple(Column.of(one.name, _EXAMPLES[one.kind]) for one in recipe.fields)
    smashed = method(recipe.method).smash(CleanTable(recipe.fields, columns), recipe, NO_PROGRESS)
    smashed = released(smashed, recipe, bytes(32), NO_PROGRESS)
    return {(part.name, part.field, part.kind, part.role): part.width for part in smashed.parts}


def load(opened: seal.Opened, progress: Progress = NO_PROGRESS) -> PartnerBundle:
    """The bundle of a letter that was checked."""
    return _bundle(opened.manifest.body, opened.load(progress))


def _bundle(body: Plain, arrays: Mapping[str, Array]) -> PartnerBundle:
    parts = tuple(
        Part(
            item["name"], item["field"], cast(PartKind, item["kind"]), item["role"],
            arrays[f"part{at}.rows"], arrays[f"part{at}.values"],
        )
        for at, item in enumerate(body["parts"])
    )  # fmt: skip
    epsilon = float(body["epsilon"]) if body["epsilon"] else None
    return PartnerBundle(Smashed(body["method"], body["rows"], parts, epsilon), arrays["pseudonyms"])


def load_names(opened: seal.Opened) -> Pseudonyms:
    found: list[Array] = []
    opened.check(lambda entry: entry.name == "pseudonyms", lambda _, array: found.append(array))
    return found[0]


# ---- the own side again


def own_map(signatory: Signatory, item: Item) -> PseudonymMap:
    path = _map_path(signatory.sent_path(item))
    if not path.is_file():
        raise refusals.lost_own(path.name, missing=True)
    most = seal.most_bytes(MAP_ROW * 2 * signatory.agreement.terms.limits.rows)  # decoys are no more than rows
    data = files.read_bytes(path, most, refusals.lost_own(path.name, missing=False))
    return PseudonymMap.from_bytes(seal.open_bytes(data, signatory.identity.all_keys))


def own_copy(signatory: Signatory, item: Item) -> PartnerBundle:
    """What was sent, with its noise: for agreements in which both sides are compared with noise."""
    path = letters.own_copy(signatory.sent_path(item))
    return load(letters.open_own(signatory.identity, path))


def table_hash(table: CleanTable, key: bytes) -> str:
    """Keyed hash of the cleaned cells in row order: recognises the very same table."""
    digest = hmac.new(derive(key, "pprl-table-order/v1"), digestmod=hashlib.sha256)
    for column in table.columns:
        values = [str(value).encode() for value in column.values]
        heads = [len(value).to_bytes(4, "little") + value for value in values] + [b"\xff\xff\xff\xff"]
        digest.update(b"column" + column.name.encode() + b"\0")
        for start in range(0, len(column), 1 << 16):
            digest.update(b"".join(heads[code] for code in column.codes[start : start + (1 << 16)].tolist()))
    return digest.hexdigest()


def must_fit(table: CleanTable, agreed: Terms) -> None:
    if table.fields != agreed.fields:
        raise Problem(
            "The table was not cleaned as agreed.", do="Clean it with the fields of the agreement.", place="fields"
        )
    if table.rows > agreed.limits.rows:
        raise Problem(
            Said("The table has {rows} rows; the agreement allows {rows2}.", rows=table.rows, rows2=agreed.limits.rows),
            do="Use fewer rows or make a new agreement with a higher limit.",
            place="limits",
        )
    if not table.rows:
        raise Problem("The table has no rows.", do="Choose another table.", place="table")


def _map_path(target: Path) -> Path:
    return target.with_suffix(".map")
