"""Makes the pictures of the help and the README: `pprl-desktop tour` on the sample, per language and palette.

uv run packaging/make_help_pictures.py                  (about two minutes)
uv run packaging/make_help_pictures.py --demo DIR       with the folder of an earlier 'pprl-desktop demo --out DIR'

They lie in resources/help/pictures/LANGUAGE/PALETTE, with few colours each, so that the files stay small.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "resources" / "help" / "pictures"
LANGUAGES = ("en", "de")
PALETTES = ("light", "dark")
SIZE = "1024x700"  # narrow enough that the window shows no help beside the page: no picture in the picture
# page of the help -> page or state of the tour, and its picture: the review is taken with some cells open
PICTURES = {
    "welcome": ("welcome", "welcome"), "contacts": ("contacts", "contacts"), "data": ("data", "data"),
    "fields": ("fields", "fields"), "method": ("method", "method"), "agreement": ("agreement", "agreement"),
    "export": ("export", "export"), "partner": ("partner", "partner"), "match": ("match", "match"),
    "results": ("results", "results"), "review": ("review", "review-2-opened"), "finish": ("finish", "finish"),
    "post": ("post", "post"), "releases": ("releases", "releases"), "settings": ("settings", "settings"),
    "groups": ("groups-making", "groups-making"), "other_tools": ("other_tools-tokens", "other_tools-tokens"),
    "own_files": ("own-fields", "own-fields"),
}  # fmt: skip
HOME = "/home/steward"  # as the pages show it; need not be there
COLOURS = 255
MOST = 100_000  # bytes of one picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--demo", metavar="DIR", help="the folder of an earlier 'pprl-desktop demo --out DIR'")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        demo = Path(args.demo) if args.demo else Path(tempfile.gettempdir()) / "sample"  # the pages show where it is
        if not args.demo:
            pprl("demo", "--headless", "--out", str(demo))
        for language in LANGUAGES:
            made = Path(scratch) / language
            pages = ",".join(page for page, _ in PICTURES.values())
            pprl("tour", "--out", str(made), "--demo", str(demo), "--language", language, "--size", SIZE,
                 "--pages", pages)  # fmt: skip
            for palette in PALETTES:
                folder = TARGET / language / palette
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                for page, (_, name) in PICTURES.items():
                    small(made / f"{name}-{palette}-{SIZE}.png", folder / f"{page}.png")
        if not args.demo:
            shutil.rmtree(demo)
    sizes = [path.stat().st_size for path in TARGET.rglob("*.png")]
    print(f"{len(sizes)} pictures, {sum(sizes) / 1e6:.1f} MB, the largest {max(sizes) / 1e3:.0f} kB")


def pprl(*arguments: str) -> None:
    command = [sys.executable, "-m", "pprl_desktop", *arguments]
    env = os.environ | {"HOME": HOME}
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL, env=env)


def small(source: Path, target: Path) -> None:
    """The same picture with few colours, undithered: flat areas stay flat."""
    picture = QImage(str(source)).convertToFormat(QImage.Format.Format_RGB888)
    wide, high = picture.width(), picture.height()
    lines = np.frombuffer(picture.constBits(), np.uint8).reshape(high, picture.bytesPerLine())
    pixels = lines[:, : 3 * wide].reshape(-1, 3)
    table, indices = quantised(pixels)
    padded = np.zeros((high, (wide + 3) // 4 * 4), np.uint8)  # lines of a QImage start at multiples of four bytes
    padded[:, :wide] = indices.reshape(high, wide)
    made = QImage(padded.tobytes(), wide, high, padded.shape[1], QImage.Format.Format_Indexed8)
    made.setColorTable([0xFF000000 | int(r) << 16 | int(g) << 8 | int(b) for r, g, b in table])
    if not made.save(str(target), "PNG", 0):  # 0: packed as small as it gets
        raise SystemExit(f"{target} could not be written.")
    if target.stat().st_size > MOST:
        raise SystemExit(f"{target} has {target.stat().st_size:,} bytes; a picture of the help may have {MOST:,}.")


def quantised(pixels: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """A table of colours and the index of each pixel: the frequent colours as they are, the others by the nearest."""
    packed = (pixels.astype(np.uint32) << np.array([16, 8, 0], np.uint32)).sum(axis=1, dtype=np.uint32)
    found, place, counts = np.unique(packed, return_inverse=True, return_counts=True)
    colours = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1).astype(np.int64)
    chosen = [int(np.argmax(counts))]
    # next comes the colour whose pixels lose most by the table so far: rare but strange colours get their turn
    loss = ((colours - colours[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < min(COLOURS, len(found)) and loss.any():
        chosen.append(int(np.argmax(loss * np.sqrt(counts))))
        loss = np.minimum(loss, ((colours - colours[chosen[-1]]) ** 2).sum(axis=1))
    table = colours[chosen]
    nearest = np.array([int(np.argmin(((table - colour) ** 2).sum(axis=1))) for colour in colours], np.uint8)
    return table.astype(np.uint8), nearest[place.ravel()]


if __name__ == "__main__":
    main()
