"""Files for other tools on a disk that runs full: no half file, the right sentence, nothing that is not entered."""

from __future__ import annotations

import json
import random
import sys

import pytest

from pprl_desktop import files
from pprl_desktop.job import other_tools
from pprl_desktop.records.reading import read_table
from tests.exchange.conftest import make_party
from tests.exchange.test_power import small_disk
from tests.exchange.test_power_disclosures import fill
from tests.interchange import clk_cases
from tests.job import parties
from tests.review.test_full_disk import refused

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="mounts of POSIX")


@pytest.mark.parametrize("what", ["CLKs", "CODI", "tokens"])
def test_a_file_for_another_tool_is_whole_or_not_there_and_is_entered_before(tmp_path, monkeypatch, what) -> None:
    """From no room at all to enough. The check before writing is switched off, so that the disk really runs full."""
    monkeypatch.setattr(files, "need_space", lambda *_: None)
    home = make_party(tmp_path / "home", "Hospital").home
    header = ("first_name", "last_name", "sex", "birth_date")
    rows = [(f"ANNA{i}", f"MEYER{i}", "FM"[i % 2], "1950-01-01") for i in range(300)]
    table = read_table(parties.write(tmp_path / "t.csv", header, rows)).table
    schema = tmp_path / "schema.json"
    plain = clk_cases.schema(random.Random(1))
    plain["features"] = [
        {
            "identifier": name, "format": {"type": "string", "encoding": "utf-8"},
            "hashing": {"comparison": {"type": "ngram", "n": 2}, "strategy": {"bitsPerToken": 10},
                        "hash": {"type": "blakeHash"}},
        }
        for name in header
    ]  # fmt: skip
    schema.write_text(json.dumps(plain))
    columns = {name: name for name in header}
    secret = b"0123456789abcdef" * 2
    failed = 0
    with small_disk(tmp_path, 2) as disk:
        out = disk / "out"

        def write() -> None:
            if what == "CLKs":
                other_tools.write_clks(home, table, schema, secret, columns, "Registry", out)
            elif what == "CODI":
                other_tools.write_codi(home, table, [schema], secret, columns, "Registry", out)
            else:
                other_tools.write_tokens(home, table, columns, secret, "Registry", out)

        for leave in range(0, 90_000, 9_000):
            filler = fill(disk, leave)
            said = refused(write)
            if said:
                failed += 1
                assert "disk is full" in said
                assert [one.name for one in disk.iterdir()] == ["filler"]
            assert home.ledger().disclosures(), "entered before its file"
            out.unlink(missing_ok=True)
            filler.unlink()
        assert failed
        write()
        assert out.stat().st_size
    assert home.ledger().verify().whole
