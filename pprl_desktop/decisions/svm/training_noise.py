"""What the noise of an agreement does to training data: the model must be learned on what will really be compared.

These draws train a model and protect nothing; the noise of a bundle comes from privacy/.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pprl_desktop.codes.base import Part, Settings, Smashed


def as_released(smashed: Smashed, settings: Settings, rng: np.random.Generator) -> Smashed:
    """One row per record with discrete Laplace noise of the agreed scale; unchanged without an epsilon."""
    if settings.epsilon is None:
        return smashed
    rounds = 2 if settings.noise == "two-sided" else 1  # noise of both sides adds up in every difference
    parts = tuple(_noisy(part, settings.epsilon, rounds, rng) for part in smashed.parts if part.kind == "distances")
    return replace(smashed, parts=parts, epsilon=settings.epsilon)


def _noisy(part: Part, epsilon: float, rounds: int, rng: np.random.Generator) -> Part:
    present = np.flatnonzero(part.rows >= 0)
    rows = np.full(len(part.rows), -1, dtype=np.int32)
    rows[present] = np.arange(len(present), dtype=np.int32)
    values = part.values[part.rows[present]].astype(np.int64)
    stay = 1.0 - np.exp(-epsilon)
    for _ in range(rounds):  # the difference of two geometric draws is discrete Laplace with scale 1/epsilon
        values += rng.geometric(stay, values.shape) - rng.geometric(stay, values.shape)
    return replace(part, rows=rows, values=np.clip(values, 0, 255).astype(np.uint8))
