"""A document as a document: on the screen as a sheet of paper, and as PDF or print; the same words, one layout.

The layout is made in the HTML that Qt's text engine knows. Bars and signs are drawn here, four times as fine.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QImage,
    QPageSize,
    QPainter,
    QPdfWriter,
    QResizeEvent,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser, QVBoxLayout, QWidget

from pprl_desktop import __version__, files
from pprl_desktop.job.document import Cell, Document, Fact, Figure, Listed, Part, Words
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit import icons, theme
from pprl_desktop.ui.kit.i18n import tr, tr_core
from pprl_desktop.ui.widgets.basics import follow

MARGIN = 48  # px of a sheet on the screen
WIDEST = 760  # px of a sheet on the screen
NAMES = 136  # px of the column of names
FINE = 4  # drawn so many times finer than shown
DPI = 96  # of a page: a pixel is a pixel of the screen
PAGE_MARGIN = 64  # px
BAR = 6  # px
LEAST_SHARE = 0.36  # of the width: for what protects, or for what stays open
TITLE_WEIGHT = 600
ROOM_LEFT = 30  # px at its foot: filled to the last line, an empty page would follow
SHORT, FEW_COLUMNS = 18, 6  # letters that stay on one line of a table of so many columns
ON_ONE_PAGE = (1.0, 0.94, 0.88)  # sizes of the text of a PDF, tried until its first part fits on one page


@dataclass(frozen=True)
class Ink:
    """Colours and sizes: of the window on the screen, always light on paper."""

    colours: theme.Colours
    zoom: float = 1.0

    def px(self, size: int) -> str:
        return f"{round(size * self.zoom)}px"

    def __getattr__(self, name: str) -> str:
        return str(getattr(self.colours, name))


def escaped(words: Words) -> str:
    return html.escape(words if isinstance(words, str) else tr_core(words))


class _Sheet:
    """The HTML of one document at one width, with its pictures."""

    def __init__(self, document: Document, width: int, ink: Ink) -> None:
        self.document, self.width, self.ink = document, width, ink
        self.pictures: dict[str, QImage] = {}

    def html(self) -> str:
        made, ink = self.document, self.ink
        aside = "<br>".join(escaped(line) for line in made.aside)
        edge = f"border-top:3px solid {ink.text}; padding-top:16px"
        quiet = f"color:{ink.muted}; font-size:{ink.px(12)}"
        right = f'<td align="right" style="{edge}; {quiet}">{aside}</td>' if aside else ""
        head = (
            f'<table width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse"><tr>'
            f'<td style="border-top:3px solid {ink.text}; padding-top:16px">'
            f'<span style="color:{ink.muted}; font-size:{ink.px(12)}; font-weight:600">{escaped(made.kicker).upper()}'
            f'</span><br><span style="font-size:{ink.px(24)}; font-weight:600">{escaped(made.title)}</span><br>'
            f'<span style="color:{ink.muted}; font-size:{ink.px(13)}">{escaped(made.note)}</span></td>'
            f"{right}</tr></table>"
        )
        parts = [head]
        if made.lead is not None:
            parts.append(self._figures((made.lead, *made.figures), lead=True))
        if made.facts:
            if made.facts_title is not None:
                parts.append(self._heading(escaped(made.facts_title)))
            parts.append(self._facts(made.facts, above=made.facts_title is None))
        if made.lead is None and made.figures:
            parts.append(self._figures(made.figures))
        if made.listed is not None:
            parts.append(self._listed(made.listed))
        if made.protects or made.stays_open:
            parts.append(self._both())
        if made.signatures:
            parts += [self._heading(tr("Signatures")), self._facts(made.signatures)]
        if made.foot:
            parts.append(self._line(escaped(made.foot), f"color:{ink.muted}; font-size:{ink.px(12)}", above=16))
        for number, part in enumerate(made.parts):
            parts.append(self._part(part, first=number == 0))
        return f'<body style="color:{ink.text}; font-size:{ink.px(14)}">{"".join(parts)}</body>'

    def _line(self, words: str, style: str = "", above: int = 0, below: int = 0) -> str:
        return f'<p style="margin-top:{above}px; margin-bottom:{below}px; {style}">{words}</p>'

    def _heading(self, words: str) -> str:
        return self._line(words, f"font-size:{self.ink.px(15)}; font-weight:600", above=24, below=6)

    def _facts(self, facts: Iterable[Fact], *, above: bool = False) -> str:
        ink, rows = self.ink, []
        edge = f"border-bottom:1px solid {ink.border}; padding-top:6px; padding-bottom:6px"
        names = round(NAMES * ink.zoom)
        for one in facts:
            what = f"<b>{escaped(one.what)}</b>" if one.strong else escaped(one.what)
            rows.append(
                f'<tr><td width="{names}" style="{edge}; color:{ink.muted}">{escaped(one.name)}</td>'
                f'<td style="{edge}">{what}</td></tr>'
            )
        gap = self._line("", above=10) if above else ""
        return (
            f'{gap}<table width="100%" cellspacing="0" cellpadding="0" style="border-collapse:collapse; '
            f'font-size:{ink.px(13)}">{"".join(rows)}</table>'
        )

    def _figures(self, figures: tuple[Figure, ...], *, lead: bool = False) -> str:
        ink, gap = self.ink, 24
        wide = (self.width - gap * (len(figures) - 1)) // max(len(figures), 1)
        cells = []
        for place, one in enumerate(figures):
            large = lead and place == 0
            colour = {"accent": ink.accent_text, "warm": ink.warm_text, "danger": ink.danger_text}.get(
                one.tint, ink.text
            )
            value = f"font-size:{ink.px(46 if large else 24)}; font-weight:600; color:{colour if large else ink.text}"
            bar = self._bar(one.share, one.tint, wide - gap) + "<br>" if one.share is not None else ""
            cells.append(
                f'<td width="{wide + gap}" style="padding-right:{gap}px"><span style="{value}">{escaped(one.value)}'
                f'</span> <span style="font-weight:600">{escaped(one.unit)}</span><br>{bar}'
                f'<span style="font-size:{ink.px(13)}; font-weight:600">{escaped(one.what)}</span><br>'
                f'<span style="font-size:{ink.px(12)}; color:{ink.muted}">{escaped(one.note)}</span></td>'
            )
        return (
            f'{self._line("", above=14)}<table width="100%" cellspacing="0" cellpadding="0"><tr>{"".join(cells)}</tr>'
            "</table>"
        )

    def _bar(self, share: float, tint: str, wide: int) -> str:
        wide = max(wide, 24)
        name = f"bar:{tint or 'accent'}:{wide}:{round(1000 * share)}"
        if name not in self.pictures:
            image = QImage(wide * FINE, BAR * FINE, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            painter = QPainter(image)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            for colour, part in (("track", 1.0), (tint or "accent", min(max(share, 0.0), 1.0))):
                painter.setBrush(QColor(getattr(self.ink.colours, colour)))
                if part > 0:
                    long = max(part * image.width(), image.height())
                    painter.drawRoundedRect(QRectF(0, 0, long, image.height()), BAR * FINE / 2, BAR * FINE / 2)
            painter.end()
            self.pictures[name] = image
        return f'<img src="{name}" width="{wide}" height="{BAR}" style="vertical-align:middle">'

    def _both(self) -> str:
        """What protects and what stays open, side by side."""
        ink = self.ink
        protects, opens = self.document.protects, self.document.stays_open
        much = [sum(len(escaped(line)) for line in lines) + 1 for lines in (protects, opens)]
        # the longer one gets more room: both end alike
        left = min(max(much[0] / sum(much), LEAST_SHARE), 1 - LEAST_SHARE)
        cells = []
        for title, sign, token, lines, share in (
            (tr("What protects"), "shield", "accent_text", protects, left),
            (tr("What stays open"), "review", "warm_text", opens, 1 - left),
        ):
            rows = "".join(
                f'<tr><td width="22" style="padding-top:4px">{self._sign(sign, token)}</td>'
                f'<td style="padding-top:3px; padding-bottom:4px">{escaped(line)}</td></tr>'
                for line in lines
            )
            cells.append(
                f'<td width="{round(100 * share)}%" style="padding-right:20px">'
                f'<span style="font-size:{ink.px(15)}; font-weight:600">'
                f'{html.escape(title)}</span><table cellspacing="0" cellpadding="0" style="font-size:{ink.px(13)}">'
                f"{rows}</table></td>"
            )
        top = self._line("", above=14)
        return f'{top}<table width="100%" cellspacing="0" cellpadding="0"><tr>{"".join(cells)}</tr></table>'

    def _sign(self, name: str, token: str) -> str:
        key = f"sign:{name}:{token}"
        if key not in self.pictures:
            self.pictures[key] = icons.drawn(name, getattr(self.ink.colours, token), 15 * FINE)
        return f'<img src="{key}" width="15" height="15">'

    def _listed(self, listed: Listed) -> str:
        ink = self.ink
        edge = f"border-bottom:1px solid {ink.border}; padding:5px 12px 5px 0"
        head = "".join(
            f'<td {"align=right" if self._right(listed, place) else ""} style="{edge}; color:{ink.muted}; '
            f'font-size:{ink.px(12)}; font-weight:600">{escaped(name)}</td>'
            for place, name in enumerate(listed.header)
        )
        narrow = len(listed.header) <= FEW_COLUMNS
        rows = "".join(
            f"<tr>{''.join(self._cell(cell, edge, narrow=narrow) for cell in line)}</tr>" for line in listed.rows
        )
        note = (
            self._line(escaped(listed.note), f"font-size:{ink.px(12)}; color:{ink.muted}", above=6)
            if listed.note
            else ""
        )
        title = self._heading(escaped(listed.title)) if listed.title else ""
        return (
            f'{title}<table width="100%" cellspacing="0" cellpadding="0" '
            f'style="border-collapse:collapse; font-size:{ink.px(13)}"><tr>{head}</tr>{rows}</table>{note}'
        )

    @staticmethod
    def _right(listed: Listed, place: int) -> bool:
        return bool(listed.rows) and listed.rows[0][place].right

    def _cell(self, cell: Cell, edge: str, *, narrow: bool) -> str:
        ink, words = self.ink, escaped(cell.words)
        if cell.tag:
            soft = {"accent": ink.accent_soft, "warm": ink.warm_soft, "danger": ink.danger_soft}.get(
                cell.tag, ink.neutral_soft
            )
            text = {"accent": ink.accent_text, "warm": ink.warm_text, "danger": ink.danger_text}.get(
                cell.tag, ink.muted
            )
            words = f'<span style="background:{soft}; color:{text}; font-weight:600">&nbsp;{words}&nbsp;</span>'
        if cell.share is not None:
            tint = "danger" if cell.tag == "danger" else "warm"
            words = f"{self._bar(cell.share, tint, 56)}&nbsp; {escaped(cell.words)}"
        whole = "; white-space:nowrap" if narrow and cell.share is None and len(_plain(cell.words)) <= SHORT else ""
        return f'<td {"align=right" if cell.right else ""} style="{edge}{whole}">{words}</td>'

    def _tinted(self, tint: str) -> tuple[str, str]:
        """Words, and the ground behind them."""
        ink = self.ink
        known = {
            "accent": (ink.accent_text, ink.accent_soft),
            "warm": (ink.warm_text, ink.warm_soft),
            "danger": (ink.danger_text, ink.danger_soft),
            "neutral": (ink.muted, ink.neutral_soft),
        }
        return known.get(tint, (ink.text, ink.neutral_soft))

    def _part(self, part: Part, *, first: bool) -> str:
        breaks = "page-break-before:always; " if first else ""
        title = self._line(
            escaped(part.title), f"{breaks}font-size:{self.ink.px(15)}; font-weight:600", above=24, below=6
        )
        lines = "".join(self._line(escaped(line), f"font-size:{self.ink.px(13)}", below=4) for line in part.sentences)
        return title + (self._facts(part.facts) if part.facts else "") + lines + (
            self._listed(part.listed) if part.listed is not None else ""
        )  # fmt: skip


def _filled(text: QTextDocument, document: Document, width: int, ink: Ink) -> None:
    sheet = _Sheet(document, width, ink)
    page = sheet.html()
    text.clear()
    font = theme.font()
    font.setPixelSize(round(14 * ink.zoom))
    text.setDefaultFont(font)
    text.setDocumentMargin(0)
    for name, image in sheet.pictures.items():
        text.addResource(QTextDocument.ResourceType.ImageResource.value, QUrl(name), image)
    text.setHtml(page)


class PaperView(QFrame):
    """A sheet on the ground of the page: as high as its text, so that the page scrolls and never a part of it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setProperty("paper", "true")
        self.document: Document | None = None
        self.text = QTextBrowser()
        self.text.setAccessibleName(name)
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text.setProperty("paper", "text")
        self.text.viewport().setAutoFillBackground(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, 32, MARGIN, 32)
        layout.addWidget(self.text)
        self.setMaximumWidth(WIDEST)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._shown_at = 0
        follow(self, self._draw)

    def show_document(self, document: Document) -> None:
        if document != self.document:
            self.document = document
            self._draw()

    def _draw(self) -> None:
        self.setMaximumWidth(round(WIDEST * theme.zoom()))
        wide = max(self.width() - 2 * MARGIN, 300)
        self._shown_at = wide
        if self.document is None:
            return
        _filled(self.text.document(), self.document, wide, Ink(theme.current(), theme.zoom()))
        self._fit()

    def _fit(self) -> None:
        text = self.text.document()
        text.setTextWidth(self._shown_at)
        self.text.setFixedHeight(round(text.size().height()) + 4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if max(self.width() - 2 * MARGIN, 300) != self._shown_at:
            self._draw()


def write_pdf(document: Document, path: Path) -> int:
    """Whole or not at all; the number of pages."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(DPI)
    writer.setTitle(_plain(document.title))
    writer.setCreator(f"PPRL Desktop {__version__}")
    pages = _paint(document, writer)
    try:
        files.write_bytes(path, bytes(buffer.data().data()))
    except OSError:
        raise Problem("The PDF could not be written.", do="Choose another folder, or free some space.") from None
    return pages


def _plain(words: Words) -> str:
    return words if isinstance(words, str) else tr_core(words)


def _keep_titles(text: QTextDocument) -> None:
    """No title stands alone at the foot of a page: it goes with what it is about."""
    layout, high = text.documentLayout(), text.pageSize().height()
    block = text.begin()
    while block.isValid() and block.next().isValid():
        cursor, after = QTextCursor(block), block.next()
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
        title = cursor.charFormat().fontWeight() >= TITLE_WEIGHT and cursor.currentTable() is None and block.text()
        table = QTextCursor(after).currentTable()
        if table is not None:  # a head without a line says nothing either
            after_ = table.cellAt(min(1, table.rows() - 1), 0).firstCursorPosition().block()
        else:
            after_ = after
        here, next_ = (int(layout.blockBoundingRect(one).top() // high) for one in (block, after_))
        if title and here < next_:
            broken = block.blockFormat()
            broken.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
            cursor.setBlockFormat(broken)
        block = after


def _paint(document: Document, device: QPdfWriter) -> int:
    """Page by page, each with its number; what is laid out in pixels of the screen is scaled to the device."""
    scale = device.logicalDpiX() / DPI
    wide, high = device.width() / scale, device.height() / scale
    body = QSizeF(wide - 2 * PAGE_MARGIN, high - 2 * PAGE_MARGIN)
    text = QTextDocument()
    for zoom in ON_ONE_PAGE:  # the first page is for an ethics board: what belongs on it stands on it
        _filled(text, replace(document, parts=()), round(body.width()), Ink(theme.LIGHT, zoom))
        text.setPageSize(body)
        if text.pageCount() == 1 and text.size().height() <= body.height() - ROOM_LEFT:
            break
    _filled(text, document, round(body.width()), Ink(theme.LIGHT, zoom))
    text.setPageSize(body)
    _keep_titles(text)
    pages = text.pageCount()
    painter = QPainter(device)
    painter.scale(scale, scale)
    foot = theme.font("tiny")
    foot.setPixelSize(12)
    for page in range(pages):
        if page:
            device.newPage()
        painter.save()
        painter.translate(PAGE_MARGIN, PAGE_MARGIN - page * body.height())
        text.drawContents(painter, QRectF(0, page * body.height(), body.width(), body.height()))
        painter.restore()
        painter.setFont(foot)
        painter.setPen(QColor(theme.LIGHT.muted))
        line = QRectF(PAGE_MARGIN, high - PAGE_MARGIN + 20, body.width(), 20)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft, tr("Made by PPRL Desktop {version}", version=__version__))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight, tr("page {n} of {all}", n=page + 1, all=pages))
    painter.end()
    return pages


def save_as_pdf(document: Document, parent: QWidget, folder: Path, name: str, said: Callable[[str], object]) -> None:
    """Asks where to, writes, and says so."""
    from PySide6.QtWidgets import QFileDialog

    chosen, _ = QFileDialog.getSaveFileName(parent, tr("Save as PDF"), str(folder / name), "PDF (*.pdf)")
    if chosen:
        path = Path(chosen) if Path(chosen).suffix else Path(chosen).with_suffix(".pdf")
        write_pdf(document, path)
        said(str(path))
