"""The rehearsal of blind: an honest and a lying partner, through the real protocol, on a sample of the own records.

The liar asks what is likeliest, best first, as often as was agreed. A guess that no sampled record holds opens nothing;
of those only so many are really asked as it takes to see that, and the others are not worth their processor time.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.blind import group
from pprl_desktop.blind.answer import answer
from pprl_desktop.blind.opened import Opened, open_answer
from pprl_desktop.blind.plan import Plan, asked_for, inputs
from pprl_desktop.blind.question import Asker, Batch, ask, asker, distinct_rows
from pprl_desktop.codes.keys import coverage
from pprl_desktop.codes.keys.recipe import DIGEST, Columns, Key, KeyRecipe, values_of
from pprl_desktop.codes.keys.variants import variants_of
from pprl_desktop.codes.recipe import PLAYED_SECRET
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.said import Said

SAMPLE = 500  # own records that answer
STRAY = 2000  # guesses of each type, at most, that are asked although no sampled record holds them

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class BlindRehearsal:
    rows: int
    sampled: int
    guesses: int  # that the agreed budget allows, all types together
    asked: int  # of them, through the real protocol
    opened: Share  # by the partner who lies in every question
    told: float  # coverage, as the meter counts it on the whole table
    strangers: Share  # of an honest partner's strangers: records opened because they share a key
    without_key: int  # records opened that share none: there must be none
    seconds: float

    def sentences(self) -> tuple[Said, ...]:
        return (
            Said(
                "At least {share} could be opened by a partner who lies in every question; the meter told "
                "{told:decimals 1} of 100.",
                share=self.opened.of_records(), told=100 * self.told,
            ),
            Said(
                "{guesses} guesses were tried, best first, against {sampled} of your records.",
                guesses=self.guesses, sampled=self.sampled,
            ),
            Said(
                "An honest partner who holds none of these people opened {share}, because strangers shared a key, and "
                "learned nothing about the others.",
                share=self.strangers.of_records(),
            ),
        )  # fmt: skip

    def as_dict(self) -> dict[str, Any]:
        return {
            "method": "blind", "rows": self.rows, "sampled": self.sampled, "guesses": self.guesses,
            "asked": self.asked, "opened": self.opened.as_dict(), "coverage_told": round(self.told, 6),
            "strangers": self.strangers.as_dict(), "without_key": self.without_key, "seconds": self.seconds,
        }  # fmt: skip


def rehearse_blind(
    table: CleanTable,
    recipe: KeyRecipe,
    budgets: Sequence[int],
    told: float,
    *,
    sample: int = SAMPLE,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> BlindRehearsal:
    """`budgets`: keys of each type that the partner may ask; `told`: coverage by the meter for these budgets."""
    started = time.perf_counter()
    random = np.random.default_rng(seed)
    chosen = random.permutation(table.rows)
    some = table.take(np.sort(chosen[: min(sample, table.rows)]))
    asked, opened = _lie(table, some, recipe, budgets, random, progress.part(0.0, 0.7))
    half = table.rows // 2
    honest = [table.take(np.sort(rows[:sample])) for rows in (chosen[:half], chosen[half:])]
    share, stray = _honest(honest[0], honest[1], recipe, progress.part(0.7, 1.0))
    progress.at(1.0)
    return BlindRehearsal(
        table.rows, some.rows, int(sum(budgets)), asked, opened, told, share, stray,
        round(time.perf_counter() - started, 3),
    )  # fmt: skip


def _lie(
    table: CleanTable,
    some: CleanTable,
    recipe: KeyRecipe,
    budgets: Sequence[int],
    random: np.random.Generator,
    progress: Progress,
) -> tuple[int, Share]:
    guesser = coverage.Guesser(Columns(table), "public")
    columns, batches, asked = Columns(some), [], 0
    plan = _plan(some, recipe, budgets)
    for place, (key, budget) in enumerate(zip(recipe.keys, budgets, strict=True)):
        progress.at(0.5 * place / len(recipe.keys), Said("Guessing"))
        digests = digests_of(coverage.guesses(guesser, key, budget))
        digests = _worth_asking(digests, columns, key, random)
        found, of_line = distinct_rows(inputs(PLAYED_SECRET, plan, f"key{place}", digests))
        rows = np.arange(len(digests), dtype=np.int32)
        batches.append(Batch(f"key{place}", asked_for(max(len(found), 1)), found, rows, of_line))
        asked += len(found)
    made = _liar(plan, batches, some)
    opened = _played(made, some, made.plan, progress.part(0.5, 1.0))
    return asked, Share(len(opened.slots), some.rows)


def _worth_asking(digests: Bytes, columns: Columns, key: Key, random: np.random.Generator) -> Bytes:
    """Guesses that a sampled record holds, and some of the others, in their order."""
    if not len(digests):
        return digests
    kind = np.dtype((np.void, digests.shape[1]))
    held = {one.tobytes() for one in values_of(columns, key).digests}
    hit = np.fromiter((one.tobytes() in held for one in digests.view(kind).reshape(-1)), bool, len(digests))
    others = np.flatnonzero(~hit)
    kept = np.union1d(np.flatnonzero(hit), random.permutation(others)[:STRAY])
    return np.ascontiguousarray(digests[kept])


def digests_of(texts: Sequence[tuple[str, ...]]) -> Bytes:
    joined = b"".join(
        hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST] for row in texts for text in row
    )
    width = DIGEST * len(texts[0]) if texts else DIGEST
    return np.frombuffer(joined, np.uint8).reshape(-1, width)


def _liar(plan: Plan, batches: Sequence[Batch], some: CleanTable) -> Asker:
    """Nothing is asked about values: the liar wants to open records, not to compare them."""
    none, nothing = np.zeros(0, np.int32), np.zeros((0, 32), np.uint8)
    values, variants = [], []
    for place, name in enumerate(plan.groups):
        texts = variants_of(some, name)
        values.append(Batch(f"value{place}", 1, nothing, none, np.full(len(texts), -1, np.int64)))
        variants.append(texts)
    changed = Plan(
        plan.session, plan.fields, plan.recipe, tuple(one.asked for one in batches), plan.rows,
        tuple(1 for _ in plan.groups), plan.slots,
    )  # fmt: skip
    return Asker(changed, batches.__getitem__, tuple(values), tuple(variants))


def _plan(some: CleanTable, recipe: KeyRecipe, asked: Sequence[int]) -> Plan:
    columns = Columns(some)
    rows = tuple(max(len(values_of(columns, key).rows), 1) for key in recipe.keys)
    groups = len({"names" if one.kind == "name" else one.name for one in some.fields})
    return Plan("rehearsal", some.fields, recipe, tuple(asked), rows, (1,) * groups, some.rows)


def _played(made: Asker, some: CleanTable, plan: Plan, progress: Progress) -> Opened:
    own, other = group.random_seed(), group.random_seed()
    question = ask(made, own, progress=progress.part(0.0, 0.3))
    given, _ = answer(some, plan, PLAYED_SECRET, question, other, progress=progress.part(0.3, 0.7))
    return open_answer(made, own, question, given, progress=progress.part(0.7, 1.0))


def _honest(a: CleanTable, b: CleanTable, recipe: KeyRecipe, progress: Progress) -> tuple[Share, int]:
    """Two halves of the own table, which hold different people: what is opened, and whether each shares a key."""
    columns = Columns(a)
    asked = [asked_for(max(len(values_of(columns, key).rows), 1)) for key in recipe.keys]
    values = tuple(asked_for(max(len(variants_of(a, name)), 1)) for name in _plan(b, recipe, asked).groups)
    base = _plan(b, recipe, asked)
    plan = Plan(base.session, base.fields, recipe, base.asked, base.rows, values, base.slots)
    made = asker(a, plan, PLAYED_SECRET)
    opened = _played(made, b, plan, progress)
    pairs = len(np.unique(opened.partner))
    return Share(pairs, b.rows), len(opened.slots) - pairs
