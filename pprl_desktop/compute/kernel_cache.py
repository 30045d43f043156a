"""Where the installed program keeps its compiled kernels: compiled once per machine and version, not at every start.

numba looks for a cache beside the source, which a frozen program does not have. This locator gives it a folder of the
user's own cache, outside the program, by version of the program; numba itself tells processors apart. What lies there
is machine code that will be run, so the folder must belong to this user and be writable by nobody else; where it is
not, nothing is read from it and the kernels are compiled anew.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import _CacheLocator

from pprl_desktop import __version__
from pprl_desktop.files import platform_folder


class OwnFolder(_CacheLocator):  # type: ignore[misc]
    def __init__(self, function: Callable[..., Any], path: Path) -> None:
        self._py_file = function.__code__.co_filename  # numba names it in its warnings
        self._place = f"{function.__module__}-{function.__code__.co_firstlineno}"
        self._path = path

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> tuple[str, int, int]:
        """Another build of the program, even of the same version, compiles anew."""
        found = os.stat(sys.executable)
        return __version__, found.st_size, found.st_mtime_ns

    def get_disambiguator(self) -> str:
        return self._place

    @classmethod
    def from_function(cls, function: Callable[..., Any], _file: str) -> OwnFolder | None:
        path = platform_folder("cache") / f"kernels-{__version__}"
        return cls(function, path) if own(path) else None


def own(folder: Path) -> bool:
    """Whether the folder is there, a real one, this user's, and writable by nobody else."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = folder.lstat()
    except OSError:
        return False
    if folder.is_symlink() or not os.access(folder, os.W_OK):
        return False
    if sys.platform == "win32":  # the folder of the user's own data is closed to other users
        return True
    return found.st_uid == os.getuid() and not found.st_mode & 0o022
