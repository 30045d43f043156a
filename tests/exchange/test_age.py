"""The age format on its own: what is written is read back, and everything else is refused."""

from __future__ import annotations

import base64
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.exchange import age, bech32

X25519 = age.X25519Identity(bytes(range(32)))
HYBRID = age.HybridIdentity(bytes(range(32, 64)))
SIZES = [0, 1, age.CHUNK - 1, age.CHUNK, age.CHUNK + 1, 2 * age.CHUNK, 3 * age.CHUNK + 17]


def sealed(data: bytes, recipient: age.Recipient, *, step: int = 1 << 20) -> bytes:
    out = io.BytesIO()
    writer = age.encrypt(out, recipient)
    for at in range(0, len(data), step):
        writer.write(data[at : at + step])
    writer.close()
    return out.getvalue()


def opened(data: bytes, *identities: age.Identity) -> bytes:
    reader = age.decrypt(io.BytesIO(data), identities)
    found = bytearray()
    while part := reader.read(50_000):
        found += part
    assert not reader.read(1)
    return bytes(found)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("identity", [X25519, HYBRID], ids=["x25519", "hybrid"])
def test_what_is_sealed_is_opened(size: int, identity: age.X25519Identity | age.HybridIdentity) -> None:
    data = bytes(i * 7 & 255 for i in range(size))
    assert opened(sealed(data, identity.recipient()), identity) == data


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([0, 1, 1000, age.CHUNK - 1, age.CHUNK, age.CHUNK + 1, 150_000]), max_size=5))
def test_it_does_not_matter_how_it_was_written(pieces: list[int]) -> None:
    out = io.BytesIO()
    writer = age.encrypt(out, X25519.recipient())
    for size in pieces:
        writer.write(bytes(size))
    writer.close()
    assert opened(out.getvalue(), X25519) == bytes(sum(pieces))


@pytest.mark.parametrize("size", SIZES)
def test_the_size_of_the_content_follows_from_the_size_of_the_file(size: int) -> None:
    out = io.BytesIO()
    writer = age.encrypt(out, X25519.recipient())
    header = len(out.getvalue())
    writer.write(bytes(size))
    writer.close()
    assert age.plain_size(len(out.getvalue()) - header) == size


def test_a_passphrase_opens_what_it_sealed() -> None:
    one = age.Passphrase(b"correct horse", work_factor=4)
    data = sealed(b"text", one)
    assert opened(data, one) == b"text"
    with pytest.raises(age.NoMatch):
        opened(data, age.Passphrase(b"wrong"))
    with pytest.raises(age.NoMatch):
        opened(data, X25519, HYBRID)


def test_the_right_identity_among_several_is_found() -> None:
    data = sealed(b"text", HYBRID.recipient())
    assert opened(data, age.Passphrase(b"x"), X25519, age.HybridIdentity(bytes(32)), HYBRID) == b"text"
    with pytest.raises(age.NoMatch):
        opened(data, X25519, age.HybridIdentity(bytes(32)))
    with pytest.raises(age.NoMatch):
        opened(sealed(b"text", X25519.recipient()), HYBRID, age.X25519Identity(bytes(range(1, 33))))


def test_without_its_end_a_file_is_refused() -> None:
    out = io.BytesIO()
    writer = age.encrypt(out, X25519.recipient())
    writer.write(bytes(3 * age.CHUNK))
    with pytest.raises(age.PayloadError):
        opened(out.getvalue(), X25519)


@pytest.mark.parametrize("size", [0, 5, age.CHUNK, age.CHUNK + 5])
def test_a_cut_an_extension_and_a_changed_byte_are_refused(size: int) -> None:
    data = sealed(bytes(size), X25519.recipient())
    for wrong in (data[:-1], data + b"\0", data[:-1] + bytes([data[-1] ^ 1]), data[: -age.TAG - size]):
        with pytest.raises(age.PayloadError):
            opened(wrong, X25519)


def test_an_empty_last_chunk_is_refused() -> None:
    """Written by hand: a full chunk that is not the last, then an empty last one."""
    out = io.BytesIO()
    writer = age.encrypt(out, X25519.recipient())
    writer._chunk(bytearray(age.CHUNK), last=False)
    writer._chunk(bytearray(), last=True)
    with pytest.raises(age.PayloadError):
        opened(out.getvalue(), X25519)


