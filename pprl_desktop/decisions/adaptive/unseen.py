"""Matches that no believed pair shows: their fields agree on too little, or too many are missing.

A pair whose evidence stays below `least_evidence` is linked to nobody, whatever the prior odds. Its match would then be
missing twice: in the number of matches, and, since such matches differ more than others, in what counterparts agree on.
EM for truncated data (Dempster, Laird and Rubin 1977, section 4.2) puts them back: given m, the share of matches that
lies below the cut is known, and so is what they agree on.
"""

from __future__ import annotations

import numpy as np

from pprl_desktop.decisions.base import Numbers

STEP = 0.1  # log likelihood ratio: cells of the distribution of a sum, between which it is read off in a straight line
REACH = 30.0  # of the sum of all fields, either way; what lies beyond is as good as there
_AT = np.arange(-REACH, REACH + STEP / 2, STEP)


def below(share: Numbers, ratio: Numbers, cut: float) -> Numbers:
    """[fields, levels] the chance that a match has that level and that all its fields together stay at or below `cut`.

    share   [fields, levels] how often a match has each level of each field, missing included
    ratio   [fields, levels] log m/u of each
    """
    fields = len(share)
    nothing = np.zeros(len(_AT))
    nothing[len(_AT) // 2] = 1.0  # no field yet: the sum is 0 for sure
    before, after = [nothing], [nothing]
    for f in range(fields - 1):
        before.append(_with_field(before[-1], share[f], ratio[f]))
        after.append(_with_field(after[-1], share[fields - 1 - f], ratio[fields - 1 - f]))
    made = np.zeros_like(share)
    for f in range(fields):
        at_most = np.cumsum(after[fields - 1 - f])
        for level in np.flatnonzero(share[f] > 0).tolist():
            others = np.interp(cut - ratio[f, level] - _AT, _AT, at_most, left=0.0)
            made[f, level] = share[f, level] * float(before[f] @ others)
    return made


def _with_field(chance: Numbers, share: Numbers, ratio: Numbers) -> Numbers:
    """The distribution of a sum with one more field in it; what would leave it stays in its last cell."""
    from pprl_desktop.decisions.adaptive.kernels import add_field

    made = np.zeros_like(chance)
    add_field(chance, share, ratio, STEP, made)
    return made
