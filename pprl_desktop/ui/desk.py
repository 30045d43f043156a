"""The desk: what all panes share - the open project, the jobs, the preferences, and the way to other panes."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from pprl_desktop import log
from pprl_desktop.job.engine import Place, place
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit import settings
from pprl_desktop.ui.kit.jobs import Job, Jobs

if TYPE_CHECKING:
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.identity import Identity
    from pprl_desktop.job.findings import Findings
    from pprl_desktop.job.own_files import OwnFiles
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.job.partnership import Partnership
    from pprl_desktop.job.post import Awaited
    from pprl_desktop.project.choices import Kind
    from pprl_desktop.project.project import Changed, Project


class Desk(QObject):
    """No pane knows another pane or the main window; they meet here."""

    project_changed = Signal()  # another project, or none
    choices_changed = Signal(object)  # project.Changed
    go_to = Signal(str)  # show a step or page by name
    help_asked = Signal(str)  # show a help page
    preferences_changed = Signal()
    identity_changed = Signal()  # made, unlocked or locked
    file_given = Signal(str)  # a file to be recognised and led to its place

    def __init__(self, preferences: settings.Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.preferences = preferences
        self.jobs = Jobs(self)
        self.jobs.ended.connect(_note_job)
        self.project: Project | None = None
        self.wants_next = False  # the page Data is to ask for the table of the next delivery
        self._unlocked: tuple[Path, Identity] | None = None
        self._findings: Findings | None = None
        self._agreed = ("", "")
        self.awaited: Awaited | None = None  # from the partner, by the post of the open project

    def need_project(self) -> Project:
        if self.project is None:
            raise Problem("No project is open.", do="Start a new one or open one from the welcome page.")
        return self.project

    @property
    def findings(self) -> Findings:
        """What was worked out for the open project."""
        from pprl_desktop.job.findings import Findings

        if self._findings is None:
            self._findings = Findings()
        return self._findings

    @property
    def own_table(self) -> OwnTable:
        """Where the clear table of the open project is; panes ask it for work, never for a table."""
        return self.findings.own_table

    @property
    def own_files(self) -> OwnFiles:
        """The job of a project without a partner."""
        from pprl_desktop.job.own_files import OwnFiles

        if self.findings.own_files is None:
            self.findings.own_files = OwnFiles(self.need_project(), self.own_table)
        return self.findings.own_files

    @property
    def home(self) -> Home:
        """The own identity, contacts and agreements; a project may name another folder than the usual one."""
        from pprl_desktop.exchange.home import Home, default_home

        chosen = self.project.choices.home if self.project is not None else ""
        return Home(Path(chosen) if chosen else default_home())

    def identity(self) -> Identity | None:
        """The unlocked keys, kept in memory only, until the program ends or they are locked again."""
        kept = self._unlocked
        return kept[1] if kept is not None and kept[0] == self.home.path else None

    def unlocked(self, identity: Identity | None) -> None:
        self._unlocked = (self.home.path, identity) if identity is not None else None
        if identity is not None and self.preferences.organisation != identity.name:
            self.prefer(organisation=identity.name)
        self.identity_changed.emit()

    def partnership(self) -> Partnership | None:
        """The job with the partner of the open project's agreement; None while the key is locked or none is signed."""
        from pprl_desktop.job.partnership import Partnership

        own, home = self.identity(), self.home
        wanted = self.project.choices.agreement if self.project is not None else ""
        if own is None or not wanted or not home.has_agreement(wanted):
            return None
        kept = self.findings.partnership
        if kept is None or (kept.home.path, kept.identity, kept.id) != (home.path, own, wanted):
            kept = self.findings.partnership = Partnership(home, own, wanted)
        return kept

    def files_agreed(self) -> str:
        """What passes between the two: "open" until a method is agreed, then "bundles" or "blind"; read once."""
        agreement = self.project.choices.agreement if self.project is not None else ""
        if not agreement or not self.home.has_agreement(agreement):
            return "open"
        if self._agreed[0] != agreement:
            try:
                blind = self.home.agreement(agreement).terms.blind is not None
            except Problem:  # a damaged one is told where it is used; the step list stays
                blind = False
            self._agreed = agreement, "blind" if blind else "bundles"
        return self._agreed[1]

    def open_project(self, path: Path) -> None:
        from pprl_desktop.project.project import Project

        if self.project is not None and self.project.path.resolve() == path.resolve():
            return
        opened = Project.open(path)
        self._take(opened)

    def create_project(self, path: Path, title: str = "", kind: Kind = "partner") -> None:
        from pprl_desktop.project.project import Project

        self._take(Project.create(path, title, kind))

    def create_named(self, title: str, kind: Kind = "partner") -> None:
        """A project in the usual folder, under a name that is not taken."""
        from pprl_desktop.project.project import SUFFIX

        folder = usual_folder()
        safe = "".join(c if c.isalnum() or c in " -_" else "_" for c in title).strip() or "project"
        names = (safe, *(f"{safe} {n}" for n in range(2, 1000)))
        free = next(name for name in names if not (folder / f"{name}{SUFFIX}").exists())
        self.create_project(folder / f"{free}{SUFFIX}", title, kind)

    def _take(self, project: Project) -> None:
        self.close_project(quiet=True)
        self.project = project
        log.start(project.folder / "log")
        self.note_project()
        self.prefer(recent=settings.remember(self.preferences, project.path).recent)
        self.project_changed.emit()

    def close_project(self, *, quiet: bool = False) -> None:
        if self.project is None:
            return
        self.jobs.cancel()
        self.note_project()
        self.project.close()
        self.project = self.awaited = None
        log.stop()
        self.findings.close()
        self._findings = None
        if not quiet:
            self.project_changed.emit()

    def note_project(self) -> None:
        """What the start page tells of the open project, as it stands now."""
        project = self.project
        if project is None:
            return
        choices, states = project.choices, project.states()
        at = next((s for s in states if s.state != "done" and not s.step.optional), None)
        before = next((one for one in self.preferences.known if one.path == str(project.path.resolve())), None)
        waits = (
            self.awaited if at is not None and self.awaited is not None and self.awaited.step == at.step.name else None
        )
        known = settings.Known(
            path=str(project.path.resolve()),
            title=project.title,
            kind=choices.kind,
            partner=self._partner_name(choices.partner) or (before.partner if before is not None else ""),
            contact=choices.partner,
            agreement=choices.agreement,
            step=at.step.title.template if at is not None else "",
            number=states.index(at) + 1 if at is not None else len(states),
            steps=len(states),
            waits=self._partner_name(choices.partner) if waits is not None else "",
            since=waits.since if waits is not None else "",
            opened=time.time(),
            archived=False,
        )
        self.prefer(known=settings.note(self.preferences, known).known)

    def _partner_name(self, contact: str) -> str:
        if not contact:
            return ""
        try:
            return next((one.name for one in self.home.contacts() if one.id == contact), "")
        except Problem:  # a damaged home is told where it is used
            return ""

    def change(self, name: str, **values: Any) -> None:
        """A named change of the choices; later steps that depend on it become stale."""
        changed = self.need_project().change(name, **values)
        if changed.choices:
            self.choices_changed.emit(changed)

    def confirm(self, step: str, artefacts: dict[str, bytes] | None = None) -> None:
        self.choices_changed.emit(self.need_project().confirm(step, artefacts))

    def announce(self, changed: Changed) -> None:
        self.choices_changed.emit(changed)

    def cluster(self) -> Place | None:
        """Where blocks of heavy work run; None: in threads of this computer."""
        chosen = self.preferences
        paths = (chosen.tls_ca, chosen.tls_cert, chosen.tls_key, chosen.cluster_folder)
        ca, certificate, key, folder = (Path(path) if path else None for path in paths)
        return place(chosen.engine, ca, certificate, key, folder)

    def prefer(self, **values: Any) -> None:
        self.preferences = replace(self.preferences, **values)
        settings.save(self.preferences)
        self.preferences_changed.emit()


def usual_folder() -> Path:
    """Where projects are made unless the steward says otherwise."""
    from PySide6.QtCore import QStandardPaths

    base = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(base or Path.home()) / "PPRL"


def _note_job(job: Job, end: str) -> None:
    """What was worked on and how it ended; titles and results stay out of the log."""
    log.event("job", kind=job.key, state=end, seconds=time.monotonic() - job.started if job.started else 0.0)
