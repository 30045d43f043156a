"""The next delivery: the same partner, the same agreement, a new table. What went out before is told apart at home.

Beside every bundle lies, sealed to the own identity, a keyed fingerprint of each field of each row, of the own record
number, the random name of the row and how many codes of it the partner holds. The key of the fingerprints is that of
the release ledger: without the passphrase nobody can test who is in a table.

    unchanged   the same bytes and the same name: nothing is added, and fresh noise cannot be averaged away
    changed     the same record number with other values: the same name, fresh noise on what changed
    new, gone   a fresh name; no row

A row that comes back, or gets an earlier value again, gets the bytes that it had then. Names stay so that links keep
their ids. So the partner sees which rows stayed, changed, came and went; it would see most of that from the bytes as
well, and it is told before a file is written. Decoys go in the share in which rows go: were they drawn anew, or did
more of them go, whoever holds two bundles would know them. They never change and never come back, so that a row that
does is known to be real: a made-up change would not look like one (most are slips put right, of which the old and the
new code are alike). That is said, beside the file and in the statement.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Part, Smashed, derive
from pprl_desktop.codes.decoys import add_decoys
from pprl_desktop.exchange import letters
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.carried import Carried
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.pseudonyms import Pseudonyms
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable, Column

MARK = 8  # bytes of a fingerprint: of a million rows, two differing ones collide once in 10^7 tables
MOST_TIMES = 255

Marks = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Known:
    """Every version of every row that the partner holds under an agreement, the newest first. Never leaves."""

    names: Pseudonyms = field(repr=False)
    who: npt.NDArray[np.int64] = field(repr=False)  # the same number: the same name
    real: npt.NDArray[np.bool_] = field(repr=False)  # and not a decoy
    marks: Marks = field(repr=False)  # [rows, fields, MARK]
    ids: Marks = field(repr=False)  # [rows, MARK]; zeros where there is no record number
    times: npt.NDArray[np.uint8] = field(repr=False)  # codes of the row that the partner holds
    bundle: npt.NDArray[np.int64] = field(repr=False)  # which bundle it was in: 0 is the one sent last
    place: npt.NDArray[np.int64] = field(repr=False)  # and where in it
    decoys: tuple[tuple[str, ...], ...] = field(repr=False)  # cells of those sent last, in the order of the bundle
    releases: tuple[int, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, eq=False)
class Next:
    """A table beside what was delivered before: for each of its rows (kept decoys behind the others) what it was."""

    table: CleanTable  # with decoys
    own_rows: npt.NDArray[np.int32]  # -1: a decoy
    before: npt.NDArray[np.int64]  # place among the known; -1: new
    same: npt.NDArray[np.bool_]  # [rows, fields]: as it was
    marks: Marks
    ids: Marks
    times: npt.NDArray[np.uint8]
    known: Known | None
    carried: Carried | None

    def names(self, fresh: Pseudonyms) -> Pseudonyms:
        """Of rows that were there before, the names that they had."""
        if self.known is None:
            return fresh
        stays = self.before >= 0
        made = fresh.copy()
        made[stays] = self.known.names[self.before[stays]]
        return made


def known(signatory: Signatory, agreement: Agreement) -> Known | None:
    """All that went out under the agreement; None where there was nothing, or nothing is kept of what was sent last."""
    fields = [one.name for one in agreement.terms.fields]
    found: list[tuple[Item, dict[str, Array], list[int]]] = []
    for item in reversed([one for one in agreement.sent if one.kind == "data"]):
        path = rows_path(signatory.sent_path(item))
        if not path.is_file():
            break
        try:
            opened = letters.open_own(signatory.identity, path)
        except Problem:
            break  # damaged: whoever was in it is then released as new, and counted in full
        if opened.manifest.body.get("fields") != fields:
            break
        found.append((item, opened.load(), list(opened.manifest.body["releases"])))
    if not found:
        return None
    sizes = [len(arrays["rows"]) for _, arrays, _ in found]
    for _, arrays, _ in found:
        arrays["marks"] = arrays["marks"].reshape(-1, len(fields), MARK)
    joined = {name: np.concatenate([one[name] for _, one, _ in found]) for name in ("names", "marks", "ids", "times")}
    rows = np.concatenate([one["rows"] for _, one, _ in found])
    keep_, who = _versions(joined["names"], joined["marks"])
    cells, of = found[0][1]["decoys"], found[0][2]
    at_hand = {item.release for item, _, _ in found}  # what is lost is counted as a release of its own
    decoys = json.loads(cells.tobytes().decode()) if len(cells) else []
    return Known(
        joined["names"][keep_], who, rows[keep_] >= 0, joined["marks"][keep_], joined["ids"][keep_],
        joined["times"][keep_], np.repeat(np.arange(len(found)), sizes)[keep_],
        np.concatenate([np.arange(size) for size in sizes])[keep_],
        tuple(map(tuple, decoys)), (*(one for one in of[:-1] if one in at_hand), of[-1]),
        tuple(item for item, _, _ in found),
    )  # fmt: skip


def _versions(names: Pseudonyms, marks: Marks) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Each version of each name once, the newest; and a number for each name."""
    people: dict[bytes, int] = {}
    seen: set[bytes] = set()
    kept, who = [], []
    versions = np.hstack([names, marks.reshape(len(marks), -1)])
    for at, (name, version) in enumerate(zip(_texts(names), _texts(versions), strict=True)):
        number = people.setdefault(name, len(people))
        if version not in seen:
            seen.add(version)
            kept.append(at)
            who.append(number)
    return np.array(kept, np.int64), np.array(who, np.int64)


