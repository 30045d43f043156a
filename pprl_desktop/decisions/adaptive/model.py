"""The model of the adaptive decision: all that was learned, as one frozen value that can be shown, saved and loaded.

Whoever has the model and the levels of a pair can weigh it again (check.log_ratio); nothing in it is about one person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pprl_desktop.decisions.adaptive.crossing import Crossing
from pprl_desktop.decisions.adaptive.dependence import Edge, tree
from pprl_desktop.decisions.adaptive.levels import LEVELS, names
from pprl_desktop.decisions.adaptive.tuning import Tuning
from pprl_desktop.decisions.adaptive.weights import Sizes
from pprl_desktop.decisions.base import Numbers


@dataclass(frozen=True, eq=False)
class Model:
    fields: tuple[str, ...]
    m: Numbers  # [fields, levels] what counterparts agree on
    u: Numbers  # [fields, levels] what strangers agree on, by level; equal values have their own frequency
    crossings: tuple[Crossing, ...]
    cross_m: Numbers  # [crossings] share of counterparts with a value in the other field
    edges: tuple[Edge, ...]  # fields that depend on each other
    matches: float  # expected number
    sizes: Sizes
    tuning: Tuning

    @property
    def prior(self) -> float:
        """Log odds of a pair of which nothing is known."""
        return float(np.log(self.sizes.odds(self.matches)))

    def shown(self) -> dict[str, Any]:
        """What a reader wants to know of it, in plain figures."""
        smaller = max(min(self.sizes.own, self.sizes.partner), 1)
        return {
            "levels": {
                name: [
                    {"level": level, "m": float(m), "u": float(u)}
                    for level, m, u in zip(names(self.tuning.quantiles), self.m[f], self.u[f], strict=True)
                ]
                for f, name in enumerate(self.fields)
            },
            "expected_matches": float(self.matches),
            "match_rate": float(self.matches) / smaller,
            "crossings": [
                {"own": self.fields[one.own], "partner": self.fields[one.partner], "m": float(m)}
                for one, m in zip(self.crossings, self.cross_m, strict=True)
            ],
            "dependent": [
                {"fields": [self.fields[edge.first], self.fields[edge.second]], "lift": edge.overall}
                for edge in tree(self.edges)
            ],
        }

    def to_plain(self) -> dict[str, Any]:
        """Lists, texts and numbers only; from_plain gives the same model back, to the last bit."""
        return {
            "fields": list(self.fields),
            "levels": list(names(self.tuning.quantiles)),
            "m": self.m.tolist(),
            "u": self.u.tolist(),
            "crossings": [
                {"own": one.own, "partner": one.partner, "m": float(m)}
                for one, m in zip(self.crossings, self.cross_m, strict=True)
            ],
            "edges": [
                {
                    "first": edge.first,
                    "second": edge.second,
                    "lift": edge.lift.tolist(),
                    "overall": edge.overall,
                    "rarity": edge.rarity.tolist(),
                    "together": edge.together.tolist(),
                    "counted": edge.counted,
                }
                for edge in self.edges
            ],
            "matches": self.matches,
            "rows": [self.sizes.own, self.sizes.partner],
            "one_to_one": self.sizes.one_to_one,
            "tuning": self.tuning.to_plain(),
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Model:
        tuning = Tuning.from_plain(plain["tuning"])
        if tuple(plain["levels"]) != names(tuning.quantiles):
            raise ValueError("the model was learned with other levels of agreement")
        crossings: Sequence[Mapping[str, Any]] = plain["crossings"]
        own, partner = plain["rows"]
        return cls(
            tuple(plain["fields"]),
            np.array(plain["m"], np.float64).reshape(-1, LEVELS),
            np.array(plain["u"], np.float64).reshape(-1, LEVELS),
            tuple(Crossing(one["own"], one["partner"]) for one in crossings),
            np.array([one["m"] for one in crossings], np.float64),
            tuple(
                Edge(
                    edge["first"],
                    edge["second"],
                    np.array(edge["lift"], np.float64),
                    edge["overall"],
                    np.array(edge["rarity"], np.float64),
                    np.array(edge["together"], np.float64),
                    edge["counted"],
                )
                for edge in plain["edges"]
            ),
            plain["matches"],
            Sizes(own, partner, plain["one_to_one"], tuning.free),
            tuning,
        )
