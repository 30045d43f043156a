"""Proposing, accepting, declining and finishing an agreement; the recipe it stands for."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from pprl_desktop import files
from pprl_desktop.codes.base import Recipe, Settings, method
from pprl_desktop.codes.recipe import build, checked
from pprl_desktop.exchange import clock, contacts, letters, refusals, seal, strict, terms, terms_words
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.blind_terms import MAX_RUNS, BlindTerms
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.group_terms import Group
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.keys import Mode
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.exchange.names import alike
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.terms import MAX_FIELDS, Limits, Reference, Side, Terms
from pprl_desktop.matching.reconcile import DEFAULT_RULE, ReconcileRule
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import Said

# of a reference set sent along: ten times what is useful, and small enough to be read in a moment
MAX_REFERENCE = 4 << 20  # bytes
MAX_CELLS = 200_000
MAX_LETTERS = 255  # of one value: distances are one byte
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
    seal: Mode = "hybrid"
    blind: BlindTerms | None = None  # keys, limits and who asks, where the method is blind
    repeats: float | None = None  # share of the own records that repeat a person; None: not stated
    group: Group | None = None  # a group of several parties that this agreement is to be part of


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

    def in_words(self) -> tuple[Said, ...]:
        return terms_words.in_words(self.terms)


def propose(home: Home, own: Identity, contact: Contact, offer: Offer, out: Path) -> Agreement:
    """Writes the sealed proposal, with a fresh shared secret inside."""
    contacts.must_be_verified(contact)
    secret = os.urandom(terms.SECRET)
    recipe = _recipe_offered(offer, secret)
    made = _terms(offer, recipe, own, contact, home)
    document = made.document()
    reference = _sent_along(recipe.reference)
    agreement = Agreement(document, "proposer", "proposed", contact.id, _sign(own, document))
    arrays = {"secret": np.frombuffer(secret, np.uint8)}
    if reference:
        arrays["reference"] = np.frombuffer(reference, np.uint8)
    manifest = letters.manifest(
        own, contact, "agreement", agreement=agreement.id, statement=made.statement,
        body={"step": "propose", "document": document.decode(), "signature": agreement.own_signature},
    )  # fmt: skip
    with home.locked():
        try:
            _keep(home, own, agreement, secret, reference)
            kept = home.folder(agreement.id) / "proposal.pprl"
            seal.seal(kept, manifest, arrays, own.keys, contact.card.keys, offer.seal)
            letters.copy(kept, out)
        except BaseException:  # a proposal that was never written was never made
            shutil.rmtree(home.folder(agreement.id), ignore_errors=True)
            raise
    return agreement


def draft(home: Home, own: Identity, contact: Contact, offer: Offer) -> Terms:
    """The terms as propose() would write them, to be read before; with no secret, so that nobody can use them."""
    return _terms(offer, _recipe_offered(offer, bytes(terms.SECRET)), own, contact, home)


def offer_like(agreed: Terms) -> Offer:
    """The terms of an agreement as an offer to another partner: everything but the two sides and their secret.

    What was counted on the tables of the two (the share that repeats, the keys of blind) and a group stay behind.
    """
    return Offer(
        agreed.method, agreed.fields, agreed.settings, agreed.reference.name, agreed.mapping, agreed.rule,
        agreed.limits, agreed.purpose, agreed.seal,
    )  # fmt: skip


def read_proposal(home: Home, own: Identity, path: Path) -> Proposal:
    """Checks a proposal completely; a Problem says what is wrong with it."""
    return proposal_in(home, letters.open_letter(home, own, path))


def proposal_in(home: Home, letter: letters.Letter) -> Proposal:
    """Whole, signed, for us, and saying of itself exactly what this program computes from recipe and cards."""
    manifest = letter.opened.manifest
    if manifest.kind != "agreement" or manifest.body.get("step") != "propose":
        raise Problem("This file is not a proposal.", do="Open it with 'open'.", place="kind")
    letters.must_be_outside(letter)
    strict.only(manifest.body, {"step", "document", "signature"}, place="body.")
    document = strict.text(manifest.body, "document", place="body.", longest=terms.MAX_DOCUMENT).encode()
    signature = strict.hexes(manifest.body, "signature", 64, place="body.")
    found = terms.parse(document)
    if found.version < terms.VERSION:
        raise refusals.older_version()
    letters.must_be_sealed(letter, found)
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
    if any(entry.dtype != "uint8" or len(entry.shape) != 1 for entry in manifest.entries):
        raise refusals.malformed("entries.reference", "It must be a row of bytes.")
    if manifest.raw > MAX_REFERENCE:
        raise _reference_too_large("bytes", manifest.raw, MAX_REFERENCE)
    letter.opened.check()
    arrays = letter.opened.load()
    secret = arrays["secret"].tobytes()
    if terms.secret_hash(secret) != found.secret_hash:
        raise refusals.malformed("secret", "It is not the one the document speaks of.")
    reference = arrays["reference"].tobytes() if "reference" in arrays else b""
    complete = recipe(found, secret, reference)  # the method and the reference set exist here, and are the same
    _must_be_as_computed(found, complete, letter.contact, home)
    return Proposal(document, letter.contact, signature, secret, reference)


def _must_be_as_computed(found: Terms, complete: Recipe, contact: Contact, home: Home) -> None:
    """Both sides sign these words: each of them must follow from the recipe and the cards, not from the partner."""
    unit, statement = _told(complete, found.limits.rows)
    names = (contact.name, home.own_card().name)
    for field_name, told, computed in (
        ("epsilon_unit", found.unit, unit),
        ("statement", found.statement, statement),
        ("proposer.name", found.proposer.name, names[0]),
        ("accepter.name", found.accepter.name, names[1]),
    ):
        if told != computed:
            raise refusals.not_as_computed(field_name)
    if found.blind is not None and found.blind.run <= min(_answered(home, contact), MAX_RUNS - 1):
        raise refusals.not_as_computed("blind.run")
    if found.group is not None and _misnamed(found.group, home):
        raise refusals.not_as_computed("group.members")


def _misnamed(group: Group, home: Home) -> str:
    """The first party of a group that is not as the contacts have it: a known key under another name or withdrawn, or
    another key under a known name. Empty where there is none."""
    own = home.own_card()
    known = {one.card.party.sign: (one.name, one.state != "withdrawn") for one in home.contacts()}
    known[own.party.sign] = (own.name, True)
    for member in group.members:
        taken = any(alike(name, member.name) for name, _ in known.values())
        if known[member.sign] != (member.name, True) if member.sign in known else taken:
            return member.name
    return ""


def _answered(home: Home, contact: Contact) -> int:
    """Runs of blind in which this partner got an answer from here: it knows of at least as many."""
    ledger = home.ledger()
    organisation, sign = ledger.organisation(), contact.card.party.sign
    given = [one for one in ledger.disclosures() if one.what == "answer" and not one.received]
    return len({one.agreement for one in given if organisation(one.partner) == organisation(sign)})


def _told(complete: Recipe, rows: int) -> tuple[str, str]:
    """Unit of epsilon and privacy statement of a recipe, in the words that are signed."""
    from pprl_desktop.privacy.statements import epsilon_unit, statement

    unit = epsilon_unit(complete) if complete.settings.epsilon is not None else ""
    return unit, statement(complete, rows).text()


def accept(home: Home, own: Identity, proposal: Proposal, out: Path) -> Agreement:
    """Signs the same document and writes the sealed answer; from here on the agreement is in force on this side."""
    contacts.must_be_verified(proposal.contact)
    signature = _sign(own, proposal.document)
    agreement = Agreement(proposal.document, "accepter", "in force", proposal.contact.id, signature, proposal.signature)
    body = {"step": "accept", "document": proposal.document.decode(), "signature": signature}
    manifest = letters.manifest(own, proposal.contact, "agreement", agreement=agreement.id, body=body)
    with home.locked():
        return _answer(home, own, agreement, manifest, proposal, out)


def decline(home: Home, own: Identity, proposal: Proposal, reason: str, out: Path) -> Agreement:
    contacts.must_be_verified(proposal.contact)
    reason = strict.one_line(reason)
    if not reason or len(reason) > MAX_REASON:
        raise Problem(
            "A reason is needed to decline.",
            Said("The partner will read it; at most {max_reason} characters.", max_reason=MAX_REASON),
            "Say in a sentence what should be different.",
            place="reason",
        )
    agreement = Agreement(
        proposal.document, "accepter", "declined", proposal.contact.id, "", proposal.signature, reason
    )
    body = {"step": "decline", "reason": reason}
    manifest = letters.manifest(own, proposal.contact, "agreement", agreement=agreement.id, body=body)
    with home.locked():
        return _answer(home, own, agreement, manifest, proposal, out)


def _answer(
    home: Home, own: Identity, agreement: Agreement, manifest: Manifest, proposal: Proposal, out: Path
) -> Agreement:
    """The answer is sealed at home, then the record says so, then a copy goes out; asking again copies it again."""
    kept = home.folder(agreement.id) / "answer.pprl"
    if home.has_agreement(agreement.id):
        before = home.agreement(agreement.id)
        if before.state != agreement.state or before.role != agreement.role:
            raise refusals.already_imported()
        agreement = before
    else:
        files.make_folder(kept.parent)
        seal.seal(kept, manifest, {}, own.keys, proposal.contact.card.keys, proposal.terms.seal)
        _keep(home, own, agreement, proposal.secret, proposal.reference)
    letters.copy(kept, out)
    return agreement


def answered(home: Home, letter: letters.Letter) -> Agreement:
    """The partner's answer to our proposal, checked and kept."""
    manifest = letter.opened.manifest
    body = manifest.body
    if not home.has_agreement(manifest.agreement):
        raise refusals.other_agreement()
    agreement = home.agreement(manifest.agreement)
    if agreement.contact != letter.contact.id:
        raise refusals.not_from_partner()
    if agreement.state != "proposed" or agreement.role != "proposer":
        raise refusals.already_imported()
    letters.must_be_sealed(letter, agreement.terms)
    letters.check_alone(letter)
    step = strict.one_of(body, "step", ("accept", "decline"), place="body.")
    if step == "decline":
        strict.only(body, {"step", "reason"}, place="body.")
        changed = replace(
            agreement, state="declined", reason=strict.text(body, "reason", place="body.", longest=MAX_REASON)
        )
    else:
        strict.only(body, {"step", "document", "signature"}, place="body.")
        document = strict.text(body, "document", place="body.", longest=terms.MAX_DOCUMENT).encode()
        signature = strict.hexes(body, "signature", 64, place="body.")
        if document != agreement.document:
            raise refusals.does_not_fit("document", "The partner signed another text than the one proposed.")
        if not letter.contact.card.keys.verify(bytes.fromhex(signature), terms.SIGN_CONTEXT + document):
            raise refusals.malformed("body.signature", "It does not belong to the document.")
        changed = replace(agreement, state="in force", partner_signature=signature)
    home.keep_agreement(changed)
    return changed


