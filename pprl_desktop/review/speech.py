"""What a screen reader says of a cell: made from the picture alone, so it cannot say more than the picture shows."""

from __future__ import annotations

from pprl_desktop.review.marks import CHECK, Cap, Drawing, Glyph, Level, Mask, MaskKind
from pprl_desktop.review.masking import shown
from pprl_desktop.said import NOTHING, Said, sentences

_NAMES = {
    " ": Said("space"),
    "-": Said("hyphen"),
    "'": Said("apostrophe"),
    ".": Said("full stop"),
    ",": Said("comma"),
    "/": Said("slash"),
}
_COMMON = {
    "unique": Said("unique"),
    "rare": Said("rare"),
    "common": Said("common"),
    "very common": Said("very common"),
}


def how_common(word: str) -> Said:
    return _COMMON.get(word, NOTHING)


def spoken(field: str, kind: MaskKind, drawing: Drawing, frequency: tuple[str, str] = ("", "")) -> Said:
    """One or two sentences: what the marks say, then the characters that are open."""
    parts = [Said("{field}: {comparison}.", field=field, comparison=_comparison(kind, drawing))]
    above, below = (_opened(row) for row in (drawing.above, drawing.below))
    if kind == "identical" and above:
        parts.append(Said("Both: {opened}.", opened=above))
    elif above or below:
        parts += [Said("Above: {opened}.", opened=above)] if above else []
        parts += [Said("Below: {opened}.", opened=below)] if below else []
    else:
        parts.append(Said("Nothing opened."))
    if any(frequency):
        one, other = (how_common(word) or Said("not known") for word in frequency)
        parts.append(
            Said("How common: {how}.", how=one)
            if one == other
            else Said("How common: above {above}, below {below}.", above=one, below=other)
        )
    return sentences(*parts)


def next_words(mask: Mask, level: Level, cap: Cap) -> Said:
    """What the next click opens. Numbers only where the picture shows them already."""
    if level == Level.PARTIAL:
        above, below = (len(shown(mask, level, cap, row)) for row in (0, 1))
        if above == below:
            return (
                Said("Opens the character that differs.")
                if above == 1
                else Said("Opens the {above} characters that differ.", above=above)
            )
        return Said("Opens the characters that differ: {above} above, {below} below.", above=above, below=below)
    if cap == "last4":
        return Said("Opens the last 4 characters.")
    return Said("Opens the value.") if any(mask.missing) or mask.kind == "identical" else Said("Opens both values.")


def _comparison(kind: MaskKind, drawing: Drawing) -> Said:
    if kind == "identical":
        return Said("identical")
    if kind == "different":
        return Said("too different to compare character by character")
    if kind == "category":
        return Said("different")
    if kind == "swapped":
        return Said("first and last name changed places")
    if kind == "missing":
        return _missing(drawing)
    kinds = [glyph.kind for glyph in drawing.above]
    said = [Said("month and day changed places")] if "swap" in kinds else []
    if differ := kinds.count("replace"):
        said.append(Said("{n|one character differs|{n} characters differ}", n=differ))
    above, below = (
        sum(glyph.kind == "insert" and not glyph.gap for glyph in row) for row in (drawing.above, drawing.below)
    )
    if above:
        said.append(Said("{n|one extra character above|{n} extra characters above}", n=above))
    if below:
        said.append(Said("{n|one extra character below|{n} extra characters below}", n=below))
    if places := kinds.count("transpose"):
        said.append(
            Said("two neighbouring characters changed places")
            if places == 2
            else Said("{n} neighbouring characters changed places", n=places)
        )
    same = kinds.count("same")
    said.append(Said("{n|1 character is the same|{n} characters are the same}", n=same))
    return Said("{parts}", parts=said)


def _missing(drawing: Drawing) -> Said:
    above, below = (row[0].kind == "missing" for row in (drawing.above, drawing.below))
    if above and below:
        return Said("missing in both")
    return Said("missing above") if above else Said("missing below")


def _opened(row: tuple[Glyph, ...]) -> Said:
    """The open characters one by one; closed ones are said as hidden, runs of them counted."""
    if not any(glyph.open for glyph in row):
        return NOTHING
    glyphs = [glyph for glyph in row if not glyph.gap and glyph.text != CHECK]
    if all(glyph.open or glyph.kind == "separator" for glyph in glyphs):
        return Said("{text}", text="".join(glyph.text for glyph in glyphs))
    said: list[Said | str] = []
    hidden = 0
    for glyph in glyphs:
        if glyph.open or glyph.kind == "separator":
            if hidden:
                said.append(Said("{n} hidden", n=hidden))
            hidden = 0
            said.append(_NAMES.get(glyph.text, glyph.text))
        else:
            hidden += 1
    if hidden:
        said.append(Said("{n} hidden", n=hidden))
    return Said("{parts}", parts=said)
