"""Every refusal of ARCHITECTURE 6, caused for real. None leaves a file or changes the home folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from pprl_desktop.exchange import age, container, inbox, refusals, seal, strict
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.exchange.manifest import Manifest
from pprl_desktop.problem import Problem

from .conftest import Party, Scene, agree, everything, export, introduce, offer, people


@contextmanager
def refused(scene: Scene, *words: str, place: str = "") -> Iterator[None]:
    """A Problem with these words, and nothing changed at home."""
    before = everything(scene.b.home.path)
    with pytest.raises(Problem) as found:
        yield
    for word in words:
        assert word in str(found.value.sentence())
    if place:
        assert found.value.place == place
    assert everything(scene.b.home.path) == before


def open_at_b(scene: Scene, path: Path | None = None) -> inbox.Received:
    return inbox.open_file(scene.b.home, scene.b.own, path or scene.bundle)


def plain_of(scene: Scene) -> tuple[Manifest, dict[str, np.ndarray]]:
    """Manifest and arrays of A's bundle, as B can read them."""
    opened = seal.open_sealed(scene.bundle, [scene.b.own.keys], [scene.a.own.keys.public().sign])
    return opened.manifest, opened.load()


def inner_bytes(path: Path, keys: Keys) -> bytes:
    with open(path, "rb") as source:
        reader = age.decrypt(source, keys.identities())
        out = bytearray()
        while part := reader.read(1 << 16):
            out += part
    return bytes(out)


def reseal(path: Path, data: bytes, to: Party) -> Path:
    """Any content, sealed for someone: what an attacker with public cards can do."""
    with open(path, "wb") as out:
        writer = age.encrypt(out, to.own.keys.public().recipient("hybrid"))
        writer.write(data)
        writer.close()
    return path


def signed(keys: Keys, manifest: bytes, arrays: bytes = b"") -> bytes:
    """A container with any manifest bytes and a right signature: what a malicious partner can do."""
    sender, length = keys.public().sign, len(manifest).to_bytes(4, "little")
    return (
        container.MAGIC
        + sender
        + keys.sign(container.CONTEXT + sender + length + manifest)
        + length
        + manifest
        + arrays
    )


def resigned(scene: Scene, change: Callable[[dict[str, Any]], None], arrays: bytes | None = None) -> Path:
    """A's bundle with a changed manifest, signed by A and sealed for B."""
    inner = inner_bytes(scene.bundle, scene.b.own.keys)
    size = int.from_bytes(inner[104:108], "little")
    plain = json.loads(inner[108 : 108 + size])
    change(plain)
    rest = inner[108 + size :] if arrays is None else arrays
    return reseal(scene.folder / "changed.pprl", signed(scene.a.own.keys, strict.dumps(plain), rest), scene.b)


def test_the_untouched_bundle_is_accepted(scene: Scene) -> None:
    assert open_at_b(scene).rows == 60


@pytest.mark.parametrize("content", [b"", b"id,name\n1,ANNA\n", b"PK\x03\x04", bytes(200), b"{}"])
def test_another_file_is_not_a_bundle_of_this_program(scene: Scene, content: bytes) -> None:
    scene.bundle.write_bytes(content)
    with refused(scene, "not a file of this program"):
        open_at_b(scene)


def test_an_age_file_with_other_content_is_not_a_bundle(scene: Scene) -> None:
    with refused(scene, "not a file of this program"):
        open_at_b(scene, reseal(scene.bundle, b"hello" * 100, scene.b))


def test_a_file_of_a_newer_version_says_so(scene: Scene) -> None:
    inner = bytearray(inner_bytes(scene.bundle, scene.b.own.keys))
    inner[7] = 2
    with refused(scene, "newer version", place="version"):
        open_at_b(scene, reseal(scene.folder / "new.pprl", bytes(inner), scene.b))
    scene.bundle.write_bytes(b"age-encryption.org/v2\n" + bytes(100))
    with refused(scene, "newer version"):
        open_at_b(scene)


def test_a_bundle_for_another_key_is_refused(scene: Scene, strangers: Callable[[str], Party]) -> None:
    other = strangers("Other Registry")
    with refused(scene, "for a different key", place="recipient"):
        open_at_b(scene, reseal(scene.bundle, b"PPRLB", other))


