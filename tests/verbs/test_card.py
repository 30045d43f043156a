"""The verbs of the exchange one by one: passphrases, backups, key changes, and sentences where something is wrong."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pprl_desktop import cli
from pprl_desktop.exchange.home import Home
from pprl_desktop.exchange.passphrase import Cost
from pprl_desktop.problem import Problem
from pprl_desktop.verbs import _exchange, agree, card

PASSPHRASE = "four unrelated words here"
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of these tests only: the full cost of Argon2id is tested elsewhere."""
    monkeypatch.setattr(Home.create, "__defaults__", (Cost(8, 1, 1),))
    monkeypatch.setattr(Home.change_key, "__defaults__", (Cost(8, 1, 1),))
    monkeypatch.setenv(_exchange.VARIABLE, PASSPHRASE)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(home: Path, *argv: object, code: int = 0) -> Any:
        found = cli.main([*map(str, argv), "--home", str(home), "--json"])
        out, err = capsys.readouterr()
        assert found == code, err or out
        assert "Traceback" not in err
        return json.loads(out if not code else err.splitlines()[-1])

    return call


@pytest.fixture
def pair(tmp_path: Path, run: Run) -> tuple[Path, Path]:
    """Two homes whose cards were exchanged and compared."""
    a, b = tmp_path / "a", tmp_path / "b"
    for home, name in ((a, "General Hospital"), (b, "Cancer Registry")):
        run(home, "card", "new", "--name", name)
        run(home, "card", "export", "--out", tmp_path / f"{home.name}.card")
    for home, other in ((a, b), (b, a)):
        number = run(home, "card", "import", tmp_path / f"{other.name}.card")
        run(home, "card", "verify", number["id"], "--number", " ".join(number["safety_words"]))
    return a, b


def problem(answer: Any) -> str:
    return " ".join(answer["problem"][key] for key in ("what", "why", "do"))


def test_a_new_identity_shows_the_strength_of_its_passphrase(tmp_path: Path, run: Run) -> None:
    made = run(tmp_path / "h", "card", "new", "--name", "General Hospital")
    assert made["passphrase"]["level"] == "strong"
    assert made["age_recipient"].startswith("age1")
    again = run(tmp_path / "h", "card", "new", "--name", "Other", code=2)
    assert "already" in problem(again)


def test_a_short_passphrase_makes_no_identity(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_exchange.VARIABLE, "short")
    assert "too short" in problem(run(tmp_path / "h", "card", "new", "--name", "x", code=2))
    assert not Home(tmp_path / "h").exists


def test_a_passphrase_is_never_an_argument() -> None:
    for verb in (card, agree):
        parser = argparse.ArgumentParser()
        verb.arguments(parser)
        text = "".join(
            sub.format_help()
            for action in parser._actions
            if isinstance(action, argparse._SubParsersAction)
            for sub in action.choices.values()
        )
        assert "--passphrase-fd" in text
        assert "--passphrase " not in text.replace("--passphrase-fd", "")


