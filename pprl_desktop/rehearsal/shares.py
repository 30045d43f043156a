"""Shares of a sample with their confidence interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.compute.intervals import wilson
from pprl_desktop.said import Said


@dataclass(frozen=True)
class Share:
    """`hits` of `of` sampled records. `low` and `high` are the 95 % interval of Wilson (1927)."""

    hits: int
    of: int

    @classmethod
    def among(cls, hit: npt.NDArray[np.bool_], counted: npt.NDArray[np.bool_]) -> Share:
        return cls(int((hit & counted).sum()), int(counted.sum()))

    @property
    def share(self) -> float:
        return self.hits / self.of if self.of else 0.0

    @property
    def low(self) -> float:
        return self._interval()[0]

    @property
    def high(self) -> float:
        return self._interval()[1]

    def _interval(self) -> tuple[float, float]:
        low, high = wilson(self.share, self.of)
        # at the ends the formula gives 0 and 1 up to rounding
        return (low if self.hits else 0.0), (high if self.hits < self.of or not self.of else 1.0)

    def words(self) -> Said:
        return Said("{share} of 100 ({low} to {high})", **self._figures())

    def of_records(self) -> Said:
        """In the steward's words: '34 of 100 records (33 to 36)'."""
        return Said("{share} of 100 records ({low} to {high})", **self._figures())

    def of_rows(self) -> Said:
        return Said("{share} of 100 rows ({low} to {high})", **self._figures())

    def of_values(self) -> Said:
        return Said("{share} of 100 values ({low} to {high})", **self._figures())

    def figure(self) -> Said | float:
        """Of 100, as it stands in a sentence: whole, and with a digit behind the mark near the ends."""
        return _of_100(self.share)

    def _figures(self) -> dict[str, Said | float]:
        return {name: _of_100(getattr(self, name)) for name in ("share", "low", "high")}

    def as_dict(self) -> dict[str, Any]:
        rounded = {name: round(getattr(self, name), 6) for name in ("share", "low", "high")}
        return {"hits": self.hits, "of": self.of, **rounded}


def _of_100(share: float) -> Said | float:
    percent = 100 * share
    if 0 < percent < 0.1:
        return Said("less than 0.1")
    return round(percent, 1 if percent < 10 or percent > 99 else 0)
