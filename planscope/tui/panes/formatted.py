"""Answers and thoughts as lines: JSON that folds, tables, Markdown. Other texts are wrapped as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from planscope.safe import cell_width, clip, show, wrap
from planscope.session.seen import Part, as_json
from planscope.tui.fold import first_opened, rows_of
from planscope.tui.panes.query import Painted, painted_runs
from planscope.tui.style.lines import Run, paragraph, shown
from planscope.wording.phrases import plural

Body = tuple[tuple[Run, ...], ...]

_MARKED = re.compile(r"^(#{1,6} |\s*([-*+]|\d+\.) |\s*\||```)|\*\*|`|\t|\S {2,}\S", re.MULTILINE)
"""What a text has that is more than words."""
_BULLET = re.compile(r"(\s*)([-*+]|\d+\.)\s+")
_INLINE = re.compile(r"\*\*(.+?)\*\*|`([^`]+)`")
_RULE = re.compile(r"[\s|:+=-]+")
_GAP = re.compile(r"\t+| {2,}")
_MOST_COLUMNS = 12
_LEAST_CELLS = 10
"""If columns had to be narrower than this, a table's rows are shown one below the other, a cell a line."""


@lru_cache(maxsize=500)
def formatted(text: str, width: int, role: str, limit: int, rows: int) -> Body:
    """Lay out an untrusted text, of which ``limit`` code points are shown. ``rows``: into how many rows JSON is to
    fold; other texts may take more."""
    if len(text) <= limit and not isinstance(value := as_json(text), str) and value:
        return tuple(_json(value, width, rows))
    if len(text) > limit or _MARKED.search(text) is None:
        return paragraph(text, width, role, limit)
    return tuple(_markdown(text.split("\n"), width, role))


def _json(value: Any, width: int, rows: int) -> Iterator[tuple[Run, ...]]:
    """Show a list of flat objects as a table, and other JSON folded to about so many rows."""
    if isinstance(value, list) and len(value) > 1 and all(_is_flat(one, value[0]) for one in value):
        cells = [[_cell(one[key]) for key in value[0]] for one in value]
        yield from _table([list(map(str, value[0])), *cells], width, "")
        return
    parts = [Part("", value)]
    for row in rows_of(parts, first_opened(parts, width, rows), width + 2)[
        1:
    ]:  # without the row of the whole
        (margin, role, _), *rest = row.line.runs
        yield Run(margin[2:], role), *rest


def _is_flat(one: object, first: Any) -> bool:
    return (
        isinstance(one, dict)
        and 1 < len(one) <= _MOST_COLUMNS
        and one.keys() == first.keys()
        and not any(isinstance(inner, dict | list) for inner in one.values())
    )


def _cell(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _markdown(lines: Sequence[str], width: int, role: str) -> Iterator[tuple[Run, ...]]:
    at = 0
    while at < len(lines):
        if lines[at].lstrip().startswith("```"):
            at += 1
            while at < len(lines) and not lines[at].lstrip().startswith("```"):
                yield (Run(clip(shown(lines[at]), width), "tool"),)
                at += 1
            at += 1
            continue
        end = at
        while end < len(lines) and len(_cells(lines[end])) > 1:
            end += 1
        rows = [_cells(line) for line in lines[at:end] if not _RULE.fullmatch(line)]
        if end - at > 1 and rows:
            yield from _table(rows, width, role)
            at = end
            continue
        yield from _line(lines[at], width, role)
        at += 1


def _cells(line: str) -> list[str]:
    """Return the cells of a row of a table: between bars, tabs, or two blanks and more. Lists are no tables."""
    if line.lstrip().startswith("|"):
        return [cell.strip() for cell in line.strip().strip("|").split("|")]
    return [] if _BULLET.match(line) else [cell for cell in _GAP.split(line.strip()) if cell]


def _table(rows: Sequence[Sequence[str]], width: int, role: str) -> Iterator[tuple[Run, ...]]:
    """Align cells in columns; the widest are cut if they do not fit, and if little were left of them, each cell gets a
    line. The first row is the heading. Columns beyond the limit are counted above it."""
    if (more := max(map(len, rows)) - _MOST_COLUMNS) > 0:
        yield (Run(f"{plural(more, 'more column')} not shown", "caution"),)
    safe = [[shown(cell, 200).strip() for cell in row[:_MOST_COLUMNS]] for row in rows]
    wide = [max(cell_width(row[k]) for row in safe if k < len(row)) for k in range(max(map(len, safe)))]
    while sum(wide) + 2 * len(wide) - 2 > width and max(wide) > _LEAST_CELLS:
        wide[wide.index(max(wide))] -= 1
    if sum(wide) + 2 * len(wide) - 2 > width:
        label = min(max(map(cell_width, safe[0])), width // 3)
        for row in safe[1:]:
            for name, cell in zip(safe[0], row, strict=False):
                yield Run(f"{_padded(name, label)}  ", "label"), Run(clip(cell, width - label - 2), role)
            yield ()
        return
    for number, row in enumerate(safe):
        cells = (_padded(cell, wide[k]) for k, cell in enumerate(row))
        yield (Run(clip("  ".join(cells).rstrip(), width), role if number else "label"),)


def _padded(cell: str, width: int) -> str:
    kept = clip(cell, width)
    return kept + " " * (width - cell_width(kept))


def _line(line: str, width: int, role: str) -> Iterator[tuple[Run, ...]]:
    """Show a line: a heading, an entry of a list with its continuation below its words, or words."""
    title = line.startswith("#") and line.lstrip("#").startswith(" ")
    bullet = _BULLET.match(line)
    text = line.lstrip("#").strip() if title else line[bullet.end() :] if bullet else line
    mark = f"{' ' * min(len(bullet[1]), 8)}{'•' if bullet[2] in '-*+' else bullet[2]} " if bullet else ""
    plain, painted, cut = "", [], 0
    for found in _INLINE.finditer(text):
        plain += text[cut : found.start()]
        words = found[1] or found[2]
        painted.append((len(plain), len(plain) + len(words), "strong" if found[1] else "tool"))
        plain, cut = plain + words, found.end()
    plain += text[cut:]
    spans: list[Painted] = [(0, len(plain), "strong" if title else role), *painted]
    whole = show(plain)
    for number, part in enumerate(wrap(whole, max(width - len(mark), 8)) or [(0, 0)]):
        yield (Run(" " * len(mark) if number else mark, "mark"), *painted_runs(whole, *part, spans))
