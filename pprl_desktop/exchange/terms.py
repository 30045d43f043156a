"""The terms of an agreement: what both sides do alike, as a document both sign (in words: terms_words.py)."""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from pprl_desktop.codes.base import RANGES, REGISTRY, Settings
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.exchange import blind_terms, clock, group_terms, refusals, strict
from pprl_desktop.exchange.blind_terms import BlindTerms
from pprl_desktop.exchange.card import Card
from pprl_desktop.exchange.decimals import decimal
from pprl_desktop.exchange.group_terms import Group
from pprl_desktop.exchange.keys import MODES, Mode
from pprl_desktop.exchange.manifest import MAX_RAW, MAX_ROWS, Party
from pprl_desktop.exchange.names import MAX_NAME
from pprl_desktop.exchange.strict import Plain
from pprl_desktop.matching.reconcile import RULES, ReconcileRule
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import KINDS, Cleaning, Field
from pprl_desktop.said import Said

FORMAT, VERSION = "pprl-agreement", 2
FIRST = 1  # version that named neither a maximum of records in clear nor the kind of seal
DEFAULT_CLEAR = 5  # of 100 records
SIGN_CONTEXT = b"pprl-agreement/v1\0"
SECRET = 32  # bytes
BLIND = "blind"  # the method whose terms have a part of their own
MAX_FIELDS = 64
MAX_DOCUMENT = 256 * 1024  # bytes
MAX_FIELD_NAME = 80  # characters

OTHER_INTEGERS = (0, 1 << 16)  # the range of a number that codes/base.py has none for


@dataclass(frozen=True)
class Side:
    name: str
    party: Party

    @classmethod
    def of(cls, card: Card) -> Side:
        return cls(card.name, card.party)


@dataclass(frozen=True)
class Limits:
    rows: int = 1_000_000
    megabytes: int = 4096  # of one file, unpacked
    clear: int = DEFAULT_CLEAR  # of 100 records, how many a review may get in clear; 0 where none was agreed

    @property
    def bytes(self) -> int:
        return self.megabytes << 20

    def clear_records(self, rows: int) -> int:
        """The most records of a table of `rows` whose cells may be sent in clear, all answers together."""
        return rows * self.clear // 100


@dataclass(frozen=True)
class Reference:
    """Which reference set, and the proof that it is the same one on both sides."""

    name: str = ""
    size: int = 0
    fingerprint: str = ""


@dataclass(frozen=True)
class Terms:
    purpose: str
    made: str
    fields: tuple[Field, ...]
    method: str
    settings: Settings
    unit: str  # of epsilon: per bit, per edit, per query; "" without noise
    reference: Reference
    mapping: tuple[tuple[str, tuple[str, ...]], ...]
    rule: ReconcileRule
    limits: Limits
    proposer: Side
    accepter: Side
    secret_hash: str  # commits both to the shared secret without showing it
    statement: str = field(default="", repr=False)  # the privacy statement in words
    version: int = VERSION  # of the document that was signed
    seal: Mode = "hybrid"  # how files are sealed: a weaker seal is refused
    repeats: int | None = None  # of 1,000 records of the proposer, how many repeat a person; None: not stated
    blind: BlindTerms | None = None  # keys, limits and who asks, where the method is blind
    group: Group | None = None  # the group of several parties that both sides consent to

    def document(self) -> bytes:
        """What is signed, byte for byte."""
        seal = {} if self.version == FIRST else {"seal": self.seal}
        return strict.dumps(
            {
                "format": FORMAT,
                "version": self.version,
                **seal,
                **({"blind": blind_terms.to_plain(self.blind)} if self.blind else {}),
                **({} if self.repeats is None else {"repeats": self.repeats}),
                **({"group": group_terms.to_plain(self.group)} if self.group else {}),
                "purpose": self.purpose,
                "made": self.made,
                "fields": [_field_plain(one, self.version) for one in self.fields],
                "method": self.method,
                "settings": _settings_plain(self.settings, self.version),
                "epsilon_unit": self.unit,
                "reference": vars(self.reference),
                "mapping": [{"field": name, "attributes": list(attributes)} for name, attributes in self.mapping],
                "rule": self.rule,
                "limits": _limits_plain(self.limits, self.version),
                "proposer": _side_plain(self.proposer),
                "accepter": _side_plain(self.accepter),
                "secret": self.secret_hash,
                "statement": self.statement,
            }
        )

    @property
    def id(self) -> str:
        return agreement_id(self.document())

    @property
    def epsilon(self) -> str:
        return decimal(self.settings.epsilon)