def recipe(found: Terms, secret: bytes, reference: bytes = b"") -> Recipe:
    """What both sides do alike, ready to smash; refused if this program cannot do exactly that."""
    made = method(found.method)
    if not made.exportable:
        raise refusals.does_not_fit(
            "method", Said("{method} works on clear tables and never leaves this computer.", method=found.method)
        )
    terms.check_sense(found)
    wanted = found.reference
    if bool(wanted.name) != made.uses_reference:
        raise refusals.does_not_fit("reference", "The method and the reference set do not go together.")
    used = _reference(wanted, secret, reference) if wanted.name else None
    if used is not None and (used.fingerprint, used.size) != (wanted.fingerprint, wanted.size):
        raise refusals.does_not_fit(
            "reference.fingerprint", Said("The reference set {name} here is not the one agreed on.", name=wanted.name)
        )
    return checked(build(found.method, found.fields, found.settings, used, found.mapping, secret))


def recipe_of(signatory: Signatory) -> Recipe:
    """The recipe of an agreement at home, secret and reference set included."""
    agreement = signatory.agreement
    folder = signatory.folder
    secret = seal.open_bytes(
        files.read_bytes(folder / "secret", 1 << 16, refusals.damaged()), signatory.identity.all_keys
    )
    path = folder / "reference.json"
    reference = files.read_bytes(path, MAX_REFERENCE, refusals.damaged()) if path.is_file() else b""
    return recipe(agreement.terms, secret, reference)


