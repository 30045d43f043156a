"""card: identities and contacts."""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange

if TYPE_CHECKING:
    from pprl_desktop.exchange.card import SafetyNumber
    from pprl_desktop.exchange.contacts import Contact
    from pprl_desktop.exchange.identity import Identity


def arguments(parser: argparse.ArgumentParser) -> None:
    steps = _exchange.steps(
        parser,
        new="make the own identity",
        export="write the own card, to send to partners",
        **{"import": "take in a partner's card"},
        list="show the own card and all contacts",
        verify="show the safety number; with --number, mark the contact as verified",
        withdraw="trust a contact no longer",
        backup="write a sealed key backup, or the key as words to print",
        restore="restore the identity from a backup",
        change_key="make a new key and announce it to the verified contacts",
    )
    locked = {"export", "import", "list", "verify", "withdraw"}
    for name, step in steps.items():
        _exchange.common(step, unlocks=name not in locked)
    steps["new"].add_argument("--name", required=True, help="your organisation's name, as partners will see it")
    steps["export"].add_argument("--out", required=True, metavar="FILE")
    steps["import"].add_argument("file", metavar="FILE")
    for name in ("verify", "withdraw"):
        steps[name].add_argument("contact", metavar="CONTACT", help="name, or the beginning of the id")
    steps["verify"].add_argument("--number", metavar="'WORDS OR DIGITS'", help="what the partner read out")
    steps["withdraw"].add_argument("--reason", default="", help="for your own records")
    what = steps["backup"].add_mutually_exclusive_group(required=True)
    what.add_argument("--out", metavar="FILE", help="a file sealed under the passphrase")
    what.add_argument("--words", action="store_true", help="print 48 words; whoever has them has the key")
    source = steps["restore"].add_mutually_exclusive_group(required=True)
    source.add_argument("--from", dest="source", metavar="FILE", help="a sealed backup")
    source.add_argument("--words-fd", type=int, metavar="N", help="read the 48 words from this file descriptor")
    source.add_argument("--words", action="store_true", help="ask for the 48 words")
    steps["restore"].add_argument("--name", help="needed with words: they do not hold the name")
    steps["change_key"].add_argument("--out", required=True, metavar="DIR", help="one announcement per contact")
    steps["change_key"].add_argument(
        "--announce-only", action="store_true", help="write the announcements of the last change again"
    )


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    return {
        "new": _new, "export": _export, "import": _import, "list": _list, "verify": _verify,
        "withdraw": _withdraw, "backup": _backup, "restore": _restore, "change-key": _change_key,
    }[args.step](args)  # fmt: skip


def _new(args: argparse.Namespace) -> Answer:
    from pprl_desktop.exchange import identity

    made = identity.new(args.name)
    return _created(args, made, f"Identity made for {made.name}.")


def _created(args: argparse.Namespace, made: Identity, said: str) -> Answer:
    from pprl_desktop.exchange.passphrase import must_be_usable

    here = _exchange.home(args)
    if here.exists:
        here.create(made, "")  # raises the one sentence for it, before a passphrase is asked for
    chosen = _exchange.passphrase(args, new=True, what="New passphrase")
    strength = must_be_usable(chosen)
    with here.locked():
        here.create(made, chosen)
    card = made.card()
    text = (
        f"{said}\nPassphrase: {strength.sentence}\nNext: 'card export' writes your card for the partner; "
        "'card backup' keeps the key safe."
    )
    return Answer(text, {
        "id": card.id, "name": card.name, "fingerprint": card.party.as_plain(),
        "age_recipient": card.keys.age_recipient(),
        "passphrase": {"level": strength.level, "bits": strength.bits},
    })  # fmt: skip


def _export(args: argparse.Namespace) -> Answer:
    from pprl_desktop import files

    here = _exchange.home(args)
    files.write_bytes(Path(args.out), here.own_card_bytes())
    card = here.own_card()
    text = (
        f"Card of {card.name} written. Send it to the partner by any way; then compare the safety number by telephone."
    )
    return Answer(text, {"id": card.id, "name": card.name, "file": args.out})


def _import(args: argparse.Namespace) -> Answer:
    from pprl_desktop import files
    from pprl_desktop.exchange import card, contacts, refusals

    here = _exchange.home(args)
    own = here.own_card()
    made = contacts.new(files.read_bytes(Path(args.file), card.MAX_CARD, refusals.not_a_bundle()))
    if made.id == own.id:
        raise Problem("This is your own card.", do="Import the partner's card.", place="card")
    with here.locked():
        known = here.contacts()
        before = next((one for one in known if one.id == made.id), None)
        if before is not None and before.state != "withdrawn":
            raise Problem(
                f"The card of {made.name} is here already ({before.state}).", do="Go on with it.", place="card"
            )
        same_name = contacts.taken_for(made, own, known)
        here.keep_contact(made)
    text = f"Card of {made.name} imported, not verified yet.\n{_number_text(contacts.number_with(own, made))}"
    if same_name:
        text += (
            f"\nBeware: this name could be taken for that of {', '.join(same_name)}, with another key. Ask the partner "
            "which one is right."
        )
    return Answer(text, {
        **_exchange.contact_data(made), **_number_data(contacts.number_with(own, made)), "same_name": list(same_name),
    })  # fmt: skip


