"""Writes blocks as HTML, and as one page that loads nothing.

Everything is on the page as static text, in ASCII. One script serves all pages: it searches long tables, whose rows are
JSON, and steps through the runs of a page with ``steps``. The content security policy allows it and the style sheet by
their checksums.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from planscope import __version__
from planscope.safe import visible
from planscope.safe.page_policy import policy_tag
from planscope.show.blocks import (
    Beside,
    Block,
    Code,
    Fold,
    Gap,
    Heading,
    Marked,
    Para,
    Part,
    Picture,
    Rows,
    Strong,
    Table,
    Toned,
    Words,
    filled,
    joined,
)
from planscope.show.text import code_lines

FIRST = 200
"""Rows of a table that can be searched which are on the page as text."""

CHUNK = 50
"""So many rows are laid out together, when they come near the window."""

Found = list[list[list[str]]]
"""The rows of each table that can be searched."""

_STYLE = re.compile("<style>.*?</style>", re.DOTALL)
_FAR = re.compile("[^\x00-\x7f]")
_LABELLED = re.compile("</dl>\n?<dl>")


def page(title: str, blocks: Iterable[Block], steps: Mapping[str, Any] | None = None, after: str = "") -> str:
    """Return one page with blocks below its title.

    ``steps``: what the script needs to step through the runs that the blocks show (``planscope.sharing.page``).
    ``after``: markup for the end of the page.
    """
    rows: Found = []
    body = markup(blocks, rows)
    folder = files("planscope.show") / "data"
    style = _FAR.sub(lambda c: f"\\{ord(c[0]):x} ", (folder / "page.css").read_text("utf-8"))
    script = _FAR.sub(lambda c: f"\\u{ord(c[0]):04x}", (folder / "page.js").read_text("utf-8"))
    made = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{policy_tag(style, script)}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="referrer" content="no-referrer"><meta name="generator" content="planscope {__version__}">'
        f"<title>{escaped(title)}</title><style>{style}</style></head>\n"
        f"<body{' class=stepped' if steps else ''}>\n<header><b>planscope</b><h1>{escaped(title)}</h1></header>\n"
        f'<main>\n{body}\n</main>\n<p class="dim made">Made by planscope {__version__}.</p>\n'
        f"{_data('rows', rows)}{_data('steps', steps)}{after}<script>{script}</script></body></html>\n"
    )
    return made.encode("ascii", "xmlcharrefreplace").decode()


def _data(name: str, data: object) -> str:
    """Return an element of JSON in which nothing is markup; none for no data."""
    if not data:
        return ""
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def escaped(text: str) -> str:
    """Return text for a page: escaped, control characters visible, addresses broken up."""
    shown = "\n".join(map(visible, text.split("\n"))) if "\n" in text else visible(text)
    return html.escape(shown).replace("://", ":&#47;&#47;")


def markup(blocks: Iterable[Block], rows: Found) -> str:
    """Return blocks as HTML. Paragraphs with labels that follow one another are one list.

    ``rows``: gets those of tables that can be searched.
    """
    return _LABELLED.sub("\n", "\n".join(part for block in blocks for part in _parts(block, rows)))


def _inline(words: Words) -> str:
    return "".join(map(_piece, (words,) if isinstance(words, str) else words))


def _piece(piece: str) -> str:
    if isinstance(piece, Toned):
        return f'<span class="{piece.tone}">{escaped(piece)}</span>' if piece else ""
    tag = "strong" if isinstance(piece, Strong) else "mark" if isinstance(piece, Marked) else ""
    return f"<{tag}>{escaped(piece)}</{tag}>" if tag else escaped(piece)


def _parts(block: Block, rows: Found) -> Iterator[str]:
    match block:
        case Heading(text, level, anchor):
            place = f' id="{escaped(anchor)}"' if anchor else ""
            yield f"<h{level}{place}>{_inline(text)}</h{level}>"
        case Para(text, _, _, label):
            said = _inline(text).replace("\n", "<br>")
            yield f"<dl><dt>{escaped(label)}</dt><dd>{said}</dd></dl>" if label else f"<p>{said}</p>"
        case Code(shown, _, _, most, widest):
            yield f"<pre>{escaped(chr(10).join(code_lines(shown, most, widest)))}</pre>"
        case Table() if filled(block):
            yield from _table(block, rows)
        case Rows(kind, some):
            each = [f"<li>{_cells(row)}</li>" for row in some]
            chunks = (f"<ul>{''.join(each[k : k + CHUNK])}</ul>" for k in range(0, len(each), CHUNK))
            yield f'<div class="rows {kind}">{"".join(chunks)}</div>'
        case Picture(title, svg):
            drawn = _STYLE.sub("", svg)  # the page has these rules, in the colours of its theme
            yield f"<figure>{drawn}<figcaption>{escaped(title)}</figcaption></figure>"
        case Fold(title, inside, is_open):
            opened = " open" if is_open else ""
            yield f"<details{opened}><summary>{escaped(title)}</summary>{markup(inside, rows)}</details>"
        case Part():
            yield _part(block, rows)
        case Beside():
            sides = (markup(side, rows) for side in (block.left, block.right))
            yield '<div class="beside">' + "".join(f"<div>{side}</div>" for side in sides) + "</div>"
        case Gap():
            return


def _cells(row: Sequence[Words]) -> str:
    """Write the cells of a row, without empty ones at its end. A single one is the row itself."""
    if len(row) == 1:
        return _inline(row[0])
    last = max((k for k, cell in enumerate(row) if cell), default=0)
    return "".join(map(_cell, row[: last + 1]))


def _cell(words: Words) -> str:
    return _piece(words) if isinstance(words, Toned) and words else f"<span>{_inline(words)}</span>"


def _part(block: Part, rows: Found) -> str:
    inside = markup(block.blocks, rows)
    name = f' id="{block.place}"' if block.place else ""
    if block.title:
        inside = f'<h2>{_inline(block.title)}</h2><div class="body">{inside}</div>'
    tag = "section" if block.title else "div"
    made = f'<{tag} class="{block.kind}"{"" if block.spare else name}>{inside}</{tag}>'
    return f"<template{name}>{made}</template>" if block.spare else made


def _table(block: Table, rows: Found) -> Iterator[str]:
    columns = filled(block)
    head = "".join(f"<th>{escaped(block.head[k])}</th>" for k in columns) if block.head else ""
    notes = block.notes or [()] * len(block.rows)
    body, number = "", ""
    for row, below in [*zip(block.rows, notes, strict=True)][: FIRST if block.search else None]:
        said = f"<td>{'<br>'.join(map(_inline, below))}</td>" if below else ""
        body += f"<tr>{''.join(f'<td>{_inline(row[k])}</td>' for k in columns)}{said}</tr>\n"
    if block.search:
        number = f' data-rows="{len(rows)}"'
        yield (
            f'<p><label>{escaped(block.search)} <input id="search-{len(rows)}" autocomplete="off"></label> '
            f'<span id="count-{len(rows)}" class="dim"></span></p>'
        )
        rows.append([[visible(joined(row[k])) for k in columns] for row in block.rows])
    headed = f"<thead><tr>{head}</tr></thead>" if head else ""
    yield f'<div class="wide"><table{number}>{headed}<tbody>{body}</tbody></table></div>'
