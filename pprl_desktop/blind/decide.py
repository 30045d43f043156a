"""From opened records to a match: tokens become levels, levels probabilities, and those an assignment with bands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pprl_desktop.blind.opened import Opened
from pprl_desktop.codes.keys import strangers
from pprl_desktop.codes.keys.recipe import Columns, KeyRecipe
from pprl_desktop.codes.keys.variants import status_of
from pprl_desktop.decisions.adaptive.opened import Side, Strangers, score
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.matching.decide import decide
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said

ASSUMPTION = Said(
    "Only records that share a key were looked at. People whose records share none are not found, "
    "and the estimate of recall does not know of them."
)


def decide_opened(
    table: CleanTable,
    opened: Opened,
    recipe: KeyRecipe,
    partner_rows: int,
    options: MatchOptions,
    progress: Progress = NO_PROGRESS,
) -> Match:
    """The asker's match: own row against opened record; `partner_rows` as declared in the agreement."""
    own = Side(
        tuple(column.codes for column in table.columns),
        tuple(opened.own_marks[one.name] for one in table.fields),
        status_of(table),
    )
    everyone = np.arange(len(opened.slots), dtype=np.int32)
    partner = Side(
        tuple(everyone for _ in table.fields), tuple(opened.marks[one.name] for one in table.fields), opened.status
    )
    near = _strangers(table, recipe, options.seed)
    scored = score(
        table.fields, own, partner, (opened.own, opened.partner), near, partner_rows, options, progress.part(0.0, 0.8)
    )
    scored = replace(scored, notes={**scored.notes, "assumption": ASSUMPTION})
    return decide(scored, options, progress.part(0.8, 1.0))


def _strangers(table: CleanTable, recipe: KeyRecipe, seed: int) -> Strangers:
    near = strangers.Near(Columns(table), seed)
    shared = near.start()
    for key in recipe.keys:
        shared = shared.with_key(key)
    first, second = shared.pairs // near.rows, shared.pairs % near.rows
    return Strangers(
        near.chosen[first].astype(np.int32), near.chosen[second].astype(np.int32), near.rows * (near.rows - 1) / 2
    )
