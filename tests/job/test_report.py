"""The report holds the same words in both renderings and cannot run anything."""

from __future__ import annotations

import html.parser

from hypothesis import given
from hypothesis import strategies as st

from pprl_desktop.job.report import Grid, Report, Section, to_html, to_text
from pprl_desktop.said import Said

texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=30)


class _Words(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def said(words: str) -> Said:
    return Said("{words}", words=words)


@given(texts, texts, texts)
def test_both_renderings_hold_every_word_and_no_markup_gets_through(title: str, sentence: str, cell: str) -> None:
    report = Report(
        "R", "2026-01-01", (Section(said(title), (said(sentence),), Grid((said("a"), said("b")), ((cell, 3),))),)
    )
    page = _Words()
    page.feed(to_html(report))
    words = "".join(page.words)
    for text in (title, sentence, cell):
        assert text in words
        assert text in to_text(report)
    assert set(page.tags) <= {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "table", "thead",
                              "tbody", "tr", "th", "td"}  # fmt: skip


def test_numbers_are_written_for_people() -> None:
    report = Report(
        "R", "2026-01-01", (Section(said("Counts"), grid=Grid((said("rows"), said("share")), ((12480, 0.12345),))),)
    )
    assert "12,480" in to_text(report)
    assert "0.1235" in to_html(report)
