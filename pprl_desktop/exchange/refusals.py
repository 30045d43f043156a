"""Why a file is refused: one whole sentence each, the same on the screen and on the command line."""

from __future__ import annotations

from pprl_desktop.problem import Problem
from pprl_desktop.said import Said


def not_a_bundle() -> Problem:
    return Problem(
        "This is not a file of this program.",
        "It has none of the marks of a card, an agreement, a bundle or a result.",
        "Check that the right file was chosen, and ask the partner to send it again if it was.",
        place="file",
    )


def newer_version() -> Problem:
    return Problem(
        "This file was made by a newer version of PPRL Desktop.",
        "This version cannot read it.",
        "Install the newer version, then open the file again.",
        place="version",
    )


def other_key() -> Problem:
    return Problem(
        "This file is for a different key.",
        "It was not sealed with the key on your present card.",
        "Send the partner your present card and ask for the file again.",
        place="recipient",
    )


def own_file(what: Said, partner: str) -> Problem:
    return Problem(
        Said("This is your own file: {what}.", what=what),
        Said("It was written here for {partner}, and only {partner} can open it.", partner=partner),
        Said("Send it to {partner}. Open here what {partner} sent to you.", partner=partner),
        place="file",
    )


def other_project(partner: str) -> Problem:
    return Problem(
        Said("This file belongs to another agreement with {partner}.", partner=partner),
        Said("It was not opened: this project goes by another agreement, and the file would not fit it."),
        Said("Open the project of that agreement, and the file there."),
        place="agreement",
    )


def damaged() -> Problem:
    return Problem(
        "This file was damaged or altered in transit.",
        "Its seal does not hold.",
        "Ask the partner to send it again; nothing of it was kept.",
        place="seal",
    )


def not_from_partner() -> Problem:
    return Problem(
        "This file is not from the partner in this agreement.",
        "Its signature does not belong to a partner whose card you hold.",
        "Do not use it. Ask the partner by telephone whether they sent it.",
        place="sender",
    )


def passed_on() -> Problem:
    return Problem(
        "This file was written for someone else and passed on.",
        "The partner signed it for another recipient, not for you.",
        "Do not use it. Tell the partner that their file was passed on.",
        place="to",
    )


def weaker_seal() -> Problem:
    return Problem(
        "This file is sealed less well than agreed.",
        "It was sealed in the compatibility mode X25519; agreed was the seal that holds against quantum computers.",
        "Ask the partner to make it again as agreed.",
        place="seal",
    )


def already_imported() -> Problem:
    return Problem(
        "This file was already imported.",
        "Importing it twice changes nothing.",
        "Go on with the next step.",
        place="sequence",
    )


def wrong_sequence(partner: str, made: str, last: tuple[int, str], found: int) -> Problem:
    """`last`: number and day of the partner's file that was opened last under it, (0, "") where none was."""
    number, day = last
    if found <= number + 1:
        return _another_past(partner, made, number, found)
    wanted = number + 1
    first = (
        Said("File {number}, written on {day:date}, is the last one opened here.", number=number, day=day)
        if number
        else Said("None of its files was opened here yet.")
    )
    why = Said(
        "It is file {found} of {partner}, written on {made:date}. {first} File {wanted} comes next.",
        found=found,
        partner=partner,
        made=made,
        first=first,
        wanted=wanted,
    )
    do = Said(
        "Open file {wanted} of {partner} first. Where it is lost, ask {partner} for it: on the page Post, or with "
        "'agree again', the program there writes every file it sent once more, the same bytes. Where it was refused "
        "here, or cannot be found there either, propose a new agreement: this one cannot go on without it.",
        wanted=wanted,
        partner=partner,
    )
    return Problem("This file comes in the wrong sequence.", why, do, place="sequence")


