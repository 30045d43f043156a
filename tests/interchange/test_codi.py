"""The zip of the CODI tools: their data owners write what we write, their linkage agent accepts ours, we read theirs.

The slow test runs the public tools themselves (they are no packages):

    git clone https://github.com/mitre/data-owner-tools, and linkage-agent-tools beside it
    CODI_TOOLS=<the folder with both> pytest -n 0 -m slow tests/interchange/test_codi.py
"""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop.cli import main
from pprl_desktop.interchange import clk_files, clk_schema
from pprl_desktop.problem import Problem
from tests.interchange.test_clk import made, simple

HEADER = ("record_id", "given_name", "family_name", "DOB", "sex", "phone_number", "household_street_address",
          "household_zip")  # fmt: skip
FIRST = "Anna Bea Carl Dirk Emil Gina Hans Ines Jörg Karla Lena Max Nina Otto Paul Rosa Sven Tina Uwe".split()
LAST = "Meyer Schmidt Müller Weber Wagner Becker Schulz Hoffmann Koch Bauer Richter Klein Wolf Neumann".split()


def test_the_time_in_the_name_is_the_creation_date_as_the_linkage_agent_checks_it(tmp_path: Path) -> None:
    clk_files.write_zip(tmp_path / "x.zip", {"name-zip": made()})
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        (name,) = [one for one in archive.namelist() if "metadata" in one]
        about = json.loads(archive.read(name))
    at = name.rfind("T")
    stamp = datetime.strptime(name[at - 8 : at + 7], "%Y%m%dT%H%M%S")
    created = datetime.fromisoformat(about["creation_date"])
    assert timedelta(0) <= created - stamp < timedelta(seconds=1)
    assert about["creation_date"].replace("-", "").replace(":", "")[:-7] == name[at - 8 : at + 7]
    assert about["number_of_records"] == 50


def test_entries_of_an_earlier_version_are_passed_over_and_told() -> None:
    plain = simple()
    plain["clkConfig"] |= {"k": 30, "hash": {"type": "blakeHash"}}
    schema = clk_schema.from_plain(plain)
    assert schema.hashed == clk_schema.from_plain(simple()).hashed
    assert "hash and k, which clkhash does not read" in str(schema.warnings[-1])


@pytest.mark.parametrize("secret", [b"a long shared secret", b"0123456789abcdef", b"0x" + b"ab" * 20, b""])
def test_a_secret_that_their_tools_refuse_is_refused(secret: bytes) -> None:
    with pytest.raises(Problem, match="hexadecimal"):
        clk_files.secret_of_codi(secret)
    assert clk_files.secret_of_codi(b"ab" * 16 + b"\n") == clk_files.secret_of_codi(b"ab" * 16)


def people(folder: Path, seed: int) -> list[Path]:
    """Two files as the data owners extract them, half of the people shared; the number is the person."""
    rng = random.Random(seed)
    born = [f"{rng.randint(1930, 2010)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}" for _ in range(900)]
    everyone = [(rng.choice(FIRST), rng.choice(LAST), day, rng.choice("MF"), str(rng.randint(10000, 99999)))
                for day in born]  # fmt: skip
    stamp = datetime.now()
    tables = []
    for who, held in (("a", range(600)), ("b", range(300, 900))):
        place = folder / who / "temp-data"
        place.mkdir(parents=True)
        tables.append(place / f"pii-{stamp:%Y%m%dT%H%M%S}.csv")
        with tables[-1].open("w", newline="", encoding="utf-8") as out:
            rows = csv.writer(out)
            rows.writerow(HEADER)
            for person in rng.sample(held, len(held)):
                first, last, day, sex, code = everyone[person]
                rows.writerow((person, first, last[:-1] if rng.random() < 0.1 else last, day, sex, "", "", code))
        about = {"number_of_records": len(held), "creation_date": stamp.isoformat(), "uuid1": "0"}
        (place / f"metadata-{stamp:%Y%m%dT%H%M%S}.json").write_text(json.dumps(about))
    return tables


