"""Proposing, accepting, declining and finishing an agreement; the recipe it stands for."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from pprl_desktop.codes.base import Recipe, Settings, method
from pprl_desktop.exchange import clock, contacts, files, letters, refusals, seal, strict, terms
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.keys import Mode
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.exchange.pact import Pact
from pprl_desktop.exchange.terms import Limits, Reference, Side, Terms
from pprl_desktop.matching.reconcile import DEFAULT_RULE, ReconcileRule
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.reference.sets import ReferenceSet

MAX_REFERENCE = 64 << 20  # bytes of a reference set sent along
MAX_REASON = 500  # characters


@dataclass(frozen=True)
class Offer:
    """What one side would like to agree on. The reference set is a name or the path of a CSV file."""

    method: str
    fields: tuple[Field, ...]
    settings: Settings
    reference: str = ""
    mapping: tuple[tuple[str, tuple[str, ...]], ...] = ()  # empty: the usual one
    rule: ReconcileRule = DEFAULT_RULE
    limits: Limits = field(default_factory=Limits)
    purpose: str = ""


@dataclass(frozen=True)
class Proposal:
    """A proposal that came in: whole, signed, for us. Nothing of it is kept until it is accepted or declined."""

    document: bytes
    contact: Contact
    signature: str
    secret: bytes = field(repr=False)
    reference: bytes = field(default=b"", repr=False)

    @property
    def terms(self) -> Terms:
        return terms.parse(self.document)

    def in_words(self) -> tuple[str, ...]:
        return terms.in_words(self.terms)


def propose(home: Home, own: Identity, contact: Contact, offer: Offer, out: Path, mode: Mode = "hybrid") -> Pact:
    """Writes the sealed proposal, with a fresh shared secret inside."""
    contacts.must_be_verified(contact)
    secret = os.urandom(terms.SECRET)
    recipe = _recipe_offered(offer, secret)
    made = _terms(offer, recipe, own, contact)
    document = made.document()
    reference = _sent_along(recipe.reference)
    pact = Pact(document, "proposer", "proposed", contact.id, _sign(own, document))
    arrays = {"secret": np.frombuffer(secret, np.uint8)}
    if reference:
        arrays["reference"] = np.frombuffer(reference, np.uint8)
    manifest = letters.manifest(
        own, contact, "agreement", agreement=pact.id, statement=made.statement,
        body={"step": "propose", "document": document.decode(), "signature": pact.own_signature},
    )  # fmt: skip
    with home.locked():
        try:
            _keep(home, own, pact, secret, reference)
            seal.seal(out, manifest, arrays, own.keys, contact.card.keys, mode)
        except BaseException:  # a proposal that was never written was never made
            shutil.rmtree(home.folder(pact.id), ignore_errors=True)
            raise
    return pact


def read_proposal(home: Home, own: Identity, path: Path) -> Proposal:
    """Checks a proposal completely; a Problem says what is wrong with it."""
    return proposal_in(letters.open_letter(home, own, path))


def proposal_in(letter: letters.Letter) -> Proposal:
    manifest = letter.opened.manifest
    if manifest.kind != "agreement" or manifest.body.get("step") != "propose":
        raise Problem("This file is not a proposal.", do="Open it with 'open'.", place="kind")
    strict.only(manifest.body, {"step", "document", "signature"}, place="body.")
    document = strict.text(manifest.body, "document", place="body.", longest=terms.MAX_DOCUMENT).encode()
    signature = strict.hexes(manifest.body, "signature", 64, place="body.")
    found = terms.parse(document)
    if terms.agreement_id(document) != manifest.agreement:
        raise refusals.malformed("agreement", "Its number does not belong to the document.")
    if found.proposer.party != manifest.sender or found.accepter.party != manifest.recipient:
        raise refusals.malformed("body.document", "It names other keys than those of this file.")
    if not letter.contact.card.keys.verify(bytes.fromhex(signature), terms.SIGN_CONTEXT + document):
        raise refusals.malformed("body.signature", "It does not belong to the document.")
    secret_entry = manifest.entry("secret")
    extra = {entry.name for entry in manifest.entries} - {"secret", "reference"}
    if secret_entry.dtype != "uint8" or secret_entry.shape != (terms.SECRET,) or extra:
        raise refusals.malformed("entries", "There must be a secret of 32 bytes and nothing unknown.")
    if manifest.raw > MAX_REFERENCE:
        raise refusals.larger_than_agreed("bytes", manifest.raw, MAX_REFERENCE)
    letter.opened.check()
    arrays = letter.opened.load()
    secret = arrays["secret"].tobytes()
    if terms.secret_hash(secret) != found.secret_hash:
        raise refusals.malformed("secret", "It is not the one the document speaks of.")
    reference = arrays["reference"].tobytes() if "reference" in arrays else b""
    recipe(found, secret, reference)  # the method and the reference set exist here, and are the same
    return Proposal(document, letter.contact, signature, secret, reference)


def accept(home: Home, own: Identity, proposal: Proposal, out: Path, mode: Mode = "hybrid") -> Pact:
    """Signs the same document and writes the sealed answer; from here on the agreement is in force on this side."""
    contacts.must_be_verified(proposal.contact)
    signature = _sign(own, proposal.document)
    pact = Pact(proposal.document, "accepter", "in force", proposal.contact.id, signature, proposal.signature)
    body = {"step": "accept", "document": proposal.document.decode(), "signature": signature}
    manifest = letters.manifest(own, proposal.contact, "agreement", agreement=pact.id, body=body)
    with home.locked():
        return _answer(home, own, pact, manifest, proposal, out, mode)


def decline(home: Home, own: Identity, proposal: Proposal, reason: str, out: Path, mode: Mode = "hybrid") -> Pact:
    contacts.must_be_verified(proposal.contact)
    if not reason.strip() or len(reason) > MAX_REASON:
        raise Problem(
            "A reason is needed to decline.",
            f"The partner will read it; at most {MAX_REASON} characters.",
            "Say in a sentence what should be different.",
            place="reason",
        )
    pact = Pact(proposal.document, "accepter", "declined", proposal.contact.id, "", proposal.signature, reason.strip())
    body = {"step": "decline", "reason": reason.strip()}
    manifest = letters.manifest(own, proposal.contact, "agreement", agreement=pact.id, body=body)
    with home.locked():
        return _answer(home, own, pact, manifest, proposal, out, mode)


def _answer(
    home: Home, own: Identity, pact: Pact, manifest: Manifest, proposal: Proposal, out: Path, mode: Mode
) -> Pact:
    """The answer is sealed at home, then the record says so, then a copy goes out; asking again copies it again."""
    kept = home.folder(pact.id) / "answer.pprl"
    if home.has_pact(pact.id):
        before = home.pact(pact.id)
        if before.state != pact.state or before.role != pact.role:
            raise refusals.already_imported()
        pact = before
    else:
        files.make_folder(kept.parent)
        seal.seal(kept, manifest, {}, own.keys, proposal.contact.card.keys, mode)
        _keep(home, own, pact, proposal.secret, proposal.reference)
    letters.copy(kept, out)
    return pact


def answered(home: Home, letter: letters.Letter) -> Pact:
    """The partner's answer to our proposal, checked and kept."""
    manifest = letter.opened.manifest
    body = manifest.body
    if not home.has_pact(manifest.agreement):
        raise refusals.other_agreement()
    pact = home.pact(manifest.agreement)
    if pact.contact != letter.contact.id:
        raise refusals.not_from_partner()
    if pact.state != "proposed" or pact.role != "proposer":
        raise refusals.already_imported()
    letter.opened.check()
    step = strict.one_of(body, "step", ("accept", "decline"), place="body.")
    if step == "decline":
        strict.only(body, {"step", "reason"}, place="body.")
        changed = replace(pact, state="declined", reason=strict.text(body, "reason", place="body.", longest=MAX_REASON))
    else:
        strict.only(body, {"step", "document", "signature"}, place="body.")
        document = strict.text(body, "document", place="body.", longest=terms.MAX_DOCUMENT).encode()
        signature = strict.hexes(body, "signature", 64, place="body.")
        if document != pact.document:
            raise refusals.does_not_fit("document", "The partner signed another text than the one proposed.")
        if not letter.contact.card.keys.verify(bytes.fromhex(signature), terms.SIGN_CONTEXT + document):
            raise refusals.malformed("body.signature", "It does not belong to the document.")
        changed = replace(pact, state="in force", partner_signature=signature)
    home.keep_pact(changed)
    return changed


