"""Writing files so that a power cut leaves the old one or the new one; what the computer refuses, as sentences."""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Literal

from pprl_desktop.problem import Failure, Problem
from pprl_desktop.said import Said

SPARE = 16 << 20  # bytes left free on the disk after writing
_PART = ".part"
_OWNER = 0o600  # what may be passed on, the steward passes on; on a shared computer nobody else reads along


def refused(error: OSError) -> Problem:
    """The computer's refusal in words. No path: a file name may be personal."""
    if isinstance(error, FileNotFoundError):
        return Problem("The file or folder was not found.", do="Check the name and try again.", place="file")
    if isinstance(error, IsADirectoryError | NotADirectoryError):
        return Problem("A file was expected where there is a folder.", do="Choose a file.", place="file")
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return disk_full()
    if error.errno == errno.EROFS:
        return Failure(
            "The folder is read-only.", "Nothing was written.", "Choose another folder or disk.", place="folder"
        )
    if isinstance(error, PermissionError):
        return Failure(
            "The computer does not allow it.",
            "The file is open in another program, or you may not write in this folder.",
            "Close the other program or choose another folder, then try again.",
            place="file",
        )
    reason = error.strerror or type(error).__name__
    what = Said("The computer refused: {reason}.", reason=reason)
    return Failure(what, do="Check the disk and the folder's permissions.", place="file")


def disk_full() -> Failure:
    return Failure(
        "The disk is full.", "Nothing was left half done.", "Make room or choose another disk, then try again.",
        place="disk",
    )  # fmt: skip


def need_space(folder: Path, size: int) -> None:
    """Stops before anything is written if the disk cannot hold `size` bytes more."""
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if shutil.disk_usage(place).free < size + SPARE:
        raise disk_full()


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the target's place only when the block ends well, in one step.

    Whatever goes wrong, the temporary file is removed. One left by a power cut is removed by the next write to the
    same target.
    """
    try:
        _remove_stale(target)
        part = target.with_name(f".{target.name}.{secrets.token_hex(8)}{_PART}")
        handle = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _OWNER)
    except OSError as error:
        raise refused(error) from error
    try:
        with open(handle, "wb", buffering=1 << 20) as out:
            _hold(out.fileno())
            yield out
            out.flush()
            os.fsync(out.fileno())
            if sys.platform != "win32":  # Windows cannot rename an open file; elsewhere the lock shall last
                os.replace(part, target)
        if sys.platform == "win32":
            os.replace(part, target)
        _sync_folder(target.parent)
    except OSError as error:
        _remove(part)
        raise refused(error) from error
    except BaseException:
        _remove(part)
        raise


def write_text(target: Path, text: str) -> None:
    write_bytes(target, text.encode("utf-8"))


def write_bytes(target: Path, data: bytes) -> None:
    with replacing(target) as out:
        out.write(data)


def read_bytes(path: Path, limit: int, too_long: Problem) -> bytes:
    """At most `limit` bytes; a longer file is not read at all."""
    try:
        with open_regular(path) as source:
            if os.fstat(source.fileno()).st_size > limit:
                raise too_long
            data = source.read(limit + 1)
    except OSError as error:
        raise refused(error) from error
    if len(data) > limit:
        raise too_long
    return data


def sha256(path: Path) -> str:
    """Of the bytes of a file."""
    try:
        with open_regular(path) as source:
            return hashlib.file_digest(source, "sha256").hexdigest()
    except OSError as error:
        raise refused(error) from error


def open_regular(path: Path) -> BufferedReader:
    """A file to read. A pipe or a device in its place is refused at once: waiting for one could last for ever."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            kind = os.fstat(handle).st_mode
            if stat.S_ISDIR(kind):
                raise IsADirectoryError(errno.EISDIR, "a folder")
            if not stat.S_ISREG(kind):
                raise Problem(
                    "This is not a file.",
                    "It is a device or a pipe, which has no end of its own.",
                    "Choose a file.",
                    place="file",
                )
        except BaseException:
            os.close(handle)
            raise
    except OSError as error:
        raise refused(error) from error
    return open(handle, "rb")


