"""Thousands of mutated, truncated, extended and spliced bundles and cards: each is refused with a Problem.

Three layers are mutated: the sealed file, the container inside it sealed anew (any outsider with our card), and the
manifest signed anew (a malicious partner). A mutation that happens to change nothing is not counted.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from pprl_desktop.exchange import card, contacts, inbox, seal, strict
from pprl_desktop.problem import Problem
from tests.hostility import Tally

from .conftest import Scene, everything
from .test_refusals import inner_bytes, reseal, signed

QUICK, PART, PARTS = 150, 500, 11  # no test may take minutes, also on a busy machine
MEMORY = 100 << 20  # bytes over the base

LAYERS = ("sealed", "inner", "manifest", "card")


def mutated(rng: random.Random, data: bytes, other: bytes) -> bytes:
    kind = rng.randrange(8)
    made = bytearray(data)
    at = rng.randrange(len(made))
    if kind == 0:
        made[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        made[at] = rng.randrange(256)
    elif kind == 2:
        del made[at:]
    elif kind == 3:
        made += rng.randbytes(rng.choice([1, 16, 100, 70_000]))
    elif kind == 4:
        made[at:at] = rng.randbytes(rng.randrange(1, 40))
    elif kind == 5:
        del made[at : at + rng.randrange(1, 40)]
    elif kind == 6:  # splice: the beginning of one, the end of another
        made = made[:at] + bytearray(other[rng.randrange(len(other)) :])
    else:
        end = min(len(made), at + rng.randrange(1, 200))
        made[at:end] = made[at:end][::-1]
    return bytes(made)


ODD: list[object] = [
    -1, 0, 1, 1 << 31, (1 << 63) - 1, "", "x" * 300, "../../x", "\u202e", "00" * 32, [], [[]], {}, [-1, 1 << 40], ["a"],
]  # fmt: skip


def mutated_json(rng: random.Random, plain: dict[str, object]) -> bytes:
    """One value somewhere replaced, removed or added."""
    made = json.loads(json.dumps(plain))
    spots: list[tuple[object, object]] = []

    def walk(node: object) -> None:
        for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):  # type: ignore[arg-type]
            spots.append((node, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(made)
    node, key = rng.choice(spots)
    action = rng.randrange(3)
    if action == 0:
        node[key] = rng.choice(ODD)  # type: ignore[index]
    elif action == 1:
        del node[key]  # type: ignore[attr-defined]
    elif isinstance(node, dict):
        node["extra"] = rng.choice(ODD)
    else:
        node.append(rng.choice(ODD))  # type: ignore[attr-defined]
    return strict.dumps(made)


class Attack:
    """Makes hostile files from one good bundle and one good card."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self.rng = random.Random(seed)
        self.scene = scene
        self.good = scene.bundle.read_bytes()
        self.inner = inner_bytes(scene.bundle, scene.b.own.keys)
        size = int.from_bytes(self.inner[104:108], "little")
        self.manifest, self.arrays = self.inner[108 : 108 + size], self.inner[108 + size :]
        self.card = scene.a.home.own_card_bytes()
        self.path = scene.folder / "hostile"

    def files(self, layer: str, count: int) -> Iterator[bytes]:
        for _ in range(count):
            if layer == "sealed":
                made = mutated(self.rng, self.good, self.good)
                if made == self.good:
                    continue
            elif layer == "inner":
                changed = mutated(self.rng, self.inner, self.inner)
                if changed == self.inner:
                    continue
                made = reseal(self.path, changed, self.scene.b).read_bytes()
            elif layer == "manifest":
                if self.rng.random() < 0.5:
                    changed = mutated_json(self.rng, json.loads(self.manifest))
                else:
                    changed = mutated(self.rng, self.manifest, self.manifest)
                if changed == self.manifest:
                    continue
                data = signed(self.scene.a.own.keys, changed, self.arrays)
                made = reseal(self.path, data, self.scene.b).read_bytes()
            else:
                made = mutated(self.rng, self.card, self.card)
                if made in (self.card, self.card.removesuffix(b"\n")):
                    continue
            yield made


# what a partner may say differently without breaking the agreement: these change words, not the exchange
HARMLESS = ("id", "made", "statement")


def is_harmless(scene: Scene, original: dict[str, object], path: Path) -> bool:
    inner = inner_bytes(path, scene.b.own.keys)
    size = int.from_bytes(inner[104:108], "little")
    found = json.loads(inner[108 : 108 + size])
    same = {key: value for key, value in found.items() if key not in HARMLESS}
    return same == {key: value for key, value in original.items() if key not in HARMLESS}


