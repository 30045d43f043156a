"""Open Link Token rules T1 to T5: signatures of normalised attributes, their hash and its HMAC.

    T1  LAST | F | SEX | date            T4  SSN digits | SEX | date
    T2  LAST | FIRST | date | ZIP3       T5  LAST | FIR | SEX
    T3  LAST | FIRST | SEX | date

token = base64(HMAC-SHA256(secret, hex(SHA-256(signature)))). A rule with a missing or invalid attribute gives no token.
The package's text says that sex becomes M or F; the package writes MALE and FEMALE, and so do we. Whoever holds the
secret can run a dictionary over these tokens (T5 is a surname, three letters and the sex): the screen says so.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.table import Table
from pprl_desktop.records.writing import write_csv
from pprl_desktop.said import Said

VERSION = "2.2.1"  # of the package these rules were checked against
RULES = ("T1", "T2", "T3", "T4", "T5")
HEADER = ("RuleId", "Token", "RecordId")
EVERY = 2_000  # records between two looks at the Cancel button
FIRST_DAY = date(1910, 1, 1)

ATTRIBUTES = ("first_name", "last_name", "sex", "birth_date", "postal_code", "ssn")
_PARTS: Mapping[str, tuple[tuple[str, int], ...]] = {  # rule -> attributes and how many letters of each (0: all)
    "T1": (("last_name", 0), ("first_name", 1), ("sex", 0), ("birth_date", 0)),
    "T2": (("last_name", 0), ("first_name", 0), ("birth_date", 0), ("postal_code", 3)),
    "T3": (("last_name", 0), ("first_name", 0), ("sex", 0), ("birth_date", 0)),
    "T4": (("ssn", 0), ("sex", 0), ("birth_date", 0)),
    "T5": (("last_name", 0), ("first_name", 3), ("sex", 0)),
}
_LETTERS = str.maketrans(
    {
        "Æ": "AE", "æ": "ae", "Ð": "D", "ð": "d", "Ø": "O", "ø": "o", "Þ": "TH", "þ": "th", "ß": "ss", "ẞ": "SS",
        "Đ": "D", "đ": "d", "Ħ": "H", "ħ": "h", "ı": "i", "Ĳ": "IJ", "ĳ": "ij", "Ŀ": "L", "ŀ": "l", "Ł": "L",
        "ł": "l", "ŉ": "n", "Ŋ": "NG", "ŋ": "ng", "Œ": "OE", "œ": "oe", "Ŧ": "T", "ŧ": "t", "ſ": "s", "Ƒ": "F",
        "ƒ": "f", "Ǆ": "DZ", "ǅ": "Dz", "ǆ": "dz", "Ǉ": "LJ", "ǈ": "Lj", "ǉ": "lj", "Ǌ": "NJ", "ǋ": "Nj", "ǌ": "nj",
        "Ǳ": "DZ", "ǲ": "Dz", "ǳ": "dz", "Ǽ": "AE", "ǽ": "ae", "Ǿ": "O", "ǿ": "o",
    }
)  # fmt: skip
_NOBODY = frozenset(
    {
        "unknown", "n/a", "none", "test", "sample", "donor", "patient", "automation test", "automationtest",
        "patient not found", "patientnotfound", "<masked>", "anonymous", "zzztrash", "missing", "unavailable",
        "not available", "notavailable",
    }
)  # fmt: skip
_TITLES = (
    "mr mrs ms miss dr prof capt sir col gen cmdr lt rabbi father brother sister hon honorable reverend rev doctor"
)
_TITLE = re.compile(rf"^\s*(?:(?:{'|'.join(_TITLES.split())})\.?\s+)+", re.IGNORECASE)
_GENERATION = r"jr\.?|junior|sr\.?|senior|I{1,3}|IV|V|VI{0,3}|IX|X|\d+(?:st|nd|rd|th)"
_SUFFIX = re.compile(rf"(?:\s+(?:{_GENERATION}))+$", re.IGNORECASE)
_LAST_INITIAL = re.compile(r"\s\S\.?$")
_FIRST_OF_SEVERAL = re.compile(r"([A-Za-z]{3,})[\s./]+[A-Za-z]+(?:[\s./\-‐-―−]+[A-Za-z]+)*$")
_NOT_LETTERS = re.compile(r"[^a-zA-Z]")
_SEX = re.compile(r"\s*(?:[Mm](?:ale)?|[Ff](?:emale)?)\s*$")
_DATE = re.compile(
    r"(?:\d{4}[-/]\d{2}[-/]\d{2}|\d{2}[-./]\d{2}[-./]\d{4}"
    r"|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?(?:Z|[+-]\d{2}:\d{2})?)$"
)
_DATE_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%m-%d-%Y", "%d.%m.%Y")
_TIME_FORMS = ("%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%f%z", "%Y-%m-%dT%H:%M:%S%z")


@dataclass(frozen=True)
class Token:
    record: str
    rule: str
    token: str


def tokens(
    table: Table,
    columns: Mapping[str, str],
    secret: bytes,
    id_column: str = "",
    progress: Progress = NO_PROGRESS,
) -> list[Token]:
    """Of every record and rule that can be had; `columns` names the own column of each attribute that is there."""
    cells = attributes_of(table, columns)
    ids = table.column(id_column).cells() if id_column else [str(row + 1) for row in range(table.rows)]
    usable = [rule for rule in RULES if all(name in cells for name, _ in _PARTS[rule])]
    if not usable:
        raise Problem(
            "No rule can be used with these columns.",
            "T5 needs first name, last name and sex; the others need a date of birth as well.",
            "Name the columns of these attributes.",
            place="columns",
        )
    made = []
    for row, record in enumerate(ids):
        if row % EVERY == 0:
            progress.at(row / max(table.rows, 1), "Making tokens")
        for rule in usable:
            signature = signature_of(rule, {name: values[row] for name, values in cells.items()})
            if signature:
                made.append(Token(record, rule, token_of(signature, secret)))
    progress.at(1.0)
    return made


def attributes_of(table: Table, columns: Mapping[str, str]) -> dict[str, list[str]]:
    """Normalised attributes by name, one per row; '' where missing or invalid."""
    return {name: _normalised(table, column, _NORMALISE[name]) for name, column in columns.items()}


def signatures(rule: str, cells: Mapping[str, list[str]], rows: int) -> list[str]:
    """Of every row; '' where the rule gives no token."""
    return [signature_of(rule, {name: values[row] for name, values in cells.items()}) for row in range(rows)]


def signature_of(rule: str, normalised: Mapping[str, str]) -> str:
    """'' where an attribute of the rule is missing or invalid."""
    parts = [normalised.get(name, "")[: most or None].upper() for name, most in _PARTS[rule]]
    return "|".join(parts) if all(parts) else ""


def token_of(signature: str, secret: bytes) -> str:
    hashed = hashlib.sha256(signature.encode()).hexdigest()
    return base64.b64encode(hmac.new(secret, hashed.encode(), hashlib.sha256).digest()).decode()


def write(target: Path, made: list[Token], progress: Progress = NO_PROGRESS) -> None:
    write_csv(target, HEADER, ([one.rule, one.token, one.record] for one in made), progress=progress)


def read(path: Path, progress: Progress = NO_PROGRESS) -> list[Token]:
    """Tokens after the HMAC step. Encrypted ones of the package's own exchange are refused with a sentence."""
    table = read_table(path, progress=progress).table
    if not set(HEADER) <= set(table.names):
        raise _not_tokens(Said("Its columns must be {names:and}.", names=HEADER))
    rules, texts, records = (table.column(name).cells() for name in HEADER)
    made = []
    for line, (rule, text, record) in enumerate(zip(rules, texts, records, strict=True), start=2):
        if text.startswith("olt."):
            raise _not_tokens(Said("Its tokens are encrypted (olt.V1): only the package that made them opens them."))
        if rule not in RULES:
            raise _not_tokens(Said("Line {line} has a rule that version 2 does not know.", line=line))
        if len(text) != 44 or not _is_digest(text):
            raise _not_tokens(Said("Line {line} holds no token.", line=line))
        made.append(Token(record, rule, text))
    return made


