"""Working with people who use other tools: CLKs of clkhash, Open Link Tokens. What leaves is in the ledger first.

These files are not sealed and carry no noise, and whoever holds the secret can read them with a dictionary: that is
said wherever one is made. No agreement of ours stands behind them, so the ledger names the receiver as typed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pprl_desktop import files
from pprl_desktop.problem import Problem
from pprl_desktop.progress import NO_PROGRESS, Progress
from pprl_desktop.said import Said

if TYPE_CHECKING:
    from pprl_desktop.codes.base import Smashed
    from pprl_desktop.decisions.base import Match, MatchOptions
    from pprl_desktop.exchange.disclosures import What
    from pprl_desktop.exchange.home import Home
    from pprl_desktop.interchange.clk_schema import Schema
    from pprl_desktop.records.table import Table
    from pprl_desktop.rehearsal.formats import FormatRehearsal

LEAST_SECRET = 8  # bytes: a shorter one is tried out in no time
MOST_SECRET = 1 << 16
CLK_GIVES_AWAY = Said(
    "A CLK has no noise and is not sealed: whoever holds the secret can hash a telephone book and look every record "
    "up, and without the secret similar names still have similar bits. Send it only through an encrypted channel."
)
TOKENS_GIVE_AWAY = Said(
    "Tokens have no noise and are not sealed: whoever holds the secret can run a dictionary over them. T5 is only a "
    "surname, three letters of the first name and the sex. Send them only through an encrypted channel."
)


@dataclass(frozen=True)
class Written:
    """A file for a partner who uses another tool."""

    path: Path
    records: int
    entry: int  # number in the ledger
    gives_away: Said
    notes: tuple[Said, ...] = ()


class OwnFile:
    """The own table for files of other tools, read once; the window asks it for work, never for a table."""

    def __init__(self, path: Path, progress: Progress = NO_PROGRESS) -> None:
        from pprl_desktop.records.reading import read_table

        self.path = path
        self._table = read_table(path, progress=progress).table

    @property
    def rows(self) -> int:
        return self._table.rows

    @property
    def columns(self) -> tuple[str, ...]:
        return self._table.names

    def guessed(self, wanted: Sequence[str]) -> dict[str, str]:
        """The own column of each feature or attribute: the same name, or a word for the same thing; else none."""
        from pprl_desktop.records.roles import role

        found: dict[str, str] = {}
        for alike in (lambda name, column: name.casefold() == column.casefold(),
                      lambda name, column: role(name) == role(column) != ""):  # fmt: skip
            for name in wanted:
                free = [one for one in self.columns if one not in found.values() and alike(name, one)]
                if name not in found and free:
                    found[name] = free[0]
        return found

    def write_clks(
        self, home: Home, schema: Path, secret: bytes, columns: Mapping[str, str], to: str, out: Path,
        progress: Progress = NO_PROGRESS,
    ) -> Written:  # fmt: skip
        return write_clks(home, self._table, schema, secret, columns, to, out, progress)

    def write_codi(
        self, home: Home, schema: Path, secret: bytes, columns: Mapping[str, str], to: str, out: Path,
        progress: Progress = NO_PROGRESS,
    ) -> Written:  # fmt: skip
        return write_codi(home, self._table, [schema], secret, columns, to, out, progress)

    def match_clks(
        self, schema: Path, secret: bytes, columns: Mapping[str, str], partner: Path, progress: Progress = NO_PROGRESS
    ) -> Match:
        from pprl_desktop.decisions.base import MatchOptions

        return match_clks(self._table, schema, secret, columns, partner, MatchOptions(), progress)[0]

    def rehearse_clks(
        self, schema: Path, secret: bytes, columns: Mapping[str, str], progress: Progress = NO_PROGRESS
    ) -> FormatRehearsal:
        return rehearse_clks(self._table, schema, secret, columns, progress=progress)

    def write_tokens(
        self, home: Home, columns: Mapping[str, str], secret: bytes, to: str, out: Path,
        progress: Progress = NO_PROGRESS,
    ) -> Written:  # fmt: skip
        return write_tokens(home, self._table, columns, secret, to, out, progress)

    def match_tokens(
        self, columns: Mapping[str, str], secret: bytes, partner: Path, progress: Progress = NO_PROGRESS
    ) -> dict[tuple[str, str], tuple[str, ...]]:
        return match_tokens(self._table, columns, secret, partner, progress)

    def rehearse_tokens(self, columns: Mapping[str, str], progress: Progress = NO_PROGRESS) -> FormatRehearsal:
        return rehearse_tokens(self._table, columns, progress)


@dataclass(frozen=True)
class SchemaSeen:
    """A partner's schema as far as the steward needs it: what it hashes, and what is odd about it."""

    features: tuple[str, ...]
    bits: int
    warnings: tuple[Said, ...]


