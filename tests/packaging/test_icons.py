"""The program's icon is there in every size that a desktop asks for."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from pprl_desktop import resources
from tests.packaging.loading import load

PNG = b"\x89PNG\r\n\x1a\n"


def icon(name: str) -> Path:
    return resources.find("icons", name)


@pytest.mark.parametrize("size", [16, 24, 32, 48, 64, 128, 256, 512])
def test_a_picture_per_size(size: int) -> None:
    picture = QImage(str(icon(f"app-{size}.png")))
    assert picture.size().toTuple() == (size, size)
    assert picture.pixelColor(0, 0).alpha() == 0  # no white square around it
    assert size in load("linux").SIZES


def test_windows_finds_every_size_in_its_file() -> None:
    data = icon("app.ico").read_bytes()
    _, kind, count = struct.unpack_from("<HHH", data)
    assert kind == 1
    sizes = []
    for number in range(count):
        wide, _, _, _, _, bits, length, place = struct.unpack_from("<BBBBHHII", data, 6 + 16 * number)
        assert bits == 32
        assert data[place : place + length] == icon(f"app-{wide or 256}.png").read_bytes()
        sizes.append(wide or 256)
    assert sizes == [16, 24, 32, 48, 64, 128, 256]


def test_macos_finds_every_size_in_its_file() -> None:
    data = icon("app.icns").read_bytes()
    assert data[:4] == b"icns"
    assert struct.unpack(">I", data[4:8])[0] == len(data)
    place, names = 8, []
    while place < len(data):
        name, length = data[place : place + 4], struct.unpack(">I", data[place + 4 : place + 8])[0]
        assert data[place + 8 : place + 16] == PNG
        names.append(name)
        place += length
    assert names == list(load("make_icons").MACOS.values())


def test_fonts_come_with_their_licences() -> None:
    fonts = resources.root() / "fonts"
    for path in fonts.glob("*.ttf"):
        family = path.stem.split("-")[0]
        text = (fonts / f"{family}-LICENSE.txt").read_text(encoding="utf-8")
        assert len(text) > 1000
    assert "SIL OPEN FONT LICENSE" in (fonts / "Inter-LICENSE.txt").read_text(encoding="utf-8").upper()
