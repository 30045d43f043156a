"""A reviewer's side: the sealed share, work on it, and the sealed decisions file that goes back to the manager."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pprl_desktop.exchange import seal
from pprl_desktop.exchange.keys import Keys, PublicKeys
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.review import codec, sealing
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.ledger import SHAPES, Entry, Ledger, files_of, remove
from pprl_desktop.review.plan import Review
from pprl_desktop.review.session import ReviewSession

SUFFIX = ".share"
RETURN_SUFFIX = ".decisions"


@dataclass(frozen=True, eq=False)
class Share:
    """What a reviewer's file holds: some pairs, the plan, and the keys to write back to the manager."""

    review: Review
    reviewer: str
    ledger_key: bytes = field(repr=False)
    notes: Keys = field(repr=False)  # seals the reviewer's own notes
    back_to: PublicKeys = field(repr=False)  # the manager's review key


def write_share(path: Path, share: Share, passphrase: str) -> None:
    plain, arrays = codec.to_plain(share.review)
    held = {
        "review": plain,
        "reviewer": share.reviewer,
        "ledger_key": share.ledger_key.hex(),
        "notes": keys_plain(share.notes),
        "back_to": public_plain(share.back_to),
    }
    sealing.write_under_passphrase(path, "share", held, arrays, passphrase)


def open_share(path: Path, passphrase: str) -> Share:
    plain, arrays = sealing.read_under_passphrase(path, "share", passphrase)
    return Share(
        codec.from_plain(plain["review"], arrays),
        plain["reviewer"],
        bytes.fromhex(plain["ledger_key"]),
        keys_of(plain["notes"]),
        public_of(plain["back_to"]),
    )


def change_passphrase(path: Path, old: str, new: str) -> None:
    """The manager chose the first passphrase; the reviewer replaces it by the own one."""
    write_share(path, open_share(path, old), new)


def ledger_path(path: Path) -> Path:
    return path.with_name(path.name + ".ledger")


def open_ledger(path: Path, key: bytes, review: Review, who: str) -> Ledger:
    return Ledger(path, key) if path.exists() else Ledger.create(path, key, review.fingerprint(), who)


def start(path: Path, share: Share, crowd: Crowd | None = None, progress: Progress = NO_PROGRESS) -> ReviewSession:
    """Work on a share: resumes where it was left. Close `session.ledger` at the end."""
    ledger = open_ledger(ledger_path(path), share.ledger_key, share.review, share.reviewer)
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
        "plan": share.review.fingerprint(),
        "entries": entries,
        "notes": notes,
        "seal": sealed_head(share.ledger_key, session.ledger.head),
    }
    sealing.write_to_key(out, "decisions", plain, {}, share.back_to)
    session.ledger.remember_file(out)
    return out


def delete(path: Path) -> tuple[Path, ...]:
    """Removes the share, its ledger and every file the work on it wrote."""
    ledger = ledger_path(path)
    wrote = [file for file in files_of(ledger) if file.exists()] if ledger.exists() else []
    wrote += [path] if path.exists() else []
    for file in wrote:
        file.unlink()
    return (*wrote, *remove(ledger))


def entries_of(plain: Any) -> tuple[Entry, ...]:
    return tuple(Entry(int(n), str(time), dict(body), str(digest)) for n, time, body, digest in plain)


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
    return Share(review, reviewer, secrets.token_bytes(32), Keys.new(), back_to)


def note_sealers(keys: Keys) -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]:
    public = keys.public()
    return (lambda text: seal.seal_bytes(text, public)), (lambda box: seal.open_bytes(box, [keys]))


def keys_plain(keys: Keys) -> dict[str, str]:
    return {"sign": keys.sign_seed.hex(), "seal": keys.seal_seed.hex()}


def keys_of(plain: dict[str, str]) -> Keys:
    return Keys(bytes.fromhex(plain["sign"]), bytes.fromhex(plain["seal"]))


def public_plain(keys: PublicKeys) -> dict[str, str]:
    return {"sign": keys.sign.hex(), "hybrid": keys.hybrid.hex(), "x25519": keys.x25519.hex()}


def public_of(plain: dict[str, str]) -> PublicKeys:
    return PublicKeys(*(bytes.fromhex(plain[name]) for name in ("sign", "hybrid", "x25519")))
