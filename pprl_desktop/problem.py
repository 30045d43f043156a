"""A problem for the steward, as a value: what happened, why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """ "Did you mean 'bloom'? " where a known name is close to the one given; '' where none is."""
    import difflib

    lower = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), list(lower), n=1)
    return f"Did you mean '{lower[close[0]]}'? " if close else ""


class Problem(Exception):  # noqa: N818 - a Problem is shown to the steward, it is not a programming error
    """Bad input or a state the steward must act on. Texts never contain a personal value."""

    def __init__(self, what: str, why: str = "", do: str = "", *, place: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.do = do
        self.place = place  # machine-readable: the field, line or control it speaks of

    def sentence(self) -> str:
        return " ".join(part for part in (self.what, self.why, self.do) if part)

    def __str__(self) -> str:
        return self.sentence()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (self.what, self.why, self.do, self.place) == (other.what, other.why, other.do, other.place)

    def __hash__(self) -> int:
        return hash((self.what, self.why, self.do, self.place))

    def as_dict(self) -> dict[str, str]:
        return {"what": self.what, "why": self.why, "do": self.do, "place": self.place}


class Failure(Problem):
    """The computer refused (disk full, folder read-only, file locked): the input was not to blame."""
