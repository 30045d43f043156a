"""A reviewer's side: the sealed share, work on it, and the sealed decisions file that goes back to the manager."""

from __future__ import annotations

import glob
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pprl_desktop import files
from pprl_desktop.exchange import age, seal, strict
from pprl_desktop.exchange.home import default_home
from pprl_desktop.exchange.keys import Keys, PublicKeys, unsound
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.review import codec, sealing
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.ledger import MOST_ENTRIES, SHAPES, Entry, Ledger, files_of, remove
from pprl_desktop.review.plan import Review
from pprl_desktop.review.session import ReviewSession

SUFFIX = ".share"
TRANCHE_SUFFIX = ".tranche"
RETURN_SUFFIX = ".decisions"
MOST_TRANCHES = 100_000
KEY_BYTES = 32


@dataclass(frozen=True, eq=False)
class Share:
    """What a reviewer's file holds: one tranche of pairs, the plan, and the keys to write back to the manager."""

    review: Review
    reviewer: str
    ledger_key: bytes = field(repr=False)
    notes: Keys = field(repr=False)  # the reviewer's: seals the own notes, opens tranches, signs decisions
    back_to: PublicKeys = field(repr=False)  # the manager's review key
    number: int = 1  # of this tranche
    of: int = 1  # tranches there are


def write_share(path: Path, share: Share, passphrase: str) -> None:
    plain, arrays = codec.to_plain(share.review)
    held = {
        "review": plain,
        "reviewer": share.reviewer,
        "ledger_key": share.ledger_key.hex(),
        "notes": keys_plain(share.notes),
        "back_to": public_plain(share.back_to),
        "number": share.number,
        "of": share.of,
    }
    sealing.write_under_passphrase(path, "share", held, arrays, passphrase, share.notes)


def open_share(path: Path, passphrase: str) -> Share:
    """The share; a tranche that lies beside it and comes next is taken in, and the one before is gone."""
    share = _read_share(path, passphrase)
    while (beside := path.with_name(f"{path.stem}.{share.number + 1}{TRANCHE_SUFFIX}")).is_file():
        share = take_tranche(path, share, beside, passphrase)
    return share


def _read_share(path: Path, passphrase: str) -> Share:
    found = sealing.read_under_passphrase(path, "share", passphrase)
    with sealing.well_formed():
        plain = found.plain
        return Share(
            codec.must_be_reviewable(codec.from_plain(plain["review"], found.arrays)),
            _reviewer(plain["reviewer"]),
            _key(plain["ledger_key"]),
            keys_of(plain["notes"]),
            public_of(plain["back_to"]),
            strict.integer({"number": 1, **plain}, "number", 1, MOST_TRANCHES),
            strict.integer({"of": 1, **plain}, "of", 1, MOST_TRANCHES),
        )


def write_tranche(path: Path, share: Share, manager: Keys) -> None:
    """The next pairs, sealed to the reviewer's key and signed by the manager."""
    plain, arrays = codec.to_plain(share.review)
    held = {
        "review": plain, "reviewer": share.reviewer, "ledger_key": share.ledger_key.hex(),
        "number": share.number, "of": share.of,
    }  # fmt: skip
    sealing.write_to_key(path, "tranche", held, arrays, share.notes.public(), manager)


def take_tranche(path: Path, share: Share, tranche: Path, passphrase: str) -> Share:
    """Puts the next pairs into the share in place of the ones before, whose cells are then gone from this computer."""
    found = sealing.read_with_key(tranche, "tranche", share.notes, share.back_to.sign)
    with sealing.well_formed():
        plain = found.plain
        if plain["reviewer"] != share.reviewer or plain["number"] != share.number + 1:
            raise Problem(
                "These pairs are not the next ones of this share.",
                do="Use the file that the manager sent last for this share.",
                place="file",
            )
        made = replace(
            share,
            review=codec.must_be_reviewable(codec.from_plain(plain["review"], found.arrays)),
            ledger_key=_key(plain["ledger_key"]),
            number=strict.integer(plain, "number", 2, MOST_TRANCHES),
            of=strict.integer(plain, "of", 2, MOST_TRANCHES),
        )
    write_share(path, made, passphrase)
    return made


def change_passphrase(path: Path, old: str, new: str) -> None:
    """The manager chose the first passphrase; the reviewer replaces it by the own one."""
    write_share(path, _read_share(path, old), new)


def ledger_path(path: Path, number: int = 1) -> Path:
    return path.with_name(path.name + (".ledger" if number == 1 else f".{number}.ledger"))


def latest_ledger(path: Path) -> Path:
    """Of the tranche that was worked on last, for whoever has no passphrase."""
    numbers = [
        int(found.name.removesuffix(".ledger").rpartition(".")[2])
        for found in path.parent.glob(f"{glob.escape(path.name)}.*.ledger")
    ]
    return ledger_path(path, max(numbers, default=1))


