"""Project: the steward's choices, paths, hashes and step states. Saves itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pprl_desktop import __version__, log
from pprl_desktop.problem import Problem
from pprl_desktop.project import steps
from pprl_desktop.project.choices import Choices, Kind
from pprl_desktop.project.known import newer
from pprl_desktop.project.store import Store

SUFFIX = ".pprlproject"


# choices that note what happened: a file that was written, sent or taken in is not taken back by Undo
FACTS = frozenset(
    {
        "agreement", "bundle_path", "partner_path", "partner_sha256", "result_path", "partner_result_path",
        "review_path", "output_folder",
    }
)  # fmt: skip


def _differing(before: str, after: str) -> set[str]:
    """Names of the choices in which two stored states differ."""
    try:
        one, other = _flat(json.loads(before)), _flat(json.loads(after))
        return {name for name in {*one, *other} if one.get(name) != other.get(name)}
    except (ValueError, TypeError, AttributeError):  # a damaged history offers nothing
        return set(FACTS)


def _flat(plain: dict[str, Any]) -> dict[str, Any]:
    """The choices of the second own file under names of their own, as steps read them."""
    second = plain.get("second") or {}
    return {**plain, **{f"{steps.SECOND}{name}": value for name, value in second.items()}}


@dataclass(frozen=True)
class Changed:
    """What an operation changed, so that the window refreshes just that."""

    choices: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()  # steps that were done and no longer are
    steps: tuple[str, ...] = ()  # steps whose state changed in any way


@dataclass(frozen=True)
class Cause:
    """Why a finished step is to be done again: a change, one that was taken back, or an earlier step done again."""

    kind: Literal["change", "undo", "step"]
    name: str


class Project:
    """Open one with create() or open(); use it as a context manager or close() it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        text = store.meta("choices")
        try:
            self.choices = Choices.from_json(text) if text else Choices()
            for name in store.confirmed():
                if name not in steps.by_name(self.choices.kind):
                    raise newer(name)
        except Problem:
            store.close()
            raise

    @classmethod
    def create(cls, path: Path, title: str = "", kind: Kind = "partner") -> Project:
        path = path.with_suffix(SUFFIX) if path.suffix != SUFFIX else path
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            raise Problem(
                "The folder for the project cannot be made.", do="Choose a folder you may write to.", place="project"
            ) from None
        store = Store(path, create=True)
        store.set_meta({"title": title or path.stem, "made_by": __version__, "choices": Choices(kind=kind).to_json()})
        return cls(store)

    @classmethod
    def open(cls, path: Path) -> Project:
        return cls(Store(path))

    @property
    def path(self) -> Path:
        return self._store.path

    @property
    def folder(self) -> Path:
        """Beside the project file: logs and what the steps wrote."""
        return self.path.with_suffix("")

    @property
    def title(self) -> str:
        return self._store.meta("title")

    def rename(self, title: str) -> None:
        self._store.set_meta({"title": title})

    # choices --------------------------------------------------------------------------------------

    def change(self, name: str, **changes: Any) -> Changed:
        """A named change ("Choose method"), saved at once; nothing is deleted, later steps become stale."""
        after = self.choices.changed(**changes)
        if after == self.choices:
            return Changed()
        before = self.choices
        self._store.record(name, before.to_json(), after.to_json())
        return self._replace(after)

    def can_undo(self) -> str:
        """The name of the change that Undo takes back; '' behind what has left or come in, which nothing takes back."""
        last = self._store.last_change()
        return last[0] if last is not None and not _differing(*last[1:]) & FACTS else ""

    def can_redo(self) -> str:
        last = self._store.last_change(undone=True)
        return last[0] if last is not None else ""

    def undo(self) -> Changed:
        if not self.can_undo():
            return Changed()
        found = self._store.undo(Choices.from_json)
        return self._replace(found) if found is not None else Changed()

    def redo(self) -> Changed:
        found = self._store.redo(Choices.from_json)
        return self._replace(found) if found is not None else Changed()

    def why_redo(self, step: str) -> Cause | None:
        """What made a finished step stale; None where it is not known any more."""
        known, builds_on = steps.by_name(self.choices.kind), list[str]()
        wanted = [step]
        while wanted:  # the step itself, and all it builds on
            one = known[wanted.pop()]
            builds_on.append(one.name)
            wanted += (*one.after, *one.heeds)
        reads = {name for one in builds_on for name in known[one].reads}
        for name, before, after in self._store.changes_since(step):
            if _differing(before, after) & reads:
                return Cause("change", name)
        confirmed, last = self.confirmed(), ""
        for name, before, after in self._store.undone():
            last = last or (name if _differing(before, after) & reads else "")
            with suppress(Problem):  # a damaged history offers nothing
                again = steps.input_hash(known[step], Choices.from_json(after), confirmed)
                if last and again == confirmed[step].input_hash:
                    return Cause("undo", last)
        return next((Cause("step", one) for one in self._store.confirmed_since(step) if one in builds_on), None)

    def _replace(self, after: Choices) -> Changed:
        old, before, now = self.states(), _flat(self.choices.as_dict()), _flat(after.as_dict())
        self.choices = after
        names = tuple(name for name in {**before, **now} if before.get(name) != now.get(name))
        return self._changed(old, names)

    def _changed(self, old: tuple[steps.StepState, ...], names: tuple[str, ...]) -> Changed:
        pairs = list(zip(old, self.states(), strict=True))
        return Changed(
            names,
            stale=tuple(b.step.name for a, b in pairs if a.state == "done" and b.state == "stale"),
            steps=tuple(b.step.name for a, b in pairs if a.state != b.state),
        )

    # steps ----------------------------------------------------------------------------------------

    def confirmed(self) -> dict[str, steps.Confirmed]:
        return {name: steps.Confirmed(*hashes) for name, hashes in self._store.confirmed().items()}

    def states(self) -> tuple[steps.StepState, ...]:
        return steps.states(self.choices, self.confirmed())

    def state(self, name: str) -> steps.StepState:
        return next(state for state in self.states() if state.step.name == name)

    def problems(self, name: str) -> tuple[Problem, ...]:
        """Why the step cannot be confirmed yet; shown beside the control named by each `place`."""
        return steps.problems(name, self.choices)

    def confirm(self, name: str, artefacts: Mapping[str, bytes] | None = None) -> Changed:
        """The step was carried out with the present choices; what it made is kept with it."""
        old, made = self.states(), dict(artefacts or {})
        step = steps.by_name(self.choices.kind)[name]
        given = steps.input_hash(step, self.choices, self.confirmed())
        digest = hashlib.sha256(given.encode())
        for key in sorted(made):
            digest.update(key.encode() + b"\0" + hashlib.sha256(made[key]).digest())
        self._store.confirm(name, given, digest.hexdigest(), made)
        log.event("confirmed", step=name, hash=given)
        return self._changed(old, ())

    def keep(self, name: str, data: bytes) -> None:
        """Something that no step waits for, such as a rehearsal: replaces what was kept before."""
        self._store.keep(name, data)

    def artefact(self, name: str) -> bytes | None:
        return self._store.artefact(name)

    def close(self) -> None:
        self._store.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
