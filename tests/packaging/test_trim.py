"""The bundle leaves out what is not used, under the names that each system gives it, and nothing else."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

import pytest

import pprl_desktop
from tests.packaging.loading import load


@pytest.fixture(scope="module")
def trim() -> ModuleType:
    return load("trim")


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6\\plugins\\styles\\qmodernwindowsstyle.dll",
        "PySide6/Qt/plugins/xcbglintegrations/libqxcb-egl-integration.so",
        "PySide6/Qt/translations/qtbase_de.qm",
        "llvmlite/binding/libllvmlite.so",
        "resources/icons/app.svg",
        "sklearn/svm/_libsvm.cpython-311-x86_64-linux-gnu.so",
        "pyqtgraph/icons/auto.png",
        "numpy-2.4.6.dist-info/METADATA",
    ],
)
def test_kept(trim: ModuleType, name: str) -> None:
    assert trim.keep((name, name, "BINARY"))


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/plugins/platforms/libqvnc.so",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6\\plugins\\imageformats\\qtiff.dll",
        "PySide6\\plugins\\tls\\qopensslbackend.dll",
        "PySide6\\opengl32sw.dll",
        "PySide6/Qt/lib/libQt6Network.so.6",
        "PySide6/Qt/translations/qtbase_fr.qm",
        "sklearn/svm/src/libsvm/svm.cpp",
        "sklearn\\tree\\_tree.pyx",
        "sklearn/datasets/images/china.jpg",
        "pyqtgraph/colors/maps/CET-C1.csv",
        "typing_extensions-4.16.0.dist-info/METADATA",
        "numba/np/ufunc/omppool.cpython-311-x86_64-linux-gnu.so",
        "numba/np/ufunc/tbbpool.cpython-311-x86_64-linux-gnu.so",
    ],
)
def test_left_out(trim: ModuleType, name: str) -> None:
    assert not trim.keep((name, name, "BINARY"))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="system libraries come along on Linux only")
def test_a_system_library_that_nobody_needs_any_more_goes_with_its_link(trim: ModuleType) -> None:
    items = [
        ("PySide6/QtGui.abi3.so", "/site/QtGui.abi3.so", "EXTENSION"),
        ("libpng16.so.16", "/lib/libpng16.so.16", "BINARY"),
        ("libz.so.1", "/lib/libz.so.1", "BINARY"),
        ("libpango-1.0.so.0", "/lib/libpango-1.0.so.0", "BINARY"),
        ("libpango.so", "libpango-1.0.so.0", "SYMLINK"),
    ]
    needs = {"/site/QtGui.abi3.so": ["libpng16.so.16"], "/lib/libpng16.so.16": ["libz.so.1"]}
    kept = trim.reachable(items, lambda path: needs.get(path, []))
    kept = trim.without_dangling(kept, {item[0] for item in items} - {item[0] for item in kept})
    assert [name for name, _, _ in kept] == ["PySide6/QtGui.abi3.so", "libpng16.so.16", "libz.so.1"]


def test_nothing_that_the_program_imports_is_left_out(trim: ModuleType) -> None:
    """A method may ask for more of scikit-learn one day: then it has to come along."""
    imported = set()
    for path in Path(pprl_desktop.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
            elif isinstance(node, ast.Import):
                imported |= {name.name for name in node.names}
    assert {"sklearn.svm", "scipy.sparse", "PySide6.QtWidgets"} <= imported
    out = tuple(trim.UNUSED_MODULES)
    assert [name for name in imported if name in out or name.startswith(tuple(f"{one}." for one in out))] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="links are made in the Linux bundle only")
def test_a_library_that_ships_twice_is_kept_once(tmp_path: Path) -> None:
    for name, data in (("numpy.libs/libq.so.0", b"same"), ("scipy.libs/libq.so.0", b"same"), ("liba.so", b"other")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    load("linux").share(tmp_path)
    second = tmp_path / "scipy.libs" / "libq.so.0"
    assert second.readlink().as_posix() == "../numpy.libs/libq.so.0"
    assert second.read_bytes() == b"same"
    assert not (tmp_path / "liba.so").is_symlink()
