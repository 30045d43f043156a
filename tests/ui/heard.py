"""Walks the running window as a screen reader does, over AT-SPI, and prints what it finds as JSON, a line per thing.

Runs in the system's Python, which has pyatspi; needs nothing of the project. `heard.py APPLICATION [SECONDS]`
"""

import json
import sys
import time

import pyatspi


def walk(node, depth=0):
    yield node
    for place in range(node.childCount):
        child = node.getChildAtIndex(place)
        if child is not None and depth < 60:
            yield from walk(child, depth + 1)


def told(node):
    states = {pyatspi.stateToString(one) for one in node.getState().getStates()}
    found = {
        "role": node.getRoleName(),
        "name": node.name or "",
        "description": node.description or "",
        "states": sorted(states & {"showing", "focused", "selected", "selectable", "checked", "enabled"}),
    }
    try:
        value = node.queryValue()
        found["value"] = [value.minimumValue, value.currentValue, value.maximumValue]
    except NotImplementedError:
        pass
    found["labelled"] = [
        one.getTarget(0).name for one in node.getRelationSet() if one.getRelationType() == pyatspi.RELATION_LABELLED_BY
    ]
    return found


def main():
    name, patience = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    end = time.monotonic() + patience
    while time.monotonic() < end:
        apps = [one for one in pyatspi.Registry.getDesktop(0) if one is not None and one.name == name]
        if apps and apps[0].childCount:
            for node in walk(apps[0]):
                print(json.dumps(told(node)))
            return 0
        time.sleep(0.3)
    return 1


if __name__ == "__main__":
    sys.exit(main())
