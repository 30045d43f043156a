"""The command line answers quickly, in sentences, and never with a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pprl_desktop import __version__, cli
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pprl_desktop", *arguments], capture_output=True, text=True)


def test_the_version_is_told() -> None:
    assert run("--version").stdout.strip() == f"pprl-desktop {__version__}"


def test_help_names_every_verb() -> None:
    out = run("--help").stdout
    assert all(f"  {verb} " in out for verb in cli.VERBS)


@pytest.mark.parametrize("verb", list(cli.VERBS))
def test_every_verb_explains_itself(verb: str) -> None:
    done = run(verb, "--help")
    assert done.returncode == 0, done.stderr
    assert "--json" in done.stdout


def test_an_unknown_verb_is_a_sentence_with_the_nearest_one() -> None:
    done = run("evalute")
    assert done.returncode == cli.BAD_INPUT
    assert "Did you mean 'evaluate'?" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wrong_option_is_a_sentence() -> None:
    done = run("profile", "--colour", "blue", "x.csv")
    assert done.returncode == cli.BAD_INPUT
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_problem_in_json_names_its_place() -> None:
    done = run("nonsense", "--json")
    assert json.loads(done.stderr)["problem"]["place"] == "verb"


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    done = run("profile", str(tmp_path / "gone.csv"))
    assert done.returncode == cli.BAD_INPUT
    assert "Traceback" not in done.stderr


class _Verb:
    """A verb that fails as told."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def arguments(self, parser: object) -> None: ...

    def run(self, args: object, progress: Progress) -> cli.Answer:
        raise self.error


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (Problem("It broke.", "A stone.", "Mend it."), cli.BAD_INPUT, "It broke. A stone. Mend it."),
        (Cancelled(), cli.INTERRUPTED, "Stopped."),
        (KeyboardInterrupt(), cli.INTERRUPTED, "Stopped."),
        (MemoryError(), cli.FAILURE, "too little memory"),
        (OSError(28, "No space left on device"), cli.FAILURE, "No space left"),
        (ValueError("Xylowitzky"), cli.FAILURE, "ValueError at test_cli.py"),
    ],
)
def test_every_failure_is_told_without_a_value(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli.importlib, "import_module", lambda name: _Verb(error))
    assert cli.main(["demo"]) == code
    told = capsys.readouterr().err
    assert said in told
    assert "Xylowitzky" not in told
    assert "Traceback" not in told


def test_answers_in_json_hold_no_nan() -> None:
    assert cli._finite({"a": [float("nan"), (1.5, float("inf"))], "b": "x"}) == {"a": [None, [1.5, None]], "b": "x"}
