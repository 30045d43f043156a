"""What PyInstaller would collect and the program never uses, for the specification of the frozen application.

Items are PyInstaller's own triples (name in the bundle, source file, kind).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

Item = tuple[str, str, str]

# Qt modules the window never uses; QtOpenGL stays, pyqtgraph imports it; QtTest presses the keys of the tour
_QT = ("QtNetwork", "QtQml", "QtQuick", "QtQuickWidgets", "QtQuickControls2", "QtSql", "QtXml", "QtDesigner",
       "QtHelp", "QtUiTools", "QtConcurrent", "QtPrintSupport")  # fmt: skip
# what libraries import if it is there (the developers' own packages are named by inventory.strangers()), and a second
# backend of zstandard
_TOOLS = ("tkinter", "matplotlib", "IPython", "pkg_resources", "PIL", "OpenGL", "cupy", "numba.tests",
          "zstandard._cffi", "zstandard.backend_cffi")  # fmt: skip
# of the big libraries only vector machines, assignment and graphs are used; check.py runs every method
_LEARNING = ("cluster", "covariance", "cross_decomposition", "datasets", "decomposition", "discriminant_analysis",
             "ensemble", "experimental", "feature_extraction", "feature_selection", "gaussian_process", "impute",
             "inspection", "isotonic", "_isotonic", "kernel_approximation", "kernel_ridge", "manifold", "mixture",
             "multioutput", "naive_bayes", "neighbors", "neural_network", "random_projection", "semi_supervised",
             "tree")  # fmt: skip
_SCIENCE = ("cluster", "datasets", "differentiate", "fftpack", "io", "misc", "odr", "signal")
_PLOTS = ("examples", "jupyter", "opengl")
# pandas writes two kinds of file; it plots nothing, speaks to no database and reads nothing from the web
_FRAMES = ("tests", "plotting", "_testing", "conftest", "io.sql", "io.clipboard", "io.html")
# an offline program speaks no TLS; readline is under the GPL and only serves an interactive interpreter
_STANDARD = ("ssl", "_ssl", "readline", "rlcompleter")
UNUSED_MODULES = [
    *(f"PySide6.{name}" for name in _QT),
    *(f"sklearn.{name}" for name in _LEARNING),
    *(f"scipy.{name}" for name in _SCIENCE),
    *(f"pyqtgraph.{name}" for name in _PLOTS),
    *(f"pandas.{name}" for name in _FRAMES),
    *_TOOLS,
    *_STANDARD,
]

# kept of each kind of Qt plugin; a kind that is not named here is kept whole
PLUGINS = {
    "platforms": ("qxcb", "qwayland", "qoffscreen", "qwindows", "qcocoa"),
    "imageformats": ("qsvg", "qico"),  # PNG is built in
    "platformthemes": ("qxdgdesktopportal",),  # the desktop's own file dialog; GTK would bring a second toolkit along
    "egldeviceintegrations": (),
    "generic": (),
    "networkinformation": (),
    "qmltooling": (),
    "sqldrivers": (),
    "tls": (),
}
_LIBRARIES = re.compile(r"(Qt6(Network|EglFS|EglFs|PrintSupport|Sql|Qml|Quick)|opengl32sw|d3dcompiler|\b(tbb|omp)pool)")
_TRANSLATIONS = ("qtbase_de",)  # Qt's own words in the languages of the window; English is built in
# what libraries were compiled from, data that only their own examples read, and papers of a package that stays out
_SOURCES = (".pyx", ".pxd", ".pxi", ".tp", ".pyi", ".h", ".hpp", ".c", ".cpp", ".build", ".typed")
_EXAMPLES = ("sklearn/datasets/", "pyqtgraph/colors/maps/", "pyqtgraph/icons/peegee/", "typing_extensions-")
_SYSTEM_LIBRARY = re.compile(r"^lib[^/]+\.so[.\d]*$")


def keep(item: Item) -> bool:
    name = PurePosixPath(item[0].replace("\\", "/"))
    if _LIBRARIES.search(name.name):
        return False
    if name.as_posix().startswith(_EXAMPLES) or (name.suffix in _SOURCES and name.parts[0] != "resources"):
        return False
    if "translations" in name.parts and "PySide6" in name.parts:
        return name.stem in _TRANSLATIONS
    if "plugins" in name.parts[:-2]:
        kept = PLUGINS.get(name.parts[-2])
        return kept is None or name.name.removeprefix("lib").split(".")[0] in kept
    return True


def reachable(binaries: Sequence[Item], imports: Callable[[str], Iterable[str]]) -> list[Item]:
    """Without the system libraries (Linux, top level) that only a dropped plugin needed.

    `imports` names the libraries that a file is linked against.
    """
    if not sys.platform.startswith("linux"):
        return list(binaries)
    loose = {item[0]: item for item in binaries if _SYSTEM_LIBRARY.match(item[0]) and item[2] != "SYMLINK"}
    roots = [item for item in binaries if item[0] not in loose]
    needed: set[str] = set()
    todo = [item[1] for item in roots if item[2] != "SYMLINK"] + [sys.executable]
    while todo:
        for name in imports(todo.pop()):
            base = PurePosixPath(name).name
            if base in loose and base not in needed:
                needed.add(base)
                todo.append(loose[base][1])
    kept = {name for name in loose if name in needed or name.startswith("libpython")}
    return [item for item in binaries if item[0] not in loose or item[0] in kept]


def without_dangling(items: Sequence[Item], dropped: Iterable[str]) -> list[Item]:
    """Symbolic links whose file was dropped go with it."""
    gone = {PurePosixPath(name).name for name in dropped}
    return [item for item in items if item[2] != "SYMLINK" or PurePosixPath(item[1]).name not in gone]
