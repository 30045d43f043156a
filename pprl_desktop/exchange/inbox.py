"""Opening whatever a partner sent: every check first, then one change at home, or none at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from pprl_desktop.exchange import (
    agreeing,
    blind,
    bundles,
    card,
    clock,
    groups,
    key_change,
    letters,
    recognised,
    refusals,
    results,
    review_letters,
    seal,
    strict,
)
from pprl_desktop.exchange.agreeing import Proposal
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.terms_words import quoted
from pprl_desktop.problem import Failure, Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import NOTHING, Said


@dataclass(frozen=True)
class Received:
    """What was opened. A proposal is only shown: accepting or declining it is the steward's next step."""

    kind: str
    contact: Contact
    sentence: Said
    statement: Said = NOTHING  # as this program computes it; what the file says of itself is not shown
    agreement: Agreement | None = None
    item: Item | None = None
    proposal: Proposal | None = field(default=None, repr=False)
    rows: int = 0
    bundle: bundles.PartnerBundle | None = field(default=None, repr=False)  # of a data bundle: as it was checked


def open_file(
    home: Home, own: Identity, path: Path, progress: Progress = NO_PROGRESS, *, expected: str = ""
) -> Received:
    """`expected` is the agreement that the steward works under: a file of another one is refused, not filed there."""
    if card.looks_like_card(path):
        raise Problem(
            "This is a card, not a sealed file.",
            "Cards are taken in among the contacts.",
            "Import it there, then compare the safety number.",
            place="file",
        )
    mine = recognised.own_file(home, path)
    if mine is not None:
        raise refusals.own_file(mine[1], mine[0].partner_side.name)
    with home.locked():
        letter = letters.open_letter(home, own, path)
        manifest = letter.opened.manifest
        if expected and manifest.kind not in ("agreement", "key_change") and manifest.agreement != expected:
            raise refusals.other_project(letter.contact.name)
        if manifest.kind == "agreement":
            return _agreement(home, letter)
        if manifest.kind == "key_change":
            return _key_change(home, letter)
        if manifest.kind == "receipt":
            return _receipt(home, letter)
        return _put_back(home, own, letter, progress) or _under_agreement(home, own, letter, progress)


def _put_back(home: Home, own: Identity, letter: letters.Letter, progress: Progress) -> Received | None:
    """A file that was opened before and is not at home any more, or not as it was: its copy is made anew."""
    manifest, digest = letter.opened.manifest, letter.opened.digest
    if not home.has_agreement(manifest.agreement):
        return None
    agreement = home.agreement(manifest.agreement)
    item = next((one for one in agreement.received if one.digest == digest), None)
    if item is None or agreement.contact != letter.contact.id or agreement.state != "in force":
        return None
    letters.must_be_sealed(letter, agreement.terms)
    try:
        letters.reopen(Signatory(home, own, agreement.id), item).check()
        return None
    except Failure:
        raise
    except Problem:
        letter.opened.check(progress=progress.part(0.0, 0.9))
    letters.copy(letter.opened.path, letters.received_path(home, agreement, item), progress.part(0.9, 1.0))
    sentence = Said(
        "{name}: a file that was opened before was missing here. It was put back.", name=letter.contact.name
    )
    return Received(manifest.kind, letter.contact, sentence, agreement=agreement, item=item)


def _under_agreement(home: Home, own: Identity, letter: letters.Letter, progress: Progress) -> Received:
    manifest = letter.opened.manifest
    agreement = letters.agreement_of(home, letter)
    signatory = Signatory(home, own, agreement.id)
    name, rows, statement, bundle = letter.contact.name, 0, NOTHING, None
    if manifest.kind == "data":
        recipe = agreeing.recipe_of(signatory)
        bundle = bundles.check(letter, agreement, recipe, progress.part(0.0, 0.9))
        rows = int(manifest.body["rows"])
        statement = bundles.bundle_statement(recipe, max(1, rows - recipe.settings.decoys)).summary
        sentence = Said("{name}: a bundle of {rows} {rows|record|records}, as agreed.", name=name, rows=rows)
    elif manifest.kind == blind.QUESTION:
        rows = blind.check_question(signatory, letter, progress.part(0.0, 0.9))
        sentence = Said("{name}: its question, within the limits agreed. Nothing was answered yet.", name=name)
    elif manifest.kind == blind.ANSWER:
        rows = blind.check_answer(signatory, letter, progress.part(0.0, 0.9))
        sentence = Said("{name}: the answer about {count} records, as agreed.", name=name, count=rows)
    elif manifest.kind == "result":
        accepted = results.check(signatory, letter, progress.part(0.0, 0.9))
        rows = int(manifest.body["pairs"])
        sentence = Said("{name}: a result with {n} accepted {n|pair|pairs}.", name=name, n=accepted)
        if rows > accepted:
            sentence = Said(
                "{name}: a result with {n} accepted {n|pair|pairs} and {more} unsure.",
                name=name, n=accepted, more=rows - accepted,
            )  # fmt: skip
    elif manifest.kind == groups.LINKS:
        rows = len(groups.check_links(letter, agreement, progress.part(0.0, 0.9)))
        sentence = Said("{name}: {rows|one link|{rows} links} for the group.", name=name, rows=rows)
    elif manifest.kind == groups.TOLD:
        told, through = groups.check_told(signatory, letter, progress.part(0.0, 0.9))
        rows = len(told.handle)
        sentence = Said(
            "{name}: {rows} of your records {rows|is|are} in groups; {through} of them {through|is|are} with a "
            "party that only a third party links them to; {doubts|one link was|{doubts} links were} not followed.",
            name=name,
            rows=rows,
            through=through,
            doubts=len(told.doubt),
        )
    else:
        came = review_letters.check(signatory, letter, progress.part(0.0, 0.9))
        rows = came.records
        if came.step == review_letters.ASK:
            sentence = Said(
                "{name} asks for the cells of {rows} of your records, in clear. Nothing was sent.", name=name, rows=rows
            )
        else:
            sentence = Said(
                "{name}: the cells of {rows} {rows|record|records} in clear, for the review.", name=name, rows=rows
            )
            _enter_cells(home, agreement, letter, came)
    agreement, item = letters.receive(home, letter, agreement, progress.part(0.9, 1.0))
    return Received(manifest.kind, letter.contact, sentence, statement, agreement, item, rows=rows, bundle=bundle)