def parts() -> tuple[list[bytes], bytes]:
    """The header of a small file by lines, and its payload."""
    data = sealed(b"text", X25519.recipient())
    head, _, rest = data.partition(b"\n---")
    return head.split(b"\n"), b"---" + rest


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (0, b"age-encryption.org/v1\r"), (0, b"something else"), (0, b""),
        (1, b"X25519 abc"), (1, b"->X25519 abc"), (1, b"-> "), (1, b"-> X25519  abc"), (1, b"-> X25519 \x7f"),
        (1, b"-> X25519 AAAA"), (1, b"-> X25519 !!!!"), (1, b"-> X25519 A"),
        (1, b"-> X25519 " + b"A" * 42 + b"B"), (1, b"-> X25519"), (1, b"-> X25519 " + b"A" * 43 + b" more"),
        (1, b"-> X25519 " + b"A" * 43), (2, b"A" * 42), (2, b"A" * 65), (2, b"A" * 64),
        (1, b"-> X25519 " + b"A" * 5000), (2, b"=" * 43),
    ],
)  # fmt: skip
def test_a_header_that_breaks_the_format_is_refused(line: int, text: bytes) -> None:
    lines, rest = parts()
    lines[line] = text
    with pytest.raises((age.HeaderError, age.NotAge)):
        opened(b"\n".join(lines) + b"\n" + rest, X25519)


@pytest.mark.parametrize(
    "end",
    [
        b"---\n",
        b"---x" + b"A" * 43 + b"\n",
        b"--- " + b"A" * 43,
        b"--- " + b"A" * 42 + b"\n",
        b"--- " + b"A" * 43 + b"\n" + bytes(50),
        b"",
    ],
)
def test_a_wrong_end_of_the_header_is_refused(end: bytes) -> None:
    lines, _ = parts()
    with pytest.raises(age.HeaderError):
        opened(b"\n".join(lines) + b"\n" + end, X25519)


def test_a_header_without_stanza_or_nonce_is_refused() -> None:
    lines, rest = parts()
    with pytest.raises(age.HeaderError):
        opened(lines[0] + b"\n" + rest, X25519)
    with pytest.raises(age.HeaderError):
        opened(b"\n".join(lines) + b"\n" + rest.partition(b"\n")[0] + b"\n" + bytes(5), X25519)


def test_an_endless_header_is_refused() -> None:
    many = b"age-encryption.org/v1\n" + b"-> x\n\n" * 50_000
    long = b"age-encryption.org/v1\n-> x\n" + (b"A" * 64 + b"\n") * 5_000
    for data in (many, long):
        with pytest.raises(age.HeaderError, match="too long"):
            opened(data, X25519)


def test_another_version_is_told_apart_from_another_format() -> None:
    with pytest.raises(age.NewerAge):
        opened(b"age-encryption.org/v9\nwhatever", X25519)
    with pytest.raises(age.NotAge):
        opened(b"age-encryption.org/v9", X25519)


def test_a_passphrase_stanza_must_stand_alone() -> None:
    lines, rest = parts()
    extra = [b"-> scrypt " + b"A" * 22 + b" 10", b"A" * 43]
    with pytest.raises(age.HeaderError):
        opened(b"\n".join([*lines, *extra]) + b"\n" + rest, X25519)


@pytest.mark.parametrize("factor", ["0", "01", "+1", "21", "99999", "1a", ""])
def test_a_wrong_work_factor_is_refused(factor: str) -> None:
    stanza = age.Stanza("scrypt", ("A" * 22, factor), bytes(32))
    with pytest.raises(age.HeaderError):
        age.Passphrase(b"x").unwrap(stanza)


def test_shares_of_low_order_are_refused() -> None:
    zero = base64.b64encode(bytes(32)).rstrip(b"=").decode()
    with pytest.raises(age.HeaderError):
        X25519.unwrap(age.Stanza("X25519", (zero,), bytes(32)))
    both = base64.b64encode(bytes(age.MLKEM_CIPHERTEXT + 32)).rstrip(b"=").decode()
    with pytest.raises(age.HeaderError):
        HYBRID.unwrap(age.Stanza("mlkem768x25519", (both,), bytes(32)))


def test_secrets_are_not_in_the_repr() -> None:
    shown = repr([X25519, HYBRID, age.Passphrase(b"correct horse"), age.Stanza("x", (), b"body")])
    assert "horse" not in shown
    assert "body" not in shown
    assert "x1f" not in shown


def test_bech32_round_trip_and_faults() -> None:
    for data in (b"", bytes(32), bytes(range(256))):
        assert bech32.decode(bech32.encode("age", data)) == ("age", data)
        assert bech32.decode(bech32.encode("age-secret-key-", data).upper()) == ("age-secret-key-", data)
    text = bech32.encode("age", bytes(32))
    for wrong in (text[:-1] + "q", text.upper()[:10] + text[10:], "age", "1qqqqqq", "age1b", text[:4] + "b" + text[5:]):
        with pytest.raises(ValueError, match=r"."):
            bech32.decode(wrong)


def test_bech32_with_wrong_padding_is_refused() -> None:
    values = [0, 0, 1]  # 15 bits: one byte and seven bits that should be fewer
    check = bech32._polymod(bech32._expand("age") + values + [0] * 6) ^ 1
    text = "age1" + "".join(bech32._ALPHABET[v] for v in [*values, *((check >> 5 * (5 - i)) & 31 for i in range(6))])
    with pytest.raises(ValueError, match="padding"):
        bech32.decode(text)
