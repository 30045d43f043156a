"""answer: write the sealed answer to the partner's question (method blind)."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

from pprl_desktop.cli import Answer, harmless
from pprl_desktop.progress import Progress
from pprl_desktop.said import as_said
from pprl_desktop.verbs import _exchange


def arguments(parser: argparse.ArgumentParser) -> None:
    _exchange.leaving(
        parser, "--again",
        "answer although this partner has asked in earlier runs; without this the sums are shown and asked",
    )  # fmt: skip


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    partnership = _exchange.partnership(args)
    table, choices = _exchange.own_table(args, partnership, progress.part(0.0, 0.1))
    weighed = partnership.weigh(table, choices, progress.part(0.1, 0.2))
    before = partnership.asked_before(weighed)
    again = args.again
    if before.runs and not again:
        from pprl_desktop.exchange.blind import asks_again

        if sys.stdin.isatty() and not args.json:  # otherwise the sums are said by the refusal alone
            for sentence in before.sentences():
                print(harmless(str(sentence)), file=sys.stderr)
            again = input("Answer all the same? Type yes: ").strip().lower() == "yes"
        if not again:
            problem = asks_again(before)
            problem.do = as_said("Look at the sums, then give --again if you want it. Nothing was written.")
            raise problem
    made = partnership.send_answer(table, choices, Path(args.out), again=again, progress=progress.part(0.2, 1.0))
    lines = [
        f"Answer about {made.records:,} records written ({made.bytes:,} bytes), sealed for "
        f"{partnership.partner_name} only.",
        *(["These are the same bytes as before: nothing new is answered."] if made.resent else []),
        f"It allows {made.guesses:,} guesses; a partner who lies in every question reaches up to "
        f"{100 * made.coverage:.1f} of 100 of your records.",
        *map(str, made.notes),
        "The secret numbers of the answer are destroyed: no further question can be answered with them.",
    ]
    progress.at(1.0)
    return Answer("\n".join(lines), {**asdict(made), "notes": [str(one) for one in made.notes], "file": args.out})
