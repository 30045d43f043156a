"""A linkage schema of version 3 as clkhash reads it: checked before use, every refusal names the place.

Nothing in the file is believed: sizes have limits, a pattern that could run for ever is refused, an unknown entry of a
feature is refused by its name. Outside the features the package passes over what it does not know without a word (the
example schemas of the CODI tools carry `k` and `hash` of an earlier version there), and over `xorFolds`, which its
documentation names and its loader does not read (it reads `xor_folds`). We read what the package reads, and warn.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said

LONGEST = 1 << 20  # bytes of a schema file
MOST_FEATURES = 64
MOST_BITS = 1 << 16  # of a filter before folding
MOST_FOLDS = 6
MOST_BITS_SET = 2_000  # per token or feature: a filter that is all ones says nothing
MOST_TOKENS = 1_000  # of a number's neighbourhood
MOST_DIGITS = 12  # behind the point
MOST_UNREAD = 5  # entries named in a warning
KEY_SIZES = range(1, 1025)
BLAKE_KEY = 64  # bytes: the longest key that BLAKE2b takes
ENCODINGS = ("utf-8", "ascii", "latin-1", "utf-16", "utf-32", "cp1252")
# a quantifier behind a group that holds a quantifier takes exponential time on a value made for it
_RISKY = re.compile(r"\([^()]*[*+}][^()]*\)\s*[*+{]")

HashType = Literal["blakeHash", "doubleHash"]


@dataclass(frozen=True)
class Ngrams:
    n: int
    positional: bool = False


@dataclass(frozen=True)
class Exact:
    pass


@dataclass(frozen=True)
class Numeric:
    """A number's neighbourhood (Vatsalan and Christen 2015): close numbers share tokens."""

    interval: int  # threshold distance in units of the last digit kept
    resolution: int
    precision: int = 0


@dataclass(frozen=True)
class Format:
    """What a value must look like; the package checks it and changes nothing but dates and integers."""

    kind: Literal["string", "integer", "date", "enum"]
    case: Literal["upper", "lower", "mixed"] = "mixed"
    least: int | None = None  # length of a string, value of an integer
    most: int | None = None
    pattern: re.Pattern[str] | None = None
    date: str = ""  # as strptime reads it
    values: frozenset[str] = frozenset()
    encoding: str = "utf-8"


@dataclass(frozen=True)
class Feature:
    name: str
    format: Format | None  # None: the column is there and ignored
    comparison: Ngrams | Exact | Numeric = field(default_factory=Exact)
    bits_per_token: int = 0
    bits_per_feature: int = 0  # one of the two is set
    hash: HashType = "blakeHash"
    non_singular: bool = False
    sentinel: str | None = None  # what a missing value looks like
    replace_with: str | None = None


@dataclass(frozen=True)
class Schema:
    features: tuple[Feature, ...]
    bits: int  # of a CLK, after folding
    folds: int = 0
    hash: Literal["SHA256", "SHA512"] = "SHA256"
    salt: bytes | None = None
    info: bytes | None = None
    key_size: int = 64
    warnings: tuple[Said, ...] = ()

    @property
    def hashed(self) -> tuple[Feature, ...]:
        return tuple(one for one in self.features if one.format is not None)


def read(path: Path) -> Schema:
    too_long = Problem("This is not a linkage schema.", "The file is too long for one.", "Choose the schema file.")
    return parse(files.read_bytes(path, LONGEST, too_long))


def parse(text: bytes | str) -> Schema:
    if (text if isinstance(text, str) else text.decode("utf-8", "replace")).count("[") > 4 * LONGEST // 100:
        raise _wrong("the file", Said("It holds too many lists."))
    try:
        plain = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Problem(
            "This is not a linkage schema.", "It is not readable as JSON.", "Ask the partner for the schema file.",
            place="schema",
        ) from error  # fmt: skip
    return from_plain(plain)


