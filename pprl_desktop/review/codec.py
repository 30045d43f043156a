"""A review as plain data and arrays, for its sealed files, and back. Shares carry a part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pprl_desktop.records.table import Column
from pprl_desktop.review.plan import Pair, People, Policy, Review, Stratum


def to_plain(review: Review) -> tuple[dict[str, Any], dict[str, Any]]:
    people = review.people
    plain = {
        "id": review.id,
        "title": review.title,
        "policy": review.policy.as_dict(),
        "values": [list(column.values) for column in people.columns],
        "counts": [dict(each) for each in people.counts],
        "pair_ids": [pair.id for pair in review.pairs],
        "scores": [pair.score for pair in review.pairs],
        "bands": [pair.band for pair in review.pairs],
        "strata": [vars(stratum) for stratum in review.strata],
        "own_crowd": review.own_crowd,
    }
    arrays = {
        "codes": np.stack([column.codes for column in people.columns]).astype(np.int32),
        "side": people.side.astype(np.int8),
        "source": people.source.astype(np.int64),
        "pairs": np.array([(pair.a, pair.b) for pair in review.pairs], dtype=np.int64).reshape(-1, 2),
        "settled": np.array(review.settled, dtype=np.int64).reshape(-1, 2),
    }
    return plain, arrays


def from_plain(plain: Mapping[str, Any], arrays: Mapping[str, Any]) -> Review:
    policy = Policy.from_dict(plain["policy"])
    columns = []
    for field, values, codes in zip(policy.fields, plain["values"], arrays["codes"], strict=True):
        distinct = np.empty(len(values), dtype=object)
        distinct[:] = values
        columns.append(Column(field.name, distinct, codes))
    listed = zip(plain["pair_ids"], arrays["pairs"].tolist(), plain["scores"], plain["bands"], strict=True)
    return Review(
        plain["id"],
        plain["title"],
        policy,
        People(tuple(columns), arrays["side"], arrays["source"], tuple(plain["counts"])),
        tuple(Pair(id_, a, b, score, band) for id_, (a, b), score, band in listed),
        tuple(Stratum(**stratum) for stratum in plain["strata"]),
        tuple((a, b) for a, b in arrays["settled"].tolist()),
        plain["own_crowd"],
    )


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
    few = People(columns, people.side[records], nowhere[: len(records)], people.counts)
    moved = tuple(replace(pair, a=at[pair.a], b=at[pair.b]) for pair in pairs)
    return replace(review, id=id_, policy=policy, people=few, pairs=moved, settled=(), strata=(), own_crowd=False)


def _kept(column: Column, records: Any) -> Column:
    """Some rows of a column, with only the values they hold."""
    codes = column.codes[records]
    used, new = np.unique(codes[codes >= 0], return_inverse=True)
    fresh = np.full(len(codes), -1, dtype=np.int32)
    fresh[codes >= 0] = new
    return Column(column.name, column.values[used], fresh)
