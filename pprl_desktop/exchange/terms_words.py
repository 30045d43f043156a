"""The terms of an agreement in plain words, as a steward and an ethics board read them."""

from __future__ import annotations

import re

from pprl_desktop.codes.base import DECISION_WORDS, LAYOUT_WORDS, NOISE, method
from pprl_desktop.codes.directions import words
from pprl_desktop.exchange import blind_terms, group_terms, strict
from pprl_desktop.exchange.keys import Mode
from pprl_desktop.exchange.terms import FIRST, SECRET, Terms
from pprl_desktop.privacy.claims import UNITS, Statement
from pprl_desktop.problem import Problem
from pprl_desktop.records.fields import KIND_WORDS, Cleaning, Field
from pprl_desktop.reference.sets import ReferenceSet
from pprl_desktop.said import Said

MOST_REFERENCES = 20_000  # records: with more, the statement is shown as it was signed, in English


def in_words(terms: Terms) -> tuple[Said, ...]:
    """The agreement as a steward and an ethics board read it."""
    settings = terms.settings
    noise = (
        Said(
            "epsilon {epsilon:exact} {unit}, {noise}",
            epsilon=terms.epsilon,
            unit=UNITS.get(terms.unit, terms.unit),
            noise=NOISE[settings.noise],
        )
        if terms.epsilon
        else Said("no noise")
    )
    alike: dict[Said, list[str]] = {}
    for one in terms.fields:
        alike.setdefault(_cleaning_words(one.cleaning), []).append(_plain_name(one.name))
    cleaning = [Said("{cleaning} ({names})", cleaning=how, names=names) for how, names in alike.items()]
    reference = (
        Said(
            "Reference set {name} with {size} records, fingerprint {fingerprint}.",
            name=_plain_name(terms.reference.name),
            size=terms.reference.size,
            fingerprint=terms.reference.fingerprint[:16],
        )
        if terms.reference.name
        else Said("No reference set is used.")
    )
    rules = {
        "both": Said("A pair is linked only if both sides accept it."),
        "either": Said("A pair is linked if one side accepts it and nothing speaks against it."),
        "review": Said("A pair that only one side accepts goes to the masked review."),
    }
    decoys = (
        Said("Each side adds {decoys|one record that does|{decoys} records that do} not exist.", decoys=settings.decoys)
        if settings.decoys
        else Said("No decoys.")
    )
    how: tuple[Said, ...] = (
        Said(
            "Method: {method}, {layout}. Decision: {decision}; {direction}.",
            method=method(terms.method).title,
            layout=LAYOUT_WORDS[settings.layout],
            decision=DECISION_WORDS[settings.decision],
            direction=words(settings.direction),
        ),
        Said("Noise: {noise}. {decoys}", noise=noise, decoys=decoys),
        reference,
        rules[terms.rule],
    )
    if terms.blind is not None:
        told = blind_terms.in_words(terms.blind, (terms.proposer.name, terms.accepter.name))
        way = Said("Method: blind, {direction}.", direction=words(settings.direction))
        how = (way, *told, *([rules[terms.rule]] if terms.blind.mutual else []))
    return (
        Said("{proposer} proposes to {accepter}.", proposer=terms.proposer.name, accepter=terms.accepter.name),
        (
            Said("Purpose, in the words of {name}: {purpose}", name=terms.proposer.name, purpose=quoted(terms.purpose))
            if terms.purpose
            else Said("Purpose: not stated.")
        ),
        Said(
            "Compared are: {fields}. Each side maps its own columns to these fields.",
            fields=[_compared(one) for one in terms.fields],
        ),
        *_repeats_words(terms),
        Said("Cleaning, the same on both sides: {cleaning:semicolons}.", cleaning=cleaning),
        *how,
        Said(
            "At most {rows} rows and {megabytes} MB per file.", rows=terms.limits.rows, megabytes=terms.limits.megabytes
        ),
        _clear_words(terms),
        *(group_terms.in_words(terms.group) if terms.group else ()),
        _SEALS[terms.seal],
        Said("A shared secret was made for this agreement alone; it is inside the sealed file and shown nowhere."),
        *_statement_words(terms),
    )


def _repeats_words(terms: Terms) -> list[Said]:
    """How many records repeat a person, as the proposer states it; who they are is never said."""
    if terms.repeats is None:
        return []
    return [
        Said(
            "{proposer} states that of 1,000 records of its table {n} {n|repeats|repeat} a person.",
            proposer=terms.proposer.name,
            n=terms.repeats,
        )
    ]