def compare(key: bytes, table: CleanTable, before: Known | None, ids: Sequence[str] | None, decoys: int = 0) -> Next:
    """Tells the rows of a table apart by what was delivered before. `ids`: the own record numbers, if there are any."""
    marks, numbers = fingerprints(table, key), of_ids(ids, key, table.rows)
    places = np.full(table.rows, -1, np.int64)
    if before is not None:
        places = found_again(marks, numbers, before.marks, before.ids, before.who, before.real)
    same = np.zeros((table.rows, len(table.fields)), np.bool_)
    times = np.ones(table.rows, np.uint8)
    if before is None:
        whole, is_decoy = add_decoys(table, decoys)
        return _with_decoys(
            Next(table, np.arange(table.rows, dtype=np.int32), places, same, marks, numbers, times, None, None),
            whole, is_decoy, (), key,
        )  # fmt: skip
    there = places >= 0
    same[there] = (marks[there] == before.marks[places[there]]).all(axis=2)
    unchanged = there & same.all(axis=1)
    held = np.zeros(int(before.who.max()) + 1, np.int64)
    np.maximum.at(held, before.who, before.times)
    times[there] = np.minimum(held[before.who[places[there]]] + ~unchanged[there], MOST_TIMES)
    carried = _carried(before, places, unchanged, times, held, numbers)
    unlike = there & (2 * np.count_nonzero(same, axis=1) < len(table.fields))  # most fields are others
    carried = replace(carried, unlike=int(unlike.sum()))
    stays = _decoys_that_stay(before, carried.gone, decoys)
    whole, is_decoy = add_decoys(table, decoys - len(stays))
    now = Next(
        table, np.arange(table.rows, dtype=np.int32), places, same, marks, numbers, times, before, carried
    )  # fmt: skip
    return _with_decoys(now, whole, is_decoy, stays, key)


def _carried(
    before: Known,
    places: npt.NDArray[np.int64],
    unchanged: npt.NDArray[np.bool_],
    times: npt.NDArray[np.uint8],
    held: npt.NDArray[np.int64],
    numbers: Marks,
) -> Carried:
    last = before.real & (before.bundle == 0)
    gone = np.setdiff1d(before.who[last], before.who[places[places >= 0]])
    new = int((places < 0).sum())
    most = int(times.max(initial=1))
    by_number = _numbers_tell(before, places, numbers, last & np.isin(before.who, gone))
    if new and len(gone) and not by_number:  # one of the new ones may be one of the gone, with other values
        most = max(most, int(held[gone].max()) + 1)
    stayed = int(unchanged.sum())
    given = bool(numbers.any())
    return Carried(before.releases, stayed, len(places) - stayed - new, new, len(gone), most, by_number, given)


def _numbers_tell(before: Known, places: npt.NDArray[np.int64], numbers: Marks, gone: npt.NDArray[np.bool_]) -> bool:
    """Whether none of the new rows can be one of the gone with other values: each has a number of its own, and the
    numbers are those of the delivery before, as the rows that are in both show."""
    there = np.flatnonzero(places >= 0)
    mine, theirs = numbers[there], before.ids[places[there]]
    both = mine.any(axis=1) & theirs.any(axis=1)
    same = (mine == theirs).all(axis=1)[both]
    own, known = _of_one(numbers), _of_one(before.ids, before.who)
    return bool(own[places < 0].all() and known[gone].all() and 2 * same.sum() > len(same))


