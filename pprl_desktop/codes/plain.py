"""The plain yardstick: a linear SVM on edit distances of two clear tables. For comparison only, never exportable.

It shows what the private methods cost: the same training on synthetic slips as split-svm, but on the values themselves.
On names it comes out as "at most about two edits in all".
"""

from __future__ import annotations

import numpy as np

from pprl_desktop.codes.base import Method, Part, Recipe, Settings, Smashed
from pprl_desktop.codes.simhash import in_use
from pprl_desktop.compute.attended import looking
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.said import Said

MAX_BYTES = 255  # of one value; the rest is not compared


class Plain(Method):
    """Reads of the settings: direction."""

    name = "plain"
    title = Said("Plain comparison")
    sentence = Said(
        "Compares the clear values themselves; only for measuring what privacy costs, never for an exchange."
    )
    page = "nowhere"
    decisions = ("svm",)
    exportable = False

    def defaults(self) -> Settings:
        return Settings(decision="svm", layout="field")

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        found = []
        if not recipe.fields:
            found.append(Problem("No matching field was chosen.", do="Choose at least one field.", place="fields"))
        if recipe.settings.epsilon is not None:
            found.append(
                Problem(
                    "The plain comparison has no noise.",
                    do="Leave epsilon out or choose another method.",
                    place="epsilon",
                )
            )
        if recipe.settings.decision != "svm":
            found.append(
                Problem(
                    Said(
                        "The plain comparison is decided by 'svm', not by '{decision}'.",
                        decision=recipe.settings.decision,
                    ),
                    do="Choose the decision 'svm'.",
                    place="decision",
                )
            )
        return tuple(found)

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        """Nothing is hidden: the parts are of the kind 'clear', which no bundle accepts."""
        return Smashed(self.name, table.rows, tuple(_clear(in_use(column), progress) for column in table.columns))


def _clear(column: Column, progress: Progress) -> Part:
    encoded = [str(value).encode("utf-8")[:MAX_BYTES] for value in column.values]
    width = max((len(each) for each in encoded), default=1)
    values = np.zeros((len(encoded), width), np.uint8)
    for row, each in enumerate(looking(encoded, progress)):
        values[row, : len(each)] = np.frombuffer(each, np.uint8)
    return Part(f"{column.name}.clear", column.name, "clear", "value", column.codes, values)


def texts(part: Part) -> list[str]:
    return [bytes(row).rstrip(b"\0").decode("utf-8", errors="ignore") for row in part.values]


METHOD = Plain()
