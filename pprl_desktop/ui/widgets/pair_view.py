"""A pair under review: two aligned rows with the marks between them, cell by cell, monospaced.

It draws what the gate gave and nothing else; a cell speaks the sentence the gate made for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from pprl_desktop.review.cells import Cell, Preview
from pprl_desktop.review.marks import Glyph, Level
from pprl_desktop.review.speech import how_common
from pprl_desktop.ui.kit import theme
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import percent
from pprl_desktop.ui.widgets.basics import follow

PAD = 10
DIFFERS = ("replace", "insert", "diff", "transpose", "swap")
GLYPH = 1.22  # size of a character against the body text
MARK_TOKENS = {
    "replace": "warm_text", "insert": "warm_text", "diff": "warm_text",
    "transpose": "accent_text", "swap": "accent_text",
}  # fmt: skip


def level_words(level: Level) -> str:
    return {Level.MASKED: tr("masked"), Level.PARTIAL: tr("partly open"), Level.FULL: tr("open")}[level]


def opening_words(cell: Cell, preview: Preview | None) -> str:
    """What the next click would do, before it is done."""
    if preview is None:
        return tr_core(cell.closed)
    if preview.refusal is not None:
        return f"{tr_core(preview.refusal.what)} {tr_core(preview.refusal.do)}"
    cost = percent(float(preview.cost), 2)
    characters = sum(preview.characters)
    if preview.level == Level.PARTIAL:
        return tr("Space opens the differing characters ({n}), costs {cost}.", n=characters, cost=cost)
    return tr("Space opens the whole value, costs {cost}.", cost=cost)


class CellWidget(QWidget):
    """One field of the pair. A click selects it and says what opening would cost; a second one opens it."""

    paper_marks = False  # * @ & and DIFF as in the paper, instead of dots, question marks and a sentence
    looked_at = Signal(int)  # it was selected
    opened = Signal(int)  # clicked although it was selected already

    def __init__(self, number: int) -> None:
        super().__init__()
        speak_as(self, "cell")
        self.number = number
        self.cell: Cell | None = None
        self.preview: Preview | None = None
        self.suggested = False
        self._again = False  # the button went down on the selected cell
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click gives it by hand, once it is known what was selected
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_cell(self, cell: Cell, preview: Preview | None, suggested: bool) -> None:
        same = self.cell is not None and self.cell.spoken == cell.spoken
        self.cell, self.preview, self.suggested = cell, preview, suggested
        self.setAccessibleName(tr_core(cell.spoken))
        self.setAccessibleDescription(f"{level_words(cell.level)}. {opening_words(cell, preview)}")
        set_tip(self, opening_words(cell, preview))
        if not same:
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.NameChanged))
        self.setFixedSize(self.sizeHint())
        self.update()

    # geometry -------------------------------------------------------------------------------------

    @staticmethod
    def _glyph_font() -> QFont:
        font = theme.font(mono=True)
        font.setPixelSize(round(theme.px() * GLYPH))
        return font

    def _widths(self) -> list[float]:
        """One width per aligned column: the wider of the two characters."""
        assert self.cell is not None
        metrics = QFontMetricsF(self._glyph_font())
        narrow = metrics.horizontalAdvance("M")
        drawing = self.cell.drawing
        columns = zip(drawing.above, drawing.below, strict=True)
        return [
            max([narrow, *(metrics.horizontalAdvance(self._sign(g)) for g in pair if g.kind != "missing")])
            for pair in columns
        ]

    def _word_width(self) -> float:
        """A missing value is a word, which goes on over the columns of the other row."""
        assert self.cell is not None
        drawing = self.cell.drawing
        if not any(glyph.kind == "missing" for glyph in (*drawing.above, *drawing.below)):
            return 0.0
        return QFontMetricsF(self._glyph_font()).horizontalAdvance(tr("missing"))

    def _sign(self, glyph: Glyph) -> str:
        """A letter that is the same is a dot, one that differs a question mark; a word where the whole cell is one."""
        if self.paper_marks or glyph.open or glyph.gap:
            return glyph.text
        if glyph.kind in ("same", "hidden"):
            return "•"
        if glyph.kind == "identical":
            return tr("✓ same")
        if glyph.kind == "missing":
            return tr("missing")
        return "?" if glyph.kind in DIFFERS else glyph.text

    def sizeHint(self) -> QSize:
        if self.cell is None:
            return QSize(100, 120)
        head = QFontMetricsF(theme.font("small", strong=True))
        title = head.horizontalAdvance(self._title()) + (head.horizontalAdvance("  G") + 4 if self.suggested else 0)
        often = QFontMetricsF(theme.font("tiny")).horizontalAdvance(self._foot())
        wide = max(title, often, sum(self._widths()), self._word_width(), 48.0) + 2 * PAD
        return QSize(round(wide), self._tops()[4] + 4)

    def _title(self) -> str:
        assert self.cell is not None
        return field_title(self.cell.field)

    def _foot(self) -> str:
        """Below the two rows: how they differ, in a few words, and how common the value is."""
        assert self.cell is not None
        return " · ".join(part for part in (difference_words(self.cell), self._often()) if part)

    def _often(self) -> str:
        assert self.cell is not None
        above, below = (tr_core(how_common(word)) for word in self.cell.frequency)
        if not above and not below:
            return ""
        return above if above == below else f"{above or '–'} / {below or '–'}"

    @classmethod
    def _tops(cls) -> tuple[int, int, int, int, int]:
        """Top of the head, the row above, the marks, the row below, and the end."""
        head = 5
        above = head + theme.px("small") + 9
        line = round(theme.px() * GLYPH * 1.38)
        marks = above + line
        below = marks + (round(line * 0.66) if cls.paper_marks else 2)
        return head, above, marks, below, below + line + theme.px("tiny") + 4

    # painting -------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.cell is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        head, above, marks, below, _end = self._tops()
        box = QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5)
        focused = self.window().focusWidget() is self
        if focused or self.underMouse():
            painter.setBrush(theme.colour("accent_soft"))
            painter.setPen(QPen(theme.colour("accent"), 2) if focused else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(box, 6, 6)
        painter.setFont(theme.font("small", strong=True))
        painter.setPen(theme.colour("muted"))
        painter.drawText(QRectF(PAD, head, self.width(), theme.px("small") + 6), self._title())
        if self.suggested:
            painter.setPen(theme.colour("warm_text"))
            painter.drawText(
                QRectF(0, head, self.width() - PAD + 2, theme.px("small") + 6), Qt.AlignmentFlag.AlignRight, "G"
            )
        line = marks - above
        self._row(painter, self.cell.drawing.above, above, line)
        self._marks(painter, marks, below - marks)
        self._row(painter, self.cell.drawing.below, below, line)
        often = self._foot()
        if often:
            painter.setFont(theme.font("tiny"))
            painter.setPen(theme.colour("muted"))
            painter.drawText(QRectF(PAD, below + line - 2, self.width(), theme.px("tiny") + 8), often)
        painter.end()

    def _row(self, painter: QPainter, glyphs: Sequence[Glyph], top: int, high: int) -> None:
        painter.setFont(self._glyph_font())
        x = float(PAD)
        for glyph, wide in zip(glyphs, self._widths(), strict=True):
            if not glyph.gap:
                differs = not self.paper_marks and not glyph.open and glyph.kind in DIFFERS
                if differs:  # ground and underline, so that colour is never needed
                    painter.fillRect(QRectF(x, top + 3, wide, high - 5), theme.colour("warm_soft"))
                painter.setPen(theme.colour("warm_text" if differs else _token(glyph)))
                if glyph.kind == "missing":
                    box = QRectF(x, top, self._word_width() + PAD, high)
                    painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self._sign(glyph))
                else:
                    painter.drawText(QRectF(x, top, wide, high), Qt.AlignmentFlag.AlignCenter, self._sign(glyph))
                if differs:
                    painter.drawLine(round(x + 1), top + high - 2, round(x + wide - 1), top + high - 2)
                if glyph.open:  # opened characters are underlined too, not only coloured
                    painter.drawLine(round(x + 1), top + high - 3, round(x + wide - 1), top + high - 3)
            x += wide

    def _marks(self, painter: QPainter, top: int, high: int) -> None:
        assert self.cell is not None
        if not self.paper_marks:
            return
        font = theme.font("small", mono=True)
        painter.setFont(font)
        if self.cell.kind == "different":
            painter.setPen(theme.colour("accent_text"))
            painter.drawText(QRectF(PAD, top, self.width() - PAD, high), Qt.AlignmentFlag.AlignVCenter, "DIFF")
            return
        x = float(PAD)
        columns = zip(
            self.cell.drawing.between, self.cell.drawing.above, self.cell.drawing.below, self._widths(), strict=True
        )
        for sign, over, under, wide in columns:
            kind = under.kind if over.gap else over.kind
            if sign.strip():
                painter.setPen(theme.colour(MARK_TOKENS.get(kind, "muted")))
                painter.drawText(QRectF(x - 4, top, wide + 8, high), Qt.AlignmentFlag.AlignCenter, sign)
            x += wide

    # events ---------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self.looked_at.emit(self.number)
        if event.type() in (
            QEvent.Type.FocusIn, QEvent.Type.FocusOut, QEvent.Type.Enter, QEvent.Type.HoverEnter, QEvent.Type.Leave,
        ):  # fmt: skip
            self.update()
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._again = self.window().focusWidget() is self
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.looked_at.emit(self.number)  # also while another window is in front
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A hasty double click is one act: what stays counted for ever takes a second, deliberate one."""
        self._again = False
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        inside = self.rect().contains(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and inside and self._again:
            self.opened.emit(self.number)


def _token(glyph: Glyph) -> str:
    if glyph.open:
        return "text"
    if glyph.kind in ("same", "hidden", "separator", "missing"):
        return "text" if glyph.kind == "separator" else "muted"
    if glyph.kind == "identical":
        return "accent_text"
    return MARK_TOKENS.get(glyph.kind, "muted")


def field_title(name: str) -> str:
    """last_name -> Last name; the field's own words stay."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


class PairGrid(QWidget):
    """All cells of a pair, in lines that fit the width; each line names its two rows at the left."""

    looked_at = Signal(int)
    opened = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[CellWidget] = []
        self._lines: list[int] = []  # top of each line
        self._room = (0, 0, 0)  # width, cells, and the height that pairs so far needed: decisions stay where they are
        self._above, self._below = tr("ours"), tr("theirs")
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(tr("Pair under review"))
        speak_as(self, "table")
        follow(self, self._arrange)

    def name_rows(self, above: str, below: str) -> None:
        self._above, self._below = above, below
        self.update()

    def show_cells(self, cells: Sequence[Cell], previews: Sequence[Preview | None], suggested: str = "") -> None:
        while len(self.cells) < len(cells):
            made = CellWidget(len(self.cells))
            made.setParent(self)
            made.looked_at.connect(self.looked_at)
            made.opened.connect(self.opened)
            made.show()
            self.cells.append(made)
        for extra in self.cells[len(cells) :]:
            extra.hide()
            extra.deleteLater()
        del self.cells[len(cells) :]
        for widget, cell, preview in zip(self.cells, cells, previews, strict=True):
            widget.show_cell(cell, preview, cell.field == suggested)
        self._arrange()

    def focused(self) -> int:
        now = self.window().focusWidget()  # also right while another window is in front
        return next((i for i, cell in enumerate(self.cells) if cell is now), -1)

    def focus_cell(self, number: int) -> None:
        if self.cells:
            place = min(max(number, 0), len(self.cells) - 1)
            self.cells[place].setFocus(Qt.FocusReason.TabFocusReason)
            self.looked_at.emit(place)

    def _label_width(self) -> int:
        metrics = QFontMetricsF(theme.font("small"))
        return round(max(metrics.horizontalAdvance(text) for text in (self._above, self._below))) + 16

    def _layout_lines(self, width: int) -> tuple[list[tuple[CellWidget, QRect]], list[int], int]:
        left = self._label_width()
        x, y, high = left, 0, 0
        placed: list[tuple[CellWidget, QRect]] = []
        tops = [0]
        for cell in self.cells:
            size = cell.sizeHint()
            if x + size.width() > width and x > left:
                x, y, high = left, y + high + 4, 0
                tops.append(y)
            placed.append((cell, QRect(x, y, size.width(), size.height())))
            x += size.width() + 6
            high = max(high, size.height())
        return placed, tops, y + max(high, 1)

    def _arrange(self) -> None:
        placed, self._lines, high = self._layout_lines(self.width())
        for cell, rect in placed:
            cell.setGeometry(rect)
        width, cells, most = self._room
        if (width, cells) == (self.width(), len(self.cells)):
            high = max(high, most)
        self._room = (self.width(), len(self.cells), high)
        if self.minimumHeight() != high:
            self.setFixedHeight(high)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(600, max(self._layout_lines(max(self.width(), 600))[2], self._room[2]))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.colour("muted"))
        _, above, marks, below, _end = CellWidget._tops()
        line = marks - above
        for top in self._lines:
            for text, at in ((self._above, above), (self._below, below)):
                painter.drawText(QRectF(0, top + at, self._label_width(), line), Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()


def difference_words(cell: Cell) -> str:
    """How a masked cell differs, no more than its picture shows."""
    if cell.kind in ("identical", "missing"):
        return ""
    if cell.kind in ("different", "category"):
        return tr("quite different")
    kinds = [
        under.kind if over.gap else over.kind
        for over, under in zip(cell.drawing.above, cell.drawing.below, strict=True)
    ]
    if cell.kind == "swapped" or "swap" in kinds or "transpose" in kinds:
        return tr("changed places")
    n = sum(kind in DIFFERS for kind in kinds)
    return tr_n("{n} character differs", "{n} characters differ", n) if n else ""


def differs_in(cells: Sequence[Cell]) -> str:
    """The fields in which a pair differs, by name; no more than the masked picture shows."""
    missing = [field_title(cell.field) for cell in cells if cell.kind == "missing"]
    others = [field_title(cell.field) for cell in cells if cell.kind not in ("missing", "identical")]
    said = [", ".join(others)] if others else []
    if missing:
        said.append(tr("missing: {names}", names=", ".join(missing)))
    return " · ".join(said)


def short_mark(cell: Cell) -> str:
    """One cell in a word or sign, for the lists of pairs: never more than the masked picture shows."""
    if cell.kind == "identical":
        return "✓"
    if cell.kind in ("different", "category"):
        return "≠"
    if cell.kind == "swapped":
        return "⇄"
    if cell.kind == "missing":
        return "?"
    kinds = [
        under.kind if over.gap else over.kind
        for over, under in zip(cell.drawing.above, cell.drawing.below, strict=True)
    ]
    parts = []
    if "replace" in kinds:
        parts.append(f"×{kinds.count('replace')}")
    if "insert" in kinds:
        parts.append(f"+{kinds.count('insert')}")
    if "transpose" in kinds or "swap" in kinds:
        parts.append("⇄")
    return " ".join(parts) or "✓"
