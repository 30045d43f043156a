"""The post of one project: every file that was sent or received under its agreement, and what comes next.

The program sends nothing itself. Whether a file has gone is known when the partner answers, confirms it, or the
steward says so.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pprl_desktop import files
from pprl_desktop.exchange import letters
from pprl_desktop.exchange.disclosures import CLEAR
from pprl_desktop.exchange.recognised import FILES
from pprl_desktop.job.offers import agreements_with
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.agreement import Agreement, Item
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.project.choices import Choices

Form = Literal["terms", "smashed", "blind", "numbers", "clear"]
FORMS: dict[str, Form] = {
    "data": "smashed", "question": "blind", "answer": "blind", "result": "numbers", "review_request": "numbers",
    "review_cells": "clear",
}  # fmt: skip
# what is expected back once something went out: kind sent -> kind awaited, and the step that waits for it
BACK = {
    "data": ("data", "partner"), "question": ("answer", "partner"), "answer": ("result", "results"),
    "result": ("result", "results"),
    "review_request": ("review_cells", "review"),
}  # fmt: skip

BEGINNING = 4096  # bytes of a sealed file that no other one shares


@dataclass(frozen=True)
class Letter:
    """One file. `path` is where the copy for the partner lies, where that is known."""

    kind: str
    said: Said
    made: str  # "" where the date is not known
    mine: bool
    form: Form
    digest: str
    path: Path | None = None
    size: int = 0
    confirmed: bool = False  # the partner's receipt came
    replaced: bool = False  # a newer one of its kind exists
    number: int = 0  # in the sequence of its side; 0 for what is about the agreement itself


@dataclass(frozen=True)
class Awaited:
    said: Said
    since: str
    step: str


@dataclass(frozen=True)
class Post:
    partner: str = ""
    letters: tuple[Letter, ...] = ()  # newest first
    to_send: Letter | None = None
    awaited: Awaited | None = None
    agreement: str = ""
    may_send: bool = False  # nothing more is sent under one that was declined or ended


def of_project(
    home: Home, choices: Choices, folder: Path, gone: Collection[str] = (), places: Sequence[str] = ()
) -> Post:
    """Files for the partner are in `folder` or where the steward had them written (`places`).

    `gone` are the digests that were marked as sent.
    """
    agreement = _agreement(home, choices)
    if agreement is None:
        return Post()
    written = _written(folder, choices, places)
    # the answer has no date at home: it stands right after the proposal
    made = agreement.terms.made
    order = {"proposal": 0, "accepted": 1}  # where two were written in the same second
    found = _letters(home, agreement, written)
    found.sort(key=lambda one: (one.made or made, order.get(one.kind, 2)), reverse=True)
    return Post(
        agreement.partner_side.name, tuple(found), _to_send(found, agreement, gone), _awaited(found, agreement),
        agreement.id, agreement.state in ("proposed", "in force"),
    )  # fmt: skip


def _agreement(home: Home, choices: Choices) -> Agreement | None:
    """The one that was signed, or the proposal that waits for the partner."""
    if choices.agreement:
        return home.agreement(choices.agreement) if home.has_agreement(choices.agreement) else None
    if not choices.partner:
        return None
    return next((one for one in agreements_with(home, choices.partner) if one.state == "proposed"), None)


def _written(folder: Path, choices: Choices, places: Sequence[str]) -> list[Path]:
    named = [Path(text) for text in (choices.bundle_path, choices.result_path, *places) if text]
    found = [*named, *(sorted(folder.glob("*.pprl")) if folder.is_dir() else ())]
    return [path for path in dict.fromkeys(found) if path.is_file()]


def _letters(home: Home, agreement: Agreement, written: Sequence[Path]) -> list[Letter]:
    mine = agreement.role == "proposer"
    folder, terms = home.folder(agreement.id), agreement.terms
    proposal = folder / "proposal.pprl"
    found = [
        _letter("proposal", terms.made, mine=mine, kept=proposal, digest=f"proposal {agreement.id}", written=written)
    ]
    answer = folder / "answer.pprl"
    if answer.is_file() or (mine and agreement.state == "in force"):
        name = f"answer {agreement.id}"
        found.append(_letter("accepted", "", mine=not mine, kept=answer, digest=name, written=written))
    in_clear = _in_clear(home, agreement)
    for items, sent in ((agreement.sent, True), (agreement.received, False)):
        kinds = [_kind(item, sent, in_clear) for item in items]
        for place, (item, kind) in enumerate(zip(items, kinds, strict=True)):
            kept = (letters.sent_path if sent else letters.received_path)(home, agreement, item)
            found.append(
                _letter(
                    kind, item.made, mine=sent, kept=kept, digest=item.digest, written=written if sent else (),
                    confirmed=bool(item.seen), replaced=kind in BACK and kind in kinds[place + 1 :],
                    number=item.sequence,
                )
            )  # fmt: skip
    return found


def _in_clear(home: Home, agreement: Agreement) -> set[tuple[bool, str]]:
    """Letters with cells in clear, as the ledger has them: whether they came, and what they are known by there."""
    return {
        (one.received, one.content)
        for one in home.ledger().disclosures()
        if one.agreement == agreement.id and one.what == CLEAR
    }


def _kind(item: Item, sent: bool, in_clear: Collection[tuple[bool, str]]) -> str:
    """Both letters of a review are of one kind outside; only the ledger tells them apart without the key."""
    if item.kind != "review":
        return item.kind
    known = (False, item.table) if sent else (True, item.digest)
    return "review_cells" if known in in_clear else "review_request"


def _letter(
    kind: str, made: str, *, mine: bool, kept: Path, digest: str, written: Sequence[Path], confirmed: bool = False,
    replaced: bool = False, number: int = 0,
) -> Letter:  # fmt: skip
    size = kept.stat().st_size if kept.is_file() else 0
    path = _copy_of(kept, size, written) if mine and size else None
    said, form = FILES.get(kind, Said("a file")), FORMS.get(kind, "terms")
    return Letter(kind, said, made, mine, form, digest, path, size, confirmed, replaced, number)


def _copy_of(kept: Path, size: int, written: Sequence[Path]) -> Path | None:
    """By size and beginning: every sealed file begins with a key of its own."""
    for path in written:
        if path.stat().st_size == size and _beginning(path) == _beginning(kept):
            return path
    return None


def _beginning(path: Path) -> bytes:
    with files.open_regular(path) as source:
        return source.read(BEGINNING)


def _to_send(found: Sequence[Letter], agreement: Agreement, gone: Collection[str]) -> Letter | None:
    """The newest file of ours, unless the partner answered or confirmed it, or the steward says that it has gone."""
    if not found or not found[0].mine or agreement.state in ("declined", "ended"):
        return None
    newest = found[0]
    return None if newest.confirmed or newest.digest in gone else newest


def _awaited(found: Sequence[Letter], agreement: Agreement) -> Awaited | None:
    partner = agreement.partner_side.name
    if agreement.state == "proposed" and agreement.role == "proposer":
        return Awaited(
            Said("Waiting for the signature of {partner}", partner=partner), agreement.terms.made, "agreement"
        )
    if agreement.state != "in force":
        return None
    blind = agreement.terms.blind
    for one in reversed(found):
        if not one.mine or one.kind not in BACK or one.replaced:
            continue
        if blind is not None and (one.kind == "result" if not blind.mutual else one.kind == "answer"):
            continue  # who asks decides alone, and nothing comes back; where both ask, each writes a result first
        kind, step = BACK[one.kind]
        if not any(other.kind == kind and not other.mine for other in found):
            said = Said("Waiting for a file of {partner}: {what}", partner=partner, what=FILES[kind])
            return Awaited(said, one.made, step)
    return None
