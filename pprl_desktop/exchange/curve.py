"""Is a 32-byte string a sound Ed25519 public key? Canonical, on the curve, of the full prime order.

`cryptography` accepts keys of small order, with which one signature fits many messages. Plain integers are fast
enough for one check per key; the cards of all contacts are read with every file.
"""

from __future__ import annotations

from functools import lru_cache

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493  # order of the base point
_D = -121665 * pow(121666, -1, _P) % _P
_SQRT_MINUS_1 = pow(2, (_P - 1) // 4, _P)

Point = tuple[int, int, int, int]  # extended coordinates (X, Y, Z, T), RFC 8032 section 5.1.4
_NEUTRAL: Point = (0, 1, 1, 0)


@lru_cache(1024)
def is_sound(key: bytes) -> bool:
    if len(key) != 32:
        return False
    point = _decode(key)
    return point is not None and not _is_neutral(point) and _is_neutral(_times(_L, point))


def _decode(key: bytes) -> Point | None:
    """RFC 8032 section 5.1.3; None if not canonical or not on the curve."""
    number = int.from_bytes(key, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= _P:
        return None
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if v * x * x % _P == -u % _P:
        x = x * _SQRT_MINUS_1 % _P
    if v * x * x % _P != u or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(p: Point, q: Point) -> Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(number: int, point: Point) -> Point:
    result = _NEUTRAL
    while number:
        if number & 1:
            result = _add(result, point)
        point = _add(point, point)
        number >>= 1
    return result


def _is_neutral(point: Point) -> bool:
    return point[0] % _P == 0 and (point[1] - point[2]) % _P == 0
