"""match(): runs the rule of one party over two smashed tables and decides."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import cast

from pprl_desktop.matching.base import Match, MatchOptions, Scored
from pprl_desktop.methods.attended import stage
from pprl_desktop.methods.base import Rule, Smashed
from pprl_desktop.progress import NO_PROGRESS, Progress

Runner = Callable[[Smashed, Smashed, Rule, MatchOptions, Progress], Scored]
Estimate = Callable[[Smashed, Smashed, Rule, MatchOptions], int]

# name of the rule class -> "module:function" that runs it
RUNNERS: Mapping[str, str] = {
    "SplitRule": "pprl_desktop.matching.split_join:run",
    "AdaptiveRule": "pprl_desktop.matching.adaptive:run",
    "BitsRule": "pprl_desktop.matching.bits_scan:run",
    "NearestRule": "pprl_desktop.matching.nearest:run",
    "PlainRule": "pprl_desktop.matching.plain_join:run",
}


def estimate(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions) -> int:
    """Bytes that matching will take at most, the smashed data of both sides included; known before it starts."""
    module = RUNNERS[type(rule).__name__].split(":")[0]
    needed = cast(Estimate, importlib.import_module(module).estimated_memory)
    return own.nbytes() + partner.nbytes() + needed(own, partner, rule, options)


def score(
    own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress = NO_PROGRESS
) -> Scored:
    module, function = RUNNERS[type(rule).__name__].split(":")
    runner = cast(Runner, getattr(importlib.import_module(module), function))
    return runner(own, partner, rule, options, progress)


@stage
def match(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress = NO_PROGRESS) -> Match:
    from pprl_desktop.matching.decide import decide
    from pprl_desktop.matching.namesakes import warning

    needed = estimate(own, partner, rule, options)
    progress.at(0.0, f"Comparing records, with {max(needed >> 20, 1):,} MB of memory at most")
    scored = score(own, partner, rule, options, progress.part(0.0, 0.8))
    told = [text for side, which in ((own, "own"), (partner, "partner's")) if (text := warning(side, which, progress))]
    return decide(replace(scored, warnings=(*scored.warnings, *told)), options, progress.part(0.8, 1.0))
