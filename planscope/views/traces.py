"""The traces of a file as a list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planscope.documents.listings import TraceLineDocument
from planscope.oracle.trace import LeftOut, add_left_out
from planscope.show.blocks import REST, Block, Para, Table
from planscope.wording.phrases import plural

MOST = 1_000
"""So many traces are listed; the others are counted."""


def list_blocks(lines: Sequence[TraceLineDocument]) -> Iterator[Block]:
    """Return id, calls, reward and topic of each trace, and what was left out of all of them, a line for a reason."""
    rows = [
        (
            one.id,
            plural(one.calls, "call"),
            "" if one.reward is None else f"reward {one.reward:g}",
            f"(cannot be read whole: {one.problem})" if one.problem else one.title,
        )
        for one in lines[:MOST]
    ]
    yield Table(rows, indent="", widest=(40, 14, 12, REST))
    if len(lines) > MOST:
        yield Para(f"... and {len(lines) - MOST:,} more")
    sums: dict[tuple[str, str], LeftOut] = {}
    for one in lines:
        add_left_out(sums, one.id, one.left_out)
    yield from (Para(f"left out: {one.text}") for one in sums.values())
