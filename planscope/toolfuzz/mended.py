"""New documentation of a tool, as it is shown."""

from __future__ import annotations

import difflib
import textwrap

ORIGINS = {
    "mend_prompts": "documentation and failures",
    "mend_source": "documentation, failures and source",
    "mend_text": "documentation alone",
}
"""What a candidate was made from, by the name of the prompt."""
WIDTH = 72
"""So that a line fits into 80 columns with its sign and indent."""


def difference(before: str, after: str, width: int = WIDTH) -> list[str]:
    """Return the lines of a diff between two texts, wrapped to a width in characters."""
    old, new = (
        [part for line in text.splitlines() for part in textwrap.wrap(line, width) or [""]]
        for text in (before, after)
    )
    return [line for line in difflib.ndiff(old, new) if not line.startswith("?")]
