"""Errors in the user's input, and suggestions for unknown names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

from planscope.errors import UserError
from planscope.safe import visible

_NEAR = 0.5


class DebuggerError(UserError, ValueError):
    """An error in the user's input; the message is one line, safe to show."""


def shown(name: str) -> str:
    """Quote a name for an error message: safe to show, cut to 60 code points."""
    return f"'{visible(name, limit=60)}'"


def unknown(what: str, name: str, known: Iterable[str]) -> DebuggerError:
    """Return an error such as ``no tool 'x'; nearest: 'y', 'z'``, with the first few names if none is similar."""
    names = list(dict.fromkeys(known))
    near = _nearest(name[:200].casefold(), names)
    if near:
        return DebuggerError(f"no {what} {shown(name)}; nearest: {', '.join(map(shown, near))}")
    if names:
        more = ", ..." if len(names) > 6 else ""
        return DebuggerError(f"no {what} {shown(name)}; there are: {', '.join(map(shown, names[:6]))}{more}")
    return DebuggerError(f"no {what} {shown(name)}; there are none")


def _nearest(wanted: str, names: Iterable[str]) -> list[str]:
    """Return at most three names, the nearest first and equally near ones in their own order."""
    matcher = SequenceMatcher(b=wanted)
    found: list[tuple[float, str]] = []
    for name in names:
        matcher.set_seq1(name[:200].casefold())
        if matcher.real_quick_ratio() >= _NEAR and matcher.quick_ratio() >= _NEAR:
            ratio = matcher.ratio()
            if ratio >= _NEAR:
                found.append((-ratio, name))
    return [name for _, name in sorted(found, key=lambda item: item[0])[:3]]