def _another_past(partner: str, made: str, number: int, found: int) -> Problem:
    """Of two files with one number, or of one that follows another file than the one opened here: two pasts."""
    if found == number + 1:
        why = (
            Said(
                "It follows another file {number} of {partner} than the one that was opened here.",
                number=number,
                partner=partner,
            )
            if number
            else Said("It says it is the first file of {partner}, and that it follows another one.", partner=partner)
        )
    else:
        why = Said(
            "It says it is file {found} of {partner}, written on {made:date}, but another file {found} was opened here "
            "before.",
            found=found, partner=partner, made=made,
        )  # fmt: skip
    do = Said(
        "Do not use it. Ask {partner} by telephone: a home folder that was restored from a backup, or is used in two "
        "places, writes such files. Then this agreement cannot go on: end it, and propose a new one.",
        partner=partner,
    )
    return Problem("This file comes in the wrong sequence.", why, do, place="sequence")


def lost_sent(partner: str, number: int) -> Problem:
    """The record says that a file was sent, and it is not in the home folder any more."""
    return Problem(
        Said("The file that was sent to {partner} is missing in your home folder.", partner=partner),
        Said("Without file {number} the same bytes cannot be written again.", number=number)
        if number
        else Said("Without it the same bytes cannot be written again."),
        Said(
            "Put this one file back from a backup, not the whole home folder: an older record of releases stops "
            "releases. Where a copy lies that was written for {partner}, send that one. Otherwise propose a new "
            "agreement.",
            partner=partner,
        ),
        place="home",
    )


def lost_received(partner: str, number: int, *, missing: bool) -> Problem:
    """What the partner sent is kept sealed at home, and is not there any more as it was."""
    what = (
        Said("File {number} of {partner} is missing in your home folder.", number=number, partner=partner)
        if missing
        else Said("File {number} of {partner} in your home folder cannot be opened.", number=number, partner=partner)
    )
    return Problem(
        what,
        "It was opened here before and kept there, sealed, for this step.",
        Said("Open the file of {partner} once more: it is put back. If it is lost, ask {partner} for it.",
             partner=partner),
        place="home",
    )  # fmt: skip


def lost_own(name: str, instead: str = "", *, missing: bool) -> Problem:
    """Of what is kept at home, sealed to oneself. `name` is given by this program and names nobody."""
    what = (
        Said("The file '{name}' is missing in your home folder.", name=name)
        if missing
        else Said("The file '{name}' in your home folder cannot be opened.", name=name)
    )
    why = (
        "It was kept there for this step."
        if missing
        else "It was damaged, or it was sealed with a key that is no longer in this home folder."
    )
    return Problem(
        what,
        why,
        instead
        or "Put this one file back from a backup, not the whole home folder: an older record of releases stops "
        "releases. Without a backup, propose a new agreement.",
        place="home",
    )


def malformed(field: str, why: Said | str = "") -> Problem:
    return Problem(
        Said("This file is malformed: {field}.", field=field),
        why or "A part of it is missing or not as agreed.",
        "Ask the partner to make it again with the present version of PPRL Desktop.",
        place=field,
    )


def larger_than_agreed(what: str, found: int, allowed: int) -> Problem:
    return Problem(
        "This file is larger than agreed.",
        Said("It holds {found} {what}; the agreement allows {allowed}.", found=found, what=what, allowed=allowed),
        "Ask the partner to keep to the limit, or make a new agreement with a higher one.",
        place="limits",
    )


def not_as_computed(field: str) -> Problem:
    """Words of a proposal that do not follow from what is proposed. Signing them would promise something untrue."""
    return Problem(
        Said("This proposal says of itself what is not so: {field}.", field=field),
        "What it says there differs from what this program computes from the method, its settings and the two cards.",
        "Do not sign it. Ask the partner to propose again with the same version of PPRL Desktop as yours.",
        place=field,
    )


def older_version() -> Problem:
    return Problem(
        "This file was made by an older version of PPRL Desktop.",
        "Agreements already in force go on; a new one needs what the older version did not write.",
        "Ask the partner to install the present version and to propose again.",
        place="version",
    )


def other_agreement() -> Problem:
    return Problem(
        "This file belongs to another agreement.",
        "No agreement in force between you and its sender has its number.",
        "Open it in the home folder of that agreement, or ask the partner which agreement it is for.",
        place="agreement",
    )


def does_not_fit(field: str, why: Said | str) -> Problem:
    """A bundle that is whole and signed, but not what was agreed."""
    return Problem(
        Said("This file does not fit the agreement: {field}.", field=field),
        why,
        "Ask the partner to export again under the agreement, or make a new agreement.",
        place=field,
    )
