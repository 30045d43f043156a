"""Several partners: who is in the group, what is missing, and one button for the next thing to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QWidget

from pprl_desktop.exchange.group_terms import MOST_RECORDS
from pprl_desktop.exchange.names import MAX_NAME
from pprl_desktop.job import groups
from pprl_desktop.problem import Problem
from pprl_desktop.progress import Progress
from pprl_desktop.project.choices import Choices
from pprl_desktop.ui.kit.i18n import tr, tr_core, tr_n
from pprl_desktop.ui.kit.words import count, day_words
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.panes.unlock import IdentityCard
from pprl_desktop.ui.widgets.banner import clear
from pprl_desktop.ui.widgets.basics import (
    Section,
    boxed,
    button,
    column,
    filled,
    label,
    row,
    row_button,
    set_kind,
)
from pprl_desktop.ui.widgets.empty import EmptyState
from pprl_desktop.ui.widgets.inputs import combo, labelled, pick
from pprl_desktop.ui.widgets.reflow import columns, flow
from pprl_desktop.ui.widgets.rows import Head, Rows
from pprl_desktop.ui.widgets.slip import ReleaseSlip, Slip

if TYPE_CHECKING:
    from pprl_desktop.exchange.groups import Sent
    from pprl_desktop.job.groups import Formed, GroupProject, Moved, OwnGroups, Planned, Standing
    from pprl_desktop.job.own_table import OwnTable

HELD = (*range(1, 11), 20, 50, MOST_RECORDS)  # records of one person at one party that can be chosen


class GroupsPane(Pane):
    NAME = "groups"
    NEEDS = ("home",)
    GIVES = ("links for a group", "groups")
    MESSAGES = {"formed": "The groups are formed."}  # noqa: RUF012

    def build(self) -> None:
        self._table: Path | None = None
        self._own_table: OwnTable | None = None
        self._planned: Planned | None = None
        self.identity = IdentityCard(self.desk)
        self.identity.changed.connect(self._show)
        self.none = EmptyState(
            "people",
            tr("No group yet"),
            tr(
                "One party makes a group file and gives it to all. Every agreement between two of them is proposed "
                "with it: signing is the consent."
            ),
            ((tr("&Make a group …"), self._begin), (tr("Contacts …"), lambda: self.desk.go_to.emit("contacts"))),
        )
        for one in (self.identity, self.none, self._build_make(), self._build_now()):
            self.body.addWidget(one)
        self.body.addStretch(1)

    def _build_make(self) -> QWidget:
        self.name = QLineEdit()
        self.name.setMaxLength(MAX_NAME)
        self.name.setPlaceholderText(tr("for example: Heart registries 2026"))
        self.name.textChanged.connect(lambda _text: self._check_new())
        self.computes = combo(tr("Who puts the links together"), [])
        self.computes.setMinimumContentsLength(16)
        often = [(tr_n("once", "up to {n} times", n), n) for n in HELD]
        self.most = combo(tr("A person is held by one party"), often)
        self._parties = column(gap=0.5)
        self._boxes: dict[str, QCheckBox] = {}
        self.write_file = button(tr("&Write the group file …"), self._create, kind="primary", icon="save")
        self.not_yet = label("", "small")
        self.make = boxed(column(
            labelled(tr("&Name of the group"), self.name),
            column(label(tr("Parties beside you"), "strong"), self._parties, gap=0.5),
            columns(labelled(tr("Who &puts the links together"), self.computes,
                             tr("Learns which random names of which parties belong together.")),
                    labelled(tr("A person is held by one party"), self.most,
                             tr("Records of one party in a group, at most.")),
                    least=240, gap=3),
            filled(row(self.write_file, button(tr("Cancel"), self._put_away), self.not_yet, gap=1)),
            gap=2,
        ))  # fmt: skip
        self.make.hide()
        return self.make

    def _build_now(self) -> QWidget:
        self.group = combo(tr("Group"), [], lambda _data: self._chosen())
        self.group.setMinimumContentsLength(20)
        self.another = button(tr("Make another group …"), self._begin, kind="link")
        self.words = column(gap=0.5)
        heads = (Head(tr("Party"), 3), Head(tr("State"), 4), Head(tr("Post"), 3, spare=True),
                 Head("", right=True, least=90))  # fmt: skip
        self.table = Rows(tr("Parties of the group"), heads, high=36, indent=0)
        self.own = label("", "small")
        self.choose = button(tr("Your &table …"), self._choose)
        self.send = button(tr("Write my &links …"), self._send, icon="send")
        self.form = button(tr("For&m the groups"), self._form, icon="people")
        self.save = button(tr("Save my &groups …"), self._save, icon="save")
        self.review = button(tr("Send the doubted links to &review"), self._review, icon="masked")
        self.why = label("", "small")
        self.slip = ReleaseSlip()
        self.leaves = Section(tr("What would leave")).add(self.slip)
        self.told = label("", "strong")
        self.doubts = label("", "small")
        self.result = Section(tr("Groups")).add(
            self.told, self.doubts, flow(self.save, self.review)
        )  # fmt: skip
        top = row(self.group, self.another, None, gap=1)
        table = row(self.choose, self.own, gap=1)
        table.setStretch(1, 1)
        self.consent = Section(tr("What all of them have signed")).add(boxed(self.words))
        self.now = boxed(
            column(top, self.result, self.table, table, flow(self.send, self.form), self.why, self.leaves,
                   self.consent, gap=2)
        )  # fmt: skip
        return self.now

    # what is shown --------------------------------------------------------------------------------

    def enter(self) -> None:
        self.identity.refresh()
        project = self.desk.project
        if self._table is None and project is not None and project.choices.table_path:
            self._table = Path(project.choices.table_path)
        self._show()

    def _known(self) -> dict[str, str]:
        home = self.desk.home
        try:
            return groups.names_of_home(home) if home.exists else {}
        except Problem as problem:
            self.show_problem(problem)
            return {}

    def _project(self) -> GroupProject | None:
        own = self.desk.identity()
        id = self.group.currentData()
        if own is None or not id:
            return None
        return groups.GroupProject(self.desk.home, own, str(id))

    def _show(self) -> None:
        own, known = self.desk.identity(), self._known()
        now = self.group.currentData()
        self.group.clear()
        for id, name in known.items():
            self.group.addItem(name, id)
        pick(self.group, now if now in known else next(iter(known), ""))
        self.identity.setVisible(own is None)
        making = self.make.isVisibleTo(self)
        if making:
            self.head(tr("Make a group"), tr("You and verified contacts; at least three parties."))
        else:
            self.head(
                tr("Several partners"),
                tr("Three or more parties put their links together, each record under a new random name."),
            )
        self.none.setVisible(own is not None and not known and not making)
        self.now.setVisible(own is not None and bool(known) and not making)
        self.group.setEnabled(len(known) > 1)
        project = self._project()
        if project is not None and not making:
            self._show_group(project)
        self.changed.emit()

    def _chosen(self) -> None:
        self._planned = None
        self._show()

    def _show_group(self, project: GroupProject) -> None:
        clear(self.words)
        for said in groups.in_words(project.group)[:3]:
            self.words.addWidget(label(tr_core(said), "muted"))
        standing = project.standing()
        self.table.clear()
        for one in standing:
            self._add(project, one)
        self.own.setText(self._table.name if self._table is not None else tr("the table you exported to all of them"))
        waiting = [one.member.name for one in standing if project.computes and not one.received]
        missing = tr("Choose your table.") if self._table is None else ""
        if project.computes and waiting:
            missing = tr("Waiting for the links of {names}.", names=", ".join(waiting))
        self.why.setText(missing)
        self.why.setVisible(bool(missing))
        self.send.setVisible(not project.computes)
        self.form.setVisible(project.computes)
        for made in (self.send, self.form):
            made.setEnabled(not missing)
        self._show_plan(project)
        self._show_result(project)
        primary = self.save if self.result.isVisibleTo(self) else self.form if project.computes else self.send
        for made in (self.send, self.form, self.save):
            set_kind(made, "primary" if made is primary else "")

    def _add(self, project: GroupProject, one: Standing) -> None:
        name = one.member.name
        state = tr_core(one.missing) if one.missing else tr("linked with you")
        out, back = (tr("groups"), tr("links")) if project.computes else (tr("links"), tr("groups"))
        if not (project.computes or one.computes):
            post = ""
        else:
            sent = tr("{what} sent {day}", what=out, day=day_words(one.sent)) if one.sent else ""
            came = tr("{what} here {day}", what=back, day=day_words(one.received)) if one.received else ""
            post = ", ".join(filter(None, (came, sent))) or tr("nothing yet")
        act = None
        if project.computes and one.received:
            act = row_button(
                tr("Tell …"), lambda: self._tell(name), tip=tr("Write for {name} what concerns it", name=name)
            )
        who = tr("{name}, puts the links together", name=name) if one.computes else name
        self.table.add(label(who, "strong"), label(state, "small"), label(post, "small"), act)

    def _show_plan(self, project: GroupProject) -> None:
        planned = self._planned
        self.leaves.setVisible(planned is not None and not project.computes)
        if planned is None:
            return
        first, learn, *without = (tr_core(one) for one in planned.sentences())
        self.slip.show_slip(
            Slip(
                what=" ".join([first, *without]),
                to_whom=planned.to,
                form="numbers",
                how_many=tr_n("{n} record", "{n} records", planned.records),
                learn=learn,
                adds_up=tr("It stands in the ledger, like everything that leaves."),
            )
        )

    def _show_result(self, project: GroupProject) -> None:
        try:
            found = project.own_groups()
        except Problem:
            self.result.hide()
            return
        self.result.show()
        self._show_found(found)

    def _show_found(self, found: OwnGroups) -> None:
        self.told.setText(
            tr_n("{n} of your records is in a group.", "{n} of your records are in groups.", len(found.rows))
            + " "
            + tr("{n} of them with a party that only a third party links them to.", n=count(found.through))
        )
        ties = sum(one.tie for one in found.doubts)
        self.doubts.setText(
            tr_n(
                "{n} of your links contradicts surer ones and was not followed.",
                "{n} of your links contradict surer ones and were not followed, {ties} of them as sure as another.",
                len(found.doubts), ties=count(ties))
            if found.doubts else tr("All of your links were followed.")
        )  # fmt: skip
        self.review.setVisible(bool(found.doubts))

    # a new group ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        home = self.desk.home
        known = [one for one in home.contacts() if one.state == "verified"] if home.exists else []
        clear(self._parties)
        self._boxes = {}
        self.computes.clear()
        self.computes.addItem(tr("you"), "")
        for one in known:
            box = QCheckBox(one.name)
            box.toggled.connect(lambda _on: self._check_new())
            self._boxes[one.name] = box
            self._parties.addWidget(box)
            self.computes.addItem(one.name, one.name)
        self.make.show()
        self._check_new()
        self._show()
        self.name.setFocus()

    def _put_away(self) -> None:
        self.make.hide()
        self._show()

    def _check_new(self) -> None:
        chosen = [name for name, box in self._boxes.items() if box.isChecked()]
        who = str(self.computes.currentData() or "")
        missing = ""
        if len(self._boxes) < 2:
            missing = tr("Two verified contacts are needed.")
        elif not self.name.text().strip():
            missing = tr("Give the group a name.")
        elif len(chosen) < 2:
            missing = tr("Choose at least two parties.")
        elif who and who not in chosen:
            missing = tr("Who puts the links together must be a party.")
        self.not_yet.setText(missing)
        self.write_file.setEnabled(not missing)

    def _create(self) -> None:
        self._check_new()
        if not self.write_file.isEnabled():
            return
        name = self.name.text().strip()
        path, _ = QFileDialog.getSaveFileName(self, tr("Write the group file"), f"group{groups.SUFFIX}", "")
        if path:
            self.create_at(Path(path), name)

    def create_at(self, path: Path, name: str) -> None:
        self.messages.clear()
        chosen = [one for one, box in self._boxes.items() if box.isChecked()]
        try:
            most = dict.fromkeys(["", *chosen], int(self.most.currentData()))
            made = groups.new_group(self.desk.home, name, chosen, str(self.computes.currentData() or ""), most)
            groups.write_file(made, path)
        except Problem as problem:
            self.show_problem(problem)
            return
        self._put_away()
        self.say(
            "good",
            tr("The group file is written: {file}.", file=path.name),
            tr("Give it to every party. On the page Agreement, propose with “Part of a group”."),
        )

    # what is done ---------------------------------------------------------------------------------

    def _choose(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Your table"), "", "")
        if name:
            self.take_table(Path(name))

    def take_table(self, path: Path) -> None:
        self._table, self._own_table, self._planned = path, None, None
        self._show()

    def _given(self) -> tuple[OwnTable, Choices]:
        """The table of the open project as it was read there, else the file as it stands."""
        from pprl_desktop.job.own_table import OwnTable

        project = self.desk.project
        if project is not None and str(self._table) == project.choices.table_path:
            return self.desk.own_table, project.choices
        if self._own_table is None:
            self._own_table = OwnTable()
        return self._own_table, Choices(table_path=str(self._table))

    def _send(self) -> None:
        """First what would leave; the second press writes it."""
        project = self._project()
        if project is None:
            return
        if self._planned is None:
            own, choices = self._given()

            def done(planned: Planned) -> None:
                self._planned = planned
                self._show()
                self.say("info", tr("Nothing has left yet."), tr("Press the button again to write the file."))

            self.messages.clear()
            self.run(tr("Looking at the links"), lambda progress: project.plan(own, choices, progress), done)
            return
        path, _ = QFileDialog.getSaveFileName(self, tr("Write my links"), "group-links.pprl", "*.pprl")
        if path:
            self.send_to(Path(path))

    def send_to(self, out: Path) -> None:
        project = self._project()
        assert project is not None
        own, choices = self._given()
        to = self._planned.to if self._planned is not None else ""

        def done(_made: Sent) -> None:
            self._planned = None
            self._show()
            self.say("good", tr("Written: {file}. Send it to {name}.", file=out.name, name=to))

        self.messages.clear()
        self.run(tr("Writing the links"), lambda progress: project.send(own, choices, out, progress), done)

    def _form(self) -> None:
        project = self._project()
        if project is None:
            return
        own, choices = self._given()

        def work(progress: Progress) -> Formed:
            return project.form(own, choices, progress)

        def done(made: Formed) -> None:
            self._show()
            self.say(
                "good",
                tr("{groups|One group|{groups} groups} of {links|one link|{links} links}.",
                   groups=made.groups, links=made.links),
                tr("{n|One link contradicts surer ones and was|{n} links contradict surer ones and were} not "
                   "followed. Now tell each party what concerns it.",
                   n=len(made.contradictions)),
            )  # fmt: skip

        self.messages.clear()
        self.run(tr("Forming groups"), work, done)

    def _tell(self, name: str) -> None:
        path, _ = QFileDialog.getSaveFileName(self, tr("Write for {name}", name=name), "groups.pprl", "*.pprl")
        if path:
            self.tell_to(name, Path(path))

    def tell_to(self, name: str, out: Path) -> None:
        project = self._project()
        assert project is not None

        def done(made: Sent) -> None:
            self._show()
            self.say("good", tr("Written: {file}. Send it to {name}.", file=out.name, name=name),
                     tr("It names {n} of its records by their random names.", n=count(made.records)))  # fmt: skip

        self.messages.clear()
        self.run(tr("Writing the groups"), lambda progress: project.tell(name, out, progress), done)

    def _save(self) -> None:
        forms = "*.csv;;*.xlsx;;*.dta;;*.parquet"
        path, _ = QFileDialog.getSaveFileName(self, tr("Save my groups"), "groups.csv", forms)
        if path:
            self.save_to(Path(path))

    def save_to(self, out: Path) -> None:
        project = self._project()
        assert project is not None
        own, choices = self._given()

        def done(n: int) -> None:
            self.say("good", tr_n("{n} record written to {file}.", "{n} records written to {file}.", n, file=out.name),
                     tr("Every party has the same group numbers; identifying columns are not in it."))  # fmt: skip

        self.messages.clear()
        self.run(tr("Writing my groups"), lambda _progress: project.write(own, choices, out), done)

    def _review(self) -> None:
        project = self._project()
        if project is None:
            return

        def done(moved: tuple[Moved, ...]) -> None:
            self._show()
            for one in moved:
                self.say("info" if one.agreed else "warning", tr_core(one.sentence()))

        self.messages.clear()
        self.run(tr("Sending links to review"), lambda _progress: project.review(), done)
