"""Where the pairs of a review come from: two tables and a list of pairs, or the review band of a match."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import ACCEPT, BAND_NAMES, REJECT, REVIEW, Match
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import Field
from pprl_desktop.records.roles import role
from pprl_desktop.records.table import CleanTable, Column, Table
from pprl_desktop.review.plan import TYPE_OF_KIND, Pair, People, Policy, Review, ReviewField, Stratum
from pprl_desktop.said import Said

PARTS = 4  # strata of equal size that the review band is cut into
_COMPACT_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)")


@dataclass(frozen=True)
class Listed:
    """A pair as a list names it: rows of the two tables."""

    a: int
    b: int
    score: float | None = None
    band: str = "review"


def review_fields(fields: Sequence[Field]) -> tuple[ReviewField, ...]:
    """The agreed fields as a review shows them; names show how common they are."""
    return tuple(ReviewField(f.name, TYPE_OF_KIND[f.kind], frequency=f.kind == "name") for f in fields)


def name_swaps(names: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """First and last name, where the names of the fields tell which is which."""
    first = [name for name in names if role(name) == "first"]
    last = [name for name in names if role(name) == "last"]
    return ((first[0], last[0]),) if len(first) == len(last) == 1 and first != last else ()


def from_tables(
    a: CleanTable,
    b: CleanTable,
    pairs: Sequence[Listed],
    policy: Policy,
    title: str = "",
    strata: Sequence[Stratum] = (),
    settled: Sequence[tuple[int, int]] = (),
) -> Review:
    """Two tables held by one steward. Every record of both is part of the crowd that k counts."""
    for pair in pairs:
        if not (0 <= pair.a < a.rows and 0 <= pair.b < b.rows):
            raise Problem(
                "A pair names a row that is not in its table.",
                "The list belongs to other tables.",
                "Use the list made for these tables.",
                place="pairs",
            )
    columns = tuple(_joined(field, a.column(field.name), b.column(field.name)) for field in policy.fields)
    side = np.repeat(np.array([0, 1], dtype=np.int8), [a.rows, b.rows])
    source = np.concatenate([np.arange(a.rows, dtype=np.int64), np.arange(b.rows, dtype=np.int64)])
    ids = random_ids(len(pairs))
    made = tuple(Pair(i, p.a, a.rows + p.b, p.score, p.band) for i, p in zip(ids, pairs, strict=True))
    moved = tuple((int(x), a.rows + int(y)) for x, y in settled)
    found = tuple(strata) or default_strata(made)
    return Review(secrets.token_hex(8), title, policy, People(columns, side, source), made, found, moved)


def from_match(
    match: Match, own: CleanTable, partner: CleanTable, policy: Policy, title: str = "", audit: int = 0, seed: int = 0
) -> Review:
    """The review band of a match over two tables at hand. `audit`: pairs drawn from the other bands as well.

    Without an audit the errors among accepted and rejected pairs cannot be estimated, and the estimates say so.
    """
    pairs, settled = _banded(match, audit, seed)
    return from_tables(own, partner, pairs, policy, title, match_strata(match), settled)


def from_duplicates(
    match: Match, table: CleanTable, policy: Policy, title: str = "", audit: int = 0, seed: int = 0
) -> Review:
    """The uncertain pairs within one table. All of its records are the crowd that k counts, each once."""
    pairs, settled = _banded(match, audit, seed)
    columns = tuple(_readable(field, table.column(field.name)) for field in policy.fields)
    people = People(columns, np.zeros(table.rows, np.int8), np.arange(table.rows, dtype=np.int64))
    ids = random_ids(len(pairs))
    made = tuple(Pair(i, p.a, p.b, p.score, p.band) for i, p in zip(ids, pairs, strict=True))
    return Review(secrets.token_hex(8), title, policy, people, made, match_strata(match), tuple(settled))


def _banded(match: Match, audit: int, seed: int) -> tuple[list[Listed], list[tuple[int, int]]]:
    """The review band with some pairs of the other bands, and the accepted pairs."""
    scored = match.scored
    chosen = list(match.to_review())
    source = np.random.default_rng(seed)
    for band in (ACCEPT, REJECT):
        rows = np.flatnonzero(match.band == band)
        chosen += list(source.choice(rows, min(audit, len(rows)), replace=False))
    pairs = [
        Listed(int(scored.own[i]), int(scored.partner[i]), float(scored.score[i]), BAND_NAMES[int(match.band[i])])
        for i in chosen
    ]
    accepted = match.accepted()
    return pairs, list(zip(scored.own[accepted].tolist(), scored.partner[accepted].tolist(), strict=True))


def match_strata(match: Match) -> tuple[Stratum, ...]:
    """Rejected, review band in parts of equal size, accepted: each with the number of pairs that lie in it."""
    score = np.asarray(match.scored.score, dtype=np.float64)
    found = []
    for band in (REJECT, REVIEW, ACCEPT):
        inside = np.sort(score[match.band == band])
        parts = np.array_split(inside, PARTS if band == REVIEW else 1)
        for part in (part for part in parts if len(part)):
            name = BAND_NAMES[band]
            low, high = float(part[0]), float(part[-1])
            found.append(Stratum(f"{name} {low:.3g} to {high:.3g}", low, high, len(part), band == ACCEPT))
    return tuple(found)


def default_strata(pairs: Sequence[Pair]) -> tuple[Stratum, ...]:
    """Without a match to refer to, the listed pairs are all there is: one stratum per band."""
    found = []
    for band in dict.fromkeys(pair.band for pair in pairs):
        scores = [pair.score for pair in pairs if pair.band == band and pair.score is not None]
        count = sum(pair.band == band for pair in pairs)
        low, high = (min(scores), max(scores)) if scores else (0.0, 0.0)
        found.append(Stratum(band, low, high, count, band == "accept"))
    return tuple(found)


def read_pairs(table: Table, ids_a: Column, ids_b: Column) -> tuple[Listed, ...]:
    """A list of pairs: columns id_a, id_b (or the first two), and score and band if there are such columns."""
    lower = {name.casefold(): name for name in table.names}
    if len(table.names) < 2:
        raise Problem("The list of pairs needs two columns of record ids.", do="Give id_a and id_b.", place="pairs")
    first = table.column(lower.get("id_a", table.names[0])).cells()
    second = table.column(lower.get("id_b", table.names[1])).cells()
    scores = table.column(lower["score"]).cells() if "score" in lower else [""] * table.rows
    bands = table.column(lower["band"]).cells() if "band" in lower else ["review"] * table.rows
    rows_a, rows_b = _row_of(ids_a, Said("first")), _row_of(ids_b, Said("second"))
    found = []
    for line, (a, b, score, band) in enumerate(zip(first, second, scores, bands, strict=True), start=2):
        for id_, rows, which in ((a, rows_a, Said("first")), (b, rows_b, Said("second"))):
            if id_ not in rows:
                raise Problem(
                    Said(
                        "Line {line} of the list of pairs names a record that is not in the {which} table.",
                        line=line,
                        which=which,
                    ),
                    "The ids do not fit together.",
                    "Check the id column and that the list belongs to these tables.",
                    place="pairs",
                )
        found.append(Listed(rows_a[a], rows_b[b], _number(score, line), band or "review"))
    return tuple(found)


def _row_of(ids: Column, which: Said) -> dict[str, int]:
    rows = {id_: row for row, id_ in enumerate(ids.cells())}
    if len(rows) < len(ids):
        raise Problem(
            Said("The ids of the {which} table are not unique.", which=which),
            "A pair could mean several records.",
            "Choose the column that names each record once.",
            place="id",
        )
    return rows


def _number(text: str, line: int) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text)
    except ValueError:
        raise Problem(
            Said("The score in line {line} of the list of pairs is not a number.", line=line),
            do="Correct it.",
            place="score",
        ) from None


def random_ids(count: int) -> list[str]:
    """Short random names for pairs; they say nothing about the records or their order."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[secrets.token_hex(4)] = None
    return list(found)


