"""A finished match, whole, kept at home: sealed, and opened again only for the two bundles it was made of.

linking keeps the pairs that survive, for results and review. Here all candidates are kept with what was learned:
after a restart nothing is compared again, and the lines can still be moved.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pprl_desktop.decisions.base import Evidence, Explain, Match, Scored
from pprl_desktop.exchange import letters, linking
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.signatory import Signatory
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.said import Said, from_plain, to_plain

VERSION = "2"  # of what is kept: another one is not read, and the match is made again
MOST_WHY = 200_000  # pairs whose evidence is kept: more are never looked at
_ARRAYS = (
    "own",
    "partner",
    "score",
    "probability",
    "evidence",
    "explain",
    "scored",
    "chosen",
    "band",
    "people",
    "second",
    "strangers",
)


def keep(signatory: Signatory, match: Match) -> None:
    """Replaces an earlier one."""
    agreement = signatory.agreement
    sent, received = linking.both_bundles(agreement)
    body = {"version": VERSION, "sent": sent.digest, "received": received.digest}
    with signatory.home.locked():
        letters.seal_to_self(signatory.identity, _path(signatory), agreement, body, arrays_of(match))


def arrays_of(match: Match) -> dict[str, Array]:
    """A match as a container holds it; match_of() gives it back."""
    scored = match.scored
    kept = match.kept()
    best = kept[np.argsort(-scored.score[kept], kind="stable")[:MOST_WHY]]
    if match.evidence is not None:
        why = match.evidence[np.searchsorted(kept, best)]
    else:
        why = scored.why(best)
    told = {"match": _plain_of(match), "scored": _plain_of(scored)}
    arrays: dict[str, Array] = {
        "own": scored.own.astype(np.int32), "partner": scored.partner.astype(np.int32),
        "score": scored.score.astype(np.float64).view(np.uint64),
        "probability": scored.probability.astype(np.float64).view(np.uint64),
        "chosen": match.chosen.astype(np.uint8), "band": match.band.astype(np.uint8),
        "best": best.astype(np.int64), "why": np.ascontiguousarray(why, np.float32).view(np.uint32),
        "told": np.frombuffer(json.dumps(told).encode(), np.uint8),
    }  # fmt: skip
    if scored.second is not None and scored.strangers is not None:
        arrays["second"], arrays["strangers"] = (
            one.astype(np.float64).view(np.uint64) for one in (scored.second, scored.strangers)
        )
    if scored.people is not None:
        arrays["person_own"], arrays["person_partner"] = (one.astype(np.int32) for one in scored.people)
    return arrays


def kept(signatory: Signatory) -> Match | None:
    """None where there is none, or where it is of other bundles."""
    agreement = signatory.agreement
    path = _path(signatory)
    if not path.is_file():
        return None
    try:
        sent, received = linking.both_bundles(agreement)
        opened = letters.open_own(signatory.identity, path)
    except Problem:
        return None
    if opened.manifest.body != {"version": VERSION, "sent": sent.digest, "received": received.digest}:
        return None
    return match_of(opened.load())


def match_of(arrays: Mapping[str, Array]) -> Match:
    told = json.loads(arrays["told"].tobytes())
    score = arrays["score"].view(np.float64)
    none = np.empty((0, len(told["scored"]["fields"])), np.float32)
    scored = Scored(
        own=arrays["own"], partner=arrays["partner"], score=score, probability=arrays["probability"].view(np.float64),
        evidence=none, explain=_explained(arrays, none.shape[1]), **_values_of(Scored, told["scored"]),
        people=(arrays["person_own"], arrays["person_partner"]) if "person_own" in arrays else None,
        second=arrays["second"].view(np.float64) if "second" in arrays else None,
        strangers=arrays["strangers"].view(np.float64) if "strangers" in arrays else None,
    )  # fmt: skip
    return Match(
        scored=scored, chosen=arrays["chosen"].astype(bool), band=arrays["band"].astype(np.int8),
        **_values_of(Match, told["match"]),
    )  # fmt: skip


def _explained(arrays: Mapping[str, Array], fields_: int) -> Explain:
    """What each field said of the pairs that were looked at; of the others nothing is known any more."""
    best = arrays["best"]
    keys = _keys(arrays["own"][best], arrays["partner"][best])
    order = np.argsort(keys)
    keys, why = keys[order], arrays["why"].view(np.float32).reshape(-1, fields_)[order]

    def explain(own: npt.NDArray[np.int64], partner: npt.NDArray[np.int64], _progress: Progress) -> Evidence:
        made = np.full((len(own), fields_), np.nan, np.float32)
        if len(keys):
            wanted = _keys(own, partner)
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            known = keys[at] == wanted
            made[known] = why[at[known]]
        return made

    return explain


def _keys(own: Array, partner: Array) -> npt.NDArray[np.int64]:
    return (own.astype(np.int64) << 32) | partner.astype(np.int64)


def _path(signatory: Signatory) -> Path:
    return signatory.folder / "whole-match.pprl"


def _plain_of(made: Match | Scored) -> dict[str, Any]:
    """Everything but the arrays; figures that are not JSON, such as a learned model, are left out."""
    found = {}
    for one in fields(made):
        if one.name not in _ARRAYS:
            value = _plain(getattr(made, one.name))
            if value is not _UNKNOWN:
                found[one.name] = value
    return found


_UNKNOWN = object()


def _plain(value: object) -> Any:
    if isinstance(value, Said):
        return to_plain(value)
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else {"float": str(float(value))}
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, np.integer | np.bool_):
        return value.item()
    if isinstance(value, tuple | list):
        parts = [_plain(part) for part in value]
        return _UNKNOWN if any(part is _UNKNOWN for part in parts) else parts
    if hasattr(value, "items"):
        known = {str(name): _plain(part) for name, part in value.items()}
        return {"map": {name: part for name, part in known.items() if part is not _UNKNOWN}}
    return _UNKNOWN


def _values_of(kind: type, plain: dict[str, Any]) -> dict[str, Any]:
    known = {one.name for one in fields(kind)}
    return {name: _value(part) for name, part in plain.items() if name in known}


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_value(part) for part in plain)
    if isinstance(plain, dict):
        if "said" in plain:
            return from_plain(plain)
        if "float" in plain:
            return float(plain["float"])
        return {name: _value(part) for name, part in plain["map"].items()}
    return plain