@pytest.mark.parametrize("where", [0.3, 0.6, 0.999])
def test_an_altered_bundle_is_damaged(scene: Scene, where: float) -> None:
    data = bytearray(scene.bundle.read_bytes())
    data[int(len(data) * where)] ^= 1
    scene.bundle.write_bytes(data)
    with refused(scene, "damaged or altered in transit"):
        open_at_b(scene)


def test_a_truncated_and_an_extended_bundle_are_damaged(scene: Scene) -> None:
    whole = scene.bundle.read_bytes()
    for data in (whole[:-1], whole[: len(whole) // 2], whole + b"x"):
        scene.bundle.write_bytes(data)
        with refused(scene, "damaged or altered in transit"):
            open_at_b(scene)


def test_a_bundle_signed_by_a_stranger_is_refused(scene: Scene, strangers: Callable[[str], Party]) -> None:
    stranger = strangers("Stranger")
    manifest, arrays = plain_of(scene)
    forged = replace(manifest, sender=stranger.own.keys.public().party)
    seal.seal(scene.bundle, forged, arrays, stranger.own.keys, scene.b.own.keys.public())
    with refused(scene, "not from the partner in this agreement", place="sender"):
        open_at_b(scene)


def test_a_forged_signature_is_refused(scene: Scene) -> None:
    inner = bytearray(inner_bytes(scene.bundle, scene.b.own.keys))
    inner[50] ^= 1
    with refused(scene, "not from the partner in this agreement"):
        open_at_b(scene, reseal(scene.bundle, bytes(inner), scene.b))


def test_a_bundle_from_a_withdrawn_contact_is_refused(scene: Scene) -> None:
    scene.b.home.keep_contact(scene.b.partner.with_state("withdrawn", "left the project"))
    with refused(scene, "not from the partner in this agreement"):
        open_at_b(scene)


def test_another_known_contact_cannot_write_into_this_agreement(
    scene: Scene, strangers: Callable[[str], Party]
) -> None:
    third = strangers("Third Hospital")
    introduce(scene.b, third)
    manifest, arrays = plain_of(scene)
    forged = replace(manifest, sender=third.own.keys.public().party)
    seal.seal(scene.bundle, forged, arrays, third.own.keys, scene.b.own.keys.public())
    with refused(scene, "not from the partner in this agreement"):
        open_at_b(scene)


def test_a_forwarded_bundle_is_refused(scene: Scene, strangers: Callable[[str], Party]) -> None:
    """B passes A's bundle on to C, who knows A too: the inner signature is A's, but it was written for B."""
    third = strangers("Third Hospital")
    introduce(scene.a, third)
    path = reseal(scene.folder / "forwarded.pprl", inner_bytes(scene.bundle, scene.b.own.keys), third)
    before = everything(third.home.path)
    with pytest.raises(Problem, match="written for someone else and passed on"):
        inbox.open_file(third.home, third.own, path)
    assert everything(third.home.path) == before


def test_a_replay_is_refused(scene: Scene) -> None:
    open_at_b(scene)
    with refused(scene, "already imported", place="sequence"):
        open_at_b(scene)


def test_a_replay_sealed_anew_is_refused(scene: Scene) -> None:
    open_at_b(scene)
    again = reseal(scene.folder / "again.pprl", inner_bytes(scene.bundle, scene.b.own.keys), scene.b)
    with refused(scene, "already imported"):
        open_at_b(scene, again)


def test_files_out_of_sequence_are_refused(scene: Scene) -> None:
    export(scene.a.home, scene.a.own, scene.a.agreement, people(0, 70), scene.folder / "a2.pprl")
    with refused(scene, "wrong sequence", "File 1 comes next", "Open file 1 of General Hospital first"):
        open_at_b(scene, scene.folder / "a2.pprl")
    open_at_b(scene)
    open_at_b(scene, scene.folder / "a2.pprl")


def test_a_second_file_with_an_old_number_is_refused(scene: Scene) -> None:
    shutil.copytree(scene.a.home.path, scene.folder / "before")
    open_at_b(scene)
    with refused(scene, "wrong sequence", "another file 1 was opened here before"):
        open_at_b(scene, resigned(scene, lambda plain: plain.update(made="2026-01-01T00:00:00Z")))


def test_a_file_that_follows_another_one_than_was_opened_is_not_called_a_second_one(scene: Scene) -> None:
    open_at_b(scene)
    with refused(scene, "wrong sequence", "follows another file 1 of General Hospital", "propose a new one"):
        open_at_b(scene, resigned(scene, lambda plain: plain.update(sequence=2, previous="ab" * 32)))


def test_a_file_without_a_number_is_malformed(scene: Scene) -> None:
    with refused(scene, "malformed: sequence", place="sequence"):
        open_at_b(scene, resigned(scene, lambda plain: plain.update(sequence=0)))


def test_a_bundle_of_another_agreement_is_refused(scene: Scene) -> None:
    with refused(scene, "belongs to another agreement", place="agreement"):
        open_at_b(scene, resigned(scene, lambda plain: plain.update(agreement="ab" * 32)))


def test_a_bundle_of_an_earlier_agreement_does_not_fit_a_later_one(scene: Scene) -> None:
    """Same partner, two agreements: the bundle of the first, relabelled, does not fit the second's chain or terms."""
    second = agree(scene.a, scene.b, scene.folder, offer(fields=offer().fields[:2]))
    with refused(scene, "does not fit the agreement"):
        open_at_b(scene, resigned(scene, lambda plain: plain.update(agreement=second.id)))


def test_a_bundle_larger_than_agreed_is_refused(scene: Scene) -> None:
    def grow(plain: dict[str, Any]) -> None:
        plain["body"]["rows"] = 1001

    with refused(scene, "larger than agreed", "1,001 rows", place="limits"):
        open_at_b(scene, resigned(scene, grow))


@pytest.mark.parametrize(
    ("place", "value"),
    [("method", "simhash"), ("epsilon", "2"), ("rows", -1), ("rows", "60"), ("parts", []), ("parts", "x")],
)
def test_a_bundle_that_does_not_fit_names_the_field(scene: Scene, place: str, value: object) -> None:
    with refused(scene, "first_name" if value == [] else place):
        open_at_b(scene, resigned(scene, lambda plain: plain["body"].update({place: value})))


def test_a_missing_and_an_unknown_entry_are_named(scene: Scene) -> None:
    with refused(scene, "malformed: made"):
        open_at_b(scene, resigned(scene, lambda plain: plain.pop("made")))
    with refused(scene, "malformed: unknown entry"):
        open_at_b(scene, resigned(scene, lambda plain: plain.update(surprise=1)))


# ---- bombs and tricks of a partner who signs rightly


def test_a_shape_bomb_is_refused_before_anything_is_allocated(scene: Scene) -> None:
    def bomb(plain: dict[str, Any]) -> None:
        plain["entries"][0].update(shape=[(1 << 31) - 1, 1 << 20], codec="zstd")

    with refused(scene, "larger than agreed"):
        open_at_b(scene, resigned(scene, bomb))


def test_a_shape_that_no_table_has_is_malformed(scene: Scene) -> None:
    for shape in ([], [1, 2, 3], [-1, 16], [1 << 40, 16], ["1", 16]):
        with refused(scene, "entries[0].shape"):
            open_at_b(scene, resigned(scene, lambda plain, s=shape: plain["entries"][0].update(shape=s)))


def zstd_entry(scene: Scene, packed: bytes, rows: int) -> Path:
    """A bundle whose pseudonyms are replaced by any zstd bytes."""

    def change(plain: dict[str, Any]) -> None:
        entry = plain["entries"][0]
        assert entry["name"] == "pseudonyms"
        entry.update(shape=[rows, 16], codec="zstd", bytes=len(packed))
        plain["body"]["rows"] = rows

    inner = inner_bytes(scene.bundle, scene.b.own.keys)
    size = int.from_bytes(inner[104:108], "little")
    first = json.loads(inner[108 : 108 + size])["entries"][0]["bytes"]
    return resigned(scene, change, packed + inner[108 + size + first :])


def test_a_zstd_bomb_is_refused(scene: Scene) -> None:
    """16 GB of zeros in half a megabyte, where 960 bytes were announced."""
    block = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 24))
    bomb = block * 64
    with refused(scene, "malformed"):
        open_at_b(scene, resigned_first(scene, bomb))


