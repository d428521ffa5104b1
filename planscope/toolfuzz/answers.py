"""Reads a model's answer as JSON, whatever stands around it. The answer is hostile text."""

from __future__ import annotations

import json
import math
import re

LARGEST = 200_000
"""Characters of an answer that are read."""
DEEPEST = 20
_THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_TRIES = 50


def read_json(text: str) -> object:
    """Return the first object or list in an answer, or None if there is none.

    Thoughts are left out; a fenced block comes first. Numbers that JSON cannot carry and values nested deeper than
    ``DEEPEST`` are not read.
    """
    bare = _THOUGHT.sub("", text[:LARGEST])
    for part in (*_FENCED.findall(bare), bare):
        decoder = json.JSONDecoder(parse_constant=_refuse)
        starts = [m.start() for m in re.finditer(r"[{\[]", part)][:_TRIES]
        at = -1
        for start in starts:
            if start < at:
                continue
            try:
                value, at = decoder.raw_decode(part, start)
            except (ValueError, RecursionError):
                continue
            if value not in ([], {}) and _is_plain(value, 0):
                return value
    return None


def _refuse(name: str) -> object:
    raise ValueError(name)


def _is_plain(value: object, depth: int) -> bool:
    if depth > DEEPEST or (isinstance(value, float) and not math.isfinite(value)):
        return False
    if isinstance(value, dict):
        return all(_is_plain(one, depth + 1) for one in value.values())
    return all(_is_plain(one, depth + 1) for one in value) if isinstance(value, list) else True
