"""The command line: finds the verb, runs it, prints its answer or its problem. Never a traceback."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from pprl_desktop import __version__
from pprl_desktop.problem import Failure, Problem, did_you_mean
from pprl_desktop.progress import Cancelled, Progress
from pprl_desktop.said import Said, english

BAD_INPUT, FAILURE, INTERRUPTED = 2, 1, 130

# verb -> one line of help; the module pprl_desktop.verbs.<verb> is imported only when it is called
VERBS: Mapping[str, str] = {
    "demo": "run the whole two-party job on the built-in sample",
    "profile": "show what was understood of a table, without personal values",
    "evaluate": "play both parties on two files with known truth and measure the result",
    "card": "make, export, import and verify identities and contacts",
    "agree": "propose, show, accept or decline an agreement",
    "export": "smash a table and write the sealed bundle for the partner",
    "ask": "with the method blind: write the sealed question for the partner",
    "answer": "with the method blind: answer the partner's question",
    "open": "check and open a file from the partner",
    "match": "match the own table with the partner's bundle",
    "result": "export, import and reconcile results",
    "link": "link two files of your own, or find the duplicates within one",
    "review": "masked review of uncertain pairs within a privacy budget",
    "audit": "with the method blind: check afterwards that a question was about a table",
    "rehearse": "play the partner against the own bundle: what could be learned",
    "releases": "list everything released so far, and verify the record of it",
    "groups": "put the links of three or more parties together",
    "clk": "write and match CLKs as clkhash and anonlink make them",
    "tokens": "write and match Open Link Tokens",
    "report": "write the report of everything disclosed",
    "tour": "render every page of the window as pictures",
}


@dataclass(frozen=True)
class Answer:
    """What a verb gives back: plain data for --json, a text for people."""

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    code: int = 0


class Verb(Protocol):
    def arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, args: argparse.Namespace, progress: Progress) -> Answer: ...


class _Parser(argparse.ArgumentParser):
    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = self.parse_known_args(args, namespace)
        if not rest:
            return found
        options = [option for action in self._actions for option in action.option_strings]
        given = rest[0].split("=")[0]
        what = f"There is no option '{given}'." if given.startswith("-") else f"'{given}' is one argument too many."
        raise Problem(what, do=f"{did_you_mean(given, options)}'{self.prog} --help' explains it.", place="arguments")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        name = action.option_strings[0] if action.option_strings else (action.dest or "the command")
        raise Problem(
            f"'{value}' is not possible for {name}.",
            f"Possible are: {', '.join(known)}.",
            f"{did_you_mean(str(value), known)}Choose one of them.",
            place="arguments",
        )

    def error(self, message: str) -> Any:
        raise Problem(
            f"The command was not understood: {message}.",
            do=f"'{self.prog} --help' explains it.",
            place="arguments",
        )


def main(argv: Sequence[str]) -> int:
    try:
        return _run(list(argv))
    except Problem as problem:
        return _say(problem, as_json="--json" in argv)
    except (Cancelled, KeyboardInterrupt):
        print("Stopped. Nothing was left half done.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader (head, less) has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except (Exception, RecursionError) as error:
        return _unexpected(error)


def _run(argv: list[str]) -> int:
    if argv[:1] == ["--version"]:
        print(f"pprl-desktop {__version__}")
        return 0
    if argv[:1] in (["--help"], ["-h"], ["help"]):
        print(_overview())
        return 0
    if not argv or argv[0].startswith("-") or (argv[0] not in VERBS and _is_file(argv[0])):
        return _window(argv)
    name = argv[0]
    if name not in VERBS:
        raise Problem(
            f"There is no verb '{name}'.",
            do=f"{did_you_mean(name, list(VERBS))}'pprl-desktop --help' lists the verbs.",
            place="verb",
        )
    verb = cast(Verb, importlib.import_module(f"pprl_desktop.verbs.{name}"))
    parser = _Parser(prog=f"pprl-desktop {name}", description=VERBS[name], allow_abbrev=False)
    verb.arguments(parser)
    if not any("--json" in action.option_strings for action in parser._actions):
        parser.add_argument("--json", action="store_true", help="print plain data instead of text")
    args = parser.parse_args(argv[1:])
    with _engine(args):
        answer = verb.run(args, Progress(_bar()))
    if getattr(args, "json", False):
        print(harmless(json.dumps(_finite(answer.data), ensure_ascii=False, indent=1, default=english)))
    else:
        print(harmless(answer.text))
    return answer.code


def _engine(args: argparse.Namespace) -> AbstractContextManager[object]:
    """Where blocks of heavy work run, for the verbs that have a choice."""
    if getattr(args, "engine", "threads") == "threads":
        return nullcontext()
    from pprl_desktop.job import engine

    return engine.at(engine.place(args.engine, args.tls_ca, args.tls_cert, args.tls_key, args.cluster_folder))


def harmless(text: str) -> str:
    """For a terminal: what would move its cursor, colour its lines or turn the direction of writing is spelt out.

    In plain data too, where the same spelling is JSON's own.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _UNSHOWN else _spelt(c) for c in text)


