"""The next delivery: unchanged rows go out with the same bytes and names, and the ledger counts what is really new."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.codes import recipe
from pprl_desktop.exchange import agreeing, bundles, inbox, letters, results
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.bundles import PartnerBundle
from pprl_desktop.exchange.disclosures import CLEAR, PlannedDisclosure
from pprl_desktop.exchange.release_totals import repeated
from pprl_desktop.job.disclosure import left_sentences
from pprl_desktop.matching.party import smash
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import CleanTable, Column
from tests.exchange.conftest import FIELDS, Party, agree, introduce, offer, people

FIRST_ROWS = people(0, 60)


def ids(start: int, stop: int) -> list[str]:
    return [f"n{at}" for at in range(start, stop)]


def with_cell(table: CleanTable, row: int, field: str, text: str) -> CleanTable:
    columns = []
    for column in table.columns:
        cells = column.cells()
        if column.name == field:
            cells[row] = text
        columns.append(Column.of(column.name, cells))
    return CleanTable(table.fields, tuple(columns))


class Deliveries:
    """A sends one table after the other; B holds what came."""

    def __init__(self, a: Party, b: Party, folder: Path, wanted: Offer) -> None:
        self.a, self.b, self.folder = a, b, folder
        introduce(a, b)
        self.id = agree(a, b, folder, wanted).id
        self.sent = 0

    @property
    def agreement(self) -> Agreement:
        return self.a.home.agreement(self.id)

    def plan(self, table: CleanTable, numbers: list[str] | None = None) -> bundles.Plan:
        return bundles.plan(self.a.signed(self.id), table, numbers)

    def send(self, table: CleanTable, numbers: list[str] | None = None) -> tuple[bundles.Exported, PartnerBundle]:
        self.sent += 1
        out = self.folder / f"delivery {self.sent}.pprl"
        plan = self.plan(table, numbers).confirm()
        made = bundles.export(self.a.signed(self.id), table, out, seen=plan, ids=numbers)
        inbox.open_file(self.b.home, self.b.own, out)
        item = self.b.home.agreement(self.id).latest_received("data")
        assert item is not None
        return made, bundles.load(letters.reopen(self.b.signed(self.id), item))

    def named(self) -> dict[int, bytes]:
        """Own row -> random name, of what was sent last."""
        item = self.agreement.latest_sent("data")
        assert item is not None
        found = bundles.own_map(self.a.signed(self.id), item)
        return {row: name.tobytes() for row, name in zip(found.rows.tolist(), found.pseudonyms, strict=True)}


@pytest.fixture
def start(strangers: Callable[[str], Party], tmp_path: Path) -> Callable[..., Deliveries]:
    def make(method: str = "bloom", **settings: object) -> Deliveries:
        settings = {"epsilon": 2.0, **settings}
        wanted = offer(
            method=method,
            settings=recipe.settings(method, **settings),
            reference="us-200",  # type: ignore[arg-type]
        )
        return Deliveries(strangers("A"), strangers("B"), tmp_path, wanted)

    return make


def codes(bundle: PartnerBundle) -> dict[bytes, tuple[bytes, ...]]:
    """Random name -> the bytes of every part."""
    made = {}
    for at, name in enumerate(bundle.pseudonyms):
        parts = [part.values[part.rows[at]].tobytes() if part.rows[at] >= 0 else b"" for part in bundle.smashed.parts]
        made[name.tobytes()] = tuple(parts)
    return made


def test_unchanged_rows_go_out_with_the_same_bytes_and_names(start: Callable[..., Deliveries]) -> None:
    them = start()
    first = codes(them.send(FIRST_ROWS, ids(0, 60))[1])
    names = them.named()
    changed = with_cell(people(10, 70), 0, "last_name", "ANDERS")  # 10 gone, 10 new, one changed
    made, bundle = them.send(changed, ids(10, 70))
    second, now = codes(bundle), them.named()
    assert made.carried is not None
    assert (made.carried.unchanged, made.carried.changed, made.carried.new, made.carried.gone) == (49, 1, 10, 10)
    same = [name for name in second if first.get(name) == second[name]]
    assert len(same) == 49
    assert now[0] == names[10]  # the changed one keeps its name, and so its link
    assert second[now[0]] != first[names[10]]
    assert not {now[row] for row in range(50, 60)} & set(first)


def test_only_the_field_that_changed_gets_fresh_noise(start: Callable[..., Deliveries]) -> None:
    them = start("split", epsilon=1.0)
    first = codes(them.send(FIRST_ROWS, ids(0, 60))[1])
    _, bundle = them.send(with_cell(FIRST_ROWS, 3, "last_name", "ANDERS"), ids(0, 60))
    name = them.named()[3]
    fields = [part.field for part in bundle.smashed.parts]
    differing = {
        field for field, old, new in zip(fields, first[name], codes(bundle)[name], strict=True) if old != new
    }  # fmt: skip
    assert differing == {"last_name"}


@pytest.mark.parametrize("method", ["bloom", "simhash", "split"])
def test_a_part_of_a_field_depends_on_nothing_but_that_field(method: str) -> None:
    """What with_the_same_noise() takes for granted."""
    made = recipe.checked(recipe.build(method, FIELDS, recipe.settings(method, layout="field"), "us-200"))
    other = with_cell(FIRST_ROWS, 3, "last_name", "ANDERS")
    parts = {part.name: part for part in smash(other, made).parts}
    compared = set()
    for old in smash(FIRST_ROWS, made).parts:
        new = parts.get(old.name)
        if old.field in ("first_name", "born") and new is not None:
            assert (old.values[old.rows[3]] == new.values[new.rows[3]]).all()
            compared.add(old.field)
    assert compared == {"first_name", "born"}


def test_who_comes_back_or_gets_an_old_value_again_gets_the_old_bytes(start: Callable[..., Deliveries]) -> None:
    them = start()
    first = codes(them.send(FIRST_ROWS, ids(0, 60))[1])
    names = them.named()
    them.send(with_cell(people(0, 50), 0, "last_name", "ANDERS"), ids(0, 50))
    made, bundle = them.send(FIRST_ROWS, ids(0, 60))
    third = codes(bundle)
    assert third[names[55]] == first[names[55]]  # was gone
    assert third[names[0]] == first[names[0]]  # had another name in between
    assert made.carried is not None
    assert made.carried.unchanged == 60
    assert not made.resent  # the partner has opened that file already: it gets one that comes next


def test_without_a_record_number_a_changed_row_is_gone_and_new_and_counts_twice(
    start: Callable[..., Deliveries],
) -> None:
    them = start()
    them.send(FIRST_ROWS)
    carried = them.plan(with_cell(FIRST_ROWS, 0, "last_name", "ANDERS")).planned.carried
    assert carried is not None
    assert (carried.unchanged, carried.changed, carried.new, carried.gone, carried.times) == (59, 0, 1, 1, 2)
    assert "Without a record number" in " ".join(map(str, carried.said()))


def test_numbers_that_were_not_given_before_tell_nobody_and_are_not_counted_on(
    start: Callable[..., Deliveries],
) -> None:
    """Else the noise of one person who changed would be counted once where the partner holds two codes."""
    them = start()
    them.send(FIRST_ROWS)
    changed = with_cell(FIRST_ROWS, 0, "last_name", "ANDERS")
    carried = them.plan(changed, ids(0, 60)).planned.carried
    assert carried is not None
    assert (carried.changed, carried.new, carried.gone, carried.times) == (0, 1, 1, 2)
    assert "only where both deliveries have them" in " ".join(map(str, carried.said()))


def test_the_same_table_once_more_with_record_numbers_keeps_them_for_the_next(start: Callable[..., Deliveries]) -> None:
    them = start("bloom", epsilon=2.0, decoys=20)
    sent = them.folder / "once more.pprl"
    first = them.send(FIRST_ROWS)[0]
    made = bundles.export(them.a.signed(them.id), FIRST_ROWS, sent, ids=ids(0, 60))
    assert made.resent
    assert made.sha256 == first.sha256
    assert "numbers are kept" in str(made.notes[-1])
    again = bundles.export(them.a.signed(them.id), FIRST_ROWS, sent, ids=ids(0, 60))
    assert "numbers are kept" not in str(again.notes[-1]), "they are by now"
    names = them.named()
    them.send(with_cell(FIRST_ROWS, 7, "last_name", "ANDERS"), ids(0, 60))
    entered = them.a.home.ledger(them.a.own).releases()[-1].carried
    assert entered is not None
    assert (entered.unchanged, entered.changed, entered.new, entered.gone) == (59, 1, 0, 0)
    assert them.named()[7] == names[7]


def test_numbers_of_another_column_are_not_counted_on(start: Callable[..., Deliveries]) -> None:
    them = start()
    them.send(FIRST_ROWS, ids(0, 60))
    changed = with_cell(FIRST_ROWS, 0, "last_name", "ANDERS")
    carried = them.plan(changed, ids(500, 560)).planned.carried
    assert carried is not None
    assert (carried.changed, carried.new, carried.gone, carried.times) == (0, 1, 1, 2)


def test_a_number_that_stands_twice_gives_nobody_the_name_of_another(start: Callable[..., Deliveries]) -> None:
    """Such as a postcode, chosen by mistake: a changed row would get the link id of whoever lives there too."""
    them = start()
    shared = [f"n{at // 2}" for at in range(60)]
    them.send(FIRST_ROWS, shared)
    names = them.named()
    changed = FIRST_ROWS
    for row in (0, 1):
        changed = with_cell(changed, row, "last_name", "ANDERS")
    rows = [1, 0, *range(2, 60)]
    swapped = CleanTable(
        changed.fields,
        tuple(Column.of(c.name, [c.cells()[row] for row in rows]) for c in changed.columns),
    )
    carried = them.plan(swapped, shared).planned.carried
    assert carried is not None
    assert (carried.unchanged, carried.changed, carried.new, carried.gone, carried.times) == (58, 0, 2, 2, 2)
    them.send(swapped, shared)
    assert not {them.named()[row] for row in (0, 1)} & set(names.values())


def test_the_ledger_adds_up_the_codes_of_a_person_and_not_the_files(start: Callable[..., Deliveries]) -> None:
    them = start()
    them.send(FIRST_ROWS, ids(0, 60))
    alone = them.plan(people(0, 59), ids(0, 59)).outlook
    assert alone.asks
    assert alone.total["per bit"] == 2.0  # nobody is released twice
    assert "adds nothing" in " ".join(map(str, alone.sentences))
    changed = them.plan(with_cell(FIRST_ROWS, 0, "last_name", "ANDERS"), ids(0, 60)).outlook
    assert changed.total["per bit"] == 4.0
    with pytest.raises(Problem, match="adds to what the partner has"):
        bundles.export(them.a.signed(them.id), people(0, 59), them.folder / "unseen.pprl", ids=ids(0, 59))
    assert not (them.folder / "unseen.pprl").exists()
    them.send(people(0, 59), ids(0, 59))
    entered = them.a.home.ledger(them.a.own).releases()[-1]
    assert entered.carried is not None
    assert (entered.carried.unchanged, entered.carried.gone) == (59, 1)
    them.send(with_cell(people(0, 59), 3, "last_name", "ANDERS"), ids(0, 59))
    ledger = them.a.home.ledger(them.a.own)
    told = [str(said) for _, said in repeated(ledger.releases())]
    assert "most fields are others" not in " ".join(map(str, changed.sentences))
    assert "59 unchanged with the same bytes, 0 changed, 0 new, 1 gone. With it the partner holds one code" in told[0]
    assert "58 unchanged" in told[1]
    assert f"up to 2 codes of one person: epsilon {2 * float(ledger.releases()[0].record_epsilon):,.6g} per" in told[1]
    assert set(told) <= {str(one) for one in left_sentences(them.a.home, them.agreement)}, "and so has the report"


def test_a_table_in_which_every_row_changed_is_asked_and_counted_twice(start: Callable[..., Deliveries]) -> None:
    them = start()
    them.send(FIRST_ROWS, ids(0, 60))
    plan = them.plan(people(100, 160), ids(0, 60))
    assert plan.asks
    assert plan.outlook.total["per bit"] == 4.0
    said = " ".join(map(str, plan.outlook.sentences))
    assert "changed records most fields are others than before" in said
    assert "gets the link id of the one before" in said


def test_records_shown_in_clear_before_are_told(start: Callable[..., Deliveries]) -> None:
    them = start()
    them.send(FIRST_ROWS, ids(0, 60))
    partner = them.agreement.partner_side.party.sign
    them.a.home.ledger().disclose(PlannedDisclosure(CLEAR, partner, them.id, "content", 7))
    said = " ".join(map(str, them.plan(people(0, 59), ids(0, 59)).outlook.sentences))
    assert "7 records were shown in clear" in said


def test_many_deliveries_of_the_same_people_are_not_blocked_but_many_changes_are(
    start: Callable[..., Deliveries],
) -> None:
    them = start()
    for stop in range(60, 54, -1):  # six deliveries; the limit of releases is three
        them.send(people(0, stop), ids(0, stop))
    table = people(0, 54)
    for name in ("ANDERS", "BECK"):
        table = with_cell(table, 0, "last_name", name)
        them.send(table, ids(0, 54))
    with pytest.raises(Problem, match="releases of the same people"):
        them.plan(with_cell(table, 0, "last_name", "CORD"), ids(0, 54))


def test_decoys_are_not_told_by_holding_two_bundles_together(start: Callable[..., Deliveries]) -> None:
    them = start(decoys=30)
    first = codes(them.send(FIRST_ROWS, ids(0, 60))[1])
    _, bundle = them.send(people(0, 58), ids(0, 58))
    second = codes(bundle)
    stayed = sum(first.get(name) == code for name, code in second.items())
    assert len(second) == 88
    assert stayed == 58 + 29  # of the decoys as large a share as of the people


def test_changed_rows_give_no_decoy_away_but_are_known_to_be_real_which_is_said(
    start: Callable[..., Deliveries],
) -> None:
    """Whoever holds two bundles: what is gone, what is new, and what changed under its name."""
    them = start(decoys=30)
    first = codes(them.send(FIRST_ROWS, ids(0, 60))[1])
    assert "Decoys never change" not in str(them.plan(FIRST_ROWS, ids(0, 60)).outlook.sentences)
    table = FIRST_ROWS
    for row in range(20):
        table = with_cell(table, row, "last_name", f"ANDERS{row}")
    said = " ".join(map(str, them.plan(table, ids(0, 60)).outlook.sentences))
    assert "every record that changed or came back that it is real" in said
    assert "a record that changed or came back is no decoy" in " ".join(
        map(str, bundles.bundle_statement(agreeing.recipe_of(them.a.signed(them.id)), 60).sentences)
    )
    second = codes(them.send(table, ids(0, 60))[1])
    assert first.keys() == second.keys()  # nobody is gone, so no decoy goes: it would be known by that
    changed = {name for name in first if first[name] != second[name]}
    assert changed == {them.named()[row] for row in range(20)}


def test_without_noise_names_stay_and_decoys_share_their_values(start: Callable[..., Deliveries]) -> None:
    them = start(epsilon=None, decoys=10)
    first = codes(them.send(FIRST_ROWS, ids(0, 60))[1])
    _, bundle = them.send(people(0, 59), ids(0, 59))
    assert sum(first.get(name) == code for name, code in codes(bundle).items()) == 59 + 10
    for part in bundle.smashed.parts:
        assert len(np.unique(part.values, axis=0)) == len(part.values)


def test_old_links_keep_their_ids(start: Callable[..., Deliveries]) -> None:
    them = start("bloom", epsilon=None)
    a, b = them.a, them.b
    there = people(20, 80)

    def linked(mine: CleanTable, numbers: list[str], first: int) -> dict[str, str]:
        them.send(mine, numbers)
        if first == 0:
            bundles.export(b.signed(them.id), there, them.folder / "b.pprl")
            inbox.open_file(a.home, a.own, them.folder / "b.pprl")
        for party, table in ((a, mine), (b, there)):
            party.match(them.id, table)
        from pprl_desktop.job.partnership import Partnership
        from pprl_desktop.project.choices import Choices
        from tests.exchange.conftest import Cleaned

        for party, other, table, name in ((a, b, mine, "ra"), (b, a, there, "rb")):
            job = Partnership(party.home, party.own, them.id)
            job.keep(job.match(Cleaned(table), Choices()))
            out = them.folder / f"{name}{first}.pprl"
            job.send_result(out)
            inbox.open_file(other.home, other.own, out)
        outcome = results.outcome(a.signed(them.id))
        rows = outcome.reconciled.linked[:, 0].tolist()
        return {numbers[row]: link for row, link in zip(rows, outcome.links, strict=True)}

    before = linked(FIRST_ROWS, ids(0, 60), 0)
    after = linked(people(10, 70), ids(10, 70), 1)
    both = before.keys() & after.keys()
    assert len(both) > 30
    assert all(before[one] == after[one] for one in both)
    assert len(after.keys() - before.keys()) > 5


def test_nothing_beside_a_bundle_opens_without_the_identity(
    start: Callable[..., Deliveries], strangers: Callable[[str], Party]
) -> None:
    them = start()
    them.send(FIRST_ROWS, ids(0, 60))
    kept = sorted(them.a.signed(them.id).folder.rglob("*.rows"))
    assert len(kept) == 1
    assert kept[0].read_bytes().startswith(b"age-encryption.org/v1")
    with pytest.raises(Problem):
        letters.open_own(strangers("C").own, kept[0])


def test_what_cannot_be_compared_is_released_as_new_and_counted_in_full(start: Callable[..., Deliveries]) -> None:
    them = start()
    them.send(FIRST_ROWS, ids(0, 60))
    kept = next(them.a.signed(them.id).folder.rglob("*.rows"))
    kept.write_bytes(kept.read_bytes()[:-5])
    plan = them.plan(people(0, 59), ids(0, 59))
    assert plan.planned.carried is None
    assert plan.outlook.total["per bit"] == 4.0
    said = " ".join(map(str, plan.outlook.sentences))
    assert "missing or damaged" in said
    assert "links get other ids" in said


def test_an_earlier_delivery_whose_rows_are_lost_counts_beside_the_others(start: Callable[..., Deliveries]) -> None:
    """Who was in it and comes back gets fresh noise."""
    them = start()
    them.send(FIRST_ROWS, ids(0, 60))
    them.send(people(0, 50), ids(0, 50))
    back = people(0, 59), ids(0, 59)
    assert them.plan(*back).outlook.total["per bit"] == 2.0
    min(them.a.signed(them.id).folder.rglob("*.rows")).unlink()
    plan = them.plan(*back)
    assert plan.planned.carried is not None
    assert (len(plan.planned.carried.of), plan.planned.carried.new) == (1, 9)
    assert plan.outlook.total["per bit"] == 4.0


def test_terms_of_one_agreement_are_the_offer_for_another_partner(start: Callable[..., Deliveries]) -> None:
    them = start("bloom", epsilon=2.0, decoys=5)
    made = agreeing.offer_like(them.agreement.terms)
    assert (made.method, made.fields, made.settings) == ("bloom", FIELDS, them.agreement.terms.settings)
    assert made.limits == them.agreement.terms.limits
