"""The tour writes pictures of pages and of their states in both palettes and three sizes, and touches no settings."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.verbs import tour


def run(*arguments: str) -> dict[str, list[str]]:
    parser = argparse.ArgumentParser()
    tour.arguments(parser)
    return dict(tour.run(parser.parse_args(arguments), NO_PROGRESS).data)


def test_a_page_in_both_palettes_and_three_sizes(tmp_path: Path, own_settings: Path, qapp) -> None:  # type: ignore[no-untyped-def]
    made = [Path(name) for name in run("--out", str(tmp_path / "pictures"), "--pages", "welcome")["files"]]
    sizes = {(QImage(str(path)).width(), QImage(str(path)).height()) for path in made}
    assert len(made) == 6
    assert sizes == {(1024, 700), (1366, 768), (1440, 900)}
    dark = next(path for path in made if "dark" in path.name)
    light = made[0].with_name(dark.name.replace("dark", "light"))
    assert QImage(str(dark)).pixelColor(600, 680).lightness() < 60 < QImage(str(light)).pixelColor(600, 680).lightness()
    assert not (own_settings / "settings.json").exists()


def test_an_unknown_page_is_named(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cellar"):
        run("--out", str(tmp_path), "--pages", "cellar")


def test_a_state_before_the_end_in_one_palette_and_size(tmp_path: Path, qapp) -> None:  # type: ignore[no-untyped-def]
    (made,) = run(
        "--out", str(tmp_path / "p"), "--pages", "data-refused", "--palette", "dark", "--size", "1024x700"
    )["files"]  # fmt: skip
    assert Path(made).name == "data-refused-dark-1024x700.png"
    with pytest.raises(Problem, match="1024x700"):
        run("--out", str(tmp_path), "--size", "wide")


@pytest.mark.slow
def test_every_page_of_the_sample_project_and_every_state_before_its_end(tmp_path: Path, qapp) -> None:  # type: ignore[no-untyped-def]
    from pprl_desktop.ui.scenes import NAMES
    from pprl_desktop.ui.tour import PAGES

    made = run("--out", str(tmp_path / "pictures"), "--palette", "light", "--size", "1024x700")["files"]
    assert len(made) == len(PAGES) + 3 + len(NAMES)  # the finished review is there in four states
    assert all(Path(name).stat().st_size > 10_000 for name in made)
