"""What may be said about the method blind: each sentence names what it rests on."""

from __future__ import annotations

from pprl_desktop.privacy.claims import ENCRYPTION, RESULT, Statement
from pprl_desktop.said import Said

SUMMARY = Said(
    "Blind: no list is handed over that a dictionary could read. The partner can only ask, as often "
    "as was agreed, and every question is counted."
)
QUESTION = Said(
    "The question is uniformly random, whoever looks at it and however long: every key is multiplied "
    "by a random number of its own. Nobody can ever test a guess on it."
)
ANSWER = Said(
    "The answer opens only the records that share a key with the question. That nobody can compute a "
    "key that was not asked rests on the one-more Diffie-Hellman assumption for ristretto255 in the "
    "random-oracle model (RFC 9497)."
)
TOKENS = Said(
    "Of an opened record the asker recognises only values and variants that it has asked for itself; "
    "others stay random numbers, under the same assumption."
)
GONE = Said(
    "After the answer is written the answerer's secret numbers are destroyed: no further question "
    "can be answered with them."
)
QUANTUM = Said(
    "Not post-quantum against the partner itself: a future quantum computer of the asker could read "
    "the answer like a dictionary. On the way both files are protected by the post-quantum "
    "container. The less sensitive list should answer."
)
LYING = Said(
    "Nothing proves that questions are about real people: a partner who lies in every question "
    "reaches about the coverage told, and up to twice that if it asks by each key about those whom the others miss."
)
ANSWERER_LIES = Said(
    "An answerer who puts invented people into its table learns from the result which of them were accepted as matches."
)
SIZES = Said(
    "How many records the answerer has, and how many questions were allowed, both sides know from the agreement."
)
ASSUMPTION = Said(
    "One-more Diffie-Hellman for ristretto255, random-oracle model (Jarecki, Kiayias, Krawczyk 2014; RFC 9497)"
)


def blind_statement(rows: int) -> Statement:
    return Statement(
        method="blind",
        mechanism="oblivious function",
        epsilon="",
        unit="",
        rows=rows,
        summary=SUMMARY,
        sentences=(QUESTION, ANSWER, TOKENS, GONE),
        numbers=(),
        protects=(
            Said(
                "Records that share no key with the question stay unreadable, also for a partner with every name list."
            ),
            Said("Who sees the question learns nothing about the asker's records but their agreed largest number."),
        ),
        leaves_open=(LYING, ANSWERER_LIES, QUANTUM, SIZES, RESULT, ENCRYPTION),
        theorems=(ASSUMPTION,),
    )
