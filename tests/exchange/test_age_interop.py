"""Other programs: files sealed here open with Debian's `age` and with pyrage, and theirs open here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.exchange import age, container, seal
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.progress import NO_PROGRESS

AGE = shutil.which("age")
SENDER, OWNER = Keys.new(), Keys.new()
MANIFEST = Manifest(
    "data", "00" * 16, "00" * 32, 1, "00" * 32, SENDER.public().party, OWNER.public().party, "2026-01-01T00:00:00Z", ""
)
ARRAYS = {"noise": np.frombuffer(os.urandom(200_000), np.uint8), "rows": np.arange(50_000, dtype=np.int32)}

needs_age = pytest.mark.skipif(AGE is None, reason="the program age is not installed")


def container_bytes() -> bytes:
    class Out:
        def __init__(self) -> None:
            self.data = bytearray()

        def write(self, data: bytes | bytearray | memoryview) -> None:
            self.data += data

    out = Out()
    container.write(out, MANIFEST, ARRAYS, SENDER.public().sign, SENDER.sign, NO_PROGRESS)
    return bytes(out.data)


def check_opens_here(path: Path) -> None:
    opened = seal.open_sealed(path, [OWNER], [SENDER.public().sign])
    opened.check()
    assert all((opened.load()[name] == array).all() for name, array in ARRAYS.items())


@pytest.fixture
def identity_file(tmp_path: Path) -> Path:
    path = tmp_path / "key.txt"
    path.write_text(OWNER.age_identity() + "\n")
    return path


@needs_age
def test_a_file_sealed_here_opens_with_age(tmp_path: Path, identity_file: Path) -> None:
    assert AGE is not None
    seal.seal(tmp_path / "x.pprl", MANIFEST, ARRAYS, SENDER, OWNER.public(), "x25519")
    out = subprocess.run([AGE, "-d", "-i", identity_file, tmp_path / "x.pprl"], capture_output=True, check=True).stdout
    assert out.startswith(container.MAGIC + SENDER.public().sign)
    assert ARRAYS["noise"].tobytes() in out


@needs_age
def test_a_file_sealed_with_age_opens_here(tmp_path: Path) -> None:
    assert AGE is not None
    (tmp_path / "plain").write_bytes(container_bytes())
    recipient = OWNER.public().age_recipient()
    subprocess.run([AGE, "-r", recipient, "-o", tmp_path / "x.pprl", tmp_path / "plain"], check=True)
    check_opens_here(tmp_path / "x.pprl")


def test_pyrage_both_ways(tmp_path: Path) -> None:
    pyrage = pytest.importorskip("pyrage")
    seal.seal(tmp_path / "x.pprl", MANIFEST, ARRAYS, SENDER, OWNER.public(), "x25519")
    key = pyrage.x25519.Identity.from_str(OWNER.age_identity())
    assert pyrage.decrypt((tmp_path / "x.pprl").read_bytes(), [key]).startswith(container.MAGIC)
    recipient = pyrage.x25519.Recipient.from_str(OWNER.public().age_recipient())
    (tmp_path / "y.pprl").write_bytes(pyrage.encrypt(container_bytes(), [recipient]))
    check_opens_here(tmp_path / "y.pprl")


def test_pyrage_passphrases_both_ways() -> None:
    pyrage = pytest.importorskip("pyrage")
    import io

    theirs = pyrage.passphrase.encrypt(b"text", "correct horse")
    assert bytes(age.decrypt(io.BytesIO(theirs), [age.Passphrase(b"correct horse")]).read(100)) == b"text"
    out = io.BytesIO()
    writer = age.encrypt(out, age.Passphrase(b"correct horse", work_factor=10))
    writer.write(b"text")
    writer.close()
    assert pyrage.passphrase.decrypt(out.getvalue(), "correct horse") == b"text"