def recipe(found: Terms, secret: bytes, reference: bytes = b"") -> Recipe:
    """What both sides do alike, ready to smash; refused if this program cannot do exactly that."""
    made = method(found.method)
    if not made.exportable:
        raise refusals.does_not_fit("method", f"{found.method} works on clear tables and never leaves this computer.")
    terms.check_sense(found)
    wanted = found.reference
    if bool(wanted.name) != made.uses_reference:
        raise refusals.does_not_fit("reference", "The method and the reference set do not go together.")
    used = _reference(wanted, secret, reference) if wanted.name else None
    if used is not None and used.fingerprint != wanted.fingerprint:
        raise refusals.does_not_fit(
            "reference.fingerprint", f"The reference set {wanted.name} here is not the one agreed on."
        )
    complete = replace(found.recipe(secret), reference=used)
    if wrong := made.problems(complete):
        raise wrong[0]
    return complete


def recipe_of(home: Home, own: Identity, pact: Pact) -> Recipe:
    """The recipe of an agreement at home, secret and reference set included."""
    folder = home.folder(pact.id)
    secret = seal.open_bytes(files.read_bytes(folder / "secret", 1 << 16, refusals.damaged()), own.all_keys)
    path = folder / "reference.json"
    reference = files.read_bytes(path, MAX_REFERENCE, refusals.damaged()) if path.is_file() else b""
    return recipe(pact.terms, secret, reference)


