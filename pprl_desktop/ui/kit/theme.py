"""The look in one place: colours, type scale, grid, palettes and the stylesheet made of them.

Nothing else in the window names a colour or a pixel size. Widgets ask for a role ("muted", "primary",
"card"), plots and painted widgets read `current()`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from pprl_desktop import resources
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.sheet import SHEET

Mode = Literal["system", "light", "dark"]
MODES: tuple[Mode, ...] = ("system", "light", "dark")

GRID = 8  # px: every distance is a multiple or a half of it
RADIUS = 8
BODY_PX = 14  # smallest body size; a larger system font wins
# 12 captions, 13 tables and remarks, 14 body and section heads, 20 a second number, 22 title, 40 the one figure
SIZES = {
    "tiny": 12 / 14, "small": 13 / 14, "body": 1.0, "lead": 1.0, "heading": 1.0, "second": 20 / 14, "title": 22 / 14,
    "figure": 40 / 14,
}  # fmt: skip
FONT, MONO = "Inter", "DejaVu Sans Mono"
FONT_FILES = ("Inter-Regular.ttf", "Inter-SemiBold.ttf", "Inter-Bold.ttf", "DejaVuSansMono.ttf")


@dataclass(frozen=True)
class Colours:
    """Tokens. `*_text` is legible (4.5 and more) on `window`, `surface` and its own `*_soft`."""

    window: str  # menu, step list, help
    surface: str  # the page and everything on it
    field: str  # where one types
    border: str
    border_strong: str  # outline of a control: 3 and more against the surface
    track: str  # empty part of a bar
    text: str
    muted: str
    accent: str  # filled buttons, bars
    accent_hover: str
    on_accent: str
    accent_text: str
    accent_soft: str
    warm: str  # the second plot colour: review band, cost
    warm_text: str
    warm_soft: str
    danger: str
    danger_text: str
    danger_soft: str
    danger_fill: str  # behind white words: what leaves in clear
    neutral: str  # third plot colour: rejected
    neutral_soft: str
    selection: str
    paper: str  # a document
    paper_edge: str


LIGHT = Colours(
    window="#f5f6f8", surface="#ffffff", field="#ffffff", border="#e2e6ec", border_strong="#868f9d", track="#e6e9ef",
    text="#161d29", muted="#566070", accent="#1f6feb", accent_hover="#1a5fcc", on_accent="#ffffff",
    accent_text="#1a56c0", accent_soft="#e8f0fe", warm="#d9730d", warm_text="#9a4a04", warm_soft="#fff3e4",
    danger="#c0341d", danger_text="#a32a16", danger_soft="#fdecea", danger_fill="#c0341d", neutral="#8795ab",
    neutral_soft="#eef0f4", selection="#cfe0fc", paper="#ffffff", paper_edge="#d5dae2",
)  # fmt: skip

DARK = Colours(
    window="#10151c", surface="#181f29", field="#121820", border="#2c3543", border_strong="#6f7c90", track="#2f3948",
    text="#e8ecf2", muted="#a3afc0", accent="#1f6feb", accent_hover="#1a62d6", on_accent="#ffffff",
    accent_text="#86b4ff", accent_soft="#1b2c4a", warm="#e8913a", warm_text="#f0a960", warm_soft="#33261a",
    danger="#e5593f", danger_text="#f59a88", danger_soft="#3a211d", danger_fill="#c0341d", neutral="#75839a",
    neutral_soft="#222a36", selection="#28477a", paper="#1d2530", paper_edge="#36414f",
)  # fmt: skip


class _Signals(QObject):
    changed = Signal()


signals = _Signals()
_state: dict[str, object] = {"mode": "system", "colours": LIGHT, "zoom": 1.0, "system_px": float(BODY_PX)}


def current() -> Colours:
    found = _state["colours"]
    assert isinstance(found, Colours)
    return found


def is_dark() -> bool:
    return current() is DARK


def zoom() -> float:
    return float(_state["zoom"])  # type: ignore[arg-type]


def px(role: str = "body") -> int:
    """Pixel size of a step of the type scale, after the system's size and the steward's zoom."""
    return round(float(_state["system_px"]) * zoom() * SIZES[role])  # type: ignore[arg-type]


def grown(usual: int) -> int:
    """Pixels of marks, icons to hit and plots: they grow with the text, though not without limit."""
    return round(usual * min(max(zoom(), 1.0), 1.6))


def enter_room() -> int:
    """Pixels that the word for the Enter key takes on the blue button, with the space before it."""
    return round(4.6 * px("tiny"))


def colour(name: str) -> QColor:
    return QColor(getattr(current(), name))


def font(role: str = "body", *, strong: bool = False, mono: bool = False) -> QFont:
    made = QFont([MONO, "monospace"] if mono else _families())
    made.setPixelSize(px(role))
    if strong:
        made.setWeight(QFont.Weight.DemiBold)
    return made


def _families() -> list[str]:
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    return [FONT, system, "Noto Sans", "DejaVu Sans", "Segoe UI", "Arial"]


def load_fonts() -> None:
    for name in FONT_FILES:
        try:
            QFontDatabase.addApplicationFont(str(resources.find("fonts", name)))
        except Problem:
            continue  # the system's fonts still serve


def apply(app: QApplication, mode: Mode, zoom_factor: float = 1.0) -> None:
    """Palette, font and stylesheet for the whole application; open windows follow."""
    if not app.property("fusion"):  # once: the name of a style hides behind the stylesheet that wraps it
        app.setStyle("Fusion")
        app.setProperty("fusion", True)
    if "fonts" not in _state:
        system = app.font()
        points = system.pointSizeF() if system.pointSizeF() > 0 else 9.0
        screen = app.primaryScreen()
        dots = screen.logicalDotsPerInch() if screen is not None else 96.0
        _state["system_px"] = float(max(BODY_PX, round(points * dots / 72)))
        load_fonts()
        _state["fonts"] = True
    _state["mode"] = mode
    _state["zoom"] = zoom_factor
    _state["colours"] = DARK if _wants_dark(app, mode) else LIGHT
    app.setStyleSheet("")  # palette and font first, without a sheet: else every widget is polished three times
    app.setPalette(palette(current()))
    app.setFont(font())
    app.setStyleSheet(stylesheet(current()))
    signals.changed.emit()


def _wants_dark(app: QApplication, mode: Mode) -> bool:
    if mode == "system":
        return app.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return mode == "dark"


def mode() -> Mode:
    return _state["mode"]  # type: ignore[return-value]


def palette(c: Colours) -> QPalette:
    """Own palette: Fusion's default highlight fails contrast, and setColorScheme does nothing on plain X11."""
    p, role = QPalette(), QPalette.ColorRole
    for which, name in (
        (role.Window, c.window), (role.WindowText, c.text), (role.Base, c.field), (role.AlternateBase, c.window),
        (role.Text, c.text), (role.Button, c.surface), (role.ButtonText, c.text), (role.BrightText, c.danger_text),
        (role.ToolTipBase, c.text), (role.ToolTipText, c.surface), (role.PlaceholderText, c.muted),
        (role.Highlight, c.accent), (role.HighlightedText, c.on_accent), (role.Link, c.accent_text),
        (role.LinkVisited, c.accent_text), (role.Light, c.surface), (role.Midlight, c.border),
        (role.Mid, c.border_strong), (role.Dark, c.border_strong), (role.Shadow, c.border_strong),
        (role.Accent, c.accent),
    ):  # fmt: skip
        p.setColor(which, QColor(name))
    for which in (role.Text, role.ButtonText, role.WindowText):
        p.setColor(QPalette.ColorGroup.Disabled, which, QColor(c.border_strong))
    return p


