"""Reference sets: built in, from a file, from the secret; fingerprints; overlap."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pprl_desktop import resources
from pprl_desktop.problem import Problem
from pprl_desktop.records.cleaning import clean
from pprl_desktop.records.fields import Field
from pprl_desktop.records.table import Table
from pprl_desktop.reference.derived import digits, from_secret, words
from pprl_desktop.reference.load import names, reference_set, with_digits
from pprl_desktop.reference.names import dictionary
from pprl_desktop.reference.overlap import overlap
from pprl_desktop.reference.sets import ReferenceSet

SECRET = b"sixteen bytes or more of secret"
# A changed fingerprint would part two organisations that use different versions: change the name of the set instead.
FINGERPRINTS = {
    "us-200": "f63569753c37301a4f8d9b96711557266179db826f87b58952c777de756c11c2",
    "us-2000": "4c5f003a24659c18a7670ba3f058bee2b654235c4d118b356fe3cfe2ec922c04",
    "places-200": "692809f745789fcb5ff3631126a7bafe474daa586245e48adc4c992de494e5f6",
}


@pytest.mark.parametrize(
    ("name", "size", "attributes"),
    [
        ("us-200", 200, ("first", "last", "digits")),
        ("us-2000", 2000, ("first", "last", "digits")),
        ("places-200", 200, ("place", "street", "digits")),
        ("secret-200", 200, ("first", "last", "digits")),
        ("secret-50", 50, ("first", "last", "digits")),
    ],
)
def test_sets_by_name(name: str, size: int, attributes: tuple[str, ...]) -> None:
    made = reference_set(name, SECRET)
    assert (made.name, made.size, made.attributes) == (name, size, attributes)
    for attribute in attributes:
        column = made.attribute(attribute)
        assert len(set(column)) == size
        assert all(re.fullmatch("[0-9]+" if attribute == "digits" else "[A-Z ]+", value) for value in column)


def test_fingerprints_are_the_same_on_every_computer_and_in_every_version() -> None:
    assert {name: reference_set(name).fingerprint for name in FINGERPRINTS} == FINGERPRINTS


def test_built_in_names_come_from_the_census() -> None:
    for which in ("first", "last"):
        assert set(reference_set("us-2000").attribute(which)) <= set(dictionary(which).values)


def test_the_script_makes_the_same_bytes_again(tmp_path: Path) -> None:
    """From the frequencies in resources/names, written as the Census files are."""
    root = resources.root().parent
    if not (root / "packaging" / "make_reference_sets.py").is_file():
        pytest.skip("only in the source tree")
    script = (root / "packaging" / "make_reference_sets.py").read_text(encoding="utf-8")
    copy = tmp_path / "packaging" / "make_reference_sets.py"
    copy.parent.mkdir()
    copy.write_text(script, encoding="utf-8")
    lists = tmp_path / "lists"
    lists.mkdir()

    def census(name: str, which: str) -> None:
        known = dictionary(which)
        lines = [f"{value} {count / 10_000:.4f} 0 0" for value, count in zip(known.values, known.counts, strict=True)]
        (lists / name).write_text("\n".join(lines), encoding="ascii")

    census("dist.all.last", "last")
    census("dist.male.first", "first")
    (lists / "dist.female.first").write_text("")
    subprocess.run([sys.executable, str(copy), str(lists)], check=True)
    for name in ("us-200", "us-2000", "places-200"):
        made = (tmp_path / "resources" / "reference" / f"{name}.csv").read_bytes()
        assert made == resources.find("reference", f"{name}.csv").read_bytes()


def test_a_set_from_the_secret_is_that_secrets_own() -> None:
    one, again, other = from_secret(SECRET), from_secret(SECRET), from_secret(SECRET + b"!")
    assert one.fingerprint == again.fingerprint != other.fingerprint
    assert not set(one.attribute("last")) & set(other.attribute("last"))
    assert not set(one.attribute("first")) & set(one.attribute("last"))
    real = set(dictionary("last").values) | set(dictionary("first").values)
    assert len(real & set(one.attribute("last"))) < 10
    assert words(SECRET, "x", 30) == words(SECRET, "x", 50)[:30]
    with pytest.raises(Problem, match="secret"):
        reference_set("secret-200")
    with pytest.raises(Problem, match="cannot be made"):
        reference_set("secret-999999", SECRET)


def test_digits_look_like_dates_and_numbers() -> None:
    made = digits(b"", 200)
    assert made == reference_set("us-200").attribute("digits")
    assert sum(bool(re.fullmatch(r"(19|20)\d\d(0[1-9]|1[0-2])[0-2]\d", value)) for value in made) >= 100
    assert len({len(value) for value in made}) >= 5
    assert digits(SECRET, 50) != digits(b"", 50)
    plain = ReferenceSet.of("x", ["a"], [["A"], ["B"]])
    assert with_digits(with_digits(plain, SECRET)).attributes == ("a", "digits")


def test_dictionaries_have_frequencies() -> None:
    last = dictionary("last")
    assert last.values[:2] == ("SMITH", "JOHNSON")
    assert len(last) == 88_799
    assert (last.counts[:-1] >= last.counts[1:]).all()
    assert last.counts.min() > 0
    assert last.shares.sum() == pytest.approx(1.0)
    assert len(set(dictionary("first").values)) == len(dictionary("first")) == 5_163


def write(path: Path, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def test_a_set_from_a_file_is_cleaned_like_the_data(tmp_path: Path) -> None:
    rows = [["Given", "Family"], *([f"Zoë{chr(65 + n)}", f"O'Né{chr(65 + n)}"] for n in range(25)), ["", "X"]]
    made = reference_set(write(tmp_path / "own.csv", rows))
    assert made.attributes == ("Given", "Family", "digits")
    assert made.size == 25
    assert made.attribute("Family")[0] == "ONEA"


def test_a_file_is_read_again_only_when_it_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "own.csv", [["a"], *([f"ONE{n}"] for n in range(40))])
    first = reference_set(path)
    assert reference_set(path) is first
    write(path, [["a"], *([f"OTHER{n}"] for n in range(40))])
    assert reference_set(path).fingerprint != first.fingerprint


def test_a_file_that_cannot_serve_is_refused(tmp_path: Path) -> None:
    few = write(tmp_path / "few.csv", [["a", "b"], *([f"x{n}", f"y{n}"] for n in range(5))])
    with pytest.raises(Problem, match="too few"):
        reference_set(few)
    same = write(tmp_path / "same.csv", [["a", "b"], *([f"x{n}", "SAME"] for n in range(40))])
    with pytest.raises(Problem, match="'b' has only 1"):
        reference_set(same)
    with pytest.raises(Problem, match="us-200"):
        reference_set("us-20")
    with pytest.raises(Problem, match="no attribute 'middle'"):
        reference_set("us-200").attribute("middle")
    assert "us-200" in names()


def test_overlap_counts_and_explains() -> None:
    reference = ReferenceSet.of("r", ["first", "last"], [["ANN", "LEE"], ["BOB", "KAY"]])
    rows = [("Ann", "Lee"), ("Ann", "Zed"), ("Cy", "Zed"), ("", ""), ("Lee", "Ann"), ("Ann", "")]
    table = clean(Table.of(["first", "last"], rows), [Field.of("first"), Field.of("last")], {})
    made = overlap(table, reference, {"first": ("first",), "last": ("last",)})
    assert (made.records, made.whole_records, made.of_records) == (3, 2, 6)
    assert [(f.values, f.of_values, f.records, f.of_records) for f in made.fields] == [(1, 3, 3, 5), (1, 3, 1, 4)]
    assert overlap(table, reference).records == 4
    assert "distance 0" in str(made.why)
    assert "agreement" in str(made.advice)
    assert "50.0%" in str(made.sentence())
    nothing = overlap(table, ReferenceSet.of("r", ["first"], [["XXX"]]))
    assert str(nothing.sentence()).startswith("No value")
    assert made.as_dict()["records"] == 3


def test_a_sheet_of_a_workbook_is_a_reference_set(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["remark"])
    page = book.create_sheet("Names")
    page.append(["first", "last"])
    for n in range(40):
        page.append([f"First{chr(97 + n % 26)}{n}", f"Last{n}"])
    book.save(tmp_path / "names.xlsx")
    made = reference_set(f"{tmp_path / 'names.xlsx'}#Names")
    assert made.size == 40
    with pytest.raises(Problem, match="There is no sheet"):
        reference_set(f"{tmp_path / 'names.xlsx'}#Other")
