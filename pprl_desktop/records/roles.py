"""The one list of what a heading means beyond its kind: which name is the last one, which column is the town.

Cleaning, mapping, rehearsal, review and the guess of a partner's columns ask here, so that they cannot disagree. What
kind of matter a heading speaks of (a person, a date, something sensitive) is in hints.py, which knows all these words.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Role = Literal["last", "first", "middle", "birth", "sex", "city", "postcode", "street", "phone", ""]

WORDS: dict[Role, frozenset[str]] = {
    "middle": frozenset(
        ("middle middlename mname second secondname zweitname zweit tussenvoegsel mellomnavn mellemnavn otchestvo "
         "отчество").split()
    ),
    "last": frozenset(
        ("last lastname surname sur family familyname lname nachname nach familienname zuname maiden maidenname "
         "geburtsname nom famille apellido apellidos cognome sobrenome apelido efternamn achternaam meisjesnaam "
         "efternavn etternavn sukunimi nazwisko prijmeni priezvisko vezeteknev csaladnev soyad soyadi nume prezime "
         "фамилия familiya επωνυμο اللقب 姓").split()
    ),
    "first": frozenset(
        ("first firstname given givenname givennames forename forenames fore fname vorname vornamen rufname prenom "
         "prenoms nombre nombres nome fornamn voornaam voornamen fornavn etunimi etunimet imie imiona jmeno keresztnev "
         "utonev ad adi isim prenume ime имя ονομα christian 名").split()
    ),
    "birth": frozenset(
        ("birth birthdate birthday dob born geb geboren geburt gebdat geburtsdatum geburtstag naissance "
         "datenaissance nacimiento fechanacimiento nascita nascimento geboorte geboortedatum fodelsedatum fodselsdato "
         "syntymaaika urodzenia narozeni szuletes szuletesi dogum рождения 出生日期 生日 生年月日 생년월일 "
         "bdate bdt bday ddn fnac fecnac fechanac gdat gebdt").split()
    ),
    "sex": frozenset(
        "sex gender geschlecht sexe sexo sesso geslacht kon kjonn sukupuoli plec pohlavi cinsiyet пол 性别 性別".split()
    ),
    "city": frozenset(
        ("city town ort wohnort stadt place suburb village ville commune ciudad poblacion localidad citta comune "
         "cidade woonplaats plaats postort kaupunki miasto mesto obec varos sehir город 城市").split()
    ),
    "postcode": frozenset(
        ("postcode zip zipcode postal plz postleitzahl codepostal cap cep postnummer postnr postinumero pocztowy psc "
         "iranyitoszam posta индекс 邮编 郵便番号").split()
    ),
    "street": frozenset(
        ("street address strasse adresse str road rue calle direccion via indirizzo rua morada endereco straat adres "
         "gata gatuadress gade vej katuosoite osoite ulica ulice utca sokak улица адрес 地址 住所").split()
    ),
    "phone": frozenset(
        ("phone telephone telefon tel mobile handy fax telefono telefone telefoon portable movil cellulare celular "
         "cell gsm mobil mobiltelefon puhelin telefonnummer handynummer телефон 电话 手机 電話 전화").split()
    ),
}  # fmt: skip
# names of somebody else: who treats, sends, looks after; a mother's name stays a sign of the child all the same
_ATTENDING = re.compile(
    r"doctor|doc|physician|gp|clinician|consultant|surgeon|nurse|referrer|referring|attending|provider|practitioner|"
    r"arzt|hausarzt|behandler|zuweiser|ueberweiser|uberweiser|medecin|medico|medica|lekarz|huisarts|arts|lakare|lege|laakari|"
    r"doktor|hekim|orvos|lekar|врач|医生|clerk|user|operator|author|teacher|lehrer|employer|arbeitgeber|insurer|"
    r"contact|emergency|kin|angehoerige|angehorige|hospital|krankenhaus|clinic|klinik|practice|praxis|school|schule"
)
_RELATIVE = re.compile(
    r"mother|mothers|mutter|mere|madre|mae|matki|matka|moeder|mor|moder|father|fathers|vater|vaters|pere|padre|pai|"
    r"ojca|ojciec|vader|far|fader|parent|parents|eltern|guardian|spouse|husband|wife|partner|ehemann|ehefrau|conjoint"
)
Part = Literal["first", "last"]
PARTS: tuple[Part, Part] = ("first", "last")  # of a column of full names; a part is named after it: "full_name (first)"
LONG_ENOUGH = 5  # letters of a word that is also found inside a longer one: "patientsurname"
_OWN_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i"})


def words_of(heading: str) -> list[str]:
    """dateOfBirth, date_of_birth, DATE-OF-BIRTH -> date, of, birth; marks are taken off: Prénom -> prenom."""
    parted = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", heading)
    bare = unicodedata.normalize("NFD", parted.casefold().translate(_OWN_LETTERS))
    bare = unicodedata.normalize("NFC", "".join(sign for sign in bare if not "\u0300" <= sign <= "\u036f"))
    return re.findall(r"[^\W_]+", bare)


def of_whom(heading: str) -> Literal["", "attending", "relative"]:
    """Whose name, date or number it is, where the heading says that it is not the person's own."""
    words = words_of(heading)
    if any(_ATTENDING.fullmatch(word) for word in words):
        return "attending"
    return "relative" if any(_RELATIVE.fullmatch(word) for word in words) else ""


def role(heading: str) -> Role:
    """What the heading says by a word of its own, else by a long word inside one; '' when it says nothing."""
    part = part_of(heading)
    if part is not None:
        return part[1]
    words = words_of(heading)
    if of_whom(heading):
        return ""
    for known, said in WORDS.items():
        if any(word in said for word in words):
            return known
    for known, said in WORDS.items():
        if any(len(part) >= LONG_ENOUGH and part in word for word in words for part in said):
            return known
    return ""


def named(whole: str) -> tuple[str, str]:
    """The names of its two parts."""
    first, last = (f"{whole} ({part})" for part in PARTS)
    return first, last


def part_of(name: str) -> tuple[str, Part] | None:
    """The column that a part is named after, and which part it is."""
    for part in PARTS:
        whole = name.removesuffix(f" ({part})")
        if whole != name and whole:
            return whole, part
    return None
