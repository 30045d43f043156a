"""Reads the large libraries of the engine into memory before the first job loads them.

Loading a library from a slow disk stops all of Python, the window too. Reading its file before does not: that
happens outside Python, and afterwards the loading takes milliseconds. Nothing is imported here.
"""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGES = ("numpy", "cryptography", "zstandard", "llvmlite", "numba", "scipy", "pyqtgraph")  # as jobs need them
ENDINGS = (".so", ".pyd", ".dll", ".dylib")
BLOCK = 1 << 20  # bytes
REST = 0.001  # s between two blocks: the window's own start comes first


def start(packages: Iterable[str] = PACKAGES) -> threading.Thread:
    thread = threading.Thread(target=_read_all, args=(tuple(packages),), name="read ahead", daemon=True)
    thread.start()
    return thread


def libraries_of(package: str) -> Iterator[Path]:
    """The shared libraries of a package and those packed beside it (numpy.libs), without importing it."""
    found = importlib.util.find_spec(package)
    if found is None:
        return
    for folder in map(Path, found.submodule_search_locations or ()):
        for place in (folder, folder.with_name(f"{package}.libs")):
            for path in sorted(place.rglob("*")) if place.is_dir() else ():
                if path.suffix in ENDINGS or ".so." in path.name:
                    yield path


def _read_all(packages: tuple[str, ...]) -> None:
    block = bytearray(BLOCK)
    for package in packages:
        for path in libraries_of(package):
            try:
                with path.open("rb", buffering=0) as file:
                    while file.readinto(block):
                        time.sleep(REST)
            except OSError:
                continue  # loading it will say what is wrong
