"""How often the own table is read, cleaned and smashed, and the partner's bundle decrypted, on the way to a match.

    python -m tests.benchmarks.once

Two stewards on the built-in sample, from loading the table to moving the lines of the match, as the window goes:
pages Data, Fields, Export, Partner's bundle and Matches. Counts, not seconds.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pprl_desktop.codes.base import Attended
from pprl_desktop.exchange.seal import Opened
from pprl_desktop.job import demo
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.matching import match as matching
from pprl_desktop.matching import party
from pprl_desktop.progress import NO_PROGRESS
from pprl_desktop.records import cleaning

_watched: dict[str, Counter[str]] = {}  # file -> its counter


def _opened(event: str, args: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(args[0], str) and args[0] in _watched:
        _watched[args[0]]["reads"] += 1


sys.addaudithook(_opened)


@contextlib.contextmanager
def counting(table: Path, rows: int) -> Iterator[Counter[str]]:
    """Counts what is done with this table of so many rows, and with the partner's data, while it lasts."""
    counts: Counter[str] = Counter()
    _watched[str(table)] = counts
    with contextlib.ExitStack() as undo:

        def count(owner: Any, name: str, what: str, when: Callable[..., bool] = lambda *_a, **_k: True) -> None:
            plain = getattr(owner, name)

            def counted(*args: Any, **kwargs: Any) -> Any:
                counts[what] += when(*args, **kwargs)
                return plain(*args, **kwargs)

            setattr(owner, name, counted)
            undo.callback(setattr, owner, name, plain)

        count(cleaning, "clean", "cleanings", lambda found, *_a, **_k: found.rows == rows)
        count(Attended, "smash", "smashes", lambda _method, found, *_a, **_k: found.rows == rows)
        count(party, "learn", "learnings")
        count(Opened, "check", "decryptions", _is_data)
        count(matching, "outlook", "outlooks")
        try:
            yield counts
        finally:
            del _watched[str(table)]


def _is_data(opened: Opened, *_args: Any, **_kwargs: Any) -> bool:
    manifest = opened.manifest
    return manifest.kind == "data" and manifest.sender != manifest.recipient


def walk(folder: Path) -> dict[str, Counter[str]]:
    """Page -> counts, for the first of the two stewards."""
    (folder / "post").mkdir()
    a, b = (demo._party(folder, side, NO_PROGRESS) for side in (0, 1))
    with a.project, b.project:
        demo._exchange_cards(a, b, folder)
        demo._agree(a, b, folder)
        theirs = folder / "post" / "theirs.pprl"
        b.agreed().export(b.own_table, b.choices, theirs)
        a.own_table = OwnTable()
        path, rows = Path(a.choices.table_path), a.choices.rows
        with counting(path, rows) as loading:
            a.own_table.load(path)
            a.own_table.before_after(a.choices)
            a.own_table.clean(a.choices)
        with counting(path, rows) as exporting:
            a.agreed().export(a.own_table, a.choices, folder / "post" / "ours.pprl")
        with counting(path, rows) as opening:
            a.agreed().receive(theirs)
        with counting(path, rows) as matches:
            a.agreed().outlook(a.own_table, a.choices)
            found = a.agreed().match(a.own_table, a.choices)
            a.agreed().partner_names()
            moved = a.choices.changed(accept=found.accept + 0.5, review=found.review)
            a.agreed().keep(a.agreed().decide(found, moved))
    return {"load and clean": loading, "export": exporting, "open the partner's": opening, "matches": matches}


WHAT = ("reads", "cleanings", "smashes", "learnings", "decryptions", "outlooks")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        pages = walk(Path(name))
    print(f"{'':22}" + "".join(f"{what:>13}" for what in WHAT))
    for page, counts in pages.items():
        print(f"{page:22}" + "".join(f"{counts[what]:13}" for what in WHAT))
    total = sum(pages.values(), Counter())
    print(f"{'together':22}" + "".join(f"{total[what]:13}" for what in WHAT))


if __name__ == "__main__":
    main()
