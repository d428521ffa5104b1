"""Orders records of interleaved traces by trace, in a temporary file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator

from planscope.oracle.trace import Trace
from planscope.traces.accounts import Ledger, Seen, written
from planscope.traces.build import Builder, Full
from planscope.traces.json_stream import Broken
from planscope.traces.reader import Keys, closed
from planscope.traces.source import Source, spooled
from planscope.traces.values import Obj

IN_MEMORY = 32 * 2**20
"""The number of bytes that are kept in memory before they go to a file."""
MOST_TRACES = 1_000_000
MOST_RECORDS = 400_000
"""Limit of records that are kept of one trace."""
Placed = tuple[str, Obj, Keys]
"""A record with the id of its trace, which is empty if it has none, and its keys in the value that was read."""


def traces_of(
    found: Iterable[Placed],
    form: str,
    source: Source,
    take: Callable[[Builder, list[Obj]], None],
) -> Iterator[Trace]:
    """Yield a trace for each trace id, made of its records by ``take``. Raises Broken if nothing stands before the
    damage."""
    groups = Groups(source.ledger)
    broken: Broken | None = None
    empty: list[Trace] = []
    try:
        for trace, record, keys in found:
            groups.add(trace, record, *keys)
    except Broken as error:
        broken = error
    try:
        for trace, records, more in groups.each():
            build = Builder(trace or source.stem, form)
            try:
                take(build, records)
                if more:
                    raise Full
            except Full:
                build.full()
            made = closed(build, source, broken)
            if made.items or source.ledger.seen:
                yield made
            else:
                empty.append(made)
        if len(empty) == groups.count:  # else they are of no agent
            yield from empty
        if broken is not None and not groups.count:
            raise broken
    finally:
        groups.close()


class Groups:
    """Records by the id of their trace. The traces come in the order in which they began."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._file = spooled(IN_MEMORY)
        self._places: dict[str, array[int]] = {}
        self._more: set[str] = set()
        """The traces that have more records than are kept."""

    def add(self, trace: str, record: Obj, *keys: str | int) -> None:
        """Keep a record, and what looks like a call in it: what was read last, or of that what is below ``keys``."""
        seen = [written(one) for one in self._ledger.take(*keys)]
        self._ledger.without = []
        places = self._places.get(trace)
        if places is None:
            if len(self._places) >= MOST_TRACES:
                raise Broken(f"there are more than {MOST_TRACES:,} traces in it", "at the end", cut=False)
            places = self._places[trace] = array("Q")
        if len(places) >= MOST_RECORDS:
            self._more.add(trace)
            return
        places.append(self._file.tell())
        self._file.write(json.dumps([record, seen], separators=(",", ":")).encode() + b"\n")

    @property
    def count(self) -> int:
        """The number of traces."""
        return len(self._places)

    def each(self) -> Iterator[tuple[str, list[Obj], bool]]:
        """Yield the records of each trace, and whether there were more. What looks like a call in them is then in the
        ledger."""
        rest = self._ledger.take()
        for trace, places in self._places.items():
            found: list[Obj] = []
            for place in places:
                self._file.seek(place)
                record, seen = json.loads(self._file.readline())
                found.append(record)
                self._ledger.seen += (Seen(*one) for one in seen)
                if not seen:
                    self._ledger.unread(record, f"record {len(found)}")
            yield trace, found, trace in self._more
        self._ledger.seen += rest

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
