"""What every pane is: a task as title, one sentence, messages, a body, and the reason Next is not yet possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from pprl_desktop.job.engine import Place
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit.i18n import tr
from pprl_desktop.ui.kit.jobs import Job
from pprl_desktop.ui.kit.spoken import speak_as
from pprl_desktop.ui.kit.theme import GRID
from pprl_desktop.ui.kit.wheel import keeps_its_turn
from pprl_desktop.ui.widgets.banner import Banner, RemarkStrip
from pprl_desktop.ui.widgets.basics import label
from pprl_desktop.ui.widgets.reflow import columns

if TYPE_CHECKING:
    from pprl_desktop.project.project import Project
    from pprl_desktop.ui.desk import Desk


class Pane(QWidget):
    """Panes are made when first shown. `enter()` runs at every arrival; `changed` asks the shell to look again."""

    NAME: ClassVar[str] = ""  # the step's name, or the page beside the path
    NEEDS: ClassVar[tuple[str, ...]] = ()  # choices it reads
    GIVES: ClassVar[tuple[str, ...]] = ()  # choices it sets
    MESSAGES: ClassVar[dict[str, str]] = {}  # messages of its own, by key; English source texts
    SCROLLS: ClassVar[bool] = True  # the body scrolls when the window is small
    GROUND: ClassVar[str] = "page"  # "ground" behind a document
    WIDE: ClassVar[bool] = False  # needs the room of the help panel, unless help is asked for
    HELP: ClassVar[str] = ""  # help page; the name when empty

    changed = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.setObjectName(self.GROUND)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.title = label("", "title")
        speak_as(self.title, "heading")
        self.sentence = label("", "lead")
        self.messages = RemarkStrip()
        self.head_right = QHBoxLayout()
        self.head_right.setSpacing(GRID)
        self.below_title = QHBoxLayout()  # in place of the sentence, where it is a thing with a verb
        self.below_title.setSpacing(GRID)
        self.messages.appeared.connect(self._show_messages)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self.title)
        texts.addWidget(self.sentence)
        texts.addLayout(self.below_title)
        head = columns(texts, self.head_right, least=320)
        self.body = QVBoxLayout()
        self.body.setSpacing(3 * GRID)
        inner = QVBoxLayout()
        inner.setContentsMargins(4 * GRID, 3 * GRID, 4 * GRID, 2 * GRID)
        inner.setSpacing(2 * GRID)
        inner.addLayout(head)
        inner.addWidget(self.messages)
        inner.addLayout(self.body, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        if self.SCROLLS:
            page = QWidget()
            page.setObjectName(self.GROUND)
            page.setLayout(inner)
            self.scroller = QScrollArea()
            self.scroller.setWidgetResizable(True)
            self.scroller.setFrameShape(QFrame.Shape.NoFrame)
            self.scroller.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self.scroller.setWidget(page)
            keeps_its_turn(self.scroller)
            outer.addWidget(self.scroller)
        else:
            outer.addLayout(inner)
        self.build()

    def help_page(self) -> str:
        """The page that the help panel shows beside this one."""
        return self.HELP or self.NAME

    # to be filled in by each pane -----------------------------------------------------------------

    def build(self) -> None:
        """Make the widgets, once."""

    def prepare(self) -> None:
        """Nobody waits and Next leads here: make what will be shown, as far as the choices are known."""

    def arrive(self) -> None:
        """The steward comes to this page: from its top, without the troubles of the last visit."""
        self.messages.forget_seen()
        if self.SCROLLS:
            self.scroller.verticalScrollBar().setValue(0)

    def enter(self) -> None:
        """The pane comes to the front: show the present state of the project."""

    def leave(self) -> None:
        """The pane goes to the back: stop what only matters while it is seen."""

    def blue(self) -> QPushButton | None:
        """The button that Enter presses, where it is on the page and not Next: the first blue one to be seen."""
        for one in self.findChildren(QPushButton):
            if one.property("kind") == "primary" and one.isEnabled() and one.isVisibleTo(self):
                return one
        return None

    def typed_first(self) -> QWidget | None:
        """The line that has the focus when the page comes, where nothing can be done before it is filled in."""
        return None

    def enter_is_next(self) -> bool:
        """Whether Next may be the blue button; not where a page is decided by keys and Enter would leave it."""
        return True

    def leads_on(self) -> bool:
        """Whether Next is on the page at all; not where something else has to be decided first."""
        return True

    def reason(self) -> str:
        """Why Next is not possible, or '' when it is."""
        return ""

    def next_text(self) -> str:
        return ""

    def status(self) -> str:
        """One quiet line in the bottom bar."""
        return ""

    def extra_buttons(self) -> list[QPushButton]:
        """Further verbs for the bottom bar, left of Back."""
        return []

    def go_on(self, done: Callable[[], None]) -> None:
        """Next was pressed and there is no reason against it: do the step's work, then call done()."""
        done()

    def accepts(self, suffix: str) -> bool:
        """Whether a dropped file of this kind is for this pane."""
        return False

    def take_file(self, path: str) -> None:
        """A dropped file this pane said it accepts."""

    # for use by the panes -------------------------------------------------------------------------

    def head(self, title: str, sentence: str) -> None:
        self.title.setText(title)
        self.title.setAccessibleName(title)
        self.sentence.setText(sentence)
        self.setAccessibleName(title)

    @property
    def project(self) -> Project:
        return self.desk.need_project()

    def on_ground(self, wanted: bool) -> None:
        """A document lies on the ground of the window; everything else stands on the page itself."""
        for one in (self, *self.findChildren(QWidget, "ground" if not wanted else "page")):
            if one.objectName() != ("ground" if wanted else "page"):
                one.setObjectName("ground" if wanted else "page")
                one.style().unpolish(one)
                one.style().polish(one)

    def change(self, name: str, **values: Any) -> None:
        """A named, undoable change of the choices."""
        self.desk.change(name, **values)

    def _show_messages(self) -> None:
        """A remark outside the view would not be there."""
        if self.SCROLLS:
            QTimer.singleShot(0, self, lambda: self.scroller.ensureWidgetVisible(self.messages, 0, 2 * GRID))

    def show_problem(self, problem: Problem, act: tuple[str, Callable[[], object]] | None = None) -> None:
        self.messages.show_problem(problem, act)

    def say_agreed(self) -> None:
        """On a page whose choices were signed: that they were, and the way back where they are others by now."""
        from pprl_desktop.job.offers import as_agreed

        choices, home = self.project.choices, self.desk.home
        if not choices.agreement or not home.has_agreement(choices.agreement):
            return
        agreement = home.agreement(choices.agreement)
        partner = agreement.partner_side.name
        seen = self.desk.findings.seen
        changes = as_agreed(choices, agreement, seen.profile if seen is not None else None)
        if not changes:
            self.say(
                "info", tr("This was agreed with {partner}. Another choice needs a new agreement.", partner=partner)
            )
            return

        def back() -> None:
            self.change("As agreed", **changes)
            self.messages.clear()
            self.enter()

        self.say(
            "warning",
            tr("This is not what was agreed with {partner}.", partner=partner),
            tr("What is sent follows the agreement, not this page."),
            (tr("As agreed"), back),
        )

    def say(
        self,
        kind: str,
        text: str,
        more: str = "",
        act: tuple[str, Callable[[], object]] | None = None,
        *,
        lead: bool = False,
    ) -> None:
        self.messages.show_banner(Banner(kind, text, more, act=act, closable=True, lead=lead))
        self.changed.emit()

    def run(
        self,
        title: str,
        work: Callable[..., Any],
        done: Callable[[Any], None],
        *,
        key: str = "",
        quiet: bool = False,
        keeps: bool = False,
        where: Place | None = None,
        problem: Callable[[Problem], None] | None = None,
        cancelled: Callable[[], None] | None = None,
    ) -> Job:
        """Long work on the worker thread; problems land in the messages of this pane unless taken."""
        job = Job(
            title,
            work,
            key or f"{self.NAME}.{title}",
            quiet,
            done,
            problem or self.show_problem,
            cancelled,
            keeps=keeps,
            where=where,
        )
        return self.desk.jobs.start(job)

    def cancelled_words(self) -> str:
        return tr("Stopped. The last finished state is unchanged.")

    def sizeHint(self) -> QSize:
        return QSize(760, 600)

    def fill(self, widget: QWidget) -> QWidget:
        widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        return widget
