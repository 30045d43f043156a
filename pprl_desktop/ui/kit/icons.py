"""Icons drawn for this program, tinted with a colour of the theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from pprl_desktop import resources
from pprl_desktop.ui.kit import theme


def drawn(name: str, colour: str, size: int) -> QImage:
    """Of so many pixels, for paper as well as for the screen."""
    data = resources.find("icons", f"{name}.svg").read_bytes().replace(b"#000000", colour.encode())
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(data)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


@lru_cache(maxsize=512)
def _drawn(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    made = QPixmap.fromImage(drawn(name, colour, round(size * ratio)))
    made.setDevicePixelRatio(ratio)
    return made


def pixmap(name: str, token: str = "text", size: int = 20, ratio: float = 2.0) -> QPixmap:
    return _drawn(name, getattr(theme.current(), token), size, ratio)


def icon(name: str, token: str = "text", size: int = 20) -> QIcon:
    return QIcon(pixmap(name, token, size))


def grown(size: int) -> int:
    """Pixels beside text of the chosen size."""
    return round(size * max(theme.zoom(), 1.0))


def app_icon() -> QIcon:
    made = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        made.addPixmap(_drawn("app", "#000000", size, 1.0))
    return made
