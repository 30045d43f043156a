"""Names in no list are searched out of codes of whole records, where nothing can be read piece by piece."""

from __future__ import annotations

import pytest

from pprl_desktop.rehearsal import stage
from pprl_desktop.rehearsal.rehearse import rehearse
from tests.privacy.people import people, recipe, short
from tests.rehearsal.test_spelling import FIELDS, unlisted

ROWS = 16


def last_names_read(name: str, **changes: object) -> int:
    made = recipe(name, FIELDS, layout="record", **changes)
    found = rehearse(unlisted(ROWS), made, dictionary=short(people(ROWS, FIELDS), 200), changes=False)
    assert found.partner.last is not None
    return found.partner.last.hits


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("bloom", {"fold": 1}),
        ("bloom", {"epsilon": 3.0}),
        ("simhash", {"epsilon": None}),
        ("simhash", {"epsilon": 4.0}),
    ],
)
def test_made_up_names_are_read_from_folded_noisy_and_signed_records(name, changes, monkeypatch) -> None:
    assert last_names_read(name, **changes) > ROWS / 4
    monkeypatch.setattr(stage, "searched", lambda _target, listed, _progress: dict(listed))
    assert last_names_read(name, **changes) < 2, "by the lists alone"


def test_strong_noise_leaves_nothing_to_search_for() -> None:
    assert last_names_read("simhash", epsilon=0.3) < 2


def test_listed_names_stay_as_the_lists_gave_them(monkeypatch) -> None:
    """Under noise some odd spelling often lies nearer than the right name; it is taken only where that is likelier."""
    table = people(40, FIELDS)
    made = recipe("bloom", FIELDS, layout="record", epsilon=1.0)
    lists = short(table, 300)
    with_search = rehearse(table, made, dictionary=lists, changes=False).partner.named.hits
    monkeypatch.setattr(stage, "searched", lambda _target, listed, _progress: dict(listed))
    assert with_search >= rehearse(table, made, dictionary=lists, changes=False).partner.named.hits - 1
