"""Words that several panes of the path use."""

from __future__ import annotations

from pprl_desktop.ui.kit.i18n import number, tr, tr_core


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
    return {
        "adaptive": tr("field by field, learned from the pairs (adaptive)"),
        "threshold": tr("one threshold on the whole record"),
        "svm": tr("support-vector machine"),
        "nearest": tr("nearest neighbour, drawn under noise"),
    }


def layout_words() -> dict[str, str]:
    return {"field": tr("one code per field"), "record": tr("one code per record")}


def kind_words() -> dict[str, str]:
    return {
        "name": tr("Name"),
        "text": tr("Free text"),
        "date": tr("Date"),
        "id": tr("Code"),
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


def point_value(what: str, text: str) -> str:
    """One point of a proposal, beside which the own choice stands: codes become words, names stay."""
    if what == "method":
        return method_words()[text][0] if text in method_words() else text
    if what == "rule":
        return rule_words().get(text, text)
    if what == "decision":
        words = decision_words() | layout_words()
        return ", ".join(words.get(one, one) for one in text.split(", "))
    if what == "noise":
        epsilon, _, unit = text.partition(" ")
        return tr("no noise") if text == "none" else f"{number(float(epsilon), 2)} {tr_core(unit)}".strip()
    if what == "fields":
        pairs = [one.removesuffix(")").rpartition(" (") for one in text.split(", ") if one]
        return ", ".join(f"{name} ({kind_words().get(kind, kind)})" for name, _, kind in pairs)
    return text
