"""The self-linkage null: how many pairs of different records of one's own file would be called matches.

The posterior believes its own model; where fields depend on each other in a way the model does not know, it claims a
precision that is not there (ARCHITECTURE 4.5). A file holds no match with itself, so every pair above the border is a
false one, and their number carries over to the two files: surplus() holds the weights to it, verdict.py the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.adaptive import candidates as blocking
from pprl_desktop.decisions.adaptive import crossing as adaptive_cross
from pprl_desktop.decisions.adaptive import dependence as adaptive_dependence
from pprl_desktop.decisions.adaptive import strangers as adaptive_null
from pprl_desktop.decisions.adaptive import weights as em
from pprl_desktop.decisions.adaptive.levels import DIFFERS, EQUAL, MISSING, FieldLevels, pair_levels
from pprl_desktop.decisions.adaptive.model import Model
from pprl_desktop.decisions.adaptive.strangers import File
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.views import Weighed
from pprl_desktop.decisions.base import Numbers, Rows
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Strangers:
    """Pairs of different records of one file that come near enough to a match."""

    file: File
    own: Rows  # places among the records of the file that take part
    partner: Rows
    out_of: float  # pairs of different records
    same: Numbers  # [pairs] probability that both are one person after all

    def weighed(self, model: Model) -> Weighed:
        return weigh(self.file.fields, model, self.own, self.partner, self.file)

    def ratios(self, model: Model) -> Numbers:
        return log_ratio(self.file.fields, model, self.own, self.partner, self.file)


def strangers(file: File, model: Model, bar: float, threads: int, progress: Progress) -> Strangers:
    """`bar`: log likelihood ratio, before corrections, from which pairs are kept."""
    fields, rows = file.fields, len(file.rows)
    if rows < 2:
        return Strangers(file, np.zeros(0, np.int32), np.zeros(0, np.int32), 0.0, np.zeros(0))
    weights, most = em.tables(model.m, tables(fields, model)), model.tuning.most_near // 2
    found = blocking.scan(fields, weights, bar, most, threads, progress, once=True)
    return Strangers(file, found.own, found.partner, rows * (rows - 1) / 2, np.zeros(len(found.own)))


def tables(fields: Sequence[FieldLevels], model: Model) -> list[Floats]:
    return [adaptive_null.log_u(one, u) for one, u in zip(fields, model.u, strict=True)]


def weigh(fields: Sequence[FieldLevels], model: Model, own: Rows, partner: Rows, file: File | None = None) -> Weighed:
    """What the model makes of pairs of rows, by field: log likelihood ratios, 0 where missing.

    `file`: the rows are records of one file; what they have in common is counted among the people of both.
    """
    levels, log_u = pair_levels(fields, own, partner), tables(fields, model)
    made = np.zeros(levels.shape, dtype=np.float32)
    for f, (one, table) in enumerate(zip(fields, log_u, strict=True)):
        here = np.flatnonzero(levels[:, f] != MISSING)
        m = np.log(np.maximum(model.m[f], 1e-12))
        made[here, f] = m[levels[here, f]] - table[one.own.codes[own[here]], levels[here, f]]
    for crossing, m_found in zip(model.crossings, model.cross_m, strict=True):
        level, chance = adaptive_cross.compare(fields, crossing, own, partner, levels)
        by_level = np.zeros(MISSING + 1)
        by_level[DIFFERS], by_level[EQUAL] = np.log1p(-min(float(m_found), 0.999)), np.log(max(float(m_found), 1e-12))
        made[:, crossing.own] += by_level[level] - chance
    among, rows = (file.among, file.rows[own]) if file is not None and file.among else (fields, own)
    lifts = adaptive_dependence.corrections(among, model.edges, rows, levels, model.tuning)
    return Weighed(own, levels, log_u, made - lifts, lifts, among, rows)


def log_ratio(
    fields: Sequence[FieldLevels], model: Model, own: Rows, partner: Rows, file: File | None = None
) -> Numbers:
    """What the model makes of pairs of rows: the log of how much likelier counterparts look so than strangers do."""
    return np.asarray(weigh(fields, model, own, partner, file).evidence.sum(axis=1, dtype=np.float64))


def held_twice(own: Rows, partner: Rows, log_odds: Numbers, tuning: Tuning) -> list[Said]:
    """Two certain counterparts of one record are one person: one-to-one links one of them, whichever fits better."""
    told = []
    for side, rows in ((Said("partner's"), own), (Said("own"), partner)):
        certain = np.bincount(rows[log_odds > tuning.certain])
        twice = int((certain > 1).sum())
        if twice > max(tuning.few_twice, tuning.share_twice * float((certain > 0).sum())):
            told.append(
                Said(
                    "{twice|One person seems|{twice} people seem} to have more than one record in the {side} "
                    "file: link one-to-many, or remove the duplicates first. Until then one record of each is "
                    "linked, and the two sides may choose different ones.",
                    twice=twice,
                    side=side,
                )
            )
    return told


def surplus(ratio: Numbers, out_of: float, pairs: Numbers, wrong: Numbers, all_pairs: float, tuning: Tuning) -> Numbers:
    """For each pair, the log of how many more strangers reach its likelihood ratio than the weights believe.

    ratio, out_of    of pairs within the files, none of which is a match
    pairs, wrong     ratios of the pairs across the files, and the probability that each is of strangers, before it is
                     known who else could be the counterpart
    """
    if not len(pairs) or not out_of:
        return np.zeros(len(pairs))
    low, step, doubt = float(pairs.min()), tuning.held_step, tuning.held_doubt
    bins = max(int((float(pairs.max()) - low) / step) + 1, len(tuning.held_smooth))
    counts = []
    for values, weights in ((ratio[ratio >= low], None), (pairs, wrong * (out_of / all_pairs))):
        at = np.minimum(((values - low) / step).astype(np.int64), bins - 1)
        counts.append(np.convolve(np.bincount(at, weights, minlength=bins), tuning.held_smooth, "same"))
    more = np.log((counts[0] + doubt) / (counts[1] + doubt))
    return np.asarray(np.interp(pairs, low + step * (np.arange(bins) + 0.5), more))
