"""The report: everything that was agreed, released, matched and disclosed, for an ethics board or an auditor.

A report is plain data (sections of sentences and tables) made from what the program measured or from a
theorem it names; the two renderings hold the same words. It contains no value of any record.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pprl_desktop import __version__
from pprl_desktop.said import ENGLISH, Language, Said

Cell = Said | str | int | float


@dataclass(frozen=True)
class Grid:
    """A small table: header and rows."""

    header: tuple[Said, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Section:
    title: Said
    sentences: tuple[Said, ...] = ()
    grid: Grid | None = None


@dataclass(frozen=True)
class Report:
    title: str
    date: str  # ISO, day only
    sections: tuple[Section, ...] = field(default_factory=tuple)

    def as_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "date": self.date,
            "program": f"PPRL Desktop {__version__}",
            "sections": [
                {
                    "title": str(section.title),
                    "sentences": [str(one) for one in section.sentences],
                    "header": [str(one) for one in section.grid.header] if section.grid else [],
                    "rows": [
                        [str(cell) if isinstance(cell, Said) else cell for cell in row] for row in section.grid.rows
                    ]
                    if section.grid
                    else [],
                }
                for section in self.sections
            ],
        }


_STYLE = """
body{font:15px/1.5 system-ui,"Segoe UI",sans-serif;color:#1c2430;background:#fff;max-width:52rem;margin:3rem auto;
padding:0 1.5rem}
h1{font-size:1.7rem;margin:0 0 .25rem}h2{font-size:1.15rem;margin:2.2rem 0 .5rem;border-bottom:1px solid #d8dee6;
padding-bottom:.25rem}
p{margin:.4rem 0}.quiet{color:#566274}
table{border-collapse:collapse;width:100%;margin:.8rem 0}th,td{text-align:left;padding:.35rem .6rem;
border-bottom:1px solid #e5e9ef;vertical-align:top}th{color:#566274;font-weight:600}td.n,th.n{text-align:right;
font-variant-numeric:tabular-nums}
@media print{body{margin:0;max-width:none}h2{break-after:avoid}tr{break-inside:avoid}}
"""


def to_html(report: Report, language: Language = ENGLISH) -> str:
    """One file, no script, nothing loaded from elsewhere; prints well."""
    parts = [
        "<!doctype html>",
        f'<html lang="{html.escape(language.code)}"><head><meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<title>{html.escape(report.title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{html.escape(report.title)}</h1>",
        f'<p class="quiet">{html.escape(_made_by(report).words(language))}</p>',
    ]
    for section in report.sections:
        parts.append(f"<h2>{html.escape(section.title.words(language))}</h2>")
        parts += [f"<p>{html.escape(one.words(language))}</p>" for one in section.sentences]
        if section.grid:
            parts.append(_html_grid(section.grid, language))
    return "\n".join([*parts, "</body></html>", ""])


def _made_by(report: Report) -> Said:
    return Said("{date} · made by PPRL Desktop {version}", date=report.date, version=__version__)


def _html_grid(grid: Grid, language: Language) -> str:
    numeric = [bool(grid.rows) and all(isinstance(row[k], int | float) for row in grid.rows)
               for k in range(len(grid.header))]  # fmt: skip

    def line(cells: Sequence[Cell], tag: str) -> str:
        made = (
            f"<{tag}{' class=n' if is_number else ''}>{html.escape(shown(cell, language))}</{tag}>"
            for cell, is_number in zip(cells, numeric, strict=True)
        )
        return f"<tr>{''.join(made)}</tr>"

    rows = "\n".join(line(row, "td") for row in grid.rows)
    return f"<table><thead>{line(grid.header, 'th')}</thead><tbody>\n{rows}\n</tbody></table>"


def to_text(report: Report) -> str:
    """The same words for a terminal or a mail."""
    lines = [report.title, "=" * len(report.title), str(_made_by(report))]
    for section in report.sections:
        title = str(section.title)
        lines += ["", title, "-" * len(title), *map(str, section.sentences)]
        if section.grid:
            lines += ["", *_text_grid(section.grid)]
    return "\n".join(lines) + "\n"


def _text_grid(grid: Grid) -> list[str]:
    cells = [[str(one) for one in grid.header], *([shown(cell) for cell in row] for row in grid.rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(grid.header))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def shown(cell: Cell, language: Language = ENGLISH) -> str:
    """Whole numbers with separators, shares with four digits, texts as they are."""
    if isinstance(cell, Said):
        return cell.words(language)
    if isinstance(cell, int):
        return language.number(cell)
    if isinstance(cell, float):
        return language.figures(cell, 4)
    return cell