@pytest.mark.slow
def test_the_public_tools_take_our_zip_and_we_take_theirs(tmp_path: Path, capsys: Any) -> None:
    tools = Path(os.environ.get("CODI_TOOLS", ""))
    uv = shutil.which("uv")
    if not (tools / "data-owner-tools").is_dir() or uv is None:
        pytest.skip("CODI_TOOLS names no folder with data-owner-tools and linkage-agent-tools")
    isolated = [uv, "run", "--isolated", "--no-project", "--quiet", "--with", "anonlink-client==0.1.5", "--with",
                "setuptools<81", "python"]  # fmt: skip

    def theirs(tool: str, script: str, *argv: object, cwd: Path) -> str:
        command = [*isolated, str(tools / tool / script), *map(str, argv)]
        env = os.environ | {"PYTHONPATH": str(tools / tool)}
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=True).stdout

    (tmp_path / "secret").write_text("5ec4e7" * 8 + "\n")
    schemas = sorted((tools / "data-owner-tools" / "example-schema").glob("*.json"))
    a, b = people(tmp_path, 7)
    for who, table in (("a", a), ("b", b)):
        (tmp_path / who / "output").mkdir()
        theirs("data-owner-tools", "garble.py", table, schemas[0].parent, tmp_path / "secret", cwd=tmp_path / who)
    given = [part for one in schemas for part in ("--schema", str(one))]
    secret = ["--secret-file", str(tmp_path / "secret")]
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    leaving = ["--to", "Agent", "--out", str(inbox / "a.zip"), "--home", str(tmp_path / "home"), "--codi"]
    assert main(["clk", "write", str(a), *given, *secret, *leaving]) == 0
    with zipfile.ZipFile(inbox / "a.zip") as ours, zipfile.ZipFile(tmp_path / "a" / "output" / "garbled.zip") as same:
        for one in schemas:
            name = f"output/{one.name}"
            assert json.loads(ours.read(name)) == json.loads(same.read(name)), "equal to the bit"

    shutil.copy(tmp_path / "b" / "output" / "garbled.zip", inbox / "b.zip")
    for name in ("results", "projects", "output"):
        (tmp_path / name).mkdir()
    project = f"exact:{schemas[-1].stem}"
    config = {
        "systems": ["a", "b"], "projects": [project], "schema_folder": str(schemas[0].parent), "inbox_folder":
        str(inbox), "matching_results_folder": str(tmp_path / "results"), "project_results_folder":
        str(tmp_path / "projects"), "output_folder": str(tmp_path / "output"), "matching_threshold": 0.75, "blocked":
        False, "household_match": False,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    said = theirs("linkage-agent-tools", "validate.py", "--config", tmp_path / "config.json", cwd=tmp_path)
    assert "All necessary input is present" in said
    assert "No issues are present in the metadata files" in said
    script = "from dcctools.config import Configuration as C; import json, sys; c = C(sys.argv[1]); " \
             "print(len(set(json.loads(c.get_clks_raw('a', sys.argv[2]))['clks']) & " \
             "set(json.loads(c.get_clks_raw('b', sys.argv[2]))['clks'])))"  # fmt: skip
    env = os.environ | {"PYTHONPATH": str(tools / "linkage-agent-tools")}
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "config.json"), schemas[-1].stem], env=env,
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert 200 < int(done.stdout) < 300, "the agent finds the people without a slip in our zip and theirs"

    capsys.readouterr()
    theirs_b = str(tmp_path / "b" / "output" / "garbled.zip")
    assert main(["clk", "match", str(a), "--schema", str(schemas[-1]), *secret, "--partner", theirs_b, "--json",
                 "--pairs", "5000"]) == 0  # fmt: skip
    rows = []
    for path in (a, b):
        with path.open(encoding="utf-8", newline="") as source:
            rows.append([one["record_id"] for one in csv.DictReader(source)])
    found = [rows[0][one["own_row"] - 1] == rows[1][one["partner_row"] - 1]
             for one in json.loads(capsys.readouterr().out)["pairs"] if one["band"] == "accept"]  # fmt: skip
    assert sum(found) > 280
    assert sum(found) > 0.9 * len(found), "names and dates drawn at random: whole CLKs of strangers may be alike"
