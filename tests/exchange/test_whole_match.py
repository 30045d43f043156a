"""A finished match comes back as it was, sealed, and only for the bundles it was made of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW, Match, Scored
from pprl_desktop.exchange import bundles, inbox, whole_match
from pprl_desktop.said import Said
from tests.exchange.conftest import Party, agree, introduce, make_party, people


@pytest.fixture
def party(tmp_path: Path) -> Party:
    a, b = make_party(tmp_path / "a", "Hospital"), make_party(tmp_path / "b", "Registry")
    introduce(a, b)
    agree(a, b, tmp_path)
    for one, other, table in ((a, b, people(0, 30)), (b, a, people(10, 40))):
        bundles.export(one.signed(), table, one.home.path / "out.pprl")
        inbox.open_file(other.home, other.own, one.home.path / "out.pprl")
    return a


def made() -> Match:
    score = np.array([6.0, 5.0, 2.0, -3.0])
    evidence = np.arange(12, dtype=np.float32).reshape(4, 3)
    evidence[1, 1] = np.nan
    scored = Scored(
        np.array([3, 1, 2, 0], np.int32), np.array([7, 5, 6, 4], np.int32), score, np.array([0.99, 0.9, 0.6, np.nan]),
        evidence, ("first", "last", "birth"), 4.5, 900, (), {"candidate_recall": 0.99, "levels": [1, 2]},
    )  # fmt: skip
    band = np.array([ACCEPT, ACCEPT, REVIEW, REJECT], np.int8)
    said = (Said("{n} pairs had an equally good other.", n=3),)
    return Match(scored, band != REJECT, band, 4.5, 0.5, 1, {"precision": 0.97, "recall": float("nan")}, said,
                 tuning={"strength": 25.0, "bands": {"review_from": 0.1}})  # fmt: skip


def test_everything_that_is_shown_comes_back(party: Party) -> None:
    before = made()
    whole_match.keep(party.signed(), before)
    after = whole_match.kept(party.signed())
    assert after is not None
    for name in ("own", "partner", "score", "probability"):
        np.testing.assert_array_equal(getattr(after.scored, name), getattr(before.scored, name))
    np.testing.assert_array_equal(after.band, before.band)
    np.testing.assert_array_equal(after.scored.why(after.kept()), before.scored.evidence[:3])
    assert np.isnan(after.scored.why(np.array([3]))).all()
    assert (after.accept, after.review, after.ties) == (4.5, 0.5, 1)
    assert after.expected["precision"] == 0.97
    assert after.tuning == before.tuning
    assert after.warnings == before.warnings
    assert after.scored.fields == before.scored.fields
    assert after.scored.notes["candidate_recall"] == 0.99


def test_it_is_sealed_and_belongs_to_its_bundles(party: Party, tmp_path: Path) -> None:
    whole_match.keep(party.signed(), made())
    (path,) = party.home.path.rglob("whole-match.pprl")
    assert b"candidate_recall" not in path.read_bytes()
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    assert whole_match.kept(party.signed()) is None
