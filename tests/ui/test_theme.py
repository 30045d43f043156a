"""Every text of both palettes can be read, and the stylesheet knows only tokens."""

from __future__ import annotations

import re

import pytest
from PySide6.QtWidgets import QApplication

from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.sheet import SHEET

TEXTS = ("text", "muted", "accent_text", "warm_text", "danger_text")
GROUNDS = ("window", "surface", "field")


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_every_text_has_a_contrast_of_at_least_4_5(colours: theme.Colours) -> None:
    pairs = [(text, ground) for text in TEXTS for ground in GROUNDS]
    pairs += [("accent_text", "accent_soft"), ("warm_text", "warm_soft"), ("danger_text", "danger_soft")]
    pairs += [("text", "accent_soft"), ("text", "neutral_soft"), ("muted", "neutral_soft"), ("muted", "track")]
    pairs += [("on_accent", "accent"), ("on_accent", "accent_hover"), ("text", "selection")]
    weak = {
        pair: round(theme.contrast(*(getattr(colours, name) for name in pair)), 2)
        for pair in pairs
        if theme.contrast(*(getattr(colours, name) for name in pair)) < 4.5
    }
    assert not weak


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_outlines_and_plot_colours_stand_out_by_at_least_3(colours: theme.Colours) -> None:
    names = ("border_strong", "accent", "warm", "danger", "neutral")
    assert not [n for n in names if theme.contrast(getattr(colours, n), colours.surface) < 3.0]


def test_the_stylesheet_names_no_colour_itself() -> None:
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", SHEET)


def test_the_base_style_is_set_once(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    theme.apply(qapp, "light")
    monkeypatch.setattr(QApplication, "setStyle", lambda *_: pytest.fail("every widget would be polished again"))
    theme.apply(qapp, "dark")
    theme.apply(qapp, "light")
