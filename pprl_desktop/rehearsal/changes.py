"""What a stronger setting would change: each one is attacked in the same way, not estimated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pprl_desktop.codes.base import method
from pprl_desktop.codes.decoys import add_decoys
from pprl_desktop.codes.recipe import changed
from pprl_desktop.privacy.statements import epsilon_unit
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.rehearsal.dictionaries import guesses_for
from pprl_desktop.rehearsal.findings import Change
from pprl_desktop.rehearsal.shares import Share
from pprl_desktop.rehearsal.stage import Stage, attacked, named
from pprl_desktop.said import Said

EPSILONS = (5.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05)
STEPS = (0, 2, 4)  # the next smaller one, then every other, until the share falls by a tenth
FEWEST_REFERENCE = 20

UNITS = {one.template: one for one in (Said("per bit"), Said("per edit and distance"), Said("per query"))}

Try = tuple[str, Said, Stage]  # name, what is changed in words, the changed stage


def try_changes(small: Stage, now: Share, seed: int, progress: Progress = NO_PROGRESS) -> tuple[Change, ...]:
    """`now` is what the partner reads of the same records as things are."""
    made = [*_smaller_epsilons(small, now, seed, progress.part(0.0, 0.4))]
    others = [*_fewer_reference_records(small), *_one_row_per_record(small), *_more_fields(small)]
    for number, (name, words, tried) in enumerate(others):
        part = progress.part(0.4 + 0.5 * number / len(others), 0.4 + 0.5 * (number + 1) / len(others))
        part.at(0.0, Said("Trying: {what}", what=words))
        share = named(tried, attacked(tried, 1, seed, part)).named
        made.append(Change(name, Said("With {what}: at least {share}.", what=words, share=share.of_records()), share))
    made.append(_decoys(small, now, seed, progress.part(0.9, 1.0)))
    return tuple(made)


def _smaller_epsilons(stage: Stage, now: Share, seed: int, progress: Progress) -> Iterator[Change]:
    if stage.recipe.settings.decision == "nearest":
        return  # the noise is in the answers; the bundle stays as it is
    current = stage.epsilon
    smaller = [epsilon for epsilon in EPSILONS if current is None or epsilon < current]
    for number, epsilon in enumerate(smaller[step] for step in STEPS if step < len(smaller)):
        tried = _with_settings(stage, epsilon=epsilon)
        words = Said("epsilon {epsilon} {unit}", epsilon=epsilon, unit=UNITS[epsilon_unit(tried.recipe)])
        part = progress.part(number / len(STEPS), (number + 1) / len(STEPS))
        part.at(0.0, Said("Trying: {what}", what=words))
        share = named(tried, attacked(tried, 1, seed, part)).named
        yield Change("epsilon", Said("With {what}: at least {share}.", what=words, share=share.of_records()), share)
        if share.share < 0.9 * now.share:
            return


def _fewer_reference_records(stage: Stage) -> Iterator[Try]:
    reference = stage.recipe.reference
    if reference is None or reference.size < 2 * FEWEST_REFERENCE:
        return
    half = replace(reference, columns=tuple(column[::2] for column in reference.columns))
    tried = replace(stage, recipe=replace(stage.recipe, reference=half))
    yield (
        "fewer reference records",
        Said("{fewer} reference records instead of {now}", fewer=half.size, now=reference.size),
        tried,
    )


def _one_row_per_record(stage: Stage) -> Iterator[Try]:
    if not method(stage.recipe.method).both_layouts or stage.recipe.settings.layout == "record":
        return
    tried = _with_settings(stage, layout="record")
    yield "record layout", Said("one row of bits for the whole record instead of one per field"), tried


def _more_fields(stage: Stage) -> Iterator[Try]:
    """Fields that are in the table but not agreed: in one row per record they hide each other."""
    used = {one.name for one in stage.recipe.fields}
    more = tuple(one for one in stage.spare.fields if one.name not in used)
    if not more or stage.recipe.settings.layout != "record":
        return
    fields = (*stage.recipe.fields, *more)
    whole = CleanTable(fields, tuple(stage.spare.column(one.name) for one in fields))
    guesses = (*stage.guesses, *guesses_for(whole, more, {}, {one.name: "other" for one in more}))
    tried = replace(stage, whole=whole, recipe=replace(stage.recipe, fields=fields), guesses=guesses)
    yield "more fields", Said("{more} fields instead of {now}", more=len(fields), now=len(used)), tried


def _decoys(stage: Stage, own: Share, seed: int, progress: Progress) -> Change:
    """As many decoys as records: the partner reads decoys as well as records and cannot tell them apart."""
    mixed, is_decoy = add_decoys(stage.sample, len(stage.chosen), seed)
    made = mixed.take(np.flatnonzero(is_decoy))
    fake = replace(stage, whole=made, chosen=np.arange(made.rows))
    read = named(fake, attacked(fake, 1, seed, progress)).named
    real = Share(own.hits, own.hits + read.hits)
    sentence = Said(
        "With as many decoys as records: still at least {share}, but of the rows the partner reads rightly only {real} "
        "would be real people, unless it can tell decoys by something else. Decoys carry no epsilon.",
        share=own.of_records(), real=real.words(),
    )  # fmt: skip
    return Change("decoys", sentence, own)


def _with_settings(stage: Stage, **changes: object) -> Stage:
    """What the steward would get by asking for this."""
    settings = changed(stage.recipe.method, stage.recipe.settings, **changes)
    return replace(stage, recipe=replace(stage.recipe, settings=settings))
