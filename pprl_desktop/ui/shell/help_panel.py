"""Help at the right of the window: one page per step, offline, in the words of the screen."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QResizeEvent, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser, QVBoxLayout

from pprl_desktop import resources
from pprl_desktop.ui import help_pictures
from pprl_desktop.ui.kit import i18n, theme
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.widgets.basics import follow, label, row, tool

WIDE = 264  # px
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)\n?")


def page_path(name: str) -> Path | None:
    """The page in the steward's language, else in English."""
    for folder in (i18n.language(), "en", ""):
        for room in ("help", "guides"):
            path = resources.root() / room / folder / f"{name}.md"
            if path.is_file():
                return path
    return None


def page_text(name: str) -> str:
    path = page_path(name)
    return path.read_text(encoding="utf-8") if path is not None else ""


def page_words(name: str) -> str:
    """What a search looks through: the text without the targets of its links and pictures."""
    return re.sub(r"\]\([^)]*\)", "]", page_text(name)).lower()


class HelpText(QTextBrowser):
    """Markdown with links between help pages; nothing outside this computer is ever opened."""

    page_asked = Signal(str)

    def __init__(self, size: str = "small") -> None:
        super().__init__()
        self._size = size
        self._text = ""
        self.setOpenLinks(False)
        self.setAccessibleName(tr("Help text"))
        self.anchorClicked.connect(self._follow_link)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        follow(self, self._draw)

    def show_text(self, text: str) -> None:
        self._text = text
        self._draw()

    def _draw(self) -> None:
        c = theme.current()
        document = self.document()
        document.setDefaultFont(theme.font(self._size))
        document.setDefaultStyleSheet(f"a {{ color: {c.accent_text}; }}")
        document.setMarkdown(self._text)
        document.setDocumentMargin(0)
        cursor = QTextCursor(document)
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        while True:  # Markdown gives no air between lines
            block = cursor.block()
            form = QTextBlockFormat(block.blockFormat())
            air = 100 if "\ufffc" in block.text() else 132  # a picture needs none
            form.setLineHeight(air, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
            heading = form.headingLevel() > 0
            form.setTopMargin(2 * GRID if heading and block.blockNumber() else 0)
            form.setBottomMargin(GRID if not block.textList() else 4)
            cursor.setBlockFormat(form)
            if heading:
                cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
                style = QTextCharFormat()
                step = "lead" if self._size == "small" else "title"
                style.setFont(theme.font(step if form.headingLevel() == 1 else "heading", strong=True))
                style.setForeground(theme.colour("text"))
                cursor.setCharFormat(style)  # replaces: Markdown's own relative size would win over a merged one
                cursor.clearSelection()
            if not cursor.movePosition(QTextCursor.MoveOperation.NextBlock):
                break
        help_pictures.place(document, self._room(), self.devicePixelRatioF())
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def _room(self) -> int:
        """For pictures: the text's width with its scroll bar, whether that shows or not, else they would flicker."""
        return self.width() - self.verticalScrollBar().sizeHint().width() - GRID

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            help_pictures.fit(self.document(), self._room(), self.devicePixelRatioF())

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Pictures are placed by help_pictures; nothing is looked for elsewhere."""
        return None if kind == QTextDocument.ResourceType.ImageResource.value else super().loadResource(kind, name)

    def enlarge(self, name: str) -> help_pictures.PictureDialog:
        dialog = help_pictures.PictureDialog(name, self._words(name), self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        return dialog

    def _words(self, name: str) -> str:
        found = re.search(rf"!\[([^\]]*)\]\([^)]*/{re.escape(name)}\.png\)", self._text)
        return found[1] if found else ""

    def _follow_link(self, url: QUrl) -> None:
        if url.scheme() == help_pictures.SCHEME:
            self.enlarge(url.path())
            return
        name = Path(url.path()).stem or url.toString()
        if page_path(name) is not None:
            self.page_asked.emit(name)


class HelpPanel(QFrame):
    closed = Signal()
    page_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("side", "right")
        self._width()
        follow(self, self._width)
        self.setAccessibleName(tr("Help for this step"))
        self.heading = label(tr("About this step"), "heading")
        self.text = HelpText()
        self.text.page_asked.connect(self.page_asked)
        inner = QVBoxLayout(self)
        inner.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        inner.setSpacing(GRID)
        inner.addLayout(row(self.heading, None, tool("close", tr("Close help (F1 opens it again)"), self.closed.emit)))
        inner.addWidget(self.text, 1)

    def _width(self) -> None:
        self.setFixedWidth(round(WIDE * min(theme.zoom(), 1.3)))

    def show_page(self, name: str) -> None:
        self.text.show_text(page_text(name))

    def show_step(self, name: str) -> None:
        """Without its picture: the page itself stands beside it."""
        self.text.show_text(_PICTURE.sub("", page_text(name)))
