"""Renders resources/icons/app.svg into the sizes that the three systems ask for.

python packaging/make_icons.py
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgRenderer

ICONS = Path(__file__).resolve().parent.parent / "resources" / "icons"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def render(size: int) -> QImage:
    picture = QImage(size, size, QImage.Format.Format_ARGB32)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(ICONS / "app.svg")).render(painter)
    painter.end()
    return picture


def main() -> None:
    application = QGuiApplication([])
    for size in SIZES:
        render(size).save(str(ICONS / f"app-{size}.png"))
    for suffix, size in (("ico", 256), ("icns", 512)):
        writer = QImageWriter(str(ICONS / f"app.{suffix}"), suffix.encode())
        if not writer.write(render(size)):
            raise SystemExit(f"app.{suffix} could not be written: {writer.errorString()}")
    del application


if __name__ == "__main__":
    main()
