"""Who is held twice: pairs within one file that are one person, found by the same weights and the same second opinion.

They are no strangers, and counting them as such would make the true pairs between the files look common among
strangers; and they share a counterpart without competing for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.threads import interruptible
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.check import Strangers, strangers
from pprl_desktop.decisions.adaptive.dependence import Edge, edges
from pprl_desktop.decisions.adaptive.levels import LEVELS, MISSING, FieldLevels
from pprl_desktop.decisions.adaptive.model import Model
from pprl_desktop.decisions.adaptive.opinion import second_opinion
from pprl_desktop.decisions.adaptive.strangers import File, Within, shares
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.views import changed_together, composed, said_twice, seen, views
from pprl_desktop.decisions.base import Numbers, Rows
from pprl_desktop.progress import Progress

Labels = npt.NDArray[np.int64]


def sigmoid(log_odds: Numbers) -> Numbers:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(log_odds, -40.0, 40.0))))


@dataclass(frozen=True, eq=False)
class Judged:
    """Pairs within a file: the probability that both records are one person, the lower of two opinions."""

    probability: Numbers
    by_weights: Numbers
    by_views: Numbers
    asked: int  # views


def same_person(near: Strangers, model: Model, bar: float) -> Numbers:
    """Per pair within a file: the probability that both records are one person. `bar`: ratio below which none is kept.

    What one person's records agree on is taken from the model; only how many such pairs there are is learned.
    """
    return judged(near, model, bar).probability


def judged(near: Strangers, model: Model, bar: float) -> Judged:
    none = np.zeros(0)
    if not len(near.own):
        return Judged(none, none, none, 0)
    tuning, fields = model.tuning, near.file.fields
    weighed = near.weighed(model)
    ratio = weighed.evidence.sum(axis=1, dtype=np.float64)
    matches, made = tuning.repeated * len(near.file.rows), Judged(none, none, none, 0)
    prior = float(np.log((matches + 0.5) / near.out_of))
    changed = changed_together(weighed.levels, weighed.evidence, sigmoid(ratio + prior), prior, tuning)
    found = views(model.edges, len(fields), tuning, changed)
    shown = seen(fields, found, model.edges, model.u, weighed, tuning)
    for _ in range(tuning.em_rounds):
        prior = float(np.log((matches + 0.5) / near.out_of))
        opinion = second_opinion(shown, ratio + prior, bar + prior, matches, tuning)
        made = Judged(
            sigmoid(np.minimum(ratio + prior, opinion.log_odds)),
            sigmoid(ratio + prior),
            sigmoid(opinion.log_odds),
            len(opinion.asked),
        )
        before, matches = matches, float(made.probability.sum())
        if abs(before - matches) < 0.25:
            break
    return made


@dataclass(frozen=True, eq=False)
class Repeats:
    """Who is held twice in one file."""

    people: Labels  # the person of each row of the file: the first row that is theirs
    pairs: float  # of one person's records, expected among the records looked at
    file: File  # without them


def repeats(file: File, originals: Labels, tuning: Tuning, threads: int, progress: Progress) -> Repeats:
    """`originals`: the row of which each is an exact copy (itself, mostly)."""
    if not all(one.exact for one in file.fields) or len(file.rows) < 2:
        return Repeats(originals, 0.0, file)
    model = first_model(file, tuning, progress)
    bar = tuning.lowest_held - tuning.held_margin - model.prior
    near = strangers(file, model, bar, threads, progress)
    same = interruptible(progress, same_person, near, model, bar)
    people, without = joined(file, originals, near, same)
    return Repeats(people, float(same.sum()), without)


def joined(file: File, people: Labels, near: Strangers, same: Numbers) -> tuple[Labels, File]:
    """The people of all rows once these pairs are one person, and the file without those held twice."""
    one = same > 0.5
    label = groups(len(file.rows), near.own[one], near.partner[one])
    made = people.copy()
    made[file.rows] = file.rows[label]
    return made[people], file.some(label == np.arange(len(label)))


def of_people(fields: Sequence[FieldLevels], people: tuple[Labels, Labels]) -> tuple[FieldLevels, ...]:
    """Fields in which a person is counted once; under noise nobody can be found twice."""
    if not all(one.exact for one in fields):
        return tuple(fields)
    first = tuple(label == np.arange(len(label)) for label in people)
    return tuple(one.of(one.own.of_people(first[0]), one.partner.of_people(first[1])) for one in fields)


def lifts_within(file: File, tuning: Tuning, progress: Progress) -> tuple[Edge, ...]:
    """Dependent fields of a file, its records taken for as many people."""
    return edges(file.fields, file.patterns, True, em.prior_m(file.fields, tuning), tuning, progress)


def said_once(within: Within, tuning: Tuning, progress: Progress) -> tuple[Within, tuple[int, ...]]:
    """Without the fields that say again what others say (the same column twice, or one made of several), and which."""
    twice = said_twice([file.patterns for file in within.files], tuning)
    within = within.without(twice)
    lifts = [lifts_within(file, tuning, progress) for file in within.files]
    made_of = composed(lifts, [file.patterns for file in within.files], tuning)
    return within.without(made_of), tuple(sorted({*twice, *made_of}))


def first_model(file: File, tuning: Tuning, progress: Progress) -> Model:
    """What is believed of a file before any pair was looked at closely."""
    fields = file.fields
    m, rows = em.prior_m(fields, tuning), len(file.rows)
    count = [file.patterns.by_level(f, MISSING + 1)[:LEVELS] for f in range(len(fields))]
    u = np.stack([shares(one, tuning.unseen) for one in count])
    lifts = edges(fields, file.patterns, False, m, tuning, progress)
    names = tuple(one.comparison.field for one in fields)
    sizes = em.Sizes(rows, rows, False, tuning.free)
    return Model(names, m, u, (), np.zeros(0), lifts, tuning.repeated * rows, sizes, tuning)


def groups(rows: int, own: Rows, partner: Rows) -> Labels:
    """The group of each row, by the smallest row in it, where these pairs are one person."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    if not len(own):
        return np.arange(rows)
    links = coo_matrix((np.ones(len(own), np.int8), (own, partner)), shape=(rows, rows))
    _, label = connected_components(links, directed=False)
    _, first = np.unique(label, return_index=True)
    return np.asarray(first[label], dtype=np.int64)