def resigned_first(scene: Scene, packed: bytes) -> Path:
    """Only the stored bytes of the first array change; its announced shape stays true to the agreement."""

    def change(plain: dict[str, Any]) -> None:
        plain["entries"][0].update(codec="zstd", bytes=len(packed))

    inner = inner_bytes(scene.bundle, scene.b.own.keys)
    size = int.from_bytes(inner[104:108], "little")
    first = json.loads(inner[108 : 108 + size])["entries"][0]["bytes"]
    return resigned(scene, change, packed + inner[108 + size + first :])


def test_zstd_with_a_huge_window_is_refused(scene: Scene) -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=27)
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    packed = stream.compress(bytes(960)) + stream.flush()
    with refused(scene, "malformed: entries.pseudonyms"):
        open_at_b(scene, resigned_first(scene, packed))


@pytest.mark.parametrize(
    "packed", [b"", b"garbage", zstandard.compress(bytes(100)), zstandard.compress(bytes(960))[:-3]]
)
def test_wrong_zstd_is_refused(scene: Scene, packed: bytes) -> None:
    with refused(scene, "malformed: entries.pseudonyms"):
        open_at_b(scene, resigned_first(scene, packed))


def raw_manifest(scene: Scene, change: Callable[[bytes], bytes]) -> Path:
    inner = inner_bytes(scene.bundle, scene.b.own.keys)
    size = int.from_bytes(inner[104:108], "little")
    manifest = change(inner[108 : 108 + size])
    return reseal(scene.folder / "raw.pprl", signed(scene.a.own.keys, manifest, inner[108 + size :]), scene.b)


