"""Signing on Windows and macOS, with the means in the environment and without; the systems' tools are only recorded."""

from __future__ import annotations

import plistlib
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pprl_desktop import __version__
from tests.packaging.loading import PACKAGING, load

NAMES = ("MACOS_SIGNING_IDENTITY", "MACOS_NOTARY_PROFILE", "WINDOWS_CERTIFICATE_SHA1", "WINDOWS_TIMESTAMP_URL")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands in their order; none is carried out."""
    commands: list[list[str]] = []

    def record(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", record)
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return commands


@pytest.fixture
def macos() -> ModuleType:
    return load("macos")


def tools(ran: list[list[str]]) -> list[str]:
    return [" ".join(command[:2]) if command[0] == "xcrun" else command[0] for command in ran]


def test_without_means_a_disk_image_is_made_and_signed_by_nobody(
    macos: ModuleType, ran: list[list[str]], tmp_path: Path
) -> None:
    made = macos.image(tmp_path / "pprl-desktop", tmp_path)
    assert made.name.startswith(f"pprl-desktop-{__version__}-macos-")
    assert made.suffix == ".dmg"
    assert tools(ran) == ["codesign", "ditto", "hdiutil"]
    assert ran[0][ran[0].index("--sign") + 1] == "-"
    assert "runtime" not in ran[0]


def test_with_an_identity_and_a_profile_both_are_signed_notarised_and_stapled(
    macos: ModuleType, ran: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MACOS_SIGNING_IDENTITY", "Developer ID Application: Someone")
    monkeypatch.setenv("MACOS_NOTARY_PROFILE", "release")
    made = macos.image(tmp_path / "pprl-desktop", tmp_path)
    assert tools(ran) == ["codesign", "ditto", "hdiutil", "codesign", "xcrun notarytool", "xcrun stapler"]
    assert ran[0][-1].endswith("PPRL Desktop.app")
    assert {"--options", "runtime", "--timestamp"} <= set(ran[0])  # notarisation asks for the hardened runtime
    assert ran[3][-1] == ran[5][-1] == str(made)
    assert "--wait" in ran[4]


def test_the_hardened_program_may_compile_its_kernels() -> None:
    rights = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert rights["com.apple.security.cs.allow-jit"] is True
    assert set(rights.values()) == {True}
    assert not [name for name in rights if "network" in name]


def test_windows_signs_both_programs_and_the_installer_only_with_a_certificate(
    ran: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = load("windows")
    monkeypatch.setattr(windows, "makensis", lambda: "makensis")
    for name in ("pprl-desktop.exe", "PPRL Desktop.exe", f"pprl-desktop-{__version__}-setup.exe"):
        (tmp_path / name).write_bytes(b"MZ")
    windows.installer(tmp_path, tmp_path)
    assert tools(ran) == ["makensis"]
    ran.clear()
    monkeypatch.setenv("WINDOWS_CERTIFICATE_SHA1", "ab" * 20)
    windows.installer(tmp_path, tmp_path)
    assert tools(ran) == ["signtool", "signtool", "makensis", "signtool"]
    assert ran[-1][-1].endswith("-setup.exe")
    assert not [command for command in ran if "/td" in command]  # signtool wants it beside a server only
    monkeypatch.setenv("WINDOWS_TIMESTAMP_URL", "stamp.example")
    windows.sign(tmp_path / "pprl-desktop.exe")
    assert ran[-1][4:-1] == ["/fd", "sha256", "/tr", "stamp.example", "/td", "sha256"]
