"""CLKs are those of clkhash to the bit; a foreign schema or file that lies gets a sentence."""

from __future__ import annotations

import base64
import copy
import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pprl_desktop.codes.base import Smashed
from pprl_desktop.interchange import clk_encode, clk_files, clk_schema
from pprl_desktop.problem import Problem
from pprl_desktop.records.table import Table
from tests.interchange import clk_cases

HERE = Path(__file__).parent
VECTORS = HERE / "clk_vectors.json"  # made by clkhash 0.18.3: see test_the_vectors_are_those_of_the_package


def clks(made: Smashed, bits: int) -> list[str]:
    part = made.part("record")
    rows = [part.values[row].tobytes() if row >= 0 else bytes(bits // 8) for row in part.rows]
    return [base64.b64encode(row).decode() for row in rows]


def hashed(case: dict[str, Any]) -> list[str]:
    schema = clk_schema.from_plain(case["schema"])
    table = Table.of(clk_cases.HEADER, case["rows"])
    encoded = clk_encode.encode(table, schema, case["secret"].encode(), {})
    clk_encode.must_fit(encoded, schema)
    return clks(encoded.smashed(), schema.bits)


def random_case(seed: int, count: int) -> dict[str, Any]:
    rng = random.Random(seed)
    return {"schema": clk_cases.schema(rng), "rows": clk_cases.people(rng, count), "secret": f"sécret {seed}"}


def oracle(cases: list[dict[str, Any]]) -> list[list[str]]:
    """The real package, in an environment of its own: it pins an old `cryptography`."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not here")
    command = [uv, "run", "--isolated", "--no-project", "--quiet", "--with", "clkhash==0.18.3"]
    if subprocess.run([*command, "python", "-c", "import clkhash"], capture_output=True).returncode:
        pytest.skip("clkhash cannot be installed here")
    script = str(HERE / "clk_oracle.py")
    done = subprocess.run(
        [*command, "python", script], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    return list(json.loads(done.stdout))


def test_clks_equal_those_of_the_package_to_the_bit() -> None:
    cases = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert [hashed(case["case"]) for case in cases] == [case["clks"] for case in cases] != []


@pytest.mark.slow
def test_the_vectors_are_those_of_the_package_and_so_are_thousands_more() -> None:
    cases = [random_case(seed, 2_000) for seed in range(24)]
    assert [hashed(case) for case in cases] == oracle(cases)
    kept = json.loads(VECTORS.read_text(encoding="utf-8"))
    assert [one["clks"] for one in kept] == oracle([one["case"] for one in kept])


def simple() -> dict[str, Any]:
    return copy.deepcopy(json.loads(VECTORS.read_text(encoding="utf-8"))[0]["case"]["schema"])


def test_xor_folds_is_read_as_the_package_reads_it_and_the_other_spelling_is_told() -> None:
    plain = simple()
    plain["clkConfig"]["xorFolds"] = 1
    plain["clkConfig"].pop("xor_folds", None)
    schema = clk_schema.from_plain(plain)
    assert schema.folds == 0
    assert "xorFolds" in str(schema.warnings[0])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("version",), 2),
        (("version",), True),
        (("clkConfig", "l"), 1 << 40),
        (("clkConfig", "l"), -8),
        (("clkConfig", "xor_folds"), 10**9),
        (("clkConfig", "kdf", "type"), "legacy"),
        (("clkConfig", "kdf", "keySize"), 10**6),
        (("clkConfig", "kdf", "salt"), "not base64 !"),
        (("features", 1, "extra"), 1),
        (("features",), []),
        (("features",), [{"identifier": "x", "ignored": True}] * 3),
        (("features",), [{}] * 100_000),
        (("features", 1, "hashing", "strategy"), {"bitsPerToken": 10**9}),
        (("features", 1, "hashing", "strategy"), {"bitsPerToken": 5, "bitsPerFeature": 5}),
        (("features", 1, "hashing", "comparison"), {"type": "numeric", "thresholdDistance": 1, "resolution": 10**9}),
        (("features", 1, "hashing", "comparison"), {"type": "numeric", "thresholdDistance": float("nan")}),
        (("features", 1, "hashing", "comparison"), {"type": "ngram", "n": 10**6}),
        (("features", 1, "format"), {"type": "string", "pattern": "(a+)+$"}),
        (("features", 1, "format"), {"type": "string", "pattern": "("}),
        (("features", 1, "format"), {"type": "string", "encoding": "rot13"}),
        (("features", 1, "identifier"), 7),
    ],
)
def test_a_schema_that_lies_is_refused_with_its_place(path: tuple[Any, ...], value: Any) -> None:
    plain: Any = simple()
    plain["features"][1] = {
        "identifier": "first",
        "format": {"type": "string"},
        "hashing": {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerToken": 5}},
    }
    inside = plain
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    with pytest.raises(Problem):
        clk_schema.from_plain(plain)


@pytest.mark.parametrize("text", [b"", b"[" * 100_000, b"\xff\xfe", b"[]", b'{"version": 3}', b"null"])
def test_a_file_that_is_no_schema_is_refused(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "schema.json").write_bytes(text)
    with pytest.raises(Problem):
        clk_schema.read(tmp_path / "schema.json")


def test_values_of_another_form_are_counted_not_shown() -> None:
    case = random_case(3, 30)
    case["schema"]["features"] = [
        {"identifier": "row", "ignored": True},
        {
            "identifier": "born",
            "format": {"type": "date", "format": "%Y-%m-%d"},
            "hashing": {"comparison": {"type": "exact"}, "strategy": {"bitsPerToken": 5}},
        },
    ]
    with pytest.raises(Problem) as refused:
        hashed(case)
    said = str(refused.value)
    assert "different values of 'born'" in said
    assert not any(row[3] in said for row in case["rows"])


def made(seed: int = 1) -> tuple[Smashed, int]:
    case = random_case(seed, 50)
    schema = clk_schema.from_plain(case["schema"])
    table = Table.of(clk_cases.HEADER, case["rows"])
    return clk_encode.encode(table, schema, b"s", {}).smashed(), schema.bits


def test_files_come_back_as_they_were_written(tmp_path: Path) -> None:
    smashed, bits = made()
    clk_files.write(tmp_path / "a.json", smashed, bits)
    again = clk_files.read(tmp_path / "a.json")
    assert clks(again.smashed, bits) == clks(smashed, bits)
    assert json.loads((tmp_path / "a.json").read_text())["clks"] == clks(smashed, bits)


def test_the_zip_of_the_codi_tools_holds_a_file_per_schema(tmp_path: Path) -> None:
    one, other = made(1), made(2)
    clk_files.write_zip(tmp_path / "x.zip", {"name-sex-dob": one, "name-zip": other})
    assert clk_files.names_in_zip(tmp_path / "x.zip") == ("name-sex-dob", "name-zip")
    again = clk_files.read_zip(tmp_path / "x.zip", "name-zip")
    assert clks(again.smashed, again.bits) == clks(*other)
    with pytest.raises(Problem, match="name-sex-dob"):
        clk_files.read_zip(tmp_path / "x.zip", "missing")
    with pytest.raises(Problem, match="several"):
        clk_files.read(tmp_path / "x.zip")


def test_blocks_are_read(tmp_path: Path) -> None:
    clk = base64.b64encode(bytes([1, 2, 3, 4])).decode()
    (tmp_path / "b.json").write_text(json.dumps({"clknblocks": [[clk, "x", "y"], [clk, "x"]]}))
    read = clk_files.read(tmp_path / "b.json")
    assert read.blocks == (("x", "y"), ("x",))
    assert read.smashed.rows == 2
    assert np.array_equal(read.smashed.part("record").rows, [0, 0])


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"clks": 1}', '{"clks": []}', '{"clks": ["!!"]}', '{"clks": ["AAAA", "AAA="]}', "[" * 10_000,
     '{"clks": [[["AAAA"]]]}', '{"clknblocks": ["AAAA"]}', '{"clknblocks": [[]]}', '{"clks": [null]}'],
)  # fmt: skip
def test_a_file_that_is_no_clks_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(Problem):
        clk_files.read(tmp_path / "x.json")


def test_a_damaged_zip_is_refused(tmp_path: Path) -> None:
    clk_files.write_zip(tmp_path / "x.zip", {"s": made()})
    whole = bytearray((tmp_path / "x.zip").read_bytes())
    rng = random.Random(5)
    for _ in range(60):
        broken = bytearray(whole)
        for _ in range(rng.randint(1, 8)):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        (tmp_path / "y.zip").write_bytes(broken[: rng.randint(len(broken) // 2, len(broken))])
        try:
            clk_files.read_zip(tmp_path / "y.zip", "s")
        except Problem:
            continue