def linked(own: list[Token], theirs: list[Token]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Pairs of record ids that share a token -> the rules by which they do."""
    by_token: dict[tuple[str, str], list[str]] = {}
    for one in theirs:
        by_token.setdefault((one.rule, one.token), []).append(one.record)
    pairs: dict[tuple[str, str], set[str]] = {}
    for one in own:
        for record in by_token.get((one.rule, one.token), ()):
            pairs.setdefault((one.record, record), set()).add(one.rule)
    return {pair: tuple(sorted(rules)) for pair, rules in pairs.items()}


def first_name(value: str) -> str:
    """Without titles, suffixes, a last initial and what is no letter; of several names the first with three letters."""
    if not _is_name(value):
        return ""
    text = _plain_letters(value)
    text = _TITLE.sub("", text).strip() or text
    text = _SUFFIX.sub("", text).strip() or text
    text = _LAST_INITIAL.sub("", text).strip()
    several = _FIRST_OF_SEVERAL.match(text)
    text = _NOT_LETTERS.sub("", several[1] if several else text)
    return text if _is_name(text) else ""


def last_name(value: str) -> str:
    """Two letters are a name with a vowel among them, and 'Ng'."""
    if not _is_name(value):
        return ""
    text = _plain_letters(value)
    without = _SUFFIX.sub("", text)
    text = _NOT_LETTERS.sub("", without if without.strip() else text)
    vowel = bool(re.search("[aeiouAEIOU]", text))
    long_enough = len(text) > 2 or (len(text) == 2 and (vowel or text.lower() == "ng"))
    return text if long_enough and _is_name(text) else ""


def sex(value: str) -> str:
    if not _SEX.match(value):
        return ""
    return "MALE" if value.strip()[0] in "mM" else "FEMALE"


def birth_date(value: str) -> str:
    text = value.strip()
    if not _DATE.match(text):
        return ""
    for form in (*_TIME_FORMS, *_DATE_FORMS):
        try:
            day = datetime.strptime(text, form).date()
        except ValueError:
            continue
        return day.isoformat() if FIRST_DAY <= day <= date.today() else ""
    return ""


_ZIP = re.compile(r"\s*(?:\d{3}|\d{4}|\d{5}(?:-\d{4})?|\d{9})\s*$")
_NO_ZIP = (
    "11111",
    "22222",
    "33333",
    "66666",
    "77777",
    "99999",
    "01234",
    "12345",
    "54321",
    "98765",
    "000",
    "555",
    "888",
)
_CANADIAN = re.compile(r"\s*[A-Za-z]\d[A-Za-z](?:\s?\d(?:[A-Za-z]\d?)?)?\s*$")
_NO_CANADIAN = ("A1A1A1", "X0X0X0", "Y0Y0Y0", "Z0Z0Z0", "A0A0A0", "B1B1B1", "C2C2C2", "K1A0A6", "H0H0H0")
_OFFICIAL = ("K1A", "M7A", "H0H")  # areas that stand for an authority where nothing more is given


def postal_code(value: str) -> str:
    """US codes of 3 to 9 digits and Canadian ones; only the first three places reach a token."""
    if _ZIP.match(value):
        text = re.sub(r"\s", "", value)
        whole = text[:5].ljust(5, "0")
        return "" if text.startswith(_NO_ZIP) or whole.startswith(_NO_ZIP) else whole
    if not _CANADIAN.match(value):
        return ""
    text = re.sub(r"\s", "", value).upper()
    if text in _NO_CANADIAN or (text[:3] in _OFFICIAL and len(text) < 6):
        return ""
    return text


_SSN = re.compile(r"\d{7,9}(?:\.0*)?$|(?!000|666|9\d\d)\d{3}-?(?!00)\d{2}-?(?!0000)\d{4}$")
_NO_SSN = frozenset(
    (
        "111111111 222222222 333333333 444444444 555555555 777777777 888888888 001010001 001010101 001019999 001100110 "
        "001111111 001122334 001234567 007777777 010101010 011111111 012345678 022222222 055555555 077777777 087654321 "
        "088888888 098765432 099999999 100101000 111111112 111111234 111119999 111221111 111222333 111223333 121212121 "
        "123121234 123123123 123451234 123456788 123456789 123456798 123456879 123456987 123457896 199999999 222334444 "
        "299999999 399999999 454545454 499999999 599999999 699999999 799999999 899999999"
    ).split()
)


def ssn(value: str) -> str:
    """As lax as the package: 7 to 9 digits without dashes are taken whatever they are, leading zeros restored."""
    if not _SSN.match(value) or ("-" in value and value.replace("-", "") in _NO_SSN):
        return ""
    return value.split(".")[0].replace("-", "").zfill(9)


_NORMALISE: Mapping[str, Callable[[str], str]] = {
    "first_name": first_name,
    "last_name": last_name,
    "sex": sex,
    "birth_date": birth_date,
    "postal_code": postal_code,
    "ssn": ssn,
}


def _normalised(table: Table, column: str, normalise: Callable[[str], str]) -> list[str]:
    found = table.column(column)
    values = [normalise(str(value)) for value in found.values]
    return [values[code] if code >= 0 else "" for code in found.codes.tolist()]


def _plain_letters(value: str) -> str:
    decomposed = unicodedata.normalize("NFD", value.strip().translate(_LETTERS))
    return "".join(letter for letter in decomposed if not unicodedata.category(letter).startswith("M"))


def _is_name(value: str) -> bool:
    return bool(value.strip()) and value.strip().lower() not in _NOBODY


def _is_digest(text: str) -> bool:
    try:
        return len(base64.b64decode(text, validate=True)) == 32
    except ValueError:
        return False


def _not_tokens(why: Said) -> Problem:
    return Problem(
        "This is not a file of tokens.", why, "Ask the partner for the tokens after the HMAC step.", place="file"
    )
