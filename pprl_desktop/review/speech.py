"""What a screen reader says of a cell: made from the picture alone, so it cannot say more than the picture shows."""

from __future__ import annotations

from pprl_desktop.review.marks import CHECK, Cap, Drawing, Glyph, Level, MarkKind, Mask, MaskKind
from pprl_desktop.review.masking import shown

_NAMES = {" ": "space", "-": "hyphen", "'": "apostrophe", ".": "full stop", ",": "comma", "/": "slash"}
_EDITS: tuple[tuple[MarkKind, str, str], ...] = (
    ("replace", "one character differs", "{n} characters differ"),
    ("insert", "one extra character", "{n} extra characters"),
    ("transpose", "two neighbouring characters changed places", "{n} neighbouring characters changed places"),
)


def spoken(field: str, kind: MaskKind, drawing: Drawing, frequency: tuple[str, str] = ("", "")) -> str:
    """One or two sentences: what the marks say, then the characters that are open."""
    parts = [f"{field}: {_comparison(kind, drawing)}."]
    opened = [_opened(row) for row in (drawing.above, drawing.below)]
    if any(opened):
        if kind == "identical":
            parts.append(f"Both: {opened[0]}.")
        else:
            parts += [f"{name}: {text}." for name, text in zip(("Above", "Below"), opened, strict=True) if text]
    else:
        parts.append("Nothing opened.")
    if any(frequency):
        words = [word or "not known" for word in frequency]
        same = words[0] == words[1]
        parts.append(f"How common: {words[0]}." if same else f"How common: above {words[0]}, below {words[1]}.")
    return " ".join(parts)


def next_words(mask: Mask, level: Level, cap: Cap) -> str:
    """What the next click opens. Numbers only where the picture shows them already."""
    if level == Level.PARTIAL:
        above, below = (len(shown(mask, level, cap, row)) for row in (0, 1))
        if above == below:
            return "Opens the character that differs." if above == 1 else f"Opens the {above} characters that differ."
        return f"Opens the characters that differ: {above} above, {below} below."
    if cap == "last4":
        return "Opens the last 4 characters."
    return "Opens the value." if any(mask.missing) or mask.kind == "identical" else "Opens both values."


def _comparison(kind: MaskKind, drawing: Drawing) -> str:
    if kind == "identical":
        return "identical"
    if kind == "different":
        return "too different to compare character by character"
    if kind == "category":
        return "different"
    if kind == "swapped":
        return "first and last name changed places"
    if kind == "missing":
        return _missing(drawing)
    kinds = [glyph.kind for glyph in drawing.above]
    said = ["month and day changed places"] if "swap" in kinds else []
    for mark, one, many in _EDITS:
        count = kinds.count(mark)
        if mark == "transpose":
            said += [one] if count == 2 else ([many.format(n=count)] if count else [])
        elif mark == "insert":
            for row, where in ((drawing.above, "above"), (drawing.below, "below")):
                here = sum(glyph.kind == "insert" and not glyph.gap for glyph in row)
                said += [f"{(one if here == 1 else many).format(n=here)} {where}"] if here else []
        elif count:
            said.append((one if count == 1 else many).format(n=count))
    same = kinds.count("same")
    rest = "1 character is the same" if same == 1 else f"{same} characters are the same"
    return ", ".join([*said, rest])


def _missing(drawing: Drawing) -> str:
    above, below = (row[0].kind == "missing" for row in (drawing.above, drawing.below))
    if above and below:
        return "missing in both"
    return "missing above" if above else "missing below"


def _opened(row: tuple[Glyph, ...]) -> str:
    """The open characters one by one; closed ones are said as hidden, runs of them counted."""
    if not any(glyph.open for glyph in row):
        return ""
    glyphs = [glyph for glyph in row if not glyph.gap and glyph.text != CHECK]
    if all(glyph.open or glyph.kind == "separator" for glyph in glyphs):
        return "".join(glyph.text for glyph in glyphs)
    said: list[str] = []
    hidden = 0
    for glyph in glyphs:
        if glyph.open or glyph.kind == "separator":
            if hidden:
                said.append(f"{hidden} hidden")
            hidden = 0
            said.append(_NAMES.get(glyph.text, glyph.text))
        else:
            hidden += 1
    if hidden:
        said.append(f"{hidden} hidden")
    return ", ".join(said)
