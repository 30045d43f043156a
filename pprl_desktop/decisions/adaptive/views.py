"""Views: fields that go together are one source, and left out together (opinion.py).

Strangers agree on them together (a zip code takes the town along), or counterparts change them together: whoever moves
has a new street, a new zip code and a new town, though no two strangers need share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.adaptive.dependence import Edge, corrections, next_to_nothing
from pprl_desktop.decisions.adaptive.levels import (
    EQUAL,
    INITIAL,
    LEVELS,
    MISSING,
    NEAR,
    SHIFTED,
    WORD,
    FieldLevels,
    Levels,
)
from pprl_desktop.decisions.adaptive.opinion import ViewedPairs
from pprl_desktop.decisions.adaptive.patterns import Patterns
from pprl_desktop.decisions.adaptive.strangers import People
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Numbers, Rows

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Views = tuple[tuple[int, ...], ...]  # fields of each


def views(edges: Sequence[Edge], fields: int, tuning: Tuning, changed: Sequence[tuple[int, int]] = ()) -> Views:
    """Fields joined by lifts that are too strong to leave one of them out alone, and those that are `changed` together.

    These, strongest first, as long as enough views are left to ask.
    """
    of = list(range(fields))
    joined = [(edge.first, edge.second) for edge in edges if edge.overall > tuning.one_view]
    for first, second in (*joined, *changed):
        kept, gone = of[first], of[second]
        if (first, second) in joined or len(set(of)) > tuning.views_left:
            of = [kept if one == gone else one for one in of]
    return tuple(tuple(f for f in range(fields) if of[f] == one) for one in sorted(set(of)))


def changed_together(
    levels: Levels, evidence: Floats, probability: Numbers, prior: float, tuning: Tuning
) -> tuple[tuple[int, int], ...]:
    """Pairs of fields that counterparts change together, strongest first.

    levels, evidence   [pairs, fields] evidence NaN or 0 where missing
    probability        [pairs] of being counterparts

    Asked of pairs that the other fields alone make certain: where one of the two differs, the other agrees seldom. Left
    in, it would rank whoever has moved among strangers, and find there that nobody agrees on the address.
    """
    believed = np.flatnonzero(probability >= 0.5)
    levels, says = levels[believed], np.nan_to_num(evidence[believed].astype(np.float64))
    agree, known, total = agreeing(tuning)[levels], levels < INITIAL, says.sum(axis=1) + prior
    found = []
    for first in range(levels.shape[1]):
        for second in range(first + 1, levels.shape[1]):
            sure = total - says[:, first] - says[:, second] >= tuning.certain
            at = np.flatnonzero(known[:, first] & known[:, second] & sure)
            least = min(
                _kept_share(agree[at, one], agree[at, other], tuning)
                for one, other in ((first, second), (second, first))
            )
            if least < tuning.changed_share:
                found.append((least, first, second))
    return tuple((first, second) for _, first, second in sorted(found))


def _kept_share(one: Flags, other: Flags, tuning: Tuning) -> float:
    """How often the other field agrees where the one differs, to how often it does where the one agrees; at most."""
    differ, sure = other[~one], tuning.opinion_doubt
    if len(differ) < 2 or not other[one].any():
        return 1.0
    usual = (float(other[one].sum()) + sure * tuning.prior_equal) / (int(one.sum()) + sure)
    luck = tuning.lift_sigma * (usual * (1 - usual) / len(differ)) ** 0.5
    kept = float(differ.mean())
    return kept / usual if kept < usual - luck else 1.0


def composed(files: Sequence[Sequence[Edge]], sampled: Sequence[Patterns], tuning: Tuning) -> tuple[int, ...]:
    """Fields that are made of several others, which have little to do with each other: a full name, an address line.

    They would join in one view what are several, and say again what those say. In all `files` alike, or not at all.
    `sampled`: how random pairs within each file look. Whoever agrees on the whole agrees on its parts: a last
    name goes along with the name at birth and, in families, with the street, but is made of neither.
    """
    fields = sampled[0].levels.shape[1]
    lifts = np.full((fields, fields), np.inf)
    for edges in files:
        here = np.ones((fields, fields))
        for edge in edges:
            here[edge.first, edge.second] = here[edge.second, edge.first] = edge.overall
        lifts = np.minimum(lifts, here)
    made: list[int] = []
    for f in np.argsort(-lifts.sum(axis=1)).tolist():
        parts = [
            g
            for g in range(fields)
            if g != f and g not in made and lifts[f, g] > tuning.one_view and _goes_along(sampled, f, g, tuning)
        ]
        if any(
            lifts[g, h] < tuning.apart_parts * min(lifts[f, g], lifts[f, h]) for g in parts for h in parts if g != h
        ):
            made.append(f)
    return tuple(sorted(made))


def _goes_along(files: Sequence[Patterns], whole: int, part: int, tuning: Tuning) -> bool:
    """Whether strangers who agree on the whole agree on the part, in every file; where hardly any do, it may be so."""
    for one in files:
        known = one.some((one.levels[:, whole] == EQUAL) & (one.levels[:, part] != MISSING))
        along = known.some(known.levels[:, part] == EQUAL).pairs
        if known.pairs >= tuning.same_seen and along < tuning.same_share * known.pairs:
            return False
    return True


def said_twice(files: Sequence[Patterns], tuning: Tuning) -> tuple[int, ...]:
    """Fields on which strangers of every file agree just when they agree on an earlier one: they say nothing new.

    `files`: how random pairs within each file look.
    """
    fields = files[0].levels.shape[1]
    made: list[int] = []
    strangers = [one.some(~next_to_nothing(one.levels, tuning)) for one in files]
    for g in range(fields):
        for f in (f for f in range(g) if f not in made):
            both, either = (
                [one.some(how(one.levels[:, f] == EQUAL, one.levels[:, g] == EQUAL)).pairs for one in strangers]
                for how in (np.logical_and, np.logical_or)
            )
            if all(n >= tuning.same_seen and m >= tuning.same_share * n for m, n in zip(both, either, strict=True)):
                made.append(g)
                break
    return tuple(made)


def agreeing(tuning: Tuning) -> npt.NDArray[np.bool_]:
    """[level codes] which levels are agreement: equal, or as similar as strangers hardly ever are."""
    made = np.zeros(MISSING + 1, dtype=np.bool_)
    made[[EQUAL, WORD, SHIFTED]] = True
    for place, quantile in enumerate(tuning.quantiles):
        made[NEAR + place] = quantile <= tuning.agreeing
    return made


def given_the_others(
    fields: Sequence[FieldLevels], found: Views, edges: Sequence[Edge], u: Numbers
) -> dict[int, float]:
    """Of each date within a view of several fields: how often strangers agree on it who agree on another of these."""
    made: dict[int, float] = {}
    for members in found:
        for f in members if len(members) > 1 else ():
            if not _lasting(fields[f]):
                continue
            lifts = [
                float(edge.lift[EQUAL, EQUAL])
                for edge in edges
                if f in (edge.first, edge.second) and {edge.first, edge.second} <= set(members)
            ]
            made[f] = min(float(u[f, EQUAL]) * max(lifts, default=1.0), 1.0)
    return made


@dataclass(frozen=True, eq=False)
class Weighed:
    """Pairs with what each field says of them."""

    own: Rows
    levels: Levels  # [pairs, fields]
    log_u: Sequence[Floats]  # by own value and level, per field
    evidence: Floats  # [pairs, fields] log likelihood ratios, the lifts divided out
    lifts: Floats  # [pairs, fields] log of what dependent fields say twice
    among: Sequence[FieldLevels]  # where they were counted,
    rows: Rows  # with these rows there for the own ones,
    people: People | None = None  # and these people


def seen(
    fields: Sequence[FieldLevels],
    found: Views,
    edges: Sequence[Edge],
    u: Numbers,
    pairs: Weighed,
    tuning: Tuning,
) -> ViewedPairs:
    """Pairs as the views see them.

    A view agrees where its most telling field does; an initial says too little to be asked about. After the views come
    dates that are one of several fields of a view, each asked alone: twins make last name and date of birth one view,
    and only the date tells father and son of one name apart. Strangers who agree on the rest of the view may well agree
    on it; and where nothing else of the view agrees, it is not asked.
    """
    own, levels, of = pairs.own, pairs.levels, agreeing(tuning)
    near = np.flatnonzero(of[:LEVELS] & (np.arange(LEVELS) != EQUAL))
    given = given_the_others(fields, found, edges, u)
    columns = [*found, *((f,) for f in given)]
    besides = [_agree_besides(of[levels], members, f) for members in found for f in members if f in given]
    weights, against, worst = (np.zeros((len(own), len(columns))) for _ in range(3))
    chance = np.full((len(own), len(columns)), 2.0)
    agrees, known, met = (np.zeros((len(own), len(columns)), dtype=np.bool_) for _ in range(3))
    for view, members in enumerate(columns):
        if view < len(found) or given[members[0]] <= tuning.telling:
            weights[:, view] += _in_common(pairs, members, edges, tuning)
        for f in members:
            alone = np.nan_to_num(pairs.evidence[:, f])
            weights[:, view] += alone
            against[:, view] += np.minimum(alone, 0.0)
            worst[:, view] = np.minimum(worst[:, view], alone)
            at = np.flatnonzero(levels[:, f] < INITIAL)
            if view >= len(found):
                at = at[besides[view - len(found)][at]]
            code = fields[f].own.codes[own[at]]
            equal = np.exp(pairs.log_u[f][code, EQUAL])
            there = fields[f].equal_to[code] >= 0 if fields[f].exact else np.ones(len(code), dtype=np.bool_)
            equal = np.where(there, equal, 0.0)
            least = given[f] if view >= len(found) else 0.0
            share = np.minimum(np.maximum(equal, least) + float(u[f, near].sum()), 0.95)
            more = share < chance[at, view]
            at, share, there = at[more], share[more], there[more]
            chance[at, view], agrees[at, view], known[at, view] = share, of[levels[at, f]], True
            met[at, view] = there
    foreign = np.array([all(_foreign(fields[f], tuning) for f in members) for members in columns], dtype=np.bool_)
    coded = tuple(
        view for view, members in enumerate(columns) if all(fields[f].comparison.kind == "category" for f in members)
    )
    says = weights - against + worst  # who has moved has moved once, however many fields tell it
    between = partial(_between, pairs, columns, edges, tuning)
    return ViewedPairs(weights, agrees, np.minimum(chance, 1.0), known, foreign, len(found), says, met, coded, between)


def _in_common(pairs: Weighed, members: Sequence[int], edges: Sequence[Edge], tuning: Tuning) -> Numbers:
    """[pairs] what goes with these fields besides what is charged to them: the lifts of others that they explain.

    What two fields have in common is charged to one of them. If the other is left out, nothing is said twice any more:
    pairs that agree on it would rank lower for that than pairs that do not.
    """
    made = np.zeros(len(pairs.own))
    left = [edge for edge in edges if edge.first not in members and edge.second not in members]
    if len(left) < len(edges):
        at = np.flatnonzero(pairs.lifts.any(axis=1))
        others = corrections(pairs.among, left, pairs.rows[at], pairs.levels[at], tuning, pairs.people)
        charged = pairs.lifts[at]
        made[at] = charged[:, list(members)].sum(axis=1) - charged.sum(axis=1) + others.sum(axis=1)
    return made


def _between(
    pairs: Weighed, columns: Sequence[Sequence[int]], edges: Sequence[Edge], tuning: Tuning, first: int, second: int
) -> Numbers:
    """[pairs] what goes with two views together besides what goes with each, where they have something in common."""
    a, b = (set(columns[view]) for view in (first, second))
    if not any(len({edge.first, edge.second} & a) == len({edge.first, edge.second} & b) == 1 for edge in edges):
        return np.zeros(len(pairs.own))
    both, *alone = (_in_common(pairs, sorted(members), edges, tuning) for members in (a | b, a, b))
    return both - alone[0] - alone[1]


def _agree_besides(agree: Flags, members: Sequence[int], f: int) -> Flags:
    """[pairs] whether they agree on another field of the view; `agree` [pairs, fields]."""
    return np.asarray(agree[:, [g for g in members if g != f]].any(axis=1))


def _lasting(one: FieldLevels) -> bool:
    """Whether the field stays as it is all life long; of those that tell people apart, a date of birth does."""
    return one.comparison.kind == "date"


def _foreign(one: FieldLevels, tuning: Tuning) -> bool:
    """Whether hardly a record of one of the sides has a value that the other side has too."""
    if not one.exact or not one.own.present or not one.partner.present:
        return False
    there = np.flatnonzero(one.equal_to >= 0)
    own, partner = one.own.counts[there].sum(), one.partner.counts[one.equal_to[there]].sum()
    return min(float(own) / one.own.present, float(partner) / one.partner.present) < tuning.foreign
