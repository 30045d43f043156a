"""What each side of a blind run keeps at home, sealed: seed and copy of the question, names and keys of records."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pprl_desktop import files
from pprl_desktop.blind import group
from pprl_desktop.blind.opened import Opened
from pprl_desktop.blind.plan import RECORD_KEY
from pprl_desktop.blind.spool import Spool
from pprl_desktop.exchange import letters, refusals, seal
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.pseudonyms import PseudonymMap, order_of
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable


def opened_keys(signatory: Signatory) -> Array:
    """Keys of the records that were opened, in the order in which the match numbers them."""
    path = signatory.folder / "opened.pprl"
    if not path.is_file():
        return np.zeros((0, RECORD_KEY), np.uint8)
    return letters.open_own(signatory.identity, path).load()["keys"]


def answered_keys(signatory: Signatory) -> Array:
    """Keys of the own records in the answer, by row."""
    agreement = signatory.agreement
    item = agreement.latest_sent("answer")
    if item is None:
        raise Problem("The question was not answered yet.", do="Answer it first.", place="answer")
    path = signatory.sent_path(item).with_suffix(".keys")
    if not path.is_file():
        raise refusals.lost_own(path.name, missing=True)
    most = seal.most_bytes(RECORD_KEY * agreement.terms.limits.rows)
    data = files.read_bytes(path, most, refusals.lost_own(path.name, missing=False))
    data = seal.open_bytes(data, signatory.identity.all_keys)
    return np.frombuffer(data, np.uint8).reshape(-1, RECORD_KEY)


def opened_arrays(made: Opened, table: CleanTable) -> dict[str, Array]:
    arrays: dict[str, Array] = {
        "slots": made.slots, "keys": made.keys, "status": made.status, "own": made.own, "partner": made.partner
    }  # fmt: skip
    for place, one in enumerate(table.fields):
        arrays[f"marks{place}"], arrays[f"own{place}"] = made.marks[one.name], made.own_marks[one.name]
    return arrays


def opened_again(arrays: dict[str, Array], table: CleanTable) -> Opened:
    marks = {one.name: arrays[f"marks{place}"] for place, one in enumerate(table.fields)}
    own_marks = {one.name: arrays[f"own{place}"] for place, one in enumerate(table.fields)}
    return Opened(arrays["slots"], arrays["keys"], arrays["status"], marks, own_marks, arrays["own"], arrays["partner"])


# ---- seeds and copies at home


def seed_path(home: Home, agreement: Agreement) -> Path:
    return home.folder(agreement.id) / "question.seed"


def audit_path(home: Home, agreement: Agreement) -> Path:
    return home.folder(agreement.id) / "question.audit"


def own_question(signatory: Signatory, sent: Item) -> Spool:
    return spooled(letters.open_own(signatory.identity, letters.own_copy(signatory.sent_path(sent))))


def spooled(opened: seal.Opened, progress: Progress = NO_PROGRESS) -> Spool:
    """The arrays of a file, none of which is held in memory while the others are worked on."""
    made = Spool()
    opened.check(lambda _: True, lambda entry, array: made.put(entry.name, array), progress)
    return made


def kept_seed(signatory: Signatory, hashed: str, *, make: bool = True) -> Array:
    """The seed of the blinds, sealed at home before anything is made with it: a kill costs nothing but time."""
    agreement = signatory.agreement
    path = seed_path(signatory.home, agreement)
    if path.is_file():
        plain = seal.open_bytes(files.read_bytes(path, 1 << 16, refusals.damaged()), signatory.identity.all_keys)
        if plain[32:].decode("ascii", "replace") == hashed:
            return np.frombuffer(bytearray(plain[:32]), np.uint8)
    if not make:
        raise Problem(
            "The answer can no longer be read.",
            "The blinds of the question were destroyed when the result was written.",
            "Go on with the match that is kept, or make a new agreement.",
            place="question",
        )
    seed = group.random_seed()
    files.make_folder(path.parent)
    files.write_bytes(path, seal.seal_bytes(seed.tobytes() + hashed.encode(), signatory.identity.keys.public()))
    return seed


def forget_blinds(home: Home, agreement: Agreement) -> None:
    """After the result: overwritten, then removed."""
    files.destroy(seed_path(home, agreement))


def keep_map(own: Identity, target: Path, names: Array, rows: Array, keys: Array | None = None) -> None:
    order = order_of(names)
    public = own.keys.public()
    made = PseudonymMap(names[order], rows[order])
    files.write_bytes(target.with_suffix(".map"), seal.seal_bytes(made.to_bytes(), public))
    if keys is not None:
        files.write_bytes(target.with_suffix(".keys"), seal.seal_bytes(keys.tobytes(), public))