def test_the_passphrase_comes_from_a_descriptor(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(_exchange.VARIABLE)
    reader, writer = os.pipe()
    os.write(writer, b"another good passphrase\nignored\n")
    os.close(writer)
    run(tmp_path / "h", "card", "new", "--name", "x", "--passphrase-fd", reader)
    os.close(reader)
    assert Home(tmp_path / "h").unlock("another good passphrase").name == "x"
    wrong = run(tmp_path / "h", "card", "backup", "--words", "--passphrase-fd", 987, code=2)
    assert "could not be read" in problem(wrong)


def test_without_a_terminal_a_missing_passphrase_is_asked_for_in_a_sentence(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "h", "card", "new", "--name", "x")
    monkeypatch.delenv(_exchange.VARIABLE)
    assert "A passphrase is needed" in problem(run(tmp_path / "h", "card", "backup", "--words", code=2))


def test_a_prompt_asks_twice_for_a_new_passphrase(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.delenv(_exchange.VARIABLE)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    typed = iter(["good enough words", "good enough words", "good enough words", "other", "once"])
    monkeypatch.setattr("getpass.getpass", lambda _: next(typed))
    args = argparse.Namespace(passphrase_fd=None)
    assert _exchange.passphrase(args, new=True) == "good enough words"
    assert "bits" in capsys.readouterr().err
    with pytest.raises(Problem, match="differ"):
        _exchange.passphrase(args, new=True)
    assert _exchange.passphrase(args) == "once"


def test_a_wrong_passphrase_is_refused(pair: tuple[Path, Path], run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_exchange.VARIABLE, "not the right one")
    assert "does not open the key" in problem(run(pair[0], "card", "backup", "--words", code=2))


def test_cards_are_listed_verified_and_withdrawn(pair: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    listed = run(pair[0], "card", "list")
    assert [(one["name"], one["state"]) for one in listed["contacts"]] == [("Cancer Registry", "verified")]
    assert "already" in problem(run(pair[0], "card", "import", tmp_path / "b.card", code=2))
    assert "own card" in problem(run(pair[0], "card", "import", tmp_path / "a.card", code=2))
    shown = run(pair[0], "card", "verify", "cancer registry")
    assert shown["safety_words"] == run(pair[1], "card", "verify", "General Hospital")["safety_words"]
    wrong = run(pair[0], "card", "verify", "Cancer Registry", "--number", "babaf " * 12, code=2)
    assert "differ" in problem(wrong)
    run(pair[0], "card", "withdraw", "Cancer Registry", "--reason", "left")
    assert run(pair[0], "card", "list")["contacts"][0]["state"] == "withdrawn"
    assert "withdrawn" in problem(propose(run, pair[0], tmp_path, code=2))
    assert run(pair[0], "card", "import", tmp_path / "b.card")["state"] == "unverified"
    assert "not verified" in problem(propose(run, pair[0], tmp_path, code=2))
    assert not (tmp_path / "p.pprl").exists()


@pytest.mark.parametrize("name", ["Cancer Registry", "CANCER  REGISTRY", "Саnсеr Registry", "Cancer Reglstry"])
def test_another_card_with_a_known_name_is_pointed_out(
    pair: tuple[Path, Path], run: Run, tmp_path: Path, name: str
) -> None:
    """Also one that only looks like it; a word of two alphabets is no name at all."""
    if name.startswith("С"):
        assert "alphabets" in problem(run(tmp_path / "c", "card", "new", "--name", name, code=2))
        return
    run(tmp_path / "c", "card", "new", "--name", name)
    run(tmp_path / "c", "card", "export", "--out", tmp_path / "c.card")
    assert run(pair[0], "card", "import", tmp_path / "c.card")["same_name"] == ["Cancer Registry"]


def test_the_key_is_backed_up_and_restored(pair: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    own = run(pair[0], "card", "list")["own"]["id"]
    run(pair[0], "card", "backup", "--out", tmp_path / "backup")
    assert run(tmp_path / "r1", "card", "restore", "--from", tmp_path / "backup")["id"] == own
    words = run(pair[0], "card", "backup", "--words")["words"]
    assert len(words) == 48
    reader, writer = os.pipe()
    os.write(writer, " ".join(words).encode())
    os.close(writer)
    restored = run(tmp_path / "r2", "card", "restore", "--words-fd", reader, "--name", "General Hospital")
    os.close(reader)
    assert restored["id"] == own
    assert "--name" in problem(run(tmp_path / "r3", "card", "restore", "--words", code=2))
    assert "terminal" in problem(run(tmp_path / "r3", "card", "restore", "--words", "--name", "x", code=2))


def test_words_are_asked_for_row_by_row(
    pair: tuple[Path, Path], run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = run(pair[0], "card", "backup", "--words")["words"]
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    rows = iter([" ".join(words[at : at + 6]) for at in range(0, 48, 6)])
    monkeypatch.setattr("builtins.input", lambda _: next(rows))
    assert run(tmp_path / "r", "card", "restore", "--words", "--name", "General Hospital")["name"] == "General Hospital"


def test_a_new_key_is_announced_to_verified_contacts(pair: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    made = run(pair[0], "card", "change-key", "--out", tmp_path / "announce")
    assert len(made["files"]) == 1
    again = run(pair[0], "card", "change-key", "--out", tmp_path / "announce", "--announce-only")
    assert again["id"] == made["id"]
    assert run(pair[1], "open", made["files"][0])["kind"] == "key_change"
    states = {one["state"] for one in run(pair[1], "card", "list")["contacts"]}
    assert states == {"withdrawn", "unverified"}


def propose(run: Run, home: Path, folder: Path, *more: str, code: int = 0) -> Any:
    return run(
        home, "agree", "propose", "--with", "Cancer Registry", "--fields", "first_name,born:date", "--method", "bloom",
        "--out", folder / "p.pprl", *more, code=code,
    )  # fmt: skip


def test_a_proposal_has_the_chosen_settings(pair: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    made = propose(
        run, pair[0], tmp_path, "--set", "bits=512", "--set", "salt_field=born", "--cleaning",
        "first_name.diacritics=transliterate", "--cleaning", "first_name.missing_words=UNKNOWN|NN", "--epsilon", "3",
    )  # fmt: skip
    assert (made["epsilon"], made["epsilon_unit"]) == ("3", "per bit")
    assert any("umlauts spelt out" in line and "2 words count as missing" in line for line in made["words"])
    agreement = Home(pair[0]).agreement(made["id"])
    assert agreement.terms.settings.bits == 512
    assert run(pair[0], "agree", "show", made["id"][:8])["words"] == made["words"]


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--set", "magic=1"), "no setting 'magic'"), (("--set", "layout=round"), "cannot be used"),
        (("--set", "bits=many"), "cannot be used"), (("--cleaning", "x.case=keep"), "no field 'x'"),
        (("--cleaning", "born.colour=red"), "no setting 'colour'"), (("--max-rows", "0"), "limits.rows"),
        (("--method", "plain"), "cannot be agreed on"), (("--fields", "a:blob"), "not a field type"),
    ],
)  # fmt: skip
def test_a_proposal_that_makes_no_sense_is_refused(
    pair: tuple[Path, Path], run: Run, tmp_path: Path, more: tuple[str, ...], word: str
) -> None:
    assert word in problem(propose(run, pair[0], tmp_path, *more, code=2))
    assert not (tmp_path / "p.pprl").exists()
    assert run(pair[0], "agree", "list")["agreements"] == []


def test_types_are_guessed_from_the_own_table(pair: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("first_name,born\n" + "".join(f"Anna{i},19{60 + i}-03-0{i}\n" for i in range(1, 9)))
    run(
        pair[0], "agree", "propose", "--with", "Cancer Registry", "--fields", "first_name,born", "--table",
        tmp_path / "t.csv", "--method", "bloom", "--out", tmp_path / "p.pprl",
    )  # fmt: skip
    assert [one.kind for one in Home(pair[0]).agreements()[0].terms.fields] == ["name", "date"]


def test_declining_and_ending(pair: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    propose(run, pair[0], tmp_path)
    declined = run(
        pair[1], "agree", "decline", tmp_path / "p.pprl", "--reason", "Not this year.", "--out", tmp_path / "no.pprl"
    )
    assert declined["state"] == "declined"
    assert run(pair[0], "agree", "finish", tmp_path / "no.pprl")["reason"] == "Not this year."
    propose(run, pair[0], tmp_path)
    accepted = run(pair[1], "agree", "accept", tmp_path / "p.pprl", "--out", tmp_path / "yes.pprl")
    run(pair[0], "agree", "finish", tmp_path / "yes.pprl")
    again = run(pair[0], "agree", "again", accepted["id"], "--number", "0", "--out", tmp_path / "again.pprl")
    assert again["kind"] in ("proposal", "accepted")
    ended = run(pair[0], "agree", "end", accepted["id"], "--reason", "Project over.")
    assert (ended["state"], ended["reason"]) == ("ended", "Project over.")


def test_columns_are_given_by_name_or_in_order() -> None:
    assert _exchange.columns("a=X, b=Y", ["a", "b"]) == {"a": "X", "b": "Y"}
    assert _exchange.columns("X,Y", ["a", "b"]) == {"a": "X", "b": "Y"}
    assert _exchange.columns(None, ["a"]) == {}
    with pytest.raises(Problem, match="1 columns were given for 2"):
        _exchange.columns("X", ["a", "b"])


def test_a_wrong_column_leaves_no_trace(pair: tuple[Path, Path], run: Run, tmp_path: Path) -> None:
    propose(run, pair[0], tmp_path)
    run(pair[1], "agree", "accept", tmp_path / "p.pprl", "--out", tmp_path / "yes.pprl")
    (tmp_path / "t.csv").write_text("Vorname,born\nAnna,1960-01-01\nBerta,1970-02-02\n")
    wrong = run(
        pair[1], "export", tmp_path / "t.csv", "--columns", "first_name=Vorname2", "--out", tmp_path / "x", code=2
    )
    assert "Vorname" in problem(wrong)
    assert not (tmp_path / "x").exists()
    made = run(pair[1], "export", tmp_path / "t.csv", "--columns", "first_name=Vorname", "--out", tmp_path / "x")
    assert made["rows"] == 2
    assert run(pair[1], "export", tmp_path / "t.csv", "--out", tmp_path / "y")["resent"]


def test_text_answers_read_as_sentences(pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (
        ["card", "list"],
        ["card", "verify", "Cancer Registry"],
        ["agree", "list"],
        ["card", "backup", "--words"],
    ):
        assert cli.main([*argv, "--home", str(pair[0])]) == 0
    out = capsys.readouterr().out
    assert "Own card: General Hospital" in out
    assert "Safety number:" in out
    assert "No agreements yet." in out
    assert "48 words" in out


@pytest.mark.parametrize("verb", ["card", "agree", "export", "open", "match", "result"])
def test_every_verb_explains_itself(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        cli.main([verb, "--help"])
    assert done.value.code == 0
    assert "usage" in capsys.readouterr().out
