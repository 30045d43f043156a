"""Several stewards with homes of their own on one population: agreements, bundles, matches and results between all."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pprl_desktop.codes.base import method
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.exchange.group_terms import Group
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.terms import Limits
from pprl_desktop.job.groups import GroupProject, new_group
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import Field
from tests.exchange.conftest import introduce, make_party

FIELDS = (Field.of("first_name"), Field.of("last_name"), Field.of("born", "date"))
NAMES = ("General Hospital", "Cancer Registry", "City Clinic", "Insurance Fund")


@dataclass
class Party:
    name: str
    home: Home
    own: Identity
    table: Path
    own_table: OwnTable = field(default_factory=OwnTable)

    @property
    def choices(self) -> Choices:
        return Choices(table_path=str(self.table))

    @property
    def project(self) -> GroupProject:
        return GroupProject(self.home, self.own)

    def partnership(self, other: Party) -> Partnership:
        found = [one for one in self.home.agreements() if one.partner_side.name == other.name]
        return Partnership(self.home, self.own, found[-1].id)

    def open(self, path: Path) -> str:
        return str(Partnership.open(self.home, self.own, path).sentence)


def write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out).writerows([header, *rows])
    return path


def introduced(folder: Path, tables: Sequence[Path]) -> list[Party]:
    """Parties whose cards are exchanged and verified between all."""
    made = []
    for name, table in zip(NAMES, tables, strict=False):
        party = make_party(folder / name, name)
        made.append(Party(name, party.home, party.own, table))
    for one, other in itertools.combinations(made, 2):
        introduce(one, other)  # type: ignore[arg-type]
    return made


def offer(group: Group | None, fields: tuple[Field, ...] = FIELDS, name: str = "bloom") -> Offer:
    return Offer(name, fields, method(name).defaults(), rule="review", limits=Limits(100_000, 64), group=group)


def agree(one: Party, other: Party, wanted: Offer, folder: Path) -> None:
    contact = one.home.contact(other.name)
    Partnership.propose(one.home, one.own, contact.id, wanted, folder / "proposal.pprl")
    proposal = Partnership.read_proposal(other.home, other.own, folder / "proposal.pprl")
    Partnership.accept(other.home, other.own, proposal, folder / "answer.pprl")
    one.open(folder / "answer.pprl")


def link(one: Party, other: Party, folder: Path) -> None:
    """Bundles, matches and results, both ways."""
    sides = ((one, other), (other, one))
    for here, there in sides:
        partnership = here.partnership(there)
        choices = partnership.choices(here.table)
        seen = partnership.plan(here.own_table, choices).confirm()
        partnership.export(here.own_table, choices, folder / "bundle.pprl", seen=seen)
        there.open(folder / "bundle.pprl")
    for here, there in sides:
        partnership = here.partnership(there)
        partnership.keep(partnership.match(here.own_table, partnership.choices(here.table)))
        partnership.send_result(folder / f"{here.name}.pprl")
    for here, there in sides:
        there.open(folder / f"{here.name}.pprl")


def linked(folder: Path, tables: Sequence[Path], fields: tuple[Field, ...] = FIELDS) -> list[Party]:
    """A group of all, the first puts the links together; every two have linked."""
    parties = introduced(folder, tables)
    group = new_group(parties[0].home, "Four registries", [one.name for one in parties[1:]])
    for one, other in itertools.combinations(parties, 2):
        agree(one, other, offer(group, fields), folder)
        link(one, other, folder)
    return parties


def report(parties: Sequence[Party], folder: Path) -> None:
    """Everyone's links go to the first."""
    for one in parties[1:]:
        one.project.send(one.own_table, one.choices, folder / "links.pprl")
        parties[0].open(folder / "links.pprl")


def copied(party: Party, to: Path) -> Party:
    """The same steward in a copy of the home folder, so that a test may spoil it."""
    import shutil

    shutil.copytree(party.home.path, to / party.name)
    return replace(party, home=Home(to / party.name), own_table=OwnTable())
