"""Checking a question afterwards: with the seed of its blinds, an auditor sees of every point where it came from.

Nothing proves to the answerer that questions are about real people. The asker who keeps its seed, sealed, can prove it
to an auditor whom it lets look at its table: each point, unblinded, is the hash of a key of a record, or padding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pprl_desktop import files
from pprl_desktop.blind import group, oprf, question
from pprl_desktop.blind.group import Bytes
from pprl_desktop.blind.plan import INPUT
from pprl_desktop.blind.question import Asker, Batch
from pprl_desktop.exchange import agreeing, blind, blind_kept, bundles, container, letters, refusals, seal, strict
from pprl_desktop.exchange.container import Arrays
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said


@dataclass(frozen=True)
class Audited:
    points: int
    from_table: int  # keys and values of a record of this table
    padding: int
    unexplained: int
    sha256: str  # of the question, as entered in the ledger
    same_table: bool  # it is the table that was asked about, row by row
    answered: bool | None  # whether the partner's signed answer is to these very points; None: nothing tells

    def sentences(self) -> tuple[Said, ...]:
        if not self.unexplained:
            first = Said("Each of the {points} points was made from this table, or is padding.", points=self.points)
        else:
            first = Said(
                "{count} of {points} points were not made from a record of this table.",
                count=self.unexplained,
                points=self.points,
            )
        said = [
            first,
            Said("{count} come from its records, {padding} are padding.", count=self.from_table, padding=self.padding),
        ]
        said.append(_ANSWERED[self.answered])
        if not self.same_table:
            said.append(Said("This is not the table that was asked about: its rows or cells differ."))
        return tuple(said)


_ANSWERED = {
    True: Said("The partner's signed answer is to these very points."),
    False: Said("The partner's signed answer is to other points: this is not the question that was sent."),
    None: Said("Only the asker's own files say that these points were sent: no answer of the partner names them."),
}


def audit(signatory: Signatory, path: Path, table: CleanTable, progress: Progress = NO_PROGRESS) -> Audited:
    """`path` is the question as it was sent: its bytes must be those that the ledger and the record know."""
    agreement = signatory.agreement
    sent = agreement.latest_sent(blind.QUESTION)
    if sent is None:
        raise Problem("No question was asked under this agreement.", do="Choose another agreement.", place="agreement")
    kept = signatory.sent_path(sent)
    sha256 = files.sha256(path)
    entered = {one.file for one in signatory.home.ledger().disclosures() if one.what == blind.QUESTION}
    if sha256 != files.sha256(kept) or sha256 not in entered:
        raise Problem(
            "This is not the question that was sent under this agreement.",
            "Its bytes are not those that the ledger has entered.",
            "Choose the file that was sent.",
            place="question",
        )
    seed = _seed(signatory)
    plan = blind.plan_of(agreement, blind.own_direction(agreement))
    secret = agreeing.recipe_of(signatory).secret
    copied = letters.open_own(signatory.identity, letters.own_copy(kept))
    points = blind_kept.spooled(copied)
    answered = _answered(signatory, copied.manifest.body, points)
    made = question.asker(table, plan, secret, progress.part(0.0, 0.1))
    same = bundles.table_hash(table, signatory.ledger().key) == sent.table
    try:
        counts = _counted(made, seed, points, progress.part(0.1, 1.0))
    finally:
        group.wipe(seed)
    total = sum(count for _, count in plan.batches())
    return Audited(total, counts[0], counts[1], total - counts[0] - counts[1], sha256, same, answered)


def _answered(signatory: Signatory, copied: Plain, points: Arrays) -> bool | None:
    """The sealed question opens to the partner alone, and an asker could keep a harmless copy of another one. But the
    partner has signed, in its answer, the hash of the question's manifest, and that holds the hash of every point."""
    received = signatory.agreement.latest_received(blind.ANSWER)
    if received is None or "sealed" not in copied:
        return None
    entries = [one.as_plain() for one in container.described(points, NO_PROGRESS)]
    manifest = strict.dumps(strict.mapping(copied, "sealed") | {"entries": entries})
    return hashlib.sha256(manifest).hexdigest() == letters.reopen(signatory, received).manifest.body.get("question")


def _seed(signatory: Signatory) -> Bytes:
    agreement = signatory.agreement
    for path in (blind_kept.audit_path(signatory.home, agreement), blind_kept.seed_path(signatory.home, agreement)):
        if path.is_file():
            plain = seal.open_bytes(files.read_bytes(path, 1 << 16, refusals.damaged()), signatory.identity.all_keys)
            return np.frombuffer(bytearray(plain[:32]), np.uint8)
    raise Problem(
        "The seed of this question was not kept.",
        "It is destroyed with the result, unless it was to be kept for an auditor when the question was made.",
        "Without it nobody can tell what was asked, the asker included.",
        place="question",
    )


def _counted(made: Asker, seed: Bytes, points: Mapping[str, Bytes], progress: Progress) -> tuple[int, int]:
    """Points made from the table, and padding points; a batch at a time."""
    found, padding = 0, 0
    count = len(made.plan.batches())
    for place, batch in enumerate(made.batches()):
        part = progress.part(place / count, (place + 1) / count)
        mine, empty = _of_batch(batch, seed, points[batch.name], part)
        found, padding = found + mine, padding + empty
    return found, padding


def _of_batch(batch: Batch, seed: Bytes, points: Bytes, progress: Progress) -> tuple[int, int]:
    """However many inputs the maker had: place k of the seed's order carries blind k, or a padding point."""
    stream = group.Stream(seed, batch.name)
    in_order = points[stream.order(batch.asked, part=3)]
    filler = oprf.hash_to_group(stream.bytes(INPUT * batch.asked, part=4).reshape(-1, INPUT))
    is_padding = _among(in_order, filler)
    scalars = stream.scalars(batch.asked, part=2)
    inverse = group.inverted(scalars)
    plain, good = group.multiply(inverse, in_order, progress=progress, what="Checking the question")
    group.wipe(scalars, inverse)
    hashed = oprf.hash_to_group(batch.inputs) if len(batch.inputs) else np.zeros((0, group.SIZE), np.uint8)
    is_mine = _among(plain, hashed) & good & ~is_padding
    return int(is_mine.sum()), int(is_padding.sum())


def _among(rows: Bytes, known: Bytes) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    kind = np.dtype((np.void, group.SIZE))
    wanted = {one.tobytes() for one in np.ascontiguousarray(known)}
    return np.fromiter((one.tobytes() in wanted for one in np.ascontiguousarray(rows).view(kind)), bool, len(rows))
