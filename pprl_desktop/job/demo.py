"""The whole two-party job on the built-in sample, through the same functions as two stewards on two computers.

Two homes, two keys, files that pass from one outbox to the other inbox; nothing else is shared. The truth is
read only at the end, to score.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pprl_desktop import resources
from pprl_desktop.job import preview
from pprl_desktop.job.finishing import Course, finish
from pprl_desktop.job.offers import adopted, offer_of
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.project.project import SUFFIX, Project

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.evaluation.figures import Figures
    from pprl_desktop.exchange.contacts import Contact
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.exchange.identity import Identity
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.rehearsal.rehearse import Rehearsal

PASSPHRASE = "sample people do not exist"  # of both demo keys: they protect nothing, and the window asks for it
NAMES = ("Heart Registry (sample)", "St. Anne Hospital (sample)")
FOLDERS = ("hospital_a", "hospital_b")
# the partner's columns for the fields that the first hospital's profile suggests
COLUMNS_B = {
    "last_name": "surname",
    "first_name": "given_name",
    "middle_name": "second_name",
    "birth_date": "dob",
    "sex": "gender",
    "street": "address",
    "city": "town",
    "postcode": "zip",
}
MARK = "made-by-demo.txt"
REHEARSED = 200  # own records played against the attacker: enough for an interval of a few of 100


@dataclass(eq=False)
class Party:
    """One steward at work: own folder, own key, own table."""

    folder: Path
    home: Home
    own: Identity
    own_table: OwnTable
    choices: Choices
    project: Project
    contact: Contact | None = None
    partnership: Partnership | None = None
    rehearsal: Rehearsal | None = None
    match: Match | None = None
    outcome: Outcome | None = None

    def agreed(self) -> Partnership:
        assert self.partnership is not None
        return self.partnership


@dataclass(frozen=True)
class Summary:
    folder: str
    project: str
    rows: tuple[int, int]
    fields: tuple[str, ...]
    method: str
    safety_words: str
    bundle_bytes: tuple[int, int]
    accepted: tuple[int, int]
    to_review: tuple[int, int]
    counts: dict[str, int]
    figures: Figures
    statement: str
    rehearsal: str
    files: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "figures"}
        return {**plain, **self.figures.as_dict()}


Stage = Literal["cards", "proposed", "agreed", "sent", "exchanged", "matched", "told"]
STAGES: tuple[Stage, ...] = ("cards", "proposed", "agreed", "sent", "exchanged", "matched", "told")
# steps of the first hospital that are done when a stage is reached
DONE: dict[Stage, tuple[str, ...]] = {
    "cards": ("data", "fields", "method"),
    "proposed": (),
    "agreed": ("agreement",),
    "sent": ("export",),
    "exchanged": ("partner",),
    "matched": ("match",),
    "told": ("results",),
}
BLIND_BOUND = 0.3  # so small a table is easily guessed
FEWER = 500  # records of each hospital


def stages(out: Path, *, rule: str = "both", blind: bool = False) -> Iterator[tuple[Stage, Path, Path]]:
    """The same job, halting at each stage with both projects as they then stand: what comes before the end can be seen.

    At "sent" the second hospital has got the first one's file (with blind: the question) and sent none; at "told" it
    has matched too and both results have passed. Whoever opens a project closes it before going on.
    """
    folder = _fresh_folder(out)
    tables = first_of_both(folder, FEWER)
    a, b = (_party(folder, side, NO_PROGRESS, tables[side]) for side in (0, 1))
    if blind:  # one hospital writes the house number first: keys of its streets would be easier guessed than met
        kept = tuple(one for one in a.choices.fields if one.name != "street")
        columns = tuple(pair for pair in a.choices.columns if pair[0] != "street")
        a.choices = a.choices.with_method("blind").changed(fields=kept, columns=columns)
    for one in (a, b):
        one.choices = one.choices.changed(rule=rule)
    done: list[str] = []
    for stage in STAGES[:-1] if blind else STAGES:
        _go_to(stage, a, b, folder)
        done += DONE[stage]
        for one in (a, b):
            _keep_project(one, tuple(done))
            one.project.close()
        yield stage, a.project.path, b.project.path
        for one in (a, b):
            one.project = Project.open(one.project.path)
    for one in (a, b):
        one.project.close()


def first_of_both(folder: Path, count: int) -> tuple[Path, Path]:
    """The first people of both hospitals, two thirds of them held by both: looking need not take long."""
    with resources.find("samples", "truth.csv").open(encoding="utf-8", newline="") as file:
        truth = list(csv.DictReader(file))[: count * 2 // 3]
    made = []
    for name, id in zip(FOLDERS, ("id_a", "id_b"), strict=True):
        with resources.find("samples", f"{name}.csv").open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        shared = {one[id] for one in truth}
        kept = [row for row in rows if row[0] in shared]
        kept += [row for row in rows if row[0] not in shared][: count - len(kept)]
        made.append(folder / f"{name}.csv")
        with made[-1].open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([header, *sorted(kept)])
    return made[0], made[1]


def _go_to(stage: Stage, a: Party, b: Party, folder: Path) -> None:
    if stage == "cards":
        _exchange_cards(a, b, folder)
    elif stage == "proposed":
        _propose(a, b, folder)
    elif stage == "agreed":
        _sign(a, b, folder)
    elif stage == "sent":
        _send(a, b, folder, 0)
    elif stage == "exchanged":
        _send(b, a, folder, 1)
    elif stage == "matched":
        _match(a, NO_PROGRESS)
    else:
        _match(b, NO_PROGRESS)
        _exchange_results(a, b, folder)


def run_demo(out: Path, progress: Progress = NO_PROGRESS) -> Summary:
    folder = _fresh_folder(out)
    parties = tuple(_party(folder, side, progress.part(0.06 * side, 0.06 * (side + 1))) for side in (0, 1))
    a, b = parties
    try:
        words = _exchange_cards(a, b, folder)
        progress.at(0.12, "rehearsing the attack before anything leaves")
        a.rehearsal = preview.rehearse(
            a.own_table, a.choices, sample=REHEARSED, changes=False, progress=progress.part(0.12, 0.2)
        )
        progress.at(0.2, "agreeing")
        _agree(a, b, folder)
        sizes = _exchange_bundles(a, b, folder, progress.part(0.2, 0.35))
        for side, party in enumerate(parties):
            _match(party, progress.part(0.35 + 0.3 * side, 0.65 + 0.3 * side))
        progress.at(0.95, "putting the results together")
        _exchange_results(a, b, folder)
        figures = _score(a, b)
        files = [*(_finish(party, figures) for party in parties)]
        for party in parties:
            _keep_project(party)
        made = _summary(a, b, folder, words, sizes, figures, tuple(name for names in files for name in names))
    finally:
        for party in parties:
            party.project.close()
    progress.at(1.0)
    return made


def _fresh_folder(out: Path) -> Path:
    """An empty folder, or one that an earlier demo made: nothing else is ever overwritten."""
    if out.exists():
        if not out.is_dir() or (any(out.iterdir()) and not (out / MARK).is_file()):
            raise Problem(
                "The folder for the demo is not empty.",
                "The demo never writes over files it did not make.",
                "Give another folder with --out.",
                place="out",
            )
        import shutil

        shutil.rmtree(out)
    try:
        (out / "post").mkdir(parents=True)
        (out / MARK).write_text("This folder was made by 'pprl-desktop demo'. It may be deleted.\n", encoding="utf-8")
    except OSError:
        raise Problem(
            "The folder for the demo cannot be made.", do="Give another one with --out.", place="out"
        ) from None
    return out.resolve()


def _party(folder: Path, side: int, progress: Progress, table: Path | None = None) -> Party:
    from pprl_desktop.exchange import identity
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.project.choices import Choices

    progress.at(0.0, f"{NAMES[side]}: key and table")
    place = folder / FOLDERS[side]
    home = Home(place / "keys")
    own = identity.new(NAMES[side])
    home.create(own, PASSPHRASE)
    own_table = OwnTable()
    seen = own_table.load(table or resources.find("samples", f"{FOLDERS[side]}.csv"), progress=progress)
    project = Project.create(place / f"{FOLDERS[side]}{SUFFIX}", f"{NAMES[side]} × {NAMES[1 - side]}")
    choices = Choices().changed(**seen.changes(), home=str(home.path))
    return Party(place, home, own, own_table, choices, project)


def _exchange_cards(a: Party, b: Party, folder: Path) -> str:
    """Each side hands over its card; both compare the safety number, here as on the telephone."""
    from pprl_desktop.exchange import contacts

    words = ""
    for one, other, name in ((a, b, "card_of_b"), (b, a, "card_of_a")):
        card = folder / "post" / f"{name}.pprlcard"
        card.write_bytes(other.home.own_card_bytes())
        contact = contacts.new(card.read_bytes())
        number = contacts.number_with(one.home.own_card(), contact)
        words = " ".join(number.words)
        one.contact = contacts.verified(contact, one.home.own_card(), words)
        one.home.keep_contact(one.contact)
    return words


def _agree(a: Party, b: Party, folder: Path) -> None:
    _propose(a, b, folder)
    _sign(a, b, folder)


def _propose(a: Party, b: Party, folder: Path) -> None:
    assert a.contact is not None
    offer = offer_of(a.choices, "Try the program")
    if a.choices.method == "blind":
        from pprl_desktop.job.blind import Wish, prepare_own

        offer = replace(offer, blind=prepare_own(a.own_table, a.choices, Wish(b.choices.rows, BLIND_BOUND)).terms)
    a.partnership = Partnership.propose(a.home, a.own, a.contact.id, offer, folder / "post" / "proposal.pprl")


def _sign(a: Party, b: Party, folder: Path) -> None:
    proposal, answer = folder / "post" / "proposal.pprl", folder / "post" / "answer.pprl"
    assert a.partnership is not None
    received = Partnership.open(b.home, b.own, proposal)
    assert received.proposal is not None
    columns = tuple((one.name, COLUMNS_B[one.name]) for one in a.choices.fields)
    terms = received.proposal.terms
    b.choices = b.choices.changed(**adopted(b.choices, terms, columns))
    weighed = None
    if terms.blind is not None:
        from pprl_desktop.job.blind import weigh_own

        weighed = weigh_own(b.own_table, b.choices, terms.blind, "accepter")
    b.partnership = Partnership.accept(b.home, b.own, received.proposal, answer, dict(columns), weighed=weighed)
    Partnership.open(a.home, a.own, answer)
    a.partnership.remember(dict(a.choices.columns))
    a.choices = a.choices.changed(**adopted(a.choices, terms, a.choices.columns))  # or a look undoes it
    for party in (a, b):
        party.choices = party.choices.changed(agreement=party.agreed().id)


def _exchange_bundles(a: Party, b: Party, folder: Path, progress: Progress) -> tuple[int, int]:
    return _send(a, b, folder, 0, progress.part(0.0, 0.5)), _send(b, a, folder, 1, progress.part(0.5, 1.0))


def _send(one: Party, other: Party, folder: Path, side: int, progress: Progress = NO_PROGRESS) -> int:
    """One side's file, sealed, on its way and taken in; its size."""
    agreed, place = one.agreed(), folder / "post"
    if agreed.agreement.terms.blind is not None:
        path = place / ("question.pprl", "blind_answer.pprl")[side]
        if side == 0:
            agreed.send_question(one.own_table, one.choices, path)
        else:
            agreed.send_answer(one.own_table, one.choices, path)
        size = path.stat().st_size
    else:
        progress.at(0.0, f"{NAMES[side]}: sealing the bundle")
        path = place / f"bundle_of_{'ab'[side]}.pprl"
        size = agreed.export(one.own_table, one.choices, path, progress).bytes
    received = other.agreed().receive(path)
    one.choices = one.choices.changed(bundle_path=str(path))
    digest = received.item.digest if received.item is not None else ""
    if received.kind != "question":  # a question is done with when it is answered, by whoever answers
        other.choices = other.choices.changed(partner_path=str(path), partner_sha256=digest)
    asked = agreed.agreement.latest_received("question")
    if asked is not None:
        one.choices = one.choices.changed(partner_path=asked.digest, partner_sha256=asked.digest)
    return size


