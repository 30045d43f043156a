"""Who is held twice in one file, before there is a partner: the same levels, weights and second opinion as between two.

Nothing leaves: the smashed data is that of the own table, without noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from pprl_desktop.codes.base import Smashed
from pprl_desktop.compute.threads import interruptible, one_blas_thread
from pprl_desktop.decisions.adaptive import strangers
from pprl_desktop.decisions.adaptive.repeats import Labels, lifts_within, repeats
from pprl_desktop.decisions.adaptive.views import composed, said_twice
from pprl_desktop.decisions.rules import AdaptiveRule
from pprl_desktop.progress import NO_PROGRESS, Progress


@dataclass(frozen=True, eq=False)
class HeldTwice:
    people: Labels  # the person of each row: the first row that is theirs
    expected: float  # pairs of one person's records, by their probabilities, exact copies not counted

    @property
    def repeated(self) -> int:
        """Records beyond the first of their person."""
        return len(self.people) - len(np.unique(self.people))

    def sizes(self) -> dict[int, int]:
        """How many people have how many records."""
        _, records = np.unique(self.people, return_counts=True)
        count, people = np.unique(records, return_counts=True)
        return dict(zip(count.tolist(), people.tolist(), strict=True))


def held_twice(
    file: Smashed, rule: AdaptiveRule, threads: int = 0, seed: int = 0, progress: Progress = NO_PROGRESS
) -> HeldTwice:
    """All records of the file are compared with each other: up to some tens of thousands are a matter of seconds."""
    tuning = replace(rule.tuning, within_rows=max(file.rows, rule.tuning.within_rows))
    nobody = np.arange(file.rows, dtype=np.int64)
    if file.rows < 2 or not rule.comparisons:
        return HeldTwice(nobody, 0.0)
    random = np.random.default_rng(seed)
    with one_blas_thread():
        null = strangers.random_pairs(file.rows, file.rows, random, tuning)
        different = null.own != null.partner
        null = strangers.Null(null.own[different], null.partner[different])
        fields, _ = strangers.build(file, file, replace(rule, tuning=tuning), null, progress.part(0.0, 0.2))
        codes = [one.own.codes for one in fields]
        copies = interruptible(progress, strangers.originals, codes, tuning.copy_fields)
        part = progress.part(0.2, 0.2)
        within = strangers.within(file, file, fields, tuning, random, part)
        within = within.without(said_twice([one.levels for one in within.files], tuning))
        lifts = [lifts_within(one, tuning, part) for one in within.files]
        within = within.without(composed(lifts, [one.levels for one in within.files], tuning))
        found = repeats(within.files[0], copies, tuning, threads, progress.part(0.2, 1.0))
    return HeldTwice(found.people, found.pairs)
