"""What ships: a CycloneDX bill of materials and the third-party licences, from the installed packages' own metadata."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from pprl_desktop import __version__

ROOT = Path(__file__).resolve().parent.parent
LICENCES = ROOT / "packaging" / "licences"
LGPL_NOTE = (
    "Used under the LGPL, version 3. Its libraries lie as separate files in the program's folder and may be replaced "
    "by other builds of the same version. Sources: https://download.qt.io/official_releases/QtForPython/"
)
_NAME = re.compile(r"[-_.]+")


def _canonical(name: str) -> str:
    return _NAME.sub("-", name).lower()


def shipped(root: str = "pprl-desktop") -> list[metadata.Distribution]:
    """The program's dependencies and theirs, as installed; extras and other systems' packages are not followed."""
    found: dict[str, metadata.Distribution] = {}
    todo = list(_requires(metadata.distribution(root)))
    while todo:
        name = todo.pop()
        if name in found:
            continue
        try:
            one = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # a dependency for another system
            continue
        found[name] = one
        todo += _requires(one)
    return [found[name] for name in sorted(found)]


def strangers(root: str = "pprl-desktop") -> list[str]:
    """Modules that are installed here and do not ship: tools of the developers, which libraries may look for."""
    ours = {_canonical(one.metadata["Name"]) for one in shipped(root)} | {_canonical(root)}
    owners = metadata.packages_distributions()
    return sorted(name for name, makers in owners.items() if not ours & {_canonical(maker) for maker in makers})


def _requires(one: metadata.Distribution) -> Iterator[str]:
    from packaging.requirements import Requirement

    for text in one.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield _canonical(requirement.name)


def licence_name(one: metadata.Distribution) -> str:
    info = one.metadata
    if info.get("License-Expression"):
        return str(info["License-Expression"])
    for classifier in info.get_all("Classifier") or ():
        if classifier.startswith("License ::"):
            return str(classifier).rsplit("::", 1)[1].strip()
    text = str(info.get("License") or "").strip()
    return text.splitlines()[0][:80] if text else "see the licence text"


def licence_texts(one: metadata.Distribution) -> list[str]:
    wanted = re.compile(r"(^|/)(licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
    found = []
    for file in one.files or ():
        if wanted.search(file.as_posix()) and ".dist-info" in file.as_posix():
            path = Path(str(one.locate_file(file)))
            if path.is_file():
                found.append(path.read_text(encoding="utf-8", errors="replace").strip())
    if not found and "LGPL-3.0" in licence_name(one):  # the wheels of Qt for Python bring no text along
        found = [LGPL_NOTE, *(_read(LICENCES / f"{name}.txt") for name in ("LGPL-3.0", "GPL-3.0"))]
    return found


@dataclass(frozen=True)
class Part:
    """Something that ships, as the About page and the bill of materials name it."""

    name: str
    version: str
    licence: str
    purl: str = ""
    texts: tuple[str, ...] = ()


def python_parts() -> list[Part]:
    return [
        Part(
            str(one.metadata["Name"]),
            one.version,
            licence_name(one),
            f"pkg:pypi/{_canonical(one.metadata['Name'])}@{one.version}",
            tuple(licence_texts(one)),
        )
        for one in shipped()
    ]


def other_parts() -> list[Part]:
    """What ships and is no Python package: the interpreter, the loader of the frozen program, libsodium, fonts."""
    found = [Part("Python", platform.python_version(), "PSF-2.0", texts=_python_licence())]
    try:
        loader = metadata.distribution("pyinstaller")
    except metadata.PackageNotFoundError:  # a wheel or source tree has no loader
        pass
    else:
        licence = "GPL-2.0-or-later WITH Bootloader-exception"
        texts = tuple(licence_texts(loader))
        found.append(
            Part("PyInstaller (loader)", loader.version, licence, f"pkg:pypi/pyinstaller@{loader.version}", texts)
        )
    if (sodium := bundled_sodium()) is not None:
        found.append(sodium)
    for name, licence, file in (
        ("Inter", "OFL-1.1", "Inter-LICENSE.txt"),
        ("DejaVu Sans Mono", "Bitstream-Vera", "DejaVuSansMono-LICENSE.txt"),
    ):
        text = (ROOT / "resources" / "fonts" / file).read_text(encoding="utf-8").strip()
        found.append(Part(name, "", licence, texts=(text,)))
    return found


def bundled_sodium() -> Part | None:
    """The library that the frozen program carries for the method blind, by the version that it tells itself."""
    from pprl_desktop.blind import library

    path = library.from_wheel()
    found = library.load("rbcl", path) if path else None
    if found is None:
        return None
    text = (LICENCES / "libsodium-ISC.txt").read_text(encoding="utf-8").strip()
    return Part("libsodium", found.version, "ISC", f"pkg:generic/libsodium@{found.version}", (text,))


def _python_licence() -> tuple[str, ...]:
    places = (Path(sysconfig.get_path("stdlib")), Path(sys.base_prefix), Path(sys.base_prefix) / "Resources")
    texts = (_read(place / name) for place in places for name in ("LICENSE.txt", "LICENSE"))
    return tuple([text for text in texts if text][:1])


def system_parts(libraries: Sequence[Path]) -> list[Part]:
    """The building system's libraries in the bundle, by the Debian package they come from."""
    if not shutil.which("dpkg-query"):
        return []
    found: dict[str, Part] = {}
    for library in libraries:
        package = _package_of(library)
        if package and package not in found:
            asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True)
            text = _read(Path("/usr/share/doc") / package.split(":")[0] / "copyright")
            version = asked.stdout.strip()
            purl = f"pkg:deb/{_system_id()}/{package.split(':')[0]}@{version}"
            found[package] = Part(package.split(":")[0], version, "see the licence text", purl, (text,) if text else ())
    return [found[name] for name in sorted(found)]


def _package_of(library: Path) -> str:
    real = library.resolve()
    for path in (real, library, Path(str(real).removeprefix("/usr"))):  # /lib may be a link to /usr/lib
        done = subprocess.run(["dpkg-query", "-S", str(path)], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.splitlines()[0].rsplit(": ", 1)[0].split(",")[0]
    return ""


def _system_id() -> str:
    return platform.freedesktop_os_release().get("ID", "debian")


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace").strip() if path.is_file() else ""


def bill_of_materials(parts: Sequence[Part]) -> dict[str, object]:
    """CycloneDX 1.5; the serial number follows from the content, so the same build gives the same file."""
    components = []
    for part in parts:
        component: dict[str, object] = {"type": "library", "name": part.name}
        component |= {"version": part.version} if part.version else {}
        component |= {"purl": part.purl, "bom-ref": part.purl} if part.purl else {}
        component["licenses"] = [{"license": {"name": part.licence}}]
        components.append(component)
    content = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "pprl-desktop", "version": __version__}},
        "components": components,
    }


def write(folder: Path, libraries: Sequence[Path] = ()) -> None:
    """Into resources/about, where the About page finds them."""
    parts = [*python_parts(), *other_parts(), *system_parts(libraries)]
    folder.mkdir(parents=True, exist_ok=True)
    bill = json.dumps(bill_of_materials(parts), indent=1, sort_keys=True) + "\n"
    (folder / "sbom.cdx.json").write_text(bill, encoding="utf-8")
    pages = []
    for part in parts:
        title = " — ".join([f"{part.name} {part.version}".strip(), part.licence])
        pages.append("\n\n".join([title, "=" * len(title), *part.texts]))
    (folder / "licences.txt").write_text("\n\n\n".join(pages) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(ROOT / "resources" / "about")
