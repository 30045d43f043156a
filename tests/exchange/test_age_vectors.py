"""The age test vectors: what they accept is accepted with the same payload, what they refuse is refused."""

from __future__ import annotations

import hashlib
import io
import os
import zlib
from pathlib import Path

import pytest

from pprl_desktop.exchange import age, bech32

FOLDER = Path(os.environ.get("AGE_VECTORS", Path(__file__).resolve().parents[3] / "shared" / "data" / "age_vectors"))
VECTORS = sorted(FOLDER.iterdir()) if FOLDER.is_dir() else []

pytestmark = pytest.mark.skipif(not VECTORS, reason="the age vectors are not beside the project (AGE_VECTORS)")

ERRORS: dict[str, tuple[type[age.AgeError], ...]] = {
    "no match": (age.NoMatch,),
    "header failure": (age.HeaderError, age.NotAge, age.NewerAge),
    "HMAC failure": (age.HeaderError,),
    "payload failure": (age.PayloadError,),
}


def parse(path: Path) -> tuple[dict[str, str], list[age.Identity], bytes]:
    head, _, body = path.read_bytes().partition(b"\n\n")
    fields: dict[str, str] = {}
    identities: list[age.Identity] = []
    for line in head.decode().splitlines():
        key, _, value = line.partition(": ")
        fields[key] = value
        if key == "identity":
            prefix, data = bech32.decode(value)
            identities.append(age.HybridIdentity(data) if "pq" in prefix else age.X25519Identity(data))
        if key == "passphrase":
            identities.append(age.Passphrase(value.encode()))
    return fields, identities, zlib.decompress(body) if "compressed" in fields else body


def read_all(data: bytes, identities: list[age.Identity]) -> bytes:
    reader = age.decrypt(io.BytesIO(data), identities)
    out = bytearray()
    while part := reader.read(10_000):
        out += part
    return bytes(out)


@pytest.mark.parametrize("path", VECTORS, ids=[path.name for path in VECTORS])
def test_vector(path: Path) -> None:
    fields, identities, data = parse(path)
    if "armored" in fields:
        with pytest.raises(age.NotAge):
            read_all(data, identities)
    elif fields["expect"] == "success":
        assert hashlib.sha256(read_all(data, identities)).hexdigest() == fields["payload"]
    else:
        with pytest.raises(ERRORS[fields["expect"]]):
            read_all(data, identities)
