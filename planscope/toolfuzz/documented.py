"""Whether a tool's documentation says what its argument must be, where the tool fails on it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from planscope.toolfuzz.accepts import parts_of, properties
from planscope.toolfuzz.outcome import Outcome
from planscope.toolfuzz.tools import Tool

_LIMIT = re.compile(
    r"\b(must|only|at (?:most|least)|less|more|fewer|than|maximum|minimum|max|min|up to|between|limit|"
    r"required|cannot|not|never|starts? with|begins? with|written as|format|"
    r"raises?|from \S+ to|valid|invalid|positive|negative|non-?(?:empty|zero))\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"'([^']{1,60})'|\"([^\"]{1,60})\"|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w])")


_NOTHING = re.compile(r"(?<![\w.])0(?!\.?\w)|\b(?:zero|empty|blank|non-?(?:zero|empty))\b", re.IGNORECASE)


def is_documented(tool: Tool, outcome: Outcome, needed: Callable[[str], bool]) -> bool:
    """Return whether a sentence of the documentation states the limit that the failing line or its message names.

    The sentence names the exception, or it speaks of a limit and shares a number or a quoted text with the line; or it
    names an argument that must not be zero or empty, and is ``needed`` so for the error.
    """
    fields = properties(tool.schema)
    named = (f"{name}: {one.get('description')}." for name, one in fields.items() if isinstance(one, dict))
    text = " ".join((f"{tool.description}.", *_limits(tool.schema), *named))
    name = (outcome.exception or "").rpartition(".")[2]
    if name and re.search(rf"\b{re.escape(name)}\b", text):
        return True
    wanted = _tokens(f"{outcome.line} {outcome.message}")

    def speaks_of_nothing(sentence: str) -> bool:
        names = (name for name in fields if re.search(rf"\b{re.escape(name)}\b", sentence))
        return _NOTHING.search(sentence) is not None and any(map(needed, names))

    return any(
        _LIMIT.search(sentence) and (wanted & _tokens(sentence) or speaks_of_nothing(sentence))
        for sentence in re.split(r"(?<=[.!?])\s+|\n", text)
    )


def _tokens(text: str) -> set[str]:
    found = {"".join(match.groups("")).strip() for match in _TOKEN.finditer(text)}
    return found - {"", "0", "1"}


def _limits(schema: object) -> Iterator[str]:
    """Yield the descriptions in a schema, and its limits in words."""
    for part in parts_of(schema):
        yield f"{part['description']}." if isinstance(part.get("description"), str) else ""
        for key in ("minimum", "maximum", "minLength", "maxLength", "pattern"):
            if key in part:
                yield f"{key} must be {json.dumps(part[key])}."
