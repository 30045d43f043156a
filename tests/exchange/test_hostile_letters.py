"""A partner with an own program: every kind of letter, changed inside, signed and sealed as it should be.

The signatures are right, so only what a letter says can give it away. What is accepted is looked at with other eyes:
the words must follow from recipe and cards, arrays must fit each other, nothing may be there that was not agreed.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from pprl_desktop.codes import recipe
from pprl_desktop.exchange import agreeing, bundles, card, clear_cells, inbox, key_change, results, seal, strict, terms
from pprl_desktop.exchange.container import Array
from pprl_desktop.exchange.inbox import Received
from pprl_desktop.exchange.keys import Keys
from pprl_desktop.job.groups import new_group
from pprl_desktop.privacy.statements import statement
from pprl_desktop.project.choices import Choices
from tests.exchange import blinded
from tests.hostility import Tally
from tests.job import parties
from tests.review.test_partner import HERE, THERE, answered, matched, review_offer

from .changed_letters import Post, hostile
from .conftest import Cleaned, Party, agree, introduce, make_party, offer, people, traces
from .test_refusals import reseal, signed

QUICK, FULL = 25, 1500
KINDS = (
    "proposal", "proposal with a reference set", "acceptance", "refusal", "data", "result", "request", "answer",
    "receipt", "key change",
)  # fmt: skip
BLIND = ("blind proposal", "question", "blind answer", "blind result")
GROUP = ("proposal with a group", "group links", "groups")


def as_usual(wanted: agreeing.Offer) -> agreeing.Offer:
    """With the limits that a proposal has unless the steward sets others: what they let through must cost little."""
    return replace(wanted, limits=replace(terms.Limits(), clear=wanted.limits.clear))


@pytest.fixture(scope="session")
def letters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Post]:
    """The whole job between two stewards; each letter is kept before its recipient opens it."""
    folder = tmp_path_factory.mktemp("letters")
    a, b = make_party(folder / "a", "General Hospital"), make_party(folder / "b", "Cancer Registry")
    introduce(a, b)
    made: dict[str, Post] = {}

    def post(kind: str, path: Path, to: Party, sender: Keys, new: Keys | None = None) -> None:
        copied = folder / f"home for {kind}"
        shutil.copytree(to.home.path, copied)
        made[kind] = Post(kind, path, copied, to, sender, new)

    names = folder / "names.csv"
    names.write_text("first,last\n" + "".join(f"{'ABCDEFGHIJ'[i % 10]}NNA{i},MEYER{i}\n" for i in range(30)))
    for kind, wanted in (
        ("proposal", as_usual(review_offer())),
        ("proposal with a reference set", offer(method="split", reference=str(names))),
    ):
        path = folder / f"{kind}.pprl"
        agreeing.propose(a.home, a.own, a.partner, wanted, path)
        post(kind, path, b, a.own.keys)
    proposal = agreeing.read_proposal(b.home, b.own, made["proposal"].path)
    spare = b.moved(folder / "spare")
    agreeing.decline(spare.home, spare.own, proposal, "Too many fields.", folder / "refusal.pprl")
    post("refusal", folder / "refusal.pprl", a, b.own.keys)
    agreeing.accept(b.home, b.own, proposal, folder / "acceptance.pprl")
    post("acceptance", folder / "acceptance.pprl", a, b.own.keys)
    inbox.open_file(a.home, a.own, folder / "acceptance.pprl")
    agreed_a, agreed_b = (
        a.home.agreement(terms.agreement_id(proposal.document)),
        b.home.agreement(terms.agreement_id(proposal.document)),
    )
    bundles.export(b.signed(agreed_b.id), THERE, folder / "data b.pprl")
    received = inbox.open_file(a.home, a.own, folder / "data b.pprl")
    inbox.receipt(a.home, a.own, received, folder / "receipt.pprl")
    post("receipt", folder / "receipt.pprl", b, a.own.keys)
    bundles.export(a.signed(agreed_a.id), HERE, folder / "data.pprl")
    post("data", folder / "data.pprl", b, a.own.keys)
    inbox.open_file(b.home, b.own, folder / "data.pprl")
    matched(a, b)
    results.export(a.signed(agreed_a.id), folder / "result.pprl")
    post("result", folder / "result.pprl", b, a.own.keys)
    inbox.open_file(b.home, b.own, folder / "result.pprl")
    clear_cells.ask(a.signed(agreed_a.id), folder / "request.pprl")
    post("request", folder / "request.pprl", b, a.own.keys)
    inbox.open_file(b.home, b.own, folder / "request.pprl")
    answered(b, folder / "answer.pprl")
    post("answer", folder / "answer.pprl", a, b.own.keys)
    changed = a.moved(folder / "changed")
    own = changed.home.change_key(changed.own, "four unrelated words here")
    key_change.announce(changed.home, own, changed.partner, folder / "key change.pprl")
    post("key change", folder / "key change.pprl", b, a.own.keys, own.keys)
    return made


@pytest.fixture(scope="session")
def blind_letters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Post]:
    """The three files of the method blind, and its proposal."""
    two = blinded.introduced(tmp_path_factory.mktemp("blind letters") / "scene")
    made: dict[str, Post] = {}

    def post(kind: str, path: Path, to: Party, sender: Keys) -> None:
        copied = two.folder.parent / f"home for {kind}"
        shutil.copytree(to.home.path, copied)
        made[kind] = Post(kind, path, copied, to, sender)

    before = two.folder.parent / "before"
    shutil.copytree(two.b.home.path, before)
    blinded.agree(two)
    made["blind proposal"] = Post("blind proposal", two.folder / "proposal.pprl", before, two.b, two.a.own.keys)
    question = two.ask()
    post("question", question, two.b, two.a.own.keys)
    two.open("b", question)
    answer = two.answer()
    post("blind answer", answer, two.a, two.b.own.keys)
    two.open("a", answer)
    two.match()
    post("blind result", two.result(), two.b, two.a.own.keys)
    return made


@pytest.fixture(scope="session")
def group_letters(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Post]:
    """Three parties: links to the one that puts them together, and groups back."""
    folder = tmp_path_factory.mktemp("group letters")
    header, made = ("first_name", "last_name", "born"), {}
    cells = list(zip(*(column.cells() for column in people(0, 60).columns), strict=True))
    tables = [
        parties.write(folder / f"{start}.csv", header, [(a, b, f"{c[:4]}-{c[4:6]}-{c[6:]}") for a, b, c in part])
        for start, part in ((0, cells[:40]), (10, cells[10:50]), (20, cells[20:]))
    ]

    def post(kind: str, path: Path, to: parties.Party, sender: Keys) -> None:
        copied = folder / f"home for {kind}"
        shutil.copytree(to.home.path, copied)
        kept = shutil.copy(path, folder / f"{kind}.pprl")
        made[kind] = Post(kind, Path(kept), copied, Party(to.home, to.own), sender)

    everyone = parties.introduced(folder, tables)
    one, other, _ = everyone
    group = new_group(one.home, "Three registries", [each.name for each in everyone[1:]])
    wanted = as_usual(parties.offer(group))
    spare = parties.copied(one, folder / "spare")  # the letter is kept, the agreement is made anew
    agreeing.propose(spare.home, spare.own, spare.home.contact(other.name), wanted, folder / "spare.pprl")
    post("proposal with a group", folder / "spare.pprl", other, one.own.keys)
    for here, there in itertools.combinations(everyone, 2):
        parties.agree(here, there, wanted, folder)
        parties.link(here, there, folder)
    other.project.send(other.own_table, other.choices, folder / "links.pprl")
    post("group links", folder / "links.pprl", one, other.own.keys)
    one.open(folder / "links.pprl")
    everyone[2].project.send(everyone[2].own_table, everyone[2].choices, folder / "links.pprl")
    one.open(folder / "links.pprl")
    one.project.form(one.own_table, one.choices)
    one.project.tell(other.name, folder / "told.pprl")
    post("groups", folder / "told.pprl", other, one.own.keys)
    return made


# ---- looking at what was accepted


def as_agreed(post: Post, home: Any, own: Any) -> Callable[[Received], str]:
    good, arrays = post.inside()

    def wrong(received: Received) -> str:
        opened = seal.open_sealed(post.path.with_name("hostile.pprl"), [own.keys], [post.sender.public().sign])
        found = opened.manifest.as_plain()
        for name in ("kind", "from", "to", "sequence", "previous"):
            if found[name] != good[name]:
                return f"{name}: {found[name]}"
        if not strict.shows(str(received.sentence)):
            return f"sentence: {received.sentence!r}"
        if received.proposal is not None:
            return proposal_is_wrong(received, home)
        if found["agreement"] != good["agreement"]:
            return "agreement"
        if post.kind == "refusal":
            return "" if strict.shows(found["body"]["reason"]) and set(found["body"]) == set(good["body"]) else "reason"
        if post.kind == "key change":
            new, old = (card.read(one["body"]["card"].encode()) for one in (found, good))
            return "" if (new, found["body"]["proof"]) == (old, good["body"]["proof"]) else f"body: {found['body']}"
        if post.kind in ("acceptance", "receipt"):
            return "" if found["body"] == good["body"] and not found["entries"] else f"body: {found['body']}"
        if post.kind in GROUP:
            return group_is_wrong(post.kind, found["body"], opened.load(), good["body"], arrays)
        return arrays_are_wrong(post.kind, found["body"], opened.load(), good, arrays)

    return wrong


def group_is_wrong(
    kind: str, body: dict[str, Any], found: dict[str, Array], good: dict[str, Any], before: dict[str, Array]
) -> str:
    """Who is in the group, which letter is answered, and that no record or link is named that was not reported."""
    if body["group"] != good["group"] or set(found) != set(before):
        return "group"
    if len({len(found[name]) for name in ("handle", "party" if kind == "group links" else "count")}) != 1:
        return "lengths"
    if kind == "group links":
        with_results = {one["party"] for one in body["agreements"] if one["state"] != "0" * 64}
        if len(with_results) > 2 or not with_results <= {one["party"] for one in good["agreements"]}:
            return "parties"
        if len({(int(at), link.tobytes()) for at, link in zip(found["party"], found["link"], strict=True)}) != len(
            found["link"]
        ):
            return "a link twice"
        return "" if all(-400 <= one <= 400 or one == 1 << 20 for one in found["weight"].tolist()) else "weight"
    if body["links"] != good["links"]:
        return "links"
    doubted = {link.tobytes() for link in found["doubt"]}
    if not {one.tobytes() for one in found["handle"]} <= {one.tobytes() for one in before["handle"]} and not doubted:
        return "a handle that was in no group"
    if (found["count"].sum(axis=1) < 2).any() or (found["count"] > 1).any():
        return "count"
    return "" if len(doubted) == len(found["doubt"]) and (found["reason"] < 2).all() else "doubt"


def proposal_is_wrong(received: Received, home: Any) -> str:
    proposal = received.proposal
    assert proposal is not None
    found = proposal.terms
    complete = agreeing.recipe(found, proposal.secret, proposal.reference)
    if found.statement != statement(complete, found.limits.rows).text():
        return "statement"
    if (found.proposer.name, found.accepter.name) != (received.contact.name, home.own_card().name):
        return "names"
    if not all(strict.shows(str(line)) for line in proposal.in_words()):
        return "words"
    settings = found.settings
    if not (settings.fold <= 4 and 8 <= settings.bits <= 1 << 15 and 0 <= settings.decoys <= found.limits.rows):
        return "settings"
    if found.settings.epsilon is not None and (not found.unit or not 1e-4 <= found.settings.epsilon <= 1e4):
        return "epsilon"
    if found.limits.clear and found.rule != "review":
        return "clear cells without a review"
    if (found.blind is None) != (found.method != "blind"):
        return "terms of blind"
    return "" if found.document() == proposal.document else "document"


def arrays_are_wrong(
    kind: str, body: dict[str, Any], found: dict[str, Array], good: dict[str, Any], before: dict[str, Array]
) -> str:
    """Counts, ranges and names, checked by hand; what the numbers mean is the partner's."""
    if kind == "data":
        names = found["pseudonyms"]
        if len(np.unique(names, axis=0)) != len(names) or len(names) != body["rows"]:
            return "pseudonyms"
        for at in range(len(body["parts"])):
            rows, values = found[f"part{at}.rows"], found[f"part{at}.values"]
            if len(rows) != body["rows"] or (len(rows) and not -1 <= rows.min() <= rows.max() < len(values)):
                return f"part{at}"
        return "" if (body["method"], body["epsilon"]) == (good["body"]["method"], good["body"]["epsilon"]) else "body"
    known = {name: {row.tobytes() for row in array} for name, array in before.items() if array.ndim == 2}
    for name, array in found.items():
        if name in known and kind == "answer" and not {row.tobytes() for row in array} <= known[name]:
            return f"{name}: a record that was not asked for"
    return "" if set(body) == set(good["body"]) else f"body: {sorted(body)}"


