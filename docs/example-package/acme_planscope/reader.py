"""Reads Acme's logs: ``{"acme_log": "run 7", "calls": [{"tool": "...", "with": {...}, "said": "..."}]}``."""

from __future__ import annotations

import json
from collections.abc import Iterator

from planscope.oracle.trace import ToolCall, Trace
from planscope.traces.reader import Options
from planscope.traces.source import Head, Source


class AcmeReader:
    """A reader of one format. ``planscope/traces/reader.py`` has the interface, ``planscope/oracle/trace.py``
    what it yields."""

    name = "acme"
    title = "Acme log"

    def recognises(self, head: Head) -> float:
        """Say from 0 to 1 how surely a file that begins like this is an Acme log."""
        return 1.0 if any("acme_log" in one for one in head.objects) else 0.0

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        """Yield the traces of the file."""
        with source.stream() as file:
            log = json.load(file)
        calls = [
            ToolCall(call["tool"], call["with"], answer=call["said"], answered=True) for call in log["calls"]
        ]
        yield Trace(calls, id=log["acme_log"], format=self.name)
