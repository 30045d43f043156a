"""evaluate --method blind: the real protocol on both tables, and what only this method has to tell."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _evaluate_report as report

if TYPE_CHECKING:
    from pprl_desktop.evaluation.blind import BlindPlay
    from pprl_desktop.evaluation.tables import Contest
    from pprl_desktop.job.trial import Trial

IDLE = ("decision", "layout", "kernel", "epsilon", "noise")  # options of the methods that smash


def measured(
    args: argparse.Namespace, trial: Trial, seconds: dict[str, float], started: float, progress: Progress
) -> Answer:
    from pprl_desktop.codes.keys.choose import TUNING
    from pprl_desktop.evaluation.play import peak_memory_mb

    if args.sweep or args.frontier:
        return _over_coverage(args, trial, progress)
    made, contest = trial.measure_blind(args.coverage, progress), trial.contest
    played, figures, said = made.played, made.figures, made.statement
    told = [str(one) for one in made.warnings]
    if not figures.predicted_pairs:
        told.append("No pair was linked: a precision of 1 then only says that nothing wrong was shown.")
    seconds |= {stage: round(spent, 3) for stage, spent in played.seconds.items()}
    seconds["total"] = round(time.perf_counter() - started, 3)
    data: dict[str, Any] = {
        "method": "blind",
        "parameters": {
            "fields": [{"name": each.name, "kind": each.kind} for each in contest.a.fields],
            "one_to_one": contest.options.one_to_one,
            "direction": contest.options.direction,
            "coverage": TUNING.bound if args.coverage is None else args.coverage,
            "seed": args.seed,
        },
        **figures.as_dict(),
        **made.believed.as_dict(),
        "sides": {"a": report.side_records(made.side, contest.truth, args.pairs, turned=False)},
        "threshold": played.match.accept,
        "seconds": seconds,
        "peak_rss_mb": peak_memory_mb(),
        "blind": blind_records(played, contest),
        "privacy": said.as_dict(),
        "privacy_statement": said.summary,
        "warnings": sorted(set(told)),
    }
    progress.at(1.0)
    return Answer(text(data), data)


def no_idle_option(args: argparse.Namespace) -> None:
    given = [name for name in IDLE if getattr(args, name) is not None]
    tables = ["compare"] if args.compare else []
    for name in (*given, *tables):
        raise Problem(
            f"'blind' has no --{name}.",
            do=f"Leave --{name} out; --coverage sets how much could be guessed.",
            place=name,
        )


def _over_coverage(args: argparse.Namespace, trial: Trial, progress: Progress) -> Answer:
    """Found against what could be guessed; for the frontier, also what a lying partner opens in the real protocol."""
    from pprl_desktop.job.trial import BOUNDS

    rows: list[dict[str, Any]] = []
    bounds = _bounds(args.sweep, BOUNDS) if args.sweep else BOUNDS
    for at in trial.sweep_coverage(bounds, liar=args.frontier, progress=progress):
        if at.played is None or at.figures is None:
            rows.append({"coverage_bound": at.bound, "refused": str(at.refused.what) if at.refused else ""})
            continue
        row = {"coverage_bound": at.bound, **at.figures.as_dict(), **blind_records(at.played, trial.contest)}
        if at.opened_by_liar is not None:
            row["opened_by_liar"] = at.opened_by_liar.as_dict()
        rows.append(row)
    progress.at(1.0)
    lines = [_swept(row) for row in rows]
    name = "sweep" if args.sweep else "frontier"
    return Answer("\n".join(lines), {"method": "blind", "table": name, "rows": rows})


def _swept(row: dict[str, Any]) -> str:
    start = f"coverage at most {100 * row['coverage_bound']:.0f} of 100: "
    if "refused" in row:
        return start + f"refused: {row['refused']}"
    liar = row.get("opened_by_liar")
    opened = f", at least {100 * liar['share']:.1f} of 100 opened by a lying partner" if liar else ""
    return start + (
        f"F1 {row['f1']:.4f}, precision {row['precision']:.4f}, recall {row['recall']:.4f}; "
        f"{100 * row['coverage']:.1f} of 100 by the meter{opened}"
    )


def _bounds(text: str, usual: tuple[float, ...]) -> tuple[float, ...]:
    name, sign, given = text.partition("=")
    wrong = Problem(
        "The sweep was not understood.", "Of blind, only coverage can be swept.", "Write --sweep coverage=0.05,0.1.",
        place="sweep",
    )  # fmt: skip
    if text in ("epsilon", "coverage"):
        return usual
    if name != "coverage" or not sign:
        raise wrong
    try:
        found = tuple(float(piece) for piece in given.split(","))
    except ValueError:
        raise wrong from None
    if not found or not all(0 < one <= 0.5 for one in found):
        raise wrong
    return found


def blind_records(played: BlindPlay, contest: Contest) -> dict[str, Any]:
    import numpy as np

    held = contest.truth.holds(played.opened)
    rows = max(contest.b.rows, 1)
    strangers = np.unique(played.opened[~held][:, 1])
    return {
        "key_recall": round(int(held.sum()) / max(len(contest.truth), 1), 6),
        "opened": round(len(np.unique(played.opened[:, 1])) / rows, 6),
        "opened_strangers": round(len(strangers) / rows, 6),
        "opened_strangers_told": round(played.meters[1].strangers, 6),
        "opened_strangers_range": [round(share, 6) for share in played.meters[1].strangers_range],
        "coverage": round(played.coverage, 6),
        "coverage_own": round(max(meter.coverage_own for meter in played.meters), 6),
        "coverage_10n": round(max(meter.coverage_10n for meter in played.meters), 6),
        "keys_per_record": round(played.keys_per_record, 3),
        "recipes": list(played.plan.recipe.words()),
        "recall_range": [round(share, 4) for share in played.choice.recall_range()],
        "question_bytes": played.question_bytes,
        "answer_bytes": played.answer_bytes,
        "cpu_seconds": {side: round(spent, 3) for side, spent in played.cpu.items()},
        "meters": {"asker": played.meters[0].as_dict(), "answerer": played.meters[1].as_dict()},
    }


def text(data: dict[str, Any]) -> str:
    blind, side = data["blind"], data["sides"]["a"]
    lines = [
        f"blind: {data['predicted_pairs']:,} pairs linked, {data['correct_pairs']:,} of them right; "
        f"{data['true_pairs']:,} were to be found.",
        f"  precision {data['precision']:.4f}   recall {data['recall']:.4f}   F1 {data['f1']:.4f}   "
        f"(expected precision {side['expected'].get('precision', float('nan')):.4f}), "
        f"{side['bands']['review']} pairs to review",
        f"  {100 * blind['key_recall']:.1f} of 100 true pairs share a key; {100 * blind['opened']:.1f} of 100 records "
        f"of B "
        f"were opened, {100 * blind['opened_strangers']:.1f} by strangers "
        f"({100 * blind['opened_strangers_told']:.1f} told beforehand)",
        f"  a partner who lies in every question could guess {100 * blind['coverage']:.1f} of 100 records "
        f"({100 * blind['coverage_own']:.1f} knowing how often each value occurs, "
        f"{100 * blind['coverage_10n']:.1f} with ten times the questions)",
        f"  question {blind['question_bytes'] / 1e6:.1f} MB, answer {blind['answer_bytes'] / 1e6:.1f} MB; processor "
        f"time "
        f"{blind['cpu_seconds']['asker']:.1f} s asking, {blind['cpu_seconds']['answerer']:.1f} s answering",
        f"  keys ({blind['keys_per_record']:.1f} per record):",
        *(f"    {words}" for words in blind["recipes"]),
        "  " + ", ".join(f"{stage} {spent:.2f} s" for stage, spent in data["seconds"].items())
        + f"; {data['peak_rss_mb']:,.0f} MB held at most",
        *(f"  note: {warning}" for warning in data["warnings"]),
        f"  privacy: {data['privacy']['summary']}",
    ]  # fmt: skip
    return "\n".join(lines)
