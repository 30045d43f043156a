"""Writes what the running window announces to screen readers, a line of JSON each, until it is ended.

Runs in the system's Python, which has the bindings of AT-SPI; needs nothing of the project. `announced.py FILE`.
"""

import json
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402


def main():
    with open(sys.argv[1], "a", encoding="utf-8") as out:

        def note(event, *_more):
            out.write(json.dumps(str(event.any_data)) + "\n")
            out.flush()

        listener = Atspi.EventListener.new(note)
        listener.register("object:announcement")
        Atspi.event_main()


if __name__ == "__main__":
    main()
