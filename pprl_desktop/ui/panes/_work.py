"""What the panes of the path share: the workplace of the open project, and words for what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pprl_desktop.project.workplace import Workplace
from pprl_desktop.ui.i18n import tr

if TYPE_CHECKING:
    from pprl_desktop.ui.desk import Desk


def workplace(desk: Desk) -> Workplace:
    """One per open project; gone when it is closed, and its clear tables with it."""
    found: Workplace = desk.working.setdefault("workplace", Workplace())
    return found


def kind_words() -> dict[str, str]:
    return {
        "name": tr("Person name"),
        "text": tr("Free text"),
        "date": tr("Date"),
        "id": tr("Fixed-form code"),
        "number": tr("Number"),
        "category": tr("Category"),
    }


def separator_words() -> dict[str, str]:
    return {
        ",": tr("comma"),
        ";": tr("semicolon"),
        "\t": tr("tab"),
        "|": tr("vertical bar"),
        " ": tr("blank"),
        ":": tr("colon"),
    }
