"""Words that several panes of the path use."""

from __future__ import annotations

from pprl_desktop.ui.i18n import tr


def kind_words() -> dict[str, str]:
    return {
        "name": tr("Person name"),
        "text": tr("Free text"),
        "date": tr("Date"),
        "id": tr("Fixed-form code"),
        "number": tr("Number"),
        "category": tr("Category"),
    }


def separator_words() -> dict[str, str]:
    return {
        ",": tr("comma"),
        ";": tr("semicolon"),
        "\t": tr("tab"),
        "|": tr("vertical bar"),
        " ": tr("blank"),
        ":": tr("colon"),
    }


def rule_words() -> dict[str, str]:
    return {
        "both": tr("A pair is linked when both sides accept it"),
        "either": tr("A pair is linked when one side accepts it and nothing speaks against it"),
        "review": tr("What only one side accepts goes to the masked review"),
    }
