"""match(): runs the rule of one party over two smashed tables and decides."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from pprl_desktop.codes.base import Rule, Smashed
from pprl_desktop.compute.attended import stage
from pprl_desktop.decisions.base import Match, MatchOptions, Outlook, Scored
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

Runner = Callable[[Smashed, Smashed, Rule, MatchOptions, Progress], Scored]
Estimate = Callable[[Smashed, Smashed, Rule, MatchOptions], int]
Foresight = Callable[[Smashed, Smashed, Rule, MatchOptions], Outlook]

WORTH_TELLING = 45.0  # seconds from which the expected time is told

# name of the rule class -> "module:function" that runs it
RUNNERS: Mapping[str, str] = {
    "SplitRule": "pprl_desktop.decisions.svm.join:run",
    "AdaptiveRule": "pprl_desktop.decisions.adaptive.run:run",
    "BitsRule": "pprl_desktop.decisions.threshold.scan:run",
    "NearestRule": "pprl_desktop.decisions.nearest:run",
    "PlainRule": "pprl_desktop.decisions.plain:run",
}


def outlook(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> Outlook:
    """Memory that matching will take, the smashed data of both sides included, and the time where that can be told."""
    module = importlib.import_module(RUNNERS[type(rule).__name__].split(":")[0])
    held = own.nbytes() + partner.nbytes()
    if hasattr(module, "outlook"):
        found = cast(Foresight, module.outlook)(own, partner, rule, options)
        return replace(found, bytes=found.bytes + held)
    return Outlook(held + cast(Estimate, module.estimated_memory)(own, partner, rule, options))


def estimate(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> int:
    """Bytes that matching will take at most; known before it starts."""
    return outlook(own, partner, rule, options).bytes


def score(
    own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress = NO_PROGRESS
) -> Scored:
    module, function = RUNNERS[type(rule).__name__].split(":")
    runner = cast(Runner, getattr(importlib.import_module(module), function))
    return runner(own, partner, rule, options, progress)


@stage
def match(
    own: Smashed,
    partner: Smashed,
    rule: Rule,
    options: MatchOptions,
    progress: Progress = NO_PROGRESS,
    needed: Outlook | None = None,
) -> Match:
    """`needed` is the outlook where it was asked for already."""
    from pprl_desktop.decisions.namesakes import warning
    from pprl_desktop.matching.decide import decide

    needed = needed or outlook(own, partner, rule, options)
    progress.at(
        0.0, Said("Comparing records, with {megabytes} MB of memory at most", megabytes=max(needed.bytes >> 20, 1))
    )
    if needed.seconds is not None and needed.seconds >= WORTH_TELLING:
        progress.at(
            0.0,
            Said(
                "Comparing records takes about {minutes} min on this computer",
                minutes=max(round(needed.seconds / 60), 1),
            ),
        )
    scored = score(own, partner, rule, options, progress.part(0.0, 0.8))
    told = [
        text
        for side, which in ((own, Said("own")), (partner, Said("partner's")))
        if (text := warning(side, which, progress))
    ]
    return decide(replace(scored, warnings=(*scored.warnings, *told)), options, progress.part(0.8, 1.0))
