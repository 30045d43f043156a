"""What evaluate says: plain records for --json, and the same in a few lines for people."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pprl_desktop.verbs import _pairs

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Recipe
    from pprl_desktop.evaluation.figures import Truth
    from pprl_desktop.evaluation.play import Play, Side
    from pprl_desktop.evaluation.tables import Row


def parameters(recipe: Recipe, rule: str, seed: int) -> dict[str, Any]:
    reference = recipe.reference
    return {
        **asdict(recipe.settings),
        "one_to_one": recipe.settings.one_to_one,
        "fields": [{"name": one.name, "kind": one.kind} for one in recipe.fields],
        "reference": {"name": reference.name, "size": reference.size, "fingerprint": reference.fingerprint}
        if reference
        else None,
        "mapping": {name: list(attributes) for name, attributes in recipe.mapping},
        "rule": rule,
        "seed": seed,
    }


def counts(played: Play) -> dict[str, int]:
    merged = played.reconciled
    return {
        "both": len(merged.both),
        "only_a": len(merged.only_mine),
        "only_b": len(merged.only_theirs),
        "linked": len(merged.linked),
        "open": len(merged.open),
    }


def side_records(side: Side, truth: Truth, listed: int, *, turned: bool) -> dict[str, Any]:
    from pprl_desktop.job import trial

    correct = trial.correct_pairs(side, truth, turned=turned)
    return {
        **trial.side_records(side, truth, turned=turned),
        "pairs": _pairs.records(side.match, listed, correct),
    }


def text(data: dict[str, Any]) -> str:
    sides = data["sides"]
    lines = [
        f"{data['method']}: {data['predicted_pairs']:,} pairs linked, {data['correct_pairs']:,} of them right; "
        f"{data['true_pairs']:,} were to be found.",
        f"  precision {data['precision']:.4f}   recall {data['recall']:.4f}   F1 {data['f1']:.4f}",
        *belief(data),
        *(
            f"  side {name.upper()} alone: precision {sides[name]['precision']:.4f}, "
            f"recall {sides[name]['recall']:.4f}, {sides[name]['bands']['review']} pairs to review"
            for name in ("a", "b")
        ),
        "  " + ", ".join(f"{stage} {spent:.2f} s" for stage, spent in data["seconds"].items())
        + f"; {data['peak_rss_mb']:,.0f} MB held at most, {data['memory_estimate_mb']:,.0f} MB foreseen for matching",
        *(f"  note: {warning}" for warning in data["warnings"]),
        f"  privacy: {data['privacy']['summary']}",
    ]  # fmt: skip
    return "\n".join(lines)


def belief(data: dict[str, Any]) -> list[str]:
    """What the program would have said without the truth."""
    expected, second = data["expected"], data["second_opinion"]
    lines = []
    if expected:
        lines.append(
            f"  expected without the truth: precision {expected['precision']:.4f}, recall {expected['recall']:.4f}"
            + (
                f"; second opinion {second['precision']:.4f} ({second['low']:.4f} to {second['high']:.4f})"
                if second
                else ""
            )
            + (
                f"; recall at most {second['recall']:.4f} ({second['recall_low']:.4f} to {second['recall_high']:.4f})"
                if "recall" in second
                else ""
            )
        )
    if not data["reliable"]:
        lines += ["  not reliable: " + " ".join(data["reasons"]), *(f"  {cure}" for cure in data["cures"])]
    return lines


def table(rows: tuple[Row, ...]) -> str:
    lines = [f"{'method':<11}{'decision':<11}{'layout':<8}{'epsilon':<14}{'precision':>10}{'recall':>8}{'F1':>8}"
             f"{'named':>8}{'seconds':>9}"]  # fmt: skip
    for row in rows:
        epsilon = f"{row.epsilon:g} {row.unit}" if row.epsilon is not None else "no noise"
        named = f"{row.recovered:.1%}" if row.recovered is not None else ""
        start = f"{row.method:<11}{row.decision:<11}{row.layout:<8}{epsilon:<14}"
        if row.precision is None or row.recall is None or row.f1 is None:
            lines.append(f"{start}  {row.problem}")
        else:
            figures = f"{row.precision:>10.4f}{row.recall:>8.4f}{row.f1:>8.4f}"
            lines.append(f"{start}{figures}{named:>8}{row.seconds:>9.2f}")
    return "\n".join(lines)