def _enter_cells(home: Home, agreement: Agreement, letter: letters.Letter, came: review_letters.Checked) -> None:
    """The partner's cells in clear are on this computer from now on: that stands in the ledger as well."""
    from pprl_desktop.exchange.disclosures import CLEAR, PlannedDisclosure

    partner, digest = agreement.partner_side.party.sign, letter.opened.digest
    home.ledger().disclose(
        PlannedDisclosure(CLEAR, partner, agreement.id, digest, came.records, fields=came.fields, received=True)
    )


def _receipt(home: Home, letter: letters.Letter) -> Received:
    """Outside the chain: whether a confirmation was sent or not must not hold up the files that matter."""
    manifest = letter.opened.manifest
    agreement = letters.agreement_of(home, letter, in_chain=False)
    letters.check_alone(letter)
    strict.only(manifest.body, {"received"}, place="body.")
    digest = strict.hexes(manifest.body, "received", 32, place="body.")
    if any(item.digest == digest and item.seen for item in agreement.sent):
        raise refusals.already_imported()
    agreement = agreement.with_receipt(digest, clock.now())
    home.keep_agreement(agreement)
    return Received(
        "receipt",
        letter.contact,
        Said("{name} confirms that your file arrived.", name=letter.contact.name),
        agreement=agreement,
    )


def _agreement(home: Home, letter: letters.Letter) -> Received:
    manifest, name = letter.opened.manifest, letter.contact.name
    if manifest.body.get("step") == "propose":
        proposal = agreeing.proposal_in(home, letter)
        if home.has_agreement(manifest.agreement):
            raise refusals.already_imported()
        sentence = Said("{name} proposes an agreement. Accept or decline it.", name=name)
        return Received("proposal", letter.contact, sentence, proposal=proposal)
    agreement = agreeing.answered(home, letter)
    if agreement.state == "declined":
        return Received(
            "declined",
            letter.contact,
            Said("{name} declined and writes: {reason}", name=name, reason=quoted(agreement.reason)),
            agreement=agreement,
        )
    return Received(
        "accepted", letter.contact, Said("{name} accepted. The agreement is in force.", name=name), agreement=agreement
    )


def _key_change(home: Home, letter: letters.Letter) -> Received:
    made = key_change.apply(home, letter)
    sentence = Said(
        "{name} has a new key, signed with the old one. Compare the new safety number before anything is "
        "sent, and make a new agreement.",
        name=made.name,
    )
    return Received("key_change", made, sentence)


def receipt(home: Home, own: Identity, received: Received, out: Path) -> None:
    """Writes the confirmation that a file arrived and was accepted."""
    assert received.agreement is not None
    assert received.item is not None
    contact = letters.partner_of(Signatory(home, own, received.agreement.id))
    body = {"received": received.item.digest}
    manifest = letters.manifest(own, contact, "receipt", agreement=received.agreement.id, body=body)
    seal.seal(out, manifest, {}, own.keys, contact.card.keys, received.agreement.terms.seal)


def end(home: Home, agreement: Agreement, reason: str) -> Agreement:
    """This side holds itself no longer bound: nothing more is sent or opened under the agreement."""
    with home.locked():
        changed = replace(
            home.agreement(agreement.id),
            state="ended",
            reason=strict.one_line(reason)[:500],
        )
        home.keep_agreement(changed)
    return changed