def look_at_schema(path: Path) -> SchemaSeen:
    from pprl_desktop.interchange import clk_schema

    found = clk_schema.read(path)
    return SchemaSeen(tuple(one.name for one in found.hashed), found.bits, found.warnings)


def attributes() -> tuple[str, ...]:
    """Of the token rules."""
    from pprl_desktop.interchange.link_tokens import ATTRIBUTES

    return ATTRIBUTES


def read_secret(path: Path) -> bytes:
    """From a file, without the line end; never an argument, which every user of the computer could see."""
    secret = files.read_bytes(path, MOST_SECRET, Problem("The secret is too long.", place="secret")).strip(b"\r\n")
    if len(secret) < LEAST_SECRET:
        raise Problem(
            "The secret is too short.",
            Said("With fewer than {n} characters it can be tried out.", n=LEAST_SECRET),
            "Agree on a longer one.",
            place="secret",
        )
    return secret


def write_clks(
    home: Home,
    table: Table,
    schema_path: Path,
    secret: bytes,
    columns: Mapping[str, str],
    to: str,
    out: Path,
    progress: Progress = NO_PROGRESS,
) -> Written:
    """One schema, one CLK JSON file."""
    from pprl_desktop.interchange import clk_files, clk_schema

    schema = clk_schema.read(schema_path)
    made = _hashed(table, {schema_path.stem: schema}, secret, columns, progress.part(0.0, 0.7))

    def write(progress: Progress) -> None:
        clk_files.write(out, made.clks[schema_path.stem][0], schema.bits, progress)

    return _send(home, made, to, out, write, progress.part(0.7, 1.0))


def write_codi(
    home: Home,
    table: Table,
    schema_paths: Sequence[Path],
    secret: bytes,
    columns: Mapping[str, str],
    to: str,
    out: Path,
    progress: Progress = NO_PROGRESS,
) -> Written:
    """Several schemas in one zip, as the CODI tools lay it out and with the secret they derive."""
    from pprl_desktop.interchange import clk_files, clk_schema

    schemas: dict[str, Schema] = {}
    for path in schema_paths:
        schema = clk_schema.read(path)
        clk_files.must_suit_codi(schema, path.stem, tuple(schemas))
        schemas[path.stem] = schema
    made = _hashed(table, schemas, clk_files.secret_of_codi(secret), columns, progress.part(0.0, 0.7))
    return _send(home, made, to, out, lambda part: clk_files.write_zip(out, made.clks, part), progress.part(0.7, 1.0))


@dataclass(frozen=True, eq=False, repr=False)
class _Hashed:
    """A table under each schema, by the schema's name."""

    clks: dict[str, tuple[Smashed, int]]  # and their bits
    fields: tuple[str, ...]
    notes: tuple[Said, ...]


def _hashed(
    table: Table, schemas: Mapping[str, Schema], secret: bytes, columns: Mapping[str, str], progress: Progress
) -> _Hashed:
    from pprl_desktop.interchange import clk_encode, clk_fitting

    made: dict[str, tuple[Smashed, int]] = {}
    names: dict[str, None] = {}
    notes: list[Said] = []
    for at, (name, schema) in enumerate(schemas.items()):
        fitted = clk_fitting.fitted(table, schema, columns)
        part = progress.part(at / len(schemas), (at + 1) / len(schemas))
        encoded = clk_encode.encode(fitted.table, schema, secret, columns, part)
        clk_encode.must_fit(encoded, schema)
        made[name] = encoded.smashed(), schema.bits
        names |= dict.fromkeys(encoded.names)
        notes += [one for one in (*schema.warnings, *fitted.notes) if one not in notes]
    return _Hashed(made, tuple(names), tuple(notes))


def _send(
    home: Home, made: _Hashed, to: str, out: Path, write: Callable[[Progress], None], progress: Progress
) -> Written:
    """In the ledger first; then the file."""
    rows = next(iter(made.clks.values()))[0].rows
    content = b"".join(one.part("record").values.tobytes() for one, _ in made.clks.values())
    entry = _left(home, "CLKs", to, content, rows, made.fields)
    write(progress)
    _written(home, entry, out)
    return Written(out, rows, entry, CLK_GIVES_AWAY, made.notes)


def rehearse_clks(
    table: Table,
    schema_path: Path,
    secret: bytes,
    columns: Mapping[str, str],
    *,
    sample: int = 300,
    progress: Progress = NO_PROGRESS,
) -> FormatRehearsal:
    """Whoever holds the secret, against the CLKs that would leave; nothing does."""
    from pprl_desktop.interchange import clk_fitting, clk_schema
    from pprl_desktop.rehearsal import formats

    schema = clk_schema.read(schema_path)
    fitted = clk_fitting.fitted(table, schema, columns).table
    return formats.rehearse_clks(fitted, schema, secret, columns, sample=sample, progress=progress)


