"""Values as sets of short pieces: what Bloom filters and SimHash signatures are made of.

Nothing here is fitted on data, so both parties make the same pieces.
"""

from __future__ import annotations

from pprl_desktop.records.fields import FieldKind

PAD = "\x02"  # marks the two ends of a value; cleaning lets no control character through
NEAR = 2  # numbers this far apart still share pieces

# pieces an ordinary value has, by kind: sets how many bits each piece may take
TYPICAL_PIECES: dict[FieldKind, int] = {"name": 8, "text": 16, "date": 12, "id": 10, "number": 12, "category": 6}


def pieces(value: str, kind: FieldKind) -> list[str]:
    """The distinct pieces of a value, in a fixed order."""
    if kind == "date":
        made = _date(value)
    elif kind == "number":
        made = _number(value)
    elif kind == "id":
        made = _grams(value) + _places(value)
    else:
        made = _grams(value)
    return list(dict.fromkeys(made))


def _grams(value: str) -> list[str]:
    padded = f"{PAD}{value}{PAD}"
    return [padded[start : start + 2] for start in range(len(padded) - 1)]


def _places(value: str) -> list[str]:
    """Characters with their place: 12 and 21 share nothing."""
    return [f"{place}:{sign}" for place, sign in enumerate(value)]


def _date(value: str) -> list[str]:
    """Digits with their place, and the year, the month and the day as wholes: one wrong digit costs about a quarter."""
    digits = "".join(sign for sign in value if sign.isdigit())
    if len(digits) != 8:
        return _grams(value)
    year, month, day = digits[:4], digits[4:6], digits[6:]
    return [*_places(digits), f"y{year}", f"m{month}", f"d{day}", f"md{month}{day}"]


def _number(value: str) -> list[str]:
    """Neighbouring numbers share pieces (Vatsalan and Christen 2016), and so do numbers with a mistyped digit."""
    try:
        number = float(value)
    except ValueError:
        return _grams(value)
    if not number.is_integer() or abs(number) > 1e15:
        return _grams(value)
    whole = int(number)
    near = [f"n{other}" for other in range(whole - NEAR, whole + NEAR + 1)]
    return [*near, f"n={whole}", *_places(str(whole)[::-1])]
