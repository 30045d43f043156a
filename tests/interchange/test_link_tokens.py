"""Tokens of rules T1 to T5 are those of the Open Link Token package; a file that is none gets a sentence."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from pprl_desktop.interchange import link_tokens
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Table
from tests.interchange import token_cases

HERE = Path(__file__).parent
VECTORS = HERE / "token_vectors.json"  # made by openlinktoken 2.2.1
COLUMNS = {name: name for name in link_tokens.ATTRIBUTES}


def of_people(people: list[dict[str, str]], secret: str) -> list[dict[str, str]]:
    table = Table.of(link_tokens.ATTRIBUTES, [[one[name] for name in link_tokens.ATTRIBUTES] for one in people])
    out: list[dict[str, str]] = [{} for _ in people]
    for one in link_tokens.tokens(table, COLUMNS, secret.encode()):
        out[int(one.record) - 1][one.rule] = one.token
    return out


def test_tokens_equal_those_of_the_package() -> None:
    kept = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert of_people(kept["people"], kept["secret"]) == kept["tokens"]


@pytest.mark.slow
def test_thousands_of_people_have_the_tokens_of_the_package() -> None:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not here")
    command = [uv, "run", "--isolated", "--no-project", "--quiet", "--with", "openlinktoken==2.2.1"]
    if subprocess.run([*command, "python", "-c", "import openlinktoken"], capture_output=True).returncode:
        pytest.skip("openlinktoken cannot be installed here")
    people = token_cases.people(random.Random(7), 3000)
    done = subprocess.run(
        [*command, "python", str(HERE / "token_oracle.py")],
        input=json.dumps({"secret": "ä secret", "people": people}), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert of_people(people, "ä secret") == json.loads(done.stdout)


def test_a_rule_without_its_attributes_gives_no_token() -> None:
    table = Table.of(["f", "l", "s"], [["Anna", "Smith", "F"], ["Anna", "", "F"]])
    made = link_tokens.tokens(table, {"first_name": "f", "last_name": "l", "sex": "s"}, b"k")
    assert [(one.record, one.rule) for one in made] == [("1", "T5")]
    with pytest.raises(Problem, match="T5 needs"):
        link_tokens.tokens(table, {"first_name": "f"}, b"k")


def test_tokens_link_the_same_people_and_say_by_which_rule(tmp_path: Path) -> None:
    people = [["Anna", "Smith", "F", "1980-02-29"], ["Bob", "Jones", "M", "1970-01-02"]]
    names = dict(zip(("first_name", "last_name", "sex", "birth_date"), "flsb", strict=True))
    own = link_tokens.tokens(Table.of(list("flsb"), people), names, b"k")
    theirs = link_tokens.tokens(Table.of(list("flsb"), [people[1], ["Ann", "Smith", "F", "1980-02-28"]]), names, b"k")
    link_tokens.write(tmp_path / "t.csv", theirs)
    assert link_tokens.read(tmp_path / "t.csv") == theirs
    assert link_tokens.linked(own, theirs) == {("2", "1"): ("T1", "T3", "T5"), ("1", "2"): ("T5",)}
    assert not link_tokens.linked(own, link_tokens.tokens(Table.of(list("flsb"), people), names, b"another"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "columns"),
        ("RuleId,Token,RecordId\nT1,olt.V1.abc,1\n", "encrypted"),
        ("RuleId,Token,RecordId\nT9,AAAA,1\n", "does not know"),
        ("RuleId,Token,RecordId\nT1,AAAA,1\n", "no token"),
        ("RuleId,Token,RecordId\nT1,=HYPERLINK(1),1\n", "no token"),
    ],
)
def test_a_file_of_another_kind_or_version_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(Problem, match=said):
        link_tokens.read(tmp_path / "t.csv")