def test_duplicate_json_keys_are_refused(scene: Scene) -> None:
    with refused(scene, "malformed: manifest", "A key stands in it twice."):
        open_at_b(
            scene, raw_manifest(scene, lambda text: text.replace(b'"kind":"data"', b'"kind":"data","kind":"data"'))
        )


@pytest.mark.parametrize(
    "number", [b"NaN", b"Infinity", b"-Infinity", b"1.0", b"1e3", b"9" * 5000, b"9" * 19, b"true", b"null"]
)
def test_nan_floats_and_huge_numbers_are_refused(scene: Scene, number: bytes) -> None:
    with refused(scene, "malformed"):
        open_at_b(scene, raw_manifest(scene, lambda text: text.replace(b'"sequence":1', b'"sequence":' + number)))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b":", b": ", 1),
        lambda text: text + b" ",
        lambda text: text.replace(b"data", b"\\u0064ata", 1),
        lambda text: b"[" * 100_000,
        lambda text: b'{"a":' * 100_000,
        lambda text: text.replace(b"data", b"\\ud800", 1),
        lambda text: b"\xff\xfe",
        lambda text: b'"text"',
        lambda text: b"[1]",
        lambda text: b"",
    ],
)
def test_json_written_in_another_way_is_refused(scene: Scene, change: Callable[[bytes], bytes]) -> None:
    with refused(scene, "malformed: manifest"):
        open_at_b(scene, raw_manifest(scene, change))


@pytest.mark.parametrize(
    "name", ["../../x", "..\\..\\x", "/etc/passwd", "C:\\x", "a/b", "", ".", "x" * 65, "a\0b", "CON\n"]
)
def test_a_name_like_a_path_is_refused(scene: Scene, name: str) -> None:
    with refused(scene, "entries[0].name"):
        open_at_b(scene, resigned(scene, lambda plain: plain["entries"][0].update(name=name)))


def test_two_arrays_of_one_name_are_refused(scene: Scene) -> None:
    with refused(scene, "malformed: entries"):
        open_at_b(scene, resigned(scene, lambda plain: plain["entries"][1].update(name="pseudonyms")))


