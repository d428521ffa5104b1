"""The kinds of blocks, which every writer knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self, TypeAlias

from planscope.frozen import frozen


class Own(str):
    """Words of planscope's own, or numbers. In Markdown all other words are code, so that nothing in them is markup."""

    __slots__ = ()


class Strong(Own):
    """Words of planscope's own that stand out."""

    __slots__ = ()


class Toned(str):
    """Words from anywhere with a tone, which a page shows as a colour: a state, a verdict, or ``holds``, ``open``,
    ``caution``, ``core``, ``call`` or ``dim``."""

    tone: str

    def __new__(cls, text: str, tone: str) -> Self:
        made = super().__new__(cls, text)
        made.tone = tone
        return made


class Marked(str):
    """Words from outside that stand out."""

    __slots__ = ()


Words: TypeAlias = str | tuple[str, ...]
"""A text, or its pieces: those that are not ``Own`` come from outside."""


@frozen
class Heading:
    """``level`` is 1 for the title of a page, then 2 to 4; 4 has no line before it in text. ``anchor`` names its place
    on a page. A text that is no tuple is planscope's own."""

    text: Words
    level: int = 2
    anchor: str = ""


@frozen
class Para:
    """A paragraph. ``keep``: its own line ends stay. ``label`` stands before it, and the text from ``column`` on."""

    text: Words
    indent: str = ""
    keep: bool = False
    label: str = ""
    column: int = 14


@frozen
class Code:
    """Lines that are shown as they are. At most ``most`` lines of ``widest`` cells; what is left out is counted."""

    lines: Iterable[str]
    language: str = "text"
    indent: str = ""
    most: int | None = None
    widest: int | None = None


@frozen
class Table:
    """Rows of cells. A column that is empty in every row is left out.

    ``notes``: for each row what is said below it. ``widest``: limits for the columns in text, in cells; 0 is none, and
    ``REST`` gives the last one what is left of the line. ``search``: a page can be searched for rows, and shows only
    the first ones.
    """

    rows: Sequence[Sequence[Words]]
    head: Sequence[str] = ()
    indent: str = "  "
    notes: Sequence[Sequence[Words]] = ()
    widest: Sequence[int] = ()
    search: str = ""


@frozen
class Picture:
    """A picture as SVG, which must be safe already. Text leaves it out."""

    title: str
    svg: str


@frozen
class Beside:
    """Two lists of blocks, beside each other where there is room."""

    left: Sequence[Block]
    right: Sequence[Block]


@frozen
class Fold:
    """Blocks below a title of planscope's own, which a page shows only when they are opened."""

    title: str
    blocks: Sequence[Block]
    open: bool = False


@frozen
class Rows:
    """Rows of cells, of which a page that is stepped through picks some. ``kind``: ``text`` (its rows follow one
    another as one text), ``tree``, ``constraints``, ``steps`` or ``actions``."""

    kind: str
    rows: Sequence[Sequence[Words]]


@frozen
class Part:
    """Blocks that belong together on a page. ``kind`` says how they are laid out; with a ``title`` they have a frame.

    ``place``: the name of a part that a page can exchange; ``spare``: it is not shown at first.
    """

    kind: str
    blocks: Sequence[Block]
    title: Words = ""
    place: str = ""
    spare: bool = False


@frozen
class Gap:
    """An empty line of a text."""


Block: TypeAlias = Heading | Para | Code | Table | Picture | Beside | Fold | Rows | Part | Gap
GAP = Gap()
REST = -1
"""In ``Table.widest``: what is left of the line, but at least 20 cells."""


def unfolded(block: Beside | Fold | Rows | Part) -> Sequence[Block]:
    """Return what a text has of a block that is laid out on pages only."""
    match block:
        case Beside(left, right):
            return [*left, *right]
        case Fold(title, blocks):
            return [Heading(title, 4), *blocks]
        case Part(_, blocks, title):
            return [*([Heading(title, 3)] if title else []), *blocks]
        case Rows("text", rows):
            return [Para("".join(joined(cell) for row in rows for cell in row), keep=True)]
        case Rows(_, rows):
            return [Table(rows)]


def joined(words: Words) -> str:
    """Return words as one text, not made safe."""
    return words if isinstance(words, str) else "".join(words)


def filled(table: Table) -> dict[int, int]:
    """Return the columns of a table that have something in them, each with its limit in cells (0: none)."""
    wide = max(map(len, table.rows), default=0)
    limits = [*table.widest, *[0] * wide]
    return {k: limits[k] for k in range(wide) if any(joined(row[k]) for row in table.rows)}