def from_plain(plain: Any) -> Schema:
    top = _group(plain, "the file", {"version", "clkConfig", "features"})
    if top["version"] != 3 or isinstance(top["version"], bool):
        raise Problem(
            Said("This schema has version {version}; this program reads version 3.", version=_shown(top["version"])),
            do="Ask the partner to convert it: 'anonlink convert-schema' writes version 3.",
            place="version",
        )
    config = _group(top["clkConfig"], "clkConfig", {"l", "kdf"})
    folds = _integer(config.get("xor_folds", 0), "xor_folds", 0, MOST_FOLDS)
    bits = _integer(config["l"], "l", 8, MOST_BITS >> folds)
    if bits % 8:
        raise _wrong("l", Said("The length of a CLK must be a multiple of 8."))
    warnings = []
    if "xorFolds" in config:
        warnings.append(
            Said("The schema says xorFolds, which clkhash does not read: the filters are folded {n} times.", n=folds)
        )
    kdf = _group(config["kdf"], "kdf", {"type"})
    unread = [
        *top.keys() - {"version", "clkConfig", "features"},
        *config.keys() - {"l", "kdf", "xor_folds", "xorFolds"},
        *kdf.keys() - {"type", "hash", "salt", "info", "keySize"},
    ]
    if unread:
        names = [_shown(name) for name in sorted(unread)[:MOST_UNREAD]]
        warnings.append(Said("The schema also says {names:and}, which clkhash does not read.", names=names))
    if kdf["type"] != "HKDF":
        raise _wrong("kdf", Said("Only HKDF is known."))
    algorithm = _one_of(kdf.get("hash", "SHA256"), "kdf.hash", ("SHA256", "SHA512"))
    key_size = _integer(kdf.get("keySize", 64), "kdf.keySize", KEY_SIZES.start, KEY_SIZES.stop - 1)
    rows = top["features"]
    if not isinstance(rows, list) or not 1 <= len(rows) <= MOST_FEATURES:
        raise _wrong("features", Said("There must be 1 to {most} of them.", most=MOST_FEATURES))
    features = tuple(_feature(row, f"features[{at}]") for at, row in enumerate(rows))
    if not any(one.format for one in features):
        raise _wrong("features", Said("All of them are ignored: nothing would be hashed."))
    if 2 * len(features) * key_size > 255 * (32 if algorithm == "SHA256" else 64):
        raise _wrong("kdf.keySize", Said("HKDF cannot derive so many keys of this size."))
    for one in features:
        if one.format and one.hash == "blakeHash" and (bits & (bits - 1) or key_size > BLAKE_KEY):
            raise _wrong("l", Said("blakeHash needs a length that is a power of two, and keys of at most 64 bytes."))
    return Schema(
        features, bits, folds, algorithm, _base64(kdf.get("salt"), "kdf.salt"), _base64(kdf.get("info"), "kdf.info"),
        key_size, tuple(warnings),
    )  # fmt: skip


def _feature(plain: Any, place: str) -> Feature:
    if isinstance(plain, dict) and plain.get("ignored") is True:
        known = _group(plain, place, {"identifier"}, {"identifier", "ignored", "format", "hashing", "description"})
        return Feature(_text(known["identifier"], f"{place}.identifier"), None)
    names = {"identifier", "format", "hashing"}
    known = _group(plain, place, names, names | {"ignored", "description"})
    hashing = _group(
        known["hashing"], f"{place}.hashing", {"comparison", "strategy"},
        {"comparison", "strategy", "hash", "missingValue"},
    )  # fmt: skip
    strategy = _group(hashing["strategy"], f"{place}.strategy", set(), {"bitsPerToken", "bitsPerFeature"})
    if len(strategy) != 1:
        raise _wrong(f"{place}.strategy", Said("Either bitsPerToken or bitsPerFeature must be given."))
    ((strategy_name, bits),) = strategy.items()
    amount = _integer(bits, f"{place}.{strategy_name}", 1, MOST_BITS_SET)
    used = _group(
        hashing.get("hash", {"type": "blakeHash"}), f"{place}.hash", {"type"}, {"type", "prevent_singularity"}
    )
    kind: Any = _one_of(used["type"], f"{place}.hash", ("blakeHash", "doubleHash"))
    if "prevent_singularity" in used and kind != "doubleHash":
        raise _wrong(f"{place}.hash", Said("prevent_singularity belongs to doubleHash only."))
    missing = hashing.get("missingValue")
    sentinel = replaced = None
    if missing is not None:
        found = _group(missing, f"{place}.missingValue", {"sentinel"}, {"sentinel", "replaceWith"})
        sentinel = _text(found["sentinel"], f"{place}.sentinel", empty=True)
        replaced = _text(found.get("replaceWith", sentinel), f"{place}.replaceWith", empty=True)
    return Feature(
        _text(known["identifier"], f"{place}.identifier"),
        _format(known["format"], f"{place}.format"),
        _comparison(hashing["comparison"], f"{place}.comparison"),
        bits_per_token=amount if strategy_name == "bitsPerToken" else 0,
        bits_per_feature=amount if strategy_name == "bitsPerFeature" else 0,
        hash=kind,
        non_singular=bool(used.get("prevent_singularity", False)),
        sentinel=sentinel,
        replace_with=replaced,
    )