def _joined(field: ReviewField, a: Column, b: Column) -> Column:
    """Both sides under one coding."""
    code = {value: i for i, value in enumerate(a.values)}
    to_code: npt.NDArray[Any] = np.array([code.setdefault(v, len(code)) for v in b.values] + [-1], dtype=np.int32)
    values = np.empty(len(code), dtype=object)
    values[:] = [readable_date(v) for v in code] if field.type == "date" else list(code)
    return Column(field.name, values, np.concatenate([a.codes, to_code[b.codes]]).astype(np.int32))


def _readable(field: ReviewField, column: Column) -> Column:
    """As a reviewer reads it; the coding stays."""
    if field.type != "date":
        return column
    values = np.empty(len(column.values), dtype=object)
    values[:] = [readable_date(str(value)) for value in column.values]
    return Column(column.name, values, column.codes)


def readable_date(text: str) -> str:
    """19640809, as cleaning leaves it, is easier to compare as 1964-08-09."""
    found = _COMPACT_DATE.fullmatch(text)
    return "-".join(found.groups()) if found else text


def with_counts(review: Review, counts: Mapping[str, Mapping[str, int]]) -> Review:
    """Imported frequencies of values instead of those counted in the data set."""
    from dataclasses import replace

    per_field = tuple(dict(counts.get(field.name, {})) for field in review.policy.fields)
    return replace(review, people=replace(review.people, counts=per_field))
