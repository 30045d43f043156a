"""Choices: everything the steward decided, as one frozen, plain, comparable value."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from pprl_desktop.codes import recipe
from pprl_desktop.codes.base import RANGES, REGISTRY, USUAL, Recipe, Settings
from pprl_desktop.codes.directions import of_flag
from pprl_desktop.matching.reconcile import RULES
from pprl_desktop.problem import Problem
from pprl_desktop.project.known import checked, newer, sound
from pprl_desktop.records.fields import KINDS, Cleaning, Field
from pprl_desktop.records.writing import ENDINGS
from pprl_desktop.said import Said

PATHS = (
    "table_path", "home", "bundle_path", "partner_path", "result_path", "partner_result_path", "review_path",
    "output_folder",
)  # fmt: skip


# with a partner; two files of the own organisation; one file whose duplicates are looked for
Kind = Literal["partner", "two files", "one file"]


@dataclass(frozen=True)
class Choices:
    """No clear value of any record is ever part of this: paths, names of columns, settings, ids and hashes."""

    kind: Kind = "partner"
    second: Choices | None = None  # the second of two own files: of it the part about data, and field -> column
    # Data
    table_path: str = ""
    table_sha256: str = ""
    rows: int = 0
    encoding: str = ""  # "" lets the program guess
    separator: str = ""
    header_line: int | None = None  # None: guess; 0: the file has no header
    sheet: str = ""  # of a workbook; "": the first with a table
    labels: bool = True  # of Stata and SPSS: labels instead of codes
    widths: str = ""  # layout of fixed widths; "": cells are separated
    made: tuple[str, ...] = ()  # columns made of others, as declared (records/column_steps.py)
    id_column: str = ""
    sensitive: tuple[str, ...] = ()
    drop_copies: bool = False  # records alike in everything but the record number are read once
    # Reference set and fields
    fields: tuple[Field, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()  # field -> own column
    reference: str = "us-200"
    mapping: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # Method and privacy
    method: str = USUAL
    settings: Settings = field(default_factory=Settings)
    # Agreement and exchange
    home: str = ""  # folder of the own identity; "" is the default place
    partner: str = ""  # fingerprint of the partner's card
    agreement: str = ""  # agreement id once both signed
    rule: str = "both"  # reconcile: both, either, review
    bundle_path: str = ""  # what was exported
    partner_path: str = ""  # the partner's bundle
    partner_sha256: str = ""
    # Matching
    accept: float | None = None  # thresholds set by hand
    review: float | None = None
    result_path: str = ""
    partner_result_path: str = ""
    # Review
    review_path: str = ""
    review_budget: str = "0.30"  # KAPR limit, decimal text
    output_folder: str = ""
    output_form: str = "csv"  # of the linked table: csv, xlsx, dta, parquet

    def column_of(self, field_name: str) -> str:
        return dict(self.columns).get(field_name, "")

    def second_file(self) -> Choices:
        """The choices about the second own file, with the fields of both."""
        return replace(self.second or Choices(), fields=self.fields)

    def recipe(self, settings: Settings | None = None) -> Recipe:
        """What these choices describe, with the secret for playing both parties on one computer."""
        return recipe.build(self.method, self.fields, settings or self.settings, self.reference, self.mapping)

    def with_method(self, name: str) -> Choices:
        """Another method with its own settings; direction and decoys stay as the steward set them."""
        now = self.settings
        return self.changed(method=name, settings=recipe.settings(name, direction=now.direction, decoys=now.decoys))

    def with_settings(self, **wanted: Any) -> Choices:
        """Something asked for anew; what belongs to it comes along (codes/recipe.py)."""
        return self.changed(settings=recipe.changed(self.method, self.settings, **wanted))

    def checked_recipe(self) -> Recipe:
        """The recipe, or the Problem that its method has with it."""
        return recipe.checked(self.recipe())

    @classmethod
    def for_method(cls, name: str, **wanted: Any) -> Choices:
        """A method's own settings with what was asked for."""
        return cls(method=name, settings=recipe.settings(name, **wanted))

    def for_another_partner(self) -> dict[str, Any]:
        """What a new project with the same terms takes over: everything but the partner and what happened with it."""
        left = {*PATHS, "partner", "agreement", "partner_sha256", "kind", "second"} - {"table_path", "home"}
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in left}

    def for_another_agreement(self) -> dict[str, Any]:
        """What is let go for a new agreement with the same partner: the old one and its files."""
        usual = Choices()
        left = {*PATHS, "agreement", "partner_sha256"} - {"table_path", "home", "output_folder"}
        return {name: getattr(usual, name) for name in left}

    def as_dict(self) -> dict[str, Any]:
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        plain["second"] = self.second.as_dict() if self.second is not None else None
        plain["sensitive"] = list(self.sensitive)
        plain["made"] = list(self.made)
        plain["fields"] = [one.as_dict() for one in self.fields]
        plain["columns"] = [list(pair) for pair in self.columns]
        plain["mapping"] = [[name, list(attributes)] for name, attributes in self.mapping]
        plain["settings"] = {f.name: getattr(self.settings, f.name) for f in fields(self.settings)}
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Choices:
        """Refuses what only a newer version knows; a choice that an older one did not have yet takes its default."""
        values = checked(cls, plain)
        if values.get("method", cls.method) not in REGISTRY:
            raise newer("method")
        if values.get("rule", cls.rule) not in RULES:
            raise newer("rule")
        if f".{values.get('output_form', cls.output_form)}" not in ENDINGS:
            raise newer("output_form")
        if values.get("second") is not None:
            values["second"] = cls.from_dict(values["second"])
            if values.get("kind") != "two files" or values["second"].second is not None:
                raise ValueError("second")
        for name in PATHS:
            if "\0" in values.get(name, ""):
                raise ValueError(name)
        values["sensitive"] = _texts(values.get("sensitive", ()))
        values["made"] = _texts(values.get("made", ()))
        values["fields"] = tuple(_field(one) for one in values.get("fields", ()))
        values["columns"] = tuple((str(a), str(b)) for a, b in values.get("columns", ()))
        values["mapping"] = tuple((str(a), _texts(b)) for a, b in values.get("mapping", ()))
        values["settings"] = _settings(values.get("settings", {}))
        return cls(**values)

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Choices:
        try:
            return cls.from_dict(sound(json.loads(text)))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise Problem(
                "The choices in the project cannot be read.",
                "The file is damaged, or a newer version of PPRL Desktop made it.",
                "Update the program, or open a copy of the project from your backup.",
                place="project",
            ) from None

    def changed(self, **changes: Any) -> Choices:
        for name in changes:
            if name not in {f.name for f in fields(self)}:
                raise Problem(Said("There is no choice '{name}'.", name=name), place=name)
        return replace(self, **changes)


def _texts(listed: Any) -> tuple[str, ...]:
    if not all(isinstance(one, str) for one in listed):
        raise TypeError("texts")
    return tuple(listed)


def _settings(plain: dict[str, Any]) -> Settings:
    if isinstance(plain.get("one_to_one"), bool):  # as it was written before there were four directions
        plain = {**plain, "direction": of_flag(plain["one_to_one"])}
        del plain["one_to_one"]
    values = checked(Settings, plain, "settings.")
    for name, (low, high) in RANGES.items():
        if values.get(name) is not None and not low <= values[name] <= high:
            raise ValueError(name)
    return Settings(**values)


def _field(plain: dict[str, Any]) -> Field:
    known = {"name": str, "kind": str, "cleaning": dict, "derived": list}
    for name, value in plain.items():
        if name not in known or not isinstance(value, known[name]):
            raise newer(f"fields.{name}")
    if plain["kind"] not in KINDS:
        raise newer("fields.kind")
    _texts(checked(Cleaning, plain["cleaning"], "cleaning.").get("missing_words", ()))
    _texts(plain.get("derived", ()))
    return Field.from_dict(plain)