def _list(args: argparse.Namespace) -> Answer:
    here = _exchange.home(args)
    own = here.own_card()
    known = here.contacts()
    lines = [f"Own card: {own.name} ({own.id})"]
    lines += [f"  {one.name} ({one.id}): {one.state}{f', {one.note}' if one.note else ''}" for one in known]
    if not known:
        lines.append("  No contacts yet.")
    data = {
        "own": {"id": own.id, "name": own.name, "age_recipient": own.keys.age_recipient()},
        "contacts": [_exchange.contact_data(one) for one in known],
    }
    return Answer("\n".join(lines), data)


def _verify(args: argparse.Namespace) -> Answer:
    from pprl_desktop.exchange import contacts

    here = _exchange.home(args)
    own, contact = here.own_card(), here.contact(args.contact)
    number = contacts.number_with(own, contact)
    if args.number:
        contact = contacts.verified(contact, own, args.number)
        with here.locked():
            here.keep_contact(contact)
        text = f"{contact.name} is verified."
    else:
        text = (
            f"{_number_text(number)}\nLet {contact.name} read theirs to you by telephone, then enter it with --number."
        )
    return Answer(text, {**_exchange.contact_data(contact), **_number_data(number)})


def _withdraw(args: argparse.Namespace) -> Answer:
    here = _exchange.home(args)
    contact = here.contact(args.contact).with_state("withdrawn", args.reason.strip()[:500])
    with here.locked():
        here.keep_contact(contact)
    return Answer(
        f"{contact.name} is withdrawn: nothing more is sent to or accepted from this key.",
        _exchange.contact_data(contact),
    )


def _backup(args: argparse.Namespace) -> Answer:
    from pprl_desktop import files
    from pprl_desktop.exchange import identity

    _, own = _exchange.unlock(args)
    if args.words:
        words = identity.backup_words(own)
        rows = [" ".join(f"{at + 1:2d} {words[at]:<6}" for at in range(start, start + 6)) for start in range(0, 48, 6)]
        text = "\n".join([
            "Print these 48 words and lock them away. Whoever has them has your key; no passphrase is needed.", *rows,
        ])  # fmt: skip
        return Answer(text, {"words": list(words), "name": own.name})
    chosen = _exchange.passphrase(args)
    files.write_bytes(Path(args.out), identity.lock(own, chosen))
    return Answer(
        "Backup written. It opens with the present passphrase. It holds the key, not the agreements.",
        {"file": args.out, "name": own.name},
    )


def _restore(args: argparse.Namespace) -> Answer:
    from pprl_desktop import files
    from pprl_desktop.exchange import identity, refusals

    if args.source:
        data = files.read_bytes(Path(args.source), identity.MAX_IDENTITY, refusals.not_a_bundle())
        made = identity.unlock(data, _exchange.passphrase(args, what="Passphrase of the backup"))
    else:
        if not args.name:
            raise Problem("The words do not hold your name.", do="Give it with --name.", place="name")
        made = identity.from_words(args.name, _words(args))
    return _created(args, made, f"Identity of {made.name} restored.")


def _words(args: argparse.Namespace) -> str:
    """Words are as secret as the key: from a descriptor or a prompt, never an argument."""
    if args.words_fd is not None:
        with os.fdopen(os.dup(args.words_fd), "rb") as source:
            return source.read(4096).decode("utf-8", "replace")
    if not sys.stdin.isatty():
        raise Problem("There is no terminal to ask for the words.", do="Use --words-fd.", place="words")
    rows = [input(f"Words {start + 1} to {start + 6}: ") for start in range(0, 48, 6)]
    return " ".join(rows)


def _change_key(args: argparse.Namespace) -> Answer:
    from pprl_desktop import files
    from pprl_desktop.exchange import key_change

    here, own = _exchange.unlock(args)
    folder = Path(args.out)
    files.make_folder(folder)
    if not args.announce_only:
        chosen = _exchange.passphrase(args)
        with here.locked():
            own = here.change_key(own, chosen)
    written = []
    for contact in here.contacts():
        if contact.state == "verified":
            path = folder / f"key-change-for-{_file_name(contact)}.pprl"
            key_change.announce(here, own, contact, path)
            written.append(str(path))
    text = (
        f"{'New key announced' if args.announce_only else 'New key made'}; {len(written)} announcements written to "
        "send to your partners. Safety numbers must be compared anew, and agreements made anew."
    )
    return Answer(text, {"id": own.card().id, "name": own.name, "files": written})


def _file_name(contact: Contact) -> str:
    """Readable and harmless as a file name, whatever the partner calls itself."""
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', contact.name).strip('-')[:40].lower() or 'partner'}-{contact.id[:6]}"


def _number_text(number: SafetyNumber) -> str:
    words = number.words
    return f"Safety number:\n  {' '.join(words[:6])}\n  {' '.join(words[6:])}\n  {number.digits}"


def _number_data(number: SafetyNumber) -> dict[str, object]:
    return {"safety_words": list(number.words), "safety_digits": number.digits}
