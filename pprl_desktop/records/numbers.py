"""Numbers as people and programs write them, brought to one form: 1986.0, 1986 and 1.986,0 alike."""

from __future__ import annotations

import re

_GROUPED_COMMA = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")  # 1,234.5
_GROUPED_DOT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]*)?")  # 1.234,5
_GROUPED_OTHER = re.compile(r"[0-9]{1,3}(?:[ '][0-9]{3})+(?:[.,][0-9]*)?")  # 1 234,5 and 1'234.5
_PLAIN = re.compile(r"[0-9]*[.,]?[0-9]*")


def plain_number(text: str) -> str:
    """Digits with a decimal point, no leading zeros, no empty decimals; what is not a number comes back unchanged.

    One comma followed by three digits (1,234) is read as a decimal comma, as 1.234 is read as a decimal point:
    which of the two was meant cannot be known, but both sides get the same text.
    """
    sign, body = ("-", text[1:]) if text.startswith(("-", "−")) else ("", text.removeprefix("+"))
    body = body.strip()
    if not body.isascii() or not any(char.isdigit() for char in body):
        return text
    if _GROUPED_OTHER.fullmatch(body):
        body = body.replace(" ", "").replace("'", "").replace(",", ".")
    elif _GROUPED_COMMA.fullmatch(body) and (body.count(",") > 1 or "." in body):
        body = body.replace(",", "")
    elif _GROUPED_DOT.fullmatch(body) and (body.count(".") > 1 or "," in body):
        body = body.replace(".", "").replace(",", ".")
    elif _PLAIN.fullmatch(body):
        body = body.replace(",", ".")
    else:
        return text
    whole, _, decimals = body.partition(".")
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    number = f"{whole}.{decimals}" if decimals else whole
    return number if number == "0" else sign + number
