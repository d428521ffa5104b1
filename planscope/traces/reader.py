"""The interface of a reader of one format, and helpers that readers share: one trace of many records, and its end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from planscope.oracle.trace import Trace
from planscope.traces.build import Builder, Full
from planscope.traces.json_stream import Broken
from planscope.traces.signs import holds
from planscope.traces.source import Head, Source
from planscope.traces.values import Obj, seq


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


Signs = tuple[tuple[float, str], ...]
"""How surely something has a format, and by which sign (``signs.py``). The first that holds counts."""


@dataclass(frozen=True)
class FileFormat:
    """A format whose file is read by ``reads``. ``signs`` are asked of the first records and those in their ``lists``,
    which are also ``all``; or they are a function of the beginning of a file."""

    name: str
    title: str
    signs: Signs | Callable[[Head], float]
    reads: Callable[[Source, Options], Iterator[Trace]]
    lists: tuple[str, ...] = ()
    aside: Mapping[str, str] = field(default_factory=dict)

    def recognises(self, head: Head) -> float:
        """Return how surely the first records have this format."""
        if callable(self.signs):
            return self.signs(head)
        found = head.within(*self.lists)
        found += [one for many in map(seq, head.records) for one in many if isinstance(one, dict)]
        asked = [{**one, "all": found} for one in found]
        return next((sure for sure, sign in self.signs if any(holds(one, sign) for one in asked)), 0.0)

    def read(self, source: Source, options: Options) -> Iterator[Trace]:
        """Yield every trace of the file."""
        yield from self.reads(source, options)


def closed(build: Builder, source: Source, broken: Broken | None = None) -> Trace:
    """Return the trace of a whole file, with a note of what was damaged in it."""
    for damage in source.damaged:
        if damage.cut:
            build.broken(damage)
        else:
            build.unread(damage.text, damage.where, source.damaged_count)
    if broken is not None:
        build.broken(broken)
    return build.done()


Keys = tuple[str | int, ...]


def records(
    source: Source,
    lists: Collection[str] = (),
    is_record: Callable[[object], bool] = lambda value: False,
    *,
    again: bool = False,
) -> Iterator[tuple[Obj, Keys]]:
    """Yield every object of a file with its keys in the value that was read last: those on lines, in arrays, and in
    the lists under these keys of an object, which follows them without its lists. ``is_record``: an object that is
    whole in spite of such a list. ``again``: the values are accounted for elsewhere. Raises Broken."""
    if source.seen.kind == "lines":
        for _, value in source.records(again=again):
            yield from _in_value(value, lists, is_record, ())
        return
    whole = is_record(next(iter(source.seen.objects), None))
    for top in source.json(again=again).documents():
        if top.kind == "[":
            for element in top.elements():
                yield from _in_value(element.value(), lists, is_record, ())
        elif top.kind != "{" or whole:
            yield from _in_value(top.value(), lists, is_record, ())
        else:
            beside: Obj = {}
            try:
                for key, member in top.members():
                    if key in lists and member.kind == "[":
                        for element in member.elements():
                            yield from _in_value(element.value(), lists, is_record, ())
                    else:
                        beside[key] = member.value()
            except Broken:
                yield beside, ()
                raise
            if beside:
                yield beside, ()


def _in_value(
    value: object, lists: Collection[str], is_record: Callable[[object], bool], keys: Keys
) -> Iterator[tuple[Obj, Keys]]:
    if type(value) is list:
        for k, one in enumerate(value):
            yield from _in_value(one, lists, is_record, (*keys, k))
    elif type(value) is dict:
        found = () if is_record(value) else [key for key in lists if type(value.get(key)) is list]
        for key in found:
            yield from _in_value(value[key], lists, is_record, (*keys, key))
        yield {k: v for k, v in value.items() if k not in found} if found else value, keys


def one_trace(
    source: Source,
    build: Builder,
    take: Callable[[Obj], None],
    lists: Collection[str] = (),
) -> Trace:
    """Return the trace of a file that has one, of all its objects."""
    broken: Broken | None = None
    try:
        for record, _ in records(source, lists):
            take(record)
    except Full:
        build.full()
    except Broken as error:
        broken = error
    return closed(build, source, broken)
