"""What a file is, said before anything is done with it: whose it is, what it holds, and which agreement it is for.

Looking changes nothing at home. What a partner's file says of itself is shown only after its seal and signature hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pprl_desktop import files
from pprl_desktop.exchange import card, letters, refusals
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.review_letters import ASK
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

Kind = Literal[
    "card", "own_card", "own", "locked", "proposal", "accepted", "declined", "data", "question", "answer", "result",
    "review_request", "review_cells", "group_links", "groups", "receipt", "key_change",
]  # fmt: skip
SEALED = b"age-encryption.org/"  # how every sealed file begins


@dataclass(frozen=True)
class Recognised:
    path: Path
    kind: Kind
    said: Said  # in words: "Result of Saltham Hospital Trust"
    agreement: str = ""  # id of the agreement it belongs to, "" where it belongs to none
    contact: str = ""  # id of the partner's card
    made: str = ""  # when it was written, as the signed file says


def recognise(home: Home, own: Identity | None, path: Path) -> Recognised:
    """A card or a sealed file; a Problem says that it is neither, or why it must not be used."""
    if card.looks_like_card(path):
        return _card(home, path)
    if not is_sealed(path):
        raise refusals.not_a_bundle()
    mine = own_file(home, path)
    if mine is not None:
        agreement, what = mine
        said = Said("Your own file for {partner}: {what}", partner=agreement.partner_side.name, what=what)
        return Recognised(path, "own", said, agreement.id, agreement.contact)
    if own is None:
        return Recognised(path, "locked", Said("A sealed file. Your key opens it."))
    letter = letters.open_letter(home, own, path)
    manifest = letter.opened.manifest
    kind = _kind(manifest.kind, manifest.body)
    said = Said("{what} of {partner}", what=FILES[kind], partner=letter.contact.name)
    belongs = manifest.agreement if manifest.kind not in ("key_change",) else ""
    return Recognised(path, kind, said, belongs, letter.contact.id, manifest.made)


# what a file of each kind is called; the partner's name follows
FILES: dict[str, Said] = {
    "proposal": Said("Proposal for an agreement"),
    "accepted": Said("Signed agreement"),
    "declined": Said("Answer that declines"),
    "data": Said("Bundle"),
    "question": Said("Question"),
    "answer": Said("Answer"),
    "result": Said("Result"),
    "review_request": Said("Request for a review"),
    "review_cells": Said("Cells for the review, in clear"),
    "group_links": Said("Links for a group"),
    "groups": Said("Groups"),
    "receipt": Said("Receipt"),
    "key_change": Said("New key"),
}


OF_A_REVIEW = Said("File of the review")  # request and cells are one kind; what is in the own one cannot be read


def _kind(kind: str, body: object) -> Kind:
    step = body.get("step") if isinstance(body, dict) else None
    if kind == "agreement":
        return {"propose": "proposal", "accept": "accepted"}.get(str(step), "declined")  # type: ignore[return-value]
    if kind == "review":
        return "review_request" if step == ASK else "review_cells"
    return kind  # type: ignore[return-value]


def is_sealed(path: Path) -> bool:
    try:
        with files.open_regular(path) as source:
            return source.read(len(SEALED)) == SEALED
    except Problem:
        return False


def own_file(home: Home, path: Path) -> tuple[Agreement, Said] | None:
    """Whether these bytes were written here for a partner: the commonest slip is to open the own file again."""
    try:
        size = path.stat().st_size
    except OSError:
        return None
    digest = ""
    for agreement in home.agreements():
        folder = home.folder(agreement.id)
        kept = [(letters.sent_path(home, agreement, item), item.kind) for item in agreement.sent]
        kept += [(folder / "answer.pprl", "accepted"), (folder / "proposal.pprl", "proposal")]
        for copy, kind in kept:
            if not copy.is_file() or copy.stat().st_size != size:
                continue
            digest = digest or files.sha256(path)
            if files.sha256(copy) == digest:
                return agreement, FILES.get(kind, OF_A_REVIEW)
    return None


def _card(home: Home, path: Path) -> Recognised:
    found = card.read_file(path)
    if home.exists and found.id == home.own_card().id:
        return Recognised(path, "own_card", Said("Your own card"), contact=found.id)
    return Recognised(path, "card", Said("Card of {name}", name=found.name), contact=found.id)
