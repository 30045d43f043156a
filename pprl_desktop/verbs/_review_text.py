"""A pair in a terminal: both rows with the row of marks between them, costs below, the meter above."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pprl_desktop.review.cells import Cell, Meter, Preview
    from pprl_desktop.review.session import Advance, PairView

GAP = "   "


def pair_text(view: PairView, ours: str = "ours", theirs: str = "theirs") -> str:
    lines = [
        f"Pair {view.number} of {view.of}, {view.id}" + (f", score {view.score:.3f}" if view.score is not None else ""),
        meter_text(view.meter),
        "",
        *table(view.cells, view.previews, ours, theirs),
    ]
    if view.suggestion is not None:
        lines += ["", f"Cheapest helpful cell: {view.suggestion.sentence}"]
    if view.decision is not None:
        lines += ["", f"Decided: {view.decision.words}."]
    if view.note:
        lines.append(f"Note: {view.note}")
    return "\n".join(lines)


def table(
    cells: Sequence[Cell], previews: Sequence[Preview | None], ours: str = "ours", theirs: str = "theirs"
) -> list[str]:
    from pprl_desktop.review.graphemes import display_width

    columns = [["", ours, "", theirs]]
    frequent = any(any(cell.frequency) for cell in cells)
    if frequent:
        columns[0] += ["how common", ""]
    columns[0].append("next")
    for cell, preview in zip(cells, previews, strict=True):
        above, between, below = _aligned(cell)
        column = [cell.field, above, between, below]
        if frequent:
            same = cell.frequency[0] == cell.frequency[1]
            column += [cell.frequency[0], "" if same else cell.frequency[1]]
        columns.append([*column, _cost(preview)])
    lines = []
    for row in zip(*columns, strict=True):
        padded = []
        for text, column in zip(row, columns, strict=True):
            width = max(map(display_width, column))
            padded.append(text + " " * (width - display_width(text)))
        lines.append(GAP.join(padded).rstrip())
    return [line for i, line in enumerate(lines) if line or i == 2]


def _aligned(cell: Cell) -> tuple[str, str, str]:
    """Column by column, so that a wide character in one row moves the other rows along."""
    from pprl_desktop.review.graphemes import display_width

    drawing = cell.drawing
    rows = ["", "", ""]
    for column in zip(drawing.above, drawing.between, drawing.below, strict=True):
        texts = [column[0].text, column[1], column[2].text]
        width = max(map(display_width, texts))
        for i, text in enumerate(texts):
            rows[i] += text + " " * (width - display_width(text))
    return rows[0], "DIFF" if cell.kind == "different" else rows[1], rows[2]


def _row(glyphs: Sequence[Any]) -> str:
    return "".join(glyph.text for glyph in glyphs)


def _cost(preview: Preview | None) -> str:
    if preview is None:
        return "-"
    return f"{preview.level.word} " + ("refused" if preview.refusal else f"+{percent(preview.cost)}")


def percent(share: Fraction) -> str:
    return f"{100 * float(share):.3g} %"


def meter_text(meter: Meter) -> str:
    return (
        f"charged {percent(meter.charged)} of {percent(meter.limit)}; KAPR {percent(meter.risk)}; "
        f"characters opened {percent(meter.characters)}; "
        f"smallest crowd of this pair {meter.smallest_k:,}"
        + (f" ({meter.together_k:,} with their other pairs)" if meter.together_k < meter.smallest_k else "")
    )


def advance_text(advance: Advance) -> str:
    left = "" if advance.minutes_left is None else f", about {max(1, round(advance.minutes_left))} min"
    return f"{advance.decided} decided ({advance.cannot_tell} cannot tell), {advance.to_go} to go{left}."


# --- plain data for --json ---------------------------------------------------------------------------------------


def pair_data(view: PairView) -> dict[str, Any]:
    return {
        "pair": view.id,
        "number": view.number,
        "of": view.of,
        "cells": [cell_data(cell, preview) for cell, preview in zip(view.cells, view.previews, strict=True)],
        "meter": meter_data(view.meter),
        "decision": None if view.decision is None else view.decision.point,
        "note": view.note,
        "score": view.score,
        "suggestion": None
        if view.suggestion is None
        else {
            "field": view.suggestion.field, "level": view.suggestion.level.word, "cost": str(view.suggestion.cost),
            "settles": view.suggestion.settles,
        },
    }  # fmt: skip


def cell_data(cell: Cell, preview: Preview | None = None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "field": cell.field,
        "type": cell.type,
        "kind": cell.kind,
        "level": cell.level.word,
        "above": _row(cell.drawing.above),
        "between": "".join(cell.drawing.between),
        "below": _row(cell.drawing.below),
        "marks": [glyph.kind for glyph in cell.drawing.above],
        "frequency": list(cell.frequency),
        "next": None if cell.next is None else cell.next.word,
        "closed": cell.closed,
        "spoken": cell.spoken,
    }
    if preview is not None:
        data |= {
            "cost": str(preview.cost), "cost_percent": 100 * float(preview.cost), "k_at_least": list(preview.k),
            "shows": preview.shows,
            "refusal": preview.refusal.as_dict() if preview.refusal else None,
        }  # fmt: skip
    return data


def meter_data(meter: Meter) -> dict[str, Any]:
    return {
        "kapr": str(meter.risk), "kapr_percent": 100 * float(meter.risk), "limit": str(meter.limit),
        "charged": str(meter.charged), "charged_percent": 100 * float(meter.charged),
        "characters_percent": 100 * float(meter.characters), "pair_kapr": str(meter.pair_risk),
        "smallest_k": meter.smallest_k, "together_k": meter.together_k, "cells_opened": meter.opened,
    }  # fmt: skip


def advance_data(advance: Advance) -> dict[str, Any]:
    return dict(vars(advance))
