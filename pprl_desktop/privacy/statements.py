"""What may be said about privacy: one statement per recipe, printed alike by window, agreement, manifest and report.

An epsilon never stands without its unit. Every number names the theorem it comes from; what has no
theorem is said in words, and the attack rehearsal measures it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pprl_desktop.codes.base import Recipe
from pprl_desktop.privacy import composition
from pprl_desktop.privacy.claims import Number, Statement
from pprl_desktop.privacy.shape import kinds, shape, widths
from pprl_desktop.records.fields import FieldKind

LONGEST = 255  # characters: distances are one byte
USUAL_LONGEST = 20  # characters: hardly any name is longer; for the tighter figure
DELTA_WORDS = "except with probability 0.000001"

ENCRYPTION = (
    "The encryption protects the bundle on its way and at rest. It does not protect it from the partner, who opens it."
)
WORKSTATION = (
    "On this workstation, masking gives accountability. It does not protect from this machine's administrator."
)
DICTIONARY = (
    "The partner holds the shared secret and any reference set, can smash a telephone book and look every record up. "
    "How many records that would name is measured by the rehearsal."
)
SIMILAR = (
    "Someone without the shared secret cannot smash a list, but can compare how similar the bits are with how similar "
    "the names of a public list are, and so read frequent names and learn the rest from them. The rehearsal plays that."
)
COUNTS = "How many records there are is visible to the partner."
MISSING = "How many records there are, and which fields of a record are empty, is visible to the partner."
RESULT = "The matched pairs themselves: both sides learn which of their records the other one holds."
DECOYS = (
    "Decoys make the number of records and the presence of a person uncertain. They are not noise: no epsilon follows."
)

WARNER = "Randomised response (Warner 1965; Dwork and Roth 2014, section 3.2)"
GEOMETRIC = "Discrete Laplace mechanism (Ghosh, Roughgarden and Sundararajan 2009)"
METRIC = "Privacy per edit: metric privacy (Chatzikokolakis et al. 2013) with the triangle inequality of edit distance"
BASIC = "Basic composition (Dwork and Roth 2014, theorem 3.14)"
OPTIMAL = "Optimal composition (Kairouz, Oh and Viswanath 2015, theorem 3.3)"
POSTERIOR = "Bayes' rule on the definition of epsilon, all candidates equally likely"
FLIP = "Permute-and-flip (McKenna and Sheldon 2020)"
NOISY_MAX = "Report noisy max with Laplace noise (Dwork and Roth 2014, claim 3.9)"
POST = "Post-processing (Dwork and Roth 2014, proposition 2.1)"
PIGEONHOLE = (
    "Bayes' rule: an answer right with probability above 1/2 among n records needs epsilon of at least ln(n - 1)"
)


def epsilon_unit(recipe: Recipe) -> str:
    """The unit of the epsilon in the settings, whatever its value."""
    if recipe.settings.decision == "nearest" or recipe.method == "dp-nn":
        return "per query"
    return "per edit and distance" if "distances" in kinds(recipe) else "per bit"


def statement(recipe: Recipe, rows: int, queries: int | None = None) -> Statement:
    """All that can be claimed for this recipe on a table of that many rows, before anything leaves.

    `queries` is the number of the partner's records when they are known (nearest-neighbour answers).
    """
    if recipe.method == "plain":
        return _plain(recipe, rows)
    if epsilon_unit(recipe) == "per query":
        return _nearest(recipe, rows, rows if queries is None else queries)
    if recipe.settings.epsilon is None:
        return _without_noise(recipe, rows)
    return _bits(recipe, rows) if epsilon_unit(recipe) == "per bit" else _distances(recipe, rows)


# ---- one function per kind of protection --------------------------------------------------------


def _plain(recipe: Recipe, rows: int) -> Statement:
    said = "Both tables are in the clear on this machine. Nothing is smashed, and nothing may leave."
    return _made(recipe, rows, "none", said, [said], [], [], [WORKSTATION], [])


def _without_noise(recipe: Recipe, rows: int) -> Statement:
    leaving = kinds(recipe)
    said = ["No noise is added: epsilon is unlimited, there is no differential privacy."]
    open_ = [DICTIONARY, _counts(recipe), RESULT]
    if "distances" in leaving:
        said.append(
            "Each value is replaced by its edit distances to the reference records. "
            "The values can be found again from the distances by whoever knows the reference set."
        )
        if not secret_reference(recipe):
            open_.insert(
                1, "The reference set is public: whoever breaks the encryption can look values up without the secret."
            )
    if "bits" in leaving:
        said.append(
            "Each value is hashed into bits under the shared secret. Without the secret the bits cannot be made again, "
            "but equal values have equal bits and similar values similar ones."
        )
        open_.insert(1, SIMILAR)
    if "token" in leaving:
        said.append("Keyed tokens tell the partner which values, initials and words are equal, field by field.")
    protects = ["Nobody reads a value at a glance: it takes the shared secret, or an attack like the rehearsal's."]
    summary = (
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
        Number("epsilon", _text(worst), "per record", "worst case", f"{BASIC}, {bits:,} bits"),
        Number("epsilon", _text(better, up=1), f"per record, {DELTA_WORDS}", "tighter", OPTIMAL),
    ]
    if len(by_field) > 1:
        numbers += [
            Number("epsilon", _text(epsilon * width), f"per field, {name}", "worst case", BASIC)
            for name, width in by_field.items()
        ]
    numbers += _per_edit_of_a_filter(recipe, epsilon, by_field)
    if needed:
        numbers.append(_needed(rows, needed))
    said = [
        f"Every bit is flipped with probability 1/(e^{_text(epsilon)} + 1); the record's {bits:,} bits leave once.",
        f"That is epsilon {_text(epsilon)} per bit, at most {_text(worst)} per record, "
        f"and at most {_text(better, up=1)} per record {DELTA_WORDS}.",
        _odds(rows, needed, worst),
    ]
    summary = f"epsilon {_text(epsilon)} per bit, {_text(worst)} per record in the worst case."
    protects = ["What a single bit was: nobody can be sure of it, whatever else they know.", _same_bytes()]
    open_ = [_epsilon_is_large(worst, needed), DICTIONARY, _counts(recipe), RESULT]
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
        Number("epsilon", _text(per_edit), "per edit", "worst case", f"{METRIC}; {widest:,} distances of a value"),
        Number("epsilon", _text(better, up=1), f"per edit, {DELTA_WORDS}", "tighter", OPTIMAL),
        Number("epsilon", _text(record * LONGEST), "per record", "worst case", f"{BASIC}; values of {LONGEST} letters"),
        Number(
            "epsilon", _text(record * USUAL_LONGEST), f"per record with values of at most {USUAL_LONGEST} letters",
            "tighter", f"{METRIC}; {BASIC}",
        ),
    ]  # fmt: skip
    if needed:
        numbers.append(_needed(rows, needed))
    said = [
        f"Every distance gets whole-number Laplace noise of scale {_text(1 / epsilon)} and is then cut to 0..255.",
        f"That is epsilon {_text(epsilon)} per edit and distance. A value has up to {widest:,} distances, "
        f"so it is {_text(per_edit)} per edit of a value, and at most {_text(better, up=1)} per edit {DELTA_WORDS}.",
        "It is a guarantee about small changes of a value only: two names that differ much can still be told apart.",
        _odds(rows, needed, record * USUAL_LONGEST),
    ]
    summary = f"epsilon {_text(epsilon)} per edit and distance, {_text(per_edit)} per edit of a value."
    protects = ["How a value was spelt, to within the stated epsilon per edit.", _same_bytes()]
    open_ = [_epsilon_is_large(record * USUAL_LONGEST, needed), DICTIONARY, _counts(recipe), RESULT]
    theorems = [GEOMETRIC, METRIC, BASIC, OPTIMAL, POST, POSTERIOR]
    return _made(recipe, rows, "discrete Laplace", summary, said, numbers, protects, open_, theorems)


def _nearest(recipe: Recipe, rows: int, queries: int) -> Statement:
    bundle = "The bundle with the questions leaves without noise: the rehearsal shows what it gives away."
    if recipe.settings.epsilon is None:
        none = "No noise is added to the answers: epsilon is unlimited."
        return _made(recipe, rows, "none", none, [none, bundle], [], [], [DICTIONARY, _counts(recipe), RESULT], [])
    epsilon = _epsilon(recipe)
    worst, better = composition.added(epsilon, queries), composition.tighter(epsilon, min(queries, 1_000_000))
    needed = composition.even_odds(rows)
    drawn = NOISY_MAX if recipe.settings.nearest == "laplace" else FLIP
    numbers = [
        Number("epsilon", _text(epsilon), "per query", "worst case", drawn),
        Number("epsilon", _text(worst), f"per record, {queries:,} queries", "worst case", BASIC),
    ]
    if queries <= 1_000_000 and better < 0.999 * worst:
        numbers.append(Number("epsilon", _text(better, up=1), f"per record, {DELTA_WORDS}", "tighter", OPTIMAL))
    if needed:
        numbers.append(Number("needed", _text(needed, up=2), "per query", "lower bound", PIGEONHOLE))
    said = [
        f"Each of the partner's records is a query, answered with epsilon {_text(epsilon)} per query.",
        f"{queries:,} queries add up to epsilon {_text(worst)} per record.",
        bundle,
    ]
    if needed:
        said.append(
            f"With {rows:,} own records no method can answer well below epsilon {_text(needed, up=2)} per query"
            + (": at this setting most answers are noise." if epsilon < needed else ".")
        )
    summary = f"epsilon {_text(epsilon)} per query, {_text(worst)} per record for {queries:,} queries."
    protects = ["Which own record is nearest to a question: the answer is drawn, not computed."]
    open_ = [_epsilon_is_large(worst, 0.0), DICTIONARY, _counts(recipe), RESULT]
    theorems = [drawn, BASIC, OPTIMAL, PIGEONHOLE]
    return _made(recipe, rows, "noisy nearest neighbour", summary, said, numbers, protects, open_, theorems)


def _made(
    recipe: Recipe,
    rows: int,
    mechanism: str,
    summary: str,
    said: list[str],
    numbers: list[Number],
    protects: list[str],
    open_: list[str],
    theorems: list[str],
) -> Statement:
    protects = [ENCRYPTION, *protects] if recipe.method != "plain" else protects
    if recipe.settings.decoys:
        said = [*said, f"{recipe.settings.decoys:,} decoys are added. {DECOYS}"]
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
    return Number("needed", _text(needed, up=2), f"per record, one of {rows:,}", "lower bound", POSTERIOR)


def _odds(rows: int, needed: float, reached: float) -> str:
    if not needed:
        return "With so few records nothing can be said about the odds of naming one of them."
    if reached < needed:
        surest = composition.largest_posterior(reached, rows)
        return f"Nobody can be surer than {surest:.0%} which of {rows:,} equally likely people a record is."
    return (
        f"To name one of {rows:,} equally likely people with even odds, epsilon {_text(needed, up=2)} per record is "
        f"needed. This setting is above that, so the theorem excludes nothing and the rehearsal must show what is left."
    )


def _epsilon_is_large(record: float, needed: float) -> str:
    if needed and record < needed:
        return "What the partner can tell with less certainty than stated above."
    return (
        f"The whole record: {_text(record)} per record is no protection by itself against a partner who compares all "
        "of it with a dictionary."
    )


def _counts(recipe: Recipe) -> str:
    return COUNTS if all(not field for _, field, _ in shape(recipe)) else MISSING


def _same_bytes() -> str:
    return "The same table is sent again with the same bytes, so that the noise cannot be averaged away."


def _per_edit_of_a_filter(recipe: Recipe, epsilon: float, by_field: Mapping[str, int]) -> list[Number]:
    """One edit of a text touches at most two old and two new letter pairs, each with a fixed number of bits."""
    if recipe.method != "bloom":
        return []
    from pprl_desktop.codes.bloom import hashes_per_piece
    from pprl_desktop.codes.qgrams import TYPICAL_PIECES

    lettered: tuple[FieldKind, ...] = ("name", "text", "category")
    texts = [one for one in recipe.fields if one.kind in lettered]
    if not texts:
        return []
    bits = recipe.settings.bits
    if recipe.settings.layout == "record":
        hashes = hashes_per_piece(sum(TYPICAL_PIECES[one.kind] for one in recipe.fields), bits)
    else:
        hashes = max(hashes_per_piece(TYPICAL_PIECES[one.kind], bits) for one in texts)
    touched = min(4 * hashes * (2 if recipe.settings.balanced else 1), max(by_field.values()))
    if recipe.settings.salt_field in {one.name for one in texts}:
        return []  # an edit of the salt changes every bit
    basis = f"{BASIC}; one edit changes at most four letter pairs of {hashes:,} bits each"
    return [Number("epsilon", _text(touched * epsilon), "per edit of a text", "worst case", basis)]


def secret_reference(recipe: Recipe) -> bool:
    """The reference set was derived from the shared secret, so an outsider does not have it."""
    return recipe.reference is not None and recipe.reference.name.startswith("secret-")


def _epsilon(recipe: Recipe) -> float:
    assert recipe.settings.epsilon is not None
    return recipe.settings.epsilon


def _text(number: float, up: int | None = None) -> str:
    """A decimal text, never in powers of ten. With `up` it is rounded up to so many places: bounds stay bounds."""
    if up is not None:
        number = float(np.ceil(number * 10**up) / 10**up)
    return np.format_float_positional(round(number, 6), trim="-")
