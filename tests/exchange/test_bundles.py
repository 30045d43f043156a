"""Bundles and results: same bytes again, no order, no decoys left, and each side learns its own rows' partners."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop import files
from pprl_desktop.codes.base import REGISTRY, Settings, method
from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW
from pprl_desktop.exchange import agreeing, bundles, inbox, letters, linking, results, seal
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records.table import CleanTable, Column

from .conftest import FIELDS, Party, Scene, agree, everything, export, offer, people
from .test_refusals import refused

EXPORTABLE = [name for name in REGISTRY if method(name).exportable and method(name).smashes]


def wanted(name: str, **changes: object) -> Offer:
    made = method(name)
    settings: Settings = replace(made.defaults(), **changes)  # type: ignore[arg-type]
    return offer(method=name, settings=settings, reference="us-200" if made.uses_reference else "")


def swap(scene: Scene, agreed: str, a: CleanTable, b: CleanTable) -> None:
    for here, there, table, name in ((scene.a, scene.b, a, "a"), (scene.b, scene.a, b, "b")):
        export(here.home, here.own, here.home.agreement(agreed), table, scene.folder / f"{name}.pprl")
        inbox.open_file(there.home, there.own, scene.folder / f"{name}.pprl")


def matched(party: Party, agreed: str, table: CleanTable) -> linking.AssignedPairs:
    return linking.keep(party.signed(agreed), party.match(agreed, table))


@pytest.mark.parametrize("name", EXPORTABLE)
def test_what_is_sent_is_what_is_opened(scene: Scene, name: str) -> None:
    agreement = agree(scene.a, scene.b, scene.folder, wanted(name))
    table = people(0, 40)
    export(scene.a.home, scene.a.own, scene.a.home.agreement(agreement.id), table, scene.folder / "x.pprl")
    received = inbox.open_file(scene.b.home, scene.b.own, scene.folder / "x.pprl")
    assert received.item is not None
    assert received.agreement is not None
    bundle = bundles.load(letters.reopen(scene.b.signed(received.agreement.id), received.item))
    recipe = agreeing.recipe_of(scene.a.signed(agreement.id))
    smashed = method(name).smash(table, recipe, NO_PROGRESS)
    names = bundles.own_map(scene.a.signed(agreement.id), received.item)
    for mine, theirs in zip(smashed.parts, bundle.smashed.parts, strict=True):
        assert (mine.name, mine.field, mine.kind, mine.role) == (theirs.name, theirs.field, theirs.kind, theirs.role)
        for place, row in enumerate(names.rows):
            there, here = theirs.rows[place], mine.rows[row]
            assert (there < 0) == (here < 0)
            assert there < 0 or (theirs.values[there] == mine.values[here]).all()


def test_the_same_table_gives_the_same_bytes(scene: Scene) -> None:
    again = export(scene.a.home, scene.a.own, scene.a.agreement, people(0, 60), scene.folder / "again.pprl")
    assert again.resent
    assert (scene.folder / "again.pprl").read_bytes() == scene.bundle.read_bytes()


def test_noise_is_sent_the_same_again(scene: Scene) -> None:
    agreement = agree(scene.a, scene.b, scene.folder, wanted("bloom", epsilon=2.0))
    here = scene.a
    for name in ("x", "y"):
        export(here.home, here.own, here.home.agreement(agreement.id), people(0, 30), scene.folder / name)
    assert (scene.folder / "x").read_bytes() == (scene.folder / "y").read_bytes()
    releases = here.home.ledger().releases()
    assert [release.epsilon for release in releases] == ["", "2"]
    assert releases[1].sent == 1
    assert releases[1].file == files.sha256(scene.folder / "x")
    inbox.open_file(scene.b.home, scene.b.own, scene.folder / "x")


def test_another_table_is_another_release(scene: Scene) -> None:
    made = export(scene.a.home, scene.a.own, scene.a.agreement, people(0, 61), scene.folder / "x.pprl")
    assert not made.resent
    assert made.sequence == 2
    assert any("earlier release" in str(note) for note in made.notes)


def test_the_same_rows_in_another_order_are_refused(scene: Scene) -> None:
    with pytest.raises(Problem, match="another order"):
        export(
            scene.a.home, scene.a.own, scene.a.agreement, people(0, 60).take(np.arange(60)[::-1]), scene.folder / "x"
        )
    assert not (scene.folder / "x").exists()


def test_the_order_of_the_file_is_not_in_the_bundle(scene: Scene) -> None:
    opened = seal.open_sealed(scene.bundle, [scene.b.own.keys], [scene.a.own.keys.public().sign])
    bundle = bundles.load(opened)
    names = bundles.own_map(scene.a.signed(), scene.a.agreement.sent[0])
    assert names.rows.tolist() != sorted(names.rows.tolist())
    for part in bundle.smashed.parts:
        seen = list(dict.fromkeys(part.rows[part.rows >= 0].tolist()))
        assert seen == list(range(len(part.values)))  # values are numbered by the new order, not by the old one


def test_the_map_stays_at_home_and_is_sealed_there(scene: Scene) -> None:
    names = bundles.own_map(scene.a.signed(), scene.a.agreement.sent[0])
    for content in everything(scene.a.home.path).values():
        assert names.pseudonyms[0].tobytes() not in content
    assert sorted(names.rows.tolist()) == list(range(60))


def test_nothing_of_the_table_is_at_home_in_clear(scene: Scene) -> None:
    table = people(0, 60)
    held = everything(scene.a.home.path)
    assert any(name.startswith("agreements") for name in held)
    for content in held.values():
        for column in table.columns:
            assert not any(str(value).encode() in content for value in column.values if len(str(value)) > 4)


@pytest.mark.parametrize("noise", ["one-sided", "two-sided"])
def test_noise_on_one_or_both_sides_still_matches(scene: Scene, noise: str) -> None:
    agreement = agree(scene.a, scene.b, scene.folder, wanted("bloom", epsilon=4.0, noise=noise))
    a, b = people(0, 150), people(75, 225)
    swap(scene, agreement.id, a, b)
    found = matched(scene.a, agreement.id, a)
    true = found.own[found.band == ACCEPT] - 75
    names = bundles.own_map(scene.b.signed(agreement.id), scene.b.home.agreement(agreement.id).sent[-1])
    assert (names.rows[found.partner[found.band == ACCEPT]] == true).mean() > 0.9
    assert len(true) > 50


def test_decoys_are_sent_and_dropped_by_their_owner(scene: Scene) -> None:
    agreement = agree(scene.a, scene.b, scene.folder, wanted("bloom", decoys=30))
    a, b = people(0, 80), people(40, 120)
    swap(scene, agreement.id, a, b)
    at_b = letters.reopen(
        scene.b.signed(agreement.id),
        scene.b.home.agreement(agreement.id).received[-1],
    )
    assert at_b.manifest.body["rows"] == 110
    outcomes = whole_result(scene, agreement.id, a, b)
    assert outcomes[0].reconciled.linked[:, 0].max() < 80
    assert outcomes[0].links == tuple(sorted(outcomes[0].links, key=outcomes[0].links.index))
    assert set(outcomes[0].links) == set(outcomes[1].links)


def whole_result(scene: Scene, agreed: str, a: CleanTable, b: CleanTable) -> tuple[results.Outcome, results.Outcome]:
    for party, table, name in ((scene.a, a, "ra"), (scene.b, b, "rb")):
        matched(party, agreed, table)
        results.export(party.signed(agreed), scene.folder / name)
    inbox.open_file(scene.a.home, scene.a.own, scene.folder / "rb")
    inbox.open_file(scene.b.home, scene.b.own, scene.folder / "ra")
    return tuple(results.outcome(one.signed(agreed)) for one in (scene.a, scene.b))  # type: ignore[return-value]


@pytest.mark.parametrize("rule", ["both", "review"])
def test_pairs_that_a_match_leaves_unsure_are_told_as_left_open_under_every_rule(scene: Scene, rule: str) -> None:
    agreement = agree(scene.a, scene.b, scene.folder, replace(wanted("bloom"), rule=rule))  # type: ignore[arg-type]
    a, b = people(0, 80), people(40, 120)
    swap(scene, agreement.id, a, b)
    for party, table, name in ((scene.a, a, "ra"), (scene.b, b, "rb")):
        found = matched(party, agreement.id, table)
        band = np.where(found.band == REVIEW, REJECT, found.band).astype(np.uint8)
        if party is scene.a:
            band[np.flatnonzero(band == ACCEPT)[:3]] = REVIEW
        linking.keep_pairs(party.signed(agreement.id), replace(found, band=band))
        results.export(party.signed(agreement.id), scene.folder / name)
    inbox.open_file(scene.a.home, scene.a.own, scene.folder / "rb")
    outcome = results.outcome(scene.a.signed(agreement.id))
    assert outcome.left_open >= 3
    assert outcome.left_open - len(outcome.reconciled.open) == outcome.unsure == (3 if rule == "both" else 0)


@pytest.mark.parametrize("rule", ["both", "either", "review"])
def test_both_sides_come_to_the_same_end(scene: Scene, rule: str) -> None:
    agreement = agree(scene.a, scene.b, scene.folder, replace(wanted("bloom"), rule=rule))  # type: ignore[arg-type]
    a, b = people(0, 80), people(40, 120)
    swap(scene, agreement.id, a, b)
    at_a, at_b = whole_result(scene, agreement.id, a, b)
    assert set(at_a.links) == set(at_b.links)
    assert set(at_a.to_review) == set(at_b.to_review)
    assert at_a.counts()["both"] == at_b.counts()["both"]
    assert at_a.counts()["only_mine"] == at_b.counts()["only_theirs"]
    right = dict(zip(at_a.links, at_a.reconciled.linked[:, 0], strict=True))
    theirs = dict(zip(at_b.links, at_b.reconciled.linked[:, 0], strict=True))
    correct = [right[link] - 40 == theirs[link] for link in right]
    assert len(correct) >= 35
    assert np.mean(correct) > 0.9


@pytest.fixture
def exchanged(scene: Scene) -> tuple[Scene, str]:
    """Bundles both ways, matched on both sides, A's result written."""
    agreement = agree(scene.a, scene.b, scene.folder, replace(wanted("bloom"), rule="review"))
    a, b = people(0, 80), people(40, 120)
    swap(scene, agreement.id, a, b)
    matched(scene.a, agreement.id, a)
    matched(scene.b, agreement.id, b)
    results.export(scene.a.signed(agreement.id), scene.folder / "ra")
    return scene, agreement.id


