"""The bill of materials names what ships, and nothing that only the developers use."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

from tests.packaging.loading import load


@pytest.fixture
def inventory() -> ModuleType:
    try:
        metadata.distribution("pprl-desktop")
    except metadata.PackageNotFoundError:
        pytest.skip("the project is not installed in this environment")
    return load("inventory")


def test_what_ships_is_listed_with_licences(inventory: ModuleType, tmp_path: Path) -> None:
    inventory.write(tmp_path)
    bill = json.loads((tmp_path / "sbom.cdx.json").read_text(encoding="utf-8"))
    names = {part["name"].lower().replace("_", "-") for part in bill["components"]}
    assert {
        "libsodium",
        "numpy",
        "scikit-learn",
        "cryptography",
        "pyside6-essentials",
        "shiboken6",
        "rbcl",
        "pandas",
        "python-calamine",
    } <= names
    assert not names & {"pytest", "ruff", "mypy", "hypothesis", "openpyxl"}
    assert bill["bomFormat"] == "CycloneDX"
    licences = (tmp_path / "licences.txt").read_text(encoding="utf-8")
    assert "numpy" in licences
    assert len(licences) > 10_000


def test_what_only_developers_use_is_left_out(inventory: ModuleType) -> None:
    found = set(inventory.strangers())
    assert {"pytest", "hypothesis", "yaml", "openpyxl", "mypy"} <= found
    assert not found & {"pprl_desktop", "numpy", "scipy", "sklearn", "numba", "PySide6", "cryptography", "joblib"}


def test_the_same_packages_give_the_same_bill(inventory: ModuleType) -> None:
    parts = inventory.python_parts()
    assert inventory.bill_of_materials(parts) == inventory.bill_of_materials(parts)
