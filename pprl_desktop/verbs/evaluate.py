"""evaluate: both parties in one process, through the real smash and match path; the truth is used only to score."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _evaluate_blind, _options, _pairs
from pprl_desktop.verbs import _evaluate_report as report

if TYPE_CHECKING:
    from pprl_desktop.evaluation.figures import Truth
    from pprl_desktop.job.trial import Trial
    from pprl_desktop.records.reading import ReadOptions
    from pprl_desktop.records.table import Table


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", metavar="A.csv")
    parser.add_argument("b", metavar="B.csv")
    parser.add_argument("--truth", required=True, metavar="T.csv", help="the true pairs: columns id_a,id_b")
    parser.add_argument("--id", default="rec_id", metavar="COLUMN", help="the id column of both files")
    parser.add_argument("--id-b", metavar="COLUMN", help="the id column of B where it is named differently")
    parser.add_argument("--fields", required=True, metavar="NAME[:TYPE],...", help="matching fields (columns of A)")
    parser.add_argument("--columns-b", metavar="NAME,...", help="the columns of B, in the order of the fields")
    _options.method_options(parser, blind=True)
    parser.add_argument("--seed", type=_options.seed, default=0, metavar="N", help="same seed, same figures")
    _options.memory_option(parser)
    _options.reading_options(parser, tables=3)
    _options.engine_options(parser)
    parser.add_argument("--rule", default="both", choices=("both", "either", "review"), help="to reconcile")
    parser.add_argument("--accept", type=_options.score, metavar="SCORE", help="threshold by hand")
    _pairs.option(parser)
    many = parser.add_argument_group("tables")
    many.add_argument(
        "--sweep", nargs="?", const="epsilon", metavar="epsilon=E,E,... or coverage=U,U,...",
        help="the same at several epsilons; with blind, at several bounds of coverage (without values: the usual ones)",
    )  # fmt: skip
    many.add_argument("--compare", action="store_true", help="all methods on the same data")
    many.add_argument("--frontier", action="store_true", help="quality against what a partner could name")


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    from pprl_desktop.codes.base import method
    from pprl_desktop.job.own_table import with_words_of
    from pprl_desktop.job.trial import Trial

    started = time.perf_counter()
    progress.at(0.0, "reading")
    _one_table_only(args)
    tables = _two_tables(args)
    fields = _options.parse_fields(args.fields, tables[0])
    fields = with_words_of(fields, tables[1], _options.columns_for(fields, args.columns_b))
    truth = read_truth(args.truth, *tables, args.id, args.id_b or args.id, _options.how_read(args, 2))
    blind = not method(args.method).smashes
    if blind:
        _evaluate_blind.no_idle_option(args)
    elif args.coverage is not None:
        raise Problem(
            "Only 'blind' has a coverage.", do="Leave --coverage out, or add --method blind.", place="coverage"
        )
    choices = _options.choices_from(args, fields, _options.columns_for(fields, None)).changed(accept=args.accept)
    trial = Trial(
        tables, truth, choices, _options.columns_for(fields, args.columns_b), memory=args.memory << 20, seed=args.seed
    )
    seconds = {"read": round(time.perf_counter() - started, 3)}
    if blind:
        return _evaluate_blind.measured(args, trial, seconds, started, progress)
    if args.sweep or args.compare or args.frontier:
        return _many(args, trial, progress)
    return _measured(args, trial, seconds, started, progress)


def _one_table_only(args: argparse.Namespace) -> None:
    asked = [f"--{name}" for name in ("sweep", "compare", "frontier") if getattr(args, name)]
    if len(asked) > 1:
        raise Problem(f"{' and '.join(asked)} make different tables.", do="Ask for one at a time.", place="arguments")
    fixed = [f"--{name}" for name in ("decision", "layout") if getattr(args, name) is not None]
    if (args.compare or args.frontier) and fixed:
        raise Problem(
            f"{asked[0]} runs every method in its own way, so {fixed[0]} has no meaning.",
            do=f"Leave {fixed[0]} out, or leave {asked[0]} out to run one method.",
            place="arguments",
        )


def _two_tables(args: argparse.Namespace) -> tuple[Table, Table]:
    read = []
    for place, path in enumerate((args.a, args.b)):
        table = _options.read(path, options=_options.how_read(args, place))
        if not table.rows:
            raise Problem(
                f"{Path(path).name} has no record.",
                "There is nothing to link in it.",
                "Give a file with a header line and at least one record.",
                place="table",
            )
        read.append(table)
    if Path(args.a).samefile(args.b) and len(set(args.sheet)) < 2:
        raise Problem(
            "A and B are the same file.",
            "Every record would find itself.",
            "Give the files of two parties; to see duplicates within one file, run 'pprl-desktop profile'.",
            place="table",
        )
    return read[0], read[1]


def read_truth(path: str, a: Table, b: Table, id_a: str, id_b: str, how: ReadOptions) -> Truth:
    """A file without a pair says that nobody is shared: then what is linked is wrong, and nothing can be missed."""
    from pprl_desktop.job.trial import truth_of

    table = _options.read(path, options=replace(how, made=(), empty=True))
    pairs = list(zip(table.column("id_a").cells(), table.column("id_b").cells(), strict=True))
    own, partner = a.column(id_a).cells(), b.column(id_b).cells()
    known = set(own), set(partner)
    unknown = [place for place, (i, j) in enumerate(pairs) if i not in known[0] or j not in known[1]]
    if pairs and len(unknown) == len(pairs):
        raise Problem(
            "No pair of the truth file was found in the two tables.",
            f"Its ids do not occur in '{id_a}' and '{id_b}'.",
            "Name the right id columns with --id and --id-b.",
            place="truth",
        )
    if unknown:
        raise Problem(
            f"{len(unknown):,} of {len(pairs):,} pairs of the truth file name an id that is not in the tables; "
            f"the first is pair {unknown[0] + 1:,}.",
            "Recall would be measured on the wrong number of pairs.",
            "Remove these pairs, or give the tables that the truth was made for.",
            place="truth",
        )
    return truth_of(own, partner, pairs)


def _measured(
    args: argparse.Namespace, trial: Trial, seconds: dict[str, float], started: float, progress: Progress
) -> Answer:
    from pprl_desktop.evaluation.play import peak_memory_mb

    made, contest = trial.measure(args.rule, progress), trial.contest
    played, figures, said = made.played, made.figures, made.statement
    warnings = {str(one) for one in (*played.a.match.warnings, *played.b.match.warnings)}
    most = contest.truth.at_most(contest.options.direction)
    if most < len(contest.truth):
        warnings.add(
            f"The truth links some records several times: {contest.options.direction} finds {most:,} of "
            f"{len(contest.truth):,} pairs at most. Use --{contest.truth.direction()}."
        )
    if not figures.predicted_pairs:
        warnings.add("No pair was linked: a precision of 1 then only says that nothing wrong was shown.")
    seconds |= {stage: round(spent, 3) for stage, spent in played.seconds.items()}
    seconds["total"] = round(time.perf_counter() - started, 3)
    data: dict[str, Any] = {
        "method": made.recipe.method,
        "parameters": report.parameters(made.recipe, args.rule, args.seed),
        **figures.as_dict(),
        **made.believed.as_dict(),
        "sides": {
            "a": report.side_records(played.a, contest.truth, args.pairs, turned=False),
            "b": report.side_records(played.b, contest.truth, args.pairs, turned=True),
        },
        "threshold": played.a.match.accept,
        "reconciled": report.counts(played),
        "seconds": seconds,
        "memory_estimate_mb": round(played.memory / (1 << 20), 1),
        "peak_rss_mb": peak_memory_mb(),
        "privacy": said.as_dict(),
        "privacy_statement": said.summary,
        "warnings": sorted(warnings),
    }
    progress.at(1.0)
    return Answer(report.text(data), data)


def _many(args: argparse.Namespace, trial: Trial, progress: Progress) -> Answer:
    recipe = trial.choices.checked_recipe()
    if args.sweep:
        rows = trial.sweep(_epsilons(args.sweep, recipe.method), progress)
    elif args.frontier:
        rows = trial.frontier(progress)
    else:
        rows = trial.compare(args.epsilon, args.kernel, progress)
    progress.at(1.0)
    made = report.parameters(recipe, args.rule, args.seed)
    shared = {name: made[name] for name in ("fields", "one_to_one", "direction", "rule", "seed")}
    data = {"true_pairs": len(trial.contest.truth), "parameters": shared, "rows": [row.as_dict() for row in rows]}
    return Answer(report.table(rows), data)


def _epsilons(text: str, method_name: str) -> list[float] | None:
    """None: the usual ones."""
    from pprl_desktop.codes.base import REGISTRY, method

    name, given, values = text.partition("=")
    if name != "epsilon":
        raise Problem(f"'{name}' cannot be swept.", "Only epsilon can.", "Write --sweep epsilon=0.5,1,2,5.")
    if not method(method_name).exportable:
        others = ", ".join(name for name in REGISTRY if method(name).exportable)
        raise Problem(
            f"'{method_name}' compares clear values and has no noise to sweep.",
            do=f"Choose --method {others}.",
            place="method",
        )
    if not given:
        return None
    try:
        return [_options.positive(value.strip()) for value in values.split(",")]
    except argparse.ArgumentTypeError as wrong:
        raise Problem(f"The sweep was not understood: {wrong}.", do="Write --sweep epsilon=0.5,1,2,5.") from None
