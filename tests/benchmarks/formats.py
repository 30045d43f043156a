"""Files of other programs read by this one and, where there is one, by a second reader: cells compared, time, memory.

    python -m tests.benchmarks.formats FOLDER-WITH-FILES
    python -m tests.benchmarks.formats --sizes [ROWS]

The second reader of SAS and Stata files is that of pandas, which shares no code with pyreadstat; SPSS has none here.
`--sizes` writes one made-up table in every form that can be written here and reads it back: bytes, processor seconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pprl_desktop.problem import Problem
from pprl_desktop.records import formats
from pprl_desktop.records.formats import as_text
from pprl_desktop.records.reading import read_table
from pprl_desktop.records.table import Table
from pprl_desktop.records.writing import ENDINGS, write_table


def main() -> None:
    if sys.argv[1:2] == ["--sizes"]:
        sizes(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)
        return
    for path in sorted(Path(sys.argv[1]).rglob("*")):
        if path.suffix.lower() in formats.ENDINGS and path.is_file():
            print(f"{path.name:<32} {compared(path)}", flush=True)


def compared(path: Path) -> str:
    start = time.process_time()
    try:
        made = formats.read_other(path, labels=False)
    except Problem as problem:
        return f"refused: {problem.what} {problem.why}"
    took = time.process_time() - start
    said = f"{made.table.rows} rows, {len(made.table.columns)} columns, {took:.2f} s"
    try:
        second = _second(path)
    except Exception as error:  # it reads fewer files
        return f"{said}; the second reader gave up ({type(error).__name__})"
    if second is None:
        return f"{said}; no second reader"
    return f"{said}; {_differing(made.table, second)} of {made.table.rows * len(made.table.columns)} cells differ"


def _second(path: Path) -> Any:
    import pandas

    readers: dict[str, Callable[[Path], Any]] = {
        ".sas7bdat": lambda p: pandas.read_sas(p, encoding="infer"),
        ".xpt": lambda p: pandas.read_sas(p, encoding="utf-8"),
        ".dta": lambda p: pandas.read_stata(p, convert_categoricals=False),
    }
    reader = readers.get(path.suffix.lower())
    return reader(path) if reader else None


def _differing(table: Table, second: Any) -> int:
    """Missing is empty in both; whatever else differs is counted."""
    differing = 0
    for column, name in zip(table.columns, second.columns, strict=True):
        single = second[name].dtype == "float32"  # in eight bytes .1 has other digits
        for row, theirs in enumerate(second[name].astype(str).astype(float) if single else second[name].tolist()):
            if hasattr(theirs, "to_pydatetime"):
                theirs = None if theirs != theirs else theirs.to_pydatetime()
            differing += column.cell(row) != as_text(theirs)
    return differing


def sizes(rows: int) -> None:
    import numpy as np

    random = np.random.default_rng(1)
    header = ["id", "first", "last", "born", "zip", "diagnosis"]
    first = [f"Name{n}" for n in range(500)]
    body = [
        [f"{n:08}", first[a], f"{first[b]}son", f"{1930 + a % 80}-{1 + b % 12:02}-{1 + a % 28:02}",
         f"{b * 97 % 99999:05}", f"C{a % 90:02}.{b % 9}"]
        for n, (a, b) in enumerate(random.integers(0, 500, (rows, 2)).tolist())
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for ending in ENDINGS:
            path = Path(folder) / f"table{ending}"
            start = time.process_time()
            try:
                write_table(path, header, body)
            except Problem as problem:
                print(f"{ending:<9} {problem.what}")
                continue
            wrote, start = time.process_time() - start, time.process_time()
            read = read_table(path).table
            took = time.process_time() - start
            same = all(read.columns[at].cell(row) == body[row][at] for at in range(6) for row in range(0, rows, 997))
            print(f"{ending:<9} {path.stat().st_size / 1e6:6.1f} MB  written in {wrote:5.1f} s  read in {took:5.1f} s  "
                  f"{'the same' if same and read.rows == rows else 'DIFFERS'}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
