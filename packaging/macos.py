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
    notarise(target)
    return target


def sign(bundle: Path) -> None:
    identity = os.environ.get("MACOS_SIGNING_IDENTITY", "-")  # "-" is the ad-hoc signature that Apple silicon asks for
    command = ["codesign", "--force", "--deep", "--sign", identity, "--entitlements", str(ENTITLEMENTS)]
    if identity != "-":
        command += ["--options", "runtime", "--timestamp"]
    subprocess.run([*command, str(bundle)], check=True)


def notarise(target: Path) -> None:
    """MACOS_NOTARY_PROFILE names a keychain profile made with `notarytool store-credentials`."""
    profile = os.environ.get("MACOS_NOTARY_PROFILE")
    if not profile:
        return
    subprocess.run(["xcrun", "notarytool", "submit", str(target), "--keychain-profile", profile, "--wait"], check=True)
    subprocess.run(["xcrun", "stapler", "staple", str(target)], check=True)
