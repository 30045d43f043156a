"""Windows: an installer per user, without administrator rights, compiled by NSIS (makensis) on any system."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from pprl_desktop import __version__

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "packaging" / "windows" / "installer.nsi"


def installer(app: Path, dist: Path) -> Path:
    """`app` is the folder to install: the frozen program, or a stub where only the script is tested."""
    target = dist / f"pprl-desktop-{__version__}-setup.exe"
    sign(app / "pprl-desktop.exe", app / "PPRL Desktop.exe")
    subprocess.run(
        [makensis(), "-V2", f"-DVERSION={__version__}", f"-DAPP={app}", f"-DOUT={target}",
         f"-DICON={ROOT / 'resources' / 'icons' / 'app.ico'}", f"-DLICENCE={ROOT / 'LICENSE'}", str(SCRIPT)],
        check=True,
    )  # fmt: skip
    sign(target)
    print(target.name)
    return target


def makensis() -> str:
    found = shutil.which("makensis") or str(Path(os.environ.get("PROGRAMFILES(X86)", "")) / "NSIS" / "makensis.exe")
    if not Path(found).exists():
        raise SystemExit(
            "makensis was not found. Install NSIS (Debian: apt-get install nsis; Windows: the NSIS setup)."
        )
    return found


def sign(*files: Path) -> None:
    """With signtool where the environment names a certificate; unsigned otherwise, and the README says so."""
    certificate = os.environ.get("WINDOWS_CERTIFICATE_SHA1")
    if not certificate:
        return
    command = ["signtool", "sign", "/sha1", certificate, "/fd", "sha256"]
    # a time stamp outlives the certificate; its server is the certificate maker's
    if server := os.environ.get("WINDOWS_TIMESTAMP_URL"):
        command += ["/tr", server, "/td", "sha256"]
    for file in files:
        if file.exists():
            subprocess.run([*command, str(file)], check=True)
