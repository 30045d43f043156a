"""What may be said about privacy: one statement per recipe, printed alike by window, agreement, manifest and report.

An epsilon never stands without its unit. Every number names the theorem it comes from; what has no
theorem is said in words, and the attack rehearsal measures it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pprl_desktop.codes.base import Recipe, method
from pprl_desktop.privacy import composition
from pprl_desktop.privacy.blind import blind_statement
from pprl_desktop.privacy.claims import ENCRYPTION, RESULT, Number, Statement
from pprl_desktop.privacy.shape import kinds, shape, widths
from pprl_desktop.said import Said

LONGEST = 255  # characters: distances are one byte
USUAL_LONGEST = 20  # characters: hardly any name is longer; for the tighter figure
DELTA_WORDS = Said("except with probability 0.000001")

WORKSTATION = Said(
    "On this workstation, masking gives accountability. It does not protect from this machine's administrator."
)
DICTIONARY = Said(
    "The partner holds the shared secret and any reference set, can smash a telephone book and look "
    "every record up. How many records that would name is measured by the rehearsal."
)
SIMILAR = Said(
    "Someone without the shared secret cannot smash a list with it, but can compare how similar the codes are with "
    "how similar the names of a public list are, and so read frequent names and learn the rest from them. The "
    "rehearsal plays that."
)
WHOLE = Said(
    "Someone without the shared secret cannot smash a list with it, and one code for the whole record gives no field "
    "away by itself. Whoever holds a list of mostly the same people can still compare how similar whole records are. "
    "The rehearsal does not play that."
)
BLURRED = Said(
    "Someone without the shared secret does not have the reference set that was made with it, but can compare how "
    "similar the distances are with how similar the names of a public list are; noise makes that less certain. The "
    "rehearsal does not play that."
)
PUBLIC = Said("The reference set is public: whoever breaks the encryption can look values up without the secret.")
COUNTS = Said("How many records there are is visible to the partner.")
MISSING = Said("How many records there are, and which fields of a record are empty, is visible to the partner.")
DECOYS = Said(
    "Decoys make the number of records and the presence of a person uncertain. They are not noise: no epsilon follows. "
    "Later deliveries under the agreement undo part of it: a record that changed or came back is no decoy."
)

WARNER = Said("Randomised response (Warner 1965; Dwork and Roth 2014, section 3.2)")
GEOMETRIC = Said("Discrete Laplace mechanism (Ghosh, Roughgarden and Sundararajan 2009)")
METRIC = Said(
    "Privacy per edit: metric privacy (Chatzikokolakis et al. 2013) with the triangle inequality of edit distance"
)
BASIC = Said("Basic composition (Dwork and Roth 2014, theorem 3.14)")
OPTIMAL = Said("Optimal composition (Kairouz, Oh and Viswanath 2015, theorem 3.3)")
POSTERIOR = Said("Bayes' rule on the definition of epsilon, all candidates equally likely")
FLIP = Said("Permute-and-flip (McKenna and Sheldon 2020)")
NOISY_MAX = Said("Report noisy max with Laplace noise (Dwork and Roth 2014, claim 3.9)")
POST = Said("Post-processing (Dwork and Roth 2014, proposition 2.1)")
PIGEONHOLE = Said(
    "Bayes' rule: an answer right with probability above 1/2 among n records needs epsilon of at least ln(n - 1)"
)


def epsilon_unit(recipe: Recipe) -> str:
    """The unit of the epsilon in the settings, whatever its value."""
    return method(recipe.method).unit


def statement(recipe: Recipe, rows: int, queries: int | None = None) -> Statement:
    """All that can be claimed for this recipe on a table of that many rows, before anything leaves.

    `queries` is the number of the partner's records when they are known (nearest-neighbour answers).
    """
    if not method(recipe.method).exportable:
        return _plain(recipe, rows)
    if not method(recipe.method).smashes:
        return blind_statement(rows)
    if epsilon_unit(recipe) == "per query":
        return _nearest(recipe, rows, rows if queries is None else queries)
    if recipe.settings.epsilon is None:
        return _without_noise(recipe, rows)
    return _bits(recipe, rows) if epsilon_unit(recipe) == "per bit" else _distances(recipe, rows)


# ---- one function per kind of protection --------------------------------------------------------


def _plain(recipe: Recipe, rows: int) -> Statement:
    said = Said("Both tables are in the clear on this machine. Nothing is smashed, and nothing may leave.")
    return _made(recipe, rows, "none", said, [said], [], [], [WORKSTATION], [])


def _without_noise(recipe: Recipe, rows: int) -> Statement:
    leaving = kinds(recipe)
    said = [Said("No noise is added: epsilon is unlimited, there is no differential privacy.")]
    open_ = [DICTIONARY, _counts(recipe), RESULT]
    if "distances" in leaving:
        said.append(
            Said(
                "Each value is replaced by its edit distances to the reference records. The values can be found "
                "again from the distances by whoever knows the reference set."
            )
        )
        open_.insert(1, _outsider(recipe))
    if "bits" in leaving:
        said.append(
            Said(
                "Each value is hashed into bits under the shared secret. Without the secret the bits cannot be "
                "made again, but equal values have equal bits and similar values similar ones."
            )
        )
        open_.insert(1, _outsider(recipe))
    if "token" in leaving:
        said.append(Said("Keyed tokens tell the partner which values, initials and words are equal, field by field."))
    protects = [
        Said("Nobody reads a value at a glance: it takes the shared secret, or an attack like the rehearsal's.")
    ]
    summary = Said(
        "No noise: epsilon unlimited. The partner could look up every value that is in a dictionary, "
        "and search for the others letter by letter."
    )
    return _made(recipe, rows, "none", summary, said, [], protects, open_, [])


def _bits(recipe: Recipe, rows: int) -> Statement:
    epsilon = _epsilon(recipe)
    by_field = widths(recipe, "bits")
    bits = sum(by_field.values())
    worst, better = composition.added(epsilon, bits), composition.tighter(epsilon, bits)
    needed = composition.even_odds(rows)
    numbers = [
        Number("epsilon", _text(epsilon), "per bit", "exact", WARNER),
        Number(
            "epsilon", _text(worst), "per record", "worst case", Said("{basic}, {bits} bits", basic=BASIC, bits=bits)
        ),
        _tighter(better),
    ]
    if len(by_field) > 1:
        numbers += [
            Number(
                "epsilon",
                _text(epsilon * width),
                "per field",
                "worst case",
                BASIC,
                Said("per field, {name}", name=name),
            )
            for name, width in by_field.items()
        ]
    numbers += _per_edit_of_a_filter(recipe, epsilon, by_field)
    if needed:
        numbers.append(_needed(rows, needed))
    said = [
        Said(
            "Every bit is flipped with probability 1/(e^{epsilon:exact} + 1); the record's {bits} bits leave once.",
            epsilon=_text(epsilon),
            bits=bits,
        ),
        Said(
            "That is epsilon {epsilon:exact} per bit, at most {worst:exact} per record, and at most "
            "{better:exact} per record {except_for}.",
            epsilon=_text(epsilon),
            worst=_text(worst),
            better=_text(better, up=1),
            except_for=DELTA_WORDS,
        ),
        _odds(rows, needed, worst),
    ]
    summary = Said(
        "epsilon {epsilon:exact} per bit, {worst:exact} per record in the worst case.",
        epsilon=_text(epsilon),
        worst=_text(worst),
    )
    protects = [Said("What a single bit was: nobody can be sure of it, whatever else they know."), _same_bytes()]
    open_ = [_epsilon_is_large(worst, needed), DICTIONARY, _outsider(recipe), _counts(recipe), RESULT]
    theorems = [WARNER, BASIC, OPTIMAL, POSTERIOR]
    return _made(recipe, rows, "randomised response", summary, said, numbers, protects, open_, theorems)


def _distances(recipe: Recipe, rows: int) -> Statement:
    epsilon = _epsilon(recipe)
    by_field = widths(recipe, "distances")
    widest = max(by_field.values())
    per_edit, better = composition.added(epsilon, widest), composition.tighter(epsilon, widest)
    record = epsilon * sum(by_field.values())
    needed = composition.even_odds(rows)
    numbers = [
        Number("epsilon", _text(epsilon), "per edit and distance", "exact", GEOMETRIC),
        Number(
            "epsilon",
            _text(per_edit),
            "per edit",
            "worst case",
            Said("{metric}; {widest} distances of a value", metric=METRIC, widest=widest),
        ),
        Number(
            "epsilon",
            _text(better, up=1),
            "per edit",
            "tighter",
            OPTIMAL,
            Said("per edit, {except_for}", except_for=DELTA_WORDS),
        ),
        Number(
            "epsilon",
            _text(record * LONGEST),
            "per record",
            "worst case",
            Said("{basic}; values of {longest} letters", basic=BASIC, longest=LONGEST),
        ),
        Number(
            "epsilon",
            _text(record * USUAL_LONGEST),
            "per record",
            "tighter",
            Said("{metric}; {basic}", metric=METRIC, basic=BASIC),
            Said("per record with values of at most {usual_longest} letters", usual_longest=USUAL_LONGEST),
        ),
    ]
    if needed:
        numbers.append(_needed(rows, needed))
    said = [
        Said(
            "Every distance gets whole-number Laplace noise of scale {scale:exact} and is then cut to 0..255.",
            scale=_text(1 / epsilon),
        ),
        Said(
            "That is epsilon {epsilon:exact} per edit and distance. A value has up to {widest} distances, so "
            "it is {per_edit:exact} per edit of a value, and at most {better:exact} per edit {except_for}.",
            epsilon=_text(epsilon),
            widest=widest,
            per_edit=_text(per_edit),
            better=_text(better, up=1),
            except_for=DELTA_WORDS,
        ),
        Said(
            "It is a guarantee about small changes of a value only: two names that differ much can still be told apart."
        ),
        _odds(rows, needed, record * USUAL_LONGEST),
    ]
    summary = Said(
        "epsilon {epsilon:exact} per edit and distance, {per_edit:exact} per edit of a value.",
        epsilon=_text(epsilon),
        per_edit=_text(per_edit),
    )
    protects = [Said("How a value was spelt, to within the stated epsilon per edit."), _same_bytes()]
    outsider = BLURRED if secret_reference(recipe) else PUBLIC
    open_ = [_epsilon_is_large(record * USUAL_LONGEST, needed), DICTIONARY, outsider, _counts(recipe), RESULT]
    theorems = [GEOMETRIC, METRIC, BASIC, OPTIMAL, POST, POSTERIOR]
    return _made(recipe, rows, "discrete Laplace", summary, said, numbers, protects, open_, theorems)


def _nearest(recipe: Recipe, rows: int, queries: int) -> Statement:
    bundle = Said("The bundle with the questions leaves without noise: the rehearsal shows what it gives away.")
    if recipe.settings.epsilon is None:
        none = Said("No noise is added to the answers: epsilon is unlimited.")
        open_ = [DICTIONARY, _outsider(recipe), _counts(recipe), RESULT]
        return _made(recipe, rows, "none", none, [none, bundle], [], [], open_, [])
    epsilon = _epsilon(recipe)
    worst, better = composition.added(epsilon, queries), composition.tighter(epsilon, min(queries, 1_000_000))
    needed = composition.even_odds(rows)
    drawn = NOISY_MAX if recipe.settings.nearest == "laplace" else FLIP
    numbers = [
        Number("epsilon", _text(epsilon), "per query", "worst case", drawn),
        Number(
            "epsilon",
            _text(worst),
            "per record",
            "worst case",
            BASIC,
            Said("per record, {queries} queries", queries=queries),
        ),
    ]
    if queries <= 1_000_000 and better < 0.999 * worst:
        numbers.append(_tighter(better))
    if needed:
        numbers.append(Number("needed", _text(needed, up=2), "per query", "lower bound", PIGEONHOLE))
    said = [
        Said(
            "Each of the partner's records is a query, answered with epsilon {epsilon:exact} per query.",
            epsilon=_text(epsilon),
        ),
        Said("{queries} queries add up to epsilon {worst:exact} per record.", queries=queries, worst=_text(worst)),
        bundle,
    ]
    if needed:
        said.append(
            Said(
                "With {rows} own records no method can answer well below epsilon {needed:exact} per query: at "
                "this setting most answers are noise.",
                rows=rows,
                needed=_text(needed, up=2),
            )
            if epsilon < needed
            else Said(
                "With {rows} own records no method can answer well below epsilon {needed:exact} per query.",
                rows=rows,
                needed=_text(needed, up=2),
            )
        )
    summary = Said(
        "epsilon {epsilon:exact} per query, {worst:exact} per record for {queries} queries.",
        epsilon=_text(epsilon),
        worst=_text(worst),
        queries=queries,
    )
    protects = [Said("Which own record is nearest to a question: the answer is drawn, not computed.")]
    open_ = [_epsilon_is_large(worst, 0.0), DICTIONARY, _outsider(recipe), _counts(recipe), RESULT]
    theorems = [drawn, BASIC, OPTIMAL, PIGEONHOLE]
    return _made(recipe, rows, "noisy nearest neighbour", summary, said, numbers, protects, open_, theorems)


def _made(
    recipe: Recipe,
    rows: int,
    mechanism: str,
    summary: Said,
    said: list[Said],
    numbers: list[Number],
    protects: list[Said],
    open_: list[Said],
    theorems: list[Said],
) -> Statement:
    protects = [ENCRYPTION, *protects] if method(recipe.method).exportable else protects
    if recipe.settings.decoys:
        said = [
            *said,
            Said(
                "{decoys|One decoy is|{decoys} decoys are} added. {what_they_do}",
                decoys=recipe.settings.decoys,
                what_they_do=DECOYS,
            ),
        ]
    noise = mechanism != "none"
    return Statement(
        method=recipe.method,
        mechanism=mechanism,
        epsilon=_text(_epsilon(recipe)) if noise else "",
        unit=epsilon_unit(recipe) if noise else "",
        rows=rows,
        summary=summary,
        sentences=tuple(said),
        numbers=tuple(numbers),
        protects=tuple(protects),
        leaves_open=tuple(dict.fromkeys([*open_, WORKSTATION])),
        theorems=tuple(theorems),
    )


# ---- pieces -------------------------------------------------------------------------------------


def _needed(rows: int, needed: float) -> Number:
    return Number(
        "needed",
        _text(needed, up=2),
        "per record",
        "lower bound",
        POSTERIOR,
        Said("per record, one of {rows}", rows=rows),
    )


def _odds(rows: int, needed: float, reached: float) -> Said:
    if not needed:
        return Said("With so few records nothing can be said about the odds of naming one of them.")
    if reached < needed:
        surest = composition.largest_posterior(reached, rows)
        return Said(
            "Nobody can be surer than {surest:percent} which of {rows} equally likely people a record is.",
            surest=surest,
            rows=rows,
        )
    return Said(
        "To name one of {rows} equally likely people with even odds, epsilon {needed:exact} per record "
        "is needed. This setting is above that, so the theorem excludes nothing and the rehearsal must "
        "show what is left.",
        rows=rows,
        needed=_text(needed, up=2),
    )


def _epsilon_is_large(record: float, needed: float) -> Said:
    if needed and record < needed:
        return Said("What the partner can tell with less certainty than stated above.")
    return Said(
        "The whole record: {record:exact} per record is no protection by itself against a partner who "
        "compares all of it with a dictionary.",
        record=_text(record),
    )


def _outsider(recipe: Recipe) -> Said:
    """What somebody can do who broke the encryption, or copied the opened bundle, and does not have the secret."""
    if "distances" in kinds(recipe) and not secret_reference(recipe):
        return PUBLIC
    return WHOLE if all(not field for _, field, _ in shape(recipe)) else SIMILAR


def _counts(recipe: Recipe) -> Said:
    return COUNTS if all(not field for _, field, _ in shape(recipe)) else MISSING


def _same_bytes() -> Said:
    return Said(
        "The same table is sent again under this agreement with the same bytes, so that its noise cannot be averaged "
        "away. Under another agreement, and where a row has changed, noise is fresh, and counted."
    )


def _per_edit_of_a_filter(recipe: Recipe, epsilon: float, by_field: Mapping[str, int]) -> list[Number]:
    known = method(recipe.method).bits_of_an_edit(recipe)
    if known is None:
        return []
    touched, hashes = min(known[0], max(by_field.values())), known[1]
    basis = Said(
        "{basic}; one edit changes at most four letter pairs of {hashes} bits each", basic=BASIC, hashes=hashes
    )
    return [Number("epsilon", _text(touched * epsilon), "per edit", "worst case", basis, Said("per edit of a text"))]


def secret_reference(recipe: Recipe) -> bool:
    """The reference set was derived from the shared secret, so an outsider does not have it."""
    return recipe.reference is not None and recipe.reference.name.startswith("secret-")


def _epsilon(recipe: Recipe) -> float:
    assert recipe.settings.epsilon is not None
    return recipe.settings.epsilon


def _tighter(better: float) -> Number:
    words = Said("per record, {except_for}", except_for=DELTA_WORDS)
    return Number("epsilon", _text(better, up=1), "per record", "tighter", OPTIMAL, words)


def _text(number: float, up: int | None = None) -> str:
    """A decimal text, never in powers of ten. With `up` it is rounded up to so many places: bounds stay bounds."""
    if up is not None:
        number = float(np.ceil(number * 10**up) / 10**up)
    return np.format_float_positional(round(number, 6), trim="-")
