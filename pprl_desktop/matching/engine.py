"""match(): runs the rule of one party over two smashed tables and decides."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import cast

from pprl_desktop.matching.base import Match, MatchOptions, Scored
from pprl_desktop.methods.base import Rule, Smashed
from pprl_desktop.progress import NO_PROGRESS, Progress

Runner = Callable[[Smashed, Smashed, Rule, MatchOptions, Progress], Scored]

# name of the rule class -> "module:function" that runs it
RUNNERS: Mapping[str, str] = {
    "SplitRule": "pprl_desktop.matching.split_join:run",
    "AdaptiveRule": "pprl_desktop.matching.adaptive:run",
    "BitsRule": "pprl_desktop.matching.bits_scan:run",
    "NearestRule": "pprl_desktop.matching.nearest:run",
    "PlainRule": "pprl_desktop.matching.plain_join:run",
}


def score(
    own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress = NO_PROGRESS
) -> Scored:
    module, function = RUNNERS[type(rule).__name__].split(":")
    runner = cast(Runner, getattr(importlib.import_module(module), function))
    return runner(own, partner, rule, options, progress)


def match(own: Smashed, partner: Smashed, rule: Rule, options: MatchOptions, progress: Progress = NO_PROGRESS) -> Match:
    from pprl_desktop.matching.decide import decide

    scored = score(own, partner, rule, options, progress.part(0.0, 0.9))
    return decide(scored, options, progress.part(0.9, 1.0))
