"""The default mapping gives every kind of field a fitting reference attribute, and wrong mappings are named."""

from __future__ import annotations

import pytest

from pprl_desktop.codes.base import Recipe
from pprl_desktop.codes.mapping import default_mapping, mapping_problems
from pprl_desktop.records.fields import KINDS, Field
from pprl_desktop.reference.load import reference_set
from pprl_desktop.reference.sets import ReferenceSet


@pytest.mark.parametrize("name", ["us-200", "us-2000", "places-200"])
def test_every_kind_finds_an_attribute_in_every_built_in_set(name: str) -> None:
    reference = reference_set(name)
    fields = [Field.of(kind, kind) for kind in KINDS]
    mapping = dict(default_mapping(fields, reference))
    assert mapping.keys() == set(KINDS)
    assert all(attribute in reference.attributes for found in mapping.values() for attribute in found)
    assert mapping["date"] == mapping["id"] == mapping["number"] == ("digits",)


def test_fields_of_one_kind_share_an_attribute_so_that_swapped_names_can_be_compared() -> None:
    fields = [Field.of(name) for name in ("first_name", "maiden_name", "last_name")]
    mapping = default_mapping(fields, reference_set("us-200"))
    assert len({attributes for _, attributes in mapping}) == 1


def test_a_reference_set_with_one_unknown_attribute_serves_all_kinds() -> None:
    reference = ReferenceSet.of("own", ["vorname"], [["A"], ["B"]])
    assert all(found == ("vorname",) for _, found in default_mapping([Field.of(k, k) for k in KINDS], reference))


def test_problems_of_a_mapping_are_told_before_any_work() -> None:
    fields = (Field.of("last_name"),)
    reference = ReferenceSet.of("own", ["last"], [["A"]])
    assert mapping_problems(Recipe("split", fields, reference=reference)) == ()
    assert mapping_problems(Recipe("split", fields))[0].place == "reference"
    wrong = (("last_name", ("lsat",)), ("nobody", ("last",)))
    assert len(mapping_problems(Recipe("split", fields, reference=reference, mapping=wrong))) == 2
    none = (("last_name", ()),)
    assert len(mapping_problems(Recipe("split", fields, reference=reference, mapping=none))) == 1
