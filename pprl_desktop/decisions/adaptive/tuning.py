"""The numbers of the adaptive decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pprl_desktop.decisions import tuning
from pprl_desktop.decisions.tuning import BY_CHANCE, COPY, OVERLAP, number


@dataclass(frozen=True)
class Tuning(tuning.Tuning):
    DECISION: ClassVar[str] = "adaptive"

    # levels of agreement (levels.py, similarity.py)
    quantiles: tuple[float, ...] = number(
        (0.35, 0.12, 4e-2, 1e-2, 3e-3, 5e-4, 8e-5),
        "share of random pairs at least as similar",
        "prototype on eleven sets; the first two serve fields of few values under noise",
    )
    noise_sigma: float = number(3.1, "standard deviations", "one in a thousand of a normal distribution lies beyond")
    soft: float = number(4.0, "mean eigenvalues added before the whitening", "2 to 8 do about equally well")
    whitened: int = number(5000, "values the whitening is taken from")
    listed_from: float = number(3e-3, "share of random pairs as similar as the least similar listed values")

    spelled_alike: int = number(3, "near level from which spelling says more than a shared group of given names")

    # what strangers agree on (strangers.py)
    null_pairs: int = number(1_000_000, "random pairs", "the rarest level (8e-5) then holds 80 of them")
    within_rows: int = number(3000, "records of one file compared with each other")
    copy_fields: int = number(4, "fields in which a copy must agree", "two people may well share a name and a town")
    unseen: float = number(0.5, "pairs a level is credited with beyond those seen", "Krichevsky and Trofimov 1981")

    # what counterparts agree on before any pair was seen (weights.py)
    overlap: float = number(OVERLAP, "share of the smaller file that has a counterpart", "decisions/tuning.py")
    prior_differs: float = number(0.08, "share of counterparts")
    prior_near: tuple[float, ...] = number((0.005, 0.005, 0.01, 0.01, 0.02, 0.03, 0.05), "share of counterparts")
    prior_equal: float = number(0.77, "share of counterparts")
    prior_word: float = number(0.01, "share of counterparts")
    prior_shifted: float = number(0.01, "share of counterparts")
    noisy_near: tuple[float, ...] = number((0.02, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1), "share of counterparts")
    noisy_equal: float = number(0.56, "share of counterparts", "equal values are the most similar ones under noise")
    prior_initial: tuple[float, float] = number((0.92, 0.08), "share of counterparts of whom one has an initial")
    prior_cross: float = number(0.02, "share of counterparts with a value in the other field")
    strength: float = number(25.0, "matches worth of trust in the prior of m")
    cross_strength: float = number(20.0, "matches worth of trust in prior_cross")

    # expectation and maximisation (weights.py)
    em_rounds: int = number(60, "rounds at most", "it settles within 20 to 40")
    settled: float = number(1e-4, "largest change of any m at which EM stops")
    messages: int = number(6, "rounds of belief propagation per E-step", "they start where the last step ended")
    least_evidence: float = number(0.7, "log likelihood ratio", "prior odds alone link nobody")
    unseen_rounds: int = number(3, "times that the matches which no pair shows are put back", "known answers, 2026-11")
    most_unseen: float = number(
        0.3, "share of the matches that may lie below least_evidence", "beyond it the files do not tell who is shared"
    )
    free: float = number(0.05, "share of the smaller file that is taken to be without counterpart at least")

    # candidates (learning.py, candidate_recall.py)
    rounds: int = number(2, "looks for candidates", "the second uses the weights learned in the first")
    lowest: float = number(-9.0, "log odds below which a pair is no candidate")
    per_row: int = number(60, "candidates per row of both files, on average", "memory: 400 bytes each")
    worth_telling: float = number(-3.0, "log odds of the weakest kept pair above which leaving pairs out is told")
    recall_patterns: int = number(2000, "patterns of agreement drawn")
    recall_records: int = number(300, "own records each pattern is put on")
    recall_unseen: float = number(3.0, "counterparts unmet for each one that the patterns show")
    recall_sigma: float = number(1.645, "standard errors", "one-sided 95 %")
    crossings: int = number(16, "ordered pairs of fields at most", "four fields of one kind make twelve")

    # dependent fields (dependence.py)
    least_lift: float = number(1.15, "lift below which fields are taken to be independent")
    lift_seen: float = number(2.0, "pairs that must agree on both fields beyond chance before a lift is believed")
    lift_sigma: float = number(3.0, "standard deviations of chance", BY_CHANCE)
    lift_doubt: float = number(2.0, "pairs worth of trust in independence")
    lift_shrink: float = number(1.0, "records worth of trust in the average over all values")
    lift_related: float = number(10.0, "pairs worth of trust in the average excess")
    lift_allowed: float = number(
        1.5, "times what one person's records explain", "a lift left out costs less than one that is not there"
    )
    copies_missed: float = number(
        0.25,
        "pairs of one person that were not found for each one that was, at most",
        "populations: .02 to .08 where many copies are dirty, .6 to 9 where families were taken for copies, 2026-11",
    )
    usually_independent: float = number(0.5, "share of the pairs of fields")
    most_edges: int = number(64, "edges at most, the strongest")
    rarity: tuple[float, ...] = number((0.75, 2.0, 6.0, 20.0, 80.0), "other holders of a value per 2,000 records")
    close: float = number(1e-2, "share of random pairs: rarer near levels count as a kind of agreement")

    # held to what pairs within a file show (learning.py, check.py)
    holds: int = number(6, "times the weights are held to it and learned again")
    lowest_held: float = number(-4.0, "log odds from which pairs are held to it")
    held_margin: float = number(2.0, "log odds below lowest_held down to which pairs within a file are looked at")
    most_held: float = number(4.0, "log of the largest factor by which strangers become likelier")
    most_near: int = number(100_000, "pairs within a file that look like matches, looked at")
    held_step: float = number(1.0, "log likelihood ratio within which pairs are counted together")
    held_smooth: tuple[float, ...] = number((0.25, 0.5, 0.25), "share of a step's neighbours", "binomial: the least")
    held_doubt: float = number(3.0, "pairs worth of trust in the weights")
    certain: float = number(4.6, "log odds of a pair that is believed whatever competes with it", "99 to 1")
    few_twice: int = number(5, "people with two records from which it is told")
    share_twice: float = number(0.03, "share of the matched people from which it is told")

    # columns written otherwise on the two sides (apart.py)
    apart_expected: float = number(12.0, "equal pairs of strangers across the files that chance would give at least")
    apart_share: float = number(0.05, "share of them that may be there nevertheless", "typing errors meet by chance")

    # who is held twice (repeats.py, verdict.py)
    least_strangers: float = number(
        0.2,
        "share of the pairs within a file that are strangers, however many records of one person may be among them",
        "a guess on the careful side, 2026-11",
    )
    few_repeated: float = number(0.03, "pairs of one person per record up to which nobody is taken to be held twice")
    copy: float = number(COPY, "probability that records alike in every field are one person", "decisions/tuning.py")
    repeated: float = number(0.1, "pairs of one person per record, before any was seen")

    # the second opinion (opinion.py), on made-up populations of tests/benchmarks/populations.py
    one_view: float = number(12.0, "lift of joint agreement among strangers from which two fields are one view")
    changed_share: float = number(
        0.8,
        "agreement on a field where another differs, to where it agrees, below which counterparts change both together",
        "at .8 a pair that differs in both has lost even odds where one in ten differs, 2026-11",
    )
    views_left: int = number(3, "views at least that are left when fields which change together are joined")
    same_seen: int = number(10, "pairs of strangers that agree on one of two fields, to take them for the same")
    same_share: float = number(0.9, "share of them that agree on both")
    apart_parts: float = number(
        0.1, "share of its lift with a composed field that two parts of it have with each other at most"
    )
    opinions: int = number(3, "times the weights are learned again where the second opinion is lower")
    opinion_agrees: float = number(0.25, "share of the expected matches that it must take away for that")
    agreeing: float = number(3e-3, "share of random pairs: values as similar agree")
    telling: float = number(0.3, "chance of strangers to agree on a view above which it is not asked")
    opinion_step: float = number(0.5, "log odds within which pairs have one rank")
    opinion_wide: int = number(9, "such steps over which strangers are counted together")
    opinion_least: int = number(5, "pairs at least that m of a view is counted on")
    opinion_doubt: float = number(2.0, "pairs worth of trust in the weights")
    opinion_sigma: float = number(1.0, "standard errors of chance given back", "the lowest of several views counts")
    opinion_floor: float = number(
        0.5, "least m of a view", "prototype: it keeps EM from locking onto a region or a culture"
    )
    same_first: float = number(
        0.8,
        "share of the surest pairs that agree on the first name, below which they may be relatives",
        "of 60 runs the 6 below had a precision .08 to .19 too high, the others did not, 2026-11",
    )
    same_birth: float = number(
        0.7,
        "share of the surest pairs that agree on the birth or nearly, below which they may be father and son",
        "made-up populations: where ten pairs or more lay below, the precision was told .14 to .66 too high, 2026-11",
    )
    believed_differ: float = number(
        0.1,
        "share of the links that may differ in first name or birth, from which it is told",
        "precision expected beyond the true one that is not bearable",
    )
    namesakes: float = number(
        0.1,
        "share of the records that are copies by name and household alone, from which it is told",
        "as believed_differ",
    )
    confirmed: float = number(0.6, "share of the best pairs that agree on a view which is confirmed")
    foreign: float = number(0.02, "share of the records below which a field has hardly a value of the other side's")
    speaks: float = number(0.5, "log likelihood ratio above which a view speaks for a pair", "a guess, 2026-11")
    silent: float = number(0.25, "share below which a view is silent where others are confirmed")

    # the second opinion on recall (held_out.py)
    held_out_least: int = number(20, "people whom the other views make certain, to ask a view")
    held_out_wrong: float = number(0.02, "share of strangers among them at most")

    # whether anybody is shared (nobody.py)
    weights_right: float = number(
        0.8, "share of files whose weights foresee strangers rightly", "a guess on the careful side, 2026-11"
    )
    strangers_alone: int = number(60, "best pairs up to which strangers alone are weighed as the explanation")
    strangers_more: int = number(12, "larger numbers of best pairs, up to all, at which they are too")

    # opened pairs of blind, of which only the own file is known (opened.py)
    opened_sample: int = number(400_000, "random own pairs on which u is counted")
    opened_lift: float = number(0.3, "nats of joint agreement among strangers from which fields are dependent")
    opened_seen: float = number(10.0, "pairs of strangers that agree on both fields, before that is believed")
    opened_doubt: float = number(5.0, "records worth of trust in that a value tells of another field what is usual")
    opened_near: tuple[float, ...] = number((0.005, 0.005, 0.01, 0.01, 0.02, 0.02, 0.06), "share of counterparts")

    anybody: float = number(
        0.5,
        "probability that anybody is shared, below which nobody is linked",
        "even odds; at .75 every other file with one in a hundred shared lost all of its links, 2026-11",
    )

    # the border (run.py)
    worthwhile: float = number(
        0.75,
        "expected F1 from which the border may lie below even odds",
        "the best border lies at half the F1, so never under 3 in 8",
    )
