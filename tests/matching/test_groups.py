"""Groups of several parties: never plain transitive closure, and the same for everyone."""

from __future__ import annotations

import itertools
import random

import pytest

from pprl_desktop.matching.groups import Groups, Link, Record, closure, groups
from pprl_desktop.problem import Problem
from tests.hostility import Tally

PARTIES = ("A", "B", "C", "D")
ALL = tuple(itertools.combinations(PARTIES, 2))


def link(one: str, other: str, probability: float = 0.9) -> Link:
    return Link(Record(one[0], one[1:]), Record(other[0], other[1:]), probability)


def sets(made: Groups) -> list[str]:
    return [" ".join(record.party + record.handle for record in group) for group in made.groups]


def test_a_person_known_to_all_is_one_group() -> None:
    made = groups([link("A1", "B1"), link("B1", "C1"), link("A1", "C1")], ALL)
    assert sets(made) == ["A1 B1 C1"]
    assert not made.contradictions


def test_the_stronger_link_wins_and_the_contradiction_is_told() -> None:
    made = groups([link("A1", "B1", 0.99), link("B1", "C1", 0.98), link("A2", "C1", 0.6)], ALL)
    assert sets(made) == ["A1 B1 C1"]
    assert [str(one.why) for one in made.contradictions] == ["A would have 2 records of one person."]


def test_a_merge_against_the_majority_of_compared_pairs_is_refused() -> None:
    links = [link("A1", "B1", 0.99), link("C1", "D1", 0.98), link("B1", "C1", 0.7)]
    assert sets(groups(links, ALL)) == ["A1 B1", "C1 D1"], "one of four compared pairs is a link"
    assert sets(groups(links, [("A", "B"), ("C", "D"), ("B", "C")])) == ["A1 B1 C1 D1"], "nobody compared the others"


def test_more_records_of_a_party_only_where_agreed() -> None:
    links = [link("A1", "B1"), link("A1", "B2")]
    assert sets(groups(links, ALL)) == ["A1 B1"]
    assert sets(groups(links, ALL, {"B": 2})) == ["A1 B1 B2"]
    assert len(groups(links, ALL).ties) == 1


def test_groups_do_not_depend_on_the_order_of_links() -> None:
    rng = random.Random(4)
    links = [
        link(f"{one}{rng.randrange(6)}", f"{other}{rng.randrange(6)}", round(rng.random(), 1))
        for one, other in ALL
        for _ in range(8)
    ]
    first = groups(links, ALL)
    for _ in range(10):
        rng.shuffle(links)
        assert groups([Link(one.other, one.one, one.probability) for one in links], ALL) == first


def test_no_group_ever_has_two_records_of_a_party_or_a_minority_of_links() -> None:
    rng = random.Random(8)
    largest = 0
    for _ in range(40):
        links = [
            link(f"{one}{rng.randrange(5)}", f"{other}{rng.randrange(5)}", rng.random())
            for one, other in ALL
            for _ in range(rng.randint(0, 7))
        ]
        known = {frozenset((one.one, one.other)) for one in links}
        for group in groups(links, ALL).groups:
            parties = [record.party for record in group]
            assert len(parties) == len(set(parties))
            pairs = [frozenset(pair) for pair in itertools.combinations(group, 2)]
            assert 2 * sum(pair in known for pair in pairs) >= len(pairs)
            largest = max(largest, len(group))
    assert largest > 2


def test_large_groups_that_contradict_each_other_cost_little() -> None:
    """Parties that may have many records of a person, and invent links between two crowds."""
    parties = [f"{at:02}" for at in range(10)]
    crowds = [[Record(party, f"{crowd}{at}") for party in parties for at in range(8)] for crowd in "ab"]
    inside = [
        Link(one, other, 0.9) for crowd in crowds for one, other in itertools.combinations(crowd, 2)
        if one.party != other.party
    ]  # fmt: skip
    between = [
        Link(one, other, 0.5) for at, one in enumerate(crowds[0]) for other in crowds[1][at % 3 :: 3]
        if one.party != other.party
    ]  # fmt: skip
    tally = Tally("links between crowds")
    tally.case(lambda: groups([*inside, *between], itertools.combinations(parties, 2), dict.fromkeys(parties, 200)))
    tally.finish()


def test_a_link_of_a_party_outside_the_group_is_refused() -> None:
    with pytest.raises(Problem, match="no result in this group"):
        groups([link("A1", "X1")], ALL)
    with pytest.raises(Problem):
        groups([link("A1", "B1", float("nan"))], ALL)
    with pytest.raises(Problem):
        groups([link("A1", "A2")], [*ALL, ("A", "A")])


def test_four_parties_on_one_population_beat_pairwise_and_closure() -> None:
    """Each pair of parties finds nine of ten shared people and links some strangers; truth is the number."""
    rng = random.Random(11)
    holds = {party: [person for person in range(400) if rng.random() < 0.7] for party in PARTIES}
    links, true_pairs, right = [], 0, 0
    for one, other in ALL:
        shared = set(holds[one]) & set(holds[other])
        true_pairs += len(shared)
        for person in shared:
            if rng.random() < 0.9:
                links.append(link(f"{one}{person}", f"{other}{person}", 0.9 + 0.1 * rng.random()))
                right += 1
        for _ in range(len(shared) // 12):
            strangers = rng.choice(holds[one]), rng.choice(holds[other])
            links.append(link(f"{one}{strangers[0]}", f"{other}{strangers[1]}", 0.5 + 0.45 * rng.random()))

    def figures(pairs: set[tuple[Record, Record]]) -> tuple[float, float]:
        hits = sum(one.handle == other.handle for one, other in pairs)
        return hits / len(pairs), hits / true_pairs

    pairwise = figures({(one.one, one.other) for one in links})
    joined = {
        (one, other)
        for group in closure(links)
        for one, other in itertools.permutations(sorted(group), 2)
        if one < other and one.party != other.party
    }
    grouped = figures(groups(links, ALL).pairs())
    assert grouped[0] > figures(joined)[0] + 0.2, "closure joins whole groups by one wrong link"
    assert grouped[0] >= pairwise[0]
    assert grouped[1] >= pairwise[1], "what one pair of parties missed, the others found"
