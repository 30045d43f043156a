"""The privacy-loss report of a reviewer: what was opened, how narrow it became, what was refused. No personal value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from pprl_desktop.review.gate import Gate
from pprl_desktop.review.ledger import Entry
from pprl_desktop.review.marks import Level
from pprl_desktop.review.plan import Review
from pprl_desktop.said import Said


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
    held_pairs: int = 0  # in the files that were handed out: a copy of them opens every cell
    held_records: int = 0

    def as_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def as_text(self) -> str:
        """In English, for the terminal: what follows the first line is set in."""
        first, *rest = map(str, self.lines())
        return "\n".join([first, *(f"  {line}" for line in rest)])

    def lines(self) -> tuple[Said, ...]:
        lines = [
            Said("Privacy loss of {reviewer}", reviewer=self.reviewer),
            Said(
                "KAPR {risk_percent:decimals 4} % of at most {limit_percent:decimals 2} %",
                risk_percent=self.risk_percent,
                limit_percent=self.limit_percent,
            ),
            Said("characters opened {characters_percent:decimals 2} %", characters_percent=self.characters_percent),
            Said(
                "pairs opened {pairs_opened} of {pairs}, decided {decided}, refusals {refused}",
                pairs_opened=self.pairs_opened,
                pairs=self.pairs,
                decided=self.decided,
                refused=self.refused,
            ),
            Said(
                "records of which something was shown {records_opened}; fitting only one record {singled_out}; "
                "smallest crowd {smallest_k}",
                records_opened=self.records_opened,
                singled_out=self.singled_out,
                smallest_k=self.smallest_k,
            ),
        ]
        lines += [
            Said(
                "{name}: partial {partial}, full {full}, KAPR {percent:decimals 4} %",
                name=name,
                partial=int(row["partial"]),
                full=int(row["full"]),
                percent=float(row["percent"]),
            )
            for name, row in self.fields.items()
        ]
        if not self.own_crowd:
            lines.append(Said("Crowds were counted over the rows at hand, which can only overstate the risk."))
        if self.held_pairs:
            lines.append(
                Said(
                    "At most, whatever the ledger says: every cell of the {held_pairs} pairs ({held_records} "
                    "records) in the files that were handed out.",
                    held_pairs=self.held_pairs,
                    held_records=self.held_records,
                )
            )
        lines.append(
            Said(
                "ledger: {entries} entries, {first} to {last}, head {head}",
                entries=self.entries,
                first=self.first,
                last=self.last,
                head=self.head[:16],
            )
        )
        return tuple(lines)


def cells_opened(losses: Sequence[PrivacyLoss]) -> int:
    """Cells that were opened in part or in full, by all reviewers."""
    return sum(int(field["partial"]) + int(field["full"]) for loss in losses for field in loss.fields.values())


def together(losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
    """One reviewer over several tranches: KAPR is the mean over their pairs, as over all of them at once."""
    if len(losses) == 1:
        return losses[0]
    last, pairs = losses[-1], sum(loss.pairs for loss in losses)
    risk = sum((Fraction(loss.risk) * loss.pairs for loss in losses), Fraction(0)) / max(pairs, 1)

    def mean(name: str) -> float:
        return float(sum(getattr(loss, name) * loss.pairs for loss in losses)) / max(pairs, 1)

    def total(name: str) -> int:
        return int(sum(getattr(loss, name) for loss in losses))

    points: Counter[str] = Counter()
    for loss in losses:
        points.update(loss.points)
    fields = {
        name: {
            "partial": sum(int(loss.fields[name]["partial"]) for loss in losses),
            "full": sum(int(loss.fields[name]["full"]) for loss in losses),
            "percent": sum(float(loss.fields[name]["percent"]) * loss.pairs for loss in losses) / max(pairs, 1),
        }
        for name in last.fields
    }
    return replace(
        last, pairs=pairs, pairs_opened=total("pairs_opened"), risk=str(risk), risk_percent=100 * float(risk),
        characters_percent=mean("characters_percent"), smallest_k=min(loss.smallest_k for loss in losses),
        singled_out=total("singled_out"), records_opened=total("records_opened"), refused=total("refused"),
        decided=total("decided"), points=dict(points), fields=fields, first=losses[0].first, entries=total("entries"),
    )  # fmt: skip


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
