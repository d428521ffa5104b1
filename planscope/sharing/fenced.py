"""Foreign text in Markdown: in code spans and fenced blocks, which no reader takes for markup, a link or a mention."""

from __future__ import annotations

import re
from collections.abc import Iterable

from planscope.safe import clip, visible

_BACKQUOTES = re.compile("`+")


def code(text: str, limit: int | None = None) -> str:
    """A text as one code span on one line, of at most ``limit`` code points; what was cut off is told."""
    return _span(visible(text) if limit is None else visible(text, limit=limit))


def cell(text: str) -> str:
    """A code span that may stand in a table: a pipe is escaped, and no backslash stands before one."""
    shown = re.sub(r"(\\+)\|", r"\1 |", visible(text)).replace("|", r"\|")
    return _span(f"{shown} " if shown.endswith("\\") else shown)


def block(
    lines: Iterable[str], language: str = "text", *, most: int | None = None, widest: int | None = None
) -> str:
    """Lines in a fenced block that none of them can close; each stays one line, whatever is in it.

    ``most`` lines are shown, of ``widest`` cells; what was left out is told.
    """
    every = list(lines)
    shown = [visible(line) if widest is None else clip(line, widest) for line in every[:most]]
    if most is not None and len(every) > most:
        shown.append(f"... and {len(every) - most} more")
    fence = "`" * max(3, 1 + max(map(_longest, shown), default=0))
    return "\n".join([f"{fence}{language}", *shown, fence])


def _span(shown: str) -> str:
    if not shown.strip(" "):
        return "(blank)" if shown else "(nothing)"
    ticks = "`" * (1 + _longest(shown))
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _longest(text: str) -> int:
    """The longest run of backquotes."""
    return max(map(len, _BACKQUOTES.findall(text)), default=0)