def run(post: Post, folder: Path, count: int, seed: int) -> None:
    draw = random.Random(seed)
    place = folder / "home"
    shutil.copytree(post.home, place)
    home = type(post.to.home)(place)
    own, path = post.to.own, post.path.with_name("hostile.pprl")
    plain, arrays = post.inside()
    good = post.path.read_bytes()
    left = 0
    shutil.copy(post.path, path)  # the libraries are loaded, and the good letter is accepted
    inbox.open_file(home, own, path)
    restore(place, post.home)
    before = traces(place)
    tally = Tally(f"letters: {post.kind}")
    wrong = as_agreed(post, home, own)
    for _ in range(count):
        reseal(path, hostile(draw, post, plain, arrays), post.to)
        if path.read_bytes() == good:
            continue
        if tally.case(lambda: inbox.open_file(home, own, path), wrong):
            restore(place, post.home)
            before = traces(place)
        elif traces(place) != before:
            left += 1
            restore(place, post.home)
            path.unlink()
    tally.finish(left)
    assert tally.refused > 0.5 * count


def restore(place: Path, good: Path) -> None:
    shutil.rmtree(place)
    shutil.copytree(good, place)


@pytest.mark.parametrize("kind", KINDS)
def test_letters_changed_by_their_own_maker_are_refused_or_right(letters, tmp_path, kind) -> None:
    run(letters[kind], tmp_path, QUICK, seed=1)


