"""Names of organisations: that they show as what they are, and which two could be taken for each other.

The Unicode consortium's reports 36 and 39 describe the traps: characters without ink, letters of another alphabet
that look like ours, styled copies of the Latin letters.
"""

from __future__ import annotations

import re
import unicodedata

from pprl_desktop.exchange import strict
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

MAX_NAME = 80  # characters
MOST_MARKS = 3  # accents on one letter; more of them cover the lines above and below

_STYLED = ("<wide>", "<font>", "<circle>", "<square>")  # decompositions that are a plain letter in costume
# writing that stands within words of another alphabet; a word in two others is a trap, since some letters look alike
_GUESTS = ("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "MODIFIER",
           "FEMININE", "MASCULINE", "MICRO", "DIGIT")  # fmt: skip

# letters of these alphabets, and digits, that look like a plain Latin letter
_LOOKALIKES = str.maketrans(
    dict(
        zip(
            "авсԁеһіјкӏмнпорԛѕтуѵԝхүьԍАВСЕНІЈКМОРЅТУХѴԌ" + "αικνορτυχωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϺ" + "ɑɡı01|!"
            "օոսհցզքաՕՍՏԼՈ" + "ⲁⲃⲉⲏⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬ" + "ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᏀᏂᏃᏏᏒᏔᏙᏚᏞᏟᏢᏦᏴᎩᏳ"
            "ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ",
            "abcdehijklmhnopqstyvwxybgABCEHIJKMOPSTYXVG" + "aikvoptuxwcjABEZHIKMNOPTYXCM" + "agiolll"
            "onuhgqpwOUSLn" + "abehikmnopctyxABEHIKMNOPCTYX" + "DRTiAJEWMHGhZbRWVSLCPKByG"
            "BPDTGKJCZFMNLSRVHWXYAEIOU",
            strict=True,
        )
    )
)


def check_name(name: str) -> str:
    """A name that shows as what it is: every character has ink, and no word mixes alphabets that look alike."""
    name = unicodedata.normalize("NFC", name.strip())
    if not 1 <= len(name) <= MAX_NAME:
        raise _unusable(Said("A name has 1 to {max_name} visible characters.", max_name=MAX_NAME))
    spaces = any(unicodedata.category(c) == "Zs" and c != " " for c in name)
    if spaces or not strict.shows(name):
        raise _unusable(Said("It holds a character that does not show, or a space other than the usual one."))
    if "<" in name or ">" in name:
        raise _unusable(Said("It holds a sign of markup, < or >."))
    if not any(c.isalnum() for c in name):
        raise _unusable(Said("It has neither a letter nor a digit."))
    if any(unicodedata.decomposition(c).split(" ")[0] in _STYLED for c in name):
        raise _unusable(Said("It holds a letter in costume, such as a full-width one."))
    if re.search(rf"(?:{_MARK}){{{MOST_MARKS + 1},}}", _kinds(unicodedata.normalize("NFD", name))):
        raise _unusable(Said("It has too many accents on one letter."))
    if any(len(_alphabets(word)) > 1 for word in re.split(r"[\s\W_]+", name)):
        raise _unusable(Said("A word of it mixes alphabets whose letters look alike."))
    return name


def alike(one: str, other: str) -> bool:
    """Whether one name could be taken for the other: by case, accents, signs, or letters that look the same."""
    return skeleton(one) == skeleton(other)


_MARK = "m"


def _kinds(text: str) -> str:
    return "".join(_MARK if unicodedata.category(c)[0] == "M" else "." for c in text)


def _alphabets(word: str) -> set[str]:
    found = {unicodedata.name(c, "").split(" ")[0] for c in word if c.isalpha() or c.isdecimal()}
    return found - set(_GUESTS)


# a letter that is a plain one in another size, or with a stroke or hook on it: small capitals, l with a bar
_VARIANT = re.compile(
    r"LATIN (?:SMALL |CAPITAL )?LETTER (?:SMALL CAPITAL |DOTLESS |LONG |SCRIPT |INSULAR )?([A-Z])(?: WITH .*)?"
)
# letters that look like one of another name, and strokes that hardly show
_ODD = str.maketrans(
    {**dict(zip("ǀǃɩƖꞁƅƄᴦꟾ×", "lliilbbrlx", strict=True)), **dict.fromkeys("ˇꞌꞋꞏ", "")}
)  # fmt: skip


def _plain(sign: str) -> str:
    name = "" if sign.isascii() else unicodedata.name(sign, "")
    if name.startswith("MODIFIER LETTER"):
        return ""
    found = _VARIANT.fullmatch(name)
    return found[1].lower() if found else sign


def skeleton(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name.translate(_LOOKALIKES))  # before: the lunate sigma becomes another
    plain = unicodedata.normalize("NFKD", plain).translate(_LOOKALIKES).casefold()
    letters = "".join(_plain(c) for c in plain.translate(_LOOKALIKES).translate(_ODD) if c.isalnum())
    return letters.replace("rn", "m").replace("vv", "w").replace("i", "l")


def _unusable(why: Said | str) -> Problem:
    return Problem("The name cannot be used.", why, "Use the name of your organisation.", place="name")
