"""Whether anybody is shared at all: what strangers alone could have made of the pairs that are believed.

A handful of pairs that look like counterparts is what strangers give now and then. How many of them reach such weights
is counted within the files; with that, the two files are either of strangers only, or hold some shared people besides,
one as likely as a hundred (log-uniform). Bayes' rule weighs the two; no pair is more certain than that somebody is
shared.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.base import Numbers


def somebody(pairs: Numbers, strangers: Numbers, weight: Numbers, out_of: float, all_pairs: float, people: int,
             tuning: Tuning) -> float:  # fmt: skip
    """The probability that the files share anybody.

    pairs              log likelihood ratios of the pairs that are believed, one of each two people
    strangers, weight  ratios of pairs within the files, and the probability that they are strangers
    out_of, all_pairs  pairs of records within the files, and between them
    people             in the smaller file
    """
    if not len(pairs) or not out_of:
        return 1.0
    ranked = np.sort(pairs)[::-1]
    counts = _counts(len(ranked), tuning)
    reached = [float(weight[strangers >= low].sum()) for low in ranked[counts - 1].tolist()]
    times = all_pairs / out_of
    some = 1.0 / (np.arange(1, people + 1) * float((1.0 / np.arange(1, people + 1)).sum()))
    factors = []
    for count, low, seen in zip(counts.tolist(), ranked[counts - 1].tolist(), reached, strict=True):
        counted = _negative_binomial(count, seen + tuning.unseen, times)
        mean = all_pairs * float(np.exp(-max(low, -600.0)))  # strangers at most, where the weights are right
        right = tuning.weights_right * _borne_out(seen, mean / times)
        nobody = (right * _poisson(count, mean) + (1 - tuning.weights_right) * counted) / (
            right + 1 - tuning.weights_right
        )
        shared = min(count, people)
        besides = float((some[:shared][::-1] * nobody[count - shared : count]).sum())
        factors.append(besides / max(float(nobody[count]), 1e-300))
    factor = float(np.mean(factors))  # as likely as not at any of these heights, so their mean is a Bayes factor too
    return factor / (factor + 1.0)


def _counts(pairs: int, tuning: Tuning) -> npt.NDArray[np.int64]:
    """Of how many best pairs it is asked: of each number up to `strangers_alone`, and of a few larger ones up to all.

    Of large files only a sample is compared with itself: that no stranger was met there leaves room for a hundred of
    them between the files, but not for thousands.
    """
    first = np.arange(1, min(pairs, tuning.strangers_alone) + 1)
    more = np.geomspace(len(first), pairs, tuning.strangers_more).astype(np.int64)
    return np.unique(np.concatenate([first, more]))


def _borne_out(seen: float, mean: float) -> float:
    """How likely so many were seen where `mean` were foreseen, against the best mean; fewer is no surprise."""
    if seen <= mean:
        return 1.0
    return float(np.exp(seen * np.log(max(mean, 1e-300) / seen) - mean + seen))


def _poisson(count: int, mean: float) -> Numbers:
    """[0 .. count] the chance of so many."""
    from scipy.special import gammaln  # scipy.stats takes a second to load

    many, mean = np.arange(count + 1), max(mean, 1e-12)
    return np.asarray(np.exp(many * np.log(mean) - mean - gammaln(many + 1)), dtype=np.float64)


def _negative_binomial(count: int, seen: float, times: float) -> npt.NDArray[np.float64]:
    """[0 .. count] the chance of so many strangers where `seen` were counted among 1 / `times` as many pairs."""
    from scipy.special import gammaln

    many = np.arange(count + 1)
    ways = gammaln(many + seen) - gammaln(many + 1) - gammaln(seen)
    return np.asarray(np.exp(ways - seen * np.log1p(times) - many * np.log1p(1.0 / times)), dtype=np.float64)
