"""What a column's heading says: words, in several languages, that mark names, dates, ids and sensitive matters."""

from __future__ import annotations

import re
from typing import Literal

from pprl_desktop.records.roles import WORDS, Role, role, words_of

Hint = Literal["person", "date", "id", "number", "text", "contact", "place", "category", "sensitive", ""]

# parts of words, and words that mean something else where they stand alone
_OTHERWISE = frozenset("sur fore nach zweit second christian famille 姓 名".split())

# Each entry is matched against the words of a heading: "dateOfBirth", "date_of_birth" and "DATE OF BIRTH" are alike.
_WORDS: tuple[tuple[Hint, str], ...] = (
    (
        "sensitive",
        "diagnosis|diagnose|diag|icd\\d*|disease|illness|krankheit|income|salary|gehalt|einkommen|wage|revenu|race|"
        "ethnic|ethnicity|ethnie|religion|religious|konfession|hiv|medication|drug|drugs|treatment|therapy|therapie|"
        "lab|result|results|befund|disability|handicap|political|party|partei|sexual|orientation|criminal|conviction|"
        "debt|credit|iban|bic|cost|costs|charge|charges|score|outcome|bmi|weight|blood|smoker|smoking|alcohol|"
        "pregnant|pregnancy|citizenship|nationality|welfare|benefit|benefits|insurance|mortality|death|died|"
        "diagnostic|diagnostico|diagnosi|diagnoza|salaire|salario|ingresos|reddito|renda|inkomen|inkomst|nationalite|"
        "nacionalidad|religione|staatsangehoerigkeit|staatsangehorigkeit",
    ),
    (
        "contact",
        "ssn|soc|social|nhs|medicare|nin|passport|licence|license|phone|telephone|telefon|tel|mobile|handy|fax|email|"
        "mail|svnr|national|taxid|steuer|nino|medicaid|kvnr|versichertennummer|ahv|avs|bsn|personnummer|cpr|cpf|dni|"
        "nif|nie|curp|pesel|nir|insee|hetu|fiscale|telefono|telefone|telefoon|portable|movil|cellulare|celular|cell|"
        "gsm|mobil|mobiltelefon|puhelin|correo|courriel|epost|mailadresse|emailadresse|telefonnummer|handynummer|"
        "телефон|почта|电话|手机|電話|전화",
    ),
    (
        "place",
        "zip|zipcode|postcode|postal|plz|cp|city|town|ort|stadt|wohnort|suburb|village|county|state|province|region|"
        "country|land|street|strasse|str|road|address|adresse|adress|place|birthplace|house|hausnummer|unit|"
        "hausnr|gemeinde|kreis|bezirk|bundesland|kanton|canton|geburtsort|anschrift|postleitzahl|locality|"
        "municipality|district|apartment|apt|building|ville|commune|rue|codepostal|departement|pays|ciudad|calle|"
        "direccion|provincia|municipio|pais|poblacion|localidad|citta|comune|via|indirizzo|cap|paese|cidade|rua|"
        "morada|endereco|cep|bairro|straat|huisnummer|woonplaats|plaats|geboorteplaats|adres|gemeente|gata|"
        "gatuadress|postnummer|postnr|postort|kommun|gade|vej|katuosoite|postinumero|kaupunki|kunta|osoite|ulica|"
        "miasto|pocztowy|miejscowosc|ulice|mesto|psc|obec|utca|varos|iranyitoszam|cim|sehir|posta|sokak|ilce|город|улица|"
        "адрес|индекс|область|地址|城市|邮编|住所|郵便番号|주소",
    ),
    (
        "date",
        "date|datum|dob|birthday|birthdate|birth|born|geb|geboren|geburt|gebdat|geburtsdatum|geburtstag|geburtsjahr|geburtsmonat|"
        "birthyear|birthmonth|yob|year|jahr|naissance|nacimiento|nascita|nascimento|dod|datenaissance|fecha|"
        "fechanacimiento|data|geboorte|geboortedatum|geboortejaar|fodelsedatum|fodd|fodelsear|fodselsdato|dato|"
        "syntymaaika|syntymapaiva|urodzenia|narozeni|szuletes|szuletesi|dogum|tarih|tarihi|дата|рождения|出生日期|"
        "生日|生年月日|생년월일|γεννησησ",
    ),
    (
        "person",
        "name|names|firstname|lastname|surname|givenname|givennames|given|forename|forenames|middlename|middle|"
        "maiden|maidenname|fullname|nachname|vorname|vornamen|familienname|zuname|rufname|geburtsname|fname|lname|"
        "mname|nom|noms|prenom|prenoms|apellido|apellidos|nombre|nombres|cognome|nome|sobrenome|apelido|efternamn|"
        "fornamn|namn|alias|initial|initials|first|last|family|achternaam|voornaam|voornamen|tussenvoegsel|naam|"
        "meisjesnaam|efternavn|etternavn|fornavn|navn|mellomnavn|mellemnavn|sukunimi|etunimi|etunimet|nimi|nazwisko|"
        "imie|imiona|prijmeni|jmeno|priezvisko|vezeteknev|keresztnev|csaladnev|utonev|nev|soyad|soyadi|isim|ad|adi|"
        "fn|ln|vname|nname|sname|gname|name\\d|"
        "nume|prenume|prezime|ime|фамилия|имя|отчество|familiya|otchestvo|επωνυμο|ονομα|اسم|الاسم|اللقب|שם|姓名|姓|"
        "名|名字|氏名|名前|이름|성명",
    ),
    (
        "category",
        "sex|gender|geschlecht|title|titel|anrede|salutation|suffix|marital|status|type|kind|category|class|group|"
        "sexe|sexo|sesso|geslacht|kon|kjonn|sukupuoli|plec|pohlavi|cinsiyet|civilite|пол|性别|性別|성별",
    ),
    (
        "id",
        "id|ids|uid|uuid|guid|key|mrn|pid|recid|recordid|patientid|patid|patientnr|nr|no|num|numero|nummer|code|index|"
        "pseudonym|rowid|lfdnr|satznummer|identifier|identifiant|identificador|编号|번호",
    ),
    (
        "number",
        "age|alter|count|amount|sum|total|height|size|length|price|value|percent|rate|number|anzahl|betrag|edad|eta|"
        "idade|leeftijd|alder|ika|wiek|vek|yas|возраст|年龄|年齢|나이",
    ),
    ("text", "comment|comments|note|notes|remark|remarks|bemerkung|description|text|memo|occupation|beruf|job"),
)
# what roles.py knows as a part of a name, a birth or a place is known here, too
_OF_ROLE: dict[Hint, tuple[Role, ...]] = {
    "person": ("last", "first", "middle"), "date": ("birth",), "category": ("sex",),
    "place": ("city", "postcode", "street"),
}  # fmt: skip


