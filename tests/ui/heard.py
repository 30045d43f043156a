"""Walks the running window as a screen reader does, over AT-SPI, and prints what it finds as JSON, a line per thing.

Runs in the system's Python, which has pyatspi; needs nothing of the project. `heard.py APPLICATION FOLDER`: for each
state that the program names in FOLDER/said.txt the tree is walked once, then FOLDER/go lets the program go on.
"""

import json
import sys
import time
from pathlib import Path

import pyatspi

STATES = {"showing", "focused", "selected", "selectable", "checked", "enabled", "focusable"}
WITH_VALUE = {"progress bar", "slider", "spin button"}
WITH_LABEL = {"combo box", "text", "password text", "spin button", "slider", "check box"}
MOST = 120  # children of one thing: the lines of a long table are alike
PATIENCE = 600.0  # s until the next state: it may need a match, with blind a choice of keys, beside other work


def walk(node, depth=0):
    """What is showing; what is behind it is not heard and takes long to ask for."""
    try:
        one, many = told(node), node.childCount
    except Exception:  # it went away while it was asked
        return
    yield one
    if depth > 1 and "showing" not in one["states"]:
        return
    for place in range(min(many, MOST)):
        child = node.getChildAtIndex(place)
        if child is not None and depth < 60:
            yield from walk(child, depth + 1)


def told(node):
    states = {pyatspi.stateToString(one) for one in node.getState().getStates()}
    found = {
        "role": node.getRoleName(),
        "name": node.name or "",
        "description": node.description or "",
        "states": sorted(states & STATES),
        "labelled": [],
    }
    if found["role"] in WITH_VALUE:
        value = node.queryValue()
        found["value"] = [value.minimumValue, value.currentValue, value.maximumValue]
    if found["role"] in WITH_LABEL:
        for one in node.getRelationSet():
            if one.getRelationType() == pyatspi.RELATION_LABELLED_BY:
                found["labelled"].append(one.getTarget(0).name)
    return found


def tree(name):
    apps = [one for one in pyatspi.Registry.getDesktop(0) if one is not None and one.name == name]
    return list(walk(apps[0])) if apps else []


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    seen, end = 0, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        said = (folder / "said.txt").read_text().splitlines()
        if len(said) == seen:
            time.sleep(0.05)
            continue
        state = said[seen]
        if state == "end":
            return 0
        found = tree(name)
        if not found:
            time.sleep(0.2)
            continue
        for one in found:
            print(json.dumps({"state": state, **one}), flush=True)
        seen, end = seen + 1, time.monotonic() + PATIENCE
        (folder / f"go{seen}").touch()
    return 1


if __name__ == "__main__":
    sys.exit(main())
