"""macOS: the .app in a .dmg; signed and notarised where the environment holds the means, unsigned otherwise."""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
from pathlib import Path

from pprl_desktop import __version__

ROOT = Path(__file__).resolve().parent.parent
ENTITLEMENTS = ROOT / "packaging" / "macos" / "entitlements.plist"
IDENTITY = "MACOS_SIGNING_IDENTITY"  # in the environment: a name in the keychain
AD_HOC = "-"  # the signature without a maker that Apple silicon asks for
PROFILE = "MACOS_NOTARY_PROFILE"


def image(app: Path, dist: Path) -> Path:
    bundle = app.parent / "PPRL Desktop.app"
    sign(bundle)
    target = dist / f"pprl-desktop-{__version__}-macos-{platform.machine()}.dmg"
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["ditto", str(bundle), f"{scratch}/PPRL Desktop.app"], check=True)
        os.symlink("/Applications", f"{scratch}/Applications")
        subprocess.run(
            ["hdiutil", "create", "-volname", "PPRL Desktop", "-srcfolder", scratch, "-ov", "-format", "UDZO",
             str(target)],
            check=True,
        )  # fmt: skip
    if identity() != AD_HOC:
        subprocess.run(["codesign", "--sign", identity(), "--timestamp", str(target)], check=True)
    notarise(target)
    print(target.name)
    return target


def identity() -> str:
    return os.environ.get(IDENTITY) or AD_HOC


def sign(bundle: Path) -> None:
    command = ["codesign", "--force", "--deep", "--sign", identity(), "--entitlements", str(ENTITLEMENTS)]
    if identity() != AD_HOC:
        command += ["--options", "runtime", "--timestamp"]
    subprocess.run([*command, str(bundle)], check=True)


def notarise(target: Path) -> None:
    """MACOS_NOTARY_PROFILE names a keychain profile made with `notarytool store-credentials`."""
    profile = os.environ.get(PROFILE)
    if not profile:
        return
    subprocess.run(["xcrun", "notarytool", "submit", str(target), "--keychain-profile", profile, "--wait"], check=True)
    subprocess.run(["xcrun", "stapler", "staple", str(target)], check=True)