def _match(party: Party, progress: Progress) -> None:
    progress.at(0.0, f"{party.own.name}: matching")
    party.match = party.agreed().match(party.own_table, party.choices, progress=progress)
    party.agreed().keep(party.match)


def _exchange_results(a: Party, b: Party, folder: Path) -> None:
    for side, (one, other) in enumerate(((a, b), (b, a))):
        path = folder / "post" / f"result_of_{'ab'[side]}.pprl"
        one.agreed().send_result(path)
        other.agreed().receive(path)
        one.choices = one.choices.changed(result_path=str(path))
        other.choices = other.choices.changed(partner_result_path=str(path))
    for party in (a, b):
        party.outcome = party.agreed().outcome()


def _score(a: Party, b: Party) -> Figures:
    """Both owners together can name the pairs; only the demo, which holds both tables, does."""
    from pprl_desktop.evaluation.figures import Truth
    from pprl_desktop.evaluation.play import pairs_of_ids
    from pprl_desktop.matching.reconcile import as_pairs
    from pprl_desktop.records.reading import read_table

    truth = read_table(resources.find("samples", "truth.csv")).table
    ids = [party.own_table.table(party.choices).column(party.choices.id_column).cells() for party in (a, b)]
    true = pairs_of_ids(
        ids[0], ids[1], list(zip(truth.column("id_a").cells(), truth.column("id_b").cells(), strict=True))
    )
    assert a.outcome is not None
    assert b.outcome is not None
    rows_b = dict(zip(b.outcome.links, b.outcome.reconciled.linked[:, 0].tolist(), strict=True))
    found = as_pairs(a.outcome.reconciled.linked[:, 0], [rows_b[link] for link in a.outcome.links])
    return Truth(true).figures(found)


