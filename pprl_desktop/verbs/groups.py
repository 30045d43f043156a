"""groups: three or more parties put their links together."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.cli import Answer
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.verbs import _exchange

if TYPE_CHECKING:
    from pprl_desktop.exchange.group_terms import Group
    from pprl_desktop.job.groups import GroupProject
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices


def arguments(parser: argparse.ArgumentParser) -> None:
    steps = _exchange.steps(
        parser,
        new="write a group file: who is in the group, and who puts the links together",
        show="show a group file in plain words",
        status="show what is here of a group, and what is missing",
        send="write the own links for the party that puts them together",
        form="put the links of all parties together",
        tell="write for one party which of its records are in which group",
        review="send own links that were not followed back to the review with that party",
        write="write the own records that are in a group, without identifying columns",
    )
    for name, step in steps.items():
        _exchange.common(step, unlocks=name not in {"new", "show"})
    steps["new"].add_argument("--name", required=True, help="of the group")
    steps["new"].add_argument("--with", dest="parties", action="append", required=True, metavar="CONTACT")
    steps["new"].add_argument(
        "--computes", default="", metavar="CONTACT", help="who puts the links together (default: you)"
    )
    steps["new"].add_argument(
        "--most", action="append", default=[], metavar="CONTACT=N",
        help="records of one person that a party may have in a group (default: 1; for yourself: your own name)",
    )  # fmt: skip
    steps["new"].add_argument("--out", required=True, metavar="FILE.pprlgroup")
    steps["show"].add_argument("file", metavar="FILE.pprlgroup")
    for name in ("status", "send", "form", "tell", "review", "write"):
        steps[name].add_argument("--group", default="", metavar="ID", help="beginning of its id, or its name")
    for name in ("send", "form", "write"):
        steps[name].add_argument("--table", required=True, metavar="TABLE.csv", help="the own table, as exported")
    for name in ("send", "tell"):
        _exchange.sealing(steps[name])
    steps["form"].add_argument("--contradictions", metavar="FILE.csv", help="list the links that were not followed")
    steps["tell"].add_argument("--to", required=True, metavar="PARTY")
    steps["write"].add_argument("--out", required=True, metavar="FILE.csv|.xlsx|.dta|.parquet")
    steps["write"].add_argument(
        "--sensitive", default="", metavar="COLUMN,...", help="columns to put beside each group"
    )


def run(args: argparse.Namespace, progress: Progress) -> Answer:
    if args.step == "new":
        return _new(args)
    if args.step == "show":
        return _show(args)
    from pprl_desktop.job.groups import GroupProject

    project = GroupProject(*_exchange.unlock(args), args.group)
    return {"status": _status, "send": _send, "form": _form, "tell": _tell, "review": _review, "write": _write}[
        args.step
    ](args, project, progress)


def _new(args: argparse.Namespace) -> Answer:
    from pprl_desktop.job.groups import new_group, write_file

    made = new_group(_exchange.home(args), args.name, args.parties, args.computes, _most(args.most))
    write_file(made, Path(args.out))
    end = "Give the file to every party: each agreement between two of them is proposed with --group FILE."
    return Answer("\n".join([*_words(made), "", end]), {**_data(made), "file": args.out})


def _show(args: argparse.Namespace) -> Answer:
    from pprl_desktop.job.groups import read_file

    found = read_file(Path(args.file))
    return Answer("\n".join(_words(found)), _data(found))


def _status(args: argparse.Namespace, project: GroupProject, progress: Progress) -> Answer:
    lines, rows = [], []
    for one in project.standing():
        out, back = ("groups", "links") if project.computes else ("links", "groups")
        said = str(one.missing) or "compared"
        passed = [
            f"{what} {day[:10]}" for what, day in ((f"{out} sent", one.sent), (f"{back} here", one.received)) if day
        ]
        role = " (puts the links together)" if one.computes else ""
        lines.append("; ".join([f"{one.member.name}{role}: {said}", *passed]))
        rows.append(
            {"party": one.member.name, "computes": one.computes, "agreement": one.agreement, "compared": one.compared,
             "missing": str(one.missing), "sent": one.sent, "received": one.received}
        )  # fmt: skip
    return Answer("\n".join([*_words(project.group), "", *lines]), {**_data(project.group), "standing": rows})


def _send(args: argparse.Namespace, project: GroupProject, progress: Progress) -> Answer:
    table, choices = _own(args)
    planned = project.plan(table, choices, progress.part(0.0, 0.4))
    made = project.send(table, choices, Path(args.out), progress.part(0.4, 1.0))
    text = [*map(str, planned.sentences()), f"File {made.sequence} written. Send it to {planned.to}."]
    data = {"to": planned.to, "links": planned.links, "records": planned.records, "with": list(planned.with_parties)}
    return Answer("\n".join(text), {**data, **vars(made), "file": args.out})


def _form(args: argparse.Namespace, project: GroupProject, progress: Progress) -> Answer:
    formed = project.form(*_own(args), progress)
    if args.contradictions:
        from pprl_desktop.records.writing import write_csv

        rows = [
            [one.one, one.other, f"{one.probability:.6f}", str(one.why), "yes" if one.tie else "no"]
            for one in formed.contradictions
        ]
        write_csv(Path(args.contradictions), ["party", "other_party", "probability", "why", "tie"], rows)
    sizes = ", ".join(f"{groups:,} of {parties} parties" for parties, groups in formed.by_parties)
    text = [
        f"{formed.groups:,} groups with {formed.records:,} records, from {formed.links:,} links ({sizes or 'none'}).",
        f"{len(formed.contradictions):,} links contradict surer ones and were not followed; {formed.ties:,} of them "
        "were as sure as another. They go back to the parties for a review.",
        "Tell each party with 'groups tell --to PARTY'.",
    ]
    told = [
        {"one": one.one, "other": one.other, "probability": one.probability, "why": str(one.why), "tie": one.tie}
        for one in formed.contradictions
    ]
    return Answer("\n".join(text), {
        "groups": formed.groups, "records": formed.records, "links": formed.links,
        "by_parties": dict(formed.by_parties), "contradictions": told, "ties": formed.ties,
    })  # fmt: skip


def _tell(args: argparse.Namespace, project: GroupProject, progress: Progress) -> Answer:
    made = project.tell(args.to, Path(args.out), progress)
    text = f"File {made.sequence} written: {made.records:,} records of {args.to} are in groups. Send it to {args.to}."
    return Answer(text, {"to": args.to, **vars(made), "file": args.out})


def _review(args: argparse.Namespace, project: GroupProject, progress: Progress) -> Answer:
    moved = project.review()
    lines = [str(one.sentence()) for one in moved] or ["Every link of yours was followed: nothing to review."]
    return Answer("\n".join(lines), {"moved": [vars(one) for one in moved]})


def _write(args: argparse.Namespace, project: GroupProject, progress: Progress) -> Answer:
    table, choices = _own(args)
    sensitive = tuple(name for name in args.sensitive.split(",") if name)
    found = project.own_groups()
    rows = project.write(table, choices.changed(sensitive=sensitive), Path(args.out))
    text = (
        f"{rows:,} of your records are in groups; {found.through:,} of them are with a party that only a third party "
        f"links them to. {len(found.doubts):,} of your links were not followed."
    )
    return Answer(text, {"records": rows, "through": found.through, "doubts": len(found.doubts), "file": args.out})


def _own(args: argparse.Namespace) -> tuple[OwnTable, Choices]:
    from pprl_desktop.job.own_table import OwnTable
    from pprl_desktop.project.choices import Choices

    return OwnTable(), Choices(table_path=args.table)


def _most(texts: list[str]) -> Mapping[str, int]:
    made = {}
    for text in texts:
        name, _, count = text.rpartition("=")
        if not name or not count.isdigit():
            raise Problem(f"'{text}' is not CONTACT=N.", do="Write for example --most 'City Clinic=2'.", place="most")
        made[name] = int(count)
    return made


def _words(group: Group) -> list[str]:
    from pprl_desktop.job.groups import in_words

    return [*map(str, in_words(group)), f"Group {group.id[:12]}, made {group.made[:10]}."]


def _data(group: Group) -> dict[str, Any]:
    members = [{"name": one.name, "sign": one.sign, "most": one.most} for one in group.members]
    return {"group": group.id, "name": group.name, "made": group.made, "computes": group.computes, "members": members}