def _compared(one: Field) -> Said:
    """A field and its kind; "full_name (Name = first_name + last_name)" counts once beside those it is made of."""
    name, kind = _plain_name(one.name), KIND_WORDS[one.kind]
    if one.derived:
        made_of = " + ".join(map(_plain_name, one.derived))
        return Said("{name} ({kind} = {made_of})", name=name, kind=kind, made_of=made_of)
    return Said("{name} ({kind})", name=name, kind=kind)


_SEALS: dict[Mode, Said] = {
    "hybrid": Said("Files are sealed so that a quantum computer does not open them either."),
    "x25519": Said(
        "Files are sealed in the compatibility mode X25519: whoever copies one today and has a quantum "
        "computer one day can open it."
    ),
}


def quoted(text: str) -> str:
    """Somebody's own words, in marks that they cannot close themselves."""
    return '"' + strict.one_line(text).replace('"', "'") + '"'


def _plain_name(name: str) -> str:
    """A name that could be read as part of a sentence stands in marks."""
    return name if re.fullmatch(r"[\w-]+([. ][\w-]+){0,3}", name) else quoted(name)


def _statement_words(terms: Terms) -> list[Said]:
    """The statement as it was signed. The program that signed one of the first version had not recomputed it."""
    lines = [Said("{line}", line=strict.one_line(line)) for line in terms.statement.splitlines()]
    if terms.version == FIRST and lines:
        return [Said("The statement below was signed with an earlier version, which did not check it:"), *lines]
    computed = _computed(terms)
    return list(computed.lines()) if computed is not None else lines


def _computed(terms: Terms) -> Statement | None:
    """The statement as values, for any language; None where the words that were signed are others."""
    from pprl_desktop.codes.recipe import build
    from pprl_desktop.privacy.statements import statement

    if terms.reference.size > MOST_REFERENCES:
        return None
    attributes = tuple(dict.fromkeys(one for _, several in terms.mapping for one in several))
    # of the reference set only its name, size and attributes are spoken of
    stand_in = ReferenceSet(terms.reference.name, attributes, tuple(("A",) * terms.reference.size for _ in attributes))
    try:
        recipe = build(terms.method, terms.fields, terms.settings, stand_in, terms.mapping, bytes(SECRET))
    except Problem:
        return None
    made = statement(recipe, terms.limits.rows)
    return made if made.text() == terms.statement else None


def _clear_words(terms: Terms) -> Said:
    """What may leave in clear: nothing without a review, and at most the signed share with one."""
    if terms.rule != "review":
        return Said("No cell of a record may be sent in clear: no review was agreed.")
    if terms.version == FIRST:
        return Said(
            "For the review, cells of uncertain pairs may be sent in clear. The agreement names no maximum; "
            "this program sends at most {clear} of 100 records.",
            clear=terms.limits.clear,
        )
    return Said(
        "For the review, cells of at most {clear} of 100 records of a table may be sent in clear.",
        clear=terms.limits.clear,
    )


def _cleaning_words(cleaning: Cleaning) -> Said:
    said: list[Said | str] = [
        Said("one form of each character ({form})", form=cleaning.unicode),
        (Said("upper case") if cleaning.case == "upper" else Said("case kept")),
    ]
    said.append(
        {"keep": Said("accents kept"), "strip": Said("accents removed"), "transliterate": Said("umlauts spelt out")}[
            cleaning.diacritics
        ]
    )
    said.append(
        {
            "keep": Said("punctuation kept"),
            "space": Said("punctuation to spaces"),
            "remove": Said("punctuation removed"),
        }[cleaning.punctuation]
    )
    said += {
        "keep": [],
        "sex": [Said("words for the sex made alike")],
        "phone": [Said("telephone numbers by their last digits")],
        "street": [Said("house numbers behind the street, St for Street")],
    }[cleaning.recode]
    if cleaning.drop_titles:
        said.append(Said("titles dropped"))
    if cleaning.drop_particles:
        said.append(Said("particles dropped"))
    if cleaning.missing_words:
        said.append(
            Said(
                "{missing_words|one word counts|{missing_words} words count} as missing",
                missing_words=len(cleaning.missing_words),
            )
        )
    return Said("{parts}", parts=said)