def test_a_result_is_sent_the_same_again(exchanged: tuple[Scene, str]) -> None:
    scene, agreed = exchanged
    again = results.export(scene.a.signed(agreed), scene.folder / "rb")
    assert again.resent
    assert (scene.folder / "ra").read_bytes() == (scene.folder / "rb").read_bytes()


def forged_result(scene: Scene, change: object) -> Path:
    opened = seal.open_sealed(scene.folder / "ra", [scene.b.own.keys], [scene.a.own.keys.public().sign])
    body, arrays = dict(opened.manifest.body), {name: array.copy() for name, array in opened.load().items()}
    change(body, arrays)  # type: ignore[operator]
    manifest = replace(opened.manifest, body=body)
    seal.seal(scene.folder / "forged", manifest, arrays, scene.a.own.keys, scene.b.own.keys.public())
    return scene.folder / "forged"


def test_wrong_results_are_refused(exchanged: tuple[Scene, str]) -> None:
    scene, _ = exchanged

    def repeated(body: dict[str, object], arrays: dict[str, np.ndarray]) -> None:
        first = int(np.flatnonzero(arrays["band"] == ACCEPT)[0])
        for name in ("mine", "yours"):
            arrays[name][first + 1] = arrays[name][first]
        arrays["band"][first + 1] = ACCEPT

    def cut(body: dict[str, object], arrays: dict[str, np.ndarray]) -> None:
        arrays["band"] = arrays["band"][:-1]

    cases = [
        (lambda body, arrays: body.update(mine="ab" * 32), "does not fit the agreement: mine"),
        (lambda body, arrays: body.update(yours="ab" * 32), "does not fit the agreement: yours"),
        (lambda body, arrays: body.update(pairs=-1), "body.pairs"),
        (lambda body, arrays: body.update(more="x"), "body.unknown entry"),
        (lambda body, arrays: arrays["yours"].__setitem__(0, 0), "in neither bundle"),
        (lambda body, arrays: arrays["mine"].__setitem__(0, 0), "in neither bundle"),
        (lambda body, arrays: arrays["band"].__setitem__(0, 7), "neither accepted nor"),
        (lambda body, arrays: arrays.pop("band"), "malformed: entries"),
        (cut, "malformed: entries"),
        (repeated, "accepted twice"),
    ]
    for change, word in cases:
        with refused(scene, word):
            inbox.open_file(scene.b.home, scene.b.own, forged_result(scene, change))


