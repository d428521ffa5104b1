"""Whether a tool's documentation says what its argument must be, where the tool fails on it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from planscope.toolfuzz.accepts import parts_of
from planscope.toolfuzz.outcome import Outcome
from planscope.toolfuzz.tools import Tool

_LIMIT = re.compile(
    r"\b(must|only|at (?:most|least)|less|more|fewer|than|maximum|minimum|max|min|up to|between|limit|"
    r"required|cannot|not|never|starts? with|begins? with|written as|format|"
    r"raises?|from \S+ to|valid|invalid|positive|negative|non-?empty)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"'([^']{1,60})'|\"([^\"]{1,60})\"|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w])")


def is_documented(tool: Tool, outcome: Outcome) -> bool:
    """Return whether a sentence of the documentation states the limit that the failing line or its message names.

    The sentence names the exception, or it speaks of a limit and shares a number or a quoted text with the line.
    """
    text = " ".join((f"{tool.description}.", *_limits(tool.schema)))
    name = (outcome.exception or "").rpartition(".")[2]
    if name and re.search(rf"\b{re.escape(name)}\b", text):
        return True
    wanted = _tokens(f"{outcome.line} {outcome.message}")
    return any(
        _LIMIT.search(sentence) and wanted & _tokens(sentence)
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
