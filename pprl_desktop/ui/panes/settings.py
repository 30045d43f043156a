"""Settings of the window: colours, language, text size, help panel, expert switch, where keys live."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QLineEdit

from pprl_desktop.job import engine
from pprl_desktop.problem import Problem
from pprl_desktop.ui.kit import crash, settings, theme
from pprl_desktop.ui.kit.i18n import LANGUAGES, tr
from pprl_desktop.ui.kit.tips import set_tip
from pprl_desktop.ui.kit.words import percent
from pprl_desktop.ui.panes.base import Pane
from pprl_desktop.ui.widgets.basics import Section, button, label, row
from pprl_desktop.ui.widgets.inputs import combo, labelled, pick
from pprl_desktop.ui.widgets.reflow import columns

ZOOMS = (0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


class SettingsPane(Pane):
    NAME = "settings"
    GIVES = ("preferences",)
    MESSAGES = {"language": "The window shows the new language at once."}  # noqa: RUF012

    def build(self) -> None:
        self.head(tr("Settings"), tr("For this computer. They change nothing in a project or for a partner."))
        names: dict[theme.Mode, str] = {"system": tr("as the system"), "light": tr("light"), "dark": tr("dark")}
        self.theme = combo(tr("Colours"), [(names[m], m) for m in theme.MODES], lambda v: self.desk.prefer(theme=v))
        languages = [(tr("as the system"), "system"), *((name, code) for code, name in LANGUAGES.items())]
        self.language = combo(tr("Language"), languages, lambda v: self.desk.prefer(language=v))
        self.zoom = combo(tr("Text size"), [(percent(z, 0), z) for z in ZOOMS], lambda v: self.desk.prefer(zoom=v))
        look = Section(tr("Look and language"))
        look.add(
            labelled(tr("Colours"), self.theme),
            labelled(tr("Language"), self.language),
            labelled(tr("Text size"), self.zoom, tr("Ctrl + and Ctrl - change it anywhere.")),
            None,
        )
        self.expert = QCheckBox(tr("Show expert settings"))
        self.expert.toggled.connect(lambda on: self.desk.prefer(expert=on))
        self.help = QCheckBox(tr("Show help beside each step"))
        self.help.toggled.connect(lambda on: self.desk.prefer(help_panel=on))
        work = Section(tr("Work"))
        work.add(
            self.expert,
            label(
                tr("More knobs on the method page: layout, decision rule, kernel, decoys. The defaults are sensible."),
                "small",
            ),
            self.help,
            label(tr("F1 shows it for the present page at any time."), "small"),
            None,
        )
        self.places = Section(tr("Where things are kept"))
        self.home_path = label("", "mono", selectable=True)
        self.settings_path = label("", "mono", selectable=True)
        self.places.add(
            label(tr("Keys, contacts and agreements"), "strong"),
            self.home_path,
            label(tr("Settings and problem reports"), "strong"),
            self.settings_path,
            row(button(tr("Show problem reports"), lambda: crash.show_folder(self)), None),
            None,
        )
        offline = Section(tr("Offline"))
        offline.add(
            label(
                tr(
                    "This program opens no network connection unless you name a cluster below, checks for no "
                    "updates and reports nothing. "
                    "Everything that passes between partners is a file you send yourself."
                ),
                "muted",
            ),
            None,
        )
        self.cluster = self._cluster()
        self.body.addLayout(columns(look, work, least=290))
        self.body.addLayout(columns(self.places, offline, least=290))
        self.body.addWidget(self.cluster)
        self.body.addStretch(1)

    def _cluster(self) -> Section:
        """Where heavy work runs; empty: on this computer."""
        section = Section(tr("A cluster of your organisation"))
        names = {
            "engine": (tr("Address"), "dask:tls://host:port"),
            "cluster_folder": (tr("Folder that its workers share"), ""),
            "tls_ca": (tr("Certificate of its authority"), ""),
            "tls_cert": (tr("Own certificate"), ""),
            "tls_key": (tr("Key of the own certificate"), ""),
        }
        self.places_of: dict[str, QLineEdit] = {}
        fields = []
        for name, (title, hint) in names.items():
            edit = QLineEdit()
            edit.setPlaceholderText(hint)
            edit.editingFinished.connect(lambda which=name: self._prefer_cluster(which))
            self.places_of[name] = edit
            fields.append(labelled(title, edit))
        section.add(
            label(
                tr(
                    "Not needed on one computer. With an address, matching hands blocks of smashed data to the workers "
                    "there. They see smashed data, never your table, and may run code as you: only ever name a cluster "
                    "of your own organisation."
                ),
                "muted",
            ),
            fields[0],
            fields[1],
            columns(fields[2], fields[3], fields[4], least=200),
            row(button(tr("Check the connection"), self._check_cluster), None),
        )
        return section

    def _prefer_cluster(self, name: str) -> None:
        text = self.places_of[name].text().strip()
        text = text or ("threads" if name == "engine" else "")
        if getattr(self.desk.preferences, name) != text:
            self.desk.prefer(**{name: text})

    def _check_cluster(self) -> None:
        try:
            where = self.desk.cluster()
        except Problem as problem:
            self.show_problem(problem)
            return
        if where is None:
            self.say("info", tr("No cluster is named: everything runs on this computer."))
            return

        def done(threads: int) -> None:
            self.say("good", tr("The cluster answers. Its workers have {n|one thread|{n} threads}.", n=threads))

        self.run(tr("Connecting"), lambda _progress: engine.threads(), done, where=where)

    def enter(self) -> None:
        chosen = self.desk.preferences
        pick(self.theme, chosen.theme)
        pick(self.language, chosen.language)
        if self.zoom.findData(chosen.zoom) < 0:
            self.zoom.addItem(percent(chosen.zoom, 0), chosen.zoom)
        pick(self.zoom, chosen.zoom)
        for name, edit in self.places_of.items():
            value = getattr(chosen, name)
            edit.setText("" if value == engine.THREADS else value)
        for box, on in ((self.expert, chosen.expert), (self.help, chosen.help_panel)):
            box.blockSignals(True)
            box.setChecked(on)
            box.blockSignals(False)
        for shown, path in ((self.home_path, self.desk.home.path), (self.settings_path, settings.folder())):
            shown.setText(str(path))
            set_tip(shown, str(path))  # a long path has no place to break
