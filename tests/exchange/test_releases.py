"""The release ledger: entered before the file, adding up, chained, and there after a SIGKILL."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.exchange.disclosures import PlannedDisclosure
from pprl_desktop.exchange.fingerprint import SAMPLE, table_fingerprint
from pprl_desktop.exchange.releases import Planned, ReleaseLedger
from pprl_desktop.privacy.claims import Number, Statement
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Table

KEY = b"k" * 32


def table(start: int, stop: int, names: tuple[str, ...] = ("last", "first")) -> Table:
    return Table.of(names, [tuple(f"{name}{row}" for name in names) for row in range(start, stop)])


def said(epsilon: float | None = 1.0, bits: int = 1024) -> Statement:
    if epsilon is None:
        return Statement("bloom", "none", "", "", 0, "", (), (), (), (), ())
    numbers = (
        Number("epsilon", f"{epsilon:g}", "per bit", "exact", "x"),
        Number("epsilon", f"{epsilon * bits:g}", "per record", "worst case", "x"),
    )
    return Statement("bloom", "randomised response", f"{epsilon:g}", "per bit", 0, "", (), numbers, (), (), ())


@pytest.fixture
def ledger(tmp_path: Path) -> ReleaseLedger:
    return ReleaseLedger(tmp_path / "data" / "releases.sqlite", KEY)


def planned(
    ledger: ReleaseLedger, rows: Table, partner: str = "P1", agreement: str = "A1", **how: float | None
) -> Planned:
    return Planned(ledger.fingerprint(rows), partner, agreement, said(**how))  # type: ignore[arg-type]


# ---- fingerprints


def test_a_table_is_recognised_in_any_order_of_rows_and_columns() -> None:
    one = Table.of(("a", "b"), [("x", "1"), ("y", "2"), ("x", "1")])
    two = Table.of(("b", "a"), [("2", "y"), ("1", "x"), ("1", "x")])
    assert table_fingerprint(one, KEY).digest == table_fingerprint(two, KEY).digest


def test_one_changed_cell_or_one_more_copy_is_another_table() -> None:
    one = Table.of(("a",), [("x",), ("y",)])
    assert table_fingerprint(one, KEY).digest != table_fingerprint(Table.of(("a",), [("x",), ("z",)]), KEY).digest
    assert (
        table_fingerprint(one, KEY).digest != table_fingerprint(Table.of(("a",), [("x",), ("y",), ("y",)]), KEY).digest
    )
    assert table_fingerprint(one, KEY).digest != table_fingerprint(one, b"q" * 32).digest


def test_cells_cannot_slide_into_each_other() -> None:
    one, two = Table.of(("a", "b"), [("xy", "z")]), Table.of(("a", "b"), [("x", "yz")])
    assert table_fingerprint(one, KEY).digest != table_fingerprint(two, KEY).digest


def test_the_overlap_of_small_tables_is_exact_and_of_large_ones_close() -> None:
    small = [table_fingerprint(table(a, b), KEY) for a, b in ((0, 100), (75, 200))]
    assert small[0].overlap(small[1]) == 0.25
    assert small[0].overlap(table_fingerprint(table(500, 600), KEY)) == 0.0
    large = [table_fingerprint(table(a, b), KEY) for a, b in ((0, 20_000), (15_000, 40_000))]
    assert large[0].sample.size == SAMPLE
    assert large[0].overlap(large[1]) == pytest.approx(0.25, abs=0.03)


def test_an_overlap_of_other_fields_cannot_be_told() -> None:
    assert table_fingerprint(table(0, 9), KEY).overlap(table_fingerprint(table(0, 9, ("last", "birth")), KEY)) is None


def test_an_empty_table_has_a_fingerprint() -> None:
    empty = table_fingerprint(Table.of(("a",), []), KEY)
    assert empty.rows == 0
    assert empty.overlap(empty) == 0.0


# ---- entering, resending, adding up


def test_a_release_is_entered_and_read_back_by_another_run(ledger: ReleaseLedger) -> None:
    made = ledger.enter(planned(ledger, table(0, 50)))
    ledger.written(made, "ab" * 32)
    (kept,) = ReleaseLedger(ledger.path, KEY).releases()
    assert (kept.number, kept.partner, kept.agreement, kept.epsilon, kept.unit) == (1, "P1", "A1", "1", "per bit")
    assert kept.record_epsilon == "1024"
    assert kept.table.rows == 50
    assert kept.file == "ab" * 32
    assert len(kept.seed) == 32
    assert "seed" not in kept.as_dict()


def test_resending_is_free_and_keeps_the_seed_of_the_noise(ledger: ReleaseLedger) -> None:
    ledger.set_limit("per record", 1024)
    first = ledger.enter(planned(ledger, table(0, 50)))
    again = ledger.enter(planned(ledger, table(0, 50)))
    assert (again.number, again.seed) == (first.number, first.seed)
    assert ledger.releases()[0].sent == 1
    assert "same bytes" in str(ledger.outlook(planned(ledger, table(0, 50))).sentences[0])


def test_a_second_file_with_other_bytes_is_not_a_resend(ledger: ReleaseLedger) -> None:
    made = ledger.enter(planned(ledger, table(0, 50)))
    ledger.written(made, "ab" * 32)
    ledger.written(made, "ab" * 32)
    with pytest.raises(Problem, match="differs"):
        ledger.written(made, "cd" * 32)


def test_an_overlapping_table_adds_up_and_says_so(ledger: ReleaseLedger) -> None:
    ledger.enter(planned(ledger, table(0, 100)))
    view = ledger.outlook(planned(ledger, table(50, 150), agreement="A2", epsilon=0.5))
    assert view.resend is None
    assert view.total == {"per record": 1536.0, "per bit": 1.5}
    assert "epsilon 1,536 per record" in str(view.sentences[0])
    assert "50%" in str(view.sentences[1])
    assert ledger.outlook(planned(ledger, table(200, 300), agreement="A2")).total == {
        "per record": 1024.0,
        "per bit": 1.0,
    }


def test_a_new_agreement_with_the_same_table_is_a_new_release(ledger: ReleaseLedger) -> None:
    first = ledger.enter(planned(ledger, table(0, 50)))
    second = ledger.enter(planned(ledger, table(0, 50), agreement="A2"))
    assert first.seed != second.seed
    assert len(ledger.releases()) == 2


def test_other_partners_do_not_count_here_but_are_mentioned(ledger: ReleaseLedger) -> None:
    ledger.enter(planned(ledger, table(0, 50), partner="P2"))
    view = ledger.outlook(planned(ledger, table(0, 50)))
    assert view.total["per record"] == 1024.0
    assert view.others == 1
    assert "put them together" in str(view.sentences[0])


def test_other_fields_of_the_same_partner_are_counted_in_full(ledger: ReleaseLedger) -> None:
    ledger.enter(planned(ledger, table(0, 50)))
    view = ledger.outlook(planned(ledger, table(0, 50, ("last", "birth")), agreement="A2"))
    assert view.total["per record"] == 2048.0
    assert any("counted in full" in str(one) for one in view.sentences)


# ---- limits


def test_a_limit_blocks_and_nothing_is_entered(ledger: ReleaseLedger) -> None:
    ledger.set_limit("per record", 2000)
    ledger.enter(planned(ledger, table(0, 50)))
    with pytest.raises(Problem, match="limit of epsilon 2,000 per record") as caught:
        ledger.enter(planned(ledger, table(0, 50), agreement="A2"))
    assert "2,048 per record together" in str(caught.value.why)
    assert len(ledger.releases()) == 1
    ledger.set_limit("per record", None)
    ledger.enter(planned(ledger, table(0, 50), agreement="A2"))


def test_a_limit_in_the_unit_of_the_mechanism(ledger: ReleaseLedger) -> None:
    ledger.set_limit("per bit", 1.5)
    ledger.enter(planned(ledger, table(0, 50)))
    with pytest.raises(Problem, match="per bit"):
        ledger.enter(planned(ledger, table(0, 50), agreement="A2"))


def test_releases_without_noise_can_be_forbidden_and_exceed_any_limit(ledger: ReleaseLedger) -> None:
    ledger.set_limit("without noise", 0)
    with pytest.raises(Problem, match="without noise"):
        ledger.enter(planned(ledger, table(0, 50), epsilon=None))
    ledger.set_limit("without noise", None)
    ledger.set_limit("per record", 1e9)
    with pytest.raises(Problem, match="unlimited"):
        ledger.enter(planned(ledger, table(0, 50), epsilon=None))


@pytest.mark.parametrize(
    ("unit", "most"), [("per mile", 1.0), ("per bit", -1.0), ("per bit", float("nan")), ("without noise", 2.0)]
)
def test_a_senseless_limit_is_refused(ledger: ReleaseLedger, unit: str, most: float) -> None:
    with pytest.raises(Problem):
        ledger.set_limit(unit, most)


# ---- tampering


def tamper(ledger: ReleaseLedger, *statements: str) -> None:
    with closing(sqlite3.connect(ledger.path)) as base, base:
        for one in ("DROP TRIGGER no_change", "DROP TRIGGER no_removal", *statements):
            base.execute(one)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE event SET body = replace(body, '1024', '10') WHERE number = 2",
        "DELETE FROM event WHERE number = 2",
        "DELETE FROM event WHERE number = 1",
        "UPDATE event SET hash = 'x' WHERE number = 3",
    ],
)
def test_a_changed_or_removed_entry_is_noticed_and_stops_exports(ledger: ReleaseLedger, change: str) -> None:
    for agreement in ("A1", "A2", "A3"):
        ledger.enter(planned(ledger, table(0, 50), agreement=agreement))
    assert ledger.verify().whole
    tamper(ledger, change)
    assert not ledger.verify().whole
    with pytest.raises(Problem, match="changed or an entry before it was removed"):
        ledger.enter(planned(ledger, table(0, 50), agreement="A4"))


def test_a_cut_off_end_shows_against_a_head_noted_elsewhere(ledger: ReleaseLedger) -> None:
    ledger.enter(planned(ledger, table(0, 50)))
    early = ledger.head
    ledger.enter(planned(ledger, table(0, 50), agreement="A2"))
    late = ledger.head
    assert ledger.verify(early).whole
    tamper(ledger, "DELETE FROM event WHERE number = 2")
    assert ledger.verify().whole
    assert ledger.verify(early).whole
    assert not ledger.verify(late).whole


def test_the_database_itself_refuses_changes(ledger: ReleaseLedger) -> None:
    ledger.enter(planned(ledger, table(0, 50)))
    with closing(sqlite3.connect(ledger.path)) as base, pytest.raises(sqlite3.IntegrityError, match="append only"):
        base.execute("DELETE FROM event")


def test_a_file_that_is_no_ledger_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "releases.sqlite"
    ReleaseLedger(path, KEY)
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(Problem, match="cannot be read"):
        ReleaseLedger(path, KEY)


def test_no_personal_value_is_in_the_files(ledger: ReleaseLedger) -> None:
    ledger.enter(planned(ledger, Table.of(("last",), [("QUARTERMAINE",), ("ABERNATHY",)])))
    written = list(ledger.path.parent.iterdir())
    assert ledger.path in written
    for path in written:
        data = path.read_bytes()
        assert b"QUARTERMAINE" not in data
        assert b"ABERNATHY" not in data


@pytest.mark.skipif(os.name == "nt", reason="permissions are those of the folder there")
def test_only_the_owner_may_read_it(ledger: ReleaseLedger) -> None:
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600


# ---- SIGKILL

ENTERING = """
import sys
from pathlib import Path
sys.path[:0] = {path!r}
from pprl_desktop.exchange.releases import Planned, ReleaseLedger
from pprl_desktop.privacy.claims import Statement
from pprl_desktop.records.table import Table
ledger = ReleaseLedger(Path(sys.argv[1]), b"k" * 32)
print("ready", flush=True)
for n in range(100_000):
    table = ledger.fingerprint(Table.of(("a",), [(f"{{sys.argv[2]}}/{{n}}",)]))
    said = Statement("bloom", "none", "", "", 0, "", (), (), (), (), ())
    made = ledger.enter(Planned(table, "P", f"{{sys.argv[2]}}/{{n}}", said))
    ledger.written(made, "00" * 32)
    print(made.number, flush=True)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_sigkill_at_any_moment_loses_no_confirmed_entry(tmp_path: Path) -> None:
    path = tmp_path / "releases.sqlite"
    program = ENTERING.format(path=[str(Path(__file__).resolve().parents[2])])
    rng = np.random.default_rng(1)
    for run in range(8):
        command = [sys.executable, "-c", program, str(path), str(run)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(float(rng.uniform(0.005, 0.15)))
            child.send_signal(signal.SIGKILL)
            confirmed = [int(line) for line in child.stdout.read().split("\n")[:-1]]
        ledger = ReleaseLedger(path, KEY)
        assert ledger.verify().whole
        kept = {release.number: release for release in ledger.releases()}
        assert all(kept[number].file for number in confirmed)
    assert kept


def test_two_programs_at_once_do_not_tear_the_chain(tmp_path: Path) -> None:
    path = tmp_path / "releases.sqlite"
    program = ENTERING.format(path=[str(Path(__file__).resolve().parents[2])]).replace("100_000", "20")
    children = [
        subprocess.Popen([sys.executable, "-c", program, str(path), name], stdout=subprocess.PIPE) for name in "ab"
    ]
    for child in children:
        child.communicate()
        assert child.returncode == 0
    ledger = ReleaseLedger(path, KEY)
    assert ledger.verify().whole
    assert len(ledger.releases()) == 40


# ---- what leaves beside bundles


def clear(records: int, content: str = "c1", partner: str = "P1", agreement: str = "A1") -> PlannedDisclosure:
    return PlannedDisclosure("clear cells", partner, agreement, content, records, records, 1, ("last", "first"))


def test_cells_in_clear_are_entered_with_their_own_kind_before_the_file_and_read_back(ledger: ReleaseLedger) -> None:
    made = ledger.disclose(clear(4))
    (kept,) = ReleaseLedger(ledger.path, KEY).disclosures()
    assert (kept.what, kept.records, kept.fields, kept.file) == ("clear cells", 4, ("last", "first"), "")
    ledger.disclosure_written(made, "ab" * 32)
    assert ledger.disclosures()[0].file == "ab" * 32
    assert ledger.verify().whole
    assert ledger.releases() == ()


def test_the_same_content_is_entered_once_whether_its_file_was_finished_or_not(ledger: ReleaseLedger) -> None:
    first = ledger.disclose(clear(4))
    assert ledger.disclose(clear(4)).number == first.number
    ledger.disclosure_written(first, "ab" * 32)
    assert ledger.disclose(clear(4)).number == first.number
    (kept,) = ledger.disclosures()
    assert kept.sent == 1
    assert ledger.disclose(clear(4, "c2")).number != first.number


def test_a_limit_of_the_organisation_stops_cells_in_clear_over_all_agreements_with_a_partner(
    ledger: ReleaseLedger,
) -> None:
    ledger.set_limit("clear records", 6)
    ledger.disclose(clear(4))
    with pytest.raises(Problem, match="at most 6 records in clear"):
        ledger.disclose(clear(3, "c2", agreement="A2"))
    assert len(ledger.disclosures()) == 1
    ledger.disclose(clear(3, "c2", partner="P2"))
    ledger.set_limit("clear records", 0)
    with pytest.raises(Problem, match="at most 0 records"):
        ledger.disclose(clear(1, "c3", partner="P3"))


def test_a_result_is_entered_and_does_not_count_as_cells_in_clear(ledger: ReleaseLedger) -> None:
    ledger.set_limit("clear records", 0)
    ledger.disclose(PlannedDisclosure("result", "P1", "A1", "r", 12, of=1))
    ledger.disclose(PlannedDisclosure("clear cells", "P1", "A1", "x", 5, 5, received=True))
    assert [(one.what, one.records, one.received) for one in ledger.disclosures()] == [
        ("result", 12, False), ("clear cells", 5, True),
    ]  # fmt: skip
