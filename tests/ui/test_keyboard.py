"""One whole half of the job by keyboard alone: from an empty start page to the linked table, on a real screen.

Keys are pressed by the screen (xdotool), so file dialogs, focus, Alt keys and Enter are what a steward has. The
partner is another home folder that is worked on from here; its files come by the file dialogs too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.exchange import contacts, identity
from pprl_desktop.exchange.home import Home
from pprl_desktop.job.demo import COLUMNS_B
from pprl_desktop.job.offers import adopted
from pprl_desktop.job.own_table import OwnTable
from pprl_desktop.job.partnership import Partnership
from pprl_desktop.project.choices import Choices

HERE = Path(__file__).parent
PATIENCE = 240.0  # s for one step: the machine may be busy
SECRET = "seven quiet lanterns drift north"
pytestmark = pytest.mark.slow


class Keyboard:
    """A screen of its own with the window on it; only keys go in, and what is seen comes out."""

    def __init__(self, folder: Path, language: str, *, size: str = "1024x700", screen: str = "1024x768") -> None:
        self.folder, self.size, self.screen = folder, size, screen
        self.language = language
        self.all: list[subprocess.Popen[bytes]] = []
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "xcb",
            "PPRL_HOME": str(folder / "keys"), "PPRL_DESKTOP_SETTINGS": str(folder / "settings"),
            "PYTHONPATH": str(HERE.parents[1]),
        }  # fmt: skip

    def start(self) -> None:
        reading, writing = os.pipe()
        self.all.append(subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{self.screen}x24"], pass_fds=(writing,),
            stderr=subprocess.DEVNULL,
        ))  # fmt: skip
        os.close(writing)
        with os.fdopen(reading) as screen:
            self.environment["DISPLAY"] = f":{screen.readline().strip()}"
        self.run("openbox")
        self.open()

    def open(self) -> None:
        """The window, on a screen that is there."""
        (self.folder / "seen.json").unlink(missing_ok=True)
        self.run(sys.executable, str(HERE / "typed_window.py"), str(self.folder), self.language, self.size)
        self.until(lambda: self.seen()["page"] == "welcome" and self.seen()["active"])

    def run(self, *command: str) -> None:
        with (self.folder / "errors.txt").open("ab") as errors:
            self.all.append(subprocess.Popen(command, env=self.environment, stdout=errors, stderr=errors))

    def stop(self) -> None:
        for one in reversed(self.all):
            one.terminate()
            one.wait(30)

    def seen(self) -> dict[str, object]:
        try:
            found: dict[str, object] = json.loads((self.folder / "seen.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {"page": "", "active": False, "files": False, "busy": True, "keys": {}, "why": "", "title": ""}
        return found

    def until(self, stands: Callable[[], object], what: str = "") -> None:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if stands():
                return
            assert all(one.poll() is None for one in self.all), (self.folder / "errors.txt").read_text()
            time.sleep(0.1)
        raise AssertionError(f"{what} never came: {self.seen()}")

    def settled(self) -> None:
        """Nothing works that the steward would wait for, in two looks."""
        for _ in range(2):
            time.sleep(0.3)
            self.until(lambda: not self.seen()["busy"], "rest")

    def key(self, *names: str) -> None:
        subprocess.run(["xdotool", "key", "--clearmodifiers", *names], env=self.environment, check=True)
        time.sleep(0.25)  # a person is not faster

    def type(self, text: str) -> None:
        subprocess.run(["xdotool", "type", "--delay", "15", text], env=self.environment, check=True)
        time.sleep(0.25)

    def alt(self, words: str) -> None:
        """Alt and the underlined letter of what begins with these words."""
        self.until(lambda: any(one.startswith(words) for one in self._keys()), f"the key of '{words}'")
        letter = next(letter for one, letter in self._keys().items() if one.startswith(words))
        self.key(f"alt+{letter}")

    def _keys(self) -> dict[str, str]:
        found: dict[str, str] = self.seen()["keys"]  # type: ignore[assignment]
        return found

    def file(self, path: Path) -> None:
        """The file dialog in front is answered by typing."""
        self.until(lambda: self.seen()["files"], "a file dialog")
        time.sleep(0.3)
        self.key("ctrl+a")
        self.type(str(path))
        self.key("Return")
        self.until(lambda: not self.seen()["files"], "the end of the file dialog")
        self.settled()

    def enter(self, page: str) -> None:
        """The blue button, and the page it leads to."""
        self.until(lambda: self.seen()["blue"] and not self.seen()["busy"], "a blue button")
        self.key("Return")
        self.until(lambda: self.seen()["page"] == page, f"the page {page}")
        self.settled()

    def tab_to(self, name: str, most: int = 40) -> None:
        for _ in range(most):
            if str(self.seen()["focus"]).startswith(name):
                return
            self.key("Tab")
        raise AssertionError(f"Tab never reaches '{name}': {self.seen()}")


class Partner:
    """The other hospital, without a window."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "partner")
        self.own = identity.new("St. Anne Hospital")
        self.home.create(self.own, SECRET)
        self.card = folder / "partner.pprlcard"
        self.card.write_bytes(self.home.own_card_bytes())

    def told_on_the_telephone(self, card: Path) -> str:
        """The card came; both read out the number."""
        other = contacts.new(card.read_bytes())
        number = contacts.number_with(self.home.own_card(), other).as_text()
        self.home.keep_contact(contacts.verified(other, self.home.own_card(), number))
        return number

    def sign(self, proposal: Path, answer: Path) -> None:
        received = Partnership.open(self.home, self.own, proposal)
        assert received.proposal is not None
        columns = {one.name: COLUMNS_B[one.name] for one in received.proposal.terms.fields}
        agreement = Partnership.accept(self.home, self.own, received.proposal, answer, columns)
        self.agreed = Partnership(self.home, self.own, agreement.id)
        self.table = OwnTable()
        self.choices = Choices().changed(**self.table.load(resources.find("samples", "hospital_b.csv")).changes())
        self.choices = self.choices.changed(**adopted(self.choices, received.proposal.terms, tuple(columns.items())))

    def seal(self, bundle: Path) -> None:
        """Its table has other headings, dates and codes than the steward's."""
        self.agreed.export(self.table, self.choices, bundle)

    def tell(self, result: Path) -> None:
        """What the partner accepts of the steward's bundle, which came."""
        self.agreed.keep(self.agreed.match(self.table, self.choices))
        self.agreed.send_result(result)


