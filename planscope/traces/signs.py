"""Paths into JSON and conditions on it, as text: what the tables of formats are made of.

A path is keys with dots between them; ``a/b`` is either key, and ``[]`` behind a key means each element of its list. A
sign is clauses with `` & `` between them. A clause is a path, or several with ``|``, of which one must be there; with
``=`` one must have one of these texts (``*``: any characters), with ``:`` one of these types. ``set`` is any type but
an empty value. ``!`` before a clause denies it.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import cache

from planscope.traces.values import as_text, dig, name

MOST = 200
"""Limit of elements of a list that are looked at."""
_CLAUSE = re.compile(r"(!?)([^=:]+)([=:]?)(.*)", re.DOTALL)


@cache
def _steps(path: str) -> list[tuple[list[str], bool]]:
    return [(part.removesuffix("[]").split("/"), part.endswith("[]")) for part in path.split(".")]


def values_at(value: object, path: str) -> list[object]:
    """Return every value at a path."""
    found = [value]
    for keys, each in _steps(path):
        found = [one[key] for one in found if isinstance(one, dict) for key in keys if key in one]
        if each:
            found = [inner for one in found if isinstance(one, list) for inner in one[:MOST]]
    return found


@cache
def _clauses(sign: str) -> list[tuple[bool, list[str], str, list[str]]]:
    parts = (_CLAUSE.fullmatch(one) for one in sign.split(" & ") if one)
    return [(bool(p[1]), p[2].split("|"), p[3], p[4].split("|")) for p in parts if p is not None]


def holds(value: object, sign: str) -> bool:
    """Return whether a value has a sign. The empty sign always holds."""
    return all(
        denied is not any(_fits(one, how, wanted) for path in paths for one in values_at(value, path))
        for denied, paths, how, wanted in _clauses(sign)
    )


def _fits(value: object, how: str, wanted: list[str]) -> bool:
    if how == "=":
        return any(fnmatchcase(name(value), one) for one in wanted)
    return not how or type(value).__name__ in wanted or (wanted == ["set"] and bool(value))


def first_at(value: object, paths: str) -> object:
    """Return what stands under the first of these paths (with ``|`` between them) that has a value."""
    return dig(value, *paths.split("|"))


def filled(words: str, value: object) -> str:
    """Return words with ``{paths}`` in them, in whose places their values stand."""
    return re.sub(r"\{(.+?)\}", lambda found: as_text(first_at(value, found[1]))[:200], words)
