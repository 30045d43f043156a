"""Renders resources/icons/app.svg into the sizes that the three systems ask for.

python packaging/make_icons.py
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QBuffer, QIODevice, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parent.parent / "resources" / "icons"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)
WINDOWS = (16, 24, 32, 48, 64, 128, 256)  # the largest that an .ico holds
MACOS = {16: b"icp4", 32: b"icp5", 64: b"icp6", 128: b"ic07", 256: b"ic08", 512: b"ic09"}  # names of sizes in an .icns


def render(size: int) -> QImage:
    picture = QImage(size, size, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(ICONS / "app.svg")).render(painter)
    painter.end()
    return picture


def png(picture: QImage) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    return bytes(buffer.data().data())


def ico(pictures: Mapping[int, bytes]) -> bytes:
    """Windows picks the size it needs: a head, a line of the table per picture, then the pictures."""
    head = struct.pack("<HHH", 0, 1, len(pictures))
    place, table = len(head) + 16 * len(pictures), b""
    for size, data in pictures.items():
        table += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), place)
        place += len(data)
    return head + table + b"".join(pictures.values())


def icns(pictures: Mapping[int, bytes]) -> bytes:
    """macOS: named pieces, each with its length."""
    pieces = b"".join(MACOS[size] + struct.pack(">I", 8 + len(data)) + data for size, data in pictures.items())
    return b"icns" + struct.pack(">I", 8 + len(pieces)) + pieces


def main() -> None:
    application = QGuiApplication([])
    made = {size: png(render(size)) for size in SIZES}
    for size, data in made.items():
        (ICONS / f"app-{size}.png").write_bytes(data)
    (ICONS / "app.ico").write_bytes(ico({size: made[size] for size in WINDOWS}))
    (ICONS / "app.icns").write_bytes(icns({size: made[size] for size in MACOS}))
    del application


if __name__ == "__main__":
    main()
