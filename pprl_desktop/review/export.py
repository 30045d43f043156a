"""What a review leaves behind: links as pairs or clusters, and the linked, de-identified table.

Records appear under random pseudonyms, new in every export. Sensitive columns never entered the review: they are
joined back here, from the tables they lie in. Identifying fields only with the manager's separate permission.
Every file is safe to open in a spreadsheet.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import Table
from pprl_desktop.records.writing import write_csv
from pprl_desktop.review.plan import Review

Shape = Literal["pairs", "clusters"]


@dataclass(frozen=True)
class Linked:
    """Which records are one person. Clusters of one (records linked to nobody) are not listed."""

    pairs: tuple[tuple[int, int], ...]
    clusters: tuple[tuple[int, ...], ...]


def linked(review: Review, outcome: Mapping[str, bool | None]) -> Linked:
    """Pairs decided the same, and those accepted without review unless the review found them different."""
    against = {(p.a, p.b) for p in review.pairs if outcome.get(p.id) is False}
    found = dict.fromkeys(pair for pair in review.settled if pair not in against)
    found.update(dict.fromkeys((p.a, p.b) for p in review.pairs if outcome.get(p.id)))
    return Linked(tuple(found), tuple(_clusters(found)))


def _clusters(pairs: Mapping[tuple[int, int], None]) -> Iterator[tuple[int, ...]]:
    parent: dict[int, int] = {}

    def root(record: int) -> int:
        while parent.setdefault(record, record) != record:
            parent[record] = parent[parent[record]]
            record = parent[record]
        return record

    for a, b in pairs:
        parent[root(a)] = root(b)
    members: dict[int, list[int]] = {}
    for record in parent:
        members.setdefault(root(record), []).append(record)
    yield from (tuple(sorted(each)) for each in members.values())


def pseudonyms(count: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[secrets.token_hex(6)] = None
    return list(found)


def write_linked(
    path: Path,
    review: Review,
    outcome: Mapping[str, bool | None],
    tables: Sequence[Table],
    sensitive: Sequence[Sequence[str]],
    shape: Shape = "clusters",
    *,
    identifying: bool = False,
    progress: Progress = NO_PROGRESS,
) -> int:
    """The linked table: one line per record (clusters) or per link (pairs). Gives the number of lines.

    `tables` and `sensitive`: for each side its table and the columns to join back. Call check_columns first.
    """
    found = linked(review, outcome)
    shown = [field.name for field in review.policy.fields] if identifying else []
    made = _Lines(review, tables, sensitive, shown)
    if shape == "clusters":
        header = ["person", "table", *shown, *made.columns]
        ids = pseudonyms(len(found.clusters))
        lines = [
            [id_, "ab"[int(review.people.side[record])], *made.identifying(record), *made.joined(record)]
            for id_, cluster in zip(ids, found.clusters, strict=True)
            for record in cluster
        ]
    else:
        header = ["link", *(f"{name}_a" for name in shown), *(f"{name}_b" for name in shown), *made.sided_columns]
        ids = pseudonyms(len(found.pairs))
        lines = [
            [id_, *made.identifying(a), *made.identifying(b), *made.of_side(a, 0), *made.of_side(b, 1)]
            for id_, (a, b) in zip(ids, found.pairs, strict=True)
        ]
    lines.sort(key=lambda line: line[0])  # by random names: the order of the tables does not show
    write_csv(path, header, lines, for_spreadsheet=True, progress=progress)
    return len(lines)


class _Lines:
    def __init__(
        self, review: Review, tables: Sequence[Table], sensitive: Sequence[Sequence[str]], shown: Sequence[str]
    ) -> None:
        self._people = review.people
        self._shown = [review.policy.number(name) for name in shown]
        self._cells = [
            {name: table.column(name) for name in names} for table, names in zip(tables, sensitive, strict=True)
        ]
        self.columns = list(dict.fromkeys(name for names in sensitive for name in names))
        self.sided_columns = [f"{name}_{'ab'[side]}" for side, names in enumerate(sensitive) for name in names]

    def identifying(self, record: int) -> list[str]:
        return [self._people.value(number, record) for number in self._shown]

    def joined(self, record: int) -> list[str]:
        """All sensitive columns of both tables; those of the other table stay empty."""
        cells = self._of(record)
        return [cells.get(name, "") for name in self.columns]

    def of_side(self, record: int, side: int) -> list[str]:
        if side >= len(self._cells):
            return []
        cells = self._of(record)
        return [cells.get(name, "") for name in self._cells[side]]

    def _of(self, record: int) -> dict[str, str]:
        side = int(self._people.side[record])
        if side >= len(self._cells):
            return {}
        row = int(self._people.source[record])
        return {name: column.cell(row) for name, column in self._cells[side].items()}


def check_columns(
    review: Review,
    tables: Sequence[Table],
    sensitive: Sequence[Sequence[str]],
    *,
    identifying: bool,
    permitted: bool,
) -> None:
    """A column that the review shows is identifying, whatever it is asked for as, and needs the permission."""
    names = {field.name for field in review.policy.fields}
    named = [name for columns in sensitive for name in columns if name in names]
    if (identifying or named) and not permitted:
        raise Problem(
            "Identifying fields may not be exported from this review.",
            "The manager has not given the separate permission for it.",
            "Leave them out, or give the permission first ('review permit').",
            place=named[0] if named else "identifying",
        )
    for table, columns in zip(tables, sensitive, strict=True):
        for name in columns:
            table.column(name)  # names the nearest column if there is none of that name


def write_decisions(path: Path, review: Review, outcome: Mapping[str, bool | None], votes: Mapping[str, int]) -> int:
    """The decisions alone, by the random ids of the pairs: no record, no value."""
    words = {True: "same", False: "different", None: "not settled"}
    lines = [
        [pair.id, words[outcome[pair.id]], str(votes.get(pair.id, 0))] for pair in review.pairs if pair.id in outcome
    ]
    write_csv(path, ["pair", "decision", "votes"], lines, for_spreadsheet=True)
    return len(lines)
