"""How far the figures of a match can be believed: the second opinion on it, and the reasons why not.

What is expected of a match is what its own probabilities say. Beside it stands what the views that were left out and
strangers within the files say of the accepted pairs (decisions/adaptive/verdict.py). Where they differ, or too little
was there to judge by, the figures are not reliable, and it is said why and what would help.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import Scored
from pprl_desktop.decisions.standing import Tuning
from pprl_desktop.said import Said

Flags = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.int64]
TUNING = Tuning()


@dataclass(frozen=True)
class Standing:
    # precision, low, high; recall, recall_low, recall_high where a field could be left out; empty: nobody was asked
    second_opinion: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[Said, ...] = ()  # why the figures are not reliable, the gravest first
    cures: tuple[Said, ...] = ()  # what would help

    @property
    def reliable(self) -> bool:
        return not self.reasons


@dataclass(frozen=True)
class Signs:
    """What the accepted pairs show."""

    people: int  # pairs of people linked
    anybody: float  # the probability that anybody is shared
    expected: float  # precision by the probabilities
    by_views: float  # by the views left out
    by_strangers: float  # by strangers within the files
    agreed: float  # pairs that views and strangers both accept, of those that either does
    views: int  # that could be asked
    conflict: float  # accepted pairs of a record with counterparts who are different people, as a share
    households: bool  # every field is one that a household shares
    relatives: bool  # many of the surest pairs differ in the first name
    generations: bool  # or in the birth
    namesakes: bool  # somebody is held twice by name and household alone
    noisy: bool
    recall: float  # by the probabilities; NaN: not known
    held_out: tuple[float, float, float]  # recall by pairs found without a field, low, high; NaN: nobody to ask


def signs(scored: Scored, accepted: Flags, chosen: Flags) -> Signs | None:
    """None where the decision has no second opinion."""
    if scored.second is None or scored.strangers is None:
        return None
    at = np.flatnonzero(accepted)
    views, null = np.nan_to_num(scored.second, nan=1.0), scored.strangers
    either = chosen & ((views >= 0.5) | (null >= 0.5))
    both = chosen & (views >= 0.5) & (null >= 0.5)
    own, partner = _people(scored, at)
    links = np.unique(np.stack([own, partner], axis=1), axis=0)
    known = len(at) > 0
    return Signs(
        len(links),
        float(scored.notes.get("anybody", 1.0)),
        float(scored.probability[at].mean()) if known else float("nan"),
        float(views[at].mean()) if known else float("nan"),
        float(null[at].mean()) if known else float("nan"),
        float(both.sum()) / max(float(either.sum()), 1.0),
        int(scored.notes.get("views_asked", 0)),
        _conflict(links, own, partner) if known else 0.0,
        bool(scored.notes.get("households", False)),
        bool(scored.notes.get("relatives", False)),
        bool(scored.notes.get("generations", False)),
        bool(scored.notes.get("namesakes", False)),
        bool(scored.notes.get("noisy", False)),
        *_recalls(scored, at),
    )


def _recalls(scored: Scored, at: npt.NDArray[np.int64]) -> tuple[float, tuple[float, float, float]]:
    right, unknown = float(scored.probability[at].sum()), float("nan")
    there = float(scored.notes.get("findable", unknown))
    likely, least, most = map(float, scored.notes.get("findable_second", (unknown,) * 3))
    found, second, low, high = (min(right / max(n, 1e-9), 1.0) if n == n else n for n in (there, likely, most, least))
    return found, (second, low, high)


def _people(scored: Scored, at: npt.NDArray[np.int64]) -> tuple[Labels, Labels]:
    """Who the two records of these pairs are."""
    own, partner = scored.own[at], scored.partner[at]
    if scored.people is not None:
        own, partner = scored.people[0][own], scored.people[1][partner]
    return own.astype(np.int64), partner.astype(np.int64)


def _conflict(links: Labels, own: Labels, partner: Labels) -> float:
    """Share of the pairs in which one of the two people is linked to further people whom their owner holds apart."""
    shared = np.zeros(len(own), dtype=np.bool_)
    for side, rows in ((0, own), (1, partner)):
        people, counts = np.unique(links[:, side], return_counts=True)
        shared |= counts[np.searchsorted(people, rows)] > 1
    return float(shared.mean())


def standing(scored: Scored, accepted: Flags, chosen: Flags, tuning: Tuning = TUNING) -> Standing:
    found = signs(scored, accepted, chosen)
    if found is None:
        return Standing({}, (NO_SECOND,), (DECIDE_ADAPTIVELY,))
    if not found.people:
        return Standing({}, (Said("Nobody seems to be in both files."),), (CHECK_FIELDS,))
    told: list[tuple[Said, Said]] = []
    if found.households:
        told.append((HOUSEHOLDS, TELL_APART))
    if found.relatives:
        told.append((RELATIVES, TELL_APART))
    if found.generations:
        told.append((GENERATIONS, REVIEW))
    if found.namesakes:
        told.append((NAMESAKES, TELL_APART))
    if risk(found, tuning) > tuning.risk and found.expected >= tuning.least:
        unsure = 1.0 - found.anybody > tuning.risk
        few = Said("Only {n|one link|{n} links} to judge by.", n=found.people)
        told.append((Said("It is not certain that anybody is in both files.") if unsure else few, REVIEW))
    if found.expected - min(found.by_views, found.by_strangers) > tuning.differ or found.agreed < tuning.agreed:
        told.append((Said("The second opinion differs: the fields do not confirm each other."), REVIEW))
    if found.recall > found.held_out[2] and found.recall - found.held_out[0] > tuning.missed:
        told.append(
            (
                Said("More shared people seem to be missed than expected: pairs found without a field show them."),
                Said("Add a field that does not change with the others, such as a date of birth."),
            )
        )
    if found.views < tuning.views:
        told.append(
            (
                Said("Fewer than {n} independent fields tell people apart.", n=tuning.views),
                TELL_APART,
            )
        )
    if found.conflict > tuning.conflict:
        told.append(
            (
                Said(
                    "{share:percent} of the links give a record several counterparts whom their file holds apart.",
                    share=found.conflict,
                ),
                Said("Remove the duplicates of both files first, or link one-to-one."),
            )
        )
    if found.expected < tuning.least:
        told.append((Said("More than a few links may be wrong."), REVIEW))
    if found.noisy:
        told.append((Said("Noise hides who is held twice and what strangers have in common."), REVIEW))
    return Standing(
        _interval(found, tuning), tuple(why for why, _ in told), tuple(dict.fromkeys(cure for _, cure in told))
    )


def risk(found: Signs, tuning: Tuning) -> float:
    """The probability that the figure is too high, by more than is bearable.

    Either nobody is shared, and all links are wrong together; or each is wrong by itself, as often as the lowest of the
    opinions has it, and of a few links chance makes a larger share wrong.
    """
    from scipy.special import bdtr  # of the binomial distribution; scipy.stats takes long to load

    anybody = float(np.clip(found.anybody, 1e-9, 1.0))
    right = min(found.expected / anybody, found.by_views, found.by_strangers, 1.0)
    bearable = int(found.people * (1.0 - found.expected + tuning.too_high))
    return 1.0 - anybody * float(bdtr(min(bearable, found.people), found.people, 1.0 - max(right, 0.0)))


def crowded(scored: Scored, accepted: Flags, tuning: Tuning = TUNING) -> bool:
    """Whether the average person linked has so many counterparts that the result is about families or regions."""
    at = np.flatnonzero(accepted)
    if scored.second is None or not len(at):
        return False
    own, partner = _people(scored, at)
    links = len(np.unique(np.stack([own, partner], axis=1), axis=0))
    return links > tuning.crowd * min(len(np.unique(own)), len(np.unique(partner)))


def _interval(found: Signs, tuning: Tuning) -> dict[str, float]:
    views, null = found.by_views, found.by_strangers
    middle = min(views, null)
    off = tuning.sigma * float(np.sqrt(middle * (1 - middle) / found.people + 0.25 / found.people**2))
    recall, low, high = found.held_out
    return {
        "precision": middle,
        "low": max(middle - off, 0.0),
        "high": min(max(views, null) + off, 1.0),
        **({"recall": recall, "recall_low": low, "recall_high": high} if recall == recall else {}),
    }


NO_SECOND = Said("This decision has no second opinion: its figures rest on its own assumptions alone.")
DECIDE_ADAPTIVELY = Said("Decide adaptively, field by field, or review a sample of the pairs before using the result.")
HOUSEHOLDS = Said("The fields say where people live, not who they are: a household looks like one person.")
RELATIVES = Said("Many pairs that agree on everything else differ in the first name: they may be twins or relatives.")
GENERATIONS = Said(
    "Many pairs that agree on everything else were born at different times: they may be father and son of one name."
)
NAMESAKES = Said("By name and address alone, two people of one name look like one person who is held twice.")
TELL_APART = Said("Add a field that tells people apart, such as a date of birth.")
REVIEW = Said("Review a sample of the pairs before using the result.")
CHECK_FIELDS = Said("Check that both sides chose the same fields, written in the same way.")
TOO_MANY = Said(
    "Refused: the average linked record has many counterparts who are different people. The fields tell families or "
    "places apart, not people. Add a field that tells people apart, such as a date of birth."
)
