"""The columns of a table and what each is used for, in the list of the page Data."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from pprl_desktop.job.own_table import made_of
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import count, percent
from pprl_desktop.ui.panes._work import kind_words, use_of
from pprl_desktop.ui.widgets.basics import label
from pprl_desktop.ui.widgets.inputs import combo, pick
from pprl_desktop.ui.widgets.rows import Head, Rows

if TYPE_CHECKING:
    from pprl_desktop.job.own_table import Seen
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.records.profile import ColumnProfile

SHAPE = 14  # letters of a shape; whole on hover
NAME = 24  # letters of the name of a column; whole on hover


class ColumnUses:
    """Mixed into a page that shows a table (data.py, own_data.py)."""

    def _build_columns(self: Any) -> Rows:
        heads = (
            Head(tr("Column"), 3),
            Head(tr("Use"), 3, least=180),
            Head(tr("Looks like"), 2),
            Head(tr("Missing"), 0, right=True, least=64),
            Head(tr("Different"), 0, right=True, least=64),
            Head(tr("Usual shape"), 3, spare=True),
            Head("", 3, right=True, spare=True),
        )
        made = Rows(tr("Columns of your table"), heads, high=26, indent=1)
        made.spared.connect(self.shape_key.setHidden)
        return made

    def _add_columns(self: Any, shown: Sequence[ColumnProfile]) -> None:
        seen, choices = self.seen, self.choices
        assert seen is not None
        codes = dict(seen.quality.codes)
        for one in shown:
            use = combo(
                tr("Use of {column}", column=one.name),
                self._uses(),
                lambda data, name=one.name: self._set_use(name, str(data)),
            )
            use.setProperty("flat", True)
            use.setFixedHeight(theme.grown(24))
            pick(use, use_of(one.name, choices))
            whole = one.shapes[0].shape if one.shapes else ""
            shape = label(whole if len(whole) <= SHAPE else f"{whole[: SHAPE - 1]}…", "mono", wrap=False)
            set_tip(shape, whole)
            name = label(
                f"<b>{escape(one.name if len(one.name) <= NAME else one.name[: NAME - 1] + '…')}</b>", wrap=False
            )
            set_tip(name, one.name)
            self.profile.add(
                name,
                use,
                label(kind_words().get(one.kind, one.kind), "small", wrap=False),
                percent(one.missing),
                count(one.distinct),
                shape,
                self._note(one, seen, choices, codes),
            )

    def _uses(self: Any) -> list[tuple[str, object]]:
        return [
            (tr("Matching"), "matching"),
            (tr("Sensitive"), "sensitive"),
            (tr("Record number"), "number"),
            (tr("Not used"), ""),
        ]

    def _note(
        self: Any, one: ColumnProfile, seen: Seen, choices: Choices, codes: dict[str, tuple[str, ...]]
    ) -> QWidget:
        repeats = seen.profile.repeats(one.name)
        text, tint = "", "warm"
        if one.name in choices.sensitive:
            text, tint = self._sensitive_words(), "muted"
        elif repeats is not None and all(one.name in made_of(part) for part in repeats.beside):
            text, tint = tr("as first and last name"), "muted"
        elif repeats is not None:
            text = tr("repeats {columns}", columns=", ".join(repeats.beside))
        elif one.name in codes:
            text, tint = tr("codes {codes}", codes=" ".join(codes[one.name])), "muted"
        made = label(text, "tiny", wrap=False)
        made.setProperty("tint", tint)
        return made

    def _sensitive_words(self: Any) -> str:
        return tr("never leaves")

    def _set_use(self: Any, name: str, use: str) -> None:
        from pprl_desktop.records.fields import Field

        choices, seen = self.choices, self.seen
        assert seen is not None
        values: dict[str, Any] = {
            "sensitive": tuple(one for one in choices.sensitive if one != name),
            "id_column": "" if choices.id_column == name else choices.id_column,
            "fields": choices.fields,
            "columns": choices.columns,
        }
        of = {field for field, column in choices.columns if name in made_of(column)}
        if use != "matching":
            values["fields"] = tuple(one for one in choices.fields if one.name not in of)
            values["columns"] = tuple(pair for pair in choices.columns if pair[0] not in of)
        elif not of:
            values["fields"] = (*choices.fields, Field.of(name, seen.profile.column(name).kind))
            values["columns"] = (*choices.columns, (name, name))
        if use == "sensitive":
            values["sensitive"] = (*values["sensitive"], name)
        elif use == "number":
            values["id_column"] = name
        self.change("Choose use of column", mapping=(), **values)
        QTimer.singleShot(0, self, lambda: self._show(seen))  # after the box that was clicked is done
