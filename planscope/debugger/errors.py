"""What a person typed and the debugger cannot use."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from planscope.safe import visible


class DebuggerError(ValueError):
    """One line for the person who typed it; safe to show as text."""


def shown(name: str) -> str:
    """A name in an error: visible, in quotes, not longer than a line can bear."""
    return f"'{visible(name, limit=60)}'"


def unknown(what: str, name: str, known: Iterable[str]) -> DebuggerError:
    """``no tool 'x'; nearest: 'y', 'z'``, or the first few names where none is near."""
    names = list(dict.fromkeys(known))
    folded = {n.casefold(): n for n in reversed(names)}
    near = [folded[n] for n in get_close_matches(name[:200].casefold(), folded, n=3, cutoff=0.5)]
    if near:
        return DebuggerError(f"no {what} {shown(name)}; nearest: {', '.join(map(shown, near))}")
    if names:
        more = ", ..." if len(names) > 5 else ""
        return DebuggerError(f"no {what} {shown(name)}; there are: {', '.join(map(shown, names[:5]))}{more}")
    return DebuggerError(f"no {what} {shown(name)}; there are none")
