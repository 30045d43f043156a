"""Identities, cards, contacts, safety numbers, backups and passphrases."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pprl_desktop.exchange import (
    card,
    contacts,
    curve,
    identity,
    strict,
    words,
)
from pprl_desktop.exchange.home import Home, default_home
from pprl_desktop.exchange.keys import Keys, unsound
from pprl_desktop.exchange.names import alike
from pprl_desktop.exchange.passphrase import Cost, strength
from pprl_desktop.problem import Problem

from .conftest import CHEAP, PASSPHRASE, Party, Scene, everything, introduce, make_party, new

# the points whose order divides 8, RFC 7748 and "Taming the many EdDSAs" (Chalkias et al. 2020, table 6)
SMALL_ORDER = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
]
NOT_CANONICAL = [
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]
NOT_ON_THE_CURVE = ["0200000000000000000000000000000000000000000000000000000000000000"]


@pytest.mark.parametrize("key", SMALL_ORDER + NOT_CANONICAL + NOT_ON_THE_CURVE + ["00" * 31])
def test_unsound_signing_keys_are_refused(key: str) -> None:
    assert not curve.is_sound(bytes.fromhex(key))


def test_a_key_with_a_small_part_is_refused() -> None:
    """A sound key plus a point of order two: not of the prime order any more."""
    sound = curve._decode(Keys.new().public().sign)
    assert sound is not None
    x, y, z, _ = curve._add(sound, (0, curve._P - 1, 1, 0))
    inverse = pow(z, -1, curve._P)
    x, y = x * inverse % curve._P, y * inverse % curve._P
    assert not curve.is_sound((y | (x & 1) << 255).to_bytes(32, "little"))


def test_our_keys_are_sound() -> None:
    assert all(curve.is_sound(Keys.new().public().sign) for _ in range(20))
    assert not unsound(Keys.new().public())


def hostile_card(keys: Keys, **changes: object) -> bytes:
    """A card with other values, signed rightly where it can be."""
    plain = json.loads(card.write(keys, "Some Hospital"))
    del plain["signature"]
    plain |= changes
    return strict.dumps({**plain, "signature": keys.sign(b"pprl-card/v1\0" + strict.dumps(plain)).hex()}) + b"\n"


@pytest.mark.parametrize("key", SMALL_ORDER + NOT_CANONICAL)
def test_a_card_with_an_unsound_signing_key_is_refused(key: str) -> None:
    with pytest.raises(Problem, match="must not be used"):
        card.read(hostile_card(Keys.new(), sign=key))


@pytest.mark.parametrize("changes", [{"x25519": "00" * 32}, {"hybrid": "00" * 1216}, {"hybrid": "ff" * 1216}])
def test_a_card_with_an_unsound_encryption_key_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(Problem, match="must not be used"):
        card.read(hostile_card(Keys.new(), **changes))


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "not a file of this program"),
        (b"name,key\n", "not a file of this program"),
        (b'{"format":"pprl-card"', "malformed: card"),
        (b'{"about":"pprl-card"}', "not a file of this program"),
        (hostile_card(Keys.new(), version=2), "newer version"),
        (hostile_card(Keys.new(), sign="00"), "malformed: sign"),
        (hostile_card(Keys.new(), name=""), "malformed: name"),
        (hostile_card(Keys.new(), name=" x"), "malformed: name"),
        (hostile_card(Keys.new(), name="evil\u202etxt"), "malformed: name"),
        (hostile_card(Keys.new(), name="x" * 81), "malformed: name"),
        (hostile_card(Keys.new(), more="x"), "malformed: unknown entry"),
        (hostile_card(Keys.new(), sign=Keys.new().public().sign.hex()), "damaged or altered"),
    ],
)
def test_other_wrong_cards_are_refused(data: bytes, word: str) -> None:
    with pytest.raises(Problem, match=word):
        card.read(data)


def test_a_card_file_too_long_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(bytes(card.MAX_CARD + 1))
    with pytest.raises(Problem, match="not a file of this program"):
        card.read_file(tmp_path / "x")


def test_a_name_like_a_path_stays_a_name(tmp_path: Path) -> None:
    """Files at home are named by keys, never by what a partner calls itself."""
    here = make_party(tmp_path / "home", "General Hospital")
    contact = contacts.new(card.write(Keys.new(), "../../x"))
    here.home.keep_contact(contact)
    assert here.home.contact("../../x").id == contact.id
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]


def test_the_safety_number_is_the_same_on_both_sides() -> None:
    a, b, c = (Keys.new().public() for _ in range(3))
    number = card.safety_number(a, b)
    assert number == card.safety_number(b, a)
    assert number != card.safety_number(a, c)
    assert len(number.words) == 12
    assert len(number.digits.split()) == 12
    assert number.is_same(number.as_text().upper().replace(" ", ", "))
    assert number.is_same(number.digits.replace(" ", ""))
    assert not number.is_same(" ".join(number.words[::-1]))
    assert not number.is_same("")


def test_words_differ_in_at_least_two_sounds() -> None:
    made = [words.sounds(number) for number in range(words.COUNT)]
    by_four: dict[tuple[int, ...], set[int]] = {}
    assert len(set(words.words())) == words.COUNT
    for sounds, number in zip(made, range(words.COUNT), strict=True):
        for left_out in range(5):
            key = (left_out, *(sound for at, sound in enumerate(sounds) if at != left_out))
            by_four.setdefault(key, set()).add(number)
    assert all(len(numbers) == 1 for numbers in by_four.values())


@given(st.integers(0, (1 << 132) - 1))
def test_words_carry_a_number(number: int) -> None:
    assert words.decode(" ".join(words.encode(number, 12)), 12) == number


def test_wrong_words_are_named() -> None:
    with pytest.raises(Problem, match=r"Word 2 is not .* Did you mean"):
        words.decode(f"babaf {words.words()[5][:-1]}q", 2)
    with pytest.raises(Problem, match="Word 1"):
        words.decode("qqqqqqqqq", 1)
    with pytest.raises(Problem, match="3 words are needed, 1"):
        words.decode("babaf", 3)


def test_a_contact_is_verified_only_with_the_right_number(scene: Scene, strangers: Callable[[str], Party]) -> None:
    other = strangers("Other")
    introduce(scene.a, other, verify=False)
    contact = scene.a.home.contact("other")
    assert contact.state == "unverified"
    wrong = contacts.number_with(scene.a.own.card(), scene.a.home.contact("Cancer Registry")).as_text()
    with pytest.raises(Problem, match="safety numbers differ"):
        contacts.verified(contact, scene.a.own.card(), wrong)
    with pytest.raises(Problem, match="not verified"):
        contacts.must_be_verified(contact)
    right = contacts.number_with(other.own.card(), new(scene.a)).digits
    assert contacts.verified(contact, scene.a.own.card(), right).state == "verified"


def test_a_withdrawn_contact_is_neither_verified_nor_used(scene: Scene) -> None:
    contact = scene.a.partner.with_state("withdrawn", "Left.")
    for action in (
        lambda: contacts.verified(contact, scene.a.own.card(), "x"),
        lambda: contacts.must_be_verified(contact),
    ):
        with pytest.raises(Problem, match=r"withdrawn.*Left"):
            action()


def test_contacts_are_found_by_name_or_id(scene: Scene) -> None:
    twin = contacts.new(card.write(Keys.new(), "Cancer Registry"))
    known = [scene.a.partner, twin]
    assert contacts.find(known, twin.id[:8]) == twin
    with pytest.raises(Problem, match="Several contacts fit"):
        contacts.find(known, "cancer registry")
    assert contacts.find([scene.a.partner, twin.with_state("withdrawn")], "Cancer Registry") == scene.a.partner
    with pytest.raises(Problem, match="no such contact"):
        contacts.find(known, "nobody")
    assert contacts.read(twin.write()) == twin


# ---- the key file


def test_the_key_opens_with_its_passphrase_only() -> None:
    made = identity.new("General Hospital")
    data = identity.lock(made, PASSPHRASE, CHEAP)
    assert identity.unlock(data, PASSPHRASE) == made
    with pytest.raises(Problem, match="does not open the key"):
        identity.unlock(data, PASSPHRASE + "x")
    assert made.keys.sign_seed.hex().encode() not in data


def test_the_default_cost_is_that_of_the_design() -> None:
    assert Cost() == Cost(memory=64 * 1024, passes=3, lanes=4)
    plain = json.loads(identity.lock(identity.new("x"), PASSPHRASE))
    assert plain["kdf"] == {"name": "argon2id", "memory": 65536, "passes": 3, "lanes": 4}


@pytest.mark.parametrize(
    "change",
    [
        {"memory": 1 << 30}, {"passes": 1000}, {"lanes": 100}, {"memory": 1}, {"passes": 0}, {"lanes": 0},
        {"name": "md5"}, {"more": 1}, {"memory": "64"},
    ],
)  # fmt: skip
def test_costs_read_from_a_file_are_capped(change: dict[str, object]) -> None:
    plain = json.loads(identity.lock(identity.new("x"), PASSPHRASE, CHEAP))
    plain["kdf"] |= change
    with pytest.raises(Problem, match=r"malformed: kdf"):
        identity.unlock(strict.dumps(plain), PASSPHRASE)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"version": 2}, "newer"), ({"format": "x"}, "not a file of this program"), ({"salt": "00"}, "salt"),
        ({"sealed": "00" * 40}, "does not open"), ({"name": "Other"}, "does not open"), ({"sealed": "0"}, "sealed"),
    ],
)  # fmt: skip
def test_a_changed_key_file_is_refused(change: dict[str, object], word: str) -> None:
    plain = json.loads(identity.lock(identity.new("x"), PASSPHRASE, CHEAP)) | change
    with pytest.raises(Problem, match=word):
        identity.unlock(strict.dumps(plain), PASSPHRASE)


def test_a_backup_in_words_gives_the_same_keys() -> None:
    made = identity.new("General Hospital")
    told = identity.backup_words(made)
    assert len(told) == 48
    text = "\n".join(" ".join(f"{at + 1}. {word.upper()}" for at, word in enumerate(told)) for _ in range(1))
    assert identity.from_words("General Hospital", text).keys == made.keys
    swapped = list(told)
    first, second = next((i, j) for i, j in itertools.combinations(range(48), 2) if told[i] != told[j])
    swapped[first], swapped[second] = swapped[second], swapped[first]
    with pytest.raises(Problem, match="do not belong together"):
        identity.from_words("x", " ".join(swapped))


def test_an_identity_is_never_overwritten(tmp_path: Path) -> None:
    party = make_party(tmp_path / "h", "A")
    before = everything(party.home.path)
    with pytest.raises(Problem, match="an identity in this home folder already"):
        party.home.create(identity.new("B"), PASSPHRASE, CHEAP)
    assert everything(party.home.path) == before


def test_a_home_without_identity_says_so(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no identity"):
        Home(tmp_path).own_card()


def test_a_lost_card_is_made_again(tmp_path: Path) -> None:
    party = make_party(tmp_path / "h", "A")
    path = party.home.path / "card.pprlcard"
    before = path.read_bytes()
    path.unlink()
    with pytest.raises(Problem, match="card is missing"):
        party.home.own_card()
    party.home.unlock(PASSPHRASE)
    assert path.read_bytes() == before


def test_the_home_folder_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PPRL_HOME", str(tmp_path))
    assert default_home() == tmp_path
    monkeypatch.delenv("PPRL_HOME")
    for platform in ("linux", "darwin", "win32"):
        monkeypatch.setattr("sys.platform", platform)
        assert "pprl" in str(default_home()).lower()


def test_secrets_are_never_in_a_repr() -> None:
    made = identity.new("General Hospital").changed()
    assert len(made.all_keys) == 2
    for keys in made.all_keys:
        for seed in (keys.sign_seed, keys.seal_seed):
            assert repr(seed)[2:-1] not in repr(made)
            assert seed.hex() not in repr(made)


# ---- names on cards


@pytest.mark.parametrize(
    "name",
    [
        "\u3164", "\u2800", "\u115f", "\ufe0f", "\u034f", "\uffa0", "Beta Registry\ufe00", "Beta\u200dRegistry", "...",
        "\u202eyrtsigeR", "Beta\u00a0Registry", "Bet\u0430 Registry", "S\u0555S", "\u13f4ank",
        "\uff22eta", "\U0001d401eta",
        "Z\u0300\u0301\u0302\u0303", "a\nb", "\x1b[2K",
    ],
)  # fmt: skip
def test_a_name_that_does_not_show_as_what_it_is_is_refused(name: str) -> None:
    with pytest.raises(Problem, match="cannot be used"):
        identity.new(name)
    with pytest.raises(Problem, match="malformed: name"):
        contacts.new(card.write(Keys.new(), name))


@pytest.mark.parametrize("sign", "\u10e7\u05e1\u0966\u2d54\u101d\u0665\u0585")
def test_a_letter_of_any_other_alphabet_within_a_word_is_refused(sign: str) -> None:
    """Georgian, Hebrew, Tifinagh, Burmese and more have letters, or digits, that look like an o or a y."""
    with pytest.raises(Problem, match="mixes alphabets"):
        identity.new(f"Registr{sign}")


@pytest.mark.parametrize(
    "name",
    ["Universitätsklinikum Köln", "Медицинский центр", "国立がん研究センター", "St. Mary's (Trust) & Co. 2",
     "Ελλάς Registry", "Bệnh viện Chợ Rẫy",
     "NTT東日本", "Queenʻs Hospital", "Clínica 1ª", "µLab"],
)  # fmt: skip
def test_names_of_real_organisations_are_usable(name: str) -> None:
    assert contacts.new(card.write(Keys.new(), name)).name == identity.new(name).name


def test_names_that_could_be_taken_for_each_other() -> None:
    for one, other in (
        ("Beta Registry", "beta  registry."),
        ("Klinik", "K1inik"),
        ("Beta", "\u0412\u0435\u0442\u0430"),
        ("Bonn", "\u0412\u043e\u043f\u043f"),  # Cyrillic
        ("CIS", "\u2ca4\u2c92\ua4e2"),  # Coptic and Lisu
        ("TOM", "\ua4d4\ua4f3\ua4df"),  # Lisu
        ("EMMA", "\u13ac\u13b7\u13b7\u13aa"),  # Cherokee
        ("Uno", "\u054d\u0578\u0585"),  # Armenian
        ("Cox", "\u03f9\u03bf\u03c7"),  # Greek
        ("Cancer Registry", "Can\u1d04er Registry"),  # small capitals of the phonetic alphabet
        ("Cross Vows", "Cr\u1d0f\ua731\ua731 V\u1d0f\u1d21s"),
        ("Hospital", "Hosp\u0269ta\u01c0"),  # an iota, a click
        ("Beta Registry", "Beta\u02c9 Regis\ua78ctry"),  # strokes that hardly show
        ("Lodz", "\u0141\u00f8d\u017c"),  # a bar or a hook on a letter
        ("Max", "Ma\u00d7"),
    ):
        assert alike(one, other)
    assert not alike("Beta Registry", "Gamma Registry")


def test_a_card_taken_in_before_the_rule_still_opens(scene: Scene) -> None:
    old = contacts.Contact(
        card.read(card.write(Keys.new(), "Beta\u2800"), kept=True), "verified", "2026-01-01T00:00:00Z",
        raw=card.write(Keys.new(), "Beta\u2800"),
    )  # fmt: skip
    scene.b.home.keep_contact(old)
    assert "Beta\u2800" in [one.name for one in scene.b.home.contacts()]


# ---- passphrases


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("short", "too short"), ("password", "weak"), ("password2024", "weak"), ("aaaaaaaaaaaaaaaa", "weak"),
        ("abcdefghijkl", "weak"), ("Tr0ub4dor&3", "fair"), ("correct horse battery staple", "strong"),
        ("kX9!vQ2#pL7$wR4", "strong"),
    ],
)  # fmt: skip
def test_strength_is_judged(text: str, level: str) -> None:
    assert strength(text).level == level
    assert strength(text).sentence


@settings(max_examples=50)
@given(st.text(min_size=8, max_size=40))
def test_strength_is_judged_whatever_is_typed_and_says_its_bits(text: str) -> None:
    judged = strength(text)
    assert 0 <= judged.bits <= 21 * len(text)  # as many as there are characters
    assert f" {judged.bits} bits" in str(judged.sentence)


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(Problem, match="too short"):
        identity.lock(identity.new("x"), "short", CHEAP)
