"""The interface of a reader of one format, and helpers that readers share: one trace of many records, and its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from planscope.oracle.trace import Trace
from planscope.traces.build import Builder
from planscope.traces.json_stream import Broken
from planscope.traces.source import Head, Source
from planscope.wording.phrases import plural


@dataclass(frozen=True)
class Options:
    """Options of reading. ``siblings``: read the files beside a session that belong to it (sub-agents, long
    answers)."""

    siblings: bool = True


class Reader(Protocol):
    """Reads one format. Other packages add theirs under the entry point group ``planscope.traces``.

    A reader may have ``aside``, a mapping from keys to reasons: what looks like a call under such a key (a gold plan,
    an example) is not of the run. Whatever else looks like a call, and is not among the calls of a trace, is listed in
    its ``left_out`` as not understood. ``Builder.excuse`` names single ones.
    """

    @property
    def name(self) -> str:
        """A short id, for example ``openai-chat``."""

    @property
    def title(self) -> str:
        """The name for people, for example ``OpenAI chat messages``."""

    def recognises(self, head: Head) -> float:
        """Return how surely a file with this beginning has this format, from 0 to 1. The name of the file does not
        count."""

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        """Yield the traces of the file. ``Trace.problem`` says what is damaged. Raises UserError or Broken if
        nothing can be read."""


def closed(build: Builder, source: Source, broken: Broken | None = None) -> Trace:
    """Return the trace of a whole file, with a note of what was damaged in it."""
    if source.damaged:
        more = (
            f" (and {plural(source.damaged_count - 1, 'more damaged line')})"
            if source.damaged_count > 1
            else ""
        )
        build.problem(source.damaged[0] + more, cause="cut_off" if source.ends_damaged else None)
    if broken is not None:
        build.problem(f"{broken.where}: {broken.why}", cause="cut_off")
    return build.done()
