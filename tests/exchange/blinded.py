"""Two stewards under an agreement on blind, for the tests of its three files."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pprl_desktop.codes.base import method
from pprl_desktop.codes.corrupt import Rates, corrupt
from pprl_desktop.exchange.agreeing import Offer
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.terms import Limits
from pprl_desktop.job.blind import Asks, Wish, asked_so_far, prepare, weigh
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.matching.reconcile import ReconcileRule
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.table import CleanTable
from tests.codes.keys.people import FIELDS, people
from tests.exchange.conftest import Cleaned, Party, introduce, make_party

SHARED, EACH = 60, 120  # people


def tables() -> tuple[CleanTable, CleanTable]:
    """Half of each table's people are in both; those of the second have slips."""
    everyone = people(2 * EACH - SHARED)
    slips = corrupt(everyone.take(np.arange(EACH - SHARED, 2 * EACH - SHARED)), 5, Rates(touched=0.4))
    return everyone.take(np.arange(EACH)), slips


TRUTH = {(row, row - (EACH - SHARED)) for row in range(EACH - SHARED, EACH)}


@dataclass
class Two:
    """A has proposed, B has accepted; `job` gives each side's job."""

    a: Party
    b: Party
    folder: Path
    table_a: CleanTable
    table_b: CleanTable

    def job(self, which: str) -> Partnership:
        party = self.a if which == "a" else self.b
        return Partnership(party.home, party.own)

    def ask(self, which: str = "a", **more: bool) -> Path:
        out = self.folder / f"question-{which}.pprl"
        self.job(which).send_question(Cleaned(self.table(which)), Choices(), out, **more)
        return out

    def answer(self, which: str = "b", **more: bool) -> Path:
        out = self.folder / f"answer-{which}.pprl"
        self.job(which).send_answer(Cleaned(self.table(which)), Choices(), out, **more)
        return out

    def open(self, which: str, path: Path) -> None:
        party = self.a if which == "a" else self.b
        Partnership.open(party.home, party.own, path)

    def match(self, which: str = "a") -> Partnership:
        job = self.job(which)
        job.keep(job.match(Cleaned(self.table(which)), Choices()))
        return job

    def result(self, which: str = "a") -> Path:
        out = self.folder / f"result-{which}.pprl"
        self.job(which).send_result(out)
        return out

    def table(self, which: str) -> CleanTable:
        return self.table_a if which == "a" else self.table_b

    def moved(self, to: Path) -> Two:
        """A copy that can be spoilt."""
        shutil.copytree(self.folder, to)
        a, b = (Party(Home(to / party.home.path.name), party.own) for party in (self.a, self.b))
        return Two(a, b, to, self.table_a, self.table_b)


def introduced(folder: Path) -> Two:
    a, b = make_party(folder / "a", "General Hospital"), make_party(folder / "b", "Cancer Registry")
    introduce(a, b)
    return Two(a, b, folder, *tables())


def agree(two: Two, asks: Asks = "me", rule: ReconcileRule = "both", coverage: float = 0.3) -> Two:
    a, b = two.a, two.b
    wish = Wish(two.table_b.rows, coverage, asks)
    made = prepare(two.table_a, wish, asked_so_far(a.home, a.partner.card.party.sign))
    offer = Offer("blind", FIELDS, method("blind").defaults(), rule=rule, limits=Limits(1000, 64, 50), blind=made.terms)
    proposed = Partnership.propose(a.home, a.own, a.partner.id, offer, two.folder / "proposal.pprl")
    proposal = Partnership.read_proposal(b.home, b.own, two.folder / "proposal.pprl")
    assert proposal.terms.blind is not None
    weighed = weigh(two.table_b, proposal.terms.blind, "accepter")
    Partnership.accept(b.home, b.own, proposal, two.folder / "accepted.pprl", weighed=weighed)
    Partnership.open(a.home, a.own, two.folder / "accepted.pprl")
    assert proposed.agreement.state == "in force"
    return two
