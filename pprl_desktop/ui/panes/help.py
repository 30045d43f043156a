"""Help: all pages, offline, in the words of the screen, and the glossary."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem

from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.shell.help_panel import HelpText, page_text, page_words
from pprl_desktop.ui.widgets.basics import Section, column, row

PAGES = (
    "introduction", "welcome", "contacts", "data", "fields", "method", "agreement", "export", "partner", "match",
    "results", "blind", "review", "finish", "own_files", "post", "releases", "groups", "other_tools", "settings",
    "glossary", "threat_model",
)  # fmt: skip
GUIDES = ("ten_minutes", "data_protection")  # resources/guides: whole pages to read at one go


def page_title(name: str) -> str:
    """The first heading of the page."""
    for line in page_text(name).splitlines():
        if line.startswith("#"):
            return line.lstrip("# ").strip()
    return ""


class HelpPane(Pane):
    NAME = "help"
    GIVES = ("explanations",)
    MESSAGES = {"none": "No page holds these words."}  # noqa: RUF012
    SCROLLS = False

    def build(self) -> None:
        self.head(tr("Help"), tr("Everything here is on this computer; no page opens the internet."))
        self.search = QLineEdit()
        self.search.setAccessibleName(tr("Search the help"))
        self.search.setPlaceholderText(tr("Search"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Help pages"))
        self.list.setMinimumWidth(200)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setWordWrap(True)
        self.list.ensurePolished()  # else a page asked for at once lays the lines out without the theme's padding
        self.list.currentItemChanged.connect(lambda item, _old: self._show(item))
        self.text = HelpText("body")
        self.text.page_asked.connect(self.show_page)
        left, right = Section(), Section()
        left.setAccessibleName(tr("Help pages"))
        right.setAccessibleName(tr("Help text"))
        left.add(column(self.search, self.list))
        right.add(self.text)
        left.setMaximumWidth(340)
        line = row(left, right, gap=2)
        line.setStretch(1, 1)
        self.body.addLayout(line, 1)
        for name in (PAGES[0], *GUIDES, *PAGES[1:]):
            title = page_title(name)
            if title:
                item = QListWidgetItem(title)
                item.setData(Qt.ItemDataRole.UserRole, name)
                self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _show(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.text.show_text(page_text(item.data(Qt.ItemDataRole.UserRole)))

    def show_page(self, name: str) -> None:
        for number in range(self.list.count()):
            if self.list.item(number).data(Qt.ItemDataRole.UserRole) == name:
                self.list.setCurrentRow(number)

    def _search(self, words: str) -> None:
        low = words.lower()
        for number in range(self.list.count()):
            item = self.list.item(number)
            item.setHidden(bool(low) and low not in page_words(item.data(Qt.ItemDataRole.UserRole)))