def test_an_unknown_type_of_array_is_refused(scene: Scene) -> None:
    for change in ({"dtype": "object"}, {"dtype": "float64"}, {"codec": "pickle"}, {"sha256": "00"}, {"bytes": -1}):
        with refused(scene, "entries[0]."):
            open_at_b(scene, resigned(scene, lambda plain, c=change: plain["entries"][0].update(c)))


def altered_arrays(scene: Scene, change: Callable[[dict[str, np.ndarray]], None]) -> Path:
    """A's bundle with other arrays, hashed and signed rightly."""
    manifest, arrays = plain_of(scene)
    copies = {name: array.copy() for name, array in arrays.items()}
    change(copies)
    seal.seal(scene.folder / "altered.pprl", manifest, copies, scene.a.own.keys, scene.b.own.keys.public())
    return scene.folder / "altered.pprl"


def test_a_row_that_points_nowhere_is_refused(scene: Scene) -> None:
    for value in (60, 1 << 30, -2):
        with refused(scene, "malformed: part0.rows"):
            open_at_b(scene, altered_arrays(scene, lambda arrays, v=value: arrays["part0.rows"].__setitem__(3, v)))


def test_pseudonyms_that_stand_twice_are_refused(scene: Scene) -> None:
    with refused(scene, "malformed: pseudonyms"):
        open_at_b(
            scene, altered_arrays(scene, lambda arrays: arrays["pseudonyms"].__setitem__(1, arrays["pseudonyms"][0]))
        )


def test_content_that_is_not_what_the_manifest_says_is_refused(scene: Scene) -> None:
    with refused(scene, "malformed: entries.pseudonyms"):
        open_at_b(scene, resigned(scene, lambda plain: plain["entries"][0].update(sha256="00" * 32)))


def test_missing_extra_and_other_arrays_are_refused(scene: Scene) -> None:
    for change in (
        lambda arrays: arrays.pop("pseudonyms"),
        lambda arrays: arrays.update(more=np.zeros(3, np.uint8)),
        lambda arrays: arrays.update({"part0.values": np.zeros((61, 128), np.uint8)}),
        lambda arrays: arrays.update({"part0.rows": np.zeros(60, np.int64)}),
        lambda arrays: arrays.update({"part0.values": np.zeros((5, 127), np.uint8)}),
        lambda arrays: arrays.pop("part0.values"),
    ):
        with refused(scene, "malformed"):
            open_at_b(scene, altered_arrays(scene, change))


def test_a_manifest_that_names_other_senders_is_refused(scene: Scene) -> None:
    with refused(scene, "malformed: from"):
        open_at_b(scene, resigned(scene, lambda plain: plain["from"].update(seal="00" * 32)))


def test_nothing_is_opened_under_an_agreement_not_in_force(scene: Scene) -> None:
    inbox.end(scene.b.home, scene.b.agreement, "the ethics board said no")
    with refused(scene, "not in force", "the ethics board said no"):
        open_at_b(scene)


DAY = "2026-03-01T10:00:00Z"


def test_every_refusal_is_three_sentences() -> None:
    made = [
        refusals.not_a_bundle(), refusals.newer_version(), refusals.other_key(), refusals.damaged(),
        refusals.not_from_partner(), refusals.passed_on(), refusals.already_imported(),
        refusals.wrong_sequence("A", DAY, (0, ""), 2),
        refusals.wrong_sequence("A", DAY, (3, DAY), 5), refusals.wrong_sequence("A", DAY, (2, DAY), 1),
        refusals.wrong_sequence("A", DAY, (2, DAY), 3), refusals.lost_sent("A", 1), refusals.lost_sent("A", 0),
        refusals.lost_received("A", 1, missing=True), refusals.lost_own("0001-data.map", missing=False),
        refusals.malformed("x"), refusals.larger_than_agreed("rows", 2, 1),
        refusals.other_agreement(), refusals.does_not_fit("x", "Because."),
    ]  # fmt: skip
    for problem in made:
        assert str(problem.what).endswith(".")
        assert str(problem.why).endswith(".")
        assert str(problem.do).endswith(".")
        assert problem.place
        assert "accept anyway" not in str(problem.sentence()).lower()
