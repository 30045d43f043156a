"""What the steward keeps at the end: the linked, de-identified table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop.problem import Problem
from pprl_desktop.records.writing import write_csv

if TYPE_CHECKING:
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.records.table import Table


@dataclass(frozen=True)
class Linked:
    """What was written and where."""

    path: str
    rows: int
    columns: tuple[str, ...]


def write_linked(
    path: Path, table: Table, outcome: Outcome, sensitive: Sequence[str], identifying: Sequence[str] = ()
) -> Linked:
    """One line per linked own row: the link id, which the partner has too, and the sensitive columns.

    Sorted by the random link id, so that the order of the own file does not show. `identifying` columns go
    in only where that was permitted separately; cells a spreadsheet would run are neutralised.
    """
    wanted = (*sensitive, *identifying)
    columns = [table.column(name) for name in wanted]
    pairs = outcome.reconciled.linked
    rows = sorted(
        [link, *(column.cell(own) for column in columns)]
        for own, link in zip(pairs[:, 0].tolist(), outcome.links, strict=True)
    )
    header = ("link_id", *wanted)
    if len(set(header)) < len(header):
        raise Problem(
            "A column would stand twice in the linked table.",
            do="Take one of the two out of the sensitive columns.",
            place="sensitive",
        )
    write_csv(path, list(header), rows, for_spreadsheet=True)
    return Linked(str(path), len(rows), header)
