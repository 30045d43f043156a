"""Stands in for a file manager: `dragged_file.py FILE SAID THERE` offers FILE to move or copy, SAID tells what came of
it, THERE is made once it can be pressed."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QTimer, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel


class Icon(QLabel):
    def mousePressEvent(self, _event: QMouseEvent) -> None:
        drag, carried = QDrag(self), QMimeData()
        carried.setUrls([QUrl.fromLocalFile(sys.argv[1])])
        drag.setMimeData(carried)
        both = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
        done = drag.exec(both, Qt.DropAction.MoveAction)  # as most file managers: moved unless the other says copy
        Path(sys.argv[2]).write_text(done.name, encoding="utf-8")


def main() -> int:
    app = QApplication(sys.argv[:1])
    icon = Icon("table")
    icon.setWindowFlags(Qt.WindowType.BypassWindowManagerHint | Qt.WindowType.WindowStaysOnTopHint)
    icon.setGeometry(8, 732, 120, 32)  # below the window
    icon.show()
    QTimer.singleShot(500, lambda: Path(sys.argv[3]).touch())  # to be seen and pressed from now on
    return app.exec()


if __name__ == "__main__":
    sys.exit(main())
