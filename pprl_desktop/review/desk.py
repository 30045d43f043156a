"""The manager's desk: makes a review, hands out shares, takes decisions back, settles conflicts, deletes.

A folder of sealed files: the key under the manager's passphrase, records and desk under the key; and the ledger.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from pprl_desktop import files
from pprl_desktop.exchange import strict
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.exchange.passphrase import must_be_usable
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import Table
from pprl_desktop.review import codec, sealing
from pprl_desktop.review import share as shares
from pprl_desktop.review.cells import Cell
from pprl_desktop.review.decisions import POINTS, Decisions
from pprl_desktop.review.desk_files import (
    DESK,
    KEY,
    LEDGER,
    MANAGER,
    PEOPLE,
    anchor_of,
    open_ledger,
    read_key,
    read_state,
    write_key,
    write_people,
)
from pprl_desktop.review.export import Shape, check_columns, write_linked
from pprl_desktop.review.gate import LETTERS, LEVELS, Gate
from pprl_desktop.review.index import Crowd
from pprl_desktop.review.ledger import Entry, chain_problems, remove
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import Policy, Review
from pprl_desktop.review.report import PrivacyLoss, privacy_loss, together
from pprl_desktop.review.roles import Conflict, Vote, deal, differ, majority
from pprl_desktop.review.session import ReviewSession
from pprl_desktop.said import Said

SUFFIX = ".review"
TITLE = 200  # characters
TRANCHE = 10  # pairs a reviewer gets at a time: what a copied share can open


class Desk:
    def __init__(self, folder: Path, keys: Keys, review: Review, state: dict[str, Any]) -> None:
        self.folder = folder
        self.review = review
        self._keys = keys
        self._state = state
        self.ledger = open_ledger(folder / LEDGER, review, state)
        self._session: ReviewSession | None = None
        self._crowd: Crowd | None = None

    # --- made and opened -------------------------------------------------------------------------------------------

    @classmethod
    def create(cls, folder: Path, review: Review, passphrase: str, *, identifying: bool = False) -> Desk:
        """`identifying`: the manager's separate permission to export identifying fields at the end."""
        if folder.exists() and any(folder.iterdir()):
            raise Problem(
                "There is something in that folder already.",
                "A review gets a folder of its own.",
                "Choose a new name.",
                place="folder",
            )
        if not review.pairs:
            raise Problem("There are no pairs to review.", do="Choose a list with pairs.", place="pairs")
        title = "".join(sign for sign in review.title if sign.isprintable())[:TITLE]
        review = codec.must_be_reviewable(replace(review, title=title))
        files.make_folder(folder)
        keys = Keys.new()
        write_key(folder, keys, passphrase)
        write_people(folder, keys, review)
        state = {
            "ledger_key": secrets.token_hex(32), "notes": shares.keys_plain(Keys.new()), "shares": {}, "votes": {},
            "resolved": {}, "identifying": identifying,
        }  # fmt: skip
        sealing.write_to_key(folder / DESK, "desk", state, {}, keys.public(), keys)
        desk = cls(folder, keys, review, state)
        desk._save()
        if identifying:
            desk.ledger.append({"what": "permit", "who": MANAGER, "kind": "identifying export"})
        return desk

    @classmethod
    def open(cls, folder: Path, passphrase: str) -> Desk:
        if not (folder / KEY).exists():
            raise Problem(
                "There is no review in that folder.", do="Choose the folder that 'review create' made.", place="folder"
            )
        keys, first = read_key(folder, passphrase)
        pinned = None if first else keys.public().sign
        people = sealing.read_with_key(folder / PEOPLE, "people", keys, pinned)
        with sealing.well_formed():
            review = codec.from_plain(people.plain, people.arrays)
        desk = cls(folder, keys, review, read_state(folder, keys, pinned))
        if first:  # made by the first version: kept in the one container from now on
            write_people(folder, keys, review)
            desk._save()
            write_key(folder, keys, passphrase)
        return desk

    def close(self) -> None:
        if self.folder.exists() and self.ledger.head != anchor_of(self._state)[1]:
            self._save()
        self.ledger.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _save(self) -> None:
        """With the head of the ledger: an older ledger, put back later, does not reach it."""
        self._state["anchor"] = [len(self.ledger.entries), self.ledger.head]
        sealing.write_to_key(self.folder / DESK, "desk", self._state, {}, self._keys.public(), self._keys)

    def session(self, progress: Progress = NO_PROGRESS) -> ReviewSession:
        """The manager as a reviewer of the own review, or looking at conflicts."""
        if self._session is None:
            seal_note, open_note = shares.note_sealers(shares.keys_of(self._state["notes"]))
            crowd = self.crowd(progress)
            self._session = ReviewSession(self.review, self.ledger, MANAGER, seal_note, open_note, crowd, progress)
        return self._session

    def crowd(self, progress: Progress = NO_PROGRESS) -> Crowd:
        if self._crowd is None:
            self._crowd = Crowd(self.review.people.columns, progress=progress)
        return self._crowd

    @property
    def identifying(self) -> bool:
        return bool(self._state["identifying"])

    def permit_identifying(self) -> None:
        self.ledger.append({"what": "permit", "who": MANAGER, "kind": "identifying export"})
        self._state["identifying"] = True
        self._save()

    # --- shares ----------------------------------------------------------------------------------------------------

    def assign(
        self,
        passphrases: Mapping[str, str],
        overlap: float = 0.0,
        out: Path | None = None,
        pairs: Sequence[str] | None = None,
        *,
        whole_crowd: bool = False,
        tranche: int = TRANCHE,
    ) -> dict[str, Path]:
        """One sealed share per reviewer. `overlap`: the part of the pairs that two reviewers see independently.

        A share holds the cells of its first `tranche` pairs; the next ones are handed out against the ledger of the
        last. With the whole crowd k is exact, and whoever copies the share holds every record.
        The review's budget is divided among the shares, so that together they cannot exceed it.
        """
        names = list(passphrases)
        taken = [name for name in names if name in self._state["shares"] or name == MANAGER]
        if not names or taken:
            raise Problem(
                (Said("'{taken}' has a share already.", taken=taken[0]) if taken else Said("No reviewer was named.")),
                do="Name reviewers who have no share yet.",
                place="reviewer",
            )
        if not 0 <= overlap <= 1 or (overlap and len(names) < 2):
            raise Problem(
                "That overlap is not possible.",
                "It is a part between 0 and 1, and double review needs two reviewers.",
                "Give such a number, or name more reviewers.",
                place="overlap",
            )
        for secret in passphrases.values():
            must_be_usable(secret)
        if tranche < 1:
            raise Problem("A tranche has at least one pair.", do="Give 1 or more.", place="tranche")
        dealt = deal(list(pairs or self._shuffled()), names, overlap)
        slots = sum(map(len, dealt.values())) + sum(len(s["pairs"]) for s in self._state["shares"].values())
        allowance = min(Fraction(1), self.review.policy.review_budget * len(self.review.pairs) / max(slots, 1))
        policy = replace(self.review.policy, review_budget=allowance)
        folder = out or self.folder
        files.make_folder(folder)
        written = {}
        for name in names:
            if not dealt[name]:
                continue
            share: dict[str, Any] = {
                "budget": str(allowance), "whole_crowd": whole_crowd, "pairs": dealt[name],
                "tranches": [
                    {"pairs": dealt[name][at : at + tranche], "ledger_key": secrets.token_hex(shares.KEY_BYTES)}
                    for at in range(0, len(dealt[name]), tranche)
                ],
                "given": 1, "notes": shares.keys_plain(Keys.new()),
            }  # fmt: skip
            path = folder / f"{_file_name(name)}{shares.SUFFIX}"
            first = self._share(name, share, 1, policy)
            self.ledger.append(self._assigned(name, share, 1))  # before the file
            shares.write_share(path, first, passphrases[name])
            self.ledger.remember_file(path)
            self._state["shares"][name] = share
            written[name] = path
        self._save()
        return written

    def _share(self, name: str, share: Mapping[str, Any], number: int, policy: Policy) -> shares.Share:
        """One tranche as the reviewer gets it. Its budget is that of the share, on the scale of its own pairs."""
        tranche = share["tranches"][number - 1]
        part = codec.part_of(
            self.review, tranche["pairs"], policy, self._id(name, number), whole_crowd=share["whole_crowd"]
        )
        made = shares.new_share(part, name, self._keys.public())
        return replace(
            made, ledger_key=bytes.fromhex(tranche["ledger_key"]), notes=shares.keys_of(share["notes"]),
            number=number, of=len(share["tranches"]),
        )  # fmt: skip

    def _assigned(self, name: str, share: Mapping[str, Any], number: int) -> dict[str, str]:
        """What leaves with a tranche, for the ledger: its pairs, and all records where they go along as the crowd."""
        entry = {"what": "assign", "who": name, "rows": str(len(share["tranches"][number - 1]["pairs"]))}
        return {**entry, "records": str(len(self.review.people))} if share["whole_crowd"] else entry

    def _id(self, name: str, number: int) -> str:
        return f"{self.review.id}:{name}" + (f":{number}" if number > 1 else "")

    def next_tranche(self, name: str, out: Path | None = None) -> Path | None:
        """The next pairs of a reviewer whose ledger of the last ones came back with all of them decided.

        None where there are no more.
        """
        share = self._state["shares"].get(name)
        if share is None:
            raise Problem(
                Said("'{name}' has no share.", name=name), do="Name a reviewer who has one.", place="reviewer"
            )
        given = share["given"]
        decided = self._state["votes"].get(name, {}).get("parts", {}).get(str(given), {}).get("points", {})
        if set(share["tranches"][given - 1]["pairs"]) - set(decided):
            raise Problem(
                Said("'{name}' has not handed back all decisions on the last pairs.", name=name),
                "The next ones are given against the whole ledger of the last.",
                "Merge the decisions first; 'cannot tell' is a decision, too.",
                place="reviewer",
            )
        if given == len(share["tranches"]):
            return None
        policy = replace(self.review.policy, review_budget=Fraction(share["budget"]))
        folder = out or self.folder
        files.make_folder(folder)
        path = folder / f"{_file_name(name)}.{given + 1}{shares.TRANCHE_SUFFIX}"
        self.ledger.append(self._assigned(name, share, given + 1))  # before the file
        share["given"] = given + 1
        self._save()
        shares.write_tranche(path, self._share(name, share, given + 1, policy), self._keys)
        self.ledger.remember_file(path)
        return path

    def third_opinion(self, reviewer: str, passphrase: str, out: Path | None = None) -> dict[str, Path]:
        """The pairs in conflict, for a reviewer who has not seen them."""
        pairs = [conflict.pair for conflict in self.conflicts()]
        if not pairs:
            raise Problem("There is no conflict.", do="Merge decisions first.", place="conflicts")
        return self.assign({reviewer: passphrase}, out=out, pairs=pairs)

    def _shuffled(self) -> list[str]:
        """By random names, so that no reviewer gets only the easy end of the list."""
        return sorted(pair.id for pair in self.review.pairs)

    def shares(self) -> dict[str, tuple[int, bool]]:
        """Reviewer -> number of pairs, and whether decisions came back."""
        return {name: (len(s["pairs"]), name in self._state["votes"]) for name, s in self._state["shares"].items()}

    def handed_out(self, name: str) -> tuple[int, int, int]:
        """Pairs in a reviewer's files so far, records in them, and pairs that are still here."""
        share = self._state["shares"][name]
        given = [pair for each in share["tranches"][: share["given"]] for pair in each["pairs"]]
        if share["whole_crowd"]:
            return len(given), len(self.review.people), len(share["pairs"]) - len(given)
        records = {r for pair in self.review.pairs if pair.id in set(given) for r in (pair.a, pair.b)}
        return len(given), len(records), len(share["pairs"]) - len(given)

    # --- decisions come back ---------------------------------------------------------------------------------------

    def merge(self, path: Path, progress: Progress = NO_PROGRESS) -> PrivacyLoss:
        """Takes a decisions file in, after replaying its whole ledger against the share it belongs to."""
        found = sealing.read_with_key(path, "decisions", self._keys)
        try:
            with sealing.well_formed():
                return self._take_in(found, progress)
        except Problem as problem:
            if problem != sealing.damaged():
                raise
            raise Problem(
                "The decisions file does not read as one.", do="Ask the reviewer to hand back again.", place="file"
            ) from problem

    def _take_in(self, found: sealing.Content, progress: Progress) -> PrivacyLoss:
        plain = found.plain
        name, number = str(plain["reviewer"]), strict.integer({"number": 1, **plain}, "number", 1, 1 << 31)
        share = self._state["shares"].get(name)
        if share is None or number > share["given"] or plain["review"] != self._id(name, number):
            raise Problem("These decisions belong to no share of this review.", do="Check the file.", place="file")
        if not found.first_version and found.signer != shares.keys_of(share["notes"]).public().sign:
            raise Problem(
                "These decisions were not written by the reviewer they name.",
                do="Ask the reviewer for the original file.",
                place="file",
            )
        tranche = share["tranches"][number - 1]
        entries = shares.entries_of(plain["entries"])
        head = entries[-1].hash if entries else ""
        key = bytes.fromhex(tranche["ledger_key"])
        if chain_problems(entries) or not hmac.compare_digest(plain["seal"], shares.sealed_head(key, head)):
            raise Problem(
                "The ledger in these decisions is not whole.",
                "An entry was altered or taken away.",
                "Ask the reviewer for the original file.",
                place="ledger",
            )
        before = self._state["votes"].get(name, {}).get("parts", {}).get(str(number))
        if before is not None and not any(entry.hash == before["head"] for entry in entries):
            raise Problem(
                "These decisions are older than those merged before.",
                do="Use the newest file of this reviewer.",
                place="file",
            )
        loss, points, levels = self._replayed(name, share, number, entries, progress)
        if loss.risk_percent > loss.limit_percent + 1e-9:
            raise Problem(
                "These decisions went over the budget of the share.",
                "The program does not allow that, so the ledger was made otherwise.",
                "Talk to the reviewer.",
                place="ledger",
            )
        notes = {str(pair): str(note) for pair, note in plain["notes"].items() if pair in tranche["pairs"]}
        votes = self._state["votes"].setdefault(name, {"parts": {}})
        votes["parts"][str(number)] = {
            "points": points, "levels": levels, "notes": notes, "head": head, "loss": loss.as_dict(),
        }  # fmt: skip
        self._put_together(name)
        self.ledger.append({"what": "merge", "who": name, "rows": str(len(points)), "head": head})
        self._save()
        return PrivacyLoss(**votes["loss"])

    def _put_together(self, name: str) -> None:
        """What a reviewer decided and opened in all tranches; and what the files they held would have let them open."""
        votes = self._state["votes"][name]
        parts = [votes["parts"][number] for number in sorted(votes["parts"], key=int)]
        for what in ("points", "levels", "notes"):
            votes[what] = {pair: value for part in parts for pair, value in part[what].items()}
        pairs, records, _ = self.handed_out(name)
        loss = together([PrivacyLoss(**part["loss"]) for part in parts])
        votes["loss"] = replace(loss, held_pairs=pairs, held_records=records).as_dict()

    def _replayed(
        self, name: str, share: Mapping[str, Any], number: int, entries: tuple[Entry, ...], progress: Progress
    ) -> tuple[PrivacyLoss, dict[str, int], dict[str, str]]:
        policy = replace(self.review.policy, review_budget=Fraction(share["budget"]))
        part = self._share(name, share, number, policy).review
        past = Past(entries)
        crowd = self.crowd(progress) if share["whole_crowd"] else None
        gate = Gate(part, past, name, crowd, progress)
        current = Decisions(past, name, bytes).current
        points = {pair: decision.point for pair, decision in current.items()}
        if not set(points) <= {pair.id for pair in part.pairs}:
            raise ValueError("a pair of another share")
        levels = {pair.id: "".join(LETTERS[each] for each in gate.levels(i)) for i, pair in enumerate(part.pairs)}
        return privacy_loss(part, gate, entries, points, name), points, levels

    def votes(self) -> dict[str, tuple[Vote, ...]]:
        """All votes per pair: reviewers' and the manager's own."""
        found: dict[str, list[Vote]] = {}
        for name, each in self._state["votes"].items():
            for pair, point in each["points"].items():
                found.setdefault(pair, []).append(Vote(name, point, each["notes"].get(pair, "")))
        for pair, decision in Decisions(self.ledger, MANAGER, bytes).current.items():
            found.setdefault(pair, []).append(Vote(MANAGER, decision.point))
        return {pair: tuple(votes) for pair, votes in found.items()}

    def conflicts(self) -> tuple[Conflict, ...]:
        """Pairs whose votes say same and different and no majority settles it, unless the manager has."""
        found = []
        for pair, votes in self.votes().items():
            if pair not in self._state["resolved"] and majority(votes) is None and len(votes) > 1 and differ(votes):
                found.append(Conflict(pair, votes, self._union(pair)))
        return tuple(found)

    def _union(self, pair: str) -> tuple[Level, ...]:
        levels = [Level.MASKED] * len(self.review.policy.fields)
        for each in self._state["votes"].values():
            for j, letter in enumerate(each["levels"].get(pair, "")):
                levels[j] = max(levels[j], LEVELS[letter])
        return tuple(levels)

    def look_at(self, pair: str, progress: Progress = NO_PROGRESS) -> tuple[Cell, ...]:
        """A conflict as its voters saw it together. Counted as the manager's own disclosure."""
        gate = self.session(progress).gate
        return gate.grant(self.review.pair_number(pair), self._union(pair))

    def resolve(self, pair: str, point: int) -> None:
        """The manager's word, above all votes."""
        self.review.pair_number(pair)
        if point not in POINTS:
            raise Problem(Said("{point} is not a decision.", point=point), do="Give 0 to 6.", place="point")
        self.ledger.append({"what": "resolve", "who": MANAGER, "pair": pair, "point": str(point)})
        self._state["resolved"][pair] = point
        self._save()

    def outcome(self) -> dict[str, bool | None]:
        """What holds for every decided pair: same, different, or not settled (None)."""
        found = {pair: majority(votes) for pair, votes in self.votes().items()}
        for pair, point in self._state["resolved"].items():
            found[pair] = Vote(MANAGER, point).same
        return found

    def losses(self, progress: Progress = NO_PROGRESS) -> tuple[PrivacyLoss, ...]:
        """The privacy loss of everyone who opened something."""
        merged = [PrivacyLoss(**each["loss"]) for each in self._state["votes"].values()]
        if any(entry.what in ("start", "reveal") for entry in self.ledger.entries):
            session = self.session(progress)
            points = {pair: d.point for pair, d in session.decisions.current.items()}
            merged.append(privacy_loss(self.review, session.gate, self.ledger.entries, points, MANAGER))
        return tuple(merged)

    # --- the end ---------------------------------------------------------------------------------------------------

    def export(
        self,
        path: Path,
        tables: Sequence[Table],
        sensitive: Sequence[Sequence[str]],
        shape: Shape = "clusters",
        *,
        identifying: bool = False,
        progress: Progress = NO_PROGRESS,
    ) -> int:
        """The linked table; what left the review is in the ledger before the file is there."""
        check_columns(self.review, tables, sensitive, identifying=identifying, permitted=self.identifying)
        kind = "identifying table" if identifying else "linked table"
        self.ledger.append({"what": "export", "who": MANAGER, "kind": kind})
        self.ledger.remember_file(path)
        return write_linked(
            path, self.review, self.outcome(), tables, sensitive, shape, identifying=identifying, progress=progress
        )

    def delete(self) -> tuple[Path, ...]:
        """Removes everything the review wrote, where it was put: shares and work on them, exports, and the folder."""
        gone: list[Path] = []
        for path in self.ledger.files():
            if path.suffix == shares.SUFFIX:
                gone += [file for file in shares.delete(path) if file not in gone]
            elif path.exists():
                path.unlink()
                gone.append(path)
        self._state["anchor"] = [len(self.ledger.entries), self.ledger.head]  # there is nothing left to save
        self.ledger.close()
        gone += remove(self.folder / LEDGER)
        for name in (KEY, PEOPLE, DESK):
            (self.folder / name).unlink(missing_ok=True)
            gone.append(self.folder / name)
        if not any(self.folder.iterdir()):  # what others put there stays
            self.folder.rmdir()
        return tuple(gone)


class Past:
    """A ledger that came back in a decisions file: read, never written."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        self.entries = entries

    def append(self, body: Mapping[str, str], note: tuple[str, bytes] | None = None) -> Entry:
        raise AssertionError("what came back is not written to")


def _file_name(reviewer: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in reviewer)
