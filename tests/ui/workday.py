"""The four long jobs of a steward in the real window: reading, rehearsal, sealing and matching, with what they show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QFileDialog

from pprl_desktop import resources
from pprl_desktop.exchange import agreeing, contacts, identity
from pprl_desktop.exchange.home import Home
from pprl_desktop.job import kept, offers
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.ui.shell.main_window import MainWindow
from tests.ui.watching import Watchdog

AFTER = 800  # ms watched after each job: the result is shown and tidied up after
PATIENCE = 280_000  # ms
_LOOK = 20  # ms


def many_people(path: Path, rows: int, seed: int = 1) -> Path:
    """A large table of invented people: columns of the sample, drawn anew; a tenth with a letter left out."""
    rng = np.random.default_rng(seed)
    source = resources.find("samples", "hospital_a.csv").read_text(encoding="utf-8").splitlines()
    cells = [line.split(",") for line in source[1:]]
    columns = [np.array([row[i] for row in cells], dtype=object) for i in range(1, 9)]
    drawn = np.random.default_rng(0)  # the same people whatever the seed; the slips differ
    picks = [column[drawn.integers(0, len(column), rows)] for column in columns]
    with path.open("w", encoding="utf-8") as file:
        file.write(",".join(source[0].split(",")[:9]) + "\n")
        for start in range(0, rows, 50_000):
            part = zip(*(pick[start : start + 50_000] for pick in picks), strict=True)
            slips = rng.random(50_000) < 0.1
            file.writelines(
                f"R{start + i},{row[0][1:] if slip else row[0]},{','.join(row[1:])}\n"
                for i, (row, slip) in enumerate(zip(part, slips, strict=False))
            )
    return path


class Workday:
    """One steward at one window under the watchdog; the partner works beside it, unwatched."""

    def __init__(self, window: MainWindow, folder: Path, dog: Watchdog) -> None:
        self.window, self.folder, self.dog = window, folder, dog
        window.desk.create_project(folder / "day.pprlproject", "Day")
        window.desk.change("Home", home=str(folder / "own"))

    def read(self, table: Path) -> None:
        """Data page: the table is dropped on the window; its profile and first rows are shown."""
        self._watch("reading", lambda: self.window.open_file(table))
        assert self.window.current == "data"
        assert self.window.desk.findings.seen.path == str(table)

    def turn(self) -> None:
        """On to the fields and the method: two page turns with Next."""
        self._watch("page fields", self.window.next.click)
        assert self.window.current == "fields"

    def rehearse(self) -> None:
        """Method page: forecast, rehearsal and stronger settings in the background."""
        self._watch("rehearsal", self.window.next.click)
        assert self.window.current == "method"
        assert kept.rehearsal_of(self.window.desk.need_project()) is not None

    def rehearse_briefly(self) -> None:
        """The same until the first result is shown; leaving the page stops the rest."""
        project = self.window.desk.need_project()
        self._watch("rehearsal", self.window.next.click, lambda: kept.rehearsal_of(project) is not None)
        self._watch("rehearsal", lambda: self.window.show_pane("fields"))

    def choose(self, method: str) -> None:
        """Method page: another method; forecast and rehearsal again."""
        self._watch("rehearsal", lambda: self.window.pane()._choose(method))
        assert self.window.desk.need_project().choices.method == method

    def agree(self) -> None:
        """Both sign; not watched."""
        desk = self.window.desk
        self.homes = [Home(self.folder / name) for name in ("own", "partner")]
        self.own = [identity.new(name) for name in ("Own", "Partner")]
        for home, one in zip(self.homes, self.own, strict=True):
            home.create(one, "correct horse battery staple")
        for i in (0, 1):
            other = contacts.new(self.homes[1 - i].own_card_bytes())
            number = contacts.number_with(self.homes[i].own_card(), other).as_text()
            self.homes[i].keep_contact(contacts.verified(other, self.homes[i].own_card(), number))
        post = self.folder / "post"
        post.mkdir()
        offer = offers.offer_of(desk.need_project().choices, "watchdog")
        agreement = Partnership.propose(
            self.homes[0], self.own[0], self.homes[0].contacts()[0].id, offer, post / "p.pprl"
        ).agreement
        received = Partnership.open(self.homes[1], self.own[1], post / "p.pprl")
        assert received.proposal is not None
        Partnership.accept(self.homes[1], self.own[1], received.proposal, post / "q.pprl")
        Partnership.open(self.homes[0], self.own[0], post / "q.pprl")
        columns = dict(desk.need_project().choices.columns)
        for home in self.homes:
            agreeing.with_columns(home, home.agreement(agreement.id), columns)
        desk.unlocked(self.own[0])
        desk.change("Agreement", agreement=agreement.id, partner=agreement.contact)

    def seal(self) -> None:
        """Export page: the bundle is created."""
        out = self.folder / "post" / "own.pprl"
        asked, QFileDialog.getSaveFileName = QFileDialog.getSaveFileName, lambda *_a, **_k: (str(out), "")
        try:
            self._watch("page export", lambda: self.window.show_pane("export"))
            self.window.pane().known.setChecked(True)
            self._watch("sealing", self.window.next.click)
        finally:
            QFileDialog.getSaveFileName = asked
        assert out.is_file()

    def partner_seals(self, table: Path) -> None:
        """The partner's bundle comes and is opened; not watched."""
        from pprl_desktop.job.own_table import OwnTable
        from pprl_desktop.project.choices import Choices

        desk, place = self.window.desk, OwnTable()
        seen = place.load(table)
        choices = Choices().changed(**seen.changes())
        agreement = self.homes[1].agreement(desk.need_project().choices.agreement)
        out = self.folder / "post" / "partner.pprl"
        Partnership(self.homes[1], self.own[1], agreement.id).export(place, choices, out)
        received = Partnership.open(self.homes[0], self.own[0], out)
        assert received.item is not None
        desk.change("Partner", partner_path=str(out), partner_sha256=received.item.digest)

    def match(self) -> None:
        """Matches page: own table against the partner's bundle, histogram, curve and table of pairs."""
        self._watch("page match", lambda: self.window.show_pane("match"))
        self._watch("matching", self.window.pane()._match)
        assert self.window.desk.findings.match is not None

    def _watch(self, during: str, act: Callable[[], object], enough: Callable[[], bool] = lambda: False) -> None:
        """Act from within the event loop, as a click does, and go on watching until all work has ended."""
        loop, left = QEventLoop(), [AFTER // _LOOK]
        QTimer.singleShot(0, act)
        look, late = QTimer(), QTimer()
        late.setSingleShot(True)
        late.timeout.connect(lambda: loop.exit(1))
        late.start(PATIENCE)

        def check() -> None:
            if not self.window.desk.jobs.idle() and not enough():
                left[0] = AFTER // _LOOK
            else:
                left[0] -= 1
            if left[0] < 0:
                loop.quit()

        look.timeout.connect(check)
        look.start(_LOOK)
        self.dog.watch(during)
        ended = loop.exec()
        self.dog.rest()
        look.stop()
        late.stop()
        assert ended == 0, f"{during} did not end in time"
