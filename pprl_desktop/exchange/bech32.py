"""Bech32 (BIP 173) without the length limit, as age writes its keys."""

from __future__ import annotations

_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def encode(prefix: str, data: bytes) -> str:
    """Lower case; an age secret key is this in upper case."""
    prefix = prefix.lower()
    values = _regroup(data, 8, 5, pad=True)
    check = _polymod(_expand(prefix) + values + [0] * 6) ^ 1
    values += [(check >> 5 * (5 - i)) & 31 for i in range(6)]
    return prefix + "1" + "".join(_ALPHABET[v] for v in values)


def decode(text: str) -> tuple[str, bytes]:
    """(prefix in lower case, data); ValueError if the text is not Bech32."""
    if text.lower() != text and text.upper() != text:
        raise ValueError("mixed case")
    text = text.lower()
    prefix, mark, rest = text.rpartition("1")
    if not mark or not prefix or len(rest) < 6 or any(c not in _ALPHABET for c in rest):
        raise ValueError("not Bech32")
    values = [_ALPHABET.index(c) for c in rest]
    if _polymod(_expand(prefix) + values) != 1:
        raise ValueError("wrong checksum")
    return prefix, bytes(_regroup(values[:-6], 5, 8, pad=False))


def _expand(prefix: str) -> list[int]:
    return [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix]


def _polymod(values: list[int]) -> int:
    check = 1
    for value in values:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for i, generator in enumerate(_GENERATOR):
            check ^= generator if (top >> i) & 1 else 0
    return check


def _regroup(data: bytes | list[int], width: int, new_width: int, *, pad: bool) -> list[int]:
    held = bits = 0
    out: list[int] = []
    for value in data:
        held = (held << width) | value
        bits += width
        while bits >= new_width:
            bits -= new_width
            out.append((held >> bits) & ((1 << new_width) - 1))
        held &= (1 << bits) - 1
    if pad:
        if bits:
            out.append((held << (new_width - bits)) & ((1 << new_width) - 1))
    elif bits >= width or held:
        raise ValueError("wrong padding")
    return out
