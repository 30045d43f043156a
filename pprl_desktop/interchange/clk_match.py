"""CLKs of the own table against a partner's: what a similarity is worth is learned on own records with made-up slips.

The same decision as for our own record codes (decisions/threshold): no threshold has to be guessed, the probability of
a pair is worked out for the real class balance, and the evidence of each feature is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pprl_desktop.codes.base import Recipe, Smashed
from pprl_desktop.codes.recipe import of_other_tool
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.interchange.clk_encode import METHOD, Encoded, encode
from pprl_desktop.interchange.clk_files import Clks
from pprl_desktop.interchange.clk_schema import Schema
from pprl_desktop.matching.match import match
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.fields import Field, FieldKind
from pprl_desktop.records.table import MISSING, CleanTable, Column, Table
from pprl_desktop.said import Said

_KINDS: Mapping[str, FieldKind] = {"string": "name", "integer": "number", "date": "text", "enum": "category"}


@dataclass(frozen=True, eq=False)
class _Clk:
    """Hashes corrupted copies of own records as the schema says; a value that lost its form counts as missing."""

    schema: Schema
    secret: bytes

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        return encode(Table(table.columns), self.schema, self.secret, {}, progress).smashed()


def match_clks(
    table: Table,
    own: Encoded,
    theirs: Clks,
    schema: Schema,
    secret: bytes,
    columns: Mapping[str, str],
    options: MatchOptions,
    progress: Progress = NO_PROGRESS,
) -> Match:
    from pprl_desktop.decisions.threshold.learning import learn_bits

    if theirs.bits != schema.bits:
        raise Problem(
            Said("The partner's CLKs have {theirs} bits, the schema makes {own}.", theirs=theirs.bits, own=schema.bits),
            "They were made with another schema.",
            "Ask the partner which schema was used.",
            place="schema",
        )
    smashed, clean = own.smashed(), _as_clean(table, schema, columns)
    recipe = of_other_tool(METHOD, clean.fields, secret)
    measure = "hamming" if schema.folds else "dice"  # a folded filter no longer stands for a set
    played = _Clk(schema, secret)
    rule = learn_bits(played, clean, smashed, recipe, measure, own, options.seed, progress.part(0.0, 0.4))  # type: ignore[arg-type]
    return match(smashed, theirs.smashed, rule, options, progress.part(0.4, 1.0))


def _as_clean(table: Table, schema: Schema, columns: Mapping[str, str]) -> CleanTable:
    """The hashed columns as they are: the schema's own form is what both sides hash."""
    fields, kept = [], []
    for feature in schema.hashed:
        assert feature.format is not None
        column = table.column(columns.get(feature.name, feature.name))
        fields.append(Field.of(feature.name, _KINDS[feature.format.kind]))
        blank = np.array([not str(value) for value in column.values], dtype=bool)
        codes = np.where(blank[column.codes], MISSING, column.codes).astype(np.int32)
        kept.append(Column(feature.name, column.values, codes))
    return CleanTable(tuple(fields), tuple(kept))