def rehearse_tokens(table: Table, columns: Mapping[str, str], progress: Progress = NO_PROGRESS) -> FormatRehearsal:
    """Whoever holds the secret, against the tokens that would leave; nothing does."""
    from pprl_desktop.rehearsal import formats

    return formats.rehearse_tokens(table, columns, progress)


def match_clks(
    table: Table,
    schema_path: Path,
    secret: bytes,
    columns: Mapping[str, str],
    partner: Path,
    options: MatchOptions,
    progress: Progress = NO_PROGRESS,
) -> tuple[Match, Schema]:
    """The own table against a partner's CLK file, or against the file of this schema in a zip of the CODI tools."""
    from pprl_desktop.interchange import clk_encode, clk_files, clk_fitting, clk_match, clk_schema

    schema = clk_schema.read(schema_path)
    if clk_files.is_zip(partner):
        theirs = clk_files.read_zip(partner, schema_path.stem, progress.part(0.0, 0.1))
        secret = clk_files.secret_of_codi(secret)
    else:
        theirs = clk_files.read(partner, progress.part(0.0, 0.1))
    fitted = clk_fitting.fitted(table, schema, columns).table
    own = clk_encode.encode(fitted, schema, secret, columns, progress.part(0.1, 0.3))
    clk_encode.must_fit(own, schema)
    rest = progress.part(0.3, 1.0)
    return clk_match.match_clks(fitted, own, theirs, schema, secret, columns, options, rest), schema


def write_tokens(
    home: Home,
    table: Table,
    columns: Mapping[str, str],
    secret: bytes,
    to: str,
    out: Path,
    progress: Progress = NO_PROGRESS,
) -> Written:
    """Tokens carry row numbers, never an id of the own table."""
    from pprl_desktop.interchange import link_tokens

    made = link_tokens.tokens(table, columns, secret, progress=progress.part(0.0, 0.8))
    content = "\n".join(one.token for one in made).encode()
    records = len({one.record for one in made})
    entry = _left(home, "tokens", to, content, records, tuple(columns))
    link_tokens.write(out, made, progress.part(0.8, 1.0))
    _written(home, entry, out)
    missing = table.rows - records
    note = Said("{n} {n|record has|records have} no token: an attribute is missing or invalid.", n=missing)
    return Written(out, records, entry, TOKENS_GIVE_AWAY, (note,) if missing else ())


def match_tokens(
    table: Table, columns: Mapping[str, str], secret: bytes, partner: Path, progress: Progress = NO_PROGRESS
) -> dict[tuple[str, str], tuple[str, ...]]:
    """Own row and partner's record -> the rules by which they agree."""
    from pprl_desktop.interchange import link_tokens

    theirs = link_tokens.read(partner, progress.part(0.0, 0.2))
    return link_tokens.linked(link_tokens.tokens(table, columns, secret, progress=progress.part(0.2, 1.0)), theirs)


def write_pairs(path: Path, match: Match, ids: Sequence[str] | None = None, progress: Progress = NO_PROGRESS) -> int:
    """All pairs of a match, accepted or to review, as Splink's users and R read them (interchange/pairs.py)."""
    from pprl_desktop.interchange import pairs

    return pairs.write_pairs(path, match, ids, progress)


def write_token_pairs(path: Path, pairs: Mapping[tuple[str, str], Sequence[str]]) -> None:
    """One line per pair: number of the own row, the partner's record, the rules by which they agree."""
    from pprl_desktop.records.writing import write_csv

    rows = ([own, record, " ".join(rules)] for (own, record), rules in pairs.items())
    write_csv(path, ("own_row", "partner_record", "rules"), rows, for_spreadsheet=True)


def _left(home: Home, what: What, to: str, content: bytes, records: int, fields: tuple[str, ...]) -> int:
    import hashlib

    from pprl_desktop.exchange.disclosures import PlannedDisclosure
    from pprl_desktop.exchange.names import check_name

    digest = hashlib.sha256(content).hexdigest()
    planned = PlannedDisclosure(what, check_name(to), "", digest, records, fresh=records, fields=fields)
    with home.locked():
        return home.ledger().disclose(planned).number


def _written(home: Home, number: int, out: Path) -> None:
    with home.locked():
        ledger = home.ledger()
        entered = next(one for one in ledger.disclosures() if one.number == number)
        ledger.disclosure_written(entered, files.sha256(out))