def open_ledger(path: Path, key: bytes, review: Review, who: str) -> Ledger:
    return Ledger(path, key) if path.exists() else Ledger.create(path, key, review.fingerprint(), who)


def start(path: Path, share: Share, crowd: Crowd | None = None, progress: Progress = NO_PROGRESS) -> ReviewSession:
    """Work on a share: resumes where it was left. Close `session.ledger` at the end."""
    ledger = open_ledger(ledger_path(path, share.number), share.ledger_key, share.review, share.reviewer)
    try:
        seal_note, open_note = note_sealers(share.notes)
        return ReviewSession(share.review, ledger, share.reviewer, seal_note, open_note, crowd, progress)
    except BaseException:
        ledger.close()
        raise


def return_decisions(session: ReviewSession, share: Share, out: Path) -> Path:
    """The sealed file for the manager: the whole ledger and the notes. No cell of a record is in it."""
    entries = [[e.number, e.time, dict(e.body), e.hash] for e in session.ledger.entries]
    notes = {pair: session.note(pair) for pair in session.decisions.note_of}
    plain = {
        "reviewer": share.reviewer,
        "review": share.review.id,
        "number": share.number,
        "plan": share.review.fingerprint(),
        "entries": entries,
        "notes": notes,
        "seal": sealed_head(share.ledger_key, session.ledger.head),
    }
    sealing.write_to_key(out, "decisions", plain, {}, share.back_to, share.notes)
    session.ledger.remember_file(out)
    return out


def delete(path: Path) -> tuple[Path, ...]:
    """Removes the share, the ledgers of its tranches and every file the work on it wrote."""
    gone: list[Path] = []
    for ledger in [ledger_path(path), *sorted(path.parent.glob(f"{glob.escape(path.name)}.*.ledger"))]:
        if ledger.exists():
            wrote = [file for file in files_of(ledger) if _is_returned(file)]
            for file in wrote:
                file.unlink()
            gone += [*wrote, *remove(ledger)]
    rest = [path, *sorted(path.parent.glob(f"{glob.escape(path.stem)}.*{TRANCHE_SUFFIX}"))]
    for file in (file for file in rest if file.exists()):
        file.unlink()
        gone.append(file)
    return tuple(gone)


def _is_returned(path: Path) -> bool:
    """A sealed file outside the home folder. The ledger came into being beside a file of somebody else: what it says
    to have written may be anything."""
    if default_home().resolve() in path.resolve().parents or not path.is_file() or path.is_symlink():
        return False
    with files.open_regular(path) as source:
        return source.read(len(age.INTRO)) == age.INTRO


def entries_of(plain: Any) -> tuple[Entry, ...]:
    """The entries of a ledger that came back, each in a form that the ledger itself would have written."""
    if not isinstance(plain, list) or len(plain) > MOST_ENTRIES:
        raise ValueError("entries")
    return tuple(Entry.checked(*each) for each in plain)


def _reviewer(name: Any) -> str:
    if not isinstance(name, str) or not SHAPES["who"].fullmatch(name):
        raise ValueError("reviewer")
    return name


def _key(text: Any) -> bytes:
    key = bytes.fromhex(text)
    if len(key) != KEY_BYTES:
        raise ValueError("key")
    return key


def sealed_head(key: bytes, head: str) -> str:
    import hashlib
    import hmac

    return hmac.new(key, f"returned {head}".encode(), hashlib.sha256).hexdigest()


def new_share(review: Review, reviewer: str, back_to: PublicKeys) -> Share:
    if not SHAPES["who"].fullmatch(reviewer) or not reviewer.strip():
        raise Problem(
            "A reviewer needs a name of 1 to 64 characters.",
            "Letters, digits, spaces and . @ - _ can stand in it.",
            "Give such a name.",
            place="reviewer",
        )
    return Share(review, reviewer, secrets.token_bytes(KEY_BYTES), Keys.new(), back_to)


def note_sealers(keys: Keys) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    public = keys.public()
    return (lambda text: seal.seal_bytes(text, public)), (lambda box: seal.open_bytes(box, [keys]))


def keys_plain(keys: Keys) -> dict[str, str]:
    return {"sign": keys.sign_seed.hex(), "seal": keys.seal_seed.hex()}


def keys_of(plain: dict[str, str]) -> Keys:
    return Keys(_key(plain["sign"]), _key(plain["seal"]))


def public_plain(keys: PublicKeys) -> dict[str, str]:
    return {"sign": keys.sign.hex(), "hybrid": keys.hybrid.hex(), "x25519": keys.x25519.hex()}


def public_of(plain: dict[str, str]) -> PublicKeys:
    made = PublicKeys(*(bytes.fromhex(plain[name]) for name in ("sign", "hybrid", "x25519")))
    if unsound(made):
        raise ValueError("key")
    return made
