"""A good letter, changed inside as its maker could change it, then signed and sealed as it should be."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pprl_desktop.exchange import card, seal, strict, terms
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.exchange.manifest import DTYPES
from tests.hostility import mangled, spoilt

from .conftest import Party
from .test_refusals import inner_bytes, signed


@dataclass(frozen=True)
class Post:
    """A good letter, and the home it is about to be opened in."""

    kind: str
    path: Path
    home: Path  # a copy of the recipient's, before
    to: Party
    sender: Keys
    new: Keys | None = None  # of a key change

    def inside(self) -> tuple[dict[str, Any], dict[str, Array]]:
        opened = seal.open_sealed(self.path, [self.to.own.keys], [self.sender.public().sign])
        inner = inner_bytes(self.path, self.to.own.keys)
        size = int.from_bytes(inner[104:108], "little")
        return json.loads(inner[108 : 108 + size]), opened.load() if opened.manifest.entries else {}


def entries(draw: random.Random, plain: dict[str, Any], arrays: dict[str, Array]) -> tuple[dict[str, Any], bytes]:
    """The arrays with their descriptions: sometimes one changed, sometimes the description."""
    arrays = dict(arrays)
    if arrays and draw.random() < 0.5:
        name = draw.choice(sorted(arrays))
        found = arrays[name].copy()
        how = draw.randrange(6)
        if how == 0 and found.size:
            flat = found.reshape(-1)
            flat[draw.randrange(flat.size)] = draw.choice([0, 1, 127, 255])
        elif how == 1 and len(found):
            found = np.concatenate([found, found[:1]])
        elif how == 2 and len(found):
            found = found[:-1]
        elif how == 3 and len(found):
            found[0] = found[-1]
        elif how == 4:
            found = found.astype(draw.choice(list(DTYPES)))
        else:
            found = np.zeros(draw.choice([0, 1, 1000]), draw.choice(list(DTYPES)))
        arrays[name] = found
    elif draw.random() < 0.1:
        arrays[draw.choice(["extra", "secret", "mine", "part9.values"])] = np.zeros(4, np.uint8)
    listed, stored = [], b""
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        listed.append({
            "name": name, "dtype": str(array.dtype), "shape": list(array.shape), "bytes": len(raw), "codec": "raw",
            "sha256": hashlib.sha256(raw).hexdigest(),
        })  # fmt: skip
        stored += raw
    return {**plain, "entries": listed}, stored


def hostile(draw: random.Random, post: Post, plain: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    plain, stored = entries(draw, plain, arrays)
    body, where = plain["body"], draw.random()
    if where < 0.4 and "document" in body:  # the document, signed anew and under its own number
        document = dumped(spoilt(draw, json.loads(body["document"])))
        body = {**body, "document": document.decode("utf-8", "replace")}
        if draw.random() < 0.9:
            body["signature"] = post.sender.sign(terms.SIGN_CONTEXT + document).hex()
            plain = {**plain, "agreement": terms.agreement_id(document)}
        plain = {**plain, "body": body}
    elif where < 0.4 and post.new is not None:  # the card, signed anew with its key
        inner = spoilt(draw, json.loads(body["card"]))
        if isinstance(inner, dict):
            inner.pop("signature", None)
            signature = post.new.sign(card._CONTEXT + dumped(inner)).hex()
            inner = {**inner, "signature": signature}
        plain = {**plain, "body": {**body, "card": dumped(inner).decode("utf-8", "replace") + "\n"}}
    elif where < 0.65:
        plain = {**plain, "body": spoilt(draw, body)}
    elif where < 0.85:
        plain = spoilt(draw, plain)
    manifest = dumped(plain)
    if where >= 0.97:
        manifest = mangled(draw, manifest)
    return signed(post.sender, manifest, stored)


def dumped(plain: Any) -> bytes:
    """As strict JSON as the content allows; a hostile program is not bound to it."""
    try:
        return strict.dumps(plain)
    except (TypeError, ValueError):
        return json.dumps(plain, sort_keys=True, separators=(",", ":")).encode("utf-8", "replace")