def with_columns(
    home: Home,
    agreement: Agreement,
    columns: Mapping[str, str],
    reading: tuple[tuple[str, str], ...] | None = None,
) -> Agreement:
    """Remembers which own column is meant by each field, and how the table is read; nothing of it is sent."""
    names = [one.name for one in agreement.terms.fields]
    for name in columns:
        if name not in names:
            raise Problem(
                Said("The agreement has no field '{name}'.", name=name),
                Said("Its fields are: {names}.", names=", ".join(names)),
                place=name,
            )
    merged = {name: name for name in names} | dict(agreement.columns) | dict(columns)
    how = agreement.reading if reading is None else reading
    changed = replace(agreement, columns=tuple((name, merged[name]) for name in names), reading=how)
    if changed != agreement:
        home.keep_agreement(changed)
    return changed


def _recipe_offered(offer: Offer, secret: bytes) -> Recipe:
    if not method(offer.method).exportable:
        raise Problem(
            Said("The method '{method}' cannot be agreed on.", method=offer.method),
            "It works on clear tables, which never leave this computer.",
            "Choose another method.",
            place="method",
        )
    return checked(build(offer.method, offer.fields, offer.settings, offer.reference, offer.mapping, secret))


def _terms(offer: Offer, complete: Recipe, own: Identity, contact: Contact, home: Home) -> Terms:
    used = complete.reference
    unit, statement = _told(complete, offer.limits.rows)
    made = Terms(
        purpose=strict.one_line(offer.purpose)[:500],
        made=clock.now(),
        fields=offer.fields,
        method=offer.method,
        settings=offer.settings,
        unit=unit,
        reference=Reference(used.name, used.size, used.fingerprint) if used else Reference(),
        mapping=complete.mapping if used else (),
        rule=offer.rule,
        limits=offer.limits if offer.rule == "review" else replace(offer.limits, clear=0),
        proposer=Side.of(own.card()),
        accepter=Side.of(contact.card),
        secret_hash=terms.secret_hash(complete.secret),
        repeats=None if offer.repeats is None else round(1000 * offer.repeats),
        seal=offer.seal,
        statement=statement,
        blind=offer.blind,
        group=_joined(offer.group, own, contact, home),
    )
    terms.check_sense(made)
    return terms.parse(made.document())  # what was offered survives the strict document unchanged, or is refused here


