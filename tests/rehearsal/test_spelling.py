"""Names in no list are read out of a record's filter pair by pair of letters."""

from __future__ import annotations

import numpy as np
import pytest

from pprl_desktop.codes import qgrams
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.rehearsal.rehearse import rehearse
from pprl_desktop.rehearsal.spelling import can_be_spelt, strings
from pprl_desktop.rehearsal.stage import staged
from pprl_desktop.rehearsal.target import Target
from tests.privacy.people import NAMES, people, recipe, short

FIELDS = (*NAMES, Field.of("town", "text"))


def unlisted(rows: int) -> CleanTable:
    """People whose last names stand in no list."""
    rng = np.random.default_rng(4)
    made = [
        "".join("BCDFGHKLMNPRSTVW"[rng.integers(16)] + "AEIOUY"[rng.integers(6)] for _ in range(4)) for _ in range(rows)
    ]
    plain = people(rows, FIELDS)
    return CleanTable(FIELDS, (Column.of("last_name", made), *plain.columns[1:]))


@pytest.mark.parametrize("changes", [{}, {"balanced": True}, {"salt_field": "town"}])
def test_names_in_no_list_are_read_from_record_filters_without_noise(changes) -> None:
    table = unlisted(60)
    lists = short(people(60, FIELDS), 200)
    found = rehearse(table, recipe("bloom", FIELDS, layout="record", **changes), dictionary=lists, changes=False)
    assert found.partner.last is not None
    assert found.partner.last.share > 0.7  # some pairs make several strings
    (last,) = (one for one in found.fields if one.field == "last_name")
    assert last.listed.share < 0.1


@pytest.mark.parametrize("changes", [{"epsilon": 1.0}, {"fold": 1}])
def test_noise_and_folding_close_this_way(changes) -> None:
    table, lists = unlisted(20), short(people(20, FIELDS), 200)
    stage = staged(table, recipe("bloom", FIELDS, layout="record", **changes), lists, {}, 20, 0, NO_PROGRESS)
    target = Target(stage.sample, stage.recipe, (stage.leaving(0, 0),), stage.guesses)
    assert not can_be_spelt(target)


def pairs_of(text: str) -> frozenset[str]:
    return frozenset(qgrams.pieces(text, "name"))


@pytest.mark.parametrize("name", ["MEYER", "ANNA", "BANANA", "O'NEILL", "VON DER HEIDE", "I"])
def test_a_name_is_among_the_strings_of_its_own_pairs(name: str) -> None:
    assert name in strings(pairs_of(name))


def test_every_string_has_exactly_the_pairs_it_was_made_of() -> None:
    for name in ("MEYERMEIER", "ANNABELLA", "TITIA"):
        found = list(strings(pairs_of(name)))
        assert name in found
        assert all(pairs_of(one) == pairs_of(name) for one in found)


def test_pairs_of_no_string_and_very_many_pairs_end_soon() -> None:
    assert strings(frozenset({"AB", "CD"})) == []
    assert strings(frozenset(a + b for a in "ABCDEFGH\x02" for b in "ABCDEFGH\x02")) == []
