"""The attack rehearsal: before anything leaves, play those who might receive it, against exactly what would leave.

(a) The partner, who holds the shared secret and the reference set, smashes dictionaries and looks records up.
(b) An outsider without the secret who broke the encryption.
(c) Whoever holds two releases of the same people.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from pprl_desktop.codes.base import Recipe
from pprl_desktop.privacy.statements import secret_reference
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.names import NameList
from pprl_desktop.rehearsal.changes import try_changes
from pprl_desktop.rehearsal.dictionaries import Guesses, Role
from pprl_desktop.rehearsal.findings import Change, Example, FieldResult, Names, Rehearsal
from pprl_desktop.rehearsal.others import linked, read_without_secret
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.rehearsal.stage import Decoded, Stage, Texts, attacked, named, staged

SAMPLE = 5000  # own records attacked: the interval is then at most 1.4 of 100 either way
OUTSIDER, NOISY_OUTSIDER = 20_000, 4_000  # own records an outsider counts names in
SMALLER_SAMPLE = 1000  # of them for each further attack: two releases, stronger settings
EXAMPLES = 5

__all__ = ["Change", "Example", "FieldResult", "Names", "Rehearsal", "recovered_share", "rehearse"]


def rehearse(
    table: CleanTable,
    recipe: Recipe,
    *,
    dictionary: Mapping[str, NameList] | None = None,
    roles: Mapping[str, Role] | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
    changes: bool = True,
    progress: Progress = NO_PROGRESS,
) -> Rehearsal:
    """Attack a sample of the own records. Fields that only the table has are tried as "more fields"."""
    started = time.perf_counter()
    stage = staged(table, recipe, dictionary or {}, roles or {}, sample, seed, progress.part(0.0, 0.1))
    partner = attacked(stage, 1, seed, progress.part(0.1, 0.5 if changes else 0.9))
    outsider = _without_secret(stage, partner, seed, progress.part(0.5, 0.55))
    small = stage.smaller(SMALLER_SAMPLE)
    again = attacked(small, 2, seed, progress.part(0.55, 0.65)) if stage.epsilon is not None and changes else None
    pair = [stage.leaving(copy, seed) for copy in (0, 1)]
    found_again = linked(pair[0], pair[1], progress.part(0.65, 0.7))
    tried: tuple[Change, ...] = ()
    if changes:
        now = named(small, {name: texts[:SMALLER_SAMPLE] for name, texts in partner.items()}).named
        tried = try_changes(small, now, seed, progress.part(0.7, 1.0))
    progress.at(1.0)
    return Rehearsal(
        method=recipe.method,
        layout=recipe.settings.layout,
        epsilon=stage.epsilon,
        rows=table.rows,
        sampled=stage.sample.rows,
        seed=seed,
        partner=named(stage, partner),
        guessing=named(stage, _likeliest(stage)),
        outsider=named(stage, outsider),
        linked=found_again,
        twice=named(small, again) if again is not None else None,
        fields=tuple(_field(stage, one, partner, outsider) for one in stage.guesses),
        changes=tried,
        notes=stage.notes,
        seconds=round(time.perf_counter() - started, 3),
        examples=_examples(stage, partner),
    )


def recovered_share(
    table: CleanTable,
    recipe: Recipe,
    *,
    dictionary: Mapping[str, NameList] | None = None,
    roles: Mapping[str, Role] | None = None,
    sample: int = 1000,
    seed: int = 0,
    progress: Progress = NO_PROGRESS,
) -> Share:
    """One number: the share of records that the partner could name. For the privacy-utility frontier."""
    stage = staged(table, recipe, dictionary or {}, roles or {}, sample, seed, progress.part(0.0, 0.1))
    return named(stage, attacked(stage, 1, seed, progress.part(0.1, 1.0))).named


def _without_secret(stage: Stage, partner: Decoded, seed: int, progress: Progress) -> Decoded:
    """The outsider counts and compares in all rows; what it reads of the sampled ones is scored."""
    progress.at(0.0, "Playing an outsider without the secret")
    sent = stage.smaller(1).leaving(0, seed)
    open_ = {
        one.field.name
        for one in stage.guesses
        if {part.kind for part in sent.of_field(one.field.name)} == {"distances"} and not secret_reference(stage.recipe)
    }
    others = [one for one in stage.guesses if one.field.name not in open_]
    rows = np.concatenate([stage.chosen, np.setdiff1d(np.arange(stage.whole.rows), stage.chosen)])
    rows = rows[: OUTSIDER if stage.epsilon is None else NOISY_OUTSIDER]
    read = read_without_secret(stage.whole.take(rows), stage.recipe, others, seed, progress) if others else {}
    found = {name: _best(stage, name, attempts) for name, attempts in read.items()}
    return {**found, **{name: partner[name] for name in open_}}  # there the secret played no part


def _best(stage: Stage, name: str, attempts: list[Texts]) -> Texts:
    """The attack that reads most of the field; what was not looked at counts as not read."""
    truth = np.array(stage.sample.column(name).cells(), dtype=object)
    made = []
    for texts in attempts:
        read = np.full(len(truth), "", dtype=object)
        read[: min(len(read), len(texts))] = texts[: len(read)]
        made.append(read)
    return max(made, key=lambda read: int(((truth == read) & (truth != "")).sum()))


def _likeliest(stage: Stage) -> Decoded:
    rows = len(stage.chosen)
    return {one.field.name: np.full(rows, one.values[one.likeliest], dtype=object) for one in stage.guesses}


def _field(stage: Stage, guesses: Guesses, partner: Decoded, outsider: Decoded) -> FieldResult:
    from rapidfuzz.distance import OSA

    name = guesses.field.name
    truth = np.array(stage.sample.column(name).cells(), dtype=object)
    there = truth != ""
    listed = there & (guesses.truth(stage.sample.column(name)) >= 0)
    mine, theirs = partner.get(name), outsider.get(name)
    hit = there & (truth == mine) if mine is not None else np.zeros(len(truth), dtype=bool)
    close = hit.copy()
    if mine is not None:
        missed = np.flatnonzero(there & ~hit & (mine != ""))
        close[missed] = [OSA.distance(truth[row], mine[row], score_cutoff=1) <= 1 for row in missed]
    return FieldResult(
        field=name,
        role=guesses.role,
        source=guesses.source,
        entries=len(guesses),
        recovered=Share.among(hit, there),
        close=Share.among(close, there),
        listed=Share.among(listed, there),
        recovered_listed=Share.among(hit, listed),
        guessing=Share.among(truth == guesses.values[guesses.likeliest], there),
        outsider=Share.among(truth == theirs, there) if theirs is not None else Share(0, int(there.sum())),
    )


def _examples(stage: Stage, partner: Decoded) -> tuple[Example, ...]:
    """Some records that would be named, then some that would not."""
    names = [name for name in (stage.first, stage.last) if name]
    cells = [stage.sample.column(name).cells() for name in names]
    shown = []
    for row in range(len(stage.chosen)):
        truth = tuple(column[row] for column in cells)
        guess = tuple(str(partner[name][row]) if name in partner else "" for name in names)
        if all(truth):
            shown.append((truth != guess, Example(int(stage.chosen[row]), truth, guess)))
    shown.sort(key=lambda pair: pair[0])  # stable: the sample is in random order already
    right = [one for wrong, one in shown if not wrong]
    wrong = [one for wrong, one in shown if wrong]
    return (*right[: EXAMPLES - min(2, len(wrong))], *wrong[:2])[:EXAMPLES]
