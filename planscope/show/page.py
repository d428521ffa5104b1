"""Writes blocks as HTML, and as one page that loads nothing.

Everything is on the page as static text. The only script searches the rows of long tables, which are JSON; the content
security policy allows it and the style sheet by their checksums. The page is ASCII.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Iterator
from importlib.resources import files

from planscope import __version__
from planscope.safe import visible
from planscope.safe.page_policy import policy_tag
from planscope.show.blocks import (
    Beside,
    Block,
    Code,
    Gap,
    Heading,
    Marked,
    Para,
    Picture,
    Strong,
    Table,
    Words,
    filled,
    joined,
)
from planscope.show.text import code_lines

FIRST = 200
"""Rows of a table that can be searched which are on the page as text."""

Rows = list[list[list[str]]]
"""The rows of each table that can be searched."""


def page(title: str, blocks: Iterable[Block]) -> str:
    """Return one page with blocks below its title."""
    rows: Rows = []
    body = "\n".join(part for block in (Heading(title, 1), *blocks) for part in _parts(block, rows))
    folder = files("planscope.show") / "data"
    style, script = ((folder / name).read_text("ascii") for name in ("blocks.css", "blocks.js"))
    data = json.dumps(rows, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    program = f'<script type="application/json" id="rows">{data}</script>\n<script>{script}</script>\n'
    made = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">{policy_tag(style, script if rows else None)}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escaped(title)}</title><style>{style}</style></head>\n<body>\n{body}\n"
        f'<p class="quiet">Made by planscope {__version__}.</p>\n{program if rows else ""}</body></html>\n'
    )
    return made.encode("ascii", "xmlcharrefreplace").decode()


def markup(blocks: Iterable[Block]) -> str:
    """Return blocks as HTML, for a page of another kind."""
    return "\n".join(part for block in blocks for part in _parts(block, []))


def escaped(text: str) -> str:
    """Return text for a page: escaped, control characters visible, addresses broken up."""
    shown = "\n".join(map(visible, text.split("\n")))
    return html.escape(shown).replace("://", ":&#47;&#47;")


def _inline(words: Words) -> str:
    return "".join(map(_piece, (words,) if isinstance(words, str) else words))


def _piece(piece: str) -> str:
    tag = "strong" if isinstance(piece, Strong) else "mark" if isinstance(piece, Marked) else ""
    return f"<{tag}>{escaped(piece)}</{tag}>" if tag else escaped(piece)


def _parts(block: Block, rows: Rows) -> Iterator[str]:
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
        case Picture(title, svg):
            yield f"<figure>{svg}<figcaption>{escaped(title)}</figcaption></figure>"
        case Beside():
            sides = (
                "\n".join(p for one in side for p in _parts(one, rows)) for side in (block.left, block.right)
            )
            yield '<div class="beside">' + "".join(f"<div>{side}</div>" for side in sides) + "</div>"
        case Gap():
            return


def _table(block: Table, rows: Rows) -> Iterator[str]:
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
            f'<span id="count-{len(rows)}" class="quiet"></span></p>'
        )
        rows.append([[visible(joined(row[k])) for k in columns] for row in block.rows])
    headed = f"<thead><tr>{head}</tr></thead>" if head else ""
    yield f'<div class="wide"><table{number}>{headed}<tbody>{body}</tbody></table></div>'
