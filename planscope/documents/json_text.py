"""JSON documents as text that every reader takes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

from planscope.errors import UserError


def json_text(document: Any, indent: int | None = None) -> str:
    """JSON that every reader takes: numbers without end, which a file may hold as 1e999, become their names."""
    try:
        try:
            return json.dumps(document, indent=indent, allow_nan=False)
        except ValueError:
            return json.dumps(_finite(document), indent=indent, allow_nan=False)
    except RecursionError:
        raise UserError("the arguments of a call are nested too deeply to be printed") from None


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def json_pieces(value: Any) -> Iterator[str]:
    """The JSON of a document whose values may be iterators: what a long run's steps say takes no memory."""
    if isinstance(value, Iterator):
        separator = "["
        for one in value:
            yield f"{separator}\n{json_text(one)}"
            separator = ","
        yield "\n]" if separator == "," else "[]"
    elif isinstance(value, Mapping) and value:
        separator = "{"
        for key, one in value.items():
            yield f"{separator}\n{json.dumps(key)}: "
            yield from json_pieces(one)
            separator = ","
        yield "\n}"
    else:
        yield json_text(value)