def _comparison(plain: Any, place: str) -> Ngrams | Exact | Numeric:
    names = {"type", "n", "positional", "thresholdDistance", "resolution", "fractional_precision"}
    known = _group(plain, place, {"type"}, names)
    match _one_of(known["type"], place, ("ngram", "exact", "numeric")):
        case "exact":
            return Exact()
        case "ngram":
            positional = known.get("positional", False)
            if not isinstance(positional, bool):
                raise _wrong(f"{place}.positional", Said("It must be true or false."))
            return Ngrams(_integer(known.get("n"), f"{place}.n", 0, 4), positional)
    precision = _integer(known.get("fractional_precision", 0), f"{place}.fractional_precision", 0, MOST_DIGITS)
    distance = known.get("thresholdDistance")
    if isinstance(distance, bool) or not isinstance(distance, int | float) or not 0 < distance < 1e15:
        raise _wrong(f"{place}.thresholdDistance", Said("It must be a number above 0."))
    interval = round(distance * math.pow(10, precision))
    if not interval:
        raise _wrong(f"{place}.thresholdDistance", Said("It is too small for the digits that are kept."))
    return Numeric(interval, _integer(known.get("resolution"), f"{place}.resolution", 1, MOST_TOKENS // 2), precision)


def _format(plain: Any, place: str) -> Format:
    names = {"type", "description", "encoding", "case", "minLength", "maxLength", "pattern"}
    known = _group(plain, place, {"type"}, names | {"minimum", "maximum", "format", "values"})
    kind: Any = _one_of(known["type"], place, ("string", "integer", "date", "enum"))
    if kind == "date":
        return Format(kind, date=_text(known.get("format"), f"{place}.format"))
    if kind == "enum":
        values = known.get("values")
        if not isinstance(values, list) or not values or len(values) > 10_000:
            raise _wrong(f"{place}.values", Said("It must be a list of values."))
        return Format(kind, values=frozenset(_text(one, f"{place}.values", empty=True) for one in values))
    if kind == "integer":
        return Format(kind, least=_bound(known, "minimum", place), most=_bound(known, "maximum", place))
    encoding = _one_of(known.get("encoding", "utf-8"), f"{place}.encoding", ENCODINGS)
    if "pattern" in known:
        return Format(kind, pattern=_pattern(known["pattern"], f"{place}.pattern"), encoding=encoding)
    case: Any = _one_of(known.get("case", "mixed"), f"{place}.case", ("upper", "lower", "mixed"))
    return Format(
        kind, case, _bound(known, "minLength", place), _bound(known, "maxLength", place), encoding=encoding
    )  # fmt: skip


def _pattern(plain: Any, place: str) -> re.Pattern[str]:
    text = _text(plain, place)
    if len(text) > 300 or _RISKY.search(text):
        raise _wrong(place, Said("This pattern could take for ever on a value made for it."))
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise _wrong(place, Said("It is not a regular expression.")) from error


def _bound(known: dict[str, Any], name: str, place: str) -> int | None:
    return _integer(known[name], f"{place}.{name}", -(1 << 53), 1 << 53) if known.get(name) is not None else None


def _group(plain: Any, place: str, needed: set[str], known: set[str] | None = None) -> dict[str, Any]:
    """`known`: None where the package passes over what it does not know."""
    if not isinstance(plain, dict):
        raise _wrong(place, Said("It must be a group of named values."))
    for name in sorted(needed - plain.keys()):
        raise _wrong(place, Said("'{name}' is missing.", name=name))
    for name in sorted(str(key) for key in plain.keys() - (plain.keys() if known is None else known)):
        raise _wrong(place, Said("'{name}' is not known in version 3.", name=_shown(name)))
    return plain


def _integer(plain: Any, place: str, least: int, most: int) -> int:
    if isinstance(plain, bool) or not isinstance(plain, int) or not least <= plain <= most:
        raise _wrong(place, Said("It must be a whole number from {least} to {most}.", least=least, most=most))
    return plain


def _text(plain: Any, place: str, *, empty: bool = False) -> str:
    if not isinstance(plain, str) or len(plain) > 1_000 or not (plain or empty):
        raise _wrong(place, Said("It must be a text."))
    return plain


def _one_of(plain: Any, place: str, known: tuple[str, ...]) -> Any:
    if plain not in known:
        raise _wrong(place, Said("It must be one of: {known}.", known=known))
    return plain


def _base64(plain: Any, place: str) -> bytes | None:
    if plain is None:
        return None
    try:
        return base64.b64decode(_text(plain, place, empty=True))
    except (binascii.Error, ValueError) as error:
        raise _wrong(place, Said("It must be base64.")) from error


def _shown(plain: Any) -> str:
    """A short piece of somebody else's text, on one printable line."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(plain)[:40])


def _wrong(place: str, why: Said) -> Problem:
    return Problem(
        Said("The linkage schema is not usable: {place}.", place=place), why,
        "Ask the partner for a schema that clkhash accepts.", place=place,
    )  # fmt: skip
