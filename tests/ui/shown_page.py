"""The real window in the states of the tour, on whatever screen there is: for whoever looks or listens from outside.

`shown_page.py FOLDER LANGUAGE NAME...`: says the name of each state when it stands, goes on when FOLDER/go1, go2 ...
is there, and says "end".
"""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer

from pprl_desktop.ui import scenes
from pprl_desktop.ui.app import make_application, make_window


def _until(there: Path) -> None:
    """The window goes on as ever: whoever listens asks it thousands of times."""
    loop, look = QEventLoop(), QTimer()
    look.timeout.connect(lambda: there.exists() and loop.quit())
    look.start(30)
    loop.exec()


def main() -> int:
    folder, language, wanted = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    app = make_application()
    window = make_window(app, ("--light", f"--language={language}"))
    window.resize(1024, 700)
    window.show()
    window.activateWindow()
    for number, name in enumerate(scenes.play(scenes.Set(app, window, folder), lambda one: one in wanted), start=1):
        print(name, flush=True)
        _until(folder / f"go{number}")
    print("end", flush=True)
    window.desk.jobs.cancel()
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
