"""Orders records of interleaved traces by trace, in a temporary file."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator
from typing import IO, Any

from planscope.traces.accounts import Ledger, read_again, written

IN_MEMORY = 32 * 2**20
"""The number of bytes that are kept in memory before they go to a file."""
MOST_TRACES = 1_000_000
MOST_RECORDS = 400_000
"""Limit of records that are kept of one trace."""


class Groups:
    """Records by the id of their trace. The traces come in the order in which they began."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
        self._places: dict[str, array[int]] = {}
        self.left_out = 0

    def add(self, trace: str, record: dict[str, Any], *keys: str | int) -> None:
        """Keep a record, and what looks like a call in it: what was read last, or of that what is below ``keys``."""
        seen = [written(one) for one in self._ledger.take(*keys)]
        places = self._places.get(trace)
        if places is None:
            if len(self._places) >= MOST_TRACES:
                self.left_out += 1
                return
            places = self._places[trace] = array("Q")
        if len(places) >= MOST_RECORDS:
            self.left_out += 1
            return
        places.append(self._file.tell())
        self._file.write(json.dumps([record, seen], separators=(",", ":")).encode() + b"\n")

    @property
    def count(self) -> int:
        """The number of traces."""
        return len(self._places)

    def each(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Yield the records of each trace. What looks like a call in them is then in the ledger."""
        rest = self._ledger.take()
        for trace, places in self._places.items():
            found: list[dict[str, Any]] = []
            for place in places:
                self._file.seek(place)
                record, seen = json.loads(self._file.readline())
                found.append(record)
                self._ledger.seen += map(read_again, seen)
            yield trace, found
        self._ledger.seen += rest

    def close(self) -> None:
        """Remove the file."""
        self._file.close()
