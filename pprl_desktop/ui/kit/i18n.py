"""Every text on the screen passes through tr(): English is the source, other languages are catalogues.

A catalogue is resources/i18n/<language>.json, {English: translation}, with the same {placeholders}; sentences that
the core makes, with values already filled in, are recognised by the patterns in <language>-core.json.
The pseudo-locale makes every text about 40 % longer, to prove that layouts survive.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from pprl_desktop import languages, resources
from pprl_desktop.said import ENGLISH, PLACE, Language, Said

LANGUAGES = languages.NAMES
PSEUDO = "pseudo"

MOST_PIECES = 6  # neighbouring sentences that are looked up as one

_catalogue: dict[str, str] = {}
_core: dict[str, str] = {}  # the part of it that the core's sentences need
_patterns: list[tuple[re.Pattern[str], str, frozenset[str]]] = []  # the last: values in quotes, which are names
_state = {"language": "en"}
_now: dict[str, Language] = {"language": ENGLISH}
_WORDLESS = re.compile(rf"(?:{PLACE.pattern}|\W)*")
_NUMBER = re.compile(r"[+-]?\d[\d,]*(\.\d+)?( ?%)?")
_DECIMALS = str.maketrans(",.", ".,")
_LIST = re.compile(r"(, |; | · | \((?=[^)]*\))|\): |: )")
_ACCENTS = str.maketrans("aeiouAEIOU", "áéíóúÁÉÍÓÚ")


def tr(text: str, **values: Any) -> str:
    """The text in the steward's language, with its values filled in."""
    return Said(text, **values).words(_now["language"])


def tr_n(one: str, many: str, n: int, **values: Any) -> str:
    """English has two forms; a language with more writes them into its translation: {n|…|…|…}."""
    return tr(one if n == 1 else many, n=n, **values)


def tr_core(text: Said | str) -> str:
    """A sentence made by the core (problems, statements): values inside it are kept, the words translated."""
    if isinstance(text, Said):
        known = _state["language"] in ("en", PSEUDO) or text.template in _catalogue
        return text.words(_now["language"]) if known or _WORDLESS.fullmatch(text.template) else tr_core(str(text))
    if _state["language"] == "en" or not text:
        return text
    if _state["language"] == PSEUDO:
        return _pseudo(text)
    return "\n".join(_sentences(line) for line in text.split("\n"))


def _sentences(text: str) -> str:
    """Sentence by sentence; one that is known only together with its neighbours is taken with them."""
    pieces, made, place = re.split(r"(?<=[.;!?]) ", text), [], 0
    while place < len(pieces):
        best: tuple[int, Found] | None = None
        for end in range(place + 1, min(place + MOST_PIECES, len(pieces)) + 1):
            found = _known(" ".join(pieces[place:end]))
            if found is not None and (best is None or found.whole):
                best = end, found
            if found is not None and found.whole:
                break
        end, words = (best[0], best[1].text) if best is not None else (place + 1, _by_parts(pieces[place]))
        made.append(words)
        place = end
    return " ".join(made)


class Found(NamedTuple):
    text: str
    whole: bool  # no part of it was left in English


@lru_cache(maxsize=2000)
def _known(text: str) -> Found | None:
    """By the first pattern that leaves nothing untranslated, else by the first that fits."""
    if text in _catalogue:
        return Found(_catalogue[text], True)
    fitting: Found | None = None
    for pattern, translation, quoted in _patterns:
        found = pattern.fullmatch(text)
        if found is not None:
            values = {n: Found(v, True) if n in quoted else _value(v) for n, v in found.groupdict().items()}
            words = translation.format(**{name: value.text for name, value in values.items()})
            made = Found(words, all(value.whole for value in values.values()))
            if made.whole:
                return made
            fitting = fitting or made
    return fitting


def _value(text: str) -> Found:
    """What stands in a sentence: a number, a phrase of the core, a list of such, or something to leave alone."""
    if _NUMBER.fullmatch(text):
        return Found(text.translate(_DECIMALS), True)
    known = _known(text) if text not in _catalogue or text in _core else None
    if known is not None and known.whole:
        return known
    parts = _LIST.split(text)
    if len(parts) > 1:
        made = [Found(part, True) if at % 2 else _phrase(part) for at, part in enumerate(parts)]
        whole = all(part.whole for part in made)
        if whole or known is None:
            return Found("".join(part.text for part in made), whole)
    return known or Found(text, _may_stay(text))


def _phrase(text: str) -> Found:
    if text in _core:
        return Found(_core[text], True)
    known = _known(text) if " " in text and text not in _catalogue else None
    return known or Found(text, _may_stay(text))


def _may_stay(text: str) -> bool:
    """A name, a unit or a number is the same in every language; several words in a row are a sentence's."""
    return text.count(" ") < 2


def _by_parts(sentence: str) -> str:
    """An enumeration such as "one character differs, 4 characters are the same", if every part is known."""
    end = sentence[-1:] if sentence[-1:] in ".;" else ""
    field, colon, rest = sentence.removesuffix(end).partition(": ")
    parts = (rest if colon else field).split(", ")
    made = [_known(part) for part in parts]
    if any(part is None for part in made):
        return sentence
    return f"{field}{colon}" * bool(colon) + ", ".join(part.text for part in made if part is not None) + end


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
    _catalogue.clear()
    _core.clear()
    _patterns.clear()
    _known.cache_clear()
    if chosen not in ("en", PSEUDO):
        core = _read(f"{chosen}-core")
        _core.update(core)
        _catalogue.update(core)
        _catalogue.update(_read(chosen))
        _patterns.extend(_compiled(core))
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


def _read(name: str) -> dict[str, str]:
    path = resources.root() / "i18n" / f"{name}.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def _compiled(catalogue: Mapping[str, str]) -> list[tuple[re.Pattern[str], str, frozenset[str]]]:
    made = []
    for source, translation in catalogue.items():
        names = re.findall(r"{(\w+)}", source)
        if not names or len(set(names)) != len(names):
            continue
        parts = re.split(r"{\w+}", source)
        if len("".join(parts).replace(" ", "")) < 5:
            continue  # too little fixed text to recognise a sentence by
        expression = re.escape(parts[0]) + "".join(
            f"(?P<{name}>.+?){re.escape(part)}" for name, part in zip(names, parts[1:], strict=True)
        )
        quoted = frozenset(re.findall(r"'{(\w+)}'", source))
        made.append((re.compile(expression, re.DOTALL), translation, quoted))
    return sorted(made, key=lambda item: (-len(re.sub(r"\(\?P.*?\)", "", item[0].pattern)), item[0].groups))


def _pseudo(text: str) -> str:
    """Accents outside placeholders and tags, and 40 % more length."""
    pieces = re.split(r"({\w+[^}]*}|<[^>]+>|&\w+;|&)", text)
    accented = "".join(p if i % 2 else p.translate(_ACCENTS) for i, p in enumerate(pieces))
    letters = sum(len(p) for p in pieces[::2])
    more = max(1, round(letters * 0.4) - 2)
    padding = "~" * more if letters < 24 else " ~~~~~" * max(1, more // 6)  # long texts must still be able to wrap
    return f"[{accented}{padding}]" if letters > 1 else accented
