"""RFC 9497, ristretto255-SHA512: the published vectors of both modes, and a second implementation as oracle."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pprl_desktop.blind import group, oprf

VECTORS = Path(__file__).parent / "oprf_ristretto255.json"  # of the RFC, suite ristretto255-SHA512


def raw(text: str) -> group.Bytes:
    return np.frombuffer(bytes.fromhex(text), np.uint8)


def suites() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(VECTORS.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: f"mode {suite['mode']}")
def test_keys_are_derived_as_published(suite: dict[str, Any]) -> None:
    key = oprf.derive_key(bytes.fromhex(suite["seed"]), bytes.fromhex(suite["keyInfo"]), suite["mode"])
    assert key.tobytes().hex() == suite["skSm"]
    if "pkSm" in suite:
        assert group.multiply_base(key).tobytes().hex() == suite["pkSm"]


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: f"mode {suite['mode']}")
def test_blinding_evaluating_and_finalizing_as_published(suite: dict[str, Any]) -> None:
    mode, key = suite["mode"], raw(suite["skSm"])[None, :]
    assert suite["vectors"]
    for vector in suite["vectors"]:
        inputs, blinds, outputs, blinded, evaluated = (
            vector[name].split(",") for name in ("Input", "Blind", "Output", "BlindedElement", "EvaluationElement")
        )
        for x, r, out, b, e in zip(inputs, blinds, outputs, blinded, evaluated, strict=True):
            point = oprf.hash_to_group(raw(x)[None, :], mode)
            asked, good = group.multiply(raw(r)[None, :], point)
            assert good.all()
            assert asked.tobytes().hex() == b
            answered, _ = group.multiply(key, asked)
            assert answered.tobytes().hex() == e
            opened, _ = group.multiply(group.inverted(raw(r)[None, :]), answered)
            assert oprf.finalize(raw(x)[None, :], opened).tobytes().hex() == out
            assert oprf.evaluate(key, raw(x)[None, :], mode=mode).tobytes().hex() == out


def test_proofs_are_as_published_and_verify() -> None:
    (suite,) = [one for one in suites() if one["mode"] == oprf.VOPRF]
    key, public = raw(suite["skSm"])[None, :], raw(suite["pkSm"])[None, :]
    assert suite["vectors"]
    for vector in suite["vectors"]:
        blinded = np.stack([raw(one) for one in vector["BlindedElement"].split(",")])
        evaluated = np.stack([raw(one) for one in vector["EvaluationElement"].split(",")])
        proof = oprf.prove(key, blinded, evaluated, raw(vector["Proof"]["r"])[None, :])
        assert proof.tobytes().hex() == vector["Proof"]["proof"]
        assert oprf.verify(public, blinded, evaluated, proof)
        wrong = proof.copy()
        wrong[40] ^= 1
        assert not oprf.verify(public, blinded, evaluated, wrong)
        other, _ = group.multiply(group.scalar_of(2), evaluated)
        assert not oprf.verify(public, blinded, other, proof)


def test_a_second_implementation_agrees() -> None:
    """PyPI's voprf asks, we answer with a proof; it accepts the proof and comes to our output."""
    from voprf import ristretto

    seed, message = os.urandom(32), os.urandom(32)
    key = oprf.derive_key(seed, b"", oprf.VOPRF)
    server = ristretto.Evaluator(seed)
    public = group.multiply_base(key)
    assert server.public_key.serialize() == public.tobytes()
    output = oprf.evaluate(key, raw(message.hex())[None, :], mode=oprf.VOPRF).tobytes()
    assert server.evaluate_known_input(message) == output

    client, asked = ristretto.Client.blind(message)
    blinded = raw(asked.serialize().hex())[None, :]
    evaluated, _ = group.multiply(key, blinded)
    proof = oprf.prove(key, blinded, evaluated, group.Stream(os.urandom(32), "proof").scalars(1))
    answer = ristretto.VerifiableOutput.deserialize(proof.tobytes() + evaluated.tobytes())
    assert client.finalize(answer, server.public_key) == output
