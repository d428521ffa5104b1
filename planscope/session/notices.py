"""What an answer of a model is besides its text, in words. Imported for the first frame: it imports nothing heavy."""

from __future__ import annotations

import json
from typing import Any

_EARLY = {
    "length": "the answer was cut off: the limit of its length was reached",
    "content_filter": "the answer was cut off by the provider's content filter",
}


def notice_of(refusal: str | None, finish: str | None) -> str:
    """That the model refused, or why its answer ended early, as a line; empty for one that came to its end."""
    if refusal:
        return f"the model refused: {' '.join(refusal.split())}"
    return _EARLY.get(finish or "", f"the answer ended early: {finish}" if finish else "")


def words_of(text: str, refusal: str | None, finish: str | None, structured: Any) -> str:
    """All that is to be read of an answer: its text, the answer as data, a notice; a line or more, or nothing."""
    notice = notice_of(refusal, finish)
    form = "" if structured is None else f"structured answer: {json.dumps(structured, ensure_ascii=False)}"
    said = text.strip()
    return "\n".join(part for part in (said, form, f"({notice})" if notice else "") if part)
