"""The method blind: nothing is smashed. One side asks by keys, the other answers (blind/, ARCHITECTURE 4.6)."""

from __future__ import annotations

from pprl_desktop.codes.base import Method, Recipe, Settings, Smashed
from pprl_desktop.codes.keys.choose import refuse_fields
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable
from pprl_desktop.said import Said


class Blind(Method):
    """Reads of the settings: direction. Keys, limits and who asks are terms of their own (exchange/blind_terms.py)."""

    name = "blind"
    title = Said("Blind")
    sentence = Said(
        "One side asks by keys that nobody can read, the other answers: only records that share a key are opened, and "
        "no dictionary can read the rest."
    )
    brief = Said("Can only be asked; questions are counted")
    page = "card"
    smashes = False

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        found = []
        if recipe.settings != Settings(direction=recipe.settings.direction):
            found.append(
                Problem(
                    "Blind has no noise, layout or decoys to set.",
                    "How much could be guessed is set by the coverage.",
                    "Leave these settings out.",
                    place="settings",
                )
            )
        try:
            refuse_fields(recipe.fields)
        except Problem as problem:
            found.append(problem)
        return tuple(found)

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        raise no_bundle()


def no_bundle() -> Problem:
    return Problem(
        "Blind sends no bundle.",
        "One side asks, the other answers.",
        "Make the question, or answer the partner's.",
        place="method",
    )


METHOD = Blind()