def _all_words(meaning: Hint, words: str) -> str:
    known = (word for role in _OF_ROLE.get(meaning, ()) for word in sorted(WORDS[role]) if word not in _OTHERWISE)
    return "|".join((words, *known))


_RULES = tuple((meaning, re.compile(f"(?:{_all_words(meaning, words)})")) for meaning, words in _WORDS)
_RECORD_ID = re.compile(
    r"(?:(?:rec|record|row|line|case|pat|patient|person|client|member|subject|study|fall|satz|unique|my|own|the|lfd|"
    r"patienten|probanden|klienten|kunden|akten|datensatz|laufende)? ?"
    r"(?:id|uid|uuid|guid|key|nr|no|number|nummer)|index|mrn|pid|recid|patientid|patid|patientnr|recordid|rowid|"
    r"lfdnr|satznummer|pseudonym)"
)
# Identifying numbers that both organisations may hold: they link, a record number of one of them does not.
_SHARED_ID = re.compile(
    r"ssn|soc|social|nhs|medicare|nin|passport|licence|license|svnr|national|taxid|steuer|nino|medicaid|kvnr|"
    r"versichertennummer|ahv|avs|bsn|personnummer|cpr|cpf|dni|nif|nie|curp|pesel|nir|insee|hetu|fiscale"
)
_BIRTH = re.compile(
    r"dob|birth\w*|born|geb|geburts?(?:datum|tag|jahr|monat)?|gebdat\w*|gebjahr|yob|naissance|datenaissance|nacimiento|"
    r"fechanacimiento|nascita|nascimento|geboorte(?:datum|jaar)?|fodelse\w*|fodd|fodsels?\w*|syntym\w*|urodzenia|"
    r"narozeni|szulet\w*|dogum\w*|рождения|生日|生年月日|出生\w*|생년월일|by|bm|bd"
)
_AGE = re.compile(r"age|alter|edad|eta|idade|leeftijd|alder|ika|wiek|vek|yas|возраст|年龄|年齢|나이")


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


def is_bare_number(heading: str) -> bool:
    """Nothing in the heading says of what it is the number."""
    return words_of(heading) in (["nr"], ["no"], ["number"], ["nummer"])


def is_shared_id(heading: str) -> bool:
    return any(_SHARED_ID.fullmatch(word) for word in words_of(heading))


def is_birth(heading: str) -> bool:
    return role(heading) == "birth" or any(_BIRTH.fullmatch(word) for word in words_of(heading))


def is_of_household(heading: str) -> bool:
    """Whether those who live together share it, or half of all people: where they live, the telephone, the sex."""
    return hint(heading) in ("place", "category") or role(heading) == "phone"


def is_age(heading: str) -> bool:
    return any(_AGE.fullmatch(word) for word in words_of(heading))
