"""Text cut into what a reader calls characters (grapheme clusters), so that masks never split one.

A small reading of Unicode's rules (UAX 29): combining marks, joiners, variation selectors, emoji modifiers,
flag pairs and Hangul syllables stay with their base. Names and addresses need no more.
"""

from __future__ import annotations

import unicodedata

ZERO_WIDTH_JOINER = "\u200d"
FIRST_COMBINING = "\u0300"  # below it every code point but CR LF is a character of its own


def graphemes(text: str) -> tuple[str, ...]:
    text = unicodedata.normalize("NFC", text)
    if all(sign < FIRST_COMBINING for sign in text) and "\r\n" not in text:
        return tuple(text)
    found: list[str] = []
    flags = 0  # regional indicators at the end of the current cluster
    for sign in text:
        if found and _joins(found[-1], sign, flags):
            found[-1] += sign
        else:
            found.append(sign)
            flags = 0
        flags = flags + 1 if _is_flag_half(sign) else 0
    return tuple(found)


def _joins(cluster: str, sign: str, flags: int) -> bool:
    last = cluster[-1]
    if last == "\r" and sign == "\n":
        return True
    if last in "\r\n":
        return False
    if sign == ZERO_WIDTH_JOINER or unicodedata.category(sign) in ("Mn", "Me", "Mc") or _is_modifier(sign):
        return True
    if last == ZERO_WIDTH_JOINER and unicodedata.category(sign) == "So":
        return True
    if _is_flag_half(sign):
        return flags == 1
    return _hangul_joins(last, sign)


def _is_flag_half(sign: str) -> bool:
    return "\U0001f1e6" <= sign <= "\U0001f1ff"


def _is_modifier(sign: str) -> bool:
    return "\U0001f3fb" <= sign <= "\U0001f3ff" or "\U000e0020" <= sign <= "\U000e007f"


def _hangul_joins(last: str, sign: str) -> bool:
    """Leading consonant + vowel + final consonant, and precomposed syllables that still lack the final."""
    before, after = _hangul_kind(last), _hangul_kind(sign)
    return (before, after) in {
        ("L", "L"), ("L", "V"), ("L", "LV"), ("L", "LVT"), ("V", "V"), ("V", "T"),
        ("LV", "V"), ("LV", "T"), ("LVT", "T"), ("T", "T"),
    }  # fmt: skip


def _hangul_kind(sign: str) -> str:
    if "\u1100" <= sign <= "\u115f":
        return "L"
    if "\u1160" <= sign <= "\u11a7":
        return "V"
    if "\u11a8" <= sign <= "\u11ff":
        return "T"
    if "\uac00" <= sign <= "\ud7a3":
        return "LV" if (ord(sign) - 0xAC00) % 28 == 0 else "LVT"
    return ""


def display_width(text: str) -> int:
    """Columns a terminal needs: wide East Asian characters take two, combining marks none."""
    width = 0
    for cluster in graphemes(text):
        wide = any(unicodedata.east_asian_width(sign) in "WF" for sign in cluster)
        width += 2 if wide else (0 if unicodedata.category(cluster[0]) in ("Mn", "Me") else 1)
    return width
