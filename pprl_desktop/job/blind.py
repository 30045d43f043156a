"""The method blind for a steward: keys and limits for a proposal, the meter before signing, question, answer, match.

Nothing is signed that was not weighed on the own table: `prepare` for who proposes, `weigh` for who accepts.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pprl_desktop.blind import meter as meters
from pprl_desktop.blind.meter import Meter, limits_for, measure
from pprl_desktop.codes.keys.careful import MOST_CAREFUL
from pprl_desktop.codes.keys.choose import TUNING, Choice, choose, room_for_partner
from pprl_desktop.exchange import blind, clock
from pprl_desktop.exchange.blind import History
from pprl_desktop.exchange.blind_terms import MAX_RUNS, BlindTerms, Direction, Role, new_session, other
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.releases import ReleaseLedger
    from pprl_desktop.exchange.terms import Terms
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.rehearsal.blind import BlindRehearsal

NOTHING = History()
Asks = Literal["me", "partner", "both"]
DAYS = 90  # that an agreement on blind lasts unless something else is said
TRIES = 4  # times the bound is tightened where the limits, with their slack, reach more than it allows


@dataclass(frozen=True)
class Wish:
    """What the steward decides before a proposal; the partner tells its number of records."""

    partner_rows: int
    coverage: float | None = None  # None: the usual one
    asks: Asks = "me"
    days: int = DAYS


@dataclass(frozen=True, eq=False)
class Weighed:
    """What the own steward sees before signing: how far a lying partner could reach on the own table."""

    session: str  # of the terms that were weighed
    meter: Meter
    bound: float
    asks: bool
    answers: bool
    warnings: tuple[Said, ...]
    problem: Problem | None  # why it should not be signed
    before: blind.Before | None = None  # what this partner could guess in earlier runs and with this one

    def sentences(self) -> tuple[Said, ...]:
        low, high = self.meter.recall_range()
        return (
            Said(
                "A partner who lies in every question, and asks what is likeliest by each key, reaches about "
                "{share:decimals 1} of 100 of your records; {most:decimals 1} were to be allowed.",
                share=100 * self.meter.coverage, most=100 * self.bound,
            ),
            self.careful(),
            Said(
                "Were it to know how often each value occurs in your table: {own:decimals 1}; with ten times the "
                "questions: {more:decimals 1} ({both:decimals 1}).",
                own=100 * self.meter.coverage_own, more=100 * self.meter.coverage_10n,
                both=100 * self.meter.coverage_own_10n,
            ),
            Said(
                "About {share:decimals 1} of 100 of your records share a key with a stranger in the partner's table; "
                "by chance {low:decimals 1} to {high:decimals 1}.",
                share=100 * self.meter.strangers, low=100 * self.meter.strangers_range[0],
                high=100 * self.meter.strangers_range[1],
            ),
            Said(
                "Of 100 people held on both sides, {low:count} to {high:count} share a key, by how the records differ. "
                "This is a range over imagined differences, not a forecast.",
                low=100 * low, high=100 * high,
            ),
            *(self.before.sentences() if self.before is not None else ()),
        )  # fmt: skip

    def careful(self) -> Said:
        return Said(
            "A partner who plans its keys so that no two reach the same people: up to {careful:decimals 1} of 100. "
            "More than {most:decimals 1} is not signed.",
            careful=100 * self.meter.most, most=100 * MOST_CAREFUL * self.bound,
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        return {
            "bound": self.bound, **self.meter.as_dict(), "asks": self.asks, "answers": self.answers,
            "recall_range": [round(share, 4) for share in self.meter.recall_range()],
            "warnings": [str(one) for one in self.warnings],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Prepared:
    """Keys and limits for a proposal, and what they mean for the own table."""

    terms: BlindTerms
    choice: Choice
    weighed: Weighed


def prepare(
    table: CleanTable, wish: Wish, so_far: History = NOTHING, seed: int = 0, progress: Progress = NO_PROGRESS
) -> Prepared:
    """Keys chosen on the own table, so that it stays below the bound with the limits that are proposed.

    `so_far`: what this partner has asked and been asked under other agreements.
    """
    _must_make_sense(wish)
    bound = wish.coverage if wish.coverage is not None else usual_bound(table)
    wanted, run = room_for_partner(bound, table.rows, wish.partner_rows), min(so_far.agreements + 1, MAX_RUNS)
    ends = date.fromisoformat(clock.now()[:10]) + timedelta(days=wish.days)
    for attempt in range(TRIES):
        part = progress.part(attempt / TRIES, (attempt + 1) / TRIES)
        # a partner who asks and is asked has both budgets
        both = 2 if wish.asks == "both" else 1
        choice = choose(table, wish.partner_rows, wanted, seed, progress=part.part(0.0, 0.7), directions=both)
        directions = []
        asked: tuple[tuple[Role, bool], ...] = (("proposer", True), ("accepter", False))
        for role, mine in asked:
            if wish.asks == "both" or (wish.asks == "me") == mine:
                found = limits_for(table, choice.recipe, wish.partner_rows, asks=mine)
                directions.append(Direction(role, found.asked, found.rows, found.values))
        terms = BlindTerms(
            new_session(), choice.recipe, bound, (table.rows, wish.partner_rows), tuple(directions), run, run,
            ends.isoformat(),
        )  # fmt: skip
        weighed = weigh(table, terms, "proposer", so_far, seed, part.part(0.7, 1.0))
        if weighed.problem is None:
            progress.at(1.0)
            return Prepared(terms, choice, weighed)
        wanted *= 0.97 / max(weighed.meter.over(bound), 1e-9)
    assert weighed.problem is not None
    raise weighed.problem


def rehearse(
    table: CleanTable, wish: Wish, *, sample: int = 500, seed: int = 0, progress: Progress = NO_PROGRESS
) -> BlindRehearsal:
    """An honest and a lying partner against the own table, with keys and limits as they would be proposed."""
    from pprl_desktop.rehearsal.blind import rehearse_blind

    made = prepare(table, wish, seed=seed, progress=progress.part(0.0, 0.4))
    budgets = [sum(each) for each in zip(*(_guesses(one, "proposer") for one in made.terms.directions), strict=True)]
    told = made.weighed.meter.coverage
    return rehearse_blind(
        table, made.terms.recipe, budgets, told, sample=sample, seed=seed, progress=progress.part(0.4, 1.0)
    )


def _guesses(direction: Direction, role: Role) -> tuple[int, ...]:
    """What the partner of `role` may try in one direction: its questions, or the rows of its table."""
    return direction.rows if direction.asks == role else direction.asked


def usual_bound(table: CleanTable) -> float:
    """The share within reach of a liar that is proposed unless the steward wants another."""
    from pprl_desktop.codes.keys.choose import has_full_date

    return TUNING.bound_with_date if has_full_date(table) else TUNING.bound


def _must_make_sense(wish: Wish) -> None:
    from pprl_desktop.exchange.blind_terms import MOST_COVERAGE

    if wish.partner_rows < 1:
        raise Problem(
            "The number of records of the partner is needed.",
            "The limits and the decision rest on the true number.",
            "Ask the partner how many records its table has.",
            place="partner_rows",
        )
    if wish.coverage is not None and not 0 < wish.coverage <= MOST_COVERAGE:
        raise Problem("A coverage is a share above 0 and at most a half.", do="Choose another.", place="coverage")
    if not 1 <= wish.days <= 3650:
        raise Problem("An agreement lasts from one day to ten years.", do="Choose another day.", place="expires")


def weigh(
    table: CleanTable,
    terms: BlindTerms,
    role: Role,
    so_far: History = NOTHING,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Weighed:
    """The meter on the own table. A partner who may ask and be asked has both budgets."""
    asks, answers = terms.asked_by(role), terms.asked_by(other(role))
    budgets = np.zeros(len(terms.recipe.keys), dtype=np.int64)
    budgets += np.array(asks.rows if asks is not None else budgets)
    budgets += np.array(answers.asked if answers is not None else np.zeros_like(budgets))
    partner_rows = terms.size(other(role))
    meter = measure(table, terms.recipe, budgets.tolist(), partner_rows, seed, progress)
    problem = meters.over_agreed(meter, terms.coverage) or _size_problem(table, terms, role)
    if problem is None and answers is not None:
        problem = meters.too_many_values(table, answers.values, partner_rows)
    warnings = meters.warnings(table.fields, max(table.rows, partner_rows))
    low = meter.recall_range()[0]
    if low < meters.WEAK:
        warnings = (*warnings, meters.weak(low))
    before = so_far.and_now(sum(answers.asked), meter.most) if answers is not None else None
    return Weighed(
        terms.session, meter, terms.coverage, asks is not None, answers is not None, warnings, problem, before
    )


def _size_problem(table: CleanTable, terms: BlindTerms, role: Role) -> Problem | None:
    declared = terms.size(role)
    if table.rows == declared:
        return None
    return Problem(
        Said("The proposal says that your table has {declared} records; it has {rows}.", declared=declared,
             rows=table.rows),
        "The decision needs the true number, and so do the limits.",
        "Tell the partner the true number and ask for a new proposal.",
        place="table",
    )  # fmt: skip


def must_be_weighed(terms: Terms, weighed: Weighed | None) -> None:
    """Before signing: the meter was seen for exactly these terms, and speaks against nothing."""
    if terms.blind is None:
        return
    if weighed is None or weighed.session != terms.blind.session:
        raise Problem(
            "What a lying partner could reach was not counted on your table yet.",
            "Both sides count it before they sign.",
            "Choose your table first.",
            place="table",
        )
    if weighed.problem is not None:
        raise weighed.problem


def asked_so_far(home: Home, partner: str) -> History:
    """`partner`: its key."""
    return blind.history(home.ledger(), partner) if home.exists else NOTHING


def answers_given(ledger: ReleaseLedger) -> tuple[tuple[str, History], ...]:
    """Whom blind questions were answered, by the latest key, and what all answers to it add up to."""
    organisation = ledger.organisation()
    given = [one for one in ledger.disclosures() if one.what == blind.ANSWER and not one.received]
    latest = {organisation(one.partner): one.partner for one in given}
    return tuple((partner, blind.history(ledger, partner)) for partner in latest.values())


def prepare_own(
    own: OwnTable, choices: Choices, wish: Wish, so_far: History = NOTHING, progress: Progress = NO_PROGRESS
) -> Prepared:
    """prepare() on the own table, for whoever only has choices."""
    return prepare(own.clean(choices, progress.part(0.0, 0.1)), wish, so_far, progress=progress.part(0.1, 1.0))


def weigh_own(
    own: OwnTable,
    choices: Choices,
    terms: BlindTerms,
    role: Role,
    so_far: History = NOTHING,
    progress: Progress = NO_PROGRESS,
) -> Weighed:
    return weigh(own.clean(choices, progress.part(0.0, 0.1)), terms, role, so_far, progress=progress.part(0.1, 1.0))
