"""The privacy-loss report of a reviewer: what was opened, how narrow it became, what was refused. No personal value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pprl_desktop.review.gate import Gate
from pprl_desktop.review.ledger import Entry
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import Review


@dataclass(frozen=True)
class PrivacyLoss:
    reviewer: str
    pairs: int
    pairs_opened: int  # pairs of which at least one cell is open
    risk: str  # KAPR as an exact fraction
    risk_percent: float
    limit_percent: float
    characters_percent: float
    smallest_k: int  # over all records, everything shown of a record together
    singled_out: int  # records that what was shown fits alone
    records_opened: int
    refused: int
    decided: int
    points: Mapping[str, int]  # decisions in force by point
    fields: Mapping[str, Mapping[str, Any]]  # per field: cells partial and full, its part of KAPR
    first: str
    last: str
    entries: int
    head: str  # hash of the last ledger entry
    own_crowd: bool

    def as_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def as_text(self) -> str:
        lines = [
            f"Privacy loss of {self.reviewer}",
            f"  KAPR {self.risk_percent:.4f} % of at most {self.limit_percent:.2f} %",
            f"  characters opened {self.characters_percent:.2f} %",
            f"  pairs opened {self.pairs_opened} of {self.pairs}, decided {self.decided}, refusals {self.refused}",
            f"  records of which something was shown {self.records_opened}; fitting only one record "
            f"{self.singled_out}; smallest crowd {self.smallest_k}",
        ]
        width = max(map(len, self.fields), default=0)
        lines += [
            f"  {name:<{width}}  partial {row['partial']:>5}  full {row['full']:>5}  KAPR {row['percent']:.4f} %"
            for name, row in self.fields.items()
        ]
        if not self.own_crowd:
            lines.append("  Crowds were counted over the rows at hand, which can only overstate the risk.")
        lines.append(f"  ledger: {self.entries} entries, {self.first} to {self.last}, head {self.head[:16]}")
        return "\n".join(lines)


def cells_opened(losses: Sequence[PrivacyLoss]) -> int:
    """Cells that were opened in part or in full, by all reviewers."""
    return sum(int(field["partial"]) + int(field["full"]) for loss in losses for field in loss.fields.values())


def privacy_loss(
    review: Review, gate: Gate, entries: Sequence[Entry], points: Mapping[str, int], who: str
) -> PrivacyLoss:
    meter = gate.meter()
    traces = gate.traces()
    levels = [gate.levels(pair) for pair in range(len(review.pairs))]
    parts = gate.field_risks()
    fields = {
        field.name: {
            "partial": sum(row[j] == Level.PARTIAL for row in levels),
            "full": sum(row[j] == Level.FULL for row in levels),
            "percent": 100 * float(parts[field.name]) / len(review.policy.fields),
        }
        for j, field in enumerate(review.policy.fields)
    }
    return PrivacyLoss(
        who,
        len(review.pairs),
        sum(any(row) for row in levels),
        str(meter.risk),
        100 * float(meter.risk),
        100 * float(meter.limit),
        100 * float(meter.characters),
        min((trace.k for trace in traces), default=len(review.people)),
        sum(trace.k == 1 for trace in traces),
        len(traces),
        sum(entry.what == "refuse" for entry in entries),
        len(points),
        {str(point): count for point, count in sorted(Counter(points.values()).items())},
        fields,
        entries[0].time if entries else "",
        entries[-1].time if entries else "",
        len(entries),
        entries[-1].hash if entries else "",
        review.own_crowd,
    )
