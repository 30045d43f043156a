"""`pprl-desktop review STEP`: masked review of uncertain pairs within a privacy budget, without a window."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

from pprl_desktop.cli import Answer
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange, _options, _review_create
from pprl_desktop.verbs import _review_manager as manager
from pprl_desktop.verbs import _review_records as records
from pprl_desktop.verbs import _review_reviewer as reviewer

STEPS: Mapping[str, Callable[[argparse.Namespace, Progress], Answer]] = {
    "create": manager.create,
    "assign": manager.assign,
    "third": manager.third,
    "merge": manager.merge,
    "conflicts": manager.conflicts,
    "resolve": manager.resolve,
    "permit": manager.permit,
    "export": manager.export,
    "next": reviewer.next,
    "show": reviewer.show,
    "reveal": reviewer.reveal,
    "decide": reviewer.decide,
    "note": reviewer.note,
    "undo": reviewer.undo,
    "redo": reviewer.redo,
    "status": reviewer.status,
    "hand_back": reviewer.hand_back,
    "passphrase": reviewer.passphrase,
    "report": records.report,
    "verify": records.verify,
    "ask": records.ask,
    "answer": records.answer,
    "take_in": records.take_in,
    "delete": records.delete,
}


def arguments(parser: argparse.ArgumentParser) -> None:
    made = _exchange.steps(
        parser,
        create="make a review from two tables and pairs, MINDFIRL's files, or the partner's cells",
        assign="hand out sealed shares to reviewers",
        next="show the next undecided pair",
        show="show a pair",
        reveal="open a cell by one level, within the budget",
        decide="decide a pair: 1 surely different ... 6 surely the same, 0 cannot tell",
        note="attach a note to a pair",
        undo="take the last decision back (what was opened stays counted)",
        redo="bring the last decision taken back in force again",
        status="how far the review is, the meter, estimates",
        hand_back="write the sealed decisions file for the manager",
        merge="take decisions files of reviewers in",
        conflicts="pairs on which the votes differ",
        third="give the pairs in conflict to a further reviewer",
        resolve="settle a conflict as the manager",
        permit="permit that identifying fields are exported",
        export="write the linked, de-identified table",
        report="the privacy loss of every reviewer",
        verify="check the ledger from its first entry to its last",
        passphrase="replace the passphrase of a share by the own one",
        ask="ask the partner for the cells of the review band",
        answer="show which cells the partner asked for, and send them in clear when told to",
        take_in="put the decisions on pairs with the partner into the own match",
        delete="remove everything the review wrote",
    )
    for name, step in made.items():
        if name not in ("ask", "answer"):
            step.add_argument("review", metavar="REVIEW", help="the review's folder, or a reviewer's .share file")
        _exchange.common(step)
    _review_create.arguments(made["create"])
    for name in ("create", "ask", "answer", "take_in"):
        _exchange.agreement_option(made[name])
    _exchange.table_options(made["answer"])
    made["answer"].add_argument(
        "--send-in-clear", type=int, metavar="N",
        help="really send the cells of N records, in clear; without it only what would leave is shown",
    )  # fmt: skip
    for name in ("assign", "third"):
        made[name].add_argument("--reviewer", action="append", default=[], metavar="NAME", required=True)
        made[name].add_argument("--out", metavar="DIR", help="where the shares go (default: into the review)")
    made["assign"].add_argument("--overlap", type=float, default=0.0, help="part of the pairs that two reviewers see")
    made["assign"].add_argument(
        "--tranche", type=int, default=10, metavar="N",
        help="pairs handed out at a time: what a copied share can open (default: 10)",
    )  # fmt: skip
    made["assign"].add_argument(
        "--crowd", choices=("all", "pairs"), default="pairs",
        help="records in the sealed share: only those of its pairs (overstates the risk), or all: exact crowds, and "
        "whoever copies the share holds every record",
    )  # fmt: skip
    made["merge"].add_argument("--out", metavar="DIR", help="where the next pairs go (default: into the review)")
    for name in ("next", "show", "status"):
        made[name].add_argument("--order", choices=("shuffled", "score", "field"))
        made[name].add_argument("--order-field", default="", metavar="FIELD")
    made["show"].add_argument("pair", metavar="PAIR")
    made["reveal"].add_argument("field", metavar="FIELD")
    made["reveal"].add_argument("--level", choices=("partial", "full"), help="default: the next one")
    made["decide"].add_argument("point", type=int, metavar="POINT")
    made["decide"].add_argument("--note", default="", help="kept sealed")
    made["note"].add_argument("text", metavar="TEXT")
    for name in ("reveal", "decide", "note"):
        made[name].add_argument("--pair", metavar="ID", help="default: the next undecided pair")
    made["merge"].add_argument("files", nargs="+", metavar="FILE")
    made["conflicts"].add_argument("--show", action="store_true", help="with the cells as the voters saw them")
    made["resolve"].add_argument("pair", metavar="PAIR")
    made["resolve"].add_argument("point", type=int, metavar="POINT")
    export = made["export"]
    export.add_argument("--shape", choices=("clusters", "pairs", "decisions"), default="clusters")
    for side in ("a", "b"):
        export.add_argument(f"--{side}", metavar="TABLE.csv", help="the table the sensitive columns lie in")
        export.add_argument(f"--sensitive-{side}", default="", metavar="COLUMN,...", help="columns to join back")
    _options.reading_options(export, tables=2)
    export.add_argument("--identifying", action="store_true", help="with the identifying fields (needs the permission)")
    for name in ("export", "hand_back", "ask", "answer"):
        made[name].add_argument("--out", required=True, metavar="FILE")
    made["report"].add_argument("--out", metavar="FILE", help="also write it there as text")
    made["verify"].add_argument("--sealed", action="store_true", help="also check the seals (asks for the passphrase)")
    made["delete"].add_argument("--yes", action="store_true", help="really delete")
    parser.set_defaults(json=False)


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    name = args.step.replace("-", "_")
    answer = STEPS[name](args, progress)
    progress.at(1.0)
    return answer
