"""A reference set: public records both parties measure their own values against."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pprl_desktop.problem import Problem
from pprl_desktop.said import Said


@dataclass(frozen=True)
class ReferenceSet:
    """`columns[k]` holds attribute k of every reference record, cleaned (upper case, no diacritics)."""

    name: str
    attributes: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def attribute(self, name: str) -> tuple[str, ...]:
        if name not in self.attributes:
            raise Problem(
                Said("The reference set has no attribute '{name}'.", name=name),
                Said("It has: {attributes}.", attributes=self.attributes),
                "Map the field to one of these.",
                place=name,
            )
        return self.columns[self.attributes.index(name)]

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over attributes and values in order; both parties compare it."""
        digest = hashlib.sha256(b"pprl-reference/v1\0")
        for name, column in zip(self.attributes, self.columns, strict=True):
            for text in (name, *column):
                data = text.encode("utf-8")
                digest.update(len(data).to_bytes(4, "little") + data)
            digest.update(b"\xff\xff\xff\xff")
        return digest.hexdigest()

    @classmethod
    def of(cls, name: str, attributes: Sequence[str], records: Sequence[Sequence[str]]) -> ReferenceSet:
        columns = tuple(tuple(column) for column in zip(*records, strict=True))
        return cls(name, tuple(attributes), columns or tuple(() for _ in attributes))
