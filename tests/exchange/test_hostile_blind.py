"""Questions and answers changed by their own maker, signed and sealed as they should be: none is taken.

Every byte of them is bound to the agreement's secret, so a program that holds only the signing key makes no other one.
What is accepted differs in nothing but the number and the time of the letter.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.exchange import inbox, seal
from pprl_desktop.exchange.inbox import Received
from tests.exchange.blinded import agree, introduced
from tests.hostility import Tally

from .conftest import traces
from .test_hostile_letters import Post, hostile, restore
from .test_refusals import reseal

QUICK, PART, PARTS = 40, 500, 10  # no test may take minutes, also on a busy machine
KINDS = ("question", "answer")


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Post]:
    two = agree(introduced(tmp_path_factory.mktemp("hostile") / "scene"))
    made: dict[str, Post] = {}
    folder = tmp_path_factory.mktemp("homes")
    question = two.ask()
    shutil.copytree(two.b.home.path, folder / "b")
    made["question"] = Post("question", question, folder / "b", two.b, two.a.own.keys)
    two.open("b", question)
    answer = two.answer()
    shutil.copytree(two.a.home.path, folder / "a")
    made["answer"] = Post("answer", answer, folder / "a", two.a, two.b.own.keys)
    return made


def other_than(post: Post, path: Path) -> Callable[[Received], str]:
    good, arrays = post.inside()

    def wrong(received: Received) -> str:
        opened = seal.open_sealed(path, [post.to.own.keys], [post.sender.public().sign])
        found = opened.manifest.as_plain()
        for name in ("kind", "agreement", "from", "to", "sequence", "previous", "body"):
            if found[name] != good[name]:
                return f"{name}: {found[name]}"
        loaded = opened.load()
        same = list(loaded) == list(arrays) and all(np.array_equal(loaded[name], arrays[name]) for name in arrays)
        return "" if same else "arrays"

    return wrong


def run(post: Post, folder: Path, count: int, seed: int) -> None:
    draw = random.Random(seed)
    place, path = folder / "home", folder / "hostile.pprl"
    shutil.copytree(post.home, place)
    home = type(post.to.home)(place)
    plain, arrays = post.inside()
    good = post.path.read_bytes()
    shutil.copy(post.path, path)  # the libraries are loaded, and the good letter is accepted
    inbox.open_file(home, post.to.own, path)
    restore(place, post.home)
    before = traces(place)
    tally, left = Tally(f"blind: {post.kind}"), 0
    wrong = other_than(post, path)
    for _ in range(count):
        reseal(path, hostile(draw, post, plain, arrays), post.to)
        if path.read_bytes() == good:
            continue
        if tally.case(lambda: inbox.open_file(home, post.to.own, path), wrong):
            restore(place, post.home)
            before = traces(place)
        elif traces(place) != before:
            left += 1
            restore(place, post.home)
            before = traces(place)
    tally.finish(left)
    assert tally.refused > 0.5 * count


@pytest.mark.parametrize("kind", KINDS)
def test_changed_questions_and_answers_are_refused(letters: dict[str, Post], tmp_path: Path, kind: str) -> None:
    run(letters[kind], tmp_path, QUICK, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_changed_questions_and_answers(
    letters: dict[str, Post], tmp_path: Path, kind: str, part: int
) -> None:
    run(letters[kind], tmp_path, PART, seed=10 + part)
