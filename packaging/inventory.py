"""What ships: a CycloneDX bill of materials and the third-party licences, from the installed packages' own metadata."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from pprl_desktop import __version__

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
    return found


def bill_of_materials(parts: list[metadata.Distribution]) -> dict[str, object]:
    """CycloneDX 1.5; the serial number follows from the content, so the same build gives the same file."""
    components = [
        {
            "type": "library",
            "name": one.metadata["Name"],
            "version": one.version,
            "purl": f"pkg:pypi/{_canonical(one.metadata['Name'])}@{one.version}",
            "licenses": [{"license": {"name": licence_name(one)}}],
        }
        for one in parts
    ]
    content = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "pprl-desktop", "version": __version__}},
        "components": components,
    }


def write(folder: Path) -> None:
    """Into resources/about, where the About page finds them."""
    parts = shipped()
    folder.mkdir(parents=True, exist_ok=True)
    bill = json.dumps(bill_of_materials(parts), indent=1, sort_keys=True) + "\n"
    (folder / "sbom.cdx.json").write_text(bill, encoding="utf-8")
    pages = []
    for one in parts:
        title = f"{one.metadata['Name']} {one.version} — {licence_name(one)}"
        pages.append("\n\n".join([title, "=" * len(title), *licence_texts(one)]))
    (folder / "licences.txt").write_text("\n\n\n".join(pages) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).resolve().parent.parent / "resources" / "about")
