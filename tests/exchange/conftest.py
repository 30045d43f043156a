"""Two stewards with homes of their own: cards exchanged and verified, an agreement in force, ready to exchange."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.codes.base import method
from pprl_desktop.decisions.base import Match
from pprl_desktop.exchange import agreeing, bundles, contacts, identity, inbox
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.exchange.agreement import Agreement
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.passphrase import Cost
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.terms import Limits
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column

CHEAP = Cost(memory=8, passes=1, lanes=1)
PASSPHRASE = "four unrelated words here"
FIELDS = (Field.of("first_name"), Field.of("last_name"), Field.of("born", "date"))
FIRST = "ANNA BERTA CARLA DORA EMIL FRITZ GUSTAV HANNA IDA JAKOB KARL LENA MARIE NINA OTTO PAUL".split()
LAST = "MEYER SCHULZ BECKER KOCH RICHTER KLEIN WOLF NEUMANN SCHWARZ BRAUN LANGE WERNER KRAUSE FUCHS".split()


class Cleaned(OwnTable):
    """An own table that was never a file."""

    def __init__(self, table: CleanTable) -> None:
        super().__init__()
        self._clean = table

    def clean(self, choices: Choices, progress: Progress = NO_PROGRESS) -> CleanTable:
        assert self._clean is not None
        return self._clean


@dataclass
class Party:
    home: Home
    own: Identity

    @property
    def agreement(self) -> Agreement:
        return self.home.agreement()

    def signed(self, agreement: str = "") -> Signatory:
        return Signatory(self.home, self.own, self.home.agreement(agreement).id)

    def job(self, agreement: str = "") -> Partnership:
        return Partnership(self.home, self.own, agreement)

    @property
    def partner(self) -> Contact:
        return self.home.contacts()[0]

    def match(self, agreed: str, table: CleanTable) -> Match:
        return self.job(agreed).match(Cleaned(table), Choices())

    def moved(self, to: Path) -> Party:
        shutil.copytree(self.home.path, to)
        return Party(Home(to), self.own)


def people(start: int, stop: int) -> CleanTable:
    """Invented people; the same numbers are the same people."""
    rng = np.random.default_rng(7)
    draws = rng.integers(0, 1 << 30, (2000, 5))[start:stop]
    rows = [
        (FIRST[a % len(FIRST)], LAST[b % len(LAST)], f"{1930 + c % 80}{1 + d % 12:02d}{1 + e % 28:02d}")
        for a, b, c, d, e in draws
    ]
    columns = tuple(Column.of(one.name, cells) for one, cells in zip(FIELDS, zip(*rows, strict=True), strict=True))
    return CleanTable(FIELDS, columns)


def make_party(path: Path, name: str) -> Party:
    home = Home(path)
    own = identity.new(name)
    home.create(own, PASSPHRASE, CHEAP)
    return Party(home, own)


def introduce(one: Party, other: Party, *, verify: bool = True) -> None:
    for here, there in ((one, other), (other, one)):
        contact = contacts.new(there.home.own_card_bytes())
        if verify:
            contact = contacts.verified(
                contact, here.own.card(), contacts.number_with(there.own.card(), new(here)).as_text()
            )
        here.home.keep_contact(contact)


def new(party: Party) -> Contact:
    return contacts.new(party.home.own_card_bytes())


def offer(**changes: object) -> Offer:
    values: dict[str, object] = {
        "method": "bloom", "fields": FIELDS, "settings": method("bloom").defaults(),
        "limits": Limits(1000, 16), "purpose": "a test",
    }  # fmt: skip
    return Offer(**{**values, **changes})  # type: ignore[arg-type]


def agree(one: Party, other: Party, folder: Path, wanted: Offer | None = None) -> Agreement:
    agreeing.propose(one.home, one.own, one.partner, wanted or offer(), folder / "proposal.pprl")
    proposal = agreeing.read_proposal(other.home, other.own, folder / "proposal.pprl")
    agreement = agreeing.accept(other.home, other.own, proposal, folder / "answer.pprl")
    inbox.open_file(one.home, one.own, folder / "answer.pprl")
    return agreement


def export(home: Home, own: Identity, agreement: Agreement, table: CleanTable, out: Path) -> bundles.Exported:
    """As a steward does it: the sums are seen and confirmed before."""
    signatory = Signatory(home, own, agreement.id)
    return bundles.export(signatory, table, out, seen=bundles.plan(signatory, table).confirm())


@dataclass
class Scene:
    """A and B with an agreement; A's bundle for B is sealed and not opened yet."""

    a: Party
    b: Party
    bundle: Path
    folder: Path


@pytest.fixture(scope="session")
def _scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("scene")
    a, b = make_party(folder / "a", "General Hospital"), make_party(folder / "b", "Cancer Registry")
    introduce(a, b)
    agree(a, b, folder)
    bundles.export(a.signed(), people(0, 60), folder / "a1.pprl")
    return Scene(a, b, folder / "a1.pprl", folder)


@pytest.fixture
def scene(_scene: Scene, tmp_path: Path) -> Scene:
    """A fresh copy for each test."""
    bundle = tmp_path / "a1.pprl"
    shutil.copy(_scene.bundle, bundle)
    return Scene(_scene.a.moved(tmp_path / "home a"), _scene.b.moved(tmp_path / "home b"), bundle, tmp_path)


@pytest.fixture
def strangers(tmp_path: Path) -> Callable[[str], Party]:
    def make(name: str) -> Party:
        return make_party(tmp_path / name, name)

    return make


def everything(folder: Path) -> dict[str, bytes]:
    """All files below a folder, to see that nothing changed. The lock file has no content."""
    found = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def traces(folder: Path) -> dict[str, tuple[int, int, int]]:
    """The same without reading them, for thousands of looks: whoever writes a file changes its place or its time."""
    found = {str(path.relative_to(folder)): path.stat() for path in folder.rglob("*") if path.name != "lock"}
    return {name: (one.st_ino, one.st_size, one.st_mtime_ns) for name, one in found.items()}
