"""Random bits: AES-256-CTR, seeded from the operating system, uniform and repeatable only on request."""

from __future__ import annotations

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from pprl_desktop.privacy.keystream import Keystream


def test_the_stream_is_aes_256_ctr() -> None:
    seed = bytes(range(32))
    made = np.empty(700_001, dtype=np.uint8)  # more than one inner piece, and a ragged end
    Keystream(seed).fill(made)
    cipher = Cipher(algorithms.AES(seed), modes.CTR(bytes(16))).encryptor()
    assert made.tobytes() == cipher.update(bytes(700_001))


def test_two_streams_from_the_operating_system_differ() -> None:
    assert not np.array_equal(Keystream().words(4), Keystream().words(4))
    assert Keystream().fresh


def test_a_repeatable_stream_repeats_per_seed_and_purpose() -> None:
    first = Keystream.repeatable(7, "a").words(4)
    assert np.array_equal(first, Keystream.repeatable(7, "a").words(4))
    assert not np.array_equal(first, Keystream.repeatable(7, "b").words(4))
    assert not np.array_equal(first, Keystream.repeatable(8, "a").words(4))
    assert not Keystream.repeatable(7).fresh


def test_a_seed_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Keystream(b"short")


def test_integers_below_a_bound_are_uniform() -> None:
    from scipy.stats import chisquare

    drawn = Keystream.repeatable(1).below(7, 1_000_000)
    assert chisquare(np.bincount(drawn, minlength=7)).pvalue > 1e-4
    assert Keystream.repeatable(2).below(1, 5).tolist() == [0] * 5
    with pytest.raises(ValueError, match="bound"):
        Keystream().below(0, 1)


def test_a_permutation_holds_each_number_once_and_every_order_alike() -> None:
    from scipy.stats import chisquare

    source = Keystream.repeatable(3)
    assert sorted(source.permutation(1000)) == list(range(1000))
    orders = [tuple(source.permutation(3)) for _ in range(6000)]
    assert chisquare([orders.count(order) for order in set(orders)]).pvalue > 1e-4
    assert len(set(orders)) == 6
