"""Before a review: make one from two tables at hand, open a share, or continue one as its manager."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QGridLayout, QLineEdit, QWidget

from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.panes._files import table_filter
from pprl_desktop.ui.panes.unlock import StrengthBar
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import Section, boxed, button, column, label, row
from pprl_desktop.ui.widgets.inputs import SecretEdit, combo, labelled, on_enter, pick, spin
from pprl_desktop.ui.widgets.pair_view import field_title
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.job.reviewing import ReviewPlan, SecondTable
    from pprl_desktop.records.fields import Field


class FileRow(QWidget):
    """A path with a button; emits when a file was chosen."""

    chosen = Signal(str)

    def __init__(self, name: str, file_filter: str = "", *, folder: bool = False) -> None:
        super().__init__()
        self.edit = QLineEdit()
        self.edit.setAccessibleName(name)
        self.edit.setReadOnly(True)
        self._name, self._filter, self._folder = name, file_filter, folder
        self.browse = button(tr("Choose …"), self._choose, tip=name)
        self.browse.setAccessibleName(tr("Choose: {name}", name=name))
        self.setLayout(row(self.edit, self.browse))
        self.setFocusProxy(self.browse)

    def _choose(self) -> None:
        if self._folder:
            path = QFileDialog.getExistingDirectory(self, self._name)
        else:
            path, _ = QFileDialog.getOpenFileName(self, self._name, "", self._filter)
        if path:
            self.set_path(path)
            self.chosen.emit(path)

    def set_path(self, path: str) -> None:
        self.edit.setText(path)
        set_tip(self.edit, path)

    def path(self) -> str:
        return self.edit.text()


class NewReview(Section):
    """The manager's choices: second table, pairs, limits, who sees what."""

    looked_for = Signal(str, str)  # the second table was chosen, and the sheet of a workbook
    asked = Signal(object, str)  # ReviewPlan, passphrase

    def __init__(self) -> None:
        super().__init__(
            tr("Make a review"),
            tr("You hold both tables. The uncertain pairs are shown masked, and what is opened is counted."),
        )
        self.fields: tuple[Field, ...] = ()
        self.second: SecondTable | None = None
        self.table = FileRow(tr("Second table"), table_filter())
        self.table.chosen.connect(lambda path: self.looked_for.emit(path, ""))
        self.sheet = combo(tr("Sheet of the workbook"), [], self._take_sheet)
        self.sheet_row = boxed(column(labelled(tr("Sheet"), self.sheet)))
        self.sheet_row.hide()
        self.pairs = FileRow(tr("List of pairs"), table_filter())
        self.mapping = QGridLayout()
        self.mapping.setHorizontalSpacing(2 * GRID)
        self.mapping.setVerticalSpacing(GRID // 2)
        self.mapping_box = boxed(self.mapping, tr("Columns of the second table"))
        self.mapping_box.hide()
        self.boxes: dict[str, object] = {}
        self.caps: dict[str, object] = {}
        self.limit = spin(tr("Limit of the privacy risk"), 1, 100, 30, " %")
        self.kappa = spin(tr("Smallest crowd"), 1, 100, 1)
        self.blind = QCheckBox(tr("Hide the score while deciding"))
        self.blind.setChecked(True)
        self.secret = SecretEdit(tr("Passphrase of the review"))
        self.strength = StrengthBar()
        self.secret.edit.textChanged.connect(self._check)
        self.make = button(tr("&Make the review"), self._make, kind="primary")
        self.why = label("", "small")
        limits = row(
            labelled(tr("Limit of the privacy risk"), self.limit),
            labelled(tr("Smallest crowd"), self.kappa),
            gap=2,
        )
        limits.setStretch(0, 1)
        limits.setStretch(1, 1)
        self.add(
            labelled(tr("Second table"), self.table),
            self.sheet_row,
            self.mapping_box,
            labelled(
                tr("List of pairs"),
                self.pairs,
                tr("Empty: the two tables are matched, the uncertain band is reviewed."),
            ),
            limits,
            label(tr("No opening may leave fewer than this many people possible."), "small"),
            self.blind,
            labelled(tr("Passphrase of the review"), self.secret),
            self.strength,
            row(self.make, self.why, None, gap=1.5),
            None,
        )
        self._check()

    def show_fields(self, fields: tuple[Field, ...], limit: str) -> None:
        self.fields = fields
        self.limit.setValue(max(1, round(100 * float(Fraction(limit)))))

    def show_second(self, second: SecondTable) -> None:
        self.second = second
        self.table.set_path(second.path)
        self.sheet.clear()
        for one in second.sheets:
            self.sheet.addItem(one, one)
        pick(self.sheet, second.sheet)
        self.sheet_row.setVisible(len(second.sheets) > 1)
        clear(self.mapping)
        self.boxes, self.caps = {}, {}
        caps = [
            (tr("may be opened"), "none"),
            (tr("only differing letters"), "partial"),
            (tr("last 4 only"), "last4"),
            (tr("never"), "never"),
        ]
        for column_number, text in enumerate(
            (tr("Field"), tr("Column, {n|one row|{n} rows}", n=second.rows), tr("Opening"))
        ):
            self.mapping.addWidget(label(text, "column", wrap=False), 0, column_number)
        for number, (field, chosen) in enumerate(second.columns, start=1):
            box = combo(
                tr("Column for {field}", field=field_title(field)),
                [(tr("– choose –"), ""), *((name, name) for name in second.names)],
                lambda _d: self._check(),
            )
            pick(box, chosen)
            cap = combo(tr("Opening of {field}", field=field_title(field)), caps)
            self.boxes[field], self.caps[field] = box, cap
            self.mapping.addWidget(label(field_title(field), wrap=False), number, 0)
            self.mapping.addWidget(box, number, 1)
            self.mapping.addWidget(cap, number, 2)
        self.mapping.setColumnStretch(1, 1)
        self.mapping_box.show()
        self._check()

    def _take_sheet(self, name: object) -> None:
        if self.second is not None and name != self.second.sheet:
            self.looked_for.emit(self.second.path, str(name))

    def _check(self) -> None:
        self.strength.judge(self.secret.text())
        reason = ""
        if self.second is None:
            reason = tr("Choose the second table.")
        elif not all(box.currentData() for box in self.boxes.values()):  # type: ignore[attr-defined]
            reason = tr("Each field needs a column.")
        elif self.strength.level == "too short":
            reason = tr("The passphrase is too short.")
        self.make.setEnabled(not reason)
        self.why.setText(reason)

    def plan(self) -> ReviewPlan:
        from pprl_desktop.job.reviewing import ReviewPlan

        assert self.second is not None
        return ReviewPlan(
            self.second.path,
            tuple((name, str(box.currentData())) for name, box in self.boxes.items()),  # type: ignore[attr-defined]
            self.second.id_column,
            self.second.sheet,
            self.pairs.path(),
            budget=Fraction(self.limit.value(), 100),
            kappa=self.kappa.value(),
            blind=self.blind.isChecked(),
            caps={name: box.currentData() for name, box in self.caps.items()},  # type: ignore[attr-defined]
        )

    def _make(self) -> None:
        try:
            self.asked.emit(self.plan(), self.secret.text())
        except Problem:
            self._check()
        self.secret.clear()


class OpenReview(Section):
    """A share from a manager, or the own review again."""

    share_asked = Signal(str, str)  # path, passphrase
    desk_asked = Signal(str, str)

    def __init__(self) -> None:
        super().__init__(tr("Continue or help with one"))
        self.share = FileRow(tr("Share from a manager"), f"{tr('Shares')} (*.share)")
        self.share_secret = SecretEdit(tr("Passphrase of the share"))
        self.share_button = button(tr("&Open the share"), self._open_share)
        self.folder = FileRow(tr("Folder of a review"), folder=True)
        self.folder_secret = SecretEdit(tr("Passphrase of the review"))
        on_enter(self.folder_secret.edit, self._open_desk)
        self.folder_button = button(tr("&Continue the review"), self._open_desk)
        self.add(
            label(tr("A review made here"), "strong"),
            label(tr("Goes on where it was left, whatever ended the program."), "muted"),
            labelled(tr("Folder of the review"), self.folder),
            labelled(tr("Passphrase"), self.folder_secret),
            row(self.folder_button, None),
            1,
            label(tr("A share from a manager"), "strong"),
            label(tr("Some pairs of somebody else's review, within a budget of their own."), "muted"),
            labelled(tr("Share"), self.share),
            labelled(tr("Passphrase"), self.share_secret),
            row(self.share_button, None),
            None,
        )

    def show_folder(self, path: str) -> None:
        self.folder.set_path(path)

    def _open_share(self) -> None:
        if self.share.path():
            self.share_asked.emit(self.share.path(), self.share_secret.text())
            self.share_secret.clear()

    def _open_desk(self) -> None:
        if self.folder.path():
            self.desk_asked.emit(self.folder.path(), self.folder_secret.text())
            self.folder_secret.clear()


def suggested_folder(project_folder: Path) -> Path:
    """Beside the project, with a number that is not taken."""
    for number in range(1, 1000):
        path = project_folder / f"review-{number}.review"
        if not path.exists():
            return path
    return project_folder / "review.review"


def own_page(new: NewReview, opened: OpenReview) -> QWidget:
    return boxed(column(columns(new, opened, least=320, shares=(3, 2), gap=4), None))