def _joined(group: Group | None, own: Identity, contact: Contact, home: Home) -> Group | None:
    """Both sides must be parties of the group, under the names of their cards, and nobody under a contact's name."""
    for card in (own.card(), contact.card):
        if group is not None and (not group.has(card.party.sign) or group.member(card.party.sign).name != card.name):
            raise Problem(
                Said("{name} is not in the group '{group}'.", name=card.name, group=group.name),
                Said("Its parties are {names:and}, each with the key of its present card.", names=group.names),
                "Choose the right group file, or make a new one.",
                place="group",
            )
    if group is not None and (name := _misnamed(group, home)):
        raise Problem(
            Said("The group '{group}' names {name} otherwise than your contacts do.", group=group.name, name=name),
            "Behind the name stands another key than that of the card you hold, or behind the key another name.",
            "Do not use this file. Ask by telephone whose key it is, and import the present card.",
            place="group",
        )
    return group


def _sign(own: Identity, document: bytes) -> str:
    return own.keys.sign(terms.SIGN_CONTEXT + document).hex()


def _keep(home: Home, own: Identity, agreement: Agreement, secret: bytes, reference: bytes) -> None:
    folder = home.folder(agreement.id)
    files.make_folder(folder)
    files.write_bytes(folder / "secret", seal.seal_bytes(secret, own.keys.public()))
    if reference:
        files.write_bytes(folder / "reference.json", reference)
    home.keep_agreement(agreement)


