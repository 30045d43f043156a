"""What is to be believed of the reconciled result of two sides: expected figures, second opinion, reasons for doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pprl_desktop.decisions.base import Match
from pprl_desktop.matching.reconcile import Pairs
from pprl_desktop.said import Said


@dataclass(frozen=True)
class Believed:
    expected: Mapping[str, float]  # precision, recall; empty where the decision gives none
    # precision, low, high, and recall, recall_low, recall_high where a field could be left out; empty: nobody was asked
    second_opinion: Mapping[str, float]
    reasons: tuple[Said, ...]
    cures: tuple[Said, ...]

    @property
    def reliable(self) -> bool:
        return not self.reasons

    def as_dict(self) -> dict[str, Any]:
        """Without a precise figure where none can be believed."""
        return {
            "reliable": self.reliable,
            "reasons": [str(one) for one in self.reasons],
            "cures": [str(one) for one in self.cures],
            "expected": {name: round(value, 6) for name, value in self.expected.items()},
            "second_opinion": {name: round(value, 6) for name, value in self.second_opinion.items()},
        }


def believed(linked: Pairs, sides: Sequence[tuple[Match, bool]]) -> Believed:
    """`linked` [row of a, row of b]; each side's match, and whether its own rows are those of b."""
    told = [_expected(linked, match, turned) for match, turned in sides]
    known = [one for one in told if one]
    expected = {name: float(np.mean([one[name] for one in known])) for name in ("precision", "recall")} if known else {}
    seconds = [match.second_opinion for match, _ in sides if match.second_opinion]
    second = {}
    if seconds:
        second = {
            "precision": float(np.mean([one["precision"] for one in seconds])),
            "low": min(one["low"] for one in seconds),
            "high": max(one["high"] for one in seconds),
        }
    missing = [one for one in seconds if "recall" in one]
    if missing:
        second |= {
            "recall": float(np.mean([one["recall"] for one in missing])),
            "recall_low": min(one["recall_low"] for one in missing),
            "recall_high": max(one["recall_high"] for one in missing),
        }
    reasons = _once(one for match, _ in sides for one in match.reasons)
    return Believed(expected, second, reasons, _once(one for match, _ in sides for one in match.cures))


def _expected(linked: Pairs, match: Match, turned: bool) -> dict[str, float]:
    """By the probabilities of one side; a pair that it did not see is wrong to it."""
    scored = match.scored
    total = float(match.expected.get("true_pairs", np.nan))
    if not len(linked) or not np.isfinite(total) or not len(scored):
        return {}
    own, partner = (linked[:, 1], linked[:, 0]) if turned else (linked[:, 0], linked[:, 1])
    width = int(max(partner.max(), scored.partner.max())) + 1
    keys = scored.own.astype(np.int64) * width + scored.partner
    order = np.argsort(keys)
    wanted = own * width + partner
    at = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
    right = np.where(keys[order[at]] == wanted, scored.probability[order[at]], 0.0)
    return {"precision": float(right.mean()), "recall": min(float(right.sum()) / max(total, 1e-9), 1.0)}


def _once(said: Any) -> tuple[Said, ...]:
    """Of sentences that differ in their figures only, the first."""
    found: dict[str, Said] = {}
    for one in said:
        found.setdefault(one.template, one)
    return tuple(found.values())