def set_role(widget: QWidget, name: str, value: str | bool) -> None:
    """Change a styled property and let the stylesheet notice."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast ratio of two colours."""
    a, b = sorted((_luminance(one), _luminance(other)))
    return (b + 0.05) / (a + 0.05)


def _luminance(name: str) -> float:
    c = QColor(name)
    parts = [v / 12.92 if v <= 0.03928 else ((v + 0.055) / 1.055) ** 2.4 for v in (c.redF(), c.greenF(), c.blueF())]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def stylesheet(c: Colours) -> str:
    values = {f.name: getattr(c, f.name) for f in fields(c)}
    sizes = {f"px_{name}": f"{px(name)}px" for name in SIZES}
    icons = resources.root() / "icons"
    shade = "dark" if c is DARK else "light"
    paths = {
        f"icon_{name.replace('-', '_')}": (icons / f"{name}-{shade}.svg").as_posix()
        for name in ("chevron-down", "chevron-up", "check-mark", "dot")
    }
    marks = {f"mark_{usual}": f"{grown(usual)}px" for usual in (11, 14, 16, 18, 38)}
    rounds = {"choice": grown(38) // 2 + 1, "radio": grown(16) // 2 + 1, "handle": grown(18) // 2}  # more makes squares
    marks |= {f"round_{name}": f"{radius}px" for name, radius in rounds.items()}
    marks["mark_lift"] = f"-{(grown(18) - 4) // 2}px"
    marks["enter_room"] = f"{enter_room() + 14}px"
    return SHEET % {**values, **sizes, **paths, **marks, "radius": f"{RADIUS}px"}