def _of_one(ids: Marks, who: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.bool_]:
    """Which rows have a record number that no other has; a column in which it stands twice tells nobody apart."""
    numbers = np.ascontiguousarray(ids).view(np.uint64).ravel()
    owners = np.arange(len(ids)) if who is None else who
    once = np.unique(np.column_stack([numbers, owners.astype(np.uint64)]), axis=0)[:, 0]
    values, times = np.unique(once, return_counts=True)
    return np.asarray((numbers != 0) & (times[np.searchsorted(values, numbers)] == 1), np.bool_)


def _with_decoys(
    now: Next, whole: CleanTable, is_decoy: npt.NDArray[np.bool_], stays: Sequence[int], key: bytes
) -> Next:
    """The same with decoys: fresh ones among the rows, those that stay behind them."""
    if not is_decoy.any() and not stays:
        return now
    before = now.known
    whole = _appended(whole, [before.decoys[at] for at in stays] if before is not None else [])
    is_decoy = np.append(is_decoy, np.ones(len(stays), np.bool_))
    real = np.flatnonzero(~is_decoy)
    places = np.full(whole.rows, -1, np.int64)
    places[real] = now.before
    same = np.zeros((whole.rows, len(whole.fields)), np.bool_)
    same[real] = now.same
    if before is not None and stays:
        of_last = np.flatnonzero(~before.real & (before.bundle == 0))
        places[whole.rows - len(stays) :] = of_last[list(stays)]
        same[whole.rows - len(stays) :] = True
    ids = np.zeros((whole.rows, MARK), np.uint8)
    ids[real] = now.ids
    times = np.ones(whole.rows, np.uint8)
    times[real] = now.times
    rows = np.where(is_decoy, -1, np.cumsum(~is_decoy) - 1).astype(np.int32)
    return replace(
        now, table=whole, own_rows=rows, before=places, same=same, marks=fingerprints(whole, key), ids=ids, times=times
    )


def with_the_same_noise(made: Smashed, now: Next, copies: Sequence[Smashed]) -> Smashed:
    """The noised codes, with the bytes of before wherever what they were made of is as it was.

    `copies`: what was sent, one for each of the bundles in `now.known`.
    """
    names = [one.name for one in now.table.fields]
    for number, then in enumerate(copies):
        old = {(part.name, part.field, part.kind, part.role): part for part in then.parts}
        parts = [
            _with_old_bytes(part, old.get((part.name, part.field, part.kind, part.role)), now, number, names)
            for part in made.parts
        ]
        made = replace(made, parts=tuple(parts))
    return made


def _with_old_bytes(part: Part, old: Part | None, now: Next, number: int, names: list[str]) -> Part:
    if old is None or now.known is None:
        return part
    alike = now.same[:, names.index(part.field)] if part.field in names else now.same.all(axis=1)
    rows = np.flatnonzero((now.before >= 0) & alike & (part.rows >= 0))
    rows = rows[now.known.bundle[now.before[rows]] == number]
    places = now.known.place[now.before[rows]]
    rows, places = rows[old.rows[places] >= 0], places[old.rows[places] >= 0]
    values = part.values.copy()
    values[part.rows[rows]] = old.values[old.rows[places]]
    return replace(part, values=values)


def keep(
    signatory: Signatory,
    agreement: Agreement,
    target: Path,
    now: Next,
    names: Pseudonyms,
    order: npt.NDArray[np.int64],
    release: int,
) -> None:
    """Beside the bundle, sealed: what the next delivery is compared with."""
    decoys = [
        [column.cell(row) for column in now.table.columns] for row in order.tolist() if now.own_rows[row] < 0
    ]  # fmt: skip
    text = json.dumps(decoys, ensure_ascii=False).encode() if decoys else b""
    arrays: dict[str, Array] = {
        "names": names[order], "rows": now.own_rows[order], "ids": now.ids[order], "times": now.times[order],
        "marks": now.marks[order].reshape(len(order), -1), "decoys": np.frombuffer(text, np.uint8),
    }  # fmt: skip
    earlier = now.known.releases if now.known is not None else ()
    body: Plain = {"fields": [one.name for one in now.table.fields], "releases": [*earlier, release]}
    letters.seal_to_self(signatory.identity, rows_path(target), agreement, body, arrays)


def number(
    signatory: Signatory, agreement: Agreement, item: Item, table: CleanTable, ids: Sequence[str] | None
) -> bool:
    """The table that was sent last goes out again: its rows get the record numbers that are given by now, at home."""
    path = rows_path(signatory.sent_path(item))
    if ids is None or not path.is_file():
        return False
    try:
        opened = letters.open_own(signatory.identity, path)
    except Problem:
        return False
    arrays = opened.load()
    given = of_ids(ids, signatory.ledger().key, table.rows)[arrays["rows"]]
    given[arrays["rows"] < 0] = 0  # decoys
    if np.array_equal(given, arrays["ids"]):
        return False
    letters.seal_to_self(signatory.identity, path, agreement, opened.manifest.body, {**arrays, "ids": given})
    return True


