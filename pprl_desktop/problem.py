"""A problem for the steward, as a value: what happened, why, and what to do."""

from __future__ import annotations

from collections.abc import Sequence

from pprl_desktop.said import NOTHING, Said, as_said, sentences


def did_you_mean(name: str, known: Sequence[str]) -> Said:
    """ "Did you mean 'bloom'?" where a known name is close to the one given; nothing where none is."""
    import difflib

    lower = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), list(lower), n=1)
    return Said("Did you mean '{name}'?", name=lower[close[0]]) if close else NOTHING


class Problem(Exception):  # noqa: N818 - a Problem is shown to the steward, it is not a programming error
    """Bad input or a state the steward must act on. Texts never contain a personal value.

    A text given as it is must be a literal, its own template; one with values is a Said.
    """

    def __init__(
        self, what: Said | str, why: Said | str = NOTHING, do: Said | str = NOTHING, *, place: str = ""
    ) -> None:
        self.what = as_said(what)
        self.why = as_said(why)
        self.do = as_said(do)
        self.place = place  # machine-readable: the field, line or control it speaks of
        super().__init__(self.what)

    def sentence(self) -> Said:
        return sentences(self.what, self.why, self.do)

    def __str__(self) -> str:
        return str(self.sentence())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (self.what, self.why, self.do, self.place) == (other.what, other.why, other.do, other.place)

    def __hash__(self) -> int:
        return hash((self.what, self.why, self.do, self.place))

    def as_dict(self) -> dict[str, str]:
        """For the terminal, in English."""
        return {"what": str(self.what), "why": str(self.why), "do": str(self.do), "place": self.place}


class Failure(Problem):
    """The computer refused (disk full, folder read-only, file locked): the input was not to blame."""
