"""Makes resources/names and resources/reference from the US Census 1990 name lists.

    python packaging/make_reference_sets.py FOLDER

FOLDER holds the Census files `dist.all.last`, `dist.female.first` and `dist.male.first`; the PyPI package
`names` carries them unchanged (`pip install --target X names`, then FOLDER is X/names). Without FOLDER the
installed package is used. The draw is seeded: running it again writes the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import io
import random
from pathlib import Path

RESOURCES = Path(__file__).resolve().parent.parent / "resources"
SEED = 1990
PER_MILLION = 10_000  # the lists give percent; counts are bearers per million people of the sex
RARE = 3  # printed as 0.000 %: fewer than 5 bearers per million
# Very short names are near everything, and the rare end of the list is mostly misspellings.
SHORTEST = 3
COMMON_FIRST, COMMON_LAST = 3_000, 40_000


def read(path: Path) -> dict[str, int]:
    counts = {}
    for line in path.read_text(encoding="ascii").splitlines():
        name, percent, *_ = line.split()
        counts[name] = max(round(float(percent) * PER_MILLION), RARE)
    return counts


def merged(*lists: dict[str, int]) -> dict[str, int]:
    """Male and female lists as one: a name borne by both has the sum."""
    total: dict[str, int] = {}
    for names in lists:
        for name, count in names.items():
            total[name] = total.get(name, 0) + count
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def table(header: list[str], rows: list[tuple[str, ...]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def write_names(name: str, counts: dict[str, int]) -> None:
    text = table(["name", "count"], [(value, str(count)) for value, count in counts.items()])
    data = gzip.compress(text.encode("ascii"), 9, mtime=0)
    (RESOURCES / "names" / f"{name}.csv.gz").write_bytes(data)


def write_set(name: str, header: list[str], rows: list[tuple[str, ...]]) -> None:
    (RESOURCES / "reference" / f"{name}.csv").write_text(table(header, rows), encoding="utf-8", newline="\n")


def people(draw: random.Random, size: int, first: dict[str, int], last: dict[str, int]) -> list[tuple[str, ...]]:
    """Uniform and without repetition: a spread-out set tells values apart better than a set full of SMITHs."""
    firsts = [name for name in list(first)[:COMMON_FIRST] if len(name) >= SHORTEST]
    lasts = [name for name in list(last)[:COMMON_LAST] if len(name) >= SHORTEST]
    return list(zip(draw.sample(firsts, size), draw.sample(lasts, size), strict=True))


# Made up for this project: parts of which place and street names are built, none of them a list of places.
HEADS = """ALDER ASH BARN BECK BIRCH BLACK BRAM BRIDGE BROAD BROOK CASTLE CEDAR CHAPEL CLEAR CLIFF COLD COPPER CROSS
DEER EAGLE EAST ELM FAIR FERN FOX GLEN GOLD GREEN HARBOR HAZEL HIGH HOLLY IRON KING LAKE LARK LIME LONG MAPLE MARSH
MEADOW MILL MOSS NORTH OAK OLD OTTER PARK PEBBLE PINE QUARRY RAVEN RED RIVER ROSE SAND SILVER SOUTH SPRING STONE
SUMMER SWAN THORN UPPER VALE WALNUT WATER WEST WHITE WILLOW WIND WOLF WOOD""".split()
TAILS = """BOROUGH BOURNE BURY BY CLIFF COMBE CREST DALE DEN FIELD FORD GATE GROVE HAM HAVEN HILL HOLM HURST LAND LEIGH
MERE MINSTER MONT MOOR MOUTH PORT RIDGE SHIRE SIDE STEAD STOW TON VIEW VILLE WELL WICK WORTH""".split()
WAYS = "AVENUE BOULEVARD CLOSE COURT DRIVE GARDENS LANE PARKWAY PLACE ROAD ROW SQUARE STREET TERRACE TRAIL WAY".split()


def places(draw: random.Random, size: int) -> list[tuple[str, ...]]:
    towns = [head + tail for head in HEADS for tail in TAILS if head != tail]
    streets = [f"{head} {way}" for head in HEADS for way in WAYS]
    return list(zip(draw.sample(towns, size), draw.sample(streets, size), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="folder with the three dist.* files")
    folder = parser.parse_args().folder
    if folder is None:
        spec = importlib.util.find_spec("names")
        if spec is None or spec.origin is None:
            parser.error("give the folder of the lists, or install the package 'names'")
        folder = Path(spec.origin).parent
    last = merged(read(folder / "dist.all.last"))
    first = merged(read(folder / "dist.male.first"), read(folder / "dist.female.first"))
    for part in ("names", "reference"):
        (RESOURCES / part).mkdir(parents=True, exist_ok=True)
    write_names("last", last)
    write_names("first", first)
    for size in (200, 2000):
        write_set(f"us-{size}", ["first", "last"], people(random.Random(SEED + size), size, first, last))
    write_set("places-200", ["place", "street"], places(random.Random(SEED), 200))


if __name__ == "__main__":
    main()