def keep_rows(
    signatory: Signatory, agreement: Agreement, target: Path, table: CleanTable, ids: Sequence[str] | None
) -> None:
    """Beside a letter without names of its rows (blind): by what they are known again."""
    key = signatory.ledger().key
    marks = fingerprints(table, key).reshape(table.rows, -1)
    arrays: dict[str, Array] = {"marks": marks, "ids": of_ids(ids, key, table.rows)}
    body: Plain = {"fields": [one.name for one in table.fields]}
    letters.seal_to_self(signatory.identity, rows_path(target), agreement, body, arrays)


def fingerprints(table: CleanTable, key: bytes) -> Marks:
    """A keyed hash of each field of each row."""
    made = np.empty((table.rows, len(table.fields), MARK), np.uint8)
    for place, column in enumerate(table.columns):
        own = derive(key, f"pprl-delivery/v1/{column.name}")
        texts = [*("=" + str(value) for value in column.values), ""]  # the code of a missing value reads the last
        made[:, place] = _hashed(texts, own)[column.codes]
    return made


def of_ids(ids: Sequence[str] | None, key: bytes, rows: int) -> Marks:
    if ids is None:
        return np.zeros((rows, MARK), np.uint8)
    made = _hashed([one.strip() for one in ids], derive(key, "pprl-delivery-number/v1"))
    made[[not one.strip() for one in ids]] = 0
    return made


def _hashed(texts: Sequence[str], key: bytes) -> Marks:
    data = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=MARK, key=key).digest() for text in texts
    )
    return np.frombuffer(data, np.uint8).reshape(-1, MARK).copy()


def found_again(
    marks: Marks,
    ids: Marks,
    known_marks: Marks,
    known_ids: Marks,
    who: npt.NDArray[np.int64],
    is_real: npt.NDArray[np.bool_],
) -> npt.NDArray[np.int64]:
    """What each row was: by number and values, then by values, then by a number that nobody else has.

    Each name is taken once.
    """
    found = np.full(len(marks), -1, np.int64)
    taken = np.zeros(int(who.max(initial=0)) + 1, np.bool_)

    def by(mine: Marks, theirs: Marks, wanted: npt.NDArray[np.bool_], known: npt.NDArray[np.bool_]) -> None:
        free: dict[bytes, list[int]] = defaultdict(list)
        left = np.flatnonzero(known & ~taken[who])[::-1]  # the newest is taken first
        for place, text in zip(left.tolist(), _texts(theirs[left]), strict=True):
            free[text].append(place)
        open_ = np.flatnonzero((found < 0) & wanted)
        for row, text in zip(open_.tolist(), _texts(mine[open_]), strict=True):
            places = free.get(text, [])
            while places:
                place = places.pop()
                if not taken[who[place]]:
                    found[row] = place
                    taken[who[place]] = True
                    break

    every = np.ones(len(marks), np.bool_)
    flat, old = marks.reshape(len(marks), -1), known_marks.reshape(len(known_marks), -1)
    by(np.hstack([flat, ids]), np.hstack([old, known_ids]), every, is_real)
    by(flat, old, every, is_real)
    by(ids, known_ids, _of_one(ids), is_real & _of_one(known_ids, who))
    return found


def _texts(marks: npt.NDArray[np.uint8]) -> list[bytes]:
    flat = np.ascontiguousarray(marks)
    return [row.tobytes() for row in flat]


def _decoys_that_stay(before: Known, gone: int, decoys: int) -> tuple[int, ...]:
    """As large a share of them as of the real rows, changed or not, drawn by the operating system."""
    share = gone / max(1, int((before.real & (before.bundle == 0)).sum()))
    count = min(decoys, round((1.0 - share) * len(before.decoys)))
    return tuple(sorted(np.random.default_rng().choice(len(before.decoys), count, replace=False).tolist()))


def _appended(table: CleanTable, rows: Sequence[Sequence[str]]) -> CleanTable:
    if not rows:
        return table
    made = []
    for column, cells in zip(table.columns, zip(*rows, strict=True), strict=True):
        known = {str(value): code for code, value in enumerate(column.values)}
        codes = [known.setdefault(cell, len(known)) if cell else -1 for cell in cells]
        values = np.empty(len(known), dtype=object)
        values[:] = list(known)
        made.append(Column(column.name, values, np.append(column.codes, np.array(codes, np.int32))))
    return CleanTable(table.fields, tuple(made))


def rows_path(target: Path) -> Path:
    return target.with_suffix(".rows")
