"""Several partners, and partners with other tools, in the window: what leaves is shown before, and is in the ledger."""

from __future__ import annotations

import csv
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from pprl_desktop.job import groups
from pprl_desktop.resources import root
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.job import parties
from tests.job.parties import Party
from tests.job.test_groups import tables

SAMPLES = root() / "samples"


def words(window: MainWindow) -> str:
    QApplication.processEvents()  # what was just added is shown by the layout
    pane = window.pane()
    return " ".join(one.text() for one in pane.findChildren(QLabel) if one.isVisibleTo(pane))


def shown(window: MainWindow, qtbot, text: str) -> None:  # type: ignore[no-untyped-def]
    """What was just added is there once the layout had its turn."""
    qtbot.waitUntil(lambda: text in words(window))


def settled(window: MainWindow, qtbot) -> None:  # type: ignore[no-untyped-def]
    qtbot.waitUntil(lambda: window.desk.jobs.busy() is None)


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    hashing = {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerFeature": 200}}
    text = {"type": "string", "encoding": "utf-8", "case": "upper"}
    features = [{"identifier": name, "format": text, "hashing": hashing} for name in ("last_name", "first_name")]
    config = {"l": 1024, "kdf": {"type": "HKDF"}, "xorFolds": 1}
    (tmp_path / "schema.json").write_text(json.dumps({"version": 3, "clkConfig": config, "features": features}))
    (tmp_path / "secret").write_text("a5ec4e7b" * 4 + "\n")
    return tmp_path / "schema.json"


def test_clks_are_measured_written_and_matched_in_the_window(window: MainWindow, schema: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    folder = schema.parent
    window.show_pane("welcome")
    window.pane().buttons["other_tools"].click()
    assert window.current == "other_tools"
    pane = window.pane()
    assert not pane.write.isEnabled()
    shown(window, qtbot, "Choose your table")
    pane.take_file(str(SAMPLES / "hospital_b.csv"))
    settled(window, qtbot)
    pane.take_file(str(schema))
    shown(window, qtbot, "which clkhash does not read")
    pane._take_secret(folder / "secret")
    assert pane._mapped() == {"last_name": "surname", "first_name": "given_name"}, "guessed by what they mean"
    assert not pane.write.isEnabled(), "nobody to send it to yet"
    pane.to.setText("Registry")
    assert pane.write.isEnabled()
    shown(window, qtbot, "telephone book")
    pane._rehearse()
    settled(window, qtbot)
    shown(window, qtbot, "Whoever holds the secret could name at least")
    pane.write_to(folder / "b.json")
    settled(window, qtbot)
    entry = window.desk.home.ledger().disclosures()[-1]
    assert (entry.what, entry.partner, entry.records) == ("CLKs", "Registry", 1200)
    pane.write_to(folder / "b.zip")
    settled(window, qtbot)
    assert zipfile.is_zipfile(folder / "b.zip"), "the zip of the CODI tools"
    assert len(window.desk.home.ledger().disclosures()) == 2
    pane.take_file(str(SAMPLES / "hospital_a.csv"))
    settled(window, qtbot)
    pane.match_with(folder / "b.json")
    settled(window, qtbot)
    shown(window, qtbot, "pairs accepted")
    pane.save_to(folder / "pairs.csv")
    settled(window, qtbot)
    with (folder / "pairs.csv").open(newline="") as source:
        assert {"match_probability", "evidence_last_name"} <= set(next(csv.reader(source)))
    window.desk.create_project(folder / "job.pprlproject", "Job")
    window.show_pane("releases")
    assert window.pane().stack.currentIndex() == 1, "the ledger lists them"


def test_a_schema_that_lies_gets_its_sentence_on_the_page(window: MainWindow, schema: Path, qtbot) -> None:  # type: ignore[no-untyped-def]
    window.show_pane("other_tools")
    pane = window.pane()
    plain = json.loads(schema.read_text())
    plain["clkConfig"]["l"] = 1 << 40
    schema.write_text(json.dumps(plain))
    pane.take_file(str(schema))
    assert pane._seen is None
    shown(window, qtbot, "The linkage schema is not usable")


@pytest.fixture(scope="module")
def _three(tmp_path_factory: pytest.TempPathFactory) -> list[Party]:
    folder = tmp_path_factory.mktemp("three")
    return parties.linked(folder, tables(folder)[:3])


@pytest.fixture
def three(_three: list[Party], tmp_path: Path) -> list[Party]:
    return [parties.copied(one, tmp_path) for one in _three]


def at(window: MainWindow, party: Party, folder: Path) -> None:
    """The window of this steward, its key unlocked, on the page of groups."""
    window.desk.create_project(folder / f"{party.name}.pprlproject", party.name)
    window.desk.change("home", home=str(party.home.path))
    window.desk.unlocked(party.own)
    window.show_pane("groups")


def test_a_steward_sees_what_would_leave_and_writes_the_links(
    window: MainWindow, three: list[Party], tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    a, b, _ = three
    at(window, b, tmp_path)
    pane = window.pane()
    shown(window, qtbot, "General Hospital puts the links of all of them together")
    assert not pane.send.isEnabled(), "the table is not chosen"
    pane.take_table(b.table)
    pane.send.click()
    settled(window, qtbot)
    shown(window, qtbot, "under new random names")
    assert not b.home.ledger().disclosures()[-1].what.startswith("group"), "shown, not sent"
    pane.send_to(tmp_path / "b.pprl")
    settled(window, qtbot)
    assert b.home.ledger().disclosures()[-1].what == "group links"
    a.open(tmp_path / "b.pprl")


def test_who_puts_the_links_together_forms_tells_and_saves(
    window: MainWindow, three: list[Party], tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    a, b, c = three
    for one in (b, c):
        one.project.send(one.own_table, one.choices, tmp_path / f"{one.name}.pprl")
    at(window, a, tmp_path)
    pane = window.pane()
    pane.take_table(a.table)
    shown(window, qtbot, "Waiting for the links of")
    assert not pane.form.isEnabled()
    for one in (b, c):
        window.open_file(tmp_path / f"{one.name}.pprl")
        qtbot.waitUntil(lambda name=one.name: name not in pane.why.text())
        settled(window, qtbot)
    assert window.current == "groups"
    assert pane.form.isEnabled()
    pane.form.click()
    settled(window, qtbot)
    shown(window, qtbot, "groups of")
    shown(window, qtbot, "of your records are in groups")
    pane.tell_to(b.name, tmp_path / "told.pprl")
    settled(window, qtbot)
    assert "of your records are in groups" in b.open(tmp_path / "told.pprl")
    pane.save_to(tmp_path / "groups.csv")
    settled(window, qtbot)
    assert (tmp_path / "groups.csv").read_text(encoding="utf-8-sig").startswith("group_id,")


def test_a_group_file_is_made_from_verified_contacts(window: MainWindow, three: list[Party], tmp_path: Path) -> None:
    a = three[0]
    at(window, a, tmp_path)
    pane = window.pane()
    pane.another.click()
    assert not pane.write_file.isEnabled()
    pane.name.setText("Another group")
    for box in pane._boxes.values():
        box.setChecked(True)
    assert pane.write_file.isEnabled()
    pane.most.setCurrentIndex(pane.most.findText("up to 2 times"))
    pane.create_at(tmp_path / "g.pprlgroup", "Another group")
    assert [one.most for one in groups.read_file(tmp_path / "g.pprlgroup").members] == [2, 2, 2]
    assert pane.now.isVisibleTo(pane)


def test_a_proposal_names_the_group_before_it_is_written(
    window: MainWindow, three: list[Party], tmp_path: Path, qtbot
) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.job.groups import write_file

    a = three[0]
    at(window, a, tmp_path)
    write_file(a.project.group, tmp_path / "g.pprlgroup")
    window.open_file(tmp_path / "g.pprlgroup")
    assert window.current == "agreement", "dropped anywhere, it leads to the page where it is used"
    pane = window.pane()
    assert "Four registries" in pane.start.group.choose.text()
    assert pane.start.offer().group == a.project.group
    shutil.copy(a.table, tmp_path / "g.pprlgroup")
    pane.start.group.take(tmp_path / "g.pprlgroup")
    shown(window, qtbot, "This is not a group file")
