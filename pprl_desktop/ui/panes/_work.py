"""Words that several panes of the path use."""

from __future__ import annotations

from pprl_desktop.codes.base import DECISION_WORDS, LAYOUT_WORDS
from pprl_desktop.matching.reconcile import RULE_WORDS
from pprl_desktop.records.fields import KIND_WORDS
from pprl_desktop.ui.kit.i18n import tr, tr_core


def method_words() -> dict[str, tuple[str, str, str]]:
    """Title, sentence and mark of each method, in the steward's words."""
    return {
        "split": (
            tr("Reference distances"),
            tr("Sends distances of your values to public names. Best on misspelt and changed names."),
            tr("usual choice"),
        ),
        "simhash": (
            tr("SimHash with noise"),
            tr("Sends yes/no bits per field or record; some are flipped at random."),
            tr("best with noise"),
        ),
        "bloom": (tr("Bloom filter"), tr("The method most registries know. The baseline."), ""),
        "dp-nn": (
            tr("Private nearest neighbour"),
            tr("Answers with one noisy best match per record of the partner."),
            tr("noise is in the answer"),
        ),
        "split-svm": (
            tr("Reference distances, published decision"),
            tr("The support-vector decision of the paper, trained on synthetic errors only."),
            tr("for comparison"),
        ),
    }


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


def rule_words() -> dict[str, str]:
    return {name: tr_core(words) for name, words in RULE_WORDS.items()}
