"""Named JSON values as rows that fold and unfold. Strings are untrusted and become safe to show here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from planscope.safe import cell_width
from planscope.session.seen import Part
from planscope.tui.style.lines import Line, Run, cut, paragraph, shown
from planscope.wording.phrases import plural

Path = tuple[int | str, ...]
"""The path to a value: the number of its part, then keys and indexes."""

FOLDED, UNFOLDED = "▸", "▾"
MOST_CHILDREN = 2_000
"""Limit of the entries of one object or list that are shown. Copying includes all."""
MOST_TEXT = 200_000
"""Limit of the code points of one text that are shown."""

_PREVIEW = 200
_NAMES = ("name", "role", "tool", "type", "id")
"""Keys whose value names an object."""


class Row(NamedTuple):
    """One line, and the value that it belongs to. ``folds``: the value can be folded. ``head``: this is its first
    line."""

    line: Line
    path: Path
    folds: bool = False
    head: bool = True


def rows_of(parts: Sequence[Part], opened: frozenset[Path], width: int) -> list[Row]:
    """Return all visible rows. ``opened``: the values that are unfolded."""
    made: list[Row] = []
    for number, part in enumerate(parts):
        path: Path = (number,)
        if part.known:
            made += _rows(shown(part.name, 60), part.value, path, opened, width, 0)
        else:
            made.append(
                Row(_headed(" ", shown(part.name, 60), [Run(shown(str(part.value)), "dim")], 0, width), path)
            )
    return made


def first_opened(parts: Sequence[Part], width: int, budget: int) -> frozenset[Path]:
    """Return the values to unfold at first: the outermost, then those inside, in at most ``budget`` rows.

    The entries of one object or list are unfolded together, or none of them.
    """
    opened: frozenset[Path] = frozenset()
    groups: list[list[tuple[Path, Any]]] = [[((n,), p.value)] for n, p in enumerate(parts) if p.known]
    taken = len(parts)
    while groups:
        group = groups.pop(0)
        folds = [(path, one) for path, one in group if _folds(one, width - 2 * len(path) - 20)]
        cost = sum(len(_body(one, width)) if isinstance(one, str) else len(one) for _, one in folds)
        if taken + cost > budget and not (group and len(group[0][0]) == 1):
            continue
        taken += cost
        opened |= {path for path, _ in folds}
        inside = [(path, one) for path, one in folds if not isinstance(one, str)]
        groups[:0] = [[((*path, key), inner) for key, inner in _children(one)] for path, one in inside]
    return opened


def value_at(parts: Sequence[Part], path: Path) -> Any:
    """Return the value at the end of a path."""
    first, *rest = path
    value = parts[int(first)].value
    for key in rest:
        value = value[key]
    return value


def text_of(value: Any) -> str:
    """Return a value as text to copy: a text as it is, other values as JSON."""
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def all_paths(parts: Sequence[Part], below: Path = ()) -> frozenset[Path]:
    """Return the paths of all values that fold, or of the value ``below`` and all inside it."""
    found: set[Path] = set()
    level: list[tuple[Path, Any]]
    level = (
        [(below, value_at(parts, below))]
        if below
        else [((n,), p.value) for n, p in enumerate(parts) if p.known]
    )
    while level:
        path, value = level.pop()
        if isinstance(value, str | dict | list):
            found.add(path)
        level += [((*path, key), one) for key, one in _children(value)]
    return frozenset(found)


def _children(value: Any) -> list[tuple[int | str, Any]]:
    if isinstance(value, dict):
        return list(value.items())[:MOST_CHILDREN]
    return list(enumerate(value[:MOST_CHILDREN])) if isinstance(value, list) else []


def _folds(value: Any, room: int) -> bool:
    if isinstance(value, str):
        return "\n" in value or len(value) > room or cell_width(shown(value)) > room
    return isinstance(value, dict | list) and bool(value)


def _rows(
    key: str, value: Any, path: Path, opened: frozenset[Path], width: int, depth: int, preview: str = ""
) -> Iterator[Row]:
    room = width - 2 * depth - 3 - cell_width(key) - 2
    if not _folds(value, room):
        yield Row(_headed(" ", key, [_leaf(value)], depth, width), path)
        return
    is_open = path in opened
    sign = UNFOLDED if is_open else FOLDED
    yield Row(_headed(sign, key, _about(value, is_open, preview), depth, width), path, True)
    if not is_open:
        return
    if isinstance(value, str):
        margin = Run("  " * (depth + 1) + " ")
        for runs in _body(value, width - 2 * (depth + 1) - 2):
            yield Row(Line((margin, *runs)), path, True, False)
        if len(value) > MOST_TEXT:
            more = Run(f"… {len(value) - MOST_TEXT:,} more characters; copying takes all", "dim")
            yield Row(Line((margin, more)), path, True, False)
        return
    for name, one in _children(value):
        label = str(name + 1) if isinstance(name, int) else shown(name, 80)
        said = _named(one) if isinstance(name, int) else ""
        yield from _rows(label, one, (*path, name), opened, width, depth + 1, said)
    if len(value) > MOST_CHILDREN:
        more = Run(f"… {len(value) - MOST_CHILDREN:,} more; copying takes all", "dim")
        yield Row(Line((Run("  " * (depth + 1) + " "), more)), path, True, False)


def _body(value: str, width: int) -> tuple[tuple[Run, ...], ...]:
    return paragraph(value, max(width, 8), "", MOST_TEXT)


def _headed(sign: str, key: str, said: Sequence[Run], depth: int, width: int) -> Line:
    head = (Run("  " * depth + f"{sign} ", "mark"), Run(f"{key}  ", "label" if depth else "strong"))
    return Line(cut((*head, *said), width))


def _about(value: Any, is_open: bool, preview: str) -> list[Run]:
    """Return the text beside the name of a value that folds."""
    if isinstance(value, str):
        count = plural(len(value), "character")
        return [Run(count, "dim")] if is_open else [Run(shown(value, _PREVIEW), "quote")]
    count = plural(len(value), "entry", "entries")
    if preview:
        return [Run(f"{preview}  ", "tool"), Run("" if is_open else _listed(value), "dim")]
    return [Run(count, "dim")] if is_open else [Run(f"{count}  ", "dim"), Run(_listed(value), "dim")]


def _named(value: Any) -> str:
    """Return the name of an object in a list, by one of its keys."""
    if isinstance(value, dict):
        return next((shown(str(value[key]), 60) for key in _NAMES if isinstance(value.get(key), str)), "")
    return ""


def _listed(value: Any) -> str:
    """Describe a folded object or list in a few words."""
    if isinstance(value, dict):
        text = value.get("description") or value.get("text") or value.get("content")
        if isinstance(text, str):
            return shown(text, _PREVIEW)
        return shown(", ".join(map(str, list(value)[:12])), _PREVIEW)
    names = [_named(one) or (one if isinstance(one, str) else "") for one in value[:12]]
    return shown(", ".join(name for name in names if name), _PREVIEW)


def _leaf(value: Any) -> Run:
    if isinstance(value, str):
        return Run(shown(value, _PREVIEW)) if value else Run("(empty)", "dim")
    if isinstance(value, dict | list):
        return Run("(empty)", "dim")
    if isinstance(value, bool) or value is None:
        return Run(json.dumps(value), "dim")
    return Run(shown(str(value), _PREVIEW), "number")