def agreement_id(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()


def secret_hash(secret: bytes) -> str:
    return hashlib.sha256(b"pprl-secret/v1\0" + secret).hexdigest()


def parse(document: bytes) -> Terms:
    plain = strict.loads(document, "agreement")
    if plain.get("format") != FORMAT:
        raise refusals.malformed("agreement")
    version = strict.integer(plain, "version", 1, 1 << 31)
    if version > VERSION:
        raise refusals.newer_version()
    strict.only(
        plain,
        {"format", "version", "purpose", "made", "fields", "method", "settings", "epsilon_unit", "reference", "mapping"}
        | {"rule", "limits", "proposer", "accepter", "secret", "statement"}
        | (set() if version == FIRST else {"seal"})
        | ({"blind"} if plain.get("method") == BLIND else set())
        | ({"repeats", "group"} & plain.keys() if version > FIRST else set()),
    )
    # a document of the first version comes from the own disk only, signed when any text passed
    one, several = (strict.any_text, strict.any_text) if version == FIRST else (strict.text, strict.lines)
    made = strict.text(plain, "made", longest=40)
    if not clock.is_written(made):
        raise refusals.malformed("made", "It must be a date and time in UTC.")
    rule = cast(ReconcileRule, strict.one_of(plain, "rule", RULES))
    found = Terms(
        purpose=one(plain, "purpose", longest=500),
        made=made,
        fields=tuple(_field(item, one, version) for item in strict.mappings(plain, "fields", MAX_FIELDS)),
        method=strict.one_of(plain, "method", tuple(REGISTRY)),
        settings=_settings(strict.mapping(plain, "settings"), version),
        unit=one(plain, "epsilon_unit", longest=60),
        reference=_reference(strict.mapping(plain, "reference")),
        mapping=tuple(_mapped(item) for item in strict.mappings(plain, "mapping", MAX_FIELDS)),
        rule=rule,
        limits=_limits(strict.mapping(plain, "limits"), version, rule),
        proposer=_side(plain, "proposer"),
        accepter=_side(plain, "accepter"),
        secret_hash=strict.hexes(plain, "secret", 32),
        statement=several(plain, "statement", longest=20_000),
        version=version,
        seal="hybrid" if version == FIRST else cast(Mode, strict.one_of(plain, "seal", MODES)),
        repeats=strict.integer(plain, "repeats", 0, 1000) if "repeats" in plain else None,
        group=group_terms.parse(strict.mapping(plain, "group")) if "group" in plain else None,
    )
    if found.method == BLIND:
        found = replace(found, blind=blind_terms.parse(strict.mapping(plain, "blind"), found.fields))
    if found.group is not None:
        for side in (found.proposer, found.accepter):
            if not found.group.has(side.party.sign) or found.group.member(side.party.sign).name != side.name:
                raise refusals.malformed("group.members", "Both sides of the agreement must be parties of the group.")
    names = [one.name for one in found.fields]
    if not names or len(set(names)) != len(names):
        raise refusals.malformed("fields", "The list is empty or names a field twice.")
    if any(not set(each.derived) <= {*names} - {each.name} for each in found.fields):
        raise refusals.malformed("fields.derived", "A field can only be derived from others of the agreement.")
    if found.settings.decoys > found.limits.rows:
        raise refusals.malformed("settings.decoys", "There are more decoys than rows.")
    return found


def offered(terms: Terms, other: Terms) -> tuple[str, ...]:
    """Names of what differs between two versions of an agreement, for a counter-proposal."""
    one, two = (strict.loads(each.document(), "agreement") for each in (terms, other))
    return tuple(key for key in sorted(one) if one[key] != two[key] and key not in {"made", "secret"})


# ---- dataclasses of plain values to strict JSON and back: floats as decimal text, yes/no as 1/0, none as ""


def to_plain(value: Any) -> Plain:
    return {one.name: _plain_value(getattr(value, one.name)) for one in fields(value)}


def _plain_value(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, float):
        return decimal(value)
    if isinstance(value, tuple):
        return [_plain_value(item) for item in value]
    return value


Text = Callable[..., str]  # strict.text, or strict.any_text for what lies at home

_HINTS: dict[type[Any], dict[str, Any]] = {}  # reading them costs more than all the rest of parsing


def from_plain(kind: type[Any], plain: Plain, place: str, text: Text = strict.text) -> Any:
    if kind not in _HINTS:
        _HINTS[kind] = get_type_hints(kind)
    hints = _HINTS[kind]
    strict.only(plain, set(hints), place=place)
    return kind(**{name: _value(hint, plain, name, place, text) for name, hint in hints.items()})


def _value(hint: Any, plain: Plain, name: str, place: str, text: Text) -> Any:
    if hint is bool:
        return bool(strict.integer(plain, name, 0, 1, place=place))
    if hint is int:
        low, high = RANGES.get(name, OTHER_INTEGERS)
        return strict.integer(plain, name, int(low), int(high), place=place)
    if hint is str:
        return text(plain, name, place=place)
    if get_origin(hint) is Literal:
        return strict.one_of(plain, name, get_args(hint), place=place)
    if get_origin(hint) is tuple:
        items = strict.listing(plain, name, 1000, place=place)
        return tuple(text({name: item}, name, place=place) for item in items)
    if hint is float or float in get_args(hint):
        digits = strict.text(plain, name, place=place, longest=30)
        if not digits and type(None) in get_args(hint):
            return None
        value = _number(digits, place + name)
        low, high = RANGES.get(name, (value, value))
        if not low <= value <= high:
            raise refusals.malformed(
                place + name, Said("It must be a number from {low} to {high:count}.", low=low, high=high)
            )
        return value
    assert get_origin(hint) in (Union, types.UnionType), hint
    return text(plain, name, place=place) or None


def _number(text: str, place: str) -> float:
    """A decimal number written in the one way we write it; no NaN, no infinity."""
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not abs(value) < 1e12 or decimal(value) != text:
        raise refusals.malformed(place, "It must be a decimal number.")
    return value


def _settings_plain(settings: Settings, version: int) -> Plain:
    plain = to_plain(settings)
    if version == FIRST:  # a flag stood for the direction
        del plain["direction"]
        return {**plain, "one_to_one": int(settings.one_to_one)}
    return plain


def _settings(plain: Plain, version: int) -> Settings:
    if version == FIRST:
        flag = strict.integer(plain, "one_to_one", 0, 1, place="settings.")
        plain = {name: value for name, value in plain.items() if name != "one_to_one"}
        plain["direction"] = of_flag(bool(flag))
    made: Settings = from_plain(Settings, plain, "settings.")
    return made


def _field_plain(one: Field, version: int) -> Plain:
    plain: Plain = {"name": one.name, "kind": one.kind, "cleaning": to_plain(one.cleaning)}
    if version == FIRST:
        del plain["cleaning"]["recode"]
        return plain
    return {**plain, "derived": list(one.derived)}


def _field(item: Plain, text: Text, version: int) -> Field:
    strict.only(item, {"name", "kind", "cleaning"} | (set() if version == FIRST else {"derived"}), place="fields.")
    name = text(item, "name", place="fields.", longest=MAX_FIELD_NAME)
    if not name.strip() or not name.isprintable():
        raise refusals.malformed("fields.name", "It must be visible text.")
    kind = strict.one_of(item, "kind", KINDS, place="fields.")
    steps = strict.mapping(item, "cleaning", place="fields.")
    if version == FIRST:
        steps = {**steps, "recode": "keep"}
    cleaning = from_plain(Cleaning, steps, f"fields.{name}.cleaning.", text)
    others = () if version == FIRST else strict.listing(item, "derived", MAX_FIELDS, place="fields.")
    derived = tuple(text({"derived": other}, "derived", place="fields.", longest=MAX_FIELD_NAME) for other in others)
    return replace(Field.of(name, kind), cleaning=cleaning, derived=derived)


def _reference(plain: Plain) -> Reference:
    strict.only(plain, {"name", "size", "fingerprint"}, place="reference.")
    name = strict.text(plain, "name", place="reference.")
    size = strict.integer(plain, "size", 0, 1 << 24, place="reference.")
    print_ = strict.hexes(plain, "fingerprint", 32 if name else 0, place="reference.")
    return Reference(name, size, print_)


def _mapped(item: Plain) -> tuple[str, tuple[str, ...]]:
    strict.only(item, {"field", "attributes"}, place="mapping.")
    attributes = strict.listing(item, "attributes", MAX_FIELDS, place="mapping.")
    texts = tuple(strict.text({"attributes": one}, "attributes", place="mapping.") for one in attributes)
    return strict.text(item, "field", place="mapping."), texts


def _limits_plain(limits: Limits, version: int) -> Plain:
    plain: Plain = {"rows": limits.rows, "megabytes": limits.megabytes}
    return plain if version == FIRST else {**plain, "clear_percent": limits.clear}


def _limits(plain: Plain, version: int, rule: ReconcileRule) -> Limits:
    older = version == FIRST
    strict.only(plain, {"rows", "megabytes"} | (set() if older else {"clear_percent"}), place="limits.")
    most = 100 if rule == "review" else 0
    usual = DEFAULT_CLEAR if rule == "review" else 0
    return Limits(
        strict.integer(plain, "rows", 1, MAX_ROWS, place="limits."),
        strict.integer(plain, "megabytes", 1, MAX_RAW >> 20, place="limits."),
        usual if older else strict.integer(plain, "clear_percent", 0, most, place="limits."),
    )


def _side_plain(side: Side) -> Plain:
    return {"name": side.name, **side.party.as_plain()}


def _side(plain: Plain, key: str) -> Side:
    inner = strict.mapping(plain, key)
    place = f"{key}."
    strict.only(inner, {"name", "sign", "seal"}, place=place)
    party = Party(strict.hexes(inner, "sign", 32, place=place), strict.hexes(inner, "seal", 32, place=place))
    return Side(strict.text(inner, "name", place=place, longest=MAX_NAME), party)


def check_sense(terms: Terms) -> None:
    """Choices that contradict each other, before anything is signed."""
    if terms.blind is not None and terms.blind.bytes(terms.fields) > terms.limits.bytes:
        raise Problem(
            "Question or answer would be larger than a file may be.",
            Said(
                "It would hold {size} MB; {most} MB were agreed.",
                size=-(-terms.blind.bytes(terms.fields) >> 20),
                most=terms.limits.megabytes,
            ),
            "Allow larger files, or link fewer records at a time.",
            place="limits",
        )
    if terms.settings.decoys and terms.rule == "either":
        raise Problem(
            "Decoys and the rule 'either' do not go together.",
            "A pair found by one side alone may be a decoy of the other, which only its owner can drop.",
            "Choose the rule 'both' or 'review', or no decoys.",
            place="rule",
        )