@pytest.mark.parametrize("kind", BLIND)
def test_blind_letters_changed_by_their_own_maker_are_refused_or_right(blind_letters, tmp_path, kind) -> None:
    run(blind_letters[kind], tmp_path, QUICK, seed=3)


@pytest.mark.parametrize("kind", GROUP)
def test_letters_of_a_group_changed_by_their_own_maker_are_refused_or_right(group_letters, tmp_path, kind) -> None:
    run(group_letters[kind], tmp_path, QUICK, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("kind", GROUP)
def test_thousands_of_letters_of_a_group_changed_by_their_own_maker(group_letters, tmp_path, kind) -> None:
    run(group_letters[kind], tmp_path, FULL, seed=6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", BLIND)
def test_thousands_of_blind_letters_changed_by_their_own_maker(blind_letters, tmp_path, kind) -> None:
    run(blind_letters[kind], tmp_path, FULL // 3, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fifteen_thousand_letters_changed_by_their_own_maker(letters, tmp_path, kind) -> None:
    run(letters[kind], tmp_path, FULL, seed=2)


# ---- small files that unpack to much

BLOWN = {  # what each list has per line, and how the body counts them
    "result": {"pairs": ("mine", "yours", "band")},
    "request": {"pairs": ("mine", "yours")},
    "answer": {"records": ("mine",)},
    "group links": {"links": ("handle", "link", "party", "weight")},
    "groups": {"records": ("handle", "group", "count"), "doubts": ("doubt", "doubt_party", "reason", "tie")},
    "blind result": {"pairs": ("mine", "yours", "band", "proof")},
}
UNPACKED = 600 << 20  # bytes, of a file of some kilobytes
ALLOWED = 60 << 20  # bytes: not more than a review letter may hold


def blown_up(post: Post, unpacked: int) -> bytes:
    """The letter with its lists made long, all zeros: signed as it should be."""
    plain, _ = post.inside()
    counts = {name: count for count, names in BLOWN[post.kind].items() for name in names}
    width = sum(np.dtype(one["dtype"]).itemsize * int(np.prod(one["shape"][1:])) for one in plain["entries"])
    lines = unpacked // max(width, 1)
    block = bytes(1 << 20)
    packed, stored, listed = zstandard.ZstdCompressor(level=1).compress(block), b"", []
    for one in plain["entries"]:
        if one["name"] not in counts:
            continue
        shape = [lines, *one["shape"][1:]]
        size = np.dtype(one["dtype"]).itemsize * int(np.prod(shape))
        digest = hashlib.sha256()
        for _ in range(size >> 20):
            digest.update(block)
        rest = bytes(size & ((1 << 20) - 1))
        digest.update(rest)
        data = packed * (size >> 20) + zstandard.ZstdCompressor(level=1).compress(rest)
        stored += data
        listed.append({**one, "shape": shape, "codec": "zstd", "bytes": len(data), "sha256": digest.hexdigest()})
    body = {**plain["body"], **dict.fromkeys(BLOWN[post.kind], lines)}
    return signed(post.sender, strict.dumps({**plain, "body": body, "entries": listed}), stored)


@pytest.fixture(scope="session")
def result_of_many(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Post]:
    """A result under an agreement by which each record may be linked with any number of others."""
    folder = tmp_path_factory.mktemp("many to many")
    a, b = make_party(folder / "a", "General Hospital"), make_party(folder / "b", "Cancer Registry")
    introduce(a, b)
    wanted = offer(settings=recipe.settings("bloom", direction="many-to-many"))
    agreed = agree(a, b, folder, as_usual(wanted))
    for one, other, table in ((a, b, HERE), (b, a, THERE)):
        bundles.export(one.signed(agreed.id), table, folder / "data.pprl")
        inbox.open_file(other.home, other.own, folder / "data.pprl")
    job = a.job(agreed.id)
    job.keep(job.match(Cleaned(HERE), Choices()))
    results.export(a.signed(agreed.id), folder / "result.pprl")
    shutil.copytree(b.home.path, folder / "home")
    return {"result": Post("result", folder / "result.pprl", folder / "home", b, a.own.keys)}


@pytest.mark.parametrize(
    ("kind", "unpacked"),
    [*((kind, UNPACKED) for kind in BLOWN), ("request", ALLOWED), ("answer", ALLOWED), ("many", UNPACKED)],
)
def test_a_letter_of_few_bytes_that_unpacks_to_much_costs_little(request, tmp_path, kind, unpacked) -> None:
    fixture = "group_letters" if kind in GROUP else "blind_letters" if kind in BLIND else "letters"
    fixture, kind = ("result_of_many", "result") if kind == "many" else (fixture, kind)
    post: Post = request.getfixturevalue(fixture)[kind]
    place, path = tmp_path / "home", tmp_path / "hostile.pprl"
    shutil.copytree(post.home, place)
    home = type(post.to.home)(place)
    shutil.copy(post.path, path)  # the libraries are loaded
    inbox.open_file(home, post.to.own, path)
    restore(place, post.home)
    reseal(path, blown_up(post, unpacked), post.to)
    assert path.stat().st_size < 1 << 20
    tally = Tally(f"blown up: {kind}")
    assert not tally.case(lambda: inbox.open_file(home, post.to.own, path))
    tally.finish()
