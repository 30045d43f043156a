"""Pictures in the help: the page a text speaks of, in the reader's language and palette, as wide as there is room.

Made by packaging/make_help_pictures.py. A page names the English light one; which is shown is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QPainter, QPixmap, QTextCharFormat, QTextCursor, QTextDocument, QTextFormat, QTextImageFormat
from PySide6.QtWidgets import QDialog, QLabel, QVBoxLayout, QWidget

from pprl_desktop import resources
from pprl_desktop.ui.kit import i18n, theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.tips import plain
from pprl_desktop.ui.widgets.basics import button, label, row

SCHEME = "picture"  # of the links that enlarge one
WIDEST = 720  # px in the text; enlarging shows the rest
SCREEN = 0.9  # of the screen that an enlarged picture may take
_IMAGE = QTextDocument.ResourceType.ImageResource.value
_ALT = QTextFormat.Property.ImageAltText.value


def picture_path(name: str) -> Path | None:
    """The picture for this reader; the English or the light one where there is no other."""
    palette = "dark" if theme.is_dark() else "light"
    for language in (i18n.language(), "en"):
        for shade in (palette, "light"):
            path = resources.root() / "help" / "pictures" / language / shade / f"{name}.png"
            if path.is_file():
                return path
    return None


def place(document: QTextDocument, wide: int, sharpness: float) -> None:
    """Every picture of a page from its file, with a caption in words (read aloud too) and a link that enlarges it."""
    for position, form in _pictures(document):
        cursor = _at(document, position)
        name = PurePosixPath(form.name()).stem
        if picture_path(name) is None:
            cursor.removeSelectedText()
            continue
        words = str(form.property(_ALT) or "")
        form.setName(f"{SCHEME}:{name}")
        form.setAnchor(True)
        form.setAnchorHref(form.name())
        form.setToolTip(plain(tr("Click to enlarge")))
        cursor.setCharFormat(form)
        cursor.clearSelection()
        caption = QTextCharFormat()
        caption.setFont(theme.font("small"))
        caption.setForeground(theme.colour("muted"))
        cursor.insertText(f"\u2028{words}", caption)  # a line of the same paragraph: it stays with its picture
    fit(document, wide, sharpness)


def fit(document: QTextDocument, wide: int, sharpness: float) -> None:
    """The placed pictures for this width; `sharpness` is the number of the screen's dots per pixel."""
    for position, form in _pictures(document):
        path = picture_path(QUrl(form.name()).path())
        if path is None:
            continue
        whole = QPixmap(str(path))
        if whole.isNull():  # a damaged file: the words below it stay
            continue
        width = max(1, min(wide, WIDEST, whole.width()))
        dots = min(round(width * sharpness), whole.width())
        # scaled here, smoothly: the document itself would only drop lines
        scaled = whole.scaledToWidth(dots, Qt.TransformationMode.SmoothTransformation)
        _frame(scaled)
        document.addResource(_IMAGE, QUrl(form.name()), scaled)
        form.setWidth(width)
        form.setHeight(round(width * whole.height() / whole.width()))
        _at(document, position).setCharFormat(form)


def _frame(picture: QPixmap) -> None:
    """A light page on a light text needs an edge."""
    painter = QPainter(picture)
    painter.setPen(theme.colour("border"))
    painter.drawRect(0, 0, picture.width() - 1, picture.height() - 1)
    painter.end()


def _pictures(document: QTextDocument) -> list[tuple[int, QTextImageFormat]]:
    """From the last to the first, so that what is put in does not move those still to come."""
    return sorted(_fragments(document), key=lambda found: -found[0])


def _fragments(document: QTextDocument) -> Iterator[tuple[int, QTextImageFormat]]:
    block = document.begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            fragment = pieces.fragment()
            if fragment.charFormat().isImageFormat():
                yield fragment.position(), QTextImageFormat(fragment.charFormat().toImageFormat())
            pieces += 1
        block = block.next()


def _at(document: QTextDocument, position: int) -> QTextCursor:
    cursor = QTextCursor(document)
    cursor.setPosition(position)
    cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
    return cursor


class PictureDialog(QDialog):
    """One picture as large as it is, or as the screen allows. Esc closes it."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(words or tr("Picture"))
        whole = QPixmap(str(picture_path(name)))
        room = self.screen().availableSize() * SCREEN
        sharpness = self.devicePixelRatioF()
        wide = min(whole.width(), room.width(), int((room.height() - 12 * GRID) * whole.width() / whole.height()))
        seen = whole.scaledToWidth(
            min(round(wide * sharpness), whole.width()), Qt.TransformationMode.SmoothTransformation
        )
        _frame(seen)
        seen.setDevicePixelRatio(seen.width() / wide)
        self.picture = QLabel()
        self.picture.setPixmap(seen)
        self.picture.setAccessibleName(words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        layout.setSpacing(GRID)
        layout.addWidget(self.picture)
        last = row(label(words, "small"), button(tr("Close"), self.accept, kind="primary"))
        last.setStretch(0, 1)
        layout.addLayout(last)
