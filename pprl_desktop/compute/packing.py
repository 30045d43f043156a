"""Work and its results as plain trees and raw arrays: what may be handed to another process, and nothing else.

A tree is JSON: numbers, short texts (names of fields and measures), and objects of this package by class and
attributes; arrays stand beside it and are named by whoever keeps them. No pickle: reading a tree runs no code but that
of the named classes. An array of texts is refused, so that no cell of a table can be in it, and the same value gives
the same bytes in every process, which is what makes a finished block recognisable.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Put = Callable[[Array], str]  # keeps an array, gives its name
Get = Callable[[str], bytearray | memoryview]  # the bytes of a named array, writable

ROOT = "pprl_desktop."
NUMBERS = "buif"  # kinds of numpy's types that hold no text and no object
MARK = b"PPRLPACK1\n"
ALIGNED = 64  # bytes: arrays begin at whole cache lines


class NotPortable(TypeError):  # noqa: N818 - a verdict, as Cancelled is
    """The value holds something that must not, or cannot, leave this process."""


def encode(value: Any, put: Put) -> Any:
    """The tree of a value; each array is given to `put`."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.ndarray):
        return {"array": [put(_plain(value)), value.dtype.str, list(value.shape)]}
    if isinstance(value, np.generic):
        return {"scalar": [value.dtype.str, _numeric(value.dtype) and value.tobytes().hex()]}
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        if type(value) not in (tuple, list):
            return {"named": [_name(type(value)), [encode(each, put) for each in value]]}
        return {kind: [encode(each, put) for each in value]}
    if isinstance(value, slice | range):
        return {type(value).__name__: [value.start, value.stop, value.step]}
    if isinstance(value, Mapping):
        return {"dict": [[encode(key, put), encode(each, put)] for key, each in value.items()]}
    return {"object": [_name(type(value)), [[key, encode(each, put)] for key, each in _state(value).items()]]}


def decode(tree: Any, get: Get) -> Any:
    if not isinstance(tree, dict):
        return tree
    ((kind, held),) = tree.items()
    match kind:
        case "array":
            name, dtype, shape = held
            return np.frombuffer(get(name), dtype=np.dtype(dtype)).reshape(shape)
        case "scalar":
            return np.frombuffer(bytes.fromhex(held[1]), dtype=np.dtype(held[0]))[0]
        case "float":
            return float.fromhex(held)
        case "tuple":
            return tuple(decode(each, get) for each in held)
        case "list":
            return [decode(each, get) for each in held]
        case "named":
            return _class(held[0], tuple)(*(decode(each, get) for each in held[1]))
        case "slice":
            return slice(*held)
        case "range":
            return range(*held)
        case "dict":
            return {decode(key, get): decode(each, get) for key, each in held}
        case "object":
            made = object.__new__(_class(held[0]))
            for key, each in held[1]:
                object.__setattr__(made, key, decode(each, get))
            return made
    raise NotPortable(kind)


def dumps(value: Any) -> bytes:
    """Tree and arrays in one piece."""
    pieces: list[bytes] = []
    places: list[tuple[int, int]] = []
    at = 0

    def put(array: Array) -> str:
        nonlocal at
        raw = array.tobytes()
        places.append((at, len(raw)))
        padded = raw + bytes(-len(raw) % ALIGNED)
        pieces.append(padded)
        at += len(padded)
        return str(len(places) - 1)

    tree = encode(value, put)
    head = text_of({"tree": tree, "places": places})
    return b"".join([MARK, len(head).to_bytes(8, "little"), head, *pieces])


def loads(data: bytes | bytearray | memoryview) -> Any:
    """A NotPortable says that it was not packed by this program, whatever is wrong with it."""
    try:
        return _loads(data)
    except (ArithmeticError, AttributeError, ImportError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise error if isinstance(error, NotPortable) else NotPortable("not packed by this program") from error


def _loads(data: bytes | bytearray | memoryview) -> Any:
    view = memoryview(data)
    start = len(MARK) + 8
    if bytes(view[: len(MARK)]) != MARK:
        raise NotPortable("not packed by this program")
    size = int.from_bytes(view[len(MARK) : start], "little")
    head = json.loads(bytes(view[start : start + size]))
    body = view[start + size :]

    def get(name: str) -> bytearray:
        at, length = head["places"][int(name)]
        return bytearray(body[at : at + length])

    return decode(head["tree"], get)


def text_of(tree: Any) -> bytes:
    return json.dumps(tree, separators=(",", ":"), allow_nan=False).encode()


def _plain(array: Array) -> Array:
    _numeric(array.dtype)
    return np.ascontiguousarray(array)


def _numeric(dtype: np.dtype[Any]) -> bool:
    if dtype.kind not in NUMBERS:
        raise NotPortable(f"an array of {dtype.kind}")
    return True


def _state(value: Any) -> Mapping[str, Any]:
    """Attributes; a class with __getstate__ of its own leaves out what can be made anew."""
    _name(type(value))
    state = value.__getstate__()
    if not isinstance(state, dict):
        raise NotPortable(type(value).__name__)
    return cast(dict[str, Any], state)


def _name(kind: type) -> str:
    if not kind.__module__.startswith(ROOT) or "<locals>" in kind.__qualname__:
        raise NotPortable(f"{kind.__module__}.{kind.__qualname__}")
    return f"{kind.__module__}:{kind.__qualname__}"


def _class(name: str, base: type = object) -> Any:
    module, _, path = name.partition(":")
    if not module.startswith(ROOT):
        raise NotPortable(name)
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if not isinstance(found, type) or not issubclass(found, base):  # of others no constructor is called
        raise NotPortable(name)
    return found
