"""Random people and random linkage schemas of version 3, by seed."""

from __future__ import annotations

import base64
import random
from datetime import date, timedelta
from typing import Any

HEADER = ("row", "first", "last", "born", "sex", "zip", "weight")
_SYLLABLES = "ka ro li an be tor mi su ne va del gra ü øs ña st wy ći".split()


def people(rng: random.Random, count: int) -> list[list[str]]:
    rows = []
    for at in range(count):
        name = ["".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))).title() for _ in range(2)]
        born = date(1920, 1, 1) + timedelta(days=rng.randrange(36_000))
        weight = f"{rng.uniform(40, 120):.{rng.randint(0, 3)}f}"
        row = [str(at), *name, born.strftime("%d/%m/%Y"), rng.choice("MF"), f"{rng.randrange(100_000):05d}", weight]
        if rng.random() < 0.15:
            row[rng.choice([1, 2, 5])] = ""
        if rng.random() < 0.1:
            row[3] = "unknown"
        rows.append(row)
    return rows


def schema(rng: random.Random) -> dict[str, Any]:
    folds = rng.choice([0, 0, 1, 2])
    double = rng.random() < 0.5
    length = rng.choice([64, 256, 1024, 2048])
    kdf: dict[str, Any] = {"type": "HKDF", "hash": rng.choice(["SHA256", "SHA512"])}
    for name in ("salt", "info"):
        if rng.random() < 0.6:
            kdf[name] = base64.b64encode(rng.randbytes(rng.randint(1, 40))).decode()
    if rng.random() < 0.5:
        kdf["keySize"] = rng.choice([16, 32, 64])
    config = {"l": length, "kdf": kdf} | ({"xor_folds": folds} if folds else {})
    plain: list[dict[str, Any]] = [{"identifier": "row", "ignored": True}]
    formats = {
        "first": ({"type": "string", "encoding": "utf-8"}, {"sentinel": ""}),
        "last": ({"type": "string", "encoding": "utf-8", "maxLength": 60}, {"sentinel": "", "replaceWith": "nobody"}),
        "born": ({"type": "date", "format": "%d/%m/%Y"}, {"sentinel": "unknown", "replaceWith": ""}),
        "sex": ({"type": "enum", "values": ["M", "F"]}, None),
        "zip": ({"type": "string", "pattern": "[0-9]{0,5}"}, None),
        "weight": ({"type": "string"}, None),
    }
    for name, (form, missing) in formats.items():
        if rng.random() < 0.15:
            plain.append({"identifier": name, "ignored": True})
            continue
        comparison: dict[str, Any] = {"type": "exact"}
        if name == "weight":
            comparison = {
                "type": "numeric", "thresholdDistance": rng.choice([1, 2.5, 10]), "resolution": rng.randint(1, 6),
                "fractional_precision": rng.randint(0, 2),
            }  # fmt: skip
        elif rng.random() < 0.8:
            comparison = {"type": "ngram", "n": rng.randint(1, 3), "positional": rng.random() < 0.5}
        strategy = {rng.choice(["bitsPerToken", "bitsPerFeature"]): rng.choice([5, 15, 40, 100])}
        hashing: dict[str, Any] = {"comparison": comparison, "strategy": strategy}
        if double:
            hashing["hash"] = {"type": "doubleHash", "prevent_singularity": rng.random() < 0.5}
        elif rng.random() < 0.5:
            hashing["hash"] = {"type": "blakeHash"}
        if missing:
            hashing["missingValue"] = missing
        plain.append({"identifier": name, "format": form, "hashing": hashing})
    if all(one.get("ignored") for one in plain):
        return schema(rng)
    return {"version": 3, "clkConfig": config, "features": plain}
