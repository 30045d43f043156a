"""Columns that are written otherwise on the two sides: no value, or hardly one, occurs in both files.

M and F against MALE and FEMALE, a telephone number with and without the country: such a column speaks against every
pair, or for pairs that merely look alike in it. How often strangers of one file hold the same value tells how often
strangers of two files should.
"""

from __future__ import annotations

import numpy as np

from pprl_desktop.decisions.adaptive.levels import FieldLevels, View
from pprl_desktop.decisions.adaptive.tuning import Tuning


def apart(one: FieldLevels, tuning: Tuning, people: tuple[View, View] | None = None) -> bool:
    """Whether far fewer pairs across the files are equal in the field than pairs within either file are.

    `people`: some records of each file, one of a person; copies of one person are no strangers.
    """
    if not one.exact or not one.own.present or not one.partner.present:
        return False
    there = one.equal_to >= 0
    across = float((one.own.counts[there] * one.partner.counts[one.equal_to[there]].astype(np.float64)).sum())
    own, partner = people or (one.own, one.partner)
    expected = min(_equal(own), _equal(partner)) * one.own.present * one.partner.present
    return expected >= tuning.apart_expected and across <= tuning.apart_share * expected


def _equal(side: View) -> float:
    """Share of the pairs of records of one file that hold the same value."""
    counts = side.counts.astype(np.float64)
    return float((counts * (counts - 1)).sum()) / max(side.present * (side.present - 1.0), 1.0)
