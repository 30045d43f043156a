"""evaluate: both parties in one process, through the real smash and match path; the truth is used only to score."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _options

if TYPE_CHECKING:
    from pprl_desktop.evaluation.figures import Truth
    from pprl_desktop.evaluation.play import Play, Side
    from pprl_desktop.evaluation.tables import Contest, Row
    from pprl_desktop.matching.reconcile import Pairs
    from pprl_desktop.methods.base import Recipe
    from pprl_desktop.records.table import Table


BANDS = ("reject", "review", "accept")  # by band code


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A.csv")
    parser.add_argument("b", metavar="B.csv")
    parser.add_argument("--truth", required=True, metavar="T.csv", help="the true pairs: columns id_a,id_b")
    parser.add_argument("--id", default="rec_id", metavar="COLUMN", help="the id column of both files")
    parser.add_argument("--id-b", metavar="COLUMN", help="the id column of B where it is named differently")
    parser.add_argument("--fields", required=True, metavar="NAME[:TYPE],...", help="matching fields (columns of A)")
    parser.add_argument("--columns-b", metavar="NAME,...", help="the columns of B, in the order of the fields")
    _options.method_options(parser)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", type=int, default=2048, metavar="MB", help="for pairs (default: 2048)")
    parser.add_argument("--rule", default="both", choices=("both", "either", "review"), help="to reconcile")
    parser.add_argument("--accept", type=float, metavar="SCORE", help="threshold by hand")
    parser.add_argument("--sweep", metavar="epsilon=E,E,...", help="the same at several epsilons")
    parser.add_argument("--compare", action="store_true", help="all methods on the same data")
    parser.add_argument("--frontier", action="store_true", help="quality against what a partner could name")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.evaluation.tables import Contest
    from pprl_desktop.matching.base import MatchOptions
    from pprl_desktop.records.cleaning import clean

    started = time.perf_counter()
    progress.at(0.0, "reading")
    table_a, table_b = _options.read(args.a), _options.read(args.b)
    fields = _options.parse_fields(args.fields, table_a)
    a = clean(table_a, fields, _options.columns_for(fields, None))
    b = clean(table_b, fields, _options.columns_for(fields, args.columns_b))
    truth = read_truth(args.truth, table_a, table_b, args.id, args.id_b or args.id)
    seconds = {"read": round(time.perf_counter() - started, 3)}
    recipe = _options.recipe_from(args, fields)
    options = MatchOptions(one_to_one=args.one_to_one, memory=args.memory << 20, accept=args.accept, seed=args.seed)
    contest = Contest(a, b, truth, options, args.seed)
    if args.sweep or args.compare or args.frontier:
        return _many(args, contest, recipe, progress)
    return _one(args, contest, recipe, seconds, started, progress)


def read_truth(path: str, a: Table, b: Table, id_a: str, id_b: str) -> Truth:
    from pprl_desktop.evaluation.figures import Truth
    from pprl_desktop.evaluation.play import pairs_of_ids

    table = _options.read(path)
    pairs = list(zip(table.column("id_a").cells(), table.column("id_b").cells(), strict=True))
    found: Pairs = pairs_of_ids(a.column(id_a).cells(), b.column(id_b).cells(), pairs)
    if pairs and not len(found):
        raise Problem(
            "No pair of the truth file was found in the two tables.",
            f"Its ids do not occur in '{id_a}' and '{id_b}'.",
            "Name the right id columns with --id and --id-b.",
            place="truth",
        )
    return Truth(found)


def _one(
    args: argparse.Namespace,
    contest: Contest,
    recipe: Recipe,
    seconds: dict[str, float],
    started: float,
    progress: Progress,
) -> Answer:
    from pprl_desktop.evaluation.play import peak_memory_mb, play
    from pprl_desktop.privacy.statements import statement

    played = play(contest.a, contest.b, recipe, contest.options, seed=args.seed, rule=args.rule, progress=progress)
    figures = contest.truth.figures(played.linked)
    seconds |= {stage: round(spent, 3) for stage, spent in played.seconds.items()}
    seconds["total"] = round(time.perf_counter() - started, 3)
    data: dict[str, Any] = {
        "method": recipe.method,
        "parameters": _parameters(args, recipe),
        **figures.as_dict(),
        "sides": {"a": _side(played.a, contest.truth, turned=False), "b": _side(played.b, contest.truth, turned=True)},
        "threshold": played.a.match.accept,
        "reconciled": _counts(played),
        "seconds": seconds,
        "memory_estimate_mb": round(played.memory / (1 << 20), 1),
        "peak_rss_mb": peak_memory_mb(),
        "privacy": statement(recipe, contest.a.rows).as_dict(),
        "warnings": sorted({*played.a.match.warnings, *played.b.match.warnings}),
    }
    progress.at(1.0)
    return Answer(_text(data), data)


def _parameters(args: argparse.Namespace, recipe: Recipe) -> dict[str, Any]:
    reference = recipe.reference
    return {
        **asdict(recipe.settings),
        "fields": [{"name": one.name, "kind": one.kind} for one in recipe.fields],
        "reference": {"name": reference.name, "size": reference.size, "fingerprint": reference.fingerprint}
        if reference
        else None,
        "mapping": {name: list(attributes) for name, attributes in recipe.mapping},
        "rule": args.rule,
        "seed": args.seed,
    }


def _counts(played: Play) -> dict[str, int]:
    merged = played.reconciled
    return {
        "both": len(merged.both),
        "only_a": len(merged.only_mine),
        "only_b": len(merged.only_theirs),
        "linked": len(merged.linked),
        "open": len(merged.open),
    }


def _side(side: Side, truth: Truth, *, turned: bool) -> dict[str, Any]:
    import numpy as np

    from pprl_desktop.evaluation.figures import curve, field_weights, histogram, reliability
    from pprl_desktop.matching.reconcile import as_pairs

    match, scored = side.match, side.match.scored
    own, partner = (scored.partner, scored.own) if turned else (scored.own, scored.partner)
    correct = truth.holds(as_pairs(own, partner))
    chosen = np.flatnonzero(match.chosen)
    accepted = side.pairs[:, ::-1] if turned else side.pairs
    calibrated = chosen[np.isfinite(scored.probability[chosen])]
    return {
        **truth.figures(accepted).as_dict(),
        "threshold": match.accept,
        "review_threshold": match.review,
        "bands": dict(zip(BANDS, np.bincount(match.band[chosen], minlength=3).tolist(), strict=True)),
        "expected": dict(match.expected),
        "ties": match.ties,
        "candidates": len(scored),
        "examined": scored.examined,
        "curve": curve(scored.score[chosen], correct[chosen], len(truth)).as_dict(),
        "histogram": histogram(scored.score[chosen]),
        "field_weights": field_weights(scored, correct),
        "reliability": reliability(scored.probability[calibrated], correct[calibrated]),
    }


def _text(data: dict[str, Any]) -> str:
    sides = data["sides"]
    lines = [
        f"{data['method']}: {data['predicted_pairs']:,} pairs linked, {data['correct_pairs']:,} of them right; "
        f"{data['true_pairs']:,} were to be found.",
        f"  precision {data['precision']:.4f}   recall {data['recall']:.4f}   F1 {data['f1']:.4f}",
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


def _many(args: argparse.Namespace, contest: Contest, recipe: Recipe, progress: Progress) -> Answer:
    from pprl_desktop.evaluation import tables
    from pprl_desktop.reference.load import reference_set

    rows: tuple[Row, ...]
    if args.sweep:
        rows = tables.sweep(contest, recipe, _epsilons(args.sweep), progress)
    else:
        reference = recipe.reference or reference_set(args.reference, recipe.secret)
        if args.frontier:
            rows = tables.frontier(contest, tables.frontier_recipes(recipe, reference), progress=progress)
        else:
            names = [name for name in _options.METHODS if name != "dp-nn"]
            recipes = [tables.recipe_for(name, recipe, reference) for name in names]
            nearest = tables.recipe_for("dp-nn", recipe, reference)
            recipes.append(tables.with_epsilon(nearest, nearest.settings.epsilon or tables.NEAREST_EPSILONS[-1]))
            rows = tables.compare(contest, recipes, progress)
    progress.at(1.0)
    return Answer(_table(rows), {"rows": [row.as_dict() for row in rows]})


def _epsilons(text: str) -> list[float]:
    name, _, values = text.partition("=")
    try:
        numbers = [_options.positive(value) for value in values.split(",")]
    except argparse.ArgumentTypeError as wrong:
        raise Problem(f"The sweep was not understood: {wrong}.", do="Write --sweep epsilon=0.5,1,2,5.") from None
    if name != "epsilon":
        raise Problem(f"'{name}' cannot be swept.", "Only epsilon can.", "Write --sweep epsilon=0.5,1,2,5.")
    return numbers


def _table(rows: tuple[Row, ...]) -> str:
    lines = [f"{'method':<11}{'decision':<11}{'layout':<8}{'epsilon':<14}{'precision':>10}{'recall':>8}{'F1':>8}"
             f"{'named':>8}{'seconds':>9}"]  # fmt: skip
    for row in rows:
        epsilon = f"{row.epsilon:g} {row.unit}" if row.epsilon is not None else "no noise"
        named = f"{row.recovered:.1%}" if row.recovered is not None else ""
        lines.append(
            f"{row.method:<11}{row.decision:<11}{row.layout:<8}{epsilon:<14}{row.precision:>10.4f}{row.recall:>8.4f}"
            f"{row.f1:>8.4f}{named:>8}{row.seconds:>9.2f}"
        )
    return "\n".join(lines)
