"""What every method shares: the recipe both parties follow, smashed data, and what a method says of itself.

A method says how a cleaned table becomes numbers (`smash`) and which decisions can be made on them. Noise is added by
privacy/, rules are learned by decisions/, pairs are found by matching/: all work on the kinds of part declared here and
never ask which method made them. A further method is one new file and one line in REGISTRY.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from pprl_desktop.codes.directions import Direction
from pprl_desktop.compute.attended import attended
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import CleanTable, Column
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import NOTHING, Said

Bytes = npt.NDArray[np.uint8]
PartKind = Literal["distances", "bits", "token", "clear"]
Decision = Literal["adaptive", "svm", "threshold", "nearest"]
Layout = Literal["field", "record"]
Kernel = Literal["linear", "rbf"]
NoiseSides = Literal["one-sided", "two-sided"]
NearestNoise = Literal["permute-and-flip", "laplace"]
Page = Literal["card", "expert", "nowhere"]
# How two smashed values are compared:
#   dice     two Bloom filters: Dice of the sets they stand for, estimated from the bit counts
#   hamming  two signatures: share of equal bits
#   vectors  two vectors of reference distances
Measure = Literal["dice", "hamming", "vectors"]
Shape = tuple[tuple["PartKind", str, int], ...]


# the names that agreements hold, in the steward's words
DECISIONS: dict[Decision, Said] = {
    "adaptive": Said("adaptive"),
    "svm": Said("SVM"),
    "threshold": Said("threshold"),
    "nearest": Said("nearest"),
}
LAYOUTS: dict[Layout, Said] = {"field": Said("field"), "record": Said("record")}
DECISION_WORDS: dict[Decision, Said] = {
    "adaptive": Said("field by field, learned from the pairs (adaptive)"),
    "threshold": Said("one threshold on the whole record"),
    "svm": Said("support-vector machine"),
    "nearest": Said("nearest neighbour, drawn under noise"),
}
LAYOUT_WORDS: dict[Layout, Said] = {"field": Said("one code per field"), "record": Said("one code per record")}
NOISE: dict[NoiseSides, Said] = {"one-sided": Said("one-sided"), "two-sided": Said("two-sided")}


@dataclass(frozen=True, eq=False)
class Part:
    """One smashed array: a row of bytes per distinct value (per record once noise is added).

    distances  uint8 [d, |RS|]    edit distances to every reference record of one attribute
    bits       uint8 [d, bits/8]  packed bits (numpy.packbits order)
    token      uint8 [d, 8]       keyed hash: equality only (whole value, initial, swapped date ...)
    clear      uint8 [d, width]   the values themselves (UTF-8, padded with zeros): never leaves the program
    """

    name: str  # unique in the bundle: "last_name.bits", "last_name.equal", "record"
    field: str  # the field it speaks of; "" for the whole record
    kind: PartKind
    role: str  # what it is compared as: "value", "equal", "initial", "swapped", ...
    rows: npt.NDArray[np.int32]  # row -> index into values, -1 where the field is missing
    values: Bytes

    @property
    def width(self) -> int:
        return int(self.values.shape[1])


@dataclass(frozen=True, eq=False)
class Decided:
    """Record codes of some own rows without noise, and the bits of them that each field decides."""

    code: Bytes  # [rows, bytes]
    bits: Bytes  # [fields, rows, bytes]
    missing: npt.NDArray[np.bool_]  # [rows, fields]


class RecordFields(Protocol):
    """The own table as its method codes it, ready to be asked which field decides which bit."""

    @property
    def names(self) -> tuple[str, ...]: ...

    def decided(self, rows: npt.NDArray[np.int64]) -> Decided: ...


@dataclass(frozen=True, eq=False)
class Smashed:
    """Everything a bundle carries about the records, in row order. `epsilon` is the noise already in it."""

    method: str
    rows: int
    parts: tuple[Part, ...]
    epsilon: float | None = None  # per bit / per edit as the kind of part says; None: no noise

    def part(self, name: str) -> Part:
        return next(part for part in self.parts if part.name == name)

    def of_field(self, field_name: str) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.field == field_name)

    def nbytes(self) -> int:
        return sum(part.values.nbytes + part.rows.nbytes for part in self.parts)


# the numbers in settings that came from somebody else, smallest and largest: wide enough for every use, narrow enough
# that nothing can be made to run long or to fill the memory
RANGES: Mapping[str, tuple[float, float]] = {
    "bits": (8, 1 << 15),
    "fold": (0, 4),
    "decoys": (0, (1 << 31) - 1),
    "epsilon": (1e-4, 1e4),
}


@dataclass(frozen=True)
class Settings:
    """The knobs of the methods, all part of the agreement. Each method documents the ones it reads."""

    decision: Decision = "adaptive"
    layout: Layout = "field"
    kernel: Kernel = "linear"
    epsilon: float | None = None  # None: no noise
    noise: NoiseSides = "one-sided"
    bits: int = 1024
    direction: Direction = "one-to-one"
    decoys: int = 0  # records that do not exist, added to the own bundle
    # hardening of Bloom filters
    balanced: bool = False  # every filter has as many ones as zeros
    fold: int = 0  # times the filter is XOR-folded in half
    salt_field: str = ""  # a field that never changes (year of birth): filters differ where it differs
    nearest: NearestNoise = "permute-and-flip"  # how a nearest-neighbour answer is drawn

    @property
    def one_to_one(self) -> bool:
        return self.direction == "one-to-one"


@dataclass(frozen=True)
class Recipe:
    """What both parties must do alike: the technical part of the agreement."""

    method: str
    fields: tuple[Field, ...]
    settings: Settings = field(default_factory=Settings)
    reference: ReferenceSet | None = None
    mapping: tuple[tuple[str, tuple[str, ...]], ...] = ()  # field -> reference attributes
    secret: bytes = field(default=b"", repr=False)


class Rule:
    """How pairs are decided: a frozen dataclass per kind of decision, learned by one party alone (decisions/learn.py).

    matching/match.py has one runner per subclass.
    """


class Method:
    """All that is known of a method, in its own file: nowhere else is a list of methods, or a test of a method's name.

    Adding one is a file with a subclass and its line in REGISTRY; terminal, agreement, method page and rehearsal read
    what stands here.
    """

    name: str
    title: Said  # on the screen
    sentence: Said  # one sentence for the method card
    brief: Said = NOTHING  # a few words under its name in the table of ways: a line of 40 letters
    page: Page = "card"  # where the method page shows it
    layouts: tuple[Layout, ...] = ("field",)
    decisions: tuple[Decision, ...] = ("adaptive",)
    unit: str = "per bit"  # of epsilon, by the names in privacy/claims.py
    reads: tuple[str, ...] = ()  # settings that only some methods read
    exportable: bool = True  # may leave this computer
    uses_reference: bool = False
    fills_pieces: bool = False  # bits of the record layout are set by pieces of each field, under a key of the field
    signs_of_sums: bool = False  # bits of the record layout are signs of sums that each field can be formed for alone
    smashes: bool = True  # False where question and answer take the place of bundles

    @property
    def both_layouts(self) -> bool:
        """Its codes can stand for a field or for the whole record."""
        return len(self.layouts) > 1

    def defaults(self) -> Settings:
        return Settings(decision=self.decisions[0], layout=self.layouts[0])

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        """What is wrong with a recipe before any work starts."""
        return ()

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        """Deterministic given table and recipe; no noise."""
        raise NotImplementedError

    def measure(self, settings: Settings) -> Measure:
        """How two smashed values are compared."""
        return "hamming"

    def record_fields(self, table: CleanTable, recipe: Recipe, progress: Progress) -> RecordFields:
        """Which field decides which bit of a record's code: where one code per record is made."""
        raise NotImplementedError

    def shape(self, recipe: Recipe) -> Shape | None:
        """Kind, field and width in bytes of every part where that is known without trying; None: it is tried."""
        return None

    def bits_of_an_edit(self, recipe: Recipe) -> tuple[int, int] | None:
        """Bits that one edit of a text can change at most, and bits of one letter pair; None: nothing can be said."""
        return None


