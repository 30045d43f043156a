"""decide(): scored pairs become a match: one-to-one assignment, bands, and what to expect of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.directions import once
from pprl_desktop.compute.assignment import assign
from pprl_desktop.decisions.base import ACCEPT, Match, MatchOptions, Numbers, Scored
from pprl_desktop.decisions.standing import Tuning as Trust
from pprl_desktop.matching import bands
from pprl_desktop.matching.standing import TOO_MANY, TUNING, crowded, standing
from pprl_desktop.matching.tuning import Tuning
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

Flags = npt.NDArray[np.bool_]


def decide(
    scored: Scored,
    options: MatchOptions,
    progress: Progress = NO_PROGRESS,
    tuning: Tuning = bands.USUAL,
    trust: Trust = TUNING,
) -> Match:
    accept, review = bands.borders(scored, options, tuning)
    ties = 0
    if options.one_to_one:
        found = assign(scored.own, scored.partner, gains(scored, accept, review), progress.part(0.0, 0.6))
        chosen, ties = found.chosen, found.ties
    else:
        chosen = scored.score >= review
        for side, alone in enumerate(once(options.direction)):
            if alone:
                chosen = _one_person_each(scored, side, chosen, copies=options.copies)
    band = bands.sort_into(scored.score, chosen, accept, review)
    warnings = scored.warnings
    if ties:
        warnings = (
            *warnings,
            Said(
                "{ties|One pair had an equally good alternative and was|{ties} pairs had an equally good "
                "alternative and were} decided by the order of the rows.",
                ties=ties,
            ),
        )
    stands = standing(scored, band == ACCEPT, chosen, trust)
    if crowded(scored, band == ACCEPT, trust):
        chosen, band = np.zeros_like(chosen), np.zeros_like(band)
        warnings = (TOO_MANY, *warnings)
        stands = replace(stands, reasons=(TOO_MANY, *stands.reasons))
    made = Match(
        scored, chosen, band, accept, review, ties, bands.expectations(scored, band, tuning), warnings,
        second_opinion=stands.second_opinion, reasons=stands.reasons, cures=stands.cures,
        tuning={**scored.tuning, "bands": tuning.to_plain(), "standing": trust.to_plain()},
    )  # fmt: skip
    evidence = scored.why(made.kept(), progress.part(0.6, 1.0))
    progress.at(1.0)
    return replace(made, evidence=evidence)


def _one_person_each(scored: Scored, side: int, chosen: Flags, *, copies: bool) -> Flags:
    """Of the pairs of each record of one side, those with the best counterpart, and with its copies where known."""
    rows, others = (scored.own, scored.partner) if side == 0 else (scored.partner, scored.own)
    people = others if scored.people is None or not copies else scored.people[1 - side][others]
    held = np.flatnonzero(chosen)
    best = np.full(int(rows.max(initial=-1)) + 1, -1, np.int64)
    order = held[np.lexsort((others[held], -scored.score[held]))][::-1]  # the last one written is the best
    best[rows[order]] = people[order]
    kept: Flags = chosen & (best[rows] == people)
    return kept


def gains(scored: Scored, accept: float, review: float) -> Numbers:
    """What choosing a pair is worth to the assignment; 0 for pairs below the review border.

    Log-odds count in full above the accept border and fade out below it (log(1 + odds)), so that an unlikely pair
    fills a gap but never breaks a good pair up. Plain similarities count by their height above the review border.
    """
    gain = np.zeros(len(scored))
    held = scored.score >= review
    if np.isfinite(scored.probability).all():
        gain[held] = np.logaddexp(0.0, scored.score[held] - accept)
    else:
        gain[held] = scored.score[held] - review + 1e-6 * max(abs(review), 1e-3)
    return gain