def test_steps_taken_too_early_say_what_is_missing(scene: Scene) -> None:
    a, agreement = scene.a, scene.a.agreement
    b = scene.b
    with pytest.raises(Problem, match="own bundle was not exported"):
        b.match(b.agreement.id, people(0, 5))
    with pytest.raises(Problem, match="partner's bundle is not here"):
        a.match(agreement.id, people(0, 60))
    with pytest.raises(Problem, match="no match yet"):
        results.export(a.signed(agreement.id), scene.folder / "r")
    with pytest.raises(Problem, match="own result was not exported"):
        results.outcome(a.signed(agreement.id))


def test_an_outcome_needs_the_partners_result(exchanged: tuple[Scene, str]) -> None:
    scene, agreed = exchanged
    with pytest.raises(Problem, match="partner's result is not here"):
        results.outcome(scene.a.signed(agreed))


def test_matching_another_table_than_the_exported_one_is_refused(exchanged: tuple[Scene, str]) -> None:
    scene, agreed = exchanged
    with pytest.raises(Problem, match="not the table you exported"):
        scene.a.match(agreed, people(0, 79))


def test_a_newer_bundle_makes_the_match_old(exchanged: tuple[Scene, str]) -> None:
    scene, agreed = exchanged
    export(scene.a.home, scene.a.own, scene.a.home.agreement(agreed), people(0, 90), scene.folder / "n")
    with pytest.raises(Problem, match="older than the bundles"):
        linking.kept(scene.a.signed(agreed))