REGISTRY: dict[str, str] = {  # name -> module holding METHOD; the first is the usual choice
    "split": "pprl_desktop.codes.split",
    "simhash": "pprl_desktop.codes.simhash",
    "bloom": "pprl_desktop.codes.bloom",
    "dp-nn": "pprl_desktop.codes.dp_nn",
    "blind": "pprl_desktop.codes.blind",
    "split-svm": "pprl_desktop.codes.split_svm",
    "plain": "pprl_desktop.codes.plain",
}
USUAL = next(iter(REGISTRY))


def method(name: str) -> Method:
    if name not in REGISTRY:
        raise Problem(
            Said("There is no method '{name}'.", name=name),
            Said("The methods are: {registry}.", registry=list(REGISTRY)),
            "Choose one of them.",
            place="method",
        )
    found: Any = importlib.import_module(REGISTRY[name])
    return Attended(found.METHOD)


class Attended(Method):
    """A method whose long work hears Cancel at any moment."""

    def __init__(self, made: Method) -> None:
        self.made = made
        for name in Method.__annotations__:
            setattr(self, name, getattr(made, name))

    def defaults(self) -> Settings:
        return self.made.defaults()

    def problems(self, recipe: Recipe) -> tuple[Problem, ...]:
        return self.made.problems(recipe)

    def smash(self, table: CleanTable, recipe: Recipe, progress: Progress) -> Smashed:
        return attended(progress, lambda inner: self.made.smash(table, recipe, inner))

    def measure(self, settings: Settings) -> Measure:
        return self.made.measure(settings)

    def record_fields(self, table: CleanTable, recipe: Recipe, progress: Progress) -> RecordFields:
        return self.made.record_fields(table, recipe, progress)

    def shape(self, recipe: Recipe) -> Shape | None:
        return self.made.shape(recipe)

    def bits_of_an_edit(self, recipe: Recipe) -> tuple[int, int] | None:
        return self.made.bits_of_an_edit(recipe)


def sample(recipe: Recipe) -> CleanTable:
    """One made-up record with a value in every field: to see what a method makes of it."""
    values = {"date": "19700101", "number": "1", "id": "1"}
    columns = tuple(Column.of(one.name, [values.get(one.kind, "A")]) for one in recipe.fields)
    return CleanTable(recipe.fields, columns)


def derive(secret: bytes, purpose: str, length: int = 32) -> bytes:
    """Independent keys from the shared secret (HKDF-expand with SHA-256)."""
    import hashlib
    import hmac

    out, block, counter = b"", b"", 1
    while len(out) < length:
        block = hmac.new(secret, block + purpose.encode() + bytes([counter]), hashlib.sha256).digest()
        out += block
        counter += 1
    return out[:length]
