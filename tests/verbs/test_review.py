"""`pprl-desktop review` from the first table to the last export, without a window."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from pprl_desktop import cli
from pprl_desktop.exchange.passphrase import Cost
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.project.choices import Choices
from pprl_desktop.review import sealing
from tests.exchange.conftest import Cleaned

WORDS = "four quite unrelated words"
A = """id,first_name,last_name,born,sex,number,diagnosis
a1,Martha,Winterling,1964-08-09,F,1000151475,I10
a2,Jon,Abendroth,1950-12-28,M,1530042971,E11
a3,Shiesha,Boyle,1990-01-10,F,1742682819,=1+1
a4,Anna,Katz,1971-03-04,F,2000000017,J45
"""
B = """key,given,family,born,sex,number,drug
b1,Marhta,Winterling,1964-09-08,F,1000151575,x1
b2,John,Abendrot,1905-12-28,M,1350082931,x2
b3,Boyle,Shiesha,1990-01-10,F,1742668281,x3
b4,Anne,Katze,,F,2000000017,x4
"""
PAIRS = "id_a,id_b,score,band\na1,b1,0.9,review\na2,b2,0.8,review\na3,b3,0.7,review\na4,b4,0.2,review\n"


class Run:
    """Calls the program as the command line does."""

    def __init__(self, folder: Path, capsys) -> None:
        self.folder, self._capsys = folder, capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        self._capsys.readouterr()
        found = cli.main(["review", *arguments])
        said = self._capsys.readouterr()
        assert found == code, said.err or said.out
        return said.out if code == 0 else said.err + said.out

    def json(self, *arguments: str) -> dict:
        return json.loads(self(*arguments, "--json"))


@pytest.fixture
def run(tmp_path, capsys, monkeypatch) -> Run:
    monkeypatch.setattr(sealing, "COST", Cost(memory=8, passes=1, lanes=1))
    monkeypatch.setenv("PPRL_PASSPHRASE", WORDS)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.csv", A), ("b.csv", B), ("p.csv", PAIRS)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Run(tmp_path, capsys)


FIELDS = "first_name:name,last_name:name,born:date,sex:category,number:id"


def create(run: Run, *more: str) -> str:
    return run(
        "create", "r", "--a", "a.csv", "--b", "b.csv", "--pairs", "p.csv", "--id-b", "key", "--fields", FIELDS,
        "--columns-b", "given,family,born,sex,number", "--budget", "90%", "--order", "score", *more,
    )  # fmt: skip


def test_a_pair_in_the_terminal(run) -> None:
    assert "4 pairs over 8 records" in create(run, "--cap", "number=last4")
    lines = run("next", "r").splitlines()
    assert lines[0].startswith("Pair 1 of 4")
    assert lines[1].startswith("charged 0 % of 90 %; KAPR 0 %; characters opened 0 %")
    table = {line.split("  ")[0]: line for line in lines[3:]}
    assert "***@&*" in table["ours"]
    assert "***&@*" in table["theirs"]
    assert "✓" in table["ours"]
    above, between = lines.index(table["ours"]), lines[lines.index(table["ours"]) + 1]
    assert lines[above].index("@&*") == between.index("⇄⇄")
    assert "partial +" in table["next"]
    assert "Martha" not in run("next", "r").title()
    assert "Cheapest helpful cell" in lines[-1]


def test_open_decide_undo_and_resume(run) -> None:
    create(run)
    first = run.json("next", "r")
    preview = next(cell for cell in first["cells"] if cell["field"] == "born")
    opened = run.json("reveal", "r", "born")
    assert opened["cost"] == preview["cost"]
    assert opened["cell"]["above"] == "****-08-09"
    assert opened["meter"]["kapr"] == preview["cost"]
    assert "TH" in run("reveal", "r", "first_name")
    done = run.json("decide", "r", "6", "--note", "day and month")
    assert (done["pair"], done["point"]) == (first["pair"], 6)
    assert done["next"] != first["pair"]
    assert run.json("show", "r", first["pair"])["note"] == "day and month"
    assert run.json("undo", "r")["point"] is None
    assert "stays counted" in run("redo", "r") + run("undo", "r")
    assert run.json("status", "r")["next"] == first["pair"]
    run("note", "r", "see file", "--pair", first["pair"])
    assert "Note: see file" in run("show", "r", first["pair"])
    assert run.json("reveal", "r", "number", "--level", "full")["cell"]["level"] == "full"


def test_refusals_are_whole_sentences_and_exit_2(run) -> None:
    create(run, "--kappa", "5")
    assert "fewer than 5 people" in run("reveal", "r", "first_name", code=2)
    assert "no field" in run("reveal", "r", "shoe", code=2)
    assert "not a decision" in run("decide", "r", "9", code=2)
    assert "no pair" in run("show", "r", "ffff", code=2)
    assert "Add --yes" in run("delete", "r", code=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("create", "x"), "where the pairs come from"),
        (("create", "x", "--pairs", "p.csv"), "Two tables"),
        (("create", "x", "--mindfirl", "none.csv"), "was not found"),
        (("next", "nowhere"), "no review in that folder"),
        (("verify", "nowhere"), "no ledger"),
        (("create", "x", "--budget", "2"), "not between 0 and 1"),
        (("create", "x", "--budget", "lots"), "not a share"),
        (("nonsense",), "not possible for step"),
    ],
)
def test_wrong_calls(run, arguments, words) -> None:
    assert words in run(*arguments, code=2)


def test_wrong_options_of_create(run) -> None:
    base = ("create", "x", "--a", "a.csv", "--b", "b.csv", "--pairs", "p.csv", "--id-b", "key", "--fields", FIELDS)
    columns = ("--columns-b", "given,family,born,sex,number")
    assert "no column 'shoe'" in run(*base, *columns, "--cap", "shoe=never", code=2)
    assert "not possible" in run(*base, *columns, "--cap", "number=first4", code=2)
    assert "no column" in run(*base, code=2)
    assert "no field" in run(*base, *columns, "--name-swap", "x,y", code=2)


def test_the_passphrase_is_never_an_argument(run, monkeypatch) -> None:
    create(run)
    monkeypatch.setenv("PPRL_PASSPHRASE", "another passphrase")
    assert "cannot be opened" in run("next", "r", code=2)
    monkeypatch.delenv("PPRL_PASSPHRASE")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert "passphrase is needed" in run("next", "r", code=2)


def test_two_reviewers_a_conflict_and_the_export(run, monkeypatch) -> None:
    create(run, "--permit-identifying")
    monkeypatch.setenv("PPRL_REVIEWER_PASSPHRASE", "only one line here")
    assert "1 passphrases were given for 2" in run("assign", "r", "--reviewer", "anna", "--reviewer", "ben", code=2)
    monkeypatch.setenv("PPRL_REVIEWER_PASSPHRASE", "words of anna here\nwords of ben here")
    made = run.json("assign", "r", "--reviewer", "anna", "--reviewer", "ben", "--overlap", "1", "--out", "shares")
    assert {name: share["pairs"] for name, share in made["shares"].items()} == {"anna": 4, "ben": 4}
    for name, points in (("anna", "6665"), ("ben", "6161")):
        share = f"shares/{name}.share"
        monkeypatch.setenv("PPRL_PASSPHRASE", f"words of {name} here")
        monkeypatch.setenv("PPRL_NEW_PASSPHRASE", f"own words of {name}")
        run("passphrase", share)
        monkeypatch.setenv("PPRL_PASSPHRASE", f"own words of {name}")
        run("reveal", share, "first_name")
        for point in points:
            run("decide", share, point)
        assert "All pairs are decided" in run("next", share)
        assert run.json("status", share)["advance"]["to_go"] == 0
        assert f"Privacy loss of {name}" in run("report", share, "--out", f"shares/{name}.txt")
        assert "hashes and seals" in run("verify", share, "--sealed")
        assert "manager's" in run("permit", share, code=2)
        run("hand-back", share, "--out", f"shares/{name}.decisions")
    monkeypatch.setenv("PPRL_PASSPHRASE", WORDS)
    merged = run.json("merge", "r", "shares/anna.decisions", "shares/ben.decisions")
    assert len(merged["conflicts"]) == 2
    shown = run("conflicts", "r", "--show")
    assert "anna: same" in shown
    assert "ben: different" in shown
    assert "ours" in shown
    data = run.json("conflicts", "r")
    assert data["agreement"][0]["pairs"] == 4
    monkeypatch.setenv("PPRL_REVIEWER_PASSPHRASE", "words of carla here")
    assert "carla: 2 of 2 pairs" in run("third", "r", "--reviewer", "carla", "--out", "shares")
    for pair in merged["conflicts"]:
        run("resolve", "r", pair, "1")
    assert run("conflicts", "r") == "There are no conflicts.\n"
    status = run.json("status", "r")
    assert (status["settled"], status["conflicts"]) == (4, [])
    assert status["estimates"]["precision_after"]["value"] == 1
    assert "Cohen's kappa" in run("status", "r")
    sensitive = ("--a", "a.csv", "--sensitive-a", "diagnosis", "--b", "b.csv", "--sensitive-b", "drug")
    assert "4 lines" in run("export", "r", "--out", "linked.csv", *sensitive)
    assert "MARTHA" not in (run.folder / "linked.csv").read_text("utf-8-sig")
    run("export", "r", "--out", "pairs.csv", "--shape", "pairs", "--identifying")
    run("export", "r", "--out", "decisions.csv", "--shape", "decisions")
    assert "is missing" in run("export", "r", "--out", "x.csv", "--sensitive-a", "diagnosis", code=2)
    report = run.json("report", "r")
    assert {each["reviewer"] for each in report["reviewers"]} >= {"anna", "ben"}
    assert run.json("verify", "r")["ok"]
    run("delete", "r", "--yes")
    left = {path.name for path in run.folder.rglob("*") if path.is_file()}
    reports = {"anna.txt", "ben.txt"}  # the reviewers wrote them for themselves; nothing personal is in them
    assert left == {"a.csv", "b.csv", "p.csv"} | reports


def test_identifying_export_waits_for_the_permission(run) -> None:
    create(run)
    run("decide", "r", "6")
    assert "permission" in run("export", "r", "--out", "o.csv", "--identifying", code=2)
    run("permit", "r")
    run("export", "r", "--out", "o.csv", "--identifying")
    assert "WINTERLING" in (run.folder / "o.csv").read_text("utf-8-sig")


def test_a_cut_ledger_is_told_and_fails(run) -> None:
    import sqlite3

    create(run)
    run("decide", "r", "6")
    with sqlite3.connect(run.folder / "r" / "ledger.db") as file:
        file.execute("DELETE FROM entries WHERE number = 2")
    file.close()
    assert "cut off" in run("verify", "r", code=1)
    assert "not whole" in run("next", "r", code=2)


def test_mindfirl_files(run) -> None:
    (run.folder / "m.csv").write_text(
        "ID,voter_reg_num,first_name,last_name,dob,sex,race\n"
        "1,1000000657,ADA,IVERSEN,08/09/1964,F,W\n1,1000000657,ADA,IVERSON,09/08/1964,F,W\n"
    )
    (run.folder / "f.csv").write_text("F,ADA,100\nL,IVERSEN,1\n")
    run("create", "m", "--mindfirl", "m.csv", "--frequencies", "f.csv", "--no-frequencies", "--title", "old study")
    assert "@@/&&/****" in run("next", "m")
    create(run, "--frequencies", "f.csv", "--start", "partial", "--field-budget", "born=50%", "--show-score")
    view = run.json("next", "r")
    assert view["score"] == 0.9
    assert view["cells"][0]["level"] == "partial"


def test_a_share_deletes_itself(run, monkeypatch) -> None:
    create(run)
    monkeypatch.setenv("PPRL_REVIEWER_PASSPHRASE", "words of anna here")
    run("assign", "r", "--reviewer", "anna", "--out", "shares", "--crowd", "pairs")
    monkeypatch.setenv("PPRL_PASSPHRASE", "words of anna here")
    run("decide", "shares/anna.share", "1")
    run("hand-back", "shares/anna.share", "--out", "back.decisions")
    run("delete", "shares/anna.share", "--yes")
    assert not list((run.folder / "shares").iterdir())
    assert not (run.folder / "back.decisions").exists()


def test_wide_characters_keep_the_rows_aligned(run) -> None:
    from pprl_desktop.review.graphemes import display_width

    (run.folder / "w.csv").write_text(
        "ID,first_name,last_name\n1,王小明,IVERSEN\n1,王明,IVERSEN\n2,ANNA,IVERSEN\n2,BERT,LIND\n", encoding="utf-8"
    )
    run("create", "w", "--mindfirl", "w.csv", "--budget", "1")
    while "DIFF" in run("next", "w"):
        run("decide", "w", "1")
    lines = run("reveal", "w", "first_name").splitlines()
    ours = next(line for line in lines if line.startswith("ours"))
    between, theirs = lines[lines.index(ours) + 1], lines[lines.index(ours) + 2]
    assert display_width(ours[: ours.index("小")]) == between.index("+")
    assert ours.rstrip().endswith("✓")
    assert display_width(ours) == display_width(theirs)


def test_the_partners_cells_become_a_review(run, monkeypatch, tmp_path) -> None:
    """Both stewards on one computer: agreement, bundles, match, ask, answer, review."""
    from tests.exchange.conftest import PASSPHRASE, agree, introduce, make_party
    from tests.review.test_partner import HERE, THERE, matched, review_offer

    a, b = make_party(tmp_path / "ha", "Hospital"), make_party(tmp_path / "hb", "Registry")
    introduce(a, b)
    agree(a, b, tmp_path, review_offer())
    for one, other, table, name in ((a, b, HERE, "a1"), (b, a, THERE, "b1")):
        one.job().export(Cleaned(table), Choices(), tmp_path / f"{name}.pprl")
        Partnership.open(other.home, other.own, tmp_path / f"{name}.pprl")
        lines = zip(*(column.cells() for column in table.columns), strict=True)
        text = "\n".join(["first_name,last_name,born", *(",".join(line) for line in lines)])
        (tmp_path / f"{name}.csv").write_text(text + "\n")
    matched(a, b)
    monkeypatch.setenv("PPRL_PASSPHRASE", PASSPHRASE)
    assert run.json("ask", "--home", "ha", "--out", "ask.pprl")["records"] == 4
    Partnership.open(b.home, b.own, tmp_path / "ask.pprl")
    sending = ("answer", "b1.csv", "--home", "hb", "--out", "cells.pprl")
    shown = run(*sending, code=2)
    assert "The cells of 4 of your 30 records would leave in clear" in shown
    assert "Nothing was sent" in shown
    assert "99999999" in shown
    assert not any(name in shown for name in THERE.columns[1].values)
    assert "not 3" in run(*sending, "--send-in-clear", "3", code=2)
    assert not (tmp_path / "cells.pprl").exists()
    assert run.json(*sending, "--send-in-clear", "4")["records"] == 4
    Partnership.open(a.home, a.own, tmp_path / "cells.pprl")
    assert run.json("create", "r", "--partner", "a1.csv", "--home", "ha")["pairs"] == 4
    assert "✓" in run("next", "r")