def with_columns(home: Home, pact: Pact, columns: Mapping[str, str]) -> Pact:
    """Remembers which own column is meant by each field; nothing of it is sent."""
    names = [one.name for one in pact.terms.fields]
    for name in columns:
        if name not in names:
            raise Problem(f"The agreement has no field '{name}'.", f"Its fields are: {', '.join(names)}.", place=name)
    merged = {name: name for name in names} | dict(pact.columns) | dict(columns)
    changed = replace(pact, columns=tuple((name, merged[name]) for name in names))
    if changed != pact:
        home.keep_pact(changed)
    return changed


def _recipe_offered(offer: Offer, secret: bytes) -> Recipe:
    made = method(offer.method)
    if not made.exportable:
        raise Problem(
            f"The method '{offer.method}' cannot be agreed on.",
            "It works on clear tables, which never leave this computer.",
            "Choose another method.",
            place="method",
        )
    reference, mapping = None, offer.mapping
    if made.uses_reference:
        from pprl_desktop.codes.mapping import default_mapping
        from pprl_desktop.reference.load import reference_set

        reference = reference_set(offer.reference, secret)
        mapping = mapping or default_mapping(offer.fields, reference)
    complete = Recipe(offer.method, offer.fields, offer.settings, reference, mapping, secret)
    if wrong := made.problems(complete):
        raise wrong[0]
    return complete


def _terms(offer: Offer, complete: Recipe, own: Identity, contact: Contact) -> Terms:
    from pprl_desktop.privacy.statements import epsilon_unit, statement

    used = complete.reference
    said = statement(complete, offer.limits.rows)
    made = Terms(
        purpose=offer.purpose.strip()[:500],
        made=clock.now(),
        fields=offer.fields,
        method=offer.method,
        settings=offer.settings,
        unit=epsilon_unit(complete) if offer.settings.epsilon is not None else "",
        reference=Reference(used.name, used.size, used.fingerprint) if used else Reference(),
        mapping=complete.mapping if used else (),
        rule=offer.rule,
        limits=offer.limits if offer.rule == "review" else replace(offer.limits, clear=0),
        proposer=Side.of(own.card()),
        accepter=Side.of(contact.card),
        secret_hash=terms.secret_hash(complete.secret),
        statement=said.text(),
    )
    terms.check_sense(made)
    return terms.parse(made.document())  # what was offered survives the strict document unchanged, or is refused here


def _sign(own: Identity, document: bytes) -> str:
    return own.keys.sign(terms.SIGN_CONTEXT + document).hex()


def _keep(home: Home, own: Identity, pact: Pact, secret: bytes, reference: bytes) -> None:
    folder = home.folder(pact.id)
    files.make_folder(folder)
    files.write_bytes(folder / "secret", seal.seal_bytes(secret, own.keys.public()), private=True)
    if reference:
        files.write_bytes(folder / "reference.json", reference)
    home.keep_pact(pact)


def _sent_along(reference: ReferenceSet | None) -> bytes:
    """A set from a file travels with the proposal; built-in and secret ones are made anew by the partner."""
    from pprl_desktop.reference.load import BUILT_IN

    if reference is None or reference.name in BUILT_IN or reference.name.startswith("secret-"):
        return b""
    return strict.dumps({"attributes": reference.attributes, "columns": reference.columns})


def _reference(wanted: Reference, secret: bytes, sent: bytes) -> ReferenceSet:
    if not sent:
        from pprl_desktop.reference.load import BUILT_IN, reference_set

        if wanted.name not in BUILT_IN and not wanted.name.startswith("secret-"):
            raise refusals.malformed("entries.reference", "The reference set is not built in and was not sent along.")
        return reference_set(wanted.name, secret)
    plain: dict[str, Any] = json.loads(sent) if _is_reference(sent) else {}
    if not plain:
        raise refusals.malformed("entries.reference")
    return ReferenceSet(wanted.name, tuple(plain["attributes"]), tuple(map(tuple, plain["columns"])))


def _is_reference(sent: bytes) -> bool:
    plain = strict.loads(sent, "reference")
    strict.only(plain, {"attributes", "columns"}, place="reference.")
    attributes = strict.listing(plain, "attributes", 1000, place="reference.")
    columns = strict.listing(plain, "columns", 1000, place="reference.")
    texts = [*attributes, *(cell for column in columns if isinstance(column, list) for cell in column)]
    lengths = {len(column) if isinstance(column, list) else -1 for column in columns}
    return (
        len(columns) == len(attributes)
        and len(lengths) == 1
        and -1 not in lengths
        and all(isinstance(text, str) for text in texts)
    )
