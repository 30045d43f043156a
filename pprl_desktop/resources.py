"""Finds bundled files in the source tree, in a wheel and in the frozen application."""

from __future__ import annotations

import sys
from pathlib import Path

from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

_PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    frozen = getattr(sys, "_MEIPASS", None)
    places = [Path(frozen) / "resources"] if frozen else []
    places += [_PACKAGE / "_resources", _PACKAGE.parent / "resources"]
    for place in places:
        if place.is_dir():
            return place
    raise Problem(
        "The program's own files (samples, reference sets, help) are missing.",
        "The installation is incomplete.",
        "Install PPRL Desktop again.",
    )


def find(*parts: str) -> Path:
    """The path of a bundled file, e.g. find("samples", "hospital_a.csv")."""
    path = root().joinpath(*parts)
    if not path.exists():
        raise Problem(
            Said("The program's file {parts} is missing.", parts="/".join(parts)),
            "The installation is incomplete.",
            "Install PPRL Desktop again.",
        )
    return path
