"""Long work in the bottom bar: what is being done, how far, time left, Cancel. The window stays usable."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QMessageBox, QProgressBar, QWidget

from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.kit.jobs import Job, Jobs, time_words
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import question
from pprl_desktop.ui.widgets.basics import button, column, label, row

SHOW_AFTER = 250  # ms: work that ends sooner never flickers


class JobBar(QFrame):
    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self.setProperty("side", "bottom")
        self.jobs = jobs
        self.job: Job | None = None
        self.title = label("", "strong", wrap=False)
        self.detail = label("", "small", wrap=False)
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        self.cancel = button(tr("Cancel"), self._cancel, tip=tr("Stop; the last finished state stays"))
        texts = column(row(self.title, self.detail, None, gap=1), self.bar, gap=0.75)
        layout = row(texts, self.cancel, gap=2)
        layout.setContentsMargins(3 * GRID, round(1.5 * GRID), 3 * GRID, round(1.5 * GRID))
        layout.setStretch(0, 1)
        self.setLayout(layout)
        self.hide()
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.timeout.connect(self._appear)
        jobs.asked.connect(self._asked)
        jobs.started.connect(self._started)
        jobs.progressed.connect(self._progressed)
        jobs.ended.connect(self._ended)

    def _asked(self, job: Job) -> None:
        """Shown from the click on: what goes on behind may need a moment to stop."""
        if self.job is None or self.job.stop.is_set():
            self._tell(job)

    def _started(self, job: Job) -> None:
        if not job.quiet and job is not self.job:
            self._tell(job)

    def _tell(self, job: Job) -> None:
        self.job = job
        self.title.setText(job.title)
        self.detail.setText("")
        self.bar.setRange(0, 0)
        self.cancel.setEnabled(True)
        self.cancel.setText(tr("Cancel"))
        self._late.start(SHOW_AFTER)

    def _appear(self) -> None:
        if self.job is not None:
            self.show()

    def _progressed(self, job: Job) -> None:
        if job is not self.job:
            return
        if job.fraction > 0 and self.bar.maximum() == 0:
            self.bar.setRange(0, 1000)
        self.bar.setValue(round(1000 * job.fraction))
        parts = [tr_core(job.what)] if job.what else []
        left = job.seconds_left()
        if left is not None:
            parts.append(tr("{time} left", time=time_words(left)))
        self.detail.setText(" · ".join(parts))
        self.bar.setAccessibleDescription(self.detail.text())

    def _ended(self, job: Job, _end: str) -> None:
        if job is self.job:
            self.job = None
            self._late.stop()
            self.hide()

    def _cancel(self) -> None:
        """Seen at once; the engine stops at its next report."""
        if self.job is None:
            return
        self.cancel.setEnabled(False)
        self.cancel.setText(tr("Stopping …"))
        self.jobs.cancel(self.job)


def may_stop(job: Job, window: QWidget) -> bool:
    """The window is to be closed while this work runs: the steward decides."""
    running = tr("“{job}” is still running.", job=job.title)
    told = tr("Closing stops it. Everything finished before stays saved.")
    box = question(window, QMessageBox.Icon.Question, running, told)
    close = box.addButton(tr("Stop and close"), QMessageBox.ButtonRole.DestructiveRole)
    stay = box.addButton(tr("Keep working"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(stay)
    box.exec()
    return box.clickedButton() is close
