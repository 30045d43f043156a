"""Every text on the screen passes through tr(): English is the source, other languages are catalogues.

A catalogue is resources/i18n/<language>.json, {English: translation}, with the same {placeholders}, for the window's
own texts and for the sentences of the core, which arrive as values (said.py). The pseudo-locale makes every text
about 40 % longer, to prove that layouts survive.
"""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from pprl_desktop import languages
from pprl_desktop.said import ENGLISH, Language, Said

LANGUAGES = languages.NAMES
PSEUDO = "pseudo"

_state = {"language": "en"}
_now: dict[str, Language] = {"language": ENGLISH}
_ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")


def tr(text: str, **values: Any) -> str:
    """The text in the steward's language, with its values filled in."""
    return Said(text, **values).words(_now["language"])


def tr_n(one: str, many: str, n: int, **values: Any) -> str:
    """English has two forms; a language with more writes them into its translation: {n|…|…|…}."""
    return tr(one if n == 1 else many, n=n, **values)


def tr_core(text: Said | str) -> str:
    """A sentence made by the core, in the steward's language; somebody's own words and names stay as they are."""
    return text if isinstance(text, str) else text.words(_now["language"])


def reading() -> Language:
    """The reader's language: for whoever writes a page in it."""
    return _now["language"]


def language() -> str:
    return _state["language"]


def locale() -> QLocale:
    return QLocale("de_DE" if _state["language"] == "de" else "en_GB")


def number(value: float, decimals: int = 0) -> str:
    return _now["language"].number(value if decimals else int(value), decimals)


def system_language() -> str:
    code = QLocale.system().name()[:2]
    return code if code in LANGUAGES else "en"


def install(app: QApplication | None, code: str) -> None:
    """Load a catalogue, and Qt's own words (file dialogs, context menus) in the same language."""
    chosen = system_language() if code == "system" else code
    _state["language"] = chosen
    _now["language"] = Language(spoken=_pseudo) if chosen == PSEUDO else languages.language(chosen)
    if app is None:
        return
    old = app.property("qt_words")
    if isinstance(old, QTranslator):
        app.removeTranslator(old)
    words = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if chosen not in ("en", PSEUDO) and words.load(f"qtbase_{chosen}", folder):
        app.installTranslator(words)
        app.setProperty("qt_words", words)
    QLocale.setDefault(locale())


def _pseudo(text: str) -> str:
    """Accents outside placeholders and tags, and 40 % more length."""
    pieces = re.split(r"({\w+[^}]*}|<[^>]+>|&\w+;|&)", text)
    accented = "".join(p if i % 2 else p.translate(_ACCENTS) for i, p in enumerate(pieces))
    letters = sum(len(p) for p in pieces[::2])
    more = max(1, round(letters * 0.4) - 2)
    padding = "~" * more if letters < 24 else " ~~~~~" * max(1, more // 6)  # long texts must still be able to wrap
    return f"[{accented}{padding}]" if letters > 1 else accented
