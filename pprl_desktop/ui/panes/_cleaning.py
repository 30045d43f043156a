"""The cleaning of one field: declared steps that become part of the agreement."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QDialog, QLineEdit, QWidget

from pprl_desktop.records.fields import Field
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.widgets.basics import button, column, label
from pprl_desktop.ui.widgets.inputs import combo, ending, labelled, pick


class CleaningDialog(QDialog):
    def __init__(self, field: Field, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = field
        self.setWindowTitle(tr("Cleaning of {field}", field=field.name))
        self.setMinimumWidth(460)
        steps = field.cleaning
        self.diacritics = combo(
            tr("Accents and umlauts"),
            [
                (tr("taken off: Müller → MULLER"), "strip"),
                (tr("written out: Müller → MUELLER"), "transliterate"),
                (tr("kept: Müller → MÜLLER"), "keep"),
            ],
        )
        pick(self.diacritics, steps.diacritics)
        self.punctuation = combo(
            tr("Hyphens, dots, apostrophes"),
            [
                (tr("become a blank: Anne-Marie → ANNE MARIE"), "space"),
                (tr("are removed: O'Neil → ONEIL"), "remove"),
                (tr("are kept"), "keep"),
            ],
        )
        pick(self.punctuation, steps.punctuation)
        self.titles = QCheckBox(tr("Leave out titles (Dr, Prof, Mrs …)"))
        self.titles.setChecked(steps.drop_titles)
        self.particles = QCheckBox(tr("Leave out particles (von, de la, van der …)"))
        self.particles.setChecked(steps.drop_particles)
        self.order = combo(
            tr("Order of day and month"),
            [
                (tr("as the clear dates of the file show"), "auto"),
                (tr("day first: 01/02 is 1 February"), "day-first"),
                (tr("month first: 01/02 is 2 January"), "month-first"),
            ],
        )
        pick(self.order, steps.day_order)
        self.words = QLineEdit(", ".join(steps.missing_words))
        self.words.setPlaceholderText(tr("for example: unknown, n/a"))
        self.words.setAccessibleName(tr("Words that mean missing"))
        items: list[object] = [
            label(tr("Both sides clean in the same way: this becomes part of the agreement."), "muted")
        ]
        if field.kind == "date":
            items.append(labelled(tr("Order of day and &month"), self.order))
        else:
            items += [
                labelled(tr("&Accents and umlauts"), self.diacritics),
                labelled(tr("&Hyphens, dots, apostrophes"), self.punctuation),
            ]
        if field.kind == "name":
            items += [self.titles, self.particles]
        items.append(
            labelled(
                tr("&Words that mean “missing”"),
                self.words,
                tr("Chosen by you only: Null and None are also surnames."),
            )
        )
        buttons = ending(button(tr("&Use this cleaning"), self.accept, kind="primary"), self.reject)
        self.setLayout(column(*items, 1, buttons, gap=1.5, margin=2.5))  # type: ignore[arg-type]

    def field(self) -> Field:
        """The field with the steps as they are set now."""
        words = tuple(word.strip() for word in self.words.text().split(",") if word.strip())
        return replace(
            self._field,
            cleaning=replace(
                self._field.cleaning,
                diacritics=self.diacritics.currentData(),
                punctuation=self.punctuation.currentData(),
                drop_titles=self.titles.isChecked(),
                drop_particles=self.particles.isChecked(),
                day_order=self.order.currentData(),
                missing_words=words,
            ),
        )
