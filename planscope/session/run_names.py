"""The names of runs, by their ids and their numbers; and names that are not taken."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBERED = re.compile(r"r[0-9]+")


def run_named(ids: Iterable[str], wanted: str) -> str | None:
    """Return the id that a user means by an id or a number, or None if there is no such run.

    3 is run ``r3``; if no run has such an id, it is the third.
    """
    known = list(ids)
    if wanted in known:
        return wanted
    if not (wanted.isascii() and wanted.isdecimal() and len(wanted) < 10):
        return None
    number = int(wanted)
    if any(_NUMBERED.fullmatch(one) for one in known):
        return next((one for one in known if one == f"r{number}"), None)
    return known[number - 1] if 1 <= number <= len(known) else None


def untaken(wanted: str, taken: set[str]) -> str:
    """Return a name that none has in upper or lower case, with a number if need be, and note that it is ``taken``."""
    name, number = wanted, 1
    while name.casefold() in taken:
        number += 1
        name = f"{wanted} {number}"
    taken.add(name.casefold())
    return name
