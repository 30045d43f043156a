"""Partnership: the job with one partner under one agreement, step by step; window, terminal, demo and tests call it.

An agreement is never handed in: each step reads it anew from the home folder, so that no caller holds an old one.
What a step needs again (the partner's bundle, the own smashed table, the learned rule) is made once and kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from pprl_desktop.blind.decide import decide_opened
from pprl_desktop.codes.base import Recipe, Smashed
from pprl_desktop.decisions.base import ACCEPT, DEFAULT_MEMORY, REVIEW, Match, MatchOptions, Outlook
from pprl_desktop.exchange import (
    agreeing,
    blind,
    bundles,
    clear_cells,
    contacts,
    earlier_links,
    inbox,
    letters,
    linking,
    recognised,
    results,
    sent_again,
    whole_match,
)
from pprl_desktop.exchange.agreeing import Offer, Proposal
from pprl_desktop.exchange.agreement import Agreement, Item
from pprl_desktop.exchange.blind_audit import Audited, audit
from pprl_desktop.exchange.blind_terms import other
from pprl_desktop.exchange.bundles import Exported, PartnerBundle, Plan
from pprl_desktop.exchange.clear_cells import Asked, InClear, SentInClear
from pprl_desktop.exchange.contacts import Contact
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.identity import Identity
from pprl_desktop.exchange.inbox import Received
from pprl_desktop.exchange.linking import AssignedPairs
from pprl_desktop.exchange.pseudonyms import Pseudonyms
from pprl_desktop.exchange.recognised import Recognised
from pprl_desktop.exchange.results import ExportedResult, Outcome
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.exchange.terms import Terms
from pprl_desktop.job.blind import Weighed, must_be_weighed, weigh
from pprl_desktop.job.own_table import OwnTable, as_remembered, remembered
from pprl_desktop.matching.decide import decide
from pprl_desktop.matching.party import Comparison, comparison
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.reading import ReadOptions
from pprl_desktop.records.table import CleanTable, Table
from pprl_desktop.review import partner, sources
from pprl_desktop.review.desk import Desk
from pprl_desktop.review.plan import Policy, Review
from pprl_desktop.review.report import PrivacyLoss


@dataclass(frozen=True, eq=False)
class _Ready:
    """A comparison, and what it was made of."""

    table: CleanTable
    key: tuple[str, str, int]  # digests of both bundles, memory allowed
    comparison: Comparison


class Partnership:
    """`agreement_id` may be the beginning of an id; without one, the only agreement in force is meant."""

    def __init__(self, home: Home, identity: Identity, agreement_id: str = "") -> None:
        self.home, self.identity = home, identity
        self.id = home.agreement(agreement_id).id
        self.signatory = Signatory(home, identity, self.id)
        self._bundle: tuple[str, PartnerBundle] | None = None
        self._ready: _Ready | None = None

    # coming to an agreement -----------------------------------------------------------------------

    @classmethod
    def propose(cls, home: Home, identity: Identity, contact: str, offer: Offer, out: Path) -> Partnership:
        """Writes a sealed proposal for a verified contact."""
        return cls(home, identity, agreeing.propose(home, identity, home.contact(contact), offer, out).id)

    @staticmethod
    def same_terms(home: Home, agreement_id: str) -> Offer:
        """The terms of an agreement as an offer to somebody else."""
        return agreeing.offer_like(home.agreement(agreement_id).terms)

    @staticmethod
    def draft(home: Home, identity: Identity, contact: str, offer: Offer) -> Terms:
        """The terms as propose() would write them, to be read before."""
        return agreeing.draft(home, identity, home.contact(contact), offer)

    @classmethod
    def accept(
        cls,
        home: Home,
        identity: Identity,
        proposal: Proposal,
        out: Path,
        columns: Mapping[str, str] | None = None,
        *,
        weighed: Weighed | None = None,
    ) -> Partnership:
        """Signs, and writes the sealed answer. `columns` says which own column is meant by each field.

        With blind, `weighed` is what the steward saw of the own table (job/blind.py) before signing.
        """
        must_be_weighed(proposal.terms, weighed)
        made = cls(home, identity, agreeing.accept(home, identity, proposal, out).id)
        if columns:
            made.remember(columns)
        return made

    @classmethod
    def decline(cls, home: Home, identity: Identity, proposal: Proposal, reason: str, out: Path) -> Partnership:
        return cls(home, identity, agreeing.decline(home, identity, proposal, reason, out).id)

    @staticmethod
    def end(home: Home, agreement_id: str, reason: str) -> Agreement:
        """Of this side: nothing more is sent or opened under it. Needs no key, since nothing is sealed."""
        return inbox.end(home, home.agreement(agreement_id), reason)

    @staticmethod
    def verified_contact(home: Home, wanted: str) -> Contact:
        """To be asked before work is put into a proposal; propose() asks again."""
        contact = home.contact(wanted)
        contacts.must_be_verified(contact)
        return contact

    @staticmethod
    def read_proposal(home: Home, identity: Identity, path: Path) -> Proposal:
        return agreeing.read_proposal(home, identity, path)

    @staticmethod
    def open(
        home: Home, identity: Identity, path: Path, progress: Progress = NO_PROGRESS, *, expected: str = ""
    ) -> Received:
        """Whatever a partner sent: checked as a whole, then taken in, or refused with nothing changed."""
        return inbox.open_file(home, identity, path, progress, expected=expected)

    @staticmethod
    def recognise(home: Home, identity: Identity | None, path: Path) -> Recognised:
        """What a file is, in words, and where it belongs; nothing is taken in."""
        return recognised.recognise(home, identity, path)

    # the agreement --------------------------------------------------------------------------------

    @property
    def agreement(self) -> Agreement:
        """As it is at home now."""
        return self.signatory.agreement

    @property
    def partner_name(self) -> str:
        return self.agreement.partner_side.name

    def recipe(self) -> Recipe:
        return agreeing.recipe_of(self.signatory)

    def remember(self, columns: Mapping[str, str], read: Choices | None = None) -> None:
        """Which own column is meant by each field, and how the table was read; nothing of it is sent."""
        with self.home.locked():
            agreeing.with_columns(self.home, self.agreement, columns, as_remembered(read) if read else None)

    def choices(self, table: Path, columns: Mapping[str, str] | None = None, how: ReadOptions | None = None) -> Choices:
        """What a steward without a project decides: the file, its columns and sheet as given or as remembered."""
        agreed = self.agreement
        names = [one.name for one in agreed.terms.fields]
        merged = {name: name for name in names} | dict(agreed.columns) | dict(columns or {})
        return Choices(
            table_path=str(table),
            fields=agreed.terms.fields,
            columns=tuple((name, merged[name]) for name in names),
            agreement=self.id,
            **remembered(agreed.reading, table, how),
        )

    def receive(self, path: Path, progress: Progress = NO_PROGRESS) -> Received:
        """open() under this agreement alone. A bundle stays at hand for the match, so that it is decrypted once."""
        received = self.open(self.home, self.identity, path, progress, expected=self.id)
        if received.bundle is not None and received.item is not None:
            self._bundle = received.item.digest, received.bundle
        return received

    @staticmethod
    def send_again(home: Home, agreement_id: str, number: int, out: Path, progress: Progress = NO_PROGRESS) -> str:
        """A file that was sent before, the same bytes; what kind of file it is. Needs no key."""
        return sent_again.write(home, agreement_id, number, out, progress)

    def receipt(self, received: Received, out: Path) -> None:
        """The confirmation that a file arrived and was accepted."""
        inbox.receipt(self.home, self.identity, received, out)

    # bundles --------------------------------------------------------------------------------------

    def plan(self, own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Plan:
        """What an export would add up to, before anything is written; whether the steward must be asked."""
        return bundles.plan(self.signatory, own.clean(choices, progress), own.numbers(choices))

    def export(
        self,
        own: OwnTable,
        choices: Choices,
        out: Path,
        progress: Progress = NO_PROGRESS,
        *,
        seen: Plan | None = None,
    ) -> Exported:
        """The sealed bundle; the same table gives the same bytes again. `seen` is the plan, confirmed where it asks."""
        table = own.clean(choices, progress.part(0.0, 0.2))
        part = progress.part(0.2, 1.0)
        ids = own.numbers(choices)
        return bundles.export(self.signatory, table, out, part, own.smash, seen=seen, ids=ids)

    def partner_names(self) -> Pseudonyms:
        """The random names in the partner's bundle; with blind, of the records that were opened."""
        if self.agreement.terms.blind is not None:
            return linking.partner_names(self.signatory)
        return self._partner_bundle(NO_PROGRESS).pseudonyms

    def _partner_bundle(self, progress: Progress) -> PartnerBundle:
        """Decrypted once, as long as no newer one comes."""
        agreed = self.agreement
        received = linking.both_bundles(agreed)[1]
        if self._bundle is None or self._bundle[0] != received.digest:
            opened = letters.reopen(self.signatory, received)
            self._bundle = received.digest, bundles.load(opened, progress)
        return self._bundle[1]

    # question and answer (blind) --------------------------------------------------------------------

    def send_question(
        self,
        own: OwnTable,
        choices: Choices,
        out: Path,
        *,
        keep_seed: bool = False,
        progress: Progress = NO_PROGRESS,
    ) -> blind.Asked:
        """The sealed question; the same table gives the same bytes again. `keep_seed`: for an auditor."""
        table = own.clean(choices, progress.part(0.0, 0.1))
        part = progress.part(0.1, 1.0)
        return blind.ask(self.signatory, table, out, part, keep_seed=keep_seed, ids=own.numbers(choices))

    def weigh(self, own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Weighed:
        """What a lying partner could reach of the own table under this agreement."""
        agreed = self.agreement
        table = own.clean(choices, progress.part(0.0, 0.1))
        return weigh(table, blind.terms_of(agreed), agreed.role, progress=progress.part(0.1, 1.0))

    def asked_before(self, weighed: Weighed) -> blind.Before:
        """What this partner could guess in earlier runs, and with this one."""
        agreed = self.agreement
        now = sum(blind.partner_direction(agreed).asked)
        return blind.before(self.home, agreed, now, weighed.meter.most)

    def send_answer(
        self,
        own: OwnTable,
        choices: Choices,
        out: Path,
        *,
        again: bool = False,
        progress: Progress = NO_PROGRESS,
    ) -> blind.Answered:
        """The sealed answer to the partner's question, if the own table is still below the bound.

        `again` is the steward's word where this partner has asked in earlier runs.
        """
        table = own.clean(choices, progress.part(0.0, 0.1))
        weighed = self.weigh(own, choices, progress.part(0.1, 0.2))
        if weighed.problem is not None:
            raise weighed.problem
        return blind.answer(
            self.signatory, table, out, weighed.meter.most, progress.part(0.2, 1.0),
            again=again, ids=own.numbers(choices),
        )  # fmt: skip

    def first_ids(self, own: OwnTable, choices: Choices) -> dict[int, str]:
        """With blind: own row -> the id of its first link with this partner, where an earlier run linked it."""
        if self.agreement.terms.blind is None:
            return {}  # there links keep their ids
        return earlier_links.first_ids(self.signatory, own.clean(choices), own.numbers(choices))

    def audit(self, question: Path, own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Audited:
        """Whether every key of a question that was sent came from a record of this table."""
        table = own.clean(choices, progress.part(0.0, 0.2))
        return audit(self.signatory, question, table, progress.part(0.2, 1.0))

    def _match_blind(self, own: OwnTable, choices: Choices, progress: Progress) -> Match:
        agreed = self.agreement
        agreed.must_be_in_force()
        table = own.clean(choices, progress.part(0.0, 0.1))
        opened = blind.read_answer(self.signatory, table, progress.part(0.1, 0.7))
        terms = blind.terms_of(agreed)
        options = MatchOptions(
            agreed.direction, seed=self._seed(), accept=choices.accept, review=choices.review, copies=False
        )
        size = terms.size(other(agreed.role))
        return decide_opened(table, opened, terms.recipe, size, options, progress.part(0.7, 1.0))

    def exported_table(self, own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> Table:
        """The clear table behind the bundle that was sent, row by row; another one is refused."""
        sent = linking.both_bundles(self.agreement)[0]
        table = own.table(choices, progress.part(0.0, 0.6))
        linking.must_be_exported(self.home, self.identity, sent, own.clean(choices, progress.part(0.6, 1.0)))
        return table

    # the match ------------------------------------------------------------------------------------

    def outlook(
        self, own: OwnTable, choices: Choices, *, memory: int = DEFAULT_MEMORY, progress: Progress = NO_PROGRESS
    ) -> Outlook:
        """What match() will take, before it starts."""
        if self.agreement.terms.blind is not None:
            return Outlook(0)
        return self._comparison(own, choices, memory, progress).outlook

    def match(
        self, own: OwnTable, choices: Choices, *, memory: int = DEFAULT_MEMORY, progress: Progress = NO_PROGRESS
    ) -> Match:
        """The own table against the partner's bundle or answer; with borders set by hand where the steward did. Kept,
        sealed."""
        if self.agreement.terms.blind is not None:
            made = self._match_blind(own, choices, progress.part(0.0, 0.98))
            whole_match.keep(self.signatory, made)
            progress.at(1.0)
            return made
        ready = self._comparison(own, choices, memory, progress.part(0.0, 0.4))
        made = ready.match(progress.part(0.4, 0.98), accept=choices.accept, review=choices.review)
        whole_match.keep(self.signatory, made)
        progress.at(1.0)
        return made

    def kept_match(self, choices: Choices, progress: Progress = NO_PROGRESS) -> Match | None:
        """The finished match of the bundles at hand, with the present borders; None: it has to be made."""
        found = whole_match.kept(self.signatory)
        borders = (choices.accept, choices.review)
        if found is None or borders == (None, None) or borders == (found.accept, found.review):
            return found
        return self.decide(found, choices, progress)

    def decide(self, match: Match, choices: Choices, progress: Progress = NO_PROGRESS) -> Match:
        """Bands and assignment again, on the same scores, with other borders."""
        direction = self.agreement.direction
        options = MatchOptions(direction, accept=choices.accept, review=choices.review, copies=False)
        return decide(match.scored, options, progress)

    def keep(self, match: Match) -> AssignedPairs:
        """The pairs, sealed at home; replaces an earlier match."""
        return linking.keep(self.signatory, match)

    def kept(self) -> AssignedPairs:
        return linking.kept(self.signatory)

    def _comparison(self, own: OwnTable, choices: Choices, memory: int, progress: Progress) -> Comparison:
        agreed = self.agreement
        agreed.must_be_in_force()
        sent, received = linking.both_bundles(agreed)
        table = own.clean(choices, progress.part(0.0, 0.2))
        key = (sent.digest, received.digest, memory)
        if self._ready is not None and self._ready.table is table and self._ready.key == key:
            return self._ready.comparison
        linking.must_be_exported(self.home, self.identity, sent, table)
        recipe, seed = self.recipe(), self._seed()
        theirs = self._partner_bundle(progress.part(0.2, 0.3)).smashed
        known = self._own_side(own, table, recipe, sent, progress.part(0.3, 0.6))
        options = MatchOptions(agreed.direction, memory=memory, seed=seed, copies=False)
        made = comparison(table, known, theirs, recipe, options, seed, progress.part(0.6, 1.0))
        self._ready = _Ready(table, key, made)
        return made

    def _own_side(self, own: OwnTable, table: CleanTable, recipe: Recipe, sent: Item, progress: Progress) -> Smashed:
        """Clean, or as it was sent where both sides were agreed to carry noise."""
        noised = recipe.settings.epsilon is not None and recipe.settings.decision != "nearest"
        if noised and recipe.settings.noise == "two-sided":
            copy = bundles.own_copy(self.signatory, sent)
            names = bundles.own_map(self.signatory, sent)
            return bundles.reordered(copy.smashed, names.places(np.arange(table.rows)))
        return own.smash(table, recipe, progress)

    def _seed(self) -> int:
        """The same on every run of this side, so that a match can be repeated."""
        agreed = self.agreement
        return int.from_bytes(hashlib.sha256(f"{agreed.id}{agreed.role}".encode()).digest()[:4], "big")

    # results --------------------------------------------------------------------------------------

    def send_result(self, out: Path, progress: Progress = NO_PROGRESS) -> ExportedResult:
        """The accepted pairs for the partner, as random names."""
        return results.export(self.signatory, out, progress)

    def result_is_current(self) -> bool:
        """Whether what was sent last still says what the match says, the review's decisions included."""
        return results.is_current(self.signatory)

    def outcome(self) -> Outcome:
        """What both results give under the agreed rule."""
        return results.outcome(self.signatory)

    def must_be_exported(self, own: OwnTable, choices: Choices) -> tuple[int, str]:
        """Refuses another table than the one behind the names that the partner knows; its rows and its keyed hash."""
        sent, table = linking.both_bundles(self.agreement)[0], own.clean(choices)
        linking.must_be_exported(self.home, self.identity, sent, table)
        return table.rows, sent.table

    def doubt(self, links: Collection[str]) -> int:
        """Accepted pairs that the links of other parties contradict go back to the review; how many did."""
        outcome, found = self.outcome(), self.kept()
        pairs = {
            tuple(pair)
            for pair, link in zip(outcome.reconciled.linked.tolist(), outcome.links, strict=True)
            if link in links
        }
        both = zip(found.own.tolist(), found.partner.tolist(), strict=True)
        moved = np.array([pair in pairs for pair in both], bool) & (found.band == ACCEPT)
        band = np.where(moved, REVIEW, found.band).astype(np.uint8)
        before = found.band if found.matched is None else found.matched
        matched = np.where(moved, REVIEW, before).astype(np.uint8)
        linking.keep_pairs(self.signatory, replace(found, band=band, matched=matched))
        return int(moved.sum())

    # the masked review ----------------------------------------------------------------------------

    def ask(self, out: Path, progress: Progress = NO_PROGRESS) -> Asked:
        """Names the uncertain pairs, by random names."""
        return clear_cells.ask(self.signatory, out, progress)

    def would_leave(self, own: OwnTable, choices: Choices, progress: Progress = NO_PROGRESS) -> InClear:
        """What answering the partner's request would send in clear, for the steward who is to confirm it."""
        table = own.clean(choices, progress.part(0.0, 0.5))
        return clear_cells.would_leave(self.signatory, table, progress.part(0.5, 1.0))

    def answer(
        self, own: OwnTable, choices: Choices, out: Path, confirmed: InClear, progress: Progress = NO_PROGRESS
    ) -> SentInClear:
        """Sends the partner what the steward has seen and confirmed, and nothing else."""
        table = own.clean(choices, progress.part(0.0, 0.3))
        return clear_cells.answer(self.signatory, table, out, confirmed, progress.part(0.3, 1.0))

    def uncertain(
        self, own: OwnTable, choices: Choices, policy: Policy, title: str = "", progress: Progress = NO_PROGRESS
    ) -> Review:
        """The review band, over the own table and the cells that the partner sent."""
        table = own.clean(choices, progress.part(0.0, 0.3))
        return partner.from_answer(self.signatory, table, policy, title, progress.part(0.3, 1.0))

    def review(
        self,
        own: OwnTable,
        choices: Choices,
        folder: Path,
        passphrase: str,
        *,
        budget: Fraction = Fraction(3, 10),
        progress: Progress = NO_PROGRESS,
    ) -> Desk:
        """The uncertain pairs on a desk of their own, with the usual rules."""
        fields = sources.review_fields(choices.fields)
        swaps = sources.name_swaps([one.name for one in fields])
        policy = Policy(fields, reviewer_budget=budget, blind=True, name_swaps=swaps)
        made = self.uncertain(own, choices, policy, self.partner_name, progress)
        return Desk.create(folder, made, passphrase)

    def take_in(
        self, review: Review, decided: Mapping[str, bool | None], losses: Sequence[PrivacyLoss] = ()
    ) -> AssignedPairs:
        """The kept match with the reviewed pairs as decided; the result must then be sent again."""
        return partner.take_in(self.signatory, review, decided, losses)