def test_receipts_confirm_and_do_not_hold_up(scene: Scene) -> None:
    received = inbox.open_file(scene.b.home, scene.b.own, scene.bundle)
    inbox.receipt(scene.b.home, scene.b.own, received, scene.folder / "r.pprl")
    assert scene.b.agreement.sent == ()
    assert inbox.open_file(scene.a.home, scene.a.own, scene.folder / "r.pprl").kind == "receipt"
    assert scene.a.agreement.sent[0].seen
    with pytest.raises(Problem, match="already imported"):
        inbox.open_file(scene.a.home, scene.a.own, scene.folder / "r.pprl")


def test_a_receipt_for_nothing_is_refused(scene: Scene) -> None:
    received = inbox.open_file(scene.b.home, scene.b.own, scene.bundle)
    assert received.item is not None
    wrong = replace(received, item=replace(received.item, digest="ab" * 32))
    inbox.receipt(scene.b.home, scene.b.own, wrong, scene.folder / "r.pprl")
    with pytest.raises(Problem, match="never sent"):
        inbox.open_file(scene.a.home, scene.a.own, scene.folder / "r.pprl")


def test_a_table_that_does_not_fit_is_not_exported(scene: Scene) -> None:
    cases = [
        (people(0, 1001), "allows 1,000"),
        (CleanTable(FIELDS, tuple(Column.of(one.name, []) for one in FIELDS)), "no rows"),
        (CleanTable(FIELDS[:2], people(0, 5).columns[:2]), "not cleaned as agreed"),
    ]
    for table, word in cases:
        with pytest.raises(Problem, match=word):
            export(scene.a.home, scene.a.own, scene.a.agreement, table, scene.folder / "x")


def test_nothing_is_exported_for_an_unverified_contact(scene: Scene) -> None:
    scene.a.home.keep_contact(scene.a.partner.with_state("unverified"))
    with pytest.raises(Problem, match="not verified"):
        export(scene.a.home, scene.a.own, scene.a.agreement, people(0, 60), scene.folder / "x")
    assert not (scene.folder / "x").exists()


def test_answers_under_noise_are_given_once(scene: Scene) -> None:
    agreement = agree(scene.a, scene.b, scene.folder, wanted("dp-nn"))
    a, b = people(0, 80), people(40, 120)
    swap(scene, agreement.id, a, b)
    for name in ("r1", "r2"):
        matched(scene.a, agreement.id, a)  # another draw each time
        results.export(scene.a.signed(agreement.id), scene.folder / name)
    assert (scene.folder / "r1").read_bytes() == (scene.folder / "r2").read_bytes()
    releases = scene.a.home.ledger().releases()
    assert [one.unit for one in releases] == ["", "", "per query"]
    assert float(releases[-1].record_epsilon) == 80 * 20