_UNSHOWN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def _spelt(character: str) -> str:
    return "".join(
        f"\\u{int.from_bytes(pair, 'big'):04x}" for pair in _pairs(character.encode("utf-16-be", "surrogatepass"))
    )


def _pairs(data: bytes) -> list[bytes]:
    return [data[at : at + 2] for at in range(0, len(data), 2)]


def _finite(value: Any) -> Any:
    """JSON knows no NaN and no infinity: what is not a number is null."""
    if isinstance(value, Mapping):
        return {str(name): _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _is_file(name: str) -> bool:
    """A double-clicked project, card or bundle arrives as the only argument."""
    return os.path.sep in name or os.path.exists(name)


def _window(argv: list[str]) -> int:
    from pprl_desktop.ui import app

    return app.run(argv)


def _overview() -> str:
    width = max(map(len, VERBS)) + 2
    verbs = "\n".join(f"  {name:<{width}}{text}" for name, text in VERBS.items())
    return (
        "Find out which records two organisations share, without showing each other the rest.\n\n"
        "  pprl-desktop                 open the window\n"
        "  pprl-desktop PROJECT         open the window on a project\n"
        "  pprl-desktop VERB --help     explain a verb\n"
        f"  pprl-desktop --version\n\nVerbs:\n{verbs}\n\n"
        "Every verb takes --json. Exit codes: 0 done, 2 bad input, 1 failure."
    )


def _bar() -> Callable[[float, Said], None] | None:
    """A one-line bar on a terminal; silent when the output goes to a file or a program."""
    if not sys.stderr.isatty():
        return None

    def show(fraction: float, what: Said) -> None:
        end = "\n" if fraction >= 1.0 else ""
        print(f"\r\033[K{fraction:6.1%}  {what}", end=end, file=sys.stderr, flush=True)

    return show


def _say(problem: Problem, *, as_json: bool) -> int:
    text = json.dumps({"problem": problem.as_dict()}, ensure_ascii=False) if as_json else str(problem)
    print(harmless(text), file=sys.stderr)
    return FAILURE if isinstance(problem, Failure) else BAD_INPUT


def _unexpected(error: BaseException) -> int:
    """A fault of the program or the machine. Only the kind and the place are named: values may be personal."""
    if isinstance(error, MemoryError):
        print("This computer has too little memory for that. Close other programs or use fewer rows.", file=sys.stderr)
        return FAILURE
    if isinstance(error, OSError) and error.strerror:
        print(f"The computer refused: {error.strerror}. Check the disk and the folder's permissions.", file=sys.stderr)
        return FAILURE
    trace = error.__traceback__
    place = ""
    while trace is not None:
        place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    print(
        f"The program made a mistake ({type(error).__name__} at {place}). Your files are unchanged. "
        "Please report this line to the makers.",
        file=sys.stderr,
    )
    return FAILURE
