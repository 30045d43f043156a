"""What the report tells and a restart would lose: the rehearsal, what was expected of the match, the review.

All of it is kept with the project as templates with their values, for any language, without a value of any record.
A review that is not open is told from its ledger, which needs no passphrase to be read.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pprl_desktop.job.disclosure import match_sentences
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said, from_plain, to_plain

if TYPE_CHECKING:
    from pprl_desktop.decisions.base import Match
    from pprl_desktop.evaluation.synthetic import Forecast
    from pprl_desktop.exchange.results import Outcome
    from pprl_desktop.job.outputs import Linked
    from pprl_desktop.project.choices import Choices
    from pprl_desktop.project.project import Project
    from pprl_desktop.rehearsal.rehearse import Rehearsal
    from pprl_desktop.review.desk import Desk
    from pprl_desktop.review.estimates import Estimate, Interval

# what a rehearsal depends on: played under other choices it says nothing about these
REHEARSED = ("table_sha256", "fields", "columns", "reference", "mapping", "method", "settings")


MOST_WAYS = 24  # whose figures are kept
TOO_WIDE = 0.25  # half the width of an interval that tells an ethics board nothing

Range = tuple[float, float, float]  # a share, and the interval it lies in


@dataclass(frozen=True)
class KeptRehearsal:
    headline: Said
    said: tuple[Said, ...]
    named: Range | None = None  # of the own people, by the partner; None: kept by an older version

    def sentences(self) -> tuple[Said, ...]:
        return self.said


@dataclass(frozen=True)
class KeptMatch:
    precision: float  # expected; NaN where the rule gives no forecast
    recall: float
    said: tuple[Said, ...]
    wrong: Range | None = None  # share of the accepted pairs, and what it may be
    missed: Range | None = None  # share of the shared people
    accepted: int = 0
    reliable: bool = True


@dataclass(frozen=True)
class KeptReview:
    said: tuple[Said, ...]  # for the report
    estimates: tuple[Said, ...]  # precision and recall after the review; none where nothing was decided


def keep_rehearsal(project: Project, of: Choices, found: Rehearsal) -> None:
    """`of`: the choices it was played under, which may no longer be the present ones."""
    named = found.partner.named
    share = [float(named.share), float(named.low), float(named.high)]
    made = {
        "of": rehearsed(of),
        "headline": to_plain(found.headline),
        "said": _listed(found.sentences()),
        "named": share,
    }
    project.keep("rehearsal", _json(made))


def keep_forecast(project: Project, of: Choices, found: Forecast) -> None:
    """What would be found, on synthetic pairs of the own records."""
    low, high = found.recall_interval
    share = [float(found.figures.recall), float(low), float(high)]
    project.keep("forecast", _json({"of": rehearsed(of), "found": share}))


def forecast_under(project: Project, choices: Choices) -> Range | None:
    """The share of shared people that would be found under these choices; None where it was not measured."""
    plain = _plain(project.artefact("forecast"))
    return as_range(plain.get("found")) if plain.get("of") == rehearsed(choices) else None


def keep_figures(project: Project, of: Choices, figures: Mapping[str, Any]) -> None:
    """Of one way to compare; the newest ones are kept, so that trying many does not fill the project."""
    known = _figures(project)
    known.pop(rehearsed(of), None)
    newest = [*known.items(), (rehearsed(of), dict(figures))][-MOST_WAYS:]
    project.keep("ways", _json({"ways": [[name, one] for name, one in newest]}))


def figures_under(project: Project, choices: Choices) -> Mapping[str, Any]:
    """As kept; nothing where this way was not measured on this table."""
    return _figures(project).get(rehearsed(choices), {})


def _figures(project: Project) -> dict[str, dict[str, Any]]:
    listed = _plain(project.artefact("ways")).get("ways")
    pairs = listed if isinstance(listed, list) else []
    return {
        one[0]: one[1]
        for one in pairs
        if isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) and isinstance(one[1], dict)
    }


def as_range(plain: Any) -> Range | None:
    known = isinstance(plain, list) and len(plain) == 3 and all(type(one) is float and 0 <= one <= 1 for one in plain)
    return (float(plain[0]), float(plain[1]), float(plain[2])) if known else None


def rehearsal_of(project: Project) -> KeptRehearsal | None:
    """The rehearsal of the present choices; None where none was played to its end."""
    return rehearsal_under(project, project.choices)


def rehearsal_under(project: Project, choices: Choices) -> KeptRehearsal | None:
    """Of other choices than the present ones: a proposal that is being read."""
    plain = _plain(project.artefact("rehearsal"))
    if not plain.keys() >= {"of", "headline", "said"} or plain["of"] != rehearsed(choices):
        return None
    return KeptRehearsal(from_plain(plain["headline"]), _several(plain["said"]), as_range(plain.get("named")))


def match_artefact(match: Match) -> bytes:
    """Kept when the step is confirmed."""
    names = [f"{one}{end}" for one in ("precision", "recall") for end in ("", "_low", "_high")]
    figures = {name: float(match.expected.get(name, math.nan)) for name in names}
    known = {name: value for name, value in figures.items() if math.isfinite(value) and value >= 0}
    counted = {"accepted": len(match.accepted()), "to_review": len(match.to_review()), "accept": f"{match.accept:.6g}"}
    counted["reliable"] = int(bool(getattr(match, "reliable", True)))
    return _json({**counted, "expected": known, "said": _listed(match_sentences(match, None))})


def match_of(project: Project) -> KeptMatch | None:
    plain = _plain(project.artefact("match"))
    if not plain.keys() >= {"said", "expected"} or project.state("match").state != "done":
        return None
    expected = plain["expected"]
    return KeptMatch(
        float(expected.get("precision", math.nan)), float(expected.get("recall", math.nan)), _several(plain["said"]),
        _other_side(expected, "precision"), _other_side(expected, "recall"), int(plain.get("accepted", 0)),
        bool(plain.get("reliable", 1)),
    )  # fmt: skip


def _other_side(expected: Mapping[str, float], name: str) -> Range | None:
    """Of what is right or found: what is wrong or missed."""
    if name not in expected:
        return None
    value = expected[name]
    return 1 - value, 1 - expected.get(f"{name}_high", value), 1 - expected.get(f"{name}_low", value)


def _estimates(made: Estimate) -> list[Said]:
    """What the decisions tell of all links; an interval from nothing to everything is no estimate."""
    widest = max(made.precision_after.half_width, made.recall_after.half_width)
    if widest > TOO_WIDE and made.more:
        return [
            Said(
                "Too few pairs were reviewed to tell from them how many links are right or missing: about {more} "
                "more would, also of the accepted and rejected ones.",
                more=made.more,
            )
        ]
    return [
        Said("Precision after the review: {interval}, an estimate.", interval=_interval(made.precision_after)),
        Said("Recall after the review: {interval}, an estimate.", interval=_interval(made.recall_after)),
        made.sentence,
    ]


def review_told(manager: Desk, progress: Progress = NO_PROGRESS) -> bytes:
    """The open review for the report: the loss of everyone who opened something, and what the decisions show."""
    from pprl_desktop.review.estimates import count, estimate

    said = [line for loss in manager.losses(progress) for line in loss.lines()]
    outcome = manager.outcome()
    estimates: list[Said] = []
    if any(same is not None for same in outcome.values()):
        made = estimate(count(manager.review.strata, manager.review.pairs, outcome))
        estimates = _estimates(made)
    return _json({"head": manager.ledger.head, "said": _listed([*said, *estimates]), "estimates": _listed(estimates)})


def told(review: bytes) -> tuple[Said, ...]:
    """The sentences of review_told()."""
    return _several(_plain(review)["said"])


def review_of(project: Project) -> KeptReview:
    """What was kept at the end of the review, or, where the ledger has grown since, what the ledger tells."""
    from pprl_desktop.review.desk_files import LEDGER

    if not project.choices.review_path:
        return KeptReview((), ())
    path = Path(project.choices.review_path) / LEDGER
    if not path.is_file():
        return KeptReview((Said("A masked review was made; its folder is no longer where it was."),), ())
    plain = _plain(project.artefact("review"))
    try:
        told, head = ledger_told(path)
    except Problem as problem:
        return KeptReview((problem.what,), ())
    if plain.keys() >= {"said", "estimates"} and plain.get("head") == head:
        return KeptReview(_several(plain["said"]), _several(plain["estimates"]))
    return KeptReview(told, ())


def ledger_told(path: Path) -> tuple[tuple[Said, ...], str]:
    """A review from its ledger alone, without its passphrase, and the hash of the last entry."""
    from pprl_desktop.review.decisions import Decisions
    from pprl_desktop.review.desk import Past
    from pprl_desktop.review.desk_files import MANAGER
    from pprl_desktop.review.ledger import read_entries

    entries = read_entries(path)
    own = tuple(entry for entry in entries if entry.body.get("who", MANAGER) == MANAGER)
    opened = [entry for entry in own if entry.what in ("start", "reveal")]
    decided = Decisions(Past(own), MANAGER, bytes).current
    head = entries[-1].hash if entries else ""
    if not opened and not decided:
        return (), head
    refused = sum(entry.what == "refuse" for entry in own)
    risk = max((float(entry.body.get("total", 0)) for entry in opened), default=0.0)
    return (
        Said(
            "{decided} {decided|pair was|pairs were} decided; cells were opened {opened} {opened|time|times}, and "
            "{refused} {refused|opening was|openings were} refused.",
            decided=len(decided),
            opened=len(opened),
            refused=refused,
        ),
        Said("KAPR reached at most {risk:decimals 4} %.", risk=100 * risk),
        Said(
            "From the ledger of the review: {entries|one entry|{entries} entries}, last hash {head}.",
            entries=len(entries),
            head=head[:16],
        ),
    ), head


def outcome_artefact(outcome: Outcome) -> bytes:
    """Kept when the results are confirmed: another outcome makes what was written of the old one stale."""
    links = hashlib.sha256("\n".join((*outcome.links, "", *outcome.to_review)).encode()).hexdigest()
    return _json({"counts": outcome.counts(), "links": links})


def linked_artefact(linked: Linked) -> bytes:
    """Kept when the table is written: what the file holds is told of that file, not of the boxes ticked since."""
    return _json({"said": _listed([linked.held()])})


def held_by_table(project: Project) -> tuple[Said, ...]:
    """Nothing where an earlier version wrote the table."""
    return _several(_plain(project.artefact("linked")).get("said"))


def _interval(one: Interval) -> Said:
    return Said(
        "about {value:decimals 1} % ({low:decimals 1} to {high:decimals 1})",
        value=100 * one.value,
        low=100 * one.low,
        high=100 * one.high,
    )


def _listed(sentences: Iterable[Said]) -> list[dict[str, Any]]:
    return [to_plain(one) for one in sentences]


def _several(plain: object) -> tuple[Said, ...]:
    return tuple(from_plain(one) for one in plain) if isinstance(plain, list) else ()


def rehearsed(choices: Choices) -> str:
    """What was measured under these choices is known by it."""
    plain = choices.as_dict()
    return hashlib.sha256(_json({name: plain[name] for name in REHEARSED})).hexdigest()


def _json(plain: Mapping[str, Any]) -> bytes:
    return json.dumps(plain, sort_keys=True, ensure_ascii=False).encode()


def _plain(data: bytes | None) -> dict[str, Any]:
    """Nothing where nothing was kept, by another version in another form, or by somebody who made the project up."""
    try:
        found = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and all(_fits(name, value) for name, value in found.items()) else {}


def _fits(name: str, value: Any) -> bool:
    if name in ("said", "estimates"):
        return isinstance(value, list) and all(_is_said(one) for one in value)
    if name == "headline":
        return _is_said(value)
    if name in ("named", "found"):
        return as_range(value) is not None
    if name == "ways":
        return isinstance(value, list)
    if name == "expected":
        return isinstance(value, dict) and all(type(one) is float and 0 <= one <= 1 for one in value.values())
    return isinstance(value, str | int)


def _is_said(plain: object) -> bool:
    """A template with its values, or finished words as older projects hold them: nothing moves a terminal's cursor."""
    known = isinstance(plain, str) or (isinstance(plain, dict) and plain.keys() <= {"said", "with"})
    return known and str(from_plain(plain)).isprintable()
