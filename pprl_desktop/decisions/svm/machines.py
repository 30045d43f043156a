"""Support vector machines on distances, with what linkage needs of them: a distance never speaks for a match.

The penalties C are those of the paper (tuning.py).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def linear(features: Numbers, is_match: Flags, c: float, seed: int = 0) -> Numbers:
    """Weights >= 0 of distances: how much each speaks against a match.

    A feature that would speak for a match by being farther apart follows from the others by chance; it is left out and
    the rest is fitted again.
    """
    from sklearn.svm import LinearSVC

    scale = np.maximum(features.std(axis=0), 1e-12)
    use = np.flatnonzero(features.std(axis=0) > 0)
    weights = np.zeros(features.shape[1])
    while len(use):
        machine = LinearSVC(C=c, dual=False, class_weight="balanced", random_state=seed, max_iter=400, tol=1e-3)
        machine.fit(features[:, use] / scale[use], is_match)
        found = -machine.coef_[0]
        if (found > 0).all():
            weights[use] = found / scale[use]
            break
        use = np.delete(use, int(np.argmin(found)))
    return weights


def radial(points: Numbers, is_match: Flags, c: float) -> tuple[Numbers, Numbers, float, float]:
    """Support vectors, coefficients, gamma and intercept of the radial machine."""
    from sklearn.svm import SVC

    gamma = 1.0 / max(points.shape[1] * float(points.var()), 1e-12)  # scikit-learn's "scale"
    machine = SVC(C=c, kernel="rbf", gamma=gamma, class_weight="balanced", cache_size=100)
    machine.fit(points, is_match)
    return machine.support_vectors_, machine.dual_coef_[0], gamma, float(machine.intercept_[0])


def log_odds_slope(decision: Numbers, is_match: Flags) -> float:
    """Platt's slope: log-odds per unit of the decision value, matches and non-matches counted alike."""
    centre, spread = float(np.median(decision)), max(float(decision.std()), 1e-12)
    x = (decision - centre) / spread
    y = is_match.astype(np.float64)
    weight = np.where(is_match, 0.5 / max(y.sum(), 1.0), 0.5 / max((1 - y).sum(), 1.0)) * len(y)
    a, b = 1.0, 0.0
    for _ in range(25):  # Newton with a small ridge: separable data would let the slope grow for ever
        p = 1.0 / (1.0 + np.exp(-np.clip(a * x + b, -30, 30)))
        w = weight * p * (1 - p) + 1e-9
        r = weight * (y - p)
        ridge = 1e-3 * len(y)
        g = np.array([float((r * x).sum()) - ridge * a, float(r.sum())])
        h = np.array([[float((w * x * x).sum()) + ridge, float((w * x).sum())], [float((w * x).sum()), float(w.sum())]])
        step = np.linalg.solve(h, g)
        a, b = a + float(step[0]), b + float(step[1])
        if float(np.abs(step).max()) < 1e-9:
            break
    return max(a, 1e-3) / spread