def _finish(party: Party, figures: Figures) -> tuple[str, ...]:
    party.choices = party.choices.changed(output_folder=str(party.folder), agreement=party.agreed().id)
    course = Course(
        f"What was disclosed: {party.own.name}", party.match, outcome=party.outcome, rehearsal=party.rehearsal,
        figures=figures,
    )  # fmt: skip
    made = finish(party.agreed(), party.own_table, party.choices, party.folder, course)
    return made.linked.path, made.report


ALL = ("data", "fields", "method", "agreement", "export", "partner", "match", "results", "finish")


def _keep_project(party: Party, done: tuple[str, ...] = ALL) -> None:
    """The project as if its steward had walked through every step, for the window to open."""
    from pprl_desktop.job.kept import keep_rehearsal, match_artefact, outcome_artefact

    assert party.contact is not None
    agreed = party.partnership.id if party.partnership is not None else ""
    party.choices = party.choices.changed(partner=party.contact.id, agreement=agreed)
    changes = {name: getattr(party.choices, name) for name in party.choices.__dataclass_fields__}
    party.project.change("Run the demo", **changes)
    if party.rehearsal is not None:
        keep_rehearsal(party.project, party.project.choices, party.rehearsal)
    kept = {"match": {"match": match_artefact(party.match)}} if party.match is not None else {}
    if party.outcome is not None:
        kept["results"] = {"outcome": outcome_artefact(party.outcome)}
    for step in done:
        party.project.confirm(step, kept.get(step))


def _summary(
    a: Party, b: Party, folder: Path, words: str, sizes: tuple[int, int], figures: Figures, files: tuple[str, ...]
) -> Summary:
    from pprl_desktop.privacy.statements import statement

    assert a.match is not None
    assert b.match is not None
    assert a.outcome is not None
    recipe = a.agreed().recipe()
    return Summary(
        str(folder),
        str(a.project.path),
        (a.choices.rows, b.choices.rows),
        tuple(one.name for one in a.choices.fields),
        a.choices.method,
        words,
        sizes,
        (len(a.match.accepted()), len(b.match.accepted())),
        (len(a.match.to_review()), len(b.match.to_review())),
        a.outcome.counts(),
        figures,
        str(statement(recipe, a.choices.rows).summary),
        str(a.rehearsal.headline) if a.rehearsal is not None else "",
        files,
    )
