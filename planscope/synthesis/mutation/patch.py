"""Other words in the places of a text's own, with everything between them left as it was.

Somebody who wrote a text by hand had lines, capitals and commas of his own; a mutant that differs in them as well
would not say which of the changes it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from planscope.language.problem import Span
from planscope.language.render import capitalised

Patch = tuple[Span, str]


def patched(text: str, patches: Iterable[Patch]) -> str:
    """The text with new words in these places, none of which overlap; "" is in no place and adds nothing."""
    out: list[str] = []
    done = 0
    for (start, end), words in sorted(patches):
        out.append(text[done:start])
        out.append(words)
        done = end
    out.append(text[done:])
    return "".join(out)


def as_written(text: str, span: Span, old: str, new: str) -> str:
    """``new`` with a capital where ``old``, which has none of its own, stands in the text with one."""
    start = span[0]
    return capitalised(new) if text[start : start + 1].isupper() and not old[:1].isupper() else new


def conjunction(text: str, span: Span, new: str) -> Patch:
    """The place of a conjunction with the comma or blank before it, and what stands there instead.

    A word has a comma before it, a semicolon stands right behind the words.
    """
    start, end = span
    old = text[start:end]
    if (old == ";") == (new == ";"):
        return span, new
    start = len(text[:start].rstrip())
    if old != ";" and text[:start].endswith(","):
        start = len(text[: start - 1].rstrip())
    return (start, end), ";" if new == ";" else f", {new}"
