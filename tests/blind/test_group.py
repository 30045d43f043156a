"""ristretto255: published vectors, refusals by return code, the same on one thread and two, Cancel in between."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pprl_desktop.blind import group, library
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Cancelled, Progress

# RFC 9496, A.1: 0 to 15 times the generator
MULTIPLES = """
0000000000000000000000000000000000000000000000000000000000000000
e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76
6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919
94741f5d5d52755ece4f23f044ee27d5d1ea1e2bd196b462166b16152a9d0259
da80862773358b466ffadfe0b3293ab3d9fd53c5ea6c955358f568322daf6a57
e882b131016b52c1d3337080187cf768423efccbb517bb495ab812c4160ff44e
f64746d3c92b13050ed8d80236a7f0007c3b3f962f5ba793d19a601ebb1df403
44f53520926ec81fbd5a387845beb7df85a96a24ece18738bdcfa6a7822a176d
903293d8f2287ebe10e2374dc1a53e0bc887e592699f02d077d5263cdd55601c
02622ace8f7303a31cafc63f8fc48fdc16e1c8c8d234b2f0d6685282a9076031
20706fd788b2720a1ed2a5dad4952b01f413bcf0e7564de8cdc816689e2db95f
bce83f8ba5dd2fa572864c24ba1810f9522bc6004afe95877ac73241cafdab42
e4549ee16b9aa03099ca208c67adafcafa4c3f3e4e5303de6026e3ca8ff84460
aa52e000df2e16f55fb1032fc33bc42742dad6bd5a8fc0be0167436c5948501f
46376b80f409b29dc2b5f6f0c52591990896e5716f41477cd30085ab7f10301e
e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e
""".split()

# RFC 9496, A.2: not canonical, negative, not on the curve, s = -1
BAD = """
00ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
f3ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
0100000000000000000000000000000000000000000000000000000000000000
01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371
4eac077a713c57b4f4397629a4145982c661f48044dd3f96427d40b147d9742f
ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
""".split()


def rows(texts: list[str]) -> group.Bytes:
    return np.frombuffer(bytes.fromhex("".join(texts)), np.uint8).reshape(-1, 32)


def scalars(numbers: range) -> group.Bytes:
    return np.concatenate([group.scalar_of(number) for number in numbers])


def test_multiples_of_the_generator_are_those_of_rfc_9496() -> None:
    known = rows(MULTIPLES)
    assert (group.multiply_base(scalars(range(1, 16))) == known[1:]).all()
    made, good = group.multiply(scalars(range(1, 16)), np.repeat(known[1:2], 15, axis=0))
    assert good.all()
    assert (made == known[1:]).all()
    assert (group.add(known[:-1], np.repeat(known[1:2], 15, axis=0)) == known[1:]).all()


def test_bad_encodings_and_the_identity_are_refused() -> None:
    assert not group.valid(rows(BAD)).any()
    assert not group.valid(rows(MULTIPLES)[:1]).any()
    assert group.valid(rows(MULTIPLES)[1:]).all()


def test_a_short_point_is_refused() -> None:
    with pytest.raises(Problem, match="not a valid element"):
        group.multiply(group.scalar_of(3), np.zeros((4, 31), np.uint8))


def test_one_bad_point_spoils_only_its_own_row() -> None:
    points = rows([*MULTIPLES[1:4], BAD[6], *MULTIPLES[4:6]])
    _, good = group.multiply(group.scalar_of(7), points)
    assert good.tolist() == [True, True, True, False, True, True]


def test_a_hash_becomes_the_point_of_rfc_9496() -> None:
    import ctypes

    text = b"Ristretto is traditionally a short shot of espresso coffee"
    out = ctypes.create_string_buffer(32)
    address = library.library().address["crypto_core_ristretto255_from_hash"]
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)(address)
    function(out, hashlib.sha512(text).digest())
    assert out.raw.hex() == "3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46"


def test_inverses_by_one_inversion_are_inverses() -> None:
    made = group.Stream(bytes(32), "test").scalars(50)
    back = group.inverted(made)
    for one, other in zip(made, back, strict=True):
        assert group.number_of(one) * group.number_of(other) % group.ORDER == 1
    with pytest.raises(Problem, match="zero"):
        group.inverted(scalars(range(3)))


def test_one_thread_equals_two() -> None:
    inputs = group.Stream(bytes(32), "inputs").bytes(32 * 2000).reshape(-1, 32)
    keys = group.Stream(bytes(32), "keys").scalars(2000)
    one, two = (group.hash_to_group(inputs, b"test", threads) for threads in (1, 2))
    assert (one == two).all()
    alone, together = (group.multiply(keys, one, threads) for threads in (1, 2))
    assert (alone[0] == together[0]).all()
    assert alone[1].all()
    assert together[1].all()


def test_sha512_of_rows_is_that_of_the_standard_library() -> None:
    data = group.Stream(bytes(32), "rows").bytes(70 * 9).reshape(9, 70)
    assert [row.tobytes() for row in group.sha512(data)] == [hashlib.sha512(row.tobytes()).digest() for row in data]


def test_the_same_seed_gives_the_same_stream_and_another_purpose_another() -> None:
    seed = os.urandom(32)
    first, again, other = (group.Stream(seed, name).bytes(100) for name in ("a", "a", "b"))
    assert (first == again).all()
    assert (first != other).any()
    assert (group.Stream(seed, "a").bytes(100, part=1) != first).any()


def test_cancel_ends_the_work_between_two_blocks() -> None:
    asked = []

    def cancelled() -> bool:
        asked.append(1)
        return len(asked) > 3

    points = np.repeat(rows(MULTIPLES)[1:2], 50_000, axis=0)
    with pytest.raises(Cancelled):
        group.multiply(group.scalar_of(5), points, 1, Progress(None, cancelled))


# ---- the library


def test_the_library_inside_rbcl_is_taken_out_without_importing_it(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pprl_desktop.blind import library\n"
        "found = library.load('rbcl', library.from_wheel())\n"
        "assert found is not None, 'it does not work'\n"
        "assert 'rbcl' not in sys.modules\n"
    )
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path), "HOME": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    kept = list(tmp_path.rglob("libsodium-*"))
    assert len(kept) == 1
    assert hashlib.sha256(kept[0].read_bytes()).hexdigest() in kept[0].name
    if os.name == "posix":
        assert kept[0].stat().st_mode & 0o777 == 0o600


def test_an_altered_file_in_the_cache_is_not_used(tmp_path: Path) -> None:
    path = library.kept(b"library", tmp_path)
    path.write_bytes(b"altered")
    assert library.kept(b"library", tmp_path).read_bytes() == b"library"


def test_what_is_no_libsodium_is_not_loaded(tmp_path: Path) -> None:
    wrong = tmp_path / "libsodium.so"
    wrong.write_bytes(b"not a library")
    assert library.load("system", str(wrong)) is None
    assert library.load("system", str(tmp_path / "nowhere.so")) is None


def test_a_missing_library_is_one_sentence_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_places", lambda: iter(()))
    library.library.cache_clear()
    try:
        with pytest.raises(Problem) as caught:
            library.library()
    finally:
        library.library.cache_clear()
    assert "libsodium23" in str(caught.value.do)
    assert "rbcl" in str(caught.value.do)
