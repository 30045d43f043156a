"""What a delivery takes over from those before it under one agreement: counts, and what they add up to in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pprl_desktop.said import Said


@dataclass(frozen=True)
class Carried:
    """What a delivery takes over from the one before, for the ledger and the screen."""

    of: tuple[int, ...]  # the releases that it builds on, in the ledger
    unchanged: int
    changed: int
    new: int
    gone: int
    times: int  # codes of one person that the partner then holds, at most
    by_number: bool  # whether record numbers tell every new row from the gone; else it may be one of them, changed
    numbered: bool = False  # whether there are record numbers at all
    unlike: int = 0  # changed records, most of whose fields are others than before
    shown: int = 0  # records whose cells the partner saw in clear under this agreement

    def as_plain(self) -> dict[str, Any]:
        return {**vars(self), "of": list(self.of)}

    @classmethod
    def from_plain(cls, plain: dict[str, Any]) -> Carried:
        return cls(**{**plain, "of": tuple(plain["of"])})

    def said(self, decoys: int = 0) -> tuple[Said, ...]:
        """What the repetition adds for the rows, before anything is written; `decoys` go out beside them."""
        told = [
            Said(
                "Next delivery: {unchanged} {unchanged|record is|records are} unchanged and {unchanged|goes|go} out "
                "with the same bytes as before, which adds nothing; {changed} changed, {new} new, {gone} gone.",
                unchanged=self.unchanged, changed=self.changed, new=self.new, gone=self.gone,
            ),
            Said(
                "The partner sees which records stayed, changed, came and went. Their random names stay, so that old "
                "links keep their ids."
            ),
        ]  # fmt: skip
        if decoys:
            told.append(
                Said(
                    "Decoys never change and never come back, and their number stays the same. So the partner knows of "
                    "every record that changed or came back that it is real, and of the new ones, unless about as many "
                    "are gone."
                )
            )
        if self.unlike:
            told.append(
                Said(
                    "In {unlike} changed {unlike|record|records} most fields are others than before. If the record "
                    "number was given to somebody else meanwhile, that person gets the link id of the one before: "
                    "check {unlike|it|them}.",
                    unlike=self.unlike,
                )
            )
        if not self.by_number and self.new and self.gone:
            told.append(
                Said(
                    "Record numbers tell a changed record only where both deliveries have them in the same column and "
                    "none stands twice. Here that is not so for every record: one that changed may count as one that "
                    "is gone and one that is new, with another link id."
                )
                if self.numbered
                else Said(
                    "Without a record number a changed record counts as one that is gone and one that is new: it gets "
                    "another link id."
                )
            )
            told.append(
                Said(
                    "To keep the ids, choose the column with your record number. If the delivery before had none, "
                    "first export its table once more with that column: the same bytes, and the numbers are kept here."
                )
            )
        if self.times > 1:
            told.append(
                Said("Of a changed record the partner then holds up to {times} codes, each counted.", times=self.times)
            )
        if self.shown:
            told.append(
                Said(
                    "{shown} {shown|record was|records were} shown in clear for a review under this agreement; a "
                    "further review may show the same people again, and counts them again.",
                    shown=self.shown,
                )
            )
        return tuple(told)
