"""Before the window opens: are the system's libraries there? If not, one sentence with the exact install line.

Qt itself would print a page and abort the process; a steward should see what to type instead.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from pprl_desktop.problem import Problem

# shared library -> Debian/Ubuntu package, Fedora package; what PySide6 does not bring itself
ALWAYS: Mapping[str, tuple[str, str]] = {
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2"),
    "libEGL.so.1": ("libegl1", "libglvnd-egl"),
    "libGL.so.1": ("libgl1", "libglvnd-glx"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon"),
}
UNDER_X11: Mapping[str, tuple[str, str]] = {
    "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor"),
    "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm"),
    "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image"),
    "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms"),
    "libxcb-render-util.so.0": ("libxcb-render-util0", "xcb-util-renderutil"),
    "libxcb-randr.so.0": ("libxcb-randr0", "libxcb"),
    "libxcb-shape.so.0": ("libxcb-shape0", "libxcb"),
    "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb"),
    "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11"),
}


def loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def check(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> None:
    """Raise a Problem that names every missing package at once; quiet when the window can open."""
    if not platform.startswith("linux"):
        return
    chosen = environment.get("QT_QPA_PLATFORM", "").split(":")[0]
    on_x11 = chosen == "xcb" or (not chosen and bool(environment.get("DISPLAY")))
    if not chosen and not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
        raise Problem(
            "There is no screen to open the window on.",
            "Neither DISPLAY nor WAYLAND_DISPLAY is set, as on a server or in a remote shell without forwarding.",
            "Start it on a desktop, or use the verbs: 'pprl-desktop --help'.",
            place="screen",
        )
    if _bundled():
        return
    wanted = {**ALWAYS, **(UNDER_X11 if on_x11 else {})}
    missing = [packages for library, packages in wanted.items() if not loads(library)]
    if missing:
        raise missing_packages(missing)


def _bundled() -> bool:
    """The frozen application carries them, and finds them beside itself."""
    return hasattr(sys, "_MEIPASS")


def missing_packages(missing: list[tuple[str, str]]) -> Problem:
    fedora = _like_fedora()
    names = sorted({pair[1 if fedora else 0] for pair in missing})
    line = f"sudo {'dnf install' if fedora else 'apt install'} {' '.join(names)}"
    return Problem(
        "The window cannot open: this computer lacks system libraries it needs.",
        "",
        f"Install them with: {line}",
        place="libraries",
    )


def from_import_error(error: ImportError) -> Problem:
    """PySide6 itself could not be loaded although the probe found nothing missing."""
    if importlib.util.find_spec("PySide6") is None:
        return Problem(
            "The window cannot open: the package PySide6 is not installed.",
            "",
            f"Install it with: {Path(sys.executable).name} -m pip install pyside6-essentials",
            place="libraries",
        )
    library = str(error).split(":")[0] if ".so" in str(error) else ""
    packages = {**ALWAYS, **UNDER_X11}.get(library)
    if packages is not None:
        return missing_packages([packages])
    return Problem(
        "The window cannot open: a system library could not be loaded.",
        f"The library is {library}." if library else "",
        "Install it with your system's package manager, then start again.",
        place="libraries",
    )


def _like_fedora() -> bool:
    try:
        text = Path("/etc/os-release").read_text(encoding="utf-8")
    except OSError:
        return False
    ids = [line.split("=", 1)[1].strip('"') for line in text.splitlines() if line.startswith(("ID=", "ID_LIKE="))]
    return any(name in " ".join(ids).split() for name in ("fedora", "rhel", "centos"))
