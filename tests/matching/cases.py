"""Every method in every layout and decision, for tests that hold for all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pprl_desktop.codes.base import Recipe, Rule, Settings, Smashed, method
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.codes.mapping import default_mapping
from pprl_desktop.decisions.base import Match, MatchOptions
from pprl_desktop.decisions.learn import learn
from pprl_desktop.matching.match import match
from pprl_desktop.privacy.keystream import Keystream
from pprl_desktop.privacy.noise import bundle_epsilon, noised
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.reference.load import reference_set

_SVM, _RECORD = Settings(decision="svm"), Settings(decision="threshold", layout="record")

CASES: dict[str, tuple[str, Settings]] = {
    "split": ("split", Settings()),
    "split noise": ("split", Settings(epsilon=2.0)),
    "split-svm": ("split-svm", _SVM),
    "split-svm rbf": ("split-svm", replace(_SVM, kernel="rbf")),
    "simhash field": ("simhash", Settings()),
    "simhash record": ("simhash", _RECORD),
    "simhash record noise": ("simhash", replace(_RECORD, epsilon=3.0)),
    "bloom field": ("bloom", Settings()),
    "bloom record": ("bloom", _RECORD),
    "bloom record noise": ("bloom", replace(_RECORD, epsilon=3.0)),
    "dp-nn": ("dp-nn", Settings(decision="nearest", layout="record", epsilon=20.0)),
    "plain": ("plain", _SVM),
}


@dataclass(frozen=True, eq=False)
class Run:
    """One party's view: its own smashed data, the partner's bundle, the rule it learned."""

    table: CleanTable
    recipe: Recipe
    own: Smashed
    partner: Smashed
    rule: Rule

    def match(self, options: MatchOptions | None = None, progress: Progress = NO_PROGRESS) -> Match:
        wanted = options or MatchOptions(self.recipe.settings.direction)
        return match(self.own, self.partner, self.rule, replace(wanted, random_bytes=repeatable()), progress)


def repeatable():  # type: ignore[no-untyped-def]
    """A fixed stream for the answers of dp-nn: tests must not fail by chance."""
    stream = Keystream.repeatable(0, "answers")
    return lambda count: stream.words(-(-count // 8)).tobytes()[:count]


def recipe_of(case: str, table: CleanTable, *, one_to_one: bool = True) -> Recipe:
    name, settings = CASES[case]
    made = Recipe(name, table.fields, replace(settings, direction=of_flag(one_to_one)), secret=b"s" * 32)
    if method(name).uses_reference:
        reference = reference_set("us-200")
        made = replace(made, reference=reference, mapping=default_mapping(table.fields, reference))
    return made


def prepared(case: str, left: CleanTable, right: CleanTable, *, one_to_one: bool = True) -> Run:
    recipe = recipe_of(case, left, one_to_one=one_to_one)
    made = method(recipe.method)
    own, partner = (made.smash(side, recipe, NO_PROGRESS) for side in (left, right))
    sent = noised(partner, bundle_epsilon(recipe), Keystream.repeatable(0, "partner"))
    return Run(left, recipe, own, sent, learn(left, own, recipe, 0, NO_PROGRESS))
