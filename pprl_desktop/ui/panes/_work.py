"""Words that several panes of the path use."""

from __future__ import annotations

from pprl_desktop.codes.base import DECISION_WORDS, LAYOUT_WORDS
from pprl_desktop.job.own_table import made_of
from pprl_desktop.matching.reconcile import RULE_WORDS
from pprl_desktop.project.choices import Choices
from pprl_desktop.records.fields import KIND_WORDS
from pprl_desktop.ui.kit.i18n import tr, tr_core


def decision_words() -> dict[str, str]:
    return {name: tr_core(words) for name, words in DECISION_WORDS.items()}


def layout_words() -> dict[str, str]:
    return {name: tr_core(words) for name, words in LAYOUT_WORDS.items()}


def kind_words() -> dict[str, str]:
    return {name: tr_core(words) for name, words in KIND_WORDS.items()}


def separator_words() -> dict[str, str]:
    return {
        ",": tr("comma"),
        ";": tr("semicolon"),
        "\t": tr("tab"),
        "|": tr("vertical bar"),
        " ": tr("blank"),
        ":": tr("colon"),
    }


def use_of(column: str, choices: Choices) -> str:
    """What a column of the own table is for; one that a compared date or name is made of is compared."""
    if column in choices.sensitive:
        return "sensitive"
    if column == choices.id_column:
        return "number"
    return "matching" if any(column in made_of(one) for _, one in choices.columns) else ""


def rule_words() -> dict[str, str]:
    return {name: tr_core(words) for name, words in RULE_WORDS.items()}
