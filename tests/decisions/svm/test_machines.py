"""The machines on distances: no wrong signs, and scores that read as log-odds."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.decisions.svm import machines as svm
from pprl_desktop.decisions.svm.rule import Null, Rbf, SplitRule, Weights
from pprl_desktop.decisions.svm.tuning import Tuning


def blobs() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    near, far = rng.gamma(1.0, 0.2, (300, 3)), rng.gamma(4.0, 0.4, (300, 3))
    return np.vstack([near, far]), np.arange(600) < 300


def test_a_feature_that_would_speak_for_a_match_is_left_out() -> None:
    x, y = blobs()
    x[:, 2] = 2.0 * y + np.random.default_rng(1).normal(0, 0.5, 600)
    weights = svm.linear(x, y, Tuning().linear_c)
    assert (weights >= 0).all()
    assert weights[2] == 0
    assert weights[0] > 0


def test_a_constant_feature_weighs_nothing() -> None:
    x, y = blobs()
    x[:, 1] = 7.0
    assert svm.linear(x, y, Tuning().linear_c)[1] == 0


def test_the_radial_decision_is_that_of_scikit_learn() -> None:
    from sklearn.svm import SVC

    x, y = blobs()
    support, coefficients, gamma, intercept = svm.radial(x, y, Tuning().rbf_c)
    known = SVC(C=Tuning().rbf_c, kernel="rbf", gamma=gamma, class_weight="balanced").fit(x, y).decision_function(x)
    assert Rbf(support, coefficients, gamma, intercept).decision(x) == pytest.approx(known, abs=1e-6)


@pytest.mark.parametrize("fields", [2, 11])
def test_the_table_of_the_radial_decision_gives_each_cell_its_own_value(fields: int) -> None:
    rng = np.random.default_rng(2)
    neutral = np.full(fields, 1000, dtype=np.int64)
    machine = Rbf(rng.random((5, fields)), rng.normal(size=5), 0.7, 0.1)
    one = np.ones((fields, 1), dtype=np.int64)
    null = Null(np.zeros(0), np.zeros(0), 1, 1)
    names = tuple(map(str, range(fields)))
    rule = SplitRule("rbf", names, (), Weights(one, one, neutral, 1000), 1.0, null, np.zeros(0), machine)
    costs = rng.integers(0, 4000, (300, fields))
    steps = rule.tuning.rbf_cells
    expected = machine.decision(np.minimum(costs * steps // 1000, 3 * steps) / steps)
    assert rule.scores(costs) == pytest.approx(expected, abs=1e-8)


def test_the_slope_turns_a_decision_into_log_odds() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(20_000) < 10_000
    decision = np.where(y, rng.normal(1, 1, 20_000), rng.normal(-1, 1, 20_000))  # log-odds are 2 x the decision
    assert svm.log_odds_slope(decision, y) == pytest.approx(2.0, rel=0.1)
