"""Which pane belongs to which step or page; a pane's module is imported when it is first shown."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pprl_desktop.ui.desk import Desk
    from pprl_desktop.ui.panes.base import Pane

# name -> module and class in pprl_desktop.ui.panes
PANES: Mapping[str, tuple[str, str]] = {
    "welcome": ("welcome", "WelcomePane"),
    "data": ("data", "DataPane"),
    "fields": ("fields", "FieldsPane"),
    "method": ("method", "MethodPane"),
    "agreement": ("agreement", "AgreementPane"),
    "export": ("export", "ExportPane"),
    "partner": ("partner", "PartnerPane"),
    "match": ("match", "MatchPane"),
    "results": ("results", "ResultsPane"),
    "review": ("review", "ReviewPane"),
    "finish": ("finish", "FinishPane"),
    "post": ("post", "PostPane"),
    "contacts": ("contacts", "ContactsPane"),
    "releases": ("releases", "ReleasesPane"),
    "groups": ("groups", "GroupsPane"),
    "share": ("share", "SharePane"),
    "other_tools": ("other_tools", "OtherToolsPane"),
    "settings": ("settings", "SettingsPane"),
    "help": ("help", "HelpPane"),
}
# of a project without a partner, in place of those above
OWN: Mapping[str, tuple[str, str]] = {
    "data": ("own_data", "OwnDataPane"),
    "data_b": ("own_data", "SecondDataPane"),
    "fields": ("own_fields", "OwnFieldsPane"),
    "match": ("own_match", "OwnMatchPane"),
    "review": ("own_review", "OwnReviewPane"),
    "finish": ("own_finish", "OwnFinishPane"),
}
BESIDE = ("post", "releases", "contacts", "settings", "help")  # pages beside the path
FREE = ("welcome", "contacts", "groups", "share", "other_tools", "settings", "help")  # need no open project


def _of(name: str, desk: Desk) -> tuple[str, str]:
    own = desk.project is not None and desk.project.choices.kind != "partner"
    return OWN[name] if own and name in OWN else PANES[name]


def load(name: str, desk: Desk) -> ModuleType:
    return importlib.import_module(f"pprl_desktop.ui.panes.{_of(name, desk)[0]}")


def make(name: str, desk: Desk) -> Pane:
    pane: Pane = getattr(load(name, desk), _of(name, desk)[1])(desk)
    return pane


def available(name: str, desk: Desk) -> bool:
    if name not in PANES and name not in OWN:
        return False
    return importlib.util.find_spec(f"pprl_desktop.ui.panes.{_of(name, desk)[0]}") is not None
