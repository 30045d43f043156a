"""The real window with the sample on a page, on whatever screen there is: for whoever looks or listens from outside.

`shown_page.py FOLDER PAGE`; says "ready" when the page stands, and goes on until it is ended.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

from PySide6.QtCore import QTimer

from pprl_desktop import resources
from pprl_desktop.ui.app import make_application, make_window
from pprl_desktop.ui.shell.main_window import MainWindow


def show_review(window: MainWindow, folder: Path) -> None:
    """The masked review of the two sample tables."""
    from pprl_desktop.job.reviewing import ReviewPlan, look_at, make_review

    desk = window.desk
    choices = desk.need_project().choices
    second = look_at(resources.find("samples", "hospital_b.csv"), choices.fields)
    plan = ReviewPlan(second.path, second.columns, second.id_column, budget=Fraction(1, 25), audit=6)
    made = make_review(desk.own_table, choices, plan, folder / "sample.review", "sample people do not exist")
    desk.findings.manager, desk.findings.session = made, made.session()


def main() -> int:
    folder, page = Path(sys.argv[1]), sys.argv[2]
    app = make_application()
    window = make_window(app, ("--light", "--language=en"))
    window.resize(1024, 700)
    window.desk.create_project(folder / f"{page}.pprlproject", "Heard")
    seen = window.desk.own_table.load(resources.find("samples", "hospital_a.csv"))
    window.desk.findings.seen = seen
    window.desk.change("Load table", **seen.changes())
    for step in ("data", "fields", "method"):
        window.desk.confirm(step)
    if page == "review":
        show_review(window, folder)
    window.show()
    window.show_pane(page)
    QTimer.singleShot(2500, lambda: print("ready", flush=True))
    return int(app.exec())


if __name__ == "__main__":
    sys.exit(main())