@pytest.fixture(params=["en", "de"])
def keyboard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Keyboard]:
    lacking = [name for name in ("Xvfb", "openbox", "xdotool") if shutil.which(name) is None]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)}")
    made = Keyboard(tmp_path, request.param)
    try:
        made.start()
        yield made
    finally:
        made.stop()


WORDS = {
    "en": {"name": "Name that partners see", "secret": "New passphrase", "again": "Passphrase again",
           "save": "Save your card", "import": "Import a card", "back": "Back", "purpose": "Purpose",
           "theirs": "Open their result", "next": "Next"},
    "de": {"name": "Name, den Partner sehen", "secret": "Neue Passphrase", "again": "Passphrase noch einmal",
           "save": "Ihre Karte speichern", "import": "Karte importieren", "back": "Zurück", "purpose": "Zweck",
           "theirs": "Sein Ergebnis", "next": "Weiter"},
}  # fmt: skip


def test_from_the_start_page_to_the_linked_table(keyboard: Keyboard, tmp_path: Path) -> None:
    partner, words = Partner(tmp_path), WORDS[keyboard.language]
    bundle = tmp_path / "bundle.pprl"

    # a new project, its table, and on with the defaults
    keyboard.key("Return")
    keyboard.type("Keyboard")
    keyboard.enter("data")
    keyboard.key("Return")
    keyboard.file(resources.find("samples", "hospital_a.csv"))
    keyboard.until(lambda: not keyboard.seen()["why"], "the table")
    for page in ("fields", "method", "agreement"):
        keyboard.enter(page)

    # the own key; the first field has the focus, or is one Tab away
    keyboard.tab_to(words["name"])
    keyboard.type("Heart Registry")
    keyboard.tab_to(words["secret"])
    keyboard.type(SECRET)
    keyboard.tab_to(words["again"])
    keyboard.type(SECRET)
    keyboard.key("Return")
    keyboard.settled()
    keyboard.enter("contacts")  # nobody is known yet: the blue button leads there

    # cards and twelve words
    keyboard.alt(words["save"])
    keyboard.file(tmp_path / "own.pprlcard")
    keyboard.alt(words["import"])
    keyboard.file(partner.card)
    number = partner.told_on_the_telephone(tmp_path / "own.pprlcard")
    keyboard.tab_to(COMPARE[keyboard.language])
    keyboard.type(number)
    keyboard.key("Return")
    keyboard.settled()
    keyboard.alt(words["back"])
    keyboard.until(lambda: keyboard.seen()["page"] == "agreement", "the agreement")

    # propose; the partner signs
    keyboard.alt(words["purpose"])
    keyboard.type("follow-up")
    keyboard.key("Return")
    keyboard.file(tmp_path / "proposal.pprl")
    partner.sign(tmp_path / "proposal.pprl", tmp_path / "answer.pprl")
    keyboard.key("Return")
    keyboard.file(tmp_path / "answer.pprl")
    keyboard.enter("export")

    # what leaves is confirmed by Space, and the file is written
    confirmed(keyboard, "I may send", "Ich darf")
    keyboard.file(bundle)
    keyboard.until(bundle.exists, "the bundle")
    assert partner.agreed.receive(bundle).kind == "data"

    # the partner's bundle; the match begins by itself
    partner.seal(tmp_path / "theirs.pprl")
    keyboard.enter("partner")
    keyboard.key("Return")
    keyboard.file(tmp_path / "theirs.pprl")
    keyboard.enter("match")
    keyboard.until(lambda: not keyboard.seen()["why"], "the match")
    keyboard.enter("results")

    # both results
    confirmed(keyboard, "I may tell", "Ich darf")
    keyboard.file(tmp_path / "result.pprl")
    partner.tell(tmp_path / "their result.pprl")
    keyboard.alt(words["theirs"])
    keyboard.file(tmp_path / "their result.pprl")
    keyboard.until(lambda: not keyboard.seen()["why"], "both results")

    # no cell is asked for; the table and its report
    keyboard.enter("review")
    keyboard.alt(words["next"])
    keyboard.until(lambda: keyboard.seen()["page"] == "finish", "the page finish")
    keyboard.settled()
    keyboard.key("Return")
    keyboard.until(lambda: list(tmp_path.rglob("linked.csv")), "the linked table")
    keyboard.settled()
    (made,) = tmp_path.rglob("linked.csv")
    assert len(made.read_text(encoding="utf-8").splitlines()) > 700


def confirmed(keyboard: Keyboard, *words: str) -> None:
    """The box that says what leaves is ticked, and the blue button pressed."""
    keyboard.tab_to(dict(zip(WORDS, words, strict=True))[keyboard.language])
    keyboard.key("space")
    keyboard.until(lambda: not keyboard.seen()["why"], "the word that it may leave")
    keyboard.key("Return")


COMPARE = {"en": "Type what you hear", "de": "Tippen Sie"}