def test_review_pairs_travel_only_where_a_review_was_agreed(exchanged: tuple[Scene, str]) -> None:
    scene, _ = exchanged
    opened = seal.open_sealed(scene.folder / "ra", [scene.b.own.keys], [scene.a.own.keys.public().sign])
    assert set(np.unique(opened.load()["band"])) <= {ACCEPT, REVIEW}


def test_a_review_letter_of_another_form_is_refused(scene: Scene) -> None:
    """It goes the same way as every file, in its turn, and is taken in only as the letters the program knows."""
    arrays = {"cells": np.frombuffer(b"masked cells", np.uint8)}
    with scene.a.home.locked():
        agreement, item = letters.send(scene.a.signed(), "review", {"pairs": 3}, arrays)
        letters.publish(scene.a.home, agreement, item, scene.folder / "v.pprl")
    with pytest.raises(Problem, match="Open file 1 of General Hospital first"):
        inbox.open_file(scene.b.home, scene.b.own, scene.folder / "v.pprl")
    inbox.open_file(scene.b.home, scene.b.own, scene.bundle)
    with pytest.raises(Problem, match="No review was agreed"):
        inbox.open_file(scene.b.home, scene.b.own, scene.folder / "v.pprl")


def test_a_file_larger_than_agreed_is_not_even_made(scene: Scene) -> None:
    huge = {"x": np.zeros(17 << 20, np.uint8)}
    with pytest.raises(Problem, match="larger than agreed"):
        letters.send(scene.a.signed(), "review", {}, huge)


def test_a_kept_letter_that_was_exchanged_is_noticed(scene: Scene) -> None:
    received = inbox.open_file(scene.b.home, scene.b.own, scene.bundle)
    assert received.item is not None
    opened = seal.open_sealed(scene.bundle, [scene.b.own.keys], [scene.a.own.keys.public().sign])
    path = letters.received_path(scene.b.home, scene.b.agreement, received.item)
    other = replace(opened.manifest, sequence=9)
    seal.seal(path, other, opened.load(), scene.a.own.keys, scene.b.own.keys.public())
    with pytest.raises(Problem, match="cannot be opened"):
        letters.reopen(scene.b.signed(), received.item)


def test_a_card_is_told_from_a_sealed_file(scene: Scene) -> None:
    path = scene.folder / "x.pprlcard"
    path.write_bytes(scene.a.home.own_card_bytes())
    with pytest.raises(Problem, match="This is a card"):
        inbox.open_file(scene.b.home, scene.b.own, path)
    with pytest.raises(Problem, match="not found"):
        inbox.open_file(scene.b.home, scene.b.own, scene.folder / "nothing")


@pytest.mark.parametrize(
    ("name", "changes"),
    [("bloom", {"layout": "record", "decision": "threshold", "epsilon": 2.0}),
     ("simhash", {"layout": "record", "decision": "threshold"}), ("dp-nn", {})],
)  # fmt: skip
def test_evidence_per_field_of_a_record_code_lets_nothing_more_leave(
    scene: Scene, name: str, changes: dict[str, object]
) -> None:
    """One code per record goes out, and pairs of random names come back: what each field says stays at home."""
    agreed = agree(scene.a, scene.b, scene.folder, wanted(name, **changes)).id
    table = people(0, 60)
    swap(scene, agreed, table, people(20, 80))
    agreement, here = scene.a.home.agreement(agreed), scene.a
    bundle = letters.reopen(scene.b.signed(agreed), scene.b.home.agreement(agreed).received[-1])
    codes = bundles.load(bundle).smashed
    assert [(part.name, part.field, part.width) for part in codes.parts] == [("record", "", 128)]
    sent = (scene.folder / "a.pprl").read_bytes()

    made = here.match(agreed, table)
    assert made.scored.fields == tuple(field.name for field in FIELDS)
    assert made.evidence is not None
    assert made.evidence.shape == (len(made.kept()), len(FIELDS))
    assert len(made.kept())
    linking.keep(here.signed(agreement.id), made)
    results.export(here.signed(agreement.id), scene.folder / "result.pprl")
    answer = seal.open_sealed(scene.folder / "result.pprl", [scene.b.own.keys], [here.own.keys.public().sign])
    assert [entry.name for entry in answer.manifest.entries] == ["mine", "yours", "band"]
    assert set(answer.manifest.body) == {"pairs", "mine", "yours"}
    again = export(here.home, here.own, here.home.agreement(agreed), table, scene.folder / "again.pprl")
    assert again.resent
    assert (scene.folder / "again.pprl").read_bytes() == sent
