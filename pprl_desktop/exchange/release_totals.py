"""What a further release adds up to: per partner, over every earlier release of an overlapping table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pprl_desktop.exchange.disclosures import CLEAR_RECORDS, OTHER_TOOLS
from pprl_desktop.privacy.claims import UNITS as SAID_UNITS
from pprl_desktop.problem import Problem
from pprl_desktop.said import Said, sentences

if TYPE_CHECKING:
    from pprl_desktop.exchange.carried import Carried
    from pprl_desktop.exchange.disclosures import PlannedDisclosure
    from pprl_desktop.exchange.releases import Planned, Release
    from pprl_desktop.privacy.claims import Statement

UNITS = ("per record", "per bit", "per edit and distance", "per query")
WITHOUT_NOISE = "without noise"
ANSWERS = ":answers:"  # in the agreement of a release: answers to the partner's questions, not a bundle
RELEASES = "releases"  # unit of the limit on how often the same people are released to one partner
DEFAULT_LIMITS = {RELEASES: 3.0}  # a first release and two corrections; noise averages out over more


@dataclass(frozen=True, eq=False)
class Outlook:
    """A release before it is made: what it is added to, and whether it may be made."""

    resend: Release | None  # the very same release was made before: free, and with the same bytes
    overlapping: tuple[tuple[Release, float | None], ...]  # to this partner, with the share of rows in common
    total: Mapping[str, float]  # unit -> sum of epsilons including this release; infinite without noise
    others: int  # overlapping releases to other partners, who might put theirs together
    sentences: tuple[Said, ...]
    blocked: Problem | None

    @property
    def asks(self) -> bool:
        """It adds to something that this partner has already."""
        return bool(self.overlapping)


def checked_limit(unit: str, most: float | None) -> float | None:
    if unit not in (*UNITS, WITHOUT_NOISE, CLEAR_RECORDS, RELEASES):
        raise Problem(
            Said("'{unit}' is not a unit of epsilon.", unit=unit),
            Said(
                "The units are: {units}; '{without_noise}' stands for releases without any, '{clear_records}' "
                "for cells sent for a review, '{releases}' for how often the same people are released.",
                units=", ".join(UNITS),
                without_noise=WITHOUT_NOISE,
                clear_records=CLEAR_RECORDS,
                releases=RELEASES,
            ),
            "Choose one of them.",
            place="unit",
        )
    if most is not None and not (math.isfinite(most) and most >= 0 and (unit != WITHOUT_NOISE or most == 0)):
        raise Problem(
            "A limit is a number of at least 0.",
            Said("For '{without_noise}' only 0 makes sense: it forbids such releases.", without_noise=WITHOUT_NOISE),
            "Choose a number, or take the limit away.",
            place="limit",
        )
    return most


def outlook(
    planned: Planned,
    releases: Sequence[Release],
    limits: Mapping[str, float],
    organisation: Callable[[str], str] = str,
) -> Outlook:
    """`organisation` says whose a signing key is."""
    said = planned.statement
    same = [
        one
        for one in releases
        if (one.table.digest, one.partner, one.agreement) == (planned.table.digest, planned.partner, planned.agreement)
        and (one.method, one.epsilon, one.unit) == (said.method, said.epsilon, said.unit)
        and (planned.carried is None or one.number == planned.carried.of[-1])
    ]
    if same:
        return again(same[0].time, same[0])
    shared = [(one, planned.table.overlap(one.table)) for one in releases]
    chain = {one.number for one in releases if _in_chain(one, planned)}
    shared = [(one, share) for one, share in shared if share is None or share > 0 or one.number in chain]
    partner = organisation(planned.partner)
    here = tuple((one, share) for one, share in shared if organisation(one.partner) == partner)
    others = len({organisation(one.partner) for one, _ in shared} - {partner})
    # deliveries of one agreement share their bytes: of those only the codes of one person count, not the files
    beside = tuple((one, share) for one, share in here if one.number not in chain)
    times = planned.carried.times if planned.carried is not None and chain else 1
    total = _total(planned, [one for one, _ in beside], times)
    sentences = _sentences(here, others, total, planned)
    blocked = _blocked(total, limits, bool(here)) or _too_often(planned, beside, times, limits)
    return Outlook(None, here, total, others, sentences, blocked)


def _in_chain(one: Release, planned: Planned) -> bool:
    """Whether this delivery takes its rows over from that one. One that a repair entered again is counted in full."""
    known = planned.carried is not None and one.number in planned.carried.of
    return known and one.agreement == planned.agreement and bool(one.table.digest)


def record_epsilon(statement: Statement) -> str:
    """The worst case per record, as the statement has it; '' where it is unlimited."""
    for number in statement.numbers:
        if number.name == "epsilon" and number.per == "per record" and number.bound == "worst case":
            return number.value
    return ""


def _total(planned: Planned, earlier: Sequence[Release], times: int) -> dict[str, float]:
    """The worst case over the people: `times` codes of one person under this agreement, and what went out beside."""
    said = planned.statement
    total: dict[str, float] = {"per record": 0.0}
    figures = [(one.unit, one.epsilon, one.record_epsilon) for one in earlier]
    for unit, epsilon, record in [*figures, *times * [(said.unit, said.epsilon, record_epsilon(said))]]:
        total["per record"] += float(record) if record else math.inf
        if unit:
            total[unit] = total.get(unit, 0.0) + float(epsilon)
    return total


def _sentences(
    here: Sequence[tuple[Release, float | None]],
    others: int,
    total: Mapping[str, float],
    planned: Planned,
) -> tuple[Said, ...]:
    carried, noise = planned.carried, bool(planned.statement.epsilon)
    said = [*carried.said(planned.decoys)] if carried is not None else []
    measured = [share for _, share in here if share is not None]
    if here:
        times = Said("one earlier release") if len(here) == 1 else Said("{here} earlier releases", here=len(here))
        sums = [
            Said("epsilon {sum} {unit}", sum=_number(most), unit=SAID_UNITS.get(unit, unit))
            for unit, most in total.items()
        ]
        said.append(
            Said(
                "This partner has {times} of a table with the same people. Together with this one: {sums:semicolons}.",
                times=times,
                sums=sums,
            )
        )
    if measured:
        said.append(Said("About {measured:percent} of this table's rows were in one of them.", measured=max(measured)))
    if planned.lost:
        said.append(
            Said(
                "What was kept here of the delivery before is missing or damaged. So nobody can tell which records did "
                "not change: all go out as new ones under new random names, and links get other ids. A backup of the "
                "home folder may still have it."
            )
        )
    if measured and noise and planned.lost:
        said.append(
            Said("Every row gets fresh noise again, and the partner can average the noise of both deliveries away.")
        )
    elif measured and noise and carried is None:
        said.append(
            Said(
                "One changed row makes it another table: every row gets fresh noise, also those that did not "
                "change, and the partner can average the noise of both away."
            )
        )
    if len(measured) < len(here):
        said.append(
            Said("Where other fields were released before, the overlap cannot be measured and is counted in full.")
        )
    if others:
        who = Said("one other partner has") if others == 1 else Said("{others} other partners have", others=others)
        said.append(
            Said("Also, {who} releases of the same people. If they put them together, those add up as well.", who=who)
        )
    return tuple(said)


def repeated(releases: Sequence[Release]) -> list[tuple[Release, Said]]:
    """Of each later delivery in the ledger: what it repeated, and what one person's codes add up to with it."""
    return [(one, _repeated(one, one.carried)) for one in releases if one.carried is not None]


