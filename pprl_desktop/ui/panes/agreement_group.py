"""The group that a proposal is to be part of: a file is chosen, and the draft shows its words at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.widgets.basics import button, row

if TYPE_CHECKING:
    from pprl_desktop.exchange.group_terms import Group
    from pprl_desktop.ui.panes.base import Pane


class GroupChoice(QWidget):
    changed = Signal()

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self._pane = pane
        self.group: Group | None = None
        self.choose = button(tr("Part of a &group …"), self._choose, kind="link", icon="people")
        set_tip(self.choose, tr("The group file of three or more parties that put their links together"))
        layout = row(self.choose)
        self.setLayout(layout)

    def _choose(self) -> None:
        from pprl_desktop.job.groups import SUFFIX

        name, _ = QFileDialog.getOpenFileName(self, tr("Choose the group file"), "", f"{tr('Groups')} (*{SUFFIX})")
        if name:
            self.take(Path(name))

    def take(self, path: Path) -> None:
        from pprl_desktop.job.groups import read_file

        self._pane.messages.clear()
        try:
            self.group = read_file(path)
        except Problem as problem:
            self._pane.show_problem(problem)
            return
        self.choose.setText(tr("Part of the group “{name}”", name=self.group.name))
        self.changed.emit()
