"""Makes strings safe for Textual and Rich. Every untrusted text on the screen comes through here.

Textual and Rich read markup in a plain ``str``, and let control bytes through to the terminal. So widgets only get a
``Text`` or a ``Content`` made here.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.content import Content

from planscope.safe import Shown, cell_width, char_width, clip, show, visible, wrap

__all__ = [
    "Shown",
    "cell_width",
    "char_width",
    "clip",
    "safe_content",
    "safe_text",
    "show",
    "visible",
    "wrap",
]

Styled = tuple[int, int, str]
"""A half-open range of the original text's code points, and a style of our own (never from outside)."""


def safe_text(
    s: str | Shown,
    style: str = "",
    *,
    limit: int | None = None,
    keep_newlines: bool = False,
    spans: Iterable[Styled] = (),
) -> Text:
    """Return a Rich text that shows ``s`` literally. Later ``spans`` override earlier ones."""
    shown = show(s, limit=limit, keep_newlines=keep_newlines) if isinstance(s, str) else s
    text = Text(shown.text, style=style, end="")
    for start, end, span_style in spans:
        text.stylize(span_style, *shown.span(start, end))
    return text


def safe_content(
    s: str | Shown,
    style: str = "",
    *,
    limit: int | None = None,
    keep_newlines: bool = False,
    spans: Iterable[Styled] = (),
) -> Content:
    """Return a Textual content that shows ``s`` literally. Later ``spans`` override earlier ones."""
    shown = show(s, limit=limit, keep_newlines=keep_newlines) if isinstance(s, str) else s
    content = Content.styled(shown.text, style)
    for start, end, span_style in spans:
        begin, stop = shown.span(start, end)
        if begin < stop:
            content = content.stylize(span_style, begin, stop)
    return content
