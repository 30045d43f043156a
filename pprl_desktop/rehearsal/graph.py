"""Attack (b): an outsider without the secret compares similarities with similarities.

Similar values have similar codes, or misspelt names could not be matched. How similar the codes of two names are does
not depend on the secret: so the outsider smashes a public list with a secret of its own and looks for the assignment
of codes to names under which the two tables of similarities agree best (a quadratic assignment problem; Frank-Wolfe on
its relaxation, Vogelstein et al. 2015), started from how often each occurs. Names found so are then landmarks: every
other code is given the name that is as similar to all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes
from pprl_desktop.progress import NO_PROGRESS, Progress

MATCHED = 300  # most frequent codes, and most frequent names, that are matched as a graph
WEIGHTS = (80.0, 5.0)  # of frequencies beside similarities: which is right depends on the code, the better fit decides
STEPS = 40  # of Frank-Wolfe
FREQUENCY = 0.7  # standard deviation of the logarithm: how far local frequencies are from the list's
LANDMARKS = 0.7  # share of the matched pairs, those that fit best
REACH = 3.0  # standard deviations within which rows are taken for one value
AT_ONCE = 20_000  # names compared with the landmarks in one product

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Landmarks:
    codes: Bytes  # of the bundle
    shadows: Bytes  # what the outsider's own secret makes of the names they were taken for


def similarities(left: Bytes, right: Bytes, bits: bool) -> Floats:
    """Agreement of bits, or nearness of distances, between every two codes."""
    if bits:
        one, other = (2 * np.unpackbits(codes, axis=1).astype(np.float32) - 1 for codes in (left, right))
        return np.asarray(one @ other.T / one.shape[1], dtype=np.float32)
    from scipy.spatial.distance import cdist

    apart = cdist(left.astype(np.float32), right.astype(np.float32), "cityblock")
    return np.asarray(-apart / left.shape[1], dtype=np.float32)


def landmarks(
    codes: Bytes, counts: Places, shadows: Bytes, shares: npt.NDArray[np.float64], bits: bool,
    progress: Progress = NO_PROGRESS,
) -> Landmarks | None:  # fmt: skip
    """The most frequent codes with the names they are taken for; None where there are too few to compare."""
    often = np.argsort(-counts, kind="stable")[:MATCHED]
    public = np.argsort(-shares, kind="stable")[:MATCHED]
    if len(often) < 3 or len(public) < len(often):
        return None
    mine = _standardised(similarities(codes[often], codes[often], bits))
    theirs = _standardised(similarities(shadows[public], shadows[public], bits))
    expected = np.log(shares[public] / shares.sum() * counts.sum() + 0.5)
    fit = -((np.log(counts[often] + 0.5)[:, None] - expected[None]) ** 2) / (2 * FREQUENCY**2)
    found = [
        matched(mine, theirs, fit.astype(np.float32), weight, progress.part(at / len(WEIGHTS), (at + 1) / len(WEIGHTS)))
        for at, weight in enumerate(WEIGHTS)
    ]
    best = max(found, key=lambda names: float((mine * theirs[np.ix_(names, names)]).sum()))
    agree = _row_correlations(mine, theirs[np.ix_(best, best)])
    sure = np.argsort(-agree, kind="stable")[: max(2, round(LANDMARKS * len(often)))]
    return Landmarks(codes[often[sure]], shadows[public[best[sure]]])


def matched(mine: Floats, theirs: Floats, fit: Floats, weight: float, progress: Progress = NO_PROGRESS) -> Places:
    """For each row of `mine` a column of `theirs`, so that sum(mine * theirs) + weight * fit is large."""
    from scipy.optimize import linear_sum_assignment

    now = _evened(np.exp(fit))
    for step in range(STEPS):
        progress.at(step / STEPS)
        moved = mine @ now @ theirs
        rows, columns = linear_sum_assignment(2 * moved + weight * fit, maximize=True)
        aim = -now
        aim[rows, columns] += 1
        bend = float(((mine @ aim @ theirs) * aim).sum())  # the objective along the way: slope * t + bend * t^2
        slope = float((2 * moved * aim).sum() + weight * (fit * aim).sum())
        share = 1.0 if bend >= 0 else min(1.0, max(0.0, -slope / (2 * bend)))
        now = now + np.float32(share) * aim
        if share * float(np.abs(aim).sum()) < 1e-6 * len(now):
            break
    _, names = linear_sum_assignment(now, maximize=True)
    return np.asarray(names, dtype=np.int64)


def by_landmarks(
    found: Landmarks, codes: Bytes, shadows: Bytes, bits: bool, progress: Progress = NO_PROGRESS
) -> Places:
    """For each code the name that is as similar to the landmarks as the code is."""
    mine = _profiles(similarities(codes, found.codes, bits))
    best, names = np.full(len(codes), -np.inf, np.float32), np.zeros(len(codes), np.int64)
    theirs = np.concatenate(
        [
            similarities(shadows[start : start + AT_ONCE], found.shadows, bits)
            for start in range(0, len(shadows), AT_ONCE)
        ]
    )
    theirs = _profiles(theirs)
    for start in range(0, len(theirs), AT_ONCE):
        progress.at(start / len(theirs))
        fits = mine @ theirs[start : start + AT_ONCE].T
        here = fits.argmax(axis=1)
        value = fits[np.arange(len(fits)), here]
        names = np.where(value > best, here + start, names)
        best = np.maximum(best, value)
    return names


def _profiles(similar: Floats) -> Floats:
    """Rows that can be compared between two worlds: what all codes have in common is taken out."""
    similar = (similar - similar.mean(axis=0)) / (similar.std(axis=0) + np.float32(1e-9))
    similar = similar - similar.mean(axis=1, keepdims=True)
    return np.asarray(similar / (np.linalg.norm(similar, axis=1, keepdims=True) + 1e-9), dtype=np.float32)


def _standardised(similar: Floats) -> Floats:
    others = ~np.eye(len(similar), dtype=bool)
    made = (similar - similar[others].mean()) / (similar[others].std() + np.float32(1e-9))
    np.fill_diagonal(made, 0)
    return np.asarray(made, dtype=np.float32)


def _evened(start: Floats, rounds: int = 50) -> Floats:
    """Rows that sum to one and columns that sum alike (Sinkhorn)."""
    for _ in range(rounds):
        start = start / start.sum(axis=1, keepdims=True)
        start = start / start.sum(axis=0, keepdims=True) * np.float32(len(start) / start.shape[1])
    return start


def _row_correlations(mine: Floats, theirs: Floats) -> Floats:
    one, other = (each - each.mean(axis=1, keepdims=True) for each in (mine, theirs))
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1) + 1e-9
    return np.asarray((one * other).sum(axis=1) / norms, dtype=np.float32)


# ---- noise: rows of one value are gathered again ------------------------------------------------


def clustered(rows: Bytes, epsilon: float) -> tuple[Bytes, Places]:
    """Noisy rows gathered by nearness: the majority of each gathering, and which of them each row is in.

    Two noisy rows of one value differ in 2 p (1 - p) of the bits. Whoever has most rows within that reach gathers
    them, then whoever has most of the rest, and so on; then every row goes to the nearest majority.
    """
    from pprl_desktop.privacy.mechanisms import flip_probability

    flip, width = float(flip_probability(epsilon)), 8 * rows.shape[1]
    same = 2 * flip * (1 - flip)
    reach = same + REACH * np.sqrt(same * (1 - same) / width)
    signs = 2 * np.unpackbits(rows, axis=1).astype(np.float32) - 1
    near = (signs @ signs.T) >= width * (1 - 2 * reach)
    free = np.ones(len(rows), dtype=bool)
    middles = []
    for row in np.argsort(-near.sum(axis=1), kind="stable"):
        if free[row]:
            mine = near[row] & free
            free &= ~mine
            middles.append(signs[mine].sum(axis=0))
    middle = np.sign(np.array(middles, dtype=np.float32) + np.float32(0.5))
    which = (signs @ middle.T).argmax(axis=1)
    used, back = np.unique(which, return_inverse=True)
    majority = np.stack([signs[back == place].sum(axis=0) > 0 for place in range(len(used))])
    return np.packbits(majority, axis=1), back.reshape(-1).astype(np.int64)
