"""Where pairs come from: two tables, a match, MINDFIRL's own layouts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.decisions.base import ACCEPT, REJECT, REVIEW, Match, Scored
from pprl_desktop.problem import Problem
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import Column, Table
from pprl_desktop.review import mindfirl
from pprl_desktop.review.codec import from_plain, part_of, to_plain
from pprl_desktop.review.plan import Policy
from pprl_desktop.review.sources import (
    Listed,
    from_match,
    from_tables,
    name_swaps,
    read_pairs,
    readable_date,
    review_fields,
    with_counts,
)

FIELDS = (Field.of("first_name"), Field.of("born", "date"), Field.of("sex", "category"))
A = Table.of(("id", "first_name", "born", "sex"), [("a1", "Anna", "1964-08-09", "f"), ("a2", "Bert", "", "m")])
B = Table.of(("id", "first_name", "born", "sex"), [("b1", "ANNE", "09.08.1964", "f"), ("b2", "Bert", "1930-01-02", "")])


def tables():
    return clean(A, FIELDS, {}), clean(B, FIELDS, {})


def policy() -> Policy:
    return Policy(review_fields(FIELDS))


def test_two_tables_become_one_crowd() -> None:
    made = from_tables(*tables(), [Listed(0, 0, 0.9), Listed(1, 1)], policy(), "title")
    assert len(made.people) == 4
    assert [made.people.value(0, r) for r in range(4)] == ["ANNA", "BERT", "ANNE", "BERT"]
    assert made.people.value(1, 0) == "1964-08-09"
    assert made.people.value(1, 1) == ""
    assert [(p.a, p.b, p.score) for p in made.pairs] == [(0, 2, 0.9), (1, 3, None)]
    assert made.people.side.tolist() == [0, 0, 1, 1]
    assert len({p.id for p in made.pairs}) == 2
    assert [f.type for f in made.policy.fields] == ["variable", "date", "category"]
    assert made.strata[0].population == 2
    with pytest.raises(Problem, match="not in its table"):
        from_tables(*tables(), [Listed(0, 9)], policy())


def test_a_review_survives_its_plain_form() -> None:
    made = with_counts(from_tables(*tables(), [Listed(0, 0, 0.9)], policy()), {"first_name": {"ANNA": 7}})
    again = from_plain(*to_plain(made))
    assert again.fingerprint() == made.fingerprint()
    assert again.pairs == made.pairs
    assert again.people.counts[0] == {"ANNA": 7}
    assert [c.cells() for c in again.people.columns] == [c.cells() for c in made.people.columns]


def test_a_share_holds_no_source_rows_and_on_wish_nobody_else() -> None:
    made = from_tables(*tables(), [Listed(0, 0), Listed(1, 1)], policy())
    ids = [made.pairs[1].id]
    whole = part_of(made, ids, made.policy, "x", whole_crowd=True)
    few = part_of(made, ids, made.policy, "x", whole_crowd=False)
    assert (len(whole.people), len(few.people), few.own_crowd) == (4, 2, False)
    assert set(whole.people.source.tolist()) == set(few.people.source.tolist()) == {-1}
    assert [few.people.value(0, r) for r in (0, 1)] == ["BERT", "BERT"]
    assert "ANNA" not in list(few.people.columns[0].values)
    assert few.people.value(1, 0) == ""


def test_pair_lists() -> None:
    ids_a, ids_b = A.column("id"), B.column("id")
    table = Table.of(("score", "id_b", "id_a", "band"), [("0.5", "b2", "a1", ""), ("", "b1", "a2", "accept")])
    assert read_pairs(table, ids_a, ids_b) == (Listed(0, 1, 0.5, "review"), Listed(1, 0, None, "accept"))
    plain = Table.of(("x", "y"), [("a1", "b1")])
    assert read_pairs(plain, ids_a, ids_b) == (Listed(0, 0),)
    for wrong, words in (
        (Table.of(("x",), [("a1",)]), "two columns"),
        (Table.of(("x", "y"), [("a1", "b9")]), "Line 2 .* second table"),
        (Table.of(("x", "y", "score"), [("a1", "b1", "high")]), "not a number"),
    ):
        with pytest.raises(Problem, match=words):
            read_pairs(wrong, ids_a, ids_b)
    with pytest.raises(Problem, match="not unique"):
        read_pairs(plain, Column.of("id", ["a1", "a1"]), ids_b)


def a_match() -> Match:
    own = np.array([0, 1, 0, 1], dtype=np.int32)
    partner = np.array([0, 1, 1, 0], dtype=np.int32)
    score = np.array([3.0, 1.0, -1.0, -2.0])
    scored = Scored(own, partner, score, score, np.zeros((4, 3), np.float32), ("a", "b", "c"), 2.0, 4)
    band = np.array([ACCEPT, REVIEW, REJECT, REJECT], dtype=np.int8)
    return Match(scored, np.ones(4, dtype=bool), band, 2.0, 0.0, 0, {})


def test_a_match_gives_its_review_band_and_an_audit() -> None:
    made = from_match(a_match(), *tables(), policy())
    assert [(p.a, p.b, p.band) for p in made.pairs] == [(1, 3, "review")]
    assert made.settled == ((0, 2),)
    assert [(s.population, s.accepted) for s in made.strata] == [(2, False), (1, False), (1, True)]
    audited = from_match(a_match(), *tables(), policy(), audit=1)
    assert sorted(p.band for p in audited.pairs) == ["accept", "reject", "review"]


def test_helpers() -> None:
    assert name_swaps(["given_name", "surname", "dob"]) == (("given_name", "surname"),)
    assert name_swaps(["name", "dob"]) == ()
    assert readable_date("19640809") == "1964-08-09"
    assert readable_date("1964") == "1964"


# --- MINDFIRL ---------------------------------------------------------------------------------------------------

PAIR_FILE = """ID,voter_reg_num,first_name,last_name,dob,sex,race,info1,type,file_id
7_a,1000000657,ADA,IVERSEN,07/04/1946,F,W,A,1,1-B
7_a,1000000657,ADA,IVERSON,04/07/1946,F,W,A,1,1-A
9_a,NA,KARL,ROT,,M,B,A,1,1-B
9_a,1000000009,CARL,ROT,01/02/1950,M,B,A,1,1-A
"""
GROUPED = """"pairID","GroupID","DB","ID","voter_reg_num","first_name","last_name","dob","sex","race"
1,1,"A",1,1000128500,"ADA","IVERSEN","01/30/1930","F","W"
1,1,"A",2,1000182500,"ADA","IVERSEN","01/30/1930","F","W"
2,1,"A",1,1000128500,"ADA","IVERSEN","01/30/1930","F","W"
2,1,"A",3,1000182501,"ADI","IVERSEN","01/30/1930","F","W"
"""
SCREEN = """1,1000013651,6,ADA,IVERSEN,2,10/31/1944,F,B,*********1,***,*******,**/**/****,*,*,0,0,0
1,1000013650,6,ADA,IVERSEN,2,10/31/1944,F,B,*********0,***,*******,**/**/****,*,*,0,0,0
"""
FREQUENCIES = "F,ADA,100\nL,IVERSEN,1\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "file.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_pair_file(tmp_path) -> None:
    made = mindfirl.read_review(written(tmp_path, PAIR_FILE))
    assert [f.name for f in made.policy.fields] == ["voter_reg_num", "first_name", "last_name", "dob", "sex", "race"]
    assert [f.type for f in made.policy.fields] == ["fixed", "variable", "variable", "date", "category", "category"]
    assert [(p.a, p.b) for p in made.pairs] == [(0, 1), (2, 3)]
    assert made.people.value(0, 2) == ""
    assert made.policy.name_swaps == (("first_name", "last_name"),)
    assert not made.own_crowd


def test_grouped_pair_file_knows_its_records(tmp_path) -> None:
    made = mindfirl.read_review(written(tmp_path, GROUPED))
    assert len(made.people) == 3
    assert [(p.a, p.b) for p in made.pairs] == [(0, 1), (0, 2)]


def test_screen_file_brings_its_counts(tmp_path) -> None:
    made = mindfirl.read_review(written(tmp_path, SCREEN))
    assert made.people.counts[1] == {"ADA": 6}
    assert made.people.counts[2] == {"IVERSEN": 2}
    further = "\n".join(line.replace(",F,B,", ",F,B,X,").replace(",0,0,0", ",*,0,0,0") for line in SCREEN.split("\n"))
    assert [f.name for f in mindfirl.read_review(written(tmp_path, further)).policy.fields][-1] == "race"


def test_frequency_file(tmp_path) -> None:
    (tmp_path / "f.csv").write_text(FREQUENCIES)
    made = mindfirl.read_review(written(tmp_path, PAIR_FILE), tmp_path / "f.csv", kappa=2)
    assert made.people.counts[1] == {"ADA": 100}
    assert made.policy.kappa == 2
    (tmp_path / "f.csv").write_text("F,ADA,many\nL,IVERSEN,1\n")
    with pytest.raises(Problem, match="Line 1"):
        mindfirl.read_frequencies(tmp_path / "f.csv")
    (tmp_path / "f.csv").write_text("F,ADA\nL,IVERSEN\n")
    with pytest.raises(Problem, match="not a frequency file"):
        mindfirl.read_frequencies(tmp_path / "f.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,age\nAda,3\nBob,4\n", "not a pair file"),
        ("1,2,3\n1,2,4\n", "not a screen file"),
        (PAIR_FILE + "9_a,1,CARL,ROT,01/02/1950,M,B,A,1,1-A\n", "does not have two records"),
    ],
)
def test_other_files_are_refused(tmp_path, text, words) -> None:
    with pytest.raises(Problem, match=words):
        mindfirl.read_review(written(tmp_path, text))
    with pytest.raises(Problem, match="was not found"):
        mindfirl.read_review(tmp_path / "none.csv")
