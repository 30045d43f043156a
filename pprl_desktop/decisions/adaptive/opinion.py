"""The second opinion: what each view says of the pairs that all other views have picked (ARCHITECTURE 4.5).

A model cannot judge itself. So a view is left out, the pairs are ranked by the rest, and it is counted how often they
agree on the view: agreement = P m + (1 - P) u gives P, the share of counterparts among pairs of that rank, without
believing any weight. It rises with the rank (isotonic regression); the view's own weight comes on top. Of several views
the most doubtful one has the word: whoever is linked must be confirmed by each view that the others did not use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Numbers

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ViewedPairs:
    """Pairs as the views see them."""

    weights: Numbers  # [pairs, views] log likelihood ratios, dependence divided out
    agrees: Flags  # [pairs, views] on the most telling field of the view
    u: Numbers  # [pairs, views] how often strangers agree on it, given the own value
    known: Flags  # [pairs, views] whether both records have it
    foreign: Flags  # [views] whether hardly a value of it occurs on both sides
    whole: int = 0  # so many columns are views, those after them single fields of one; 0: all
    says: Numbers | None = None  # [pairs, views] what the view adds, where that is not the sum of its fields
    met: Flags | None = None  # [pairs, views] whether the own value occurs on the other side; None: all do
    coded: tuple[int, ...] = ()  # views of categories
    between: Callable[[int, int], Numbers] | None = None  # [pairs] what two views say together beyond their sum


@dataclass(frozen=True)
class ViewOpinion:
    """What one view says."""

    view: int
    m: float  # share of the best pairs that agree on it
    found: float  # the same before the floor
    best: float  # pairs that this was counted on
    telling: bool  # whether it was asked: strangers seldom agree on it
    alike: float = 0.0  # share of the best pairs that it speaks for, agreed or not: values with slips
    chance: float = 0.0  # how often strangers with the values of the best pairs agree on it
    silent: bool = False  # counterparts do not agree on it although the others confirm each other: another format


@dataclass(frozen=True, eq=False)
class Opinion:
    log_odds: Numbers  # [pairs], before the competition of other pairs; inf where nobody was asked
    views: tuple[ViewOpinion, ...]  # single fields of a view are not among them

    @property
    def asked(self) -> tuple[ViewOpinion, ...]:
        return tuple(one for one in self.views if one.telling and not one.silent)


@dataclass(frozen=True, eq=False)
class Strangers:
    """Pairs of strangers within a file, on which u is counted."""

    seen: ViewedPairs
    total: Numbers  # [pairs] log odds, as of the pairs between the files
    weight: Numbers  # [pairs] probability that they are strangers


def second_opinion(
    seen: ViewedPairs,
    total: Numbers,
    bar: float,
    matches: float,
    tuning: Tuning,
    strangers: Sequence[Strangers] = (),
    strangers_bar: float = 0.0,
) -> Opinion:
    """`total`: log odds of the pairs, `bar`: below which pairs were not kept, `matches`: as many are expected.

    Strangers who are alike in everything else (of one village, of one culture) agree on a view more often than any two
    people do: how much more is counted among `strangers`, by rank.
    """
    every = tuple(_best(seen, view, total, bar, matches, tuning) for view in range(seen.weights.shape[1]))
    whole = seen.whole or len(every)
    told = _silent(every[:whole], seen, tuning)
    alone = [one for one in every[whole:] if not seen.foreign[one.view]]
    lowest = np.full(len(total), np.inf)
    for one in (*told, *alone):
        if one.telling and not one.silent:
            more = partial(_more_often, strangers, one.view, strangers_bar, tuning)
            says = _asked(seen, one, total, bar, more, tuning)
            lowest = np.minimum(lowest, says if one.view < whole else np.where(seen.known[:, one.view], says, np.inf))
    return Opinion(lowest, told)


def ranked(seen: ViewedPairs, view: int, total: Numbers, bar: float) -> tuple[Numbers, Flags]:
    """The score without the view, and the pairs that were kept whatever the view says."""
    weight, known = seen.weights[:, view], seen.known[:, view]
    rest = total - weight
    differ = known & ~seen.agrees[:, view]
    lost = -float(np.quantile(weight[differ], 0.2)) if differ.sum() > 3 else 4.0
    return rest, known & (rest >= bar + max(lost, 0.0))


def _best(seen: ViewedPairs, view: int, total: Numbers, bar: float, matches: float, tuning: Tuning) -> ViewOpinion:
    rest, fair = ranked(seen, view, total, bar)
    at = np.flatnonzero(fair)
    met = (
        at if seen.met is None else at[seen.met[at, view]]
    )  # nobody agrees on a value that the other side has not, however common it is
    if not len(at) or float(np.median(seen.u[met if len(met) else at, view])) > tuning.telling:
        return ViewOpinion(view, 1.0, 1.0, float(len(at)), False)
    step = np.floor(rest[at] / tuning.opinion_step)
    order = np.argsort(-step, kind="stable")
    wanted = max(int(matches / 3), tuning.opinion_least)
    last = step[order[min(wanted, len(order)) - 1]]
    best = at[step >= last]  # whole steps: pairs of one rank have no order among each other
    sure = tuning.opinion_doubt
    found = (float(seen.agrees[best, view].sum()) + sure * tuning.prior_equal) / (len(best) + sure)
    alike = float((seen.weights[best, view] > tuning.speaks).mean())
    chance = float(seen.u[best, view].mean())
    return ViewOpinion(
        view, float(np.clip(found, tuning.opinion_floor, 0.995)), found, float(len(best)), True, alike, chance
    )


def _silent(told: Sequence[ViewOpinion], seen: ViewedPairs, tuning: Tuning) -> tuple[ViewOpinion, ...]:
    """A view that nobody agrees on while at least two others are agreed on: it is written otherwise on one side.

    Only where its values show it, or where it speaks for the pairs all the same, being full of slips, or where they are
    codes that counterparts have in common no more often than strangers: 0 and 1 on one side, 1 and 2 on the other.
    First names that never agree although both sides have the same ones mean families.
    """
    asked = [one for one in told if one.telling]
    agreed = [one for one in asked if one.found >= tuning.confirmed]
    out = []
    for one in told:
        shown = bool(seen.foreign[one.view]) or one.alike > 0.5
        shown |= one.view in seen.coded and one.found <= one.chance
        quiet = one.telling and shown and one.found < tuning.silent and one.best >= tuning.opinion_least
        others = len([other for other in agreed if other.view != one.view])
        alone = all(other.found >= tuning.confirmed or other.found < tuning.silent for other in asked)
        out.append(replace(one, silent=quiet and others >= 2 and alone))
    return tuple(out)


def _more_often(
    strangers: Sequence[Strangers], view: int, bar: float, tuning: Tuning, low: float, size: int
) -> Numbers:
    """[steps] how many times as often as u says strangers of that rank agree on the view."""
    agree, chance = np.zeros(size), np.zeros(size)
    for file in strangers:
        rest, fair = ranked(file.seen, view, file.total, bar)
        at = np.flatnonzero(fair & (rest >= low))
        bins = np.minimum(((rest[at] - low) / tuning.opinion_step).astype(np.int64), size - 1)
        weight = file.weight[at]
        agree += np.bincount(bins, weight * file.seen.agrees[at, view], minlength=size)
        chance += np.bincount(bins, weight * file.seen.u[at, view], minlength=size)
    wide = tuning.opinion_wide
    agree, chance = (np.convolve(one, np.ones(wide), "full")[wide // 2 :][:size] for one in (agree, chance))
    surely = agree - np.sqrt(agree)  # a handful of pairs may be chance
    return np.asarray(np.maximum((surely + 0.5) / (chance + 0.5), 1.0))


def _asked(
    seen: ViewedPairs,
    one: ViewOpinion,
    total: Numbers,
    bar: float,
    more: Callable[[float, int], Numbers],
    tuning: Tuning,
) -> Numbers:
    rest, fair = ranked(seen, one.view, total, bar)
    at = np.flatnonzero(fair)
    low = float(rest[at].min())
    step = tuning.opinion_step
    bins = np.minimum(((rest[at] - low) / step).astype(np.int64), int(80 / step))
    size = int(bins.max()) + 1
    u = np.minimum(seen.u[at, one.view] * more(low, size)[bins], one.m - 0.05)
    beyond = np.bincount(bins, seen.agrees[at, one.view] - u, minlength=size).astype(np.float64)
    room = np.bincount(bins, one.m - u, minlength=size).astype(np.float64)
    middle = low + step * (np.arange(size, dtype=np.float64) + 0.5)
    share = confirmed(beyond, room, 1.0 / (1.0 + np.exp(-np.clip(middle, -40, 40))), tuning)
    adds = seen.weights if seen.says is None else seen.says
    return by_rank(rest, middle, share) + adds[:, one.view]


def by_step(ratios: Numbers, weight: Numbers, low: float, size: int, tuning: Tuning) -> Numbers:
    """[steps] how many pairs have such ratios; the last step holds all beyond it."""
    here = np.flatnonzero(ratios >= low)
    there = np.minimum(((ratios[here] - low) / tuning.opinion_step).astype(np.int64), size - 1)
    return np.asarray(np.bincount(there, weight[here], minlength=size), dtype=np.float64)


def left_by_strangers(
    ratio: Numbers, weight: Numbers, low: float, strangers: Callable[[int], Numbers], prior: float, tuning: Tuning
) -> Numbers:
    """Log odds of pairs by their ratio alone: of all that reach it, `strangers` [steps] are no counterparts.

    `weight` [pairs]: whether the pair is one of those that are meant by all.
    """
    if not (ratio >= low).any():
        return np.full(len(ratio), np.inf)
    size = int((float(ratio.max()) - low) / tuning.opinion_step) + 1
    across = by_step(ratio, weight, low, size, tuning)
    middle = low + tuning.opinion_step * (np.arange(size, dtype=np.float64) + 0.5)
    believed = 1.0 / (1.0 + np.exp(-np.clip(middle + prior, -40, 40)))
    return by_rank(ratio, middle, confirmed(across - strangers(size), across, believed, tuning), prior)


def by_rank(rank: Numbers, middle: Numbers, share: Numbers, prior: float = 0.0) -> Numbers:
    """Log odds of each rank from the share of each step.

    Below the first step nobody could be counted, in a small file because all who have the view rank higher: pairs there
    are believed as the weights do (rank and `prior`), but no more than those of the first step.
    """
    share = np.clip(share, 1e-12, 1.0 - 1e-12)
    odds = np.log(share) - np.log1p(-share)
    return np.asarray(np.where(rank < middle[0], np.minimum(odds[0], rank + prior), np.interp(rank, middle, odds)))


def confirmed(beyond: Numbers, room: Numbers, believed: Numbers, tuning: Tuning) -> Numbers:
    """The share of counterparts by rank: rising, `beyond` out of `room`; as `believed` where nothing speaks against it.

    Pool adjacent violators (Ayer et al. 1955) on steps of the rank; a step without pairs goes with its neighbours. What
    chance may have taken away is given back, because of several views the lowest counts; and a few pairs worth of trust
    stay with the weights.
    """
    blocks: list[list[float]] = []  # beyond, room, steps
    for x, y in zip(beyond.tolist(), room.tolist(), strict=True):
        blocks.append([x, y, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    counts = np.array([int(block[2]) for block in blocks])
    x, y = (np.repeat([block[place] for block in blocks], counts) for place in (0, 1))
    pairs = np.maximum(y, 1e-9)
    share = np.clip(x / pairs, 0.0, 1.0)
    chance = np.sqrt((share * (1 - share) + 0.25 / np.maximum(pairs, 1.0)) / np.maximum(pairs, 1.0))
    share = np.minimum(share + tuning.opinion_sigma * chance, 1.0)
    doubt = tuning.opinion_doubt
    share = np.where(share >= 1.0, np.maximum(believed, 0.5), (share * y + doubt * believed) / (y + doubt))
    return np.asarray(np.maximum.accumulate(share))
