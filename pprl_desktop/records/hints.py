"""What a column's heading says: words, in several languages, that mark names, dates, ids and sensitive matters."""

from __future__ import annotations

import re
from typing import Literal

Hint = Literal["person", "date", "id", "number", "text", "contact", "place", "category", "sensitive", ""]

# Each entry is matched against the words of a heading: "dateOfBirth", "date_of_birth" and "DATE OF BIRTH" are alike.
_WORDS: tuple[tuple[Hint, str], ...] = (
    (
        "sensitive",
        "diagnosis|diagnose|diag|icd\\d*|disease|illness|krankheit|income|salary|gehalt|einkommen|wage|revenu|race|"
        "ethnic|ethnicity|ethnie|religion|religious|konfession|hiv|medication|drug|drugs|treatment|therapy|therapie|"
        "lab|result|results|befund|disability|handicap|political|party|partei|sexual|orientation|criminal|conviction|"
        "debt|credit|iban|bic|cost|costs|charge|charges|score|outcome|bmi|weight|blood|smoker|smoking|alcohol|"
        "pregnant|pregnancy|citizenship|nationality|welfare|benefit|benefits|insurance|mortality|death|died",
    ),
    (
        "contact",
        "ssn|soc|social|nhs|medicare|nin|passport|licence|license|phone|telephone|telefon|tel|mobile|handy|fax|email|"
        "mail|svnr|national|taxid|steuer",
    ),
    (
        "place",
        "zip|zipcode|postcode|postal|plz|cp|city|town|ort|stadt|wohnort|suburb|village|county|state|province|region|"
        "country|land|street|strasse|str|straße|road|address|adresse|adress|place|birthplace|house|hausnummer|unit",
    ),
    (
        "date",
        "date|datum|dob|birthday|birthdate|birth|born|geb|gebdat|geburtsdatum|geburtstag|geburtsjahr|birthyear|yob|year|jahr|"
        "naissance|nacimiento|nascita|dod",
    ),
    (
        "person",
        "name|names|firstname|lastname|surname|givenname|given|forename|middlename|middle|maiden|maidenname|nachname|"
        "vorname|familienname|zuname|rufname|geburtsname|fname|lname|mname|nom|prenom|apellido|apellidos|nombre|"
        "nombres|cognome|nome|sobrenome|efternamn|fornamn|alias|initial|first|last|family",
    ),
    ("category", "sex|gender|geschlecht|title|anrede|suffix|marital|status|type|kind|category|class|group|sexe|sexo"),
    ("id", "id|ids|uid|uuid|guid|key|mrn|pid|recid|recordid|patientid|nr|no|num|nummer|code|index|pseudonym|rowid"),
    ("number", "age|alter|count|amount|sum|total|height|size|length|price|value|percent|rate|number|anzahl|betrag"),
    ("text", "comment|comments|note|notes|remark|remarks|bemerkung|description|text|memo|occupation|beruf|job"),
)
_RULES = tuple((hint, re.compile(f"(?:{words})")) for hint, words in _WORDS)
_RECORD_ID = re.compile(
    r"(?:(?:rec|record|row|line|case|patient|person|client|member|subject|study|fall|satz|unique|my|own|the)? ?"
    r"(?:id|uid|uuid|guid|key|nr|no|number|nummer)|index|mrn|pid|recid|patientid|recordid|rowid|pseudonym)"
)
# Identifying numbers that both organisations may hold: they link, a record number of one of them does not.
_SHARED_ID = re.compile(r"ssn|soc|social|nhs|medicare|nin|passport|licence|license|svnr|national|taxid|steuer")


def words_of(heading: str) -> list[str]:
    """dateOfBirth, date_of_birth, DATE-OF-BIRTH -> date, of, birth."""
    parted = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", heading)
    return re.findall(r"[^\W_]+", parted.casefold().replace("ß", "ss"))


def hint(heading: str) -> Hint:
    """The strongest hint of a heading; '' when it says nothing."""
    words = words_of(heading)
    if "place" in words and "birth" in words:
        return "place"
    for meaning, rule in _RULES:
        if any(rule.fullmatch(word) for word in words):
            return meaning
    return ""


def is_record_id(heading: str) -> bool:
    return bool(_RECORD_ID.fullmatch(" ".join(words_of(heading))))


def is_shared_id(heading: str) -> bool:
    return any(_SHARED_ID.fullmatch(word) for word in words_of(heading))


def is_birth(heading: str) -> bool:
    rule = re.compile(r"dob|birth\w*|born|geb\w*|yob|naissance|nacimiento|nascita|by|bm|bd")
    return any(rule.fullmatch(word) for word in words_of(heading))


def is_age(heading: str) -> bool:
    return any(word in ("age", "alter", "edad", "eta", "idade", "leeftijd") for word in words_of(heading))
