"""A table and a linkage schema -> CLKs (cryptographic long-term keys), equal to clkhash's to the bit.

A feature's bits depend on its value alone, so each distinct value is hashed once; a record's CLK is the union over its
features, folded in half as often as the schema says.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.base import Bytes, Decided, Part, Smashed
from pprl_desktop.interchange.clk_schema import Exact, Feature, Ngrams, Numeric, Schema
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.table import Column, Table
from pprl_desktop.said import Said

METHOD = "clk"
EVERY = 500  # values between two looks at the Cancel button
_SHORTS = 32  # numbers of 16 bits in one BLAKE2b digest


@dataclass(frozen=True, eq=False)
class Encoded:
    """Filters of each hashed feature, by distinct value, before they are united and folded. `rows` -1: no value."""

    names: tuple[str, ...]
    filters: tuple[Bytes, ...]  # [values, bytes] per feature
    codes: tuple[npt.NDArray[np.int32], ...]  # row -> value, per feature
    folds: int
    wrong: Mapping[str, int]  # feature -> values that do not have the form of the schema; they are hashed as missing

    @property
    def rows(self) -> int:
        return len(self.codes[0])

    def smashed(self) -> Smashed:
        """One CLK per row, in the order of the table."""
        return smashed_of(self._folded(_union(self._of_rows(slice(None)))))

    def decided(self, rows: npt.NDArray[np.int64]) -> Decided:
        """Which bits of these records' CLKs each feature decides: they would be others without it."""
        each = self._of_rows(rows)
        code = self._folded(_union(each))
        without = [self._folded(_union([*each[:at], *each[at + 1 :]], like=each[at])) for at in range(len(each))]
        missing = np.stack([~np.asarray(one.any(axis=1)) for one in each], axis=1)
        return Decided(code, np.stack([code ^ one for one in without]), missing)

    def _of_rows(self, rows: Any) -> list[Bytes]:
        return [filters[codes[rows]] for filters, codes in zip(self.filters, self.codes, strict=True)]

    def _folded(self, filters: Bytes) -> Bytes:
        for _ in range(self.folds):
            half = filters.shape[1] // 2
            filters = filters[:, :half] ^ filters[:, half:]
        return filters


def encode(
    table: Table, schema: Schema, secret: bytes, columns: Mapping[str, str], progress: Progress = NO_PROGRESS
) -> Encoded:
    """`columns` names the own column of each feature that is called differently."""
    own_keys = keys(schema, secret)
    length = schema.bits << schema.folds
    names, filters, codes, wrong = [], [], [], {}
    for at, feature in enumerate(schema.features):
        part = progress.part(at / len(schema.features), (at + 1) / len(schema.features))
        if feature.format is not None:
            column = table.column(columns.get(feature.name, feature.name))
            made, unfit = _of_values(column, feature, own_keys[at], length, part)
            names.append(feature.name)
            filters.append(made)
            codes.append(np.where(column.codes < 0, len(made) - 1, column.codes).astype(np.int32))
            if unfit:
                wrong[feature.name] = unfit
    progress.at(1.0)
    return Encoded(tuple(names), tuple(filters), tuple(codes), schema.folds, wrong)


def must_fit(encoded: Encoded, schema: Schema) -> None:
    """As the package does: a value of another form is refused before anything is written."""
    for feature in schema.hashed:
        if n := encoded.wrong.get(feature.name, 0):
            raise Problem(
                Said(
                    "{n|One value|{n} different values} of '{feature}' {n|does|do} not have the form that the schema "
                    "asks for.",
                    n=n,
                    feature=feature.name,
                ),
                "clkhash would refuse the file: two sides that hash other forms find nobody.",
                Said(
                    "Bring the column into the form of the schema ({form}), or agree on another schema.",
                    form=_form(feature),
                ),
                place=feature.name,
            )


def smashed_of(filters: Bytes) -> Smashed:
    """Rows of packed bits as smashed data: distinct ones once; a record without a bit says nothing."""
    values, rows = np.unique(filters, axis=0, return_inverse=True)
    rows = rows.reshape(-1)
    some = np.asarray(values.any(axis=1))
    codes = np.where(some[rows], rows, -1).astype(np.int32)
    return Smashed(METHOD, len(filters), (Part("record", "", "bits", "value", codes, values),))


def _union(each: Sequence[Bytes], like: Bytes | None = None) -> Bytes:
    made = np.zeros_like(each[0] if like is None else like)
    for one in each:
        made |= one
    return made


def keys(schema: Schema, secret: bytes) -> tuple[tuple[bytes, bytes], ...]:
    """Two keys per feature by HKDF (RFC 5869); ignored features count."""
    name = schema.hash.lower()
    size = hashlib.new(name).digest_size
    start = hmac.new(schema.salt or bytes(size), secret, name).digest()
    wanted, out, block, counter = 2 * len(schema.features) * schema.key_size, b"", b"", 1
    while len(out) < wanted:
        block = hmac.new(start, block + (schema.info or b"") + bytes([counter]), name).digest()
        out, counter = out + block, counter + 1
    cut = [out[at * schema.key_size : (at + 1) * schema.key_size] for at in range(2 * len(schema.features))]
    return tuple(zip(cut[::2], cut[1::2], strict=True))