def _repeated(one: Release, carried: Carried) -> Said:
    epsilon = _number(carried.times * float(one.record_epsilon)) if one.record_epsilon else Said("unlimited")
    said = Said(
        "Entry {number}, a next delivery: {unchanged} unchanged with the same bytes, {changed} changed, {new} new, "
        "{gone} gone. With it the partner holds {times|one code|up to {times} codes} of one person: epsilon {epsilon} "
        "per record.",
        number=one.number, unchanged=carried.unchanged, changed=carried.changed, new=carried.new, gone=carried.gone,
        times=carried.times, epsilon=epsilon,
    )  # fmt: skip
    if not carried.shown:
        return said
    return sentences(
        said,
        Said("{shown} {shown|record|records} had been shown in clear for a review before.", shown=carried.shown),
    )


def again(time: str, first: Release | None = None) -> Outlook:
    """The very same table under the same agreement: its file goes out once more."""
    sentence = Said(
        "This table was released to this partner under this agreement on {time}: the same bytes are sent "
        "again, and nothing is added.",
        time=time[:10],
    )
    return Outlook(first, (), {}, 0, (sentence,), None)


def _too_often(
    planned: Planned, here: Sequence[tuple[Release, float | None]], times: int, limits: Mapping[str, float]
) -> Problem | None:
    """Releases of other fields may be about other people; those of which nothing is known are counted."""
    bundles = [(one, share) for one, share in here if ANSWERS not in one.agreement]
    before = sum(share is not None or not one.table.fields for one, share in bundles) + times - 1
    most = limits.get(RELEASES)
    if most is None or before < most or ANSWERS in planned.agreement:
        return None
    return Problem(
        Said(
            "This partner has {before|one release|{before} releases} of the same people already, and your limit "
            "is {most:count}.",
            before=before,
            most=most,
        ),
        "Each has noise of its own, which can be averaged away: the more of them, the less is left of it.",
        "Send the first file again, or raise the limit knowingly: 'releases limit releases NUMBER'.",
        place="releases",
    )


def _blocked(total: Mapping[str, float], limits: Mapping[str, float], adds_up: bool) -> Problem | None:
    if WITHOUT_NOISE in limits and math.isinf(total["per record"]):
        return Problem(
            "Your organisation does not allow a release without noise.",
            (
                Said("Without noise epsilon is unlimited, also in what was released before.")
                if adds_up
                else Said("Without noise epsilon is unlimited.")
            ),
            "Choose an epsilon in the step 'Method and privacy', or ask whoever set the limit.",
            place="epsilon",
        )
    for unit, most in limits.items():
        reached = total.get(unit, 0.0)
        if unit not in (WITHOUT_NOISE, RELEASES) and reached > most:
            sum_ = f"{_number(reached)} {unit}"
            return Problem(
                Said(
                    "This release would exceed your organisation's limit of epsilon {number} {unit}.",
                    number=_number(most),
                    unit=unit,
                ),
                (
                    Said("It would come to {sum} together with the earlier releases of the same people.", sum=sum_)
                    if adds_up
                    else Said("It would come to {sum}.", sum=sum_)
                ),
                "Choose a smaller epsilon, or ask whoever set the limit.",
                place="epsilon",
            )
    return None


def of_other_tools(planned: PlannedDisclosure, limits: Mapping[str, float]) -> Problem | None:
    """Files for other tools hold every record without noise, and are released as bundles are."""
    if planned.what not in OTHER_TOOLS or not {WITHOUT_NOISE, "per record"} & limits.keys():
        return None
    return Problem(
        "Your organisation does not allow a release without noise.",
        "CLKs and tokens have none: their epsilon is unlimited.",
        "Agree with the partner on a method of this program, or ask whoever set the limit.",
        place="limit",
    )


def _number(value: float) -> Said | str:
    return Said("unlimited") if math.isinf(value) else f"{value:,.6g}" if value < 1e6 else f"{value:,.0f}"
