"""A review as plain data and arrays, for its sealed files, and back, with every part checked. Shares carry a part."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields as fields_of
from dataclasses import replace
from typing import Any

import numpy as np

from pprl_desktop.exchange import strict
from pprl_desktop.exchange.container import Array
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Column
from pprl_desktop.review.ledger import SHAPES
from pprl_desktop.review.plan import CAPS, ORDERS, TYPES, Pair, People, Policy, Review, Stratum
from pprl_desktop.said import Said

MOST_FIELDS = 64
LONGEST_CELL = 300  # characters that two values are aligned over; it takes a quarter of a second
LONGEST_RECORD = 2000  # of all fields together
LONGEST_TEXT = 1000  # characters of a title or an id
LONGEST_VALUE = 100_000  # characters of a value of a record
MOST = 1 << 40  # of a count
_SHARE = re.compile(r"\d{1,40}(/\d{1,40})?")  # an exact fraction, as written


def to_plain(review: Review) -> tuple[dict[str, Any], dict[str, Array]]:
    people = review.people
    plain = {
        "id": review.id,
        "title": review.title,
        "policy": review.policy.as_dict(),
        "counts": [dict(each) for each in people.counts],
        "pair_ids": [pair.id for pair in review.pairs],
        "bands": [pair.band for pair in review.pairs],
        "strata": [vars(stratum) for stratum in review.strata],
        "own_crowd": review.own_crowd,
    }
    scores = np.array([math.nan if pair.score is None else pair.score for pair in review.pairs], dtype=np.float64)
    arrays: dict[str, Array] = {
        "codes": np.stack([column.codes for column in people.columns], axis=1).astype(np.int32),
        "side": people.side.astype(np.uint8),
        "source": people.source.astype(np.int64),
        "pairs": np.array([(pair.a, pair.b) for pair in review.pairs], dtype=np.int64).reshape(-1, 2),
        "scores": scores.view(np.uint64),
        "settled": np.array(review.settled, dtype=np.int64).reshape(-1, 2),
    }
    for number, column in enumerate(people.columns):
        texts = [str(value).encode("utf-8") for value in column.values]
        arrays[f"v{number}.text"] = np.frombuffer(b"".join(texts), dtype=np.uint8)
        arrays[f"v{number}.ends"] = np.cumsum([len(text) for text in texts], dtype=np.int64)
    return plain, arrays


def from_plain(plain: Mapping[str, Any], arrays: Mapping[str, Array]) -> Review:
    """Any of several errors where the content is not a review; whoever reads a file puts well_formed() around it."""
    policy = _policy(plain["policy"])
    if "values" in plain:  # the first version
        codes, scores = arrays["codes"].T, [None if one is None else float(one) for one in plain["scores"]]
        values = [_distinct(listed) for listed in plain["values"]]
    else:
        codes = arrays["codes"]
        scores = [None if math.isnan(one) else one for one in arrays["scores"].view(np.float64).tolist()]
        values = [_texts(arrays[f"v{n}.text"], arrays[f"v{n}.ends"]) for n in range(len(policy.fields))]
    records = len(arrays["side"])
    if codes.shape != (records, len(policy.fields)) or len(values) != len(policy.fields):
        raise ValueError("records")
    columns = tuple(
        Column(field.name, distinct, _codes(codes[:, at], len(distinct)))
        for at, (field, distinct) in enumerate(zip(policy.fields, values, strict=True))
    )
    people = People(columns, _side(arrays["side"]), _long(arrays["source"], records), _counts(plain["counts"], policy))
    pairs = _record_pairs(arrays["pairs"], records)
    listed = zip(plain["pair_ids"], pairs, scores, plain["bands"], strict=True)
    made = tuple(Pair(_shaped("pair", id_), a, b, _finite(score), _text(band)) for id_, (a, b), score, band in listed)
    if len({pair.id for pair in made}) != len(made):
        raise ValueError("pairs")
    return Review(
        _text(plain["id"]),
        _text(plain["title"]),
        policy,
        people,
        made,
        tuple(_stratum(each) for each in _listed(plain["strata"])),
        tuple(_record_pairs(arrays["settled"], records)),
        bool(plain["own_crowd"]),
    )


def must_be_reviewable(review: Review) -> Review:
    """Values that can be shown side by side within a moment; a review with longer ones is not made and not opened."""
    longest = [max(map(len, column.values), default=0) for column in review.people.columns]
    for field, length in zip(review.policy.fields, longest, strict=True):
        if length > LONGEST_CELL:
            raise Problem(
                Said("A value of '{name}' is too long for a review.", name=field.name),
                Said(
                    "It has {length} characters; {longest_cell} can be compared.",
                    length=length,
                    longest_cell=LONGEST_CELL,
                ),
                "Leave this field out of the review.",
                place=field.name,
            )
    if sum(longest) > LONGEST_RECORD or len(longest) > MOST_FIELDS:
        raise Problem(
            "The records are too long for a review.",
            Said(
                "Up to {longest_record} characters in {most_fields} fields can be compared.",
                longest_record=LONGEST_RECORD,
                most_fields=MOST_FIELDS,
            ),
            "Leave the longest fields out.",
            place="fields",
        )
    return review


def _policy(plain: Any) -> Policy:
    """Every choice of the manager within its range, before exact fractions are made of any text."""
    if not isinstance(plain, dict) or set(plain) != {one.name for one in fields_of(Policy)}:
        raise ValueError("policy")
    listed = _listed(plain["fields"])
    if len(listed) > MOST_FIELDS:
        raise ValueError("fields")
    for each in listed:
        strict.one_of(each, "type", TYPES)
        strict.one_of(each, "cap", CAPS)
        _text(each["name"])
        if each["limit"] is not None:
            _share(each["limit"])
        if not isinstance(each["frequency"], bool):
            raise TypeError("frequency")
    for name in ("reviewer_budget", "review_budget", "pair_budget"):
        _share(plain[name])
    strict.integer(plain, "kappa", 1, MOST)
    strict.one_of(plain, "start", ("masked", "partial", "full"))
    strict.one_of(plain, "date_swap", ("elements", "digits"))
    strict.one_of(plain, "order", ORDERS)
    _text(plain["order_field"])
    if not isinstance(plain["blind"], bool) or len(_listed(plain["name_swaps"])) > MOST_FIELDS:
        raise TypeError("policy")
    return Policy.from_dict(plain)


def _share(value: Any) -> None:
    if not isinstance(value, str) or not _SHARE.fullmatch(value):
        raise ValueError("share")


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not value.isprintable():
        raise ValueError("text")
    return value


def _shaped(shape: str, value: Any) -> str:
    if not isinstance(value, str) or not SHAPES[shape].fullmatch(value):
        raise ValueError(shape)
    return value


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("list")
    return value


def _finite(value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise ValueError("score")
    return value


def _distinct(listed: Any) -> Any:
    values = np.empty(len(_listed(listed)), dtype=object)
    values[:] = listed
    return _checked_values(values)


def _texts(text: Array, ends: Array) -> Any:
    if text.dtype != np.uint8 or text.ndim != 1 or ends.dtype != np.int64 or ends.ndim != 1:
        raise TypeError("values")
    if (int(ends[-1]) if len(ends) else 0) != text.size or (np.diff(ends, prepend=0) <= 0).any():
        raise ValueError("values")
    data, starts = text.tobytes(), np.append(0, ends[:-1]).tolist() if len(ends) else []
    values = np.empty(len(ends), dtype=object)
    values[:] = [data[start:end].decode("utf-8") for start, end in zip(starts, ends.tolist(), strict=True)]
    return _checked_values(values)


def _checked_values(values: Any) -> Any:
    if not all(isinstance(value, str) and 0 < len(value) <= LONGEST_VALUE for value in values):
        raise ValueError("values")
    if len(set(values)) != len(values):
        raise ValueError("values")
    return values


def _codes(codes: Array, values: int) -> Any:
    if codes.dtype != np.int32 or (len(codes) and not -1 <= int(codes.min()) <= int(codes.max()) < values):
        raise ValueError("codes")
    return np.ascontiguousarray(codes)


def _side(side: Array) -> Any:
    if side.ndim != 1 or side.dtype not in (np.int8, np.uint8) or not np.isin(side, (0, 1)).all():
        raise ValueError("side")
    return side.astype(np.int8)


def _long(array: Array, length: int) -> Any:
    if array.dtype != np.int64 or array.shape != (length,):
        raise ValueError("source")
    return array


def _record_pairs(array: Array, records: int) -> list[tuple[int, int]]:
    if array.dtype != np.int64 or array.ndim != 2 or array.shape[1] != 2:
        raise ValueError("pairs")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < records:
        raise ValueError("pairs")
    return [(int(a), int(b)) for a, b in array.tolist()]


def _counts(listed: Any, policy: Policy) -> tuple[dict[str, int], ...]:
    found = _listed(listed)
    if len(found) not in (0, len(policy.fields)):
        raise ValueError("counts")
    for each in found:
        if not all(isinstance(count, int) and 0 <= count <= MOST for count in each.values()):
            raise ValueError("counts")
    return tuple(dict(each) for each in found)


def _stratum(plain: Any) -> Stratum:
    made = Stratum(
        _text(plain["name"]), float(plain["low"]), float(plain["high"]), int(plain["population"]),
        bool(plain["accepted"]),
    )  # fmt: skip
    if not (math.isfinite(made.low) and math.isfinite(made.high) and 0 <= made.population <= MOST):
        raise ValueError("stratum")
    return made


def part_of(review: Review, pair_ids: Sequence[str], policy: Policy, id_: str, *, whole_crowd: bool) -> Review:
    """The share of a reviewer: some pairs; all records as the crowd, or only those of its pairs.

    With the pairs' own records alone the reviewer's file holds nobody else, and k only overstates the risk.
    The rows of the source tables stay with the manager either way.
    """
    wanted = set(pair_ids)
    pairs = tuple(pair for pair in review.pairs if pair.id in wanted)
    people = review.people
    nowhere = np.full(len(people), -1, dtype=np.int64)
    if whole_crowd:
        shown = replace(people, source=nowhere)
        return replace(review, id=id_, policy=policy, people=shown, pairs=pairs, settled=(), strata=())
    records = sorted({record for pair in pairs for record in (pair.a, pair.b)})
    at = {record: i for i, record in enumerate(records)}
    columns = tuple(_kept(column, np.array(records, dtype=np.int64)) for column in people.columns)
    few = People(columns, people.side[records], nowhere[: len(records)], _held(people.counts, columns))
    moved = tuple(replace(pair, a=at[pair.a], b=at[pair.b]) for pair in pairs)
    return replace(review, id=id_, policy=policy, people=few, pairs=moved, settled=(), strata=(), own_crowd=False)


def _kept(column: Column, records: Any) -> Column:
    """Some rows of a column, with only the values they hold."""
    codes = column.codes[records]
    used, new = np.unique(codes[codes >= 0], return_inverse=True)
    fresh = np.full(len(codes), -1, dtype=np.int32)
    fresh[codes >= 0] = new
    return Column(column.name, column.values[used], fresh)


def _held(counts: Sequence[Mapping[str, int]], columns: Sequence[Column]) -> tuple[dict[str, int], ...]:
    """Frequencies of the values at hand: the others are names of people who are not in the share."""
    return tuple(
        {value: each[value] for value in column.values if value in each}
        for each, column in zip(counts, columns, strict=False)  # no counts were imported, or one list per field
    )
