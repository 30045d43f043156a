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

IDLE = ("decision", "layout", "kernel", "epsilon", "noise")  # options of the methods that smash


def one(
    args: argparse.Namespace, contest: Contest, seconds: dict[str, float], started: float, progress: Progress
) -> Answer:
    from pprl_desktop.blind.meter import warnings
    from pprl_desktop.evaluation.believed import believed
    from pprl_desktop.evaluation.blind import play_blind
    from pprl_desktop.evaluation.play import Side, peak_memory_mb
    from pprl_desktop.privacy.blind import blind_statement

    _no_idle_option(args)
    if args.sweep or args.frontier:
        return _over_coverage(args, contest, progress)
    played = play_blind(
        contest.a, contest.b, contest.options, coverage=args.coverage, seed=args.seed, progress=progress
    )
    figures = contest.truth.figures(played.pairs)
    said = blind_statement(contest.b.rows)
    told = [
        *map(str, played.match.warnings),
        *map(str, warnings(contest.a.fields, max(contest.a.rows, contest.b.rows))),
    ]
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
            "coverage": played.choice.bound if args.coverage is None else args.coverage,
            "seed": args.seed,
        },
        **figures.as_dict(),
        **believed(played.pairs, ((played.match, False),)).as_dict(),
        "sides": {"a": report.side_records(Side(played.match, played.pairs), contest.truth, args.pairs, turned=False)},
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


def _no_idle_option(args: argparse.Namespace) -> None:
    given = [name for name in IDLE if getattr(args, name) is not None]
    tables = ["compare"] if args.compare else []
    for name in (*given, *tables):
        raise Problem(
            f"'blind' has no --{name}.",
            do=f"Leave --{name} out; --coverage sets how much could be guessed.",
            place=name,
        )


BOUNDS = (0.02, 0.05, 0.1, 0.2)  # coverages of a sweep unless others are asked for


def _over_coverage(args: argparse.Namespace, contest: Contest, progress: Progress) -> Answer:
    """Found against what could be guessed; for the frontier, also what a lying partner opens in the real protocol."""
    from pprl_desktop.evaluation.blind import play_blind
    from pprl_desktop.rehearsal.blind import rehearse_blind

    rows: list[dict[str, Any]] = []
    bounds = _bounds(args.sweep) if args.sweep else BOUNDS
    for place, bound in enumerate(bounds):
        part = progress.part(place / len(bounds), (place + 1) / len(bounds))
        try:
            played = play_blind(contest.a, contest.b, contest.options, coverage=bound, seed=args.seed, progress=part)
        except Problem as problem:
            rows.append({"coverage_bound": bound, "refused": str(problem.what)})
            continue
        figures = contest.truth.figures(played.pairs)
        row = {"coverage_bound": bound, **figures.as_dict(), **blind_records(played, contest)}
        if args.frontier:
            meter = played.meters[1]
            liar = rehearse_blind(contest.b, played.plan.recipe, played.plan.asked, meter.coverage, seed=args.seed)
            row["opened_by_liar"] = liar.opened.as_dict()
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


def _bounds(text: str) -> tuple[float, ...]:
    name, sign, given = text.partition("=")
    wrong = Problem(
        "The sweep was not understood.", "Of blind, only coverage can be swept.", "Write --sweep coverage=0.05,0.1.",
        place="sweep",
    )  # fmt: skip
    if text in ("epsilon", "coverage"):
        return BOUNDS
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
