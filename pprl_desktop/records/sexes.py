"""Words, letters and numbers for a person's sex, made alike: F, M and X, whatever the language of the file.

A step of cleaning that is declared like the others. What is not known here stays as it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_FEMALE = (
    "F FEMALE FEM W WOMAN GIRL WEIBLICH FRAU FEMME FEMININ FEMININE MUJER FEMENINO FEMENINA DONNA FEMMINA FEMMINILE "
    "MULHER FEMININO FEMININA VROUW VROUWELIJK V "
    "KVINNA KVINDE KVINNE K KOBIETA ZENA ZENSKA NAINEN KADIN MRS MS MISS MME MLLE "
    "MADAME SRA SIGNORA ZH ZHENSKIJ Ж ЖЕНСКИЙ ЖЕН 女 2"
).split()
_MALE = (
    "M MALE MAN BOY MAENNLICH MANNLICH MANN HERR H HOMME MASCULIN HOMBRE MASCULINO UOMO MASCHIO MASCHILE HOMEM "
    "MANNELIJK MAND MEZCZYZNA MUZ MUZSKY MIES E ERKEK MR MONSIEUR SR SIGNOR MUZHSKOJ М МУЖСКОЙ МУЖ 男 1"
).split()
_OTHER = "X D DIVERS DIVERSE OTHER NONBINARY AUTRE OTRO ALTRO ANDERS 3".split()
_UNKNOWN = "U UNKNOWN UNBEKANNT INCONNU DESCONOCIDO 0 9".split()  # 0 and 9 as in ISO 5218: not known, not applicable
_MEANT = {"F": _FEMALE, "M": _MALE, "X": _OTHER, "": _UNKNOWN}
WORDS: Mapping[str, str] = {word: sex for sex, written in _MEANT.items() for word in written}


def made_alike(texts: Iterable[str]) -> list[str]:
    """Cleaned values of one column, upper case. H and M alone are hombre and mujer, E and K erkek and kadin."""
    texts = list(texts)
    letters = {text for text in texts if len(text) == 1 and text.isalpha()}
    spanish = {"H", "M"} <= letters and not letters & {"F", "W", "V", "K"}
    return ["F" if spanish and text == "M" else WORDS.get(text, text) for text in texts]