def _sent_along(reference: ReferenceSet | None) -> bytes:
    """A set from a file travels with the proposal; built-in and secret ones are made anew by the partner."""
    from pprl_desktop.reference.load import BUILT_IN

    if reference is None or reference.name in BUILT_IN or reference.name.startswith("secret-"):
        return b""
    sent = strict.dumps({"attributes": reference.attributes, "columns": reference.columns})
    _parsed_reference(sent)  # what the partner would refuse is not proposed
    return sent


def _reference(wanted: Reference, secret: bytes, sent: bytes) -> ReferenceSet:
    from pprl_desktop.reference.load import BUILT_IN, reference_set

    made_here = wanted.name in BUILT_IN or wanted.name.startswith("secret-")
    if not sent:
        if not made_here:
            raise refusals.malformed("entries.reference", "The reference set is not built in and was not sent along.")
        return reference_set(wanted.name, secret)
    if made_here:
        raise refusals.malformed("entries.reference", "A set sent along bears the name of a built-in one.")
    attributes, columns = _parsed_reference(sent)
    return ReferenceSet(wanted.name, attributes, columns)


def _parsed_reference(sent: bytes) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Attributes and columns. Its size is counted before any of it is parsed."""
    if len(sent) > MAX_REFERENCE:
        raise _reference_too_large("bytes", len(sent), MAX_REFERENCE)
    for sign, each in ((b'"', 2), (b",", 1), (b"[", 1), (b"{", 1)):  # strings, items, lists, groups
        if (count := sent.count(sign) // each) > MAX_CELLS:
            raise _reference_too_large("values", count, MAX_CELLS)
    plain = strict.loads(sent, "reference")
    strict.only(plain, {"attributes", "columns"}, place="reference.")
    attributes = strict.listing(plain, "attributes", MAX_FIELDS, place="reference.")
    columns = strict.listing(plain, "columns", MAX_FIELDS, place="reference.")
    lengths = {len(column) if isinstance(column, list) else -1 for column in columns}
    if (
        len(columns) != len(attributes)
        or len(lengths) != 1
        or -1 in lengths
        or len(set(map(str, attributes))) != len(attributes)
    ):
        raise refusals.malformed(
            "reference.columns", "There must be one list of values for each attribute, of one length."
        )
    for text in (*attributes, *(cell for column in columns for cell in column)):
        if not isinstance(text, str) or len(text) > MAX_LETTERS or not strict.shows(text):
            raise refusals.malformed(
                "reference.columns",
                Said("A value must be a text of at most {max_letters} letters that show.", max_letters=MAX_LETTERS),
            )
    return tuple(attributes), tuple(map(tuple, columns))


def _reference_too_large(what: str, found: int, allowed: int) -> Problem:
    return Problem(
        "The reference set is too large.",
        Said("It has {found} {what}; a proposal may carry {allowed}.", found=found, what=what, allowed=allowed),
        "Use fewer reference records: a few hundred are usual.",
        place="reference",
    )
