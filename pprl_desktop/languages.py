"""The languages of the program: English is the source, the others are catalogues by template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from pprl_desktop import resources
from pprl_desktop.said import ENGLISH, Language

NAMES: Mapping[str, str] = {"en": "English", "de": "Deutsch"}  # code -> its own name

_GERMAN = Language(
    "de", ".", ",", "\u00a0%", "{day}. {month} {year}",
    tuple("Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()),
)  # fmt: skip


@cache
def language(code: str) -> Language:
    """English where a language is not known."""
    if code != "de":
        return ENGLISH
    return replace(_GERMAN, sentences=catalogue(code))


def catalogue(code: str) -> dict[str, str]:
    """resources/i18n/<code>.json: template -> translation, with the same names in braces."""
    return dict(json.loads(resources.find("i18n", f"{code}.json").read_text(encoding="utf-8")))