def make_folder(folder: Path) -> None:
    """A folder only its owner can look into, and so are the ones above it that had to be made."""
    try:
        if not folder.exists() and folder.parent != folder:
            make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise refused(error) from error


def make_file(path: Path) -> None:
    """An empty file only its owner can read, where there is none yet: for a database, which writes its file itself."""
    try:
        with contextlib.suppress(FileExistsError):  # another window was faster
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER))
    except OSError as error:
        raise refused(error) from error


def close_to_others(folder: Path) -> None:
    """Folders and files of a home folder that earlier versions left readable for others."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        for place in (folder, *folder.rglob("*")):
            mode = place.lstat().st_mode
            if mode & 0o077 and not stat.S_ISLNK(mode):
                place.chmod(stat.S_IMODE(mode) & 0o700)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time; a second one is told so instead of waiting for ever."""
    make_folder(path.parent)
    try:
        handle = open(os.open(path, os.O_RDWR | os.O_CREAT, _OWNER), "r+b")  # noqa: SIM115 - closed below, the lock lives as long as the handle
    except OSError as error:
        raise refused(error) from error
    with handle:
        if not _hold(handle.fileno()):
            raise Problem(
                "Another PPRL Desktop is working in this home folder.",
                do="Wait until it has finished or close it, then try again.",
                place="home",
            )
        yield


def _hold(handle: int) -> bool:
    """Takes the lock of an open file without waiting; the system lets go of it when the process ends."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_stale(target: Path) -> None:
    """Parts of earlier writes whose process is gone: nobody holds their lock any more."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*{_PART}"):
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                part.unlink()  # refused while another process has it open
            else:
                with open(part, "r+b") as found:
                    if _hold(found.fileno()):
                        part.unlink()


def destroy(path: Path) -> None:
    """A secret that is needed no longer: overwritten where it lies, then removed. (What a disk keeps of old blocks is
    beyond a program's reach; the secret was sealed for that reason too.)"""
    try:
        with open(path, "r+b") as found:
            found.write(bytes(path.stat().st_size))
            found.flush()
            os.fsync(found.fileno())
        path.unlink()
        _sync_folder(path.parent)
    except FileNotFoundError:
        return
    except OSError as error:
        raise refused(error) from error


def _remove(part: Path) -> None:
    with contextlib.suppress(OSError):
        part.unlink()


def _sync_folder(folder: Path) -> None:
    """The new name itself survives a power cut (POSIX; Windows has no such call)."""
    if sys.platform != "win32":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# what a folder is for -> (Windows: variable, place below AppData), (macOS: place below Library), (others: variable,
# place below the home folder)
Purpose = Literal["data", "state", "cache"]
_FOLDERS: dict[Purpose, tuple[tuple[str, str], str, tuple[str, str]]] = {
    "data": (("LOCALAPPDATA", "Local"), "Application Support", ("XDG_DATA_HOME", ".local/share")),
    "state": (("APPDATA", "Roaming"), "Preferences", ("XDG_STATE_HOME", ".local/state")),
    "cache": (("LOCALAPPDATA", "Local"), "Caches", ("XDG_CACHE_HOME", ".cache")),
}


def platform_folder(purpose: Purpose) -> Path:
    """The user's own folder for a program's data, for what it remembers, or for what can be made anew."""
    (windows, below), library, (variable, place) = _FOLDERS[purpose]
    if sys.platform == "win32":
        found = Path(os.environ.get(windows) or Path.home() / "AppData" / below) / "PPRL Desktop"
        return found / "cache" if purpose == "cache" else found  # data and cache share one folder there
    if sys.platform == "darwin":
        return Path.home() / "Library" / library / "PPRL Desktop"
    return Path(os.environ.get(variable) or Path.home() / place) / "pprl-desktop"
