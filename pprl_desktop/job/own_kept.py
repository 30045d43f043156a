"""The match of one's own files, sealed beside the project: row numbers and scores, never a value; and what it is of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from pprl_desktop import files
from pprl_desktop.decisions.base import Match
from pprl_desktop.exchange.keys import SEED, Keys
from pprl_desktop.exchange.whole_match import arrays_of, match_of
from pprl_desktop.problem import Problem
from pprl_desktop.project.choices import Choices
from pprl_desktop.project.project import Project
from pprl_desktop.review import sealing
from pprl_desktop.said import from_plain, to_plain

MATCH = "match.pprl"  # beside the project
VERSION = "1"  # of what is kept there


def _keys(project: Project, *, make: bool) -> Keys | None:
    """Of this project alone: whoever has it can open its match."""
    kept = project.artefact("match key")
    if kept is not None and len(kept) == 2 * SEED:
        return Keys(kept[:SEED], kept[SEED:])
    if not make:
        return None
    keys = Keys.new()
    project.keep("match key", keys.sign_seed + keys.seal_seed)
    return keys


def keep(project: Project, choices: Choices, match: Match) -> None:
    keys = _keys(project, make=True)
    assert keys is not None
    try:
        files.make_folder(project.folder)
        plain = {"version": VERSION, "of": matched(choices)}
        sealing.write_to_key(project.folder / MATCH, "match", plain, arrays_of(match), keys.public(), keys)
    except OSError:
        raise Problem(
            "The match could not be kept beside the project.",
            "The folder is read-only or the disk is full.",
            "Free some space, or move the project, and match again.",
            place="project",
        ) from None


def kept(project: Project, choices: Choices, sizes: tuple[int, int]) -> Match | None:
    """None where there is none, where it is of other files or fields, or where it does not read as one."""
    path, keys = project.folder / MATCH, _keys(project, make=False)
    if keys is None or not path.is_file():
        return None
    try:
        found = sealing.read_with_key(path, "match", keys, keys.public().sign)
        with sealing.well_formed():
            if found.plain != {"version": VERSION, "of": matched(choices)}:
                return None
            return _sound(match_of(found.arrays), sizes)
    except Problem:
        return None


def keep_remarks(project: Project, told: Sequence[tuple[str, Problem]]) -> None:
    """What there was to say of how the files were read. Read once more in the same way, there is nothing to say."""
    of = files_of(project.choices)
    if told or _kept_plain(project).get("of") != of:
        listed = [[file, *map(to_plain, (one.what, one.why, one.do))] for file, one in told]
        project.keep("remarks", json.dumps({"of": of, "told": listed}).encode())


def remarks(project: Project) -> tuple[tuple[str, Problem], ...]:
    plain = _kept_plain(project)
    if plain.get("of") != files_of(project.choices):
        return ()
    try:
        return tuple((str(file), Problem(*map(from_plain, said))) for file, *said in plain["told"])
    except (TypeError, ValueError, KeyError, AttributeError):  # not as it is written here
        return ()


def _kept_plain(project: Project) -> dict[str, Any]:
    try:
        plain = json.loads(project.artefact("remarks") or "{}")
    except (ValueError, RecursionError):
        return {}
    return plain if isinstance(plain, dict) else {}


def files_of(choices: Choices) -> str:
    """The files as they are read: what a row number means."""
    parts = [(one.table_sha256, one.drop_copies, one.id_column if one.drop_copies else "", one.rows,
              one.encoding, one.separator, one.header_line, one.sheet, one.widths)
             for one in (choices, *((choices.second,) if choices.second is not None else ()))]  # fmt: skip
    return hashlib.sha256(json.dumps([choices.kind, *parts]).encode()).hexdigest()


def matched(choices: Choices) -> str:
    """What a match depends on, its lines aside."""
    plain = choices.as_dict()
    second = plain["second"] or {}
    values = [(one.get("labels"), one.get("made")) for one in (plain, second)]
    compared = [plain["fields"], plain["columns"], second.get("columns"), choices.settings.direction]
    parts = [files_of(choices), values, *compared]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _sound(match: Match, sizes: tuple[int, int]) -> Match:
    """That a kept match is about rows that there are."""
    scored = match.scored
    lists: list[Any] = [scored.own, scored.partner, scored.score, scored.probability, match.band, match.chosen]
    lists += [one for one in (scored.second, scored.strangers) if one is not None]
    if {one.shape for one in lists} != {(len(scored.own),)}:
        raise ValueError("lengths")
    if scored.people is not None and tuple(len(one) for one in scored.people) != sizes:
        raise ValueError("people")
    for rows, size in ((scored.own, sizes[0]), (scored.partner, sizes[1])):
        if len(rows) and not 0 <= int(rows.min()) <= int(rows.max()) < size:
            raise ValueError("rows")
    return match
