"""The agreed matching fields: name, kind and cleaning. Part of the agreement, so plain and comparable."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, get_args

from pprl_desktop.problem import Problem, did_you_mean
from pprl_desktop.records.roles import Role, role
from pprl_desktop.said import Said, sentences

FieldKind = Literal["name", "text", "date", "id", "number", "category"]
KINDS: tuple[FieldKind, ...] = get_args(FieldKind)
KIND_WORDS: dict[FieldKind, Said] = {
    "name": Said("Name"),
    "text": Said("Free text"),
    "date": Said("Date"),
    "id": Said("Code"),
    "number": Said("Number"),
    "category": Said("Category"),
}

DayOrder = Literal["auto", "day-first", "month-first"]
Diacritics = Literal["keep", "strip", "transliterate"]  # Müller -> MÜLLER, MULLER, MUELLER
Punctuation = Literal["keep", "space", "remove"]
Case = Literal["upper", "keep"]
# sex: F, FEMALE, W, FRAU, 2 ... become F; phone: the last digits; street: 12 Main Street becomes MAIN ST 12
Recode = Literal["keep", "sex", "phone", "street"]


@dataclass(frozen=True)
class Cleaning:
    """Declared cleaning steps of one field, applied in this order on both sides alike."""

    unicode: Literal["NFC", "NFKC"] = "NFKC"
    case: Case = "upper"
    diacritics: Diacritics = "strip"
    punctuation: Punctuation = "space"
    drop_titles: bool = False  # DR, PROF, MRS ... as whole words at either end
    drop_particles: bool = False  # VON, DE LA, VAN DER ... as whole words
    day_order: DayOrder = "auto"  # dates only
    recode: Recode = "keep"  # by what the heading says: what is written in several ways made alike
    missing_words: tuple[str, ...] = ()  # chosen by the steward, compared after trimming, any case

    def as_dict(self) -> dict[str, Any]:
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain["missing_words"] = list(self.missing_words)
        if self.recode == "keep":  # as projects of earlier versions have it: their steps stay done
            del plain["recode"]
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Cleaning:
        known = {f.name for f in fields(cls)}
        for name in plain:
            if name not in known:
                raise Problem(
                    Said("The cleaning step '{name}' is unknown.", name=name),
                    "The other side uses another version.",
                    "Update PPRL Desktop on both sides.",
                    place=f"cleaning.{name}",
                )
        values = dict(plain)
        values["missing_words"] = tuple(plain.get("missing_words", ()))
        return cls(**values)


_BY_KIND: dict[FieldKind, Cleaning] = {
    "name": Cleaning(punctuation="space"),
    "text": Cleaning(punctuation="space"),
    "date": Cleaning(punctuation="keep"),
    "id": Cleaning(punctuation="remove"),
    "number": Cleaning(punctuation="keep"),
    "category": Cleaning(punctuation="space"),
}


_RECODE: dict[tuple[FieldKind, Role], Recode] = {
    ("category", "sex"): "sex",
    ("id", "phone"): "phone",
    ("text", "street"): "street",
}


def default_cleaning(kind: FieldKind) -> Cleaning:
    return _BY_KIND[kind]


@dataclass(frozen=True)
class Field:
    """One agreed matching field. Its name is common to both parties; each maps its own column to it."""

    name: str
    kind: FieldKind = "name"
    cleaning: Cleaning = field(default_factory=Cleaning)
    derived: tuple[str, ...] = ()  # fields that determine this one on the proposer's table: beside them it counts once

    @classmethod
    def of(cls, name: str, kind: str = "name") -> Field:
        if kind not in KINDS:
            raise Problem(
                Said("'{kind}' is not a field type.", kind=kind),
                Said("The types are: {kinds}.", kinds=KINDS),
                sentences(did_you_mean(kind, KINDS), Said("Choose one of them for '{name}'.", name=name)),
                place=name,
            )
        cleaning = default_cleaning(kind)
        recode = _RECODE.get((kind, role(name)))
        if recode is not None:
            cleaning = replace(cleaning, recode=recode)
        return cls(name, kind, cleaning)

    def with_cleaning(self, **changes: Any) -> Field:
        return replace(self, cleaning=replace(self.cleaning, **changes))

    def as_dict(self) -> dict[str, Any]:
        plain = {"name": self.name, "kind": self.kind, "cleaning": self.cleaning.as_dict()}
        return {**plain, "derived": list(self.derived)} if self.derived else plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Field:
        made = cls.of(str(plain["name"]), str(plain["kind"]))
        derived = tuple(str(name) for name in plain.get("derived", ()))
        return replace(made, cleaning=Cleaning.from_dict(dict(plain["cleaning"])), derived=derived)