def inside(path: Path, scene: Scene) -> tuple[object, dict[str, bytes]]:
    opened = seal.open_sealed(path, [scene.b.own.keys], [scene.a.own.keys.public().sign])
    return opened.manifest, {name: array.tobytes() for name, array in opened.load().items()}


def run(scene: Scene, layer: str, count: int, seed: int) -> int:
    attack = Attack(scene, seed)
    home, own = scene.b.home, scene.b.own
    before, manifest = everything(home.path), json.loads(attack.manifest)
    tally, good = Tally(f"sealed files: {layer}"), inside(scene.bundle, scene)

    def act() -> object:
        if layer == "card":
            return contacts.new(attack.path.read_bytes())
        return inbox.open_file(home, own, attack.path)

    def wrong(_: object) -> str:
        if layer == "inner":
            # Nobody but the two sides can make one: it takes the opened bundle. What is signed is the content (its
            # hash, its length, its shape), not how zstd packed it, so a file may differ in packing and in nothing else.
            return "" if inside(attack.path, scene) == good else "content"
        return "" if layer == "manifest" and is_harmless(scene, manifest, attack.path) else "accepted"

    for data in attack.files(layer, count):
        attack.path.write_bytes(data)
        if tally.case(act, wrong):
            shutil.rmtree(home.path)
            for name, content in before.items():
                (home.path / name).parent.mkdir(parents=True, exist_ok=True)
                (home.path / name).write_bytes(content)
    left = {path.name for path in scene.folder.iterdir()} - {"a1.pprl", "hostile", "home a", "home b"}
    tally.finish(len(left) + (everything(home.path) != before))
    return tally.refused


@pytest.mark.parametrize("layer", LAYERS)
def test_mutations_are_refused(scene: Scene, layer: str) -> None:
    assert run(scene, layer, QUICK, seed=1) > 0.9 * QUICK


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("layer", LAYERS)
def test_more_than_twenty_thousand_mutations_are_refused(scene: Scene, layer: str, part: int) -> None:
    assert run(scene, layer, PART, seed=10 + part) > 0.9 * PART


PROGRAM = """
    import sys
    from pathlib import Path
    from pprl_desktop.exchange import inbox
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.problem import Problem
    from tests.hostility import memory_before, peak_memory
    home = Home(Path(sys.argv[1]))
    own = home.unlock({passphrase!r})
    inbox.open_file(home, own, Path(sys.argv[2]))
    base = memory_before()
    for path in sorted(Path(sys.argv[3]).iterdir()):
        try:
            inbox.open_file(home, own, path)
        except Problem:
            continue
        raise SystemExit("accepted " + path.name)
    print(peak_memory() - base)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is measured the POSIX way")
def test_hostile_files_take_no_memory(scene: Scene) -> None:
    """In a process of its own: bombs and mutations, measured against one good file."""
    from . import test_refusals as bombs
    from .conftest import PASSPHRASE

    folder = scene.folder / "hostile files"
    folder.mkdir()
    attack = Attack(scene, 3)
    for layer in ("sealed", "inner", "manifest"):
        for at, data in enumerate(attack.files(layer, 40)):
            (folder / f"{layer}{at}").write_bytes(data)
    import zstandard

    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 28)) * 40
    shutil.copy(bombs.resigned_first(scene, bomb), folder / "zstd bomb")
    for name, shape in (("wide", [1000, 1 << 20]), ("long", [(1 << 31) - 1, 16]), ("huge", [1 << 30, 1 << 19])):

        def change(plain: dict[str, object], shape: list[int] = shape) -> None:
            plain["entries"][0].update(shape=shape, codec="zstd")  # type: ignore[index]

        shutil.copy(bombs.resigned(scene, change), folder / f"shape {name}")
    program = textwrap.dedent(PROGRAM.format(passphrase=PASSPHRASE))
    done = subprocess.run(
        [sys.executable, "-c", program, scene.b.home.path, scene.bundle, folder],
        capture_output=True, text=True, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout) < MEMORY


def test_hostile_cards_are_refused_when_imported_by_file(scene: Scene) -> None:
    path = scene.folder / "hostile"
    path.write_bytes(b'{"format":"pprl-card",' + b"[" * 10_000)
    with pytest.raises(Problem):
        card.read_file(path)


def test_the_attack_really_changes_files(scene: Scene) -> None:
    made = list(Attack(scene, 5).files("sealed", 100))
    assert len(set(made)) > 90
