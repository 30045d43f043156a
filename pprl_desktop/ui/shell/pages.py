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
    "other_tools": ("other_tools", "OtherToolsPane"),
    "settings": ("settings", "SettingsPane"),
    "help": ("help", "HelpPane"),
}
BESIDE = ("post", "releases", "contacts", "settings", "help")  # pages beside the path
FREE = ("welcome", "contacts", "groups", "other_tools", "settings", "help")  # need no open project


def load(name: str) -> ModuleType:
    return importlib.import_module(f"pprl_desktop.ui.panes.{PANES[name][0]}")


def make(name: str, desk: Desk) -> Pane:
    pane: Pane = getattr(load(name), PANES[name][1])(desk)
    return pane


def available(name: str) -> bool:
    return importlib.util.find_spec(f"pprl_desktop.ui.panes.{PANES[name][0]}") is not None
