"""The steps of the job: what each reads, what it builds on, its problems, and whether it is stale.

No window here: the step list on the screen only shows what states() says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pprl_desktop.problem import Problem
from pprl_desktop.project.choices import Choices, Kind
from pprl_desktop.said import Said

State = Literal["to do", "ready", "done", "stale"]


@dataclass(frozen=True)
class Step:
    name: str
    title: Said
    reads: tuple[str, ...]  # choices whose change makes the step stale
    after: tuple[str, ...]  # steps it builds on
    optional: bool = False
    opens_after: tuple[str, ...] | None = None  # steps that must be done before it can be looked at; None: `after`
    heeds: tuple[str, ...] = ()  # optional steps: not waited for, but what they made makes this one stale


DATA = (
    "table_path", "table_sha256", "encoding", "separator", "header_line", "id_column", "sensitive", "drop_copies",
    "sheet", "labels", "widths", "made",
)  # fmt: skip
SECOND = "second."  # before the name of a choice: that of the second own file

STEPS: tuple[Step, ...] = (
    Step("data", Said("Data"), DATA, ()),
    Step("fields", Said("Fields"), ("fields", "columns", "reference", "mapping"), ("data",)),
    Step("method", Said("Method"), ("method", "settings"), ("fields",)),
    # a partner's proposal may be the first thing that a steward sees
    Step("agreement", Said("Agreement"), ("partner", "agreement", "rule"), ("method",), opens_after=()),
    Step("export", Said("Export bundle"), ("bundle_path",), ("agreement",)),
    Step("partner", Said("Partner's bundle"), ("partner_path", "partner_sha256"), ("agreement",)),
    Step("match", Said("Matches"), ("accept", "review"), ("partner",)),
    Step("results", Said("Results"), ("result_path", "partner_result_path"), ("match",)),
    Step("review", Said("Review"), ("review_path", "review_budget"), ("match",), True),
    # the report tells the review, so that one made later is a reason to write it again
    Step("finish", Said("Finish"), ("output_folder", "output_form"), ("results",), heeds=("review",)),
)
_OWN_END = (
    Step("review", Said("Review"), ("review_path", "review_budget"), ("match",), True),
    Step("finish", Said("Finish"), ("output_folder", "output_form"), ("match",), heeds=("review",)),
)
TWO_FILES: tuple[Step, ...] = (
    Step("data", Said("Data A"), DATA, ()),
    Step("data_b", Said("Data B"), tuple(f"{SECOND}{name}" for name in DATA), ()),
    Step("fields", Said("Fields"), ("fields", "columns", f"{SECOND}columns", "settings"), ("data", "data_b")),
    Step("match", Said("Matches"), ("accept", "review"), ("fields",)),
    *_OWN_END,
)
ONE_FILE: tuple[Step, ...] = (
    Step("data", Said("Data"), DATA, ()),
    Step("fields", Said("Fields"), ("fields", "columns"), ("data",)),
    Step("match", Said("Duplicates"), ("accept", "review"), ("fields",)),
    *_OWN_END,
)
PATHS: Mapping[Kind, tuple[Step, ...]] = {"partner": STEPS, "two files": TWO_FILES, "one file": ONE_FILE}


def by_name(kind: Kind) -> Mapping[str, Step]:
    """The steps of one kind of project."""
    return {step.name: step for step in PATHS[kind]}


BY_NAME: Mapping[str, Step] = by_name("partner")


# choices that came with a later version, and their default: there they change nothing, and make no old project stale
LATER: Mapping[str, object] = {
    "drop_copies": False,
    "sheet": "",
    "labels": True,
    "widths": "",
    "made": [],
    "output_form": "csv",
}


@dataclass(frozen=True)
class Confirmed:
    """A step that was carried out: the hash of what it read, and of what it gave."""

    input_hash: str
    output_hash: str


@dataclass(frozen=True)
class StepState:
    step: Step
    state: State
    waits_for: tuple[Said, ...]  # titles of steps that must be done first


def input_hash(step: Step, choices: Choices, confirmed: Mapping[str, Confirmed]) -> str:
    """What the step depends on: the choices it reads and the outputs it builds on."""
    return _hash(step, choices.as_dict(), confirmed)


def _hash(step: Step, plain: Mapping[str, Any], confirmed: Mapping[str, Confirmed]) -> str:
    reads = {name: value_of(plain, name) for name in step.reads}
    parts = {
        "reads": {name: value for name, value in reads.items() if value != LATER.get(name, ...)},
        "after": {
            **{name: confirmed[name].output_hash if name in confirmed else "" for name in step.after},
            **{name: confirmed[name].output_hash for name in step.heeds if name in confirmed},
        },
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def value_of(plain: Mapping[str, Any], name: str) -> object:
    """A choice by its name as steps read it: of the second own file with SECOND before it."""
    if not name.startswith(SECOND):
        return plain[name]
    return (plain["second"] or {}).get(name.removeprefix(SECOND))


def states(choices: Choices, confirmed: Mapping[str, Confirmed]) -> tuple[StepState, ...]:
    found: dict[str, StepState] = {}
    plain = choices.as_dict()  # once: the window asks after every click
    known = by_name(choices.kind)
    for step in PATHS[choices.kind]:
        waits = tuple(known[name].title for name in step.after if found[name].state != "done")
        current = _hash(step, plain, confirmed)
        state: State
        if step.name in confirmed:
            state = "done" if confirmed[step.name].input_hash == current and not waits else "stale"
        else:
            opens = step.after if step.opens_after is None else step.opens_after
            state = "ready" if all(found[name].state == "done" for name in opens) else "to do"
        found[step.name] = StepState(step, state, waits)
    return tuple(found.values())


def problems(name: str, choices: Choices) -> tuple[Problem, ...]:
    """What keeps a step from being valid, so that the reason can stand beside the field."""
    return tuple(_PROBLEMS[name](choices)) if name in _PROBLEMS else ()


def _data(choices: Choices) -> list[Problem]:
    if not choices.table_path:
        return [Problem("No table is loaded yet.", do="Choose a file.", place="table_path")]
    if not choices.rows:
        return [Problem("The table has no records.", do="Choose a file with at least one record.", place="table_path")]
    return []


def _fields(choices: Choices) -> list[Problem]:
    found = []
    if not choices.fields:
        found.append(Problem("No matching field is chosen.", do="Choose at least one field.", place="fields"))
    names = [one.name for one in choices.fields]
    for name in sorted({name for name in names if names.count(name) > 1}):
        found.append(
            Problem(Said("The field '{name}' is there twice.", name=name), do="Remove one of the two.", place=name)
        )
    found += _columns(choices)
    return found if choices.kind != "two files" else [*found, *_columns(choices.second_file(), found)]


def _columns(choices: Choices, told: Sequence[Problem] = ()) -> list[Problem]:
    """Of the fields of one file; `told`: of the first one, said once."""
    found: list[Problem] = []
    used = [column for _, column in choices.columns if column]
    for one in choices.fields:
        column = choices.column_of(one.name)
        if column and used.count(column) > 1:
            others = tuple(name for name, other in choices.columns if other == column and name != one.name)
            found.append(
                Problem(
                    Said("The column '{column}' is used twice.", column=column),
                    Said("'{field}' and {others:and} would count one fact twice.", field=one.name, others=others),
                    Said("Pick another column for one of them."),
                    place=one.name,
                )
            )
        if not column:
            found.append(
                Problem(
                    Said("The field '{name}' has no column.", name=one.name),
                    do="Pick the column that holds it.",
                    place=one.name,
                )
            )
        elif column in choices.sensitive:
            found.append(
                Problem(
                    Said("The column of '{name}' is marked as sensitive.", name=one.name),
                    "A sensitive column never takes part in matching.",
                    "Pick another column or take the mark away.",
                    place=one.name,
                )
            )
    return [one for one in found if one not in told]


def _method(choices: Choices) -> list[Problem]:
    from pprl_desktop.codes.base import method

    chosen = method(choices.method)
    if not chosen.exportable:
        return [
            Problem(
                Said("The method '{title}' compares clear values.", title=chosen.title),
                "It is for comparison on one's own computer only.",
                "Choose another method.",
                place="method",
            )
        ]
    try:
        return list(chosen.problems(choices.recipe()))
    except Problem as problem:  # the reference set is gone, or is no reference set
        return [problem]


def _agreement(choices: Choices) -> list[Problem]:
    if not choices.partner:
        return [Problem("No partner is chosen.", do="Choose a verified contact.", place="partner")]
    if not choices.agreement:
        return [
            Problem(
                "The agreement is not signed by both sides yet.",
                do="Send the proposal, or open the partner's answer.",
                place="agreement",
            )
        ]
    return []


def _partner(choices: Choices) -> list[Problem]:
    if not choices.partner_path:
        return [Problem("The partner's bundle is not here yet.", do="Open the file they sent.", place="partner_path")]
    return []


def _second(choices: Choices) -> list[Problem]:
    second = choices.second_file()
    if second.table_sha256 and (second.table_sha256, second.sheet) == (choices.table_sha256, choices.sheet):
        return [
            Problem(
                "Both files are the same.",
                "Every record would find itself.",
                "Choose another file or sheet, or look for duplicates within the one.",
                place="table_path",
            )
        ]
    return _data(second)


_PROBLEMS = {
    "data": _data, "data_b": _second, "fields": _fields, "method": _method, "agreement": _agreement,
    "partner": _partner,
}  # fmt: skip