def _of_values(
    column: Column, feature: Feature, pair: tuple[bytes, bytes], length: int, progress: Progress
) -> tuple[Bytes, int]:
    """A row of packed bits per distinct value and an empty one for none; how many values do not fit the format."""
    made = np.zeros((len(column.values) + 1, length // 8), np.uint8)
    wrong = 0
    for at, value in enumerate(column.values.tolist()):
        if at % EVERY == 0:
            progress.at(at / max(len(column.values), 1), Said("Hashing {feature}", feature=feature.name))
        text = formatted(str(value), feature)
        wrong += text is None
        bits = bits_of(text or "", feature, pair, length)
        if len(bits):
            flags = np.zeros(length, np.uint8)
            flags[bits] = 1
            made[at] = np.packbits(flags)
    return made, wrong


def formatted(value: str, feature: Feature) -> str | None:
    """The text that is hashed; None where the value does not fit the format."""
    form = feature.format
    assert form is not None
    if feature.sentinel is not None and value == feature.sentinel:
        return feature.replace_with if feature.replace_with is not None else value
    try:
        value.encode(form.encoding)
        match form.kind:
            case "date":
                return datetime.strptime(value, form.date).strftime("%Y%m%d")
            case "integer":
                number = int(value, base=10)
                inside = (form.least is None or number >= form.least) and (form.most is None or number <= form.most)
                return str(number) if inside else None
            case "enum":
                return value if value in form.values else None
    except ValueError:  # UnicodeEncodeError is one
        return None
    if form.pattern is not None:
        return value if form.pattern.fullmatch(value) else None
    if (form.least is not None and len(value) < form.least) or (form.most is not None and len(value) > form.most):
        return None
    cased = {"upper": value.upper(), "lower": value.lower(), "mixed": value}[form.case]
    return value if cased == value else None


def tokens(text: str, comparison: Ngrams | Exact | Numeric) -> list[str]:
    if not text:
        return []
    match comparison:
        case Exact():
            return [text]
        case Ngrams(n, positional):
            padded = " " * (n - 1) + text + " " * (n - 1) if n > 1 else text
            grams = [padded[at : at + n] for at in range(len(padded) - n + 1)]
            return [f"{at} {gram}" for at, gram in enumerate(grams, start=1)] if positional else grams
    return _neighbourhood(text, comparison)


def _neighbourhood(text: str, wanted: Numeric) -> list[str]:
    """Numbers around the value on a common grid; whole numbers exactly, others to the digits kept."""
    scale = 10**wanted.precision
    try:
        value = int(text, base=10) * scale
    except ValueError:
        as_float = float(text)
        value = round(as_float * scale) if wanted.precision else int(as_float)
    value *= 2 * wanted.resolution
    over = value % wanted.interval
    if over:
        value += -over if over < wanted.interval / 2 else wanted.interval - over
    around = range(-wanted.resolution, wanted.resolution + 1)
    return [str(value + step * wanted.interval) for step in around]


def bits_of(text: str, feature: Feature, pair: tuple[bytes, bytes], length: int) -> list[int]:
    """Places in the filter that the tokens of one value set."""
    found = tokens(text, feature.comparison)
    if not found:
        return []
    each, more = divmod(feature.bits_per_feature, len(found)) if feature.bits_per_feature else (0, 0)
    hashed: Any = _blake if feature.hash == "blakeHash" else _double
    encoding = feature.format.encoding if feature.format else "utf-8"
    out: list[int] = []
    for at, token in enumerate(found):
        count = feature.bits_per_token or each + (at < more)
        out += hashed(token.encode(encoding), count, pair, length, feature.non_singular)
    return out


def _blake(token: bytes, count: int, pair: tuple[bytes, bytes], length: int, _: bool) -> list[int]:
    """Independent places: the digest of BLAKE2b cut into numbers of 16 bits."""
    out: list[int] = []
    for counter in range((count + _SHORTS - 1) // _SHORTS):
        digest = hashlib.blake2b(token, key=pair[0], salt=str(counter).encode()).digest()
        out += (np.frombuffer(digest, "<u2") % length).tolist()
    return out[:count]


def _double(token: bytes, count: int, pair: tuple[bytes, bytes], length: int, non_singular: bool) -> list[int]:
    """g_i = h_1 + i h_2 (Schnell, Bachteler and Reiher 2011); with h_2 = 0 all places are one, unless prevented."""
    first = int.from_bytes(hmac.new(pair[0], token, "sha1").digest(), "big") % length
    second = int.from_bytes(hmac.new(pair[1], token, "md5").digest(), "big") % length
    again = 0
    while non_singular and second == 0:
        second = int.from_bytes(hmac.new(pair[1], token + chr(again).encode(), "md5").digest(), "big") % length
        again += 1
    return [(first + step * second) % length for step in range(count)]


def _form(feature: Feature) -> str:
    form = feature.format
    assert form is not None
    match form.kind:
        case "date":
            return form.date
        case "integer":
            return "integer" + (f", {form.least} … {form.most}" if form.least is not None or form.most else "")
        case "enum":
            return ", ".join(sorted(form.values)[:8])
    if form.pattern is not None:
        return form.pattern.pattern[:60]
    lengths = f", {form.least or 0} … {form.most}" if form.most is not None else ""
    return f"{form.case}{lengths}, {form.encoding}"
