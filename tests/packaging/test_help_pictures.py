"""Pictures of the help keep their colours with a table of 255."""

from __future__ import annotations

import numpy as np

from tests.packaging.loading import load


def test_few_colours_are_kept_exactly() -> None:
    pixels = np.array([[1, 2, 3], [250, 0, 9], [1, 2, 3]], np.uint8)
    table, indices = load("make_help_pictures").quantised(pixels)
    assert (table[indices] == pixels).all()


def test_many_colours_lose_little_and_a_rare_strange_one_stays() -> None:
    greys = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)
    tinted = np.minimum(greys.astype(int) + np.array([0, 0, 3]), 255).astype(np.uint8)
    pixels = np.concatenate([np.repeat(greys, 9, axis=0), tinted, np.array([[255, 0, 0]], np.uint8)])
    table, indices = load("make_help_pictures").quantised(pixels)
    assert len(table) == 255
    assert np.abs(table[indices].astype(int) - pixels).max() <= 8
    assert (table[indices[-1]] == [255, 0, 0]).all()
