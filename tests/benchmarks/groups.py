"""Four parties on one made-up population, through homes, agreements, bundles and results: pairs, closure and groups.

    python -m tests.benchmarks.groups [PEOPLE [SEED ...]]

Prints precision and recall of the pairwise links, of their plain transitive closure and of the groups, how many links
were not followed, the size of each file and the processor time of what groups add to the pairwise job.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from pprl_desktop.matching.groups import Link, Record, closure
from pprl_desktop.records.fields import Field
from tests.benchmarks import populations
from tests.job import parties
from tests.job.parties import Party

HELD = 0.6  # share of the people that each party holds
FIELDS = (Field.of("first_name"), Field.of("last_name"), Field.of("date_of_birth", "date"), Field.of("zip", "id"))
Pairs = set[tuple[Record, Record]]


def main() -> None:
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 800
    for seed in map(int, sys.argv[2:] or ["1"]):
        with tempfile.TemporaryDirectory() as folder:
            run(Path(folder), size, seed)


def files(folder: Path, size: int, seed: int) -> tuple[list[Path], list[list[int]]]:
    """Each party's file, and who is behind each of its rows."""
    world = populations.draw(seed, size)
    random = np.random.default_rng([seed, 20])
    everyone = populations.residents(world, random, size)
    tables, whose = [], []
    for name in parties.NAMES:
        held = random.permutation(len(everyone))[: round(HELD * len(everyone))].tolist()
        rows = []
        for person in held:
            written = populations.written(everyone[person], world, 0, random)
            rows.append([written["first"], written["last"], written["born"], written["zip"]])
        tables.append(parties.write(folder / f"{name}.csv", [one.name for one in FIELDS], rows))
        whose.append(held)
    print(f"seed {seed}: {world.culture}, dirt {world.dirt[0]:.2f}, missing {world.missing[0]:.2f}, "
          f"twins {world.twins:.2f}, namesakes {world.namesakes:.2f}; {len(whose[0])} records each")  # fmt: skip
    return tables, whose


def run(folder: Path, size: int, seed: int) -> None:
    tables, whose = files(folder, size, seed)
    four = parties.linked(folder, tables, FIELDS)
    who = {party.name: people for party, people in zip(four, whose, strict=True)}
    true = sum(len(set(a) & set(b)) for a, b in itertools.combinations(whose, 2))

    def figures(name: str, pairs: Pairs) -> None:
        right = sum(who[a.party][int(a.handle)] == who[b.party][int(b.handle)] for a, b in pairs)
        precision, recall = right / max(len(pairs), 1), right / true
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        print(f"  {name:<9} precision {precision:.4f}  recall {recall:.4f}  F1 {f1:.4f}  ({len(pairs)} pairs)")

    direct = pairwise(four)
    figures("pairwise", direct)
    joined = {frozenset(group) for group in closure(Link(a, b, 1.0) for a, b in direct)}
    figures("closure", _cross(joined))
    start = time.process_time()
    sizes = [one.project.send(one.own_table, one.choices, folder / "links.pprl").bytes for one in four[1:2]]
    sent = time.process_time() - start
    parties.report(four, folder)
    start = time.process_time()
    formed = four[0].project.form(four[0].own_table, four[0].choices)
    took = time.process_time() - start
    told: dict[str, set[Record]] = {}
    for one in four[1:]:
        sizes.append(four[0].project.tell(one.name, folder / "told.pprl").bytes)
        one.open(folder / "told.pprl")
    for one in four:
        found = one.project.own_groups()
        for row, id in zip(found.rows, found.ids, strict=True):
            told.setdefault(id, set()).add(Record(one.name, str(row)))
    figures("groups", _cross({frozenset(group) for group in told.values()}))
    print(f"  {formed.links} links, {formed.groups} groups, {len(formed.contradictions)} links not followed, "
          f"{formed.ties} of them ties")  # fmt: skip
    print(f"  processor time: report {sent:.2f} s a party, form {took:.2f} s; "
          f"links file {sizes[0]:,} bytes, groups file {max(sizes[1:]):,} bytes")  # fmt: skip


def pairwise(four: list[Party]) -> Pairs:
    """Reconciled links of every two parties, by rows."""
    found: Pairs = set()
    for one, other in itertools.combinations(four, 2):
        mine, theirs = one.partnership(other).outcome(), other.partnership(one).outcome()
        row = dict(zip(theirs.links, theirs.reconciled.linked[:, 0].tolist(), strict=True))
        for own, id in zip(mine.reconciled.linked[:, 0].tolist(), mine.links, strict=True):
            found.add((Record(one.name, str(own)), Record(other.name, str(row[id]))))
    return found


def _cross(groups: set[frozenset[Record]]) -> Pairs:
    return {(a, b) for group in groups for a, b in itertools.combinations(sorted(group), 2) if a.party != b.party}


if __name__ == "__main__":
    main()
