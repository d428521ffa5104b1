"""Whatever a model sent, made fit for JSON: it goes into session files and back over the wire."""

from __future__ import annotations

import math
from typing import Any

from planscope.session.json_bytes import LONGEST_NUMBER, plain_text

MAX_DEPTH = 24
_MOST_BITS = int(LONGEST_NUMBER / math.log10(2))
_TOO_DEEP = "..."


def plain(value: Any, depth: int = 0) -> Any:
    """The value with nothing in it that JSON or UTF-8 cannot hold.

    Lone surrogates become U+FFFD, NaN and the infinities their names, numbers too long for a session file how long they
    are, strange objects their text; what lies deeper than ``MAX_DEPTH`` is left out.
    """
    if isinstance(value, str):
        return plain_text(value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return f"a number of some {int(value.bit_length() * math.log10(2)):,} digits"
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        if depth >= MAX_DEPTH:
            return _TOO_DEEP
        return {plain_text(str(k)): plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return _TOO_DEEP if depth >= MAX_DEPTH else [plain(v, depth + 1) for v in value]
    return plain_text(str(value))
